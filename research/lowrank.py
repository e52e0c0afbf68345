# SPDX-License-Identifier: MIT
"""Couplings of low rank: how many sequences pseudo-likelihood needs to see them

Potts models with beta J = sum_k t_k v_k v_k^T and few k, v_k random unit vectors, above their transition. The gradient of the pseudo-likelihood
at A = 0 is a sum of covariances c_ij = (1/M) sum_n U(s_ni, s_nj), the limit of A at a strong penalty; its first Newton step is c over a
constant Hessian. Its eigenvectors are those of a spiked random matrix (docs/theory.md, section 21). Theory: the threshold in M / L and
(u.v)^2 above it, for the leading eigenvectors u, as L -> infinity; nothing is fitted. Simulation: Gibbs samples of the library, U centred;
errors are those over J. *Crossing*: at the threshold L^(1/3) (u.v)^2 does not depend on L; where curves of two sizes cross estimates it: the
zero of a line through their difference at 0.7 to 1.3 M_c, with 68 per cent of bootstraps over J. *Trained*: u of A + A^T as the trainer
finds A at finite penalties, V known; the penalty is in units of the Hessian at A = 0.
"""
import math
import sys

import lab as tools

# name: (colours, colour matrix, t_k)
CASES = {"identity": (3, "identity", (1.0,)), "gaussian": (5, "gaussian", (1.0,)), "rank 3": (3, "identity", (1.2, 0.9, 0.66))}
PLANS = {"identity": {200: 200, 400: 48, 800: 12}, "gaussian": {200: 160, 400: 80}, "rank 3": {200: 40, 400: 16}}
NEAR = (0.5, 0.7, 0.85, 1.0, 1.15, 1.3, 1.6, 2.0, 3.0)             # M over the threshold of the first k
RATIOS = {"identity": NEAR, "gaussian": NEAR, "rank 3": (0.5, 1.0, 1.6, 2.0, 3.0, 4.0, 6.0, 9.0)}
TRAINED = {200: 16}                                                  # J by L
PENALTIES, TRAINED_RATIOS = (10.0, 1.0, 0.1), (0.7, 1.3, 2.0, 3.0)
KEY = ("case", "sites", "model", "ratio")
AGREE = {"lowrank.csv": tools.Same(("case", "sites", "ratio", "spike"), ("theory",), {"overlap": "overlap_sem"}),
         "lowrank_thresholds.csv": tools.Same(("case", "spike"), ("threshold", "best"))}


# --- theory --------------------------------------------------------------------------------------------------------------------------------

def centred_values(np, colors, kind):
    """U [q, q] with rows and columns that add up to 0; a Gaussian one is that of seed 1, scaled to |U|_F^2 = q - 1."""
    u = np.eye(colors)
    if kind == "gaussian":
        u = np.random.default_rng(1).standard_normal((colors, colors))
        u = u + u.T
    u = u - u.mean(0) - u.mean(1)[:, None] + u.mean()
    return u * math.sqrt((colors - 1) / (u * u).sum())


class Spike:
    """Modes a_c = lambda_c / q of U, and the variances ell_c of the modes of colours along v."""

    def __init__(self, np, values, t):
        colors, lambdas = len(values), np.linalg.eigvalsh(values)
        self.np, self.a = np, lambdas[abs(lambdas) > 1e-9] / colors
        self.ell = 1 / (1 - t * self.a)

    def force(self, g, ratio):
        """sum_c u_c (ell_c - 1), sum_c u_c^2 with u_c = a_c g / (1 - a_c g L / M): 1 at an outlier, M / L at the edge."""
        u = self.a * g / (1 - self.a * g / ratio)
        return float(u @ (self.ell - 1)), float(u @ u)

    def edge(self, ratio):
        """The largest g of the bulk, M / L = ratio."""
        from scipy.optimize import brentq
        top = ratio / self.a.max()
        return brentq(lambda g: self.force(g, ratio)[1] - ratio, 1e-9 * top, top * (1 - 1e-12), xtol=1e-14)

    def threshold(self):
        from scipy.optimize import brentq
        return math.exp(brentq(lambda x: self.force(self.edge(math.exp(x)), math.exp(x))[0] - 1, -9, 12))

    def best(self):
        """The threshold with the best weights of modes."""
        return 1 / float(((self.ell - 1)**2).sum())

    def overlap(self, ratio):
        """(u.v)^2."""
        from scipy.optimize import brentq
        edge = self.edge(ratio)
        if self.force(edge, ratio)[0] <= 1:
            return 0.0
        g = brentq(lambda x: self.force(x, ratio)[0] - 1, 1e-12 * edge, edge, xtol=1e-14)
        weights = self.a**2 / (1 - self.a * g / ratio)**2 / ratio
        slope = 1 / (1 / g**2 - float(weights.sum()))  # -dg/dz
        return 1 / (1 + slope * float(weights @ self.ell))


# --- simulation ----------------------------------------------------------------------------------------------------------------------------

class Drawn:
    """Sequences of a model of low rank, and the modes of their colours."""

    def __init__(self, lab, np, case, sites, model, most):
        colors, kind, strengths = CASES[case]
        generator = np.random.default_rng(1000 * model + sites)
        self.np, self.values = np, centred_values(np, colors, kind)
        self.v = np.linalg.qr(generator.standard_normal((sites, len(strengths))))[0]
        self.couplings = (self.v * units(np, case)) @ self.v.T
        np.fill_diagonal(self.couplings, 0)
        potts = lab.potts.Model.heads(self.couplings, self.values)
        sampler = lab.potts.Sampler(potts, chains=128, seed=model)
        sampler.sweep(50)
        self.sequences = sampler.sample(most, thin=5).sequences
        lambdas, vectors = np.linalg.eigh(self.values)
        kept = abs(lambdas) > 1e-9
        self.a, self.modes = lambdas[kept] / colors, math.sqrt(colors) * vectors[:, kept]

    def gradient(self, samples):
        """c [L, L] without its diagonal."""
        total = 0
        for a, mode in zip(self.a, self.modes.T):
            y = mode[self.sequences[:samples]].astype(self.np.float32)
            total = total + a * (y.T @ y).astype(float) / samples
        self.np.fill_diagonal(total, 0)
        return total

    def overlaps(self, matrix):
        """(u_k.v_k)^2 of the leading eigenvectors."""
        from scipy.linalg import eigh
        sites, count = self.v.shape
        u = eigh(matrix, subset_by_index=(sites - count, sites - 1))[1][:, ::-1]
        return (u * self.v).sum(0)**2

    def variance(self):
        """Of the first colour mode of the largest a along the first v, over sequences."""
        y = self.modes[:, self.a.argmax()][self.sequences]
        return float(((y @ self.v[:, 0])**2).mean())


def units(np, case):
    """t_k: a third of what makes the paramagnet unstable, times the numbers of CASES."""
    colors, kind, strengths = CASES[case]
    lambdas = np.linalg.eigvalsh(centred_values(np, colors, kind))
    return np.array(strengths) * colors / lambdas.max() / 3


def spikes(np, case):
    colors, kind, _ = CASES[case]
    return [Spike(np, centred_values(np, colors, kind), t) for t in units(np, case)]


def compute(lab):
    try:
        import numpy as np
        import scipy  # noqa: F401
    except ImportError:
        print("lowrank: left out, SciPy is not there (Debian: python3-scipy)", file=sys.stderr)
        return False
    rows = [{"case": case, "spike": k + 1, "t": t, "threshold": s.threshold(), "best": s.best()}
            for case in CASES for k, (s, t) in enumerate(zip(spikes(np, case), units(np, case)))]
    lab.write("lowrank_thresholds.csv", rows, ["M / L; best: with the best weights of the modes of colours"])
    first = {r["case"]: r["threshold"] for r in rows if r["spike"] == 1}
    made = {}

    def drawn(case, sites, model):
        if (case, sites, model) not in made:
            made.clear()
            made[case, sites, model] = Drawn(lab, np, case, sites, model, round(max(RATIOS[case]) * first[case] * sites))
        return made[case, sites, model]

    def run(case, sites, model, ratio):
        data = drawn(case, sites, model)
        samples = round(ratio * first[case] * sites)
        found = data.overlaps(data.gradient(samples))
        return {"samples": samples, "variance": data.variance(), **{f"overlap{k + 1}": x for k, x in enumerate(found)}}

    keys = [(case, sites, model, ratio) for case, sizes in PLANS.items() for sites, count in sizes.items() for model in range(1, count + 1) for ratio in RATIOS[case]]
    lab.complete("lowrank_runs.csv", KEY, [*KEY, "samples", "variance", "overlap1", "overlap2", "overlap3"],
                 lab.pick(keys, [k for k in keys if k[:2] == ("identity", 200) and k[2] <= 10]), run)
    lab.write("lowrank.csv", means(lab, np), ["(u.v)^2; ratio: M over the threshold of the first spike; measured: theory with the measured variance along v"],
              ["case", "sites", "ratio", "spike", "alpha", "models", "theory", "measured", "overlap", "overlap_sem", "variance", "variance_sem", "ell"])
    if not lab.quick:
        train(lab, np, first["identity"])
        lab.write("lowrank_crossings.csv", crossings(lab, np), ["M over the predicted threshold where L^(1/3) (u.v)^2 of two sizes cross"])
    return True


def train(lab, np, threshold):
    """Overlaps of the trained A + A^T."""
    made = {}

    def run(sites, model, ratio, penalty):
        if (sites, model) not in made:
            made.clear()
            made[sites, model] = Drawn(lab, np, "identity", sites, model, round(max(NEAR) * threshold * sites))
        data = made[sites, model]
        colors, samples = len(data.values), round(ratio * threshold * sites)
        curvature = float((data.values**2).sum()) / colors**2  # of the loss of a site
        trainer = lab.potts.Trainer(lab.potts.Alignment(data.sequences[:samples], colors), colors_fixed=True, l2_couplings=penalty * curvature / (2 * sites),
                                    epochs=400, tolerance=1e-6)
        trainer.set_values(data.values[None])
        outcome = trainer.run()
        a = trainer.model().maps[0]
        return {"samples": samples, "overlap": float(data.overlaps((a + a.T) / 2)[0]), "gradient": float(data.overlaps(data.gradient(samples))[0]),
                "epochs": trainer.epochs, "outcome": outcome}

    key = ("sites", "model", "ratio", "penalty")
    keys = [(sites, model, ratio, penalty) for sites, count in TRAINED.items() for model in range(1, count + 1) for ratio in TRAINED_RATIOS for penalty in PENALTIES]
    lab.complete("lowrank_trained.csv", key, [*key, "samples", "overlap", "gradient", "epochs", "outcome"], keys, run)


def means(lab, np):
    rows = []
    for (case, sites, ratio), group in tools.groups_of(lab.rows("lowrank_runs.csv"), "case", "sites", "ratio").items():
        found, first = spikes(np, case), None
        for k, spike in enumerate(found):
            first = first or spike.threshold()
            mean, error = tools.mean_and_error([r[f"overlap{k + 1}"] for r in group])
            samples = group[0]["samples"] / sites
            row = {"case": case, "sites": sites, "ratio": ratio, "spike": k + 1, "alpha": samples, "models": len(group), "theory": spike.overlap(ratio * first),
                   "overlap": mean, "overlap_sem": error}
            if k == 0 and case != "gaussian":  # all modes have one variance: its measured value, which at finite L is smaller
                spike.ell[:] = tools.mean([r["variance"] for r in group])
                row["measured"] = spike.overlap(ratio * first)
                spike = spikes(np, case)[0]
            if k == 0:
                row["variance"], row["variance_sem"] = tools.mean_and_error([r["variance"] for r in group])
                row["ell"] = float(spike.ell[spike.a.argmax()])
            rows.append(row)
    return rows


def crossings(lab, np):
    """Where L^(1/3) times the mean overlap of two sizes cross, by a line through their difference, and 68 per cent of bootstraps over J."""
    generator, rows = np.random.default_rng(5), []
    for case in ("identity", "gaussian"):
        tables = {sites: np.array([[r["overlap1"] for r in sorted(group, key=lambda r: r["ratio"])] for group in
                                   tools.groups_of([r for r in lab.rows("lowrank_runs.csv") if (r["case"], r["sites"]) == (case, sites)], "model").values()])
                  for sites in PLANS[case]}
        sizes = sorted(tables)
        for small, large in zip(sizes, sizes[1:]):
            near = [k for k, ratio in enumerate(NEAR) if 0.7 <= ratio <= 1.3]

            def place(draw):
                gap = (large**(1 / 3) * draw(tables[large]).mean(0) - small**(1 / 3) * draw(tables[small]).mean(0))[near]
                slope, level = np.polyfit([NEAR[k] for k in near], gap, 1)
                return float(-level / slope)

            again = [place(lambda t: t[generator.integers(len(t), size=len(t))]) for _ in range(400)]
            rows.append({"case": case, "small": small, "large": large, "crossing": place(lambda t: t), "low": float(np.quantile(again, 0.16)),
                         "high": float(np.quantile(again, 0.84))})
    return rows


# --- the page ------------------------------------------------------------------------------------------------------------------------------

def deviations(lab, sites):
    """Of mean overlaps from theory, in standard errors, where M is not within 30 per cent of a threshold."""
    limits = {(r["case"], r["spike"]): r["threshold"] for r in lab.rows("lowrank_thresholds.csv")}
    return [(r["overlap"] - r["theory"]) / r["overlap_sem"] for r in lab.rows("lowrank.csv")
            if r["sites"] == sites[r["case"]] and r["ratio"] * limits[r["case"], 1] > 1.3 * limits[r["case"], r["spike"]]]


def extrapolated(lab):
    """The same of a + b / L through the two largest L, by case."""
    rows, limits = {(r["case"], r["sites"], r["spike"], r["ratio"]): r for r in lab.rows("lowrank.csv")}, lab.rows("lowrank_thresholds.csv")
    own, found = {(r["case"], r["spike"]): r["threshold"] for r in limits}, {}
    for (case, sites, spike, ratio), r in rows.items():
        if sites == LARGEST[case] and ratio * own[case, 1] > 1.3 * own[case, spike]:
            other = rows[case, sites / 2, spike, ratio]
            error = math.hypot(2 * r["overlap_sem"], other["overlap_sem"])
            found.setdefault(case, []).append((2 * r["overlap"] - other["overlap"] - r["theory"]) / error)
    return found


LARGEST = {case: max(sizes) for case, sizes in PLANS.items()}


def report(lab):
    text = "Thresholds M / L:\n\n" + tools.markdown({"case": "case", "k": "spike", "t": "t", "pseudo-likelihood at A = 0": "threshold", "best weights of modes": "best"},
                                                    lab.rows("lowrank_thresholds.csv"), dict.fromkeys(("t", "threshold", "best"), "{:.4f}"))
    text += "\nCrossings of sizes, M over the threshold:\n\n" + tools.markdown(
        {"case": "case", "L": "small", "and": "large", "crossing": "crossing", "from": "low", "to": "high"}, lab.rows("lowrank_crossings.csv"),
        dict.fromkeys(("crossing", "low", "high"), "{:.3f}"))
    off, again = deviations(lab, LARGEST), [(r["overlap"] - r["measured"]) / r["overlap_sem"] for r in lab.rows("lowrank.csv")
                                            if not math.isnan(r["measured"]) and r["ratio"] > 1.3]
    for case, values in extrapolated(lab).items():
        text += (f"\n- {case}, a + b / L through the two largest L, more than 1.3 thresholds: {tools.within(values)} overlaps are within 3 errors of the theory, "
                 f"the farthest {max(values, key=abs):+.1f}.")
    text += (f"\n- At the largest L, 1.3 thresholds and more: {tools.within(off)} mean overlaps are within 3 errors of the theory of infinite L, "
             f"the farthest {max(off, key=abs):+.1f}.\n"
             f"- With the measured variance along v, which is smaller than ell at finite L, {tools.within(again)} overlaps of the first spike are within "
             f"3 errors at all L, the farthest {max(again, key=abs):+.1f}.\n\nOverlaps (u.v)^2:\n\n")
    text += tools.markdown({"case": "case", "L": "sites", "k": "spike", "M / M_c": "ratio", "M / L": "alpha", "J": "models", "theory": "theory",
                            "with the measured variance": "measured", "simulation": "overlap",
                            "error": "overlap_sem", "variance along v": "variance", "error ": "variance_sem", "ell": "ell"},
                           sorted(lab.rows("lowrank.csv"), key=lambda r: (r["case"], r["sites"], r["spike"], r["ratio"])),
                           dict.fromkeys(("alpha", "theory", "measured", "overlap", "overlap_sem", "variance", "variance_sem", "ell"), "{:.3f}"))
    table = trained(lab)
    return text + "\nTrained, `identity`; difference: trained less gradient on the same data:\n\n" + tools.markdown(
        {"L": "sites", "M / M_c": "ratio", "penalty": "penalty", "J": "models", "trained": "overlap", "error": "overlap_sem", "gradient at 0": "gradient",
         "difference": "difference", "error ": "difference_sem", "not converged": "unfinished"}, table,
        dict.fromkeys(("overlap", "overlap_sem", "gradient", "difference", "difference_sem"), "{:.3f}"))


def trained(lab):
    rows = []
    for (sites, ratio, penalty), group in tools.groups_of(lab.rows("lowrank_trained.csv"), "sites", "ratio", "penalty").items():
        row = {"sites": sites, "ratio": ratio, "penalty": penalty, "models": len(group), "gradient": tools.mean([r["gradient"] for r in group]),
               "unfinished": sum(r["outcome"] != "converged" for r in group)}
        row["overlap"], row["overlap_sem"] = tools.mean_and_error([r["overlap"] for r in group])
        row["difference"], row["difference_sem"] = tools.mean_and_error([r["overlap"] - r["gradient"] for r in group])
        rows.append(row)
    return rows


def claims(lab):
    ends = [x for values in extrapolated(lab).values() for x in values]
    limits = {r["case"]: r["threshold"] for r in lab.rows("lowrank_thresholds.csv") if r["spike"] == 1}
    found = {(r["case"], r["small"]): f"{r['crossing']:.2f} ({r['low']:.2f} to {r['high']:.2f})" for r in lab.rows("lowrank_crossings.csv")}
    return [("more", "pseudo-likelihood sees couplings of rank one above a threshold in M / L, that of a spiked random matrix",
             "overlaps above it hold with corrections of order 1 / L; crossings of sizes agree for q = 5, and are below it by 1.9 errors for q = 3",
             f"M_c / L = {limits['gaussian']:.3f} (Gaussian U, q = 5) and {limits['identity']:.3f} (identity, q = 3); crossings over M_c: {found['gaussian', 200]} "
             f"and {found['identity', 200]} where L = 200 and 400 cross, {found['identity', 400]} for 400 and 800; as L -> infinity {tools.within(ends)} overlaps "
             "above 1.3 thresholds within 3 errors")]


def draw(lab):
    figure, (left, right) = tools.figure(1, 2, size=(11, 4.8))
    rows = lab.rows("lowrank.csv")
    for (case, spike), color in zip((("identity", 1), ("gaussian", 1), ("rank 3", 1), ("rank 3", 2), ("rank 3", 3)), tools.COLORS):
        mine = [r for r in rows if (r["case"], r["spike"]) == (case, spike)]
        for sites, marker in zip(sorted({r["sites"] for r in mine}), "os^"):
            some = sorted((r for r in mine if r["sites"] == sites), key=lambda r: r["ratio"])
            if case == "identity":
                right.errorbar([r["ratio"] for r in some], [r["overlap"] * sites**(1 / 3) for r in some], [r["overlap_sem"] * sites**(1 / 3) for r in some],
                               fmt=marker + "-", ms=4, capsize=2, lw=1, label=f"L = {sites:.0f}")
            if sites == max(r["sites"] for r in mine):
                tools.points(left, some, "alpha", "overlap", "overlap_sem", color=color, label=f"{case}, k = {spike}, L = {sites:.0f}")
                tools.curve(left, some, "alpha", "theory", color=color, lw=1)
    left.set(xscale="log", xlabel="sequences per site, M / L", ylabel="(u.v)^2", title="points: simulation, lines: theory")
    right.set(xlim=(0.4, 1.7), ylim=(0, 4), xlabel="M over the predicted threshold", ylabel="L^(1/3) (u.v)^2", title="identity")
    left.legend(fontsize=8)
    right.legend(fontsize=8)
    return {"lowrank": figure}
