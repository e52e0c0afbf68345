# SPDX-License-Identifier: MIT
"""How many sequences V known and V learned fit at finite L: cones of labels beside simulation

Simulation: *V known*: linear programming for each site; the largest M that all sites fit, and the mean over sites. *V learned*: L-BFGS from the
wide start of 16 heads, penalties of 1e-6, at most 3000 iterations; labels are fitted where each has the largest field. Bisection in nested
data sets. *random*: independent uniform sequences, V known a Gaussian matrix without means of rows and columns; *potts*: as in
[learned_values](learned_values.md), at the beta of distance 0.9 of L = 20.

Theory (docs/theory.md, section 22). V known: the chance that site i fits M sequences is that fewer than L - 1 constraints are active in M
draws from its own cones (true U, its own fields in 1000 other sequences); sites count as independent. V learned, *count*: alpha_c(L) = alpha_c
(1 + ((q - 1)^2 - 1) / (L (L - 1))), with alpha_c of the polygon, or of the V where ascents from random V end ([learned_values](learned_values.md));
for potts labels that of an isotropic teacher with rho = 6.5. *draws*: the largest M for which some V and tilts a_i bring the sum over M drawn
sequences of dist^2(a_i nu + xi, C_y) below L - 1 at all sites: the best V of a finite number of draws, with nothing to count.
"""
import math

import cones
import lab as tools
from learned_values import SCIPY, sequences_of
from separability import separable

CASES = {("random", 3, 10): 4, ("random", 5, 10): 4, ("random", 5, 20): 2, ("random", 10, 10): 3, ("random", 10, 20): 2, ("random", 20, 10): 2,
         ("random", 20, 14): 2, ("random", 20, 20): 3, ("random", 20, 40): 2, ("potts", 20, 14): 2, ("potts", 20, 20): 3, ("potts", 20, 40): 2}
QUICK = {("random", 3, 10): 4, ("random", 5, 10): 4}
KINDS = ("known", "known theory", "sites alpha", "draws", "learned")
KEY = ("labels", "colors", "sites", "set", "what")
HEADS, EPOCHS, FIELDS, STIFF = 16, 3000, 1000, 1e3
TILTS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0)
AGREE = {"learned_count.csv": tools.Same(("labels", "colors", "sites"), within={kind: kind + "_sem" for kind in KINDS})}


# --- data ----------------------------------------------------------------------------------------------------------------------------------

def data_of(lab, np, labels, colors, sites, number):
    """(sequences, V known, J, other sequences)."""
    most = 8 * sites
    if labels == "potts":
        sequences, values, couplings = sequences_of(lab, np, labels, sites, number, most + FIELDS)
        return sequences[:most], values, couplings, sequences[most:]
    generator = np.random.default_rng([colors, sites, number])
    basis = cones.basis(np, colors)
    values = basis @ generator.standard_normal((colors - 1, colors - 1)) @ basis.T
    return generator.integers(colors, size=(most, sites)).astype(np.uint8), values, None, None


def fields_of(np, colors, couplings, sequences):
    """nu [L, n, q]: sum_j J_ij e(s_j) in orthonormal colours; the last coordinate is that of one number for all colours."""
    whole = np.concatenate([cones.basis(np, colors), np.full((colors, 1), colors**-0.5)], 1) * math.sqrt(colors)
    return np.einsum("ij,njd->ind", couplings - np.diag(np.diag(couplings)), whole[sequences])


# --- theory --------------------------------------------------------------------------------------------------------------------------------

def sites_of(np, values, couplings, others, sites, number):
    """[(E D, numbers of active constraints)] of each site at its best tilt, V known; one for all sites if labels are random."""
    colors = len(values)
    generator = np.random.default_rng([2, colors, sites, number])
    r = values @ cones.basis(np, colors)
    if couplings is None:
        squared, multipliers, _ = cones.project(np, r, generator.standard_normal((10 * FIELDS, colors - 1)), generator.integers(colors, size=10 * FIELDS))
        return [(squared.mean(), (multipliers > 0).sum(1))]
    stiff, found = np.concatenate([r, values.mean(1, keepdims=True) * math.sqrt(colors) / STIFF], 1), []
    for i, nu in enumerate(fields_of(np, colors, couplings, others)):
        xi = np.append(generator.standard_normal((len(nu), colors - 1)), np.zeros((len(nu), 1)), 1)
        found.append(min(((squared.mean(), (multipliers > 0).sum(1)) for tilt in TILTS for squared, multipliers, _ in
                          [cones.project(np, stiff, (tilt * nu + xi) * np.append(np.ones(colors - 1), STIFF), others[:, i])]), key=lambda one: one[0]))
    return found


def known_theory(np, found, sites):
    """(mean of the largest M that all sites fit, mean over sites)."""
    chances = [cones.chances(np, active, sites - 1, 4 * sites) for _, active in found]
    chances *= sites // len(chances)
    return np.prod(chances, 0)[1:].sum(), np.mean(chances, 0)[1:].sum()


def draws_theory(np, labels, colors, couplings, others, values, sites, number):
    generator = np.random.default_rng([3, colors, sites, number])
    basis, most = cones.basis(np, colors), FIELDS
    xi = generator.standard_normal((sites, most, colors - 1))
    if labels == "random":
        nu, y, starts = 0 * xi, generator.integers(colors, size=(sites, most)), [(basis, 0.0)]
        starts += [(generator.standard_normal(basis.shape), 0.0) for _ in range(4 if colors < 10 else 1)]
    else:
        nu, y = fields_of(np, colors, couplings, others)[..., :-1], others.T
        starts = [(values @ basis, 0.3), (basis, 0.3)][:1 if sites > 20 else 2]
    return largest(lambda m: cones.fit_sites(np, xi[:, :m], nu[:, :m], y[:, :m], sites - 1, starts), sites, most)


# --- simulation ----------------------------------------------------------------------------------------------------------------------------

def largest(test, guess, most):
    """The largest M <= most for which `test` holds, by steps of a quarter from `guess` and bisection."""
    low, high = 0, most + 1
    m = min(guess, most)
    while high - low > 1:
        low, high = (m, high) if test(m) else (low, m)
        m = min(most, m + max(1, m // 4)) if high > most else max(1, m - max(1, m // 4)) if low == 0 else (low + high) // 2
    return low


def known_fits(np, linprog, sequences, values):
    """The largest M of each site, by linear programming."""
    found, sites = [], sequences.shape[1]
    x = values[:, sequences]                                          # [q, n, L]
    for i in range(sites):
        inputs = np.delete(x, i, 2).transpose(1, 0, 2)
        y = sequences[:, i]
        rows = inputs[np.arange(len(y)), y][:, None] - inputs          # [n, q, L - 1]
        rows = np.stack([np.delete(rows[m], y[m], 0) for m in range(len(y))])
        found.append(largest(lambda m: separable(linprog, rows[:m].reshape(-1, sites - 1).tolist(), sites - 1), sites // 3, len(y)))
    return found


def fitted(lab, np, sequences, colors, seed):
    """Whether A and V are found with which each label has the largest field."""
    trainer = lab.potts.Trainer(lab.potts.Alignment(sequences, colors), l2_couplings=1e-6, l2_colors=1e-6, epochs=EPOCHS, tolerance=1e-7, history=30,
                                precision=64, seed=seed)
    trainer.start_wide(HEADS)
    trainer.run()
    sites, found = sequences.shape[1], trainer.parameters
    maps = found[trainer.parts["maps"]].reshape(sites, sites)
    values = found[trainer.parts["values"]].reshape(colors, colors)
    fields = np.einsum("ij,anj->nia", maps - np.diag(np.diag(maps)), values[:, sequences])
    return (fields.argmax(2) == sequences).all()


def compute(lab):
    try:
        import numpy as np
        from scipy.optimize import linprog
    except ImportError:
        print(f"learned_count: {SCIPY}")
        return False
    made = {}

    def run(labels, colors, sites, number, what):
        if (labels, colors, sites, number) not in made:
            made.clear()
            made[labels, colors, sites, number] = data_of(lab, np, labels, colors, sites, number)
        sequences, values, couplings, others = made[labels, colors, sites, number]
        if what == "known":
            found = known_fits(np, linprog, sequences, values)
            return {"largest": min(found), "mean": np.mean(found)}
        if what in ("known theory", "sites alpha"):
            found = sites_of(np, values, couplings, others, sites, number)
            return dict(zip(("largest", "mean"), known_theory(np, found, sites))) if what != "sites alpha" else {
                "largest": (sites - 1) / np.mean([squared for squared, _ in found])}
        if what == "draws":
            return {"largest": draws_theory(np, labels, colors, couplings, others, values, sites, number)}
        return {"largest": largest(lambda m: fitted(lab, np, sequences[:m], colors, number), sites, len(sequences))}

    keys = [(*case, number, what) for case, sets in lab.pick(CASES, QUICK).items() for number in range(1, sets + 1) for what in KINDS]
    lab.complete("learned_count_runs.csv", KEY, [*KEY, "largest", "mean"], keys, run)
    summary = []
    for case, group in tools.groups_of(lab.rows("learned_count_runs.csv"), *KEY[:3]).items():
        row = {**dict(zip(KEY, case)), "sets": max(r["set"] for r in group)}
        for kind in KINDS:
            runs = [r for r in group if r["what"] == kind]
            row[kind], row[kind + "_sem"] = tools.mean_and_error([r["largest"] / (r["sites"] - 1) for r in runs])
            if kind.startswith("known"):
                row[kind + " mean"], row[kind + " mean_sem"] = tools.mean_and_error([r["mean"] / (r["sites"] - 1) for r in runs])
        summary.append(row)
    lab.write("learned_count.csv", summary, ["largest M / (L - 1); mean: over sites, else all sites; means over data sets with standard errors"])
    return True


# --- the page ------------------------------------------------------------------------------------------------------------------------------

def limits_of(lab):
    """{(labels, q): alpha_c as L -> infinity of the V where an ascent from a random V ends}, random labels."""
    return {r["colors"]: r["alpha_c"] for r in lab.rows("learned_values_ascents.csv") if (r["rho"], r["start"]) == (0, "random")}


def combined(lab):
    """Rows of learned_count.csv with predictions and differences in standard errors, at least those of half a sequence in each set."""
    ends, rows = limits_of(lab), lab.rows("learned_count.csv")
    for row in rows:
        row["unknowns"] = ((row["colors"] - 1)**2 - 1) / (row["sites"] * (row["sites"] - 1))
        potts, sem = row["labels"] == "potts", {kind: max(row[kind + "_sem"], 0.5 / (row["sites"] - 1) / row["sets"]**0.5) for kind in KINDS}
        row["count"] = (row["sites alpha"] if potts else ends[row["colors"]]) * (1 + row["unknowns"])
        row["polygon"] = math.nan if potts else (1 + row["unknowns"]) / (1.5 - 2 / row["colors"])
        row["known off"] = (row["known"] - row["known theory"]) / math.hypot(sem["known"], row["known theory_sem"])
        row["mean off"] = (row["known mean"] - row["known theory mean"]) / math.hypot(row["known mean_sem"], row["known theory mean_sem"], 1e-3)
        row["count off"] = (row["learned"] - row["count"]) / math.hypot(sem["learned"], row["sites alpha_sem"] * (1 + row["unknowns"]) if potts else 0)
        row["draws off"] = (row["learned"] - row["draws"]) / math.hypot(sem["learned"], sem["draws"])
        row["ratio"], row["ratio draws"] = row["learned"] / row["known"], row["draws"] / row["known theory"]
        row["per count"], row["per draws"] = row["learned"] / row["count"], row["learned"] / row["draws"]
    return sorted(rows, key=lambda r: (r["labels"], r["colors"], r["sites"]))


def text_of(row, kind):
    return f"{row[kind]:.2f} +- {row[kind + '_sem']:.2f}"


def spread(values):
    return f"{min(values):.2f} to {max(values):.2f}"


def report(lab):
    rows = combined(lab)
    for row in rows:
        for kind in ("known", "known theory", "known mean", "known theory mean", "sites alpha", "learned", "draws"):
            row[kind + " text"] = text_of(row, kind)
    text = ("V known, largest M / (L - 1) (off: simulation less theory in standard errors; L to infinity: alpha_c of the sites' mean dist^2, for potts "
            "labels with the true U and each site's own fields):\n\n" + tools.markdown(
                {"labels": "labels", "q": "colors", "L": "sites", "sets": "sets", "all sites": "known text", "theory": "known theory text", "off": "known off",
                 "mean over sites": "known mean text", "theory ": "known theory mean text", "off ": "mean off", "L to infinity": "sites alpha text"}, rows,
                {"known off": "{:+.1f}", "mean off": "{:+.1f}"}))
    text += ("\nV learned, largest M / (L - 1) (unknowns: ((q - 1)^2 - 1) / (L (L - 1)); errors are those between data sets, of off at least half a "
             "sequence in each set):\n\n" + tools.markdown(
                 {"labels": "labels", "q": "colors", "L": "sites", "unknowns": "unknowns", "simulation": "learned text", "count": "count", "off": "count off",
                  "count, polygon": "polygon", "draws": "draws text", "off ": "draws off", "learned / known": "ratio", "theory": "ratio draws"}, rows,
                 {"unknowns": "{:.3f}", "count": "{:.2f}", "polygon": "{:.2f}", "count off": "{:+.1f}", "draws off": "{:+.1f}", "ratio": "{:.1f}",
                  "ratio draws": "{:.1f}"}))
    return text + findings(rows)


def findings(rows):
    case = {(r["labels"], r["colors"], r["sites"]): r for r in rows}["potts", 20, 20]
    few = [r for r in rows if r["colors"] < 20]
    many = [r for r in rows if r["colors"] == 20]
    return (f"\n- V known: all sites have to be fitted, and the worst decides. Potts labels, L = 20: sites fit {text_of(case, 'known mean')} in the mean, all of "
            f"them {text_of(case, 'known')}; theory {case['known theory mean']:.2f} and {case['known theory']:.2f}. "
            f"In all cases simulation over theory is {spread([r['known mean'] / r['known theory mean'] for r in rows])} for the mean and "
            f"{spread([r['known'] / r['known theory'] for r in rows])} for all sites.\n"
            f"- V learned: sites share V, so that a site with too many conditions is helped by others. L = 20: {text_of(case, 'learned')}, count {case['count']:.2f}, "
            f"draws {text_of(case, 'draws')}; over V known {case['ratio']:.1f}, theory {case['ratio draws']:.1f}. Worst site and shared V together are "
            "as large as the factor of 3 of the peaks; the peak itself, a test loss, was not computed.\n"
            f"- Simulation over draws is {spread([r['per draws'] for r in few])} for q = 3 to 10 and {spread([r['per draws'] for r in many])} for q = 20. "
            f"Simulation over count is {spread([r['per count'] for r in rows])}. "
            "The errors of two to four data sets are rough. Why draws are above simulation is open: the search, and the assumptions of draws, are hypotheses.\n")


def claims(lab):
    rows = {(r["labels"], r["colors"], r["sites"]): r for r in combined(lab)}
    case = rows["potts", 20, 20]
    return [("more", "cones of labels at finite L explain the factor 3 between peaks with V learned and known",
             "for the largest M that are fitted: with Potts labels, within wide errors; random labels end 6 to 26 per cent below (q = 5 and more). "
             "The peak itself is not computed",
             f"L = q = 20, distance 0.9: V known {text_of(case, 'known')} (theory {case['known theory']:.2f}), V learned {text_of(case, 'learned')} "
             f"(theory {text_of(case, 'draws')}); ratio {case['ratio']:.1f} (theory {case['ratio draws']:.1f})")]


def draw(lab):
    rows = combined(lab)
    figure, (left, right) = tools.figure(1, 2, size=(11, 4.8))
    for labels, color in zip(("random", "potts"), tools.COLORS):
        group = [r for r in rows if r["labels"] == labels]
        for kind, marker in (("known", "o"), ("known mean", "s")):
            left.errorbar([r[kind.replace("known", "known theory")] for r in group], [r[kind] for r in group], [r[kind + "_sem"] for r in group], fmt=marker,
                          ms=5, capsize=2, color=color, label=f"{labels}, {'all sites' if kind == 'known' else 'mean over sites'}")
        for kind, marker in (("draws", "o"), ("count", "x")):
            right.errorbar([r[kind] for r in group], [r["learned"] for r in group], [r["learned_sem"] for r in group], fmt=marker, ms=5, capsize=2, color=color,
                           label=f"{labels}, {kind}")
    for axes, title in ((left, "V known"), (right, "V learned")):
        ends = min(*axes.get_xlim(), *axes.get_ylim()), max(*axes.get_xlim(), *axes.get_ylim())
        axes.plot([max(ends[0], 0.1), ends[1]], [max(ends[0], 0.1), ends[1]], color="gray", lw=1)
        axes.set(xscale="log", yscale="log", xlabel="theory, M / (L - 1)", ylabel="simulation, largest M / (L - 1)", title=title)
        axes.legend()
    return {"learned_count": figure}
