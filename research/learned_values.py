# SPDX-License-Identifier: MIT
"""Why the peak with V learned lies at more sequences than with V known: the best V, and small L

All sites share V. As L -> infinity at fixed q its q^2 numbers cost nothing: V extremises the free energy of a site, and at a vanishing
penalty labels can be fitted up to the largest threshold alpha_c(V) of all V (docs/theory.md, section 22). Theory: V = R B, R the points of
frequencies k = 1, 2, ... on a circle with the weights k^-p, from the simplex (p = 0, isotropic, as V known) to the polygon (p infinite).
Labels are random, or those of an isotropic teacher of variance rho (6.5: an optimal loss of 1.46, as at distance 0.9); errors are those of
the draws. *Linear programming*: the polygon, n = 60, as in [separability](separability.md).

Ascents: of alpha_c(V) over all q^2 numbers of V, by Adam with 400 fresh draws in each of 2000 steps (700 for q <= 5) and steps that shrink;
thresholds are those of 10000 other draws. Starts: isotropic, polygon, beside the polygon (0.003 normal noise on entries of about 1, small
steps), the teacher's, random. Teacher: isotropic, or one Gaussian matrix. A weaker covariance of the student's fields with the teacher's is another V.

Simulation, q = 20: the largest M whose training loss L-BFGS brings below 0.01, penalties of 1e-6 on |A|^2 and |V|^2, at most 1000
iterations, by bisection in nested data sets. *random*: independent uniform sequences; *potts*: Gibbs samples of Gaussian J and U at
beta of distance 0.9. V known is U (for random labels a Gaussian matrix), V learned begins with the wide start of [peak](peak.md), or (L = 20) at the polygon.
"""
import math
import sys

import cones
import lab as tools
import potts_data
from separability import largest, separable

SCIPY = "left out, SciPy is not there (Debian: python3-scipy)"
RANDOM, TEACHER = ((3, 0.0), (5, 0.0), (20, 0.0)), ((20, 6.5),)
POWERS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)                  # weights k^-p of frequencies
TILTS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.7)
NOISES = (0.0, 0.001, 0.003, 0.01, 0.03)
DRAWS, TRIALS, SIZE = 3000, 20, 60
COUNTS = {20: 5, 40: 3}                                   # data sets by L
KINDS = ("known", "learned", "polygon")
KEY = ("labels", "sites", "set", "values")
ASCENTS = {(3, 0.0, "isotropic"): ("isotropic", "random"), (5, 0.0, "isotropic"): ("isotropic", "polygon", "random"),
           (10, 0.0, "isotropic"): ("polygon", "random"), (20, 0.0, "isotropic"): ("isotropic", "polygon", "beside the polygon", "random"),
           (3, 6.5, "isotropic"): ("isotropic", "polygon", "random"), (5, 6.5, "isotropic"): ("isotropic", "polygon", "random"),
           (20, 6.5, "isotropic"): ("isotropic", "polygon", "random"), (20, 6.5, "gaussian"): ("teacher", "isotropic", "polygon", "random")}
CLIMB = ("colors", "rho", "teacher", "start")
SAME_CLIMB = tools.Same(CLIMB, within={"alpha_c": "error", "teacher_alpha_c": "teacher_error"})
AGREE = {"learned_values.csv": tools.Same(("colors", "rho", "power"), within={"alpha_c": "error"}), "learned_values_ascents.csv": SAME_CLIMB}


# --- theory --------------------------------------------------------------------------------------------------------------------------------

def frequencies(np, colors, power):
    """(R, G) [q, d]: G has orthonormal columns, R = G times weights."""
    t, columns, weights = 2 * math.pi * np.arange(colors) / colors, [], []
    for k in range(1, colors // 2 + 1):
        for wave in (np.cos(k * t), np.sin(k * t)):
            if wave @ wave > 1e-6:
                columns.append(wave / math.sqrt(wave @ wave))
                weights.append(0.0 if power == math.inf and k > 1 else 1.0 if power == math.inf else k**-power)
    keep = np.array(weights) > 0
    basis = np.stack(columns, 1)[:, keep]
    return basis * np.array(weights)[keep], basis


def squared_distance(np, omega, normals):
    """Of omega from the cone where normals @ u >= 0; by Moreau's theorem from its polar cone."""
    from scipy.optimize import nnls
    return max(omega @ omega - nnls(-normals.T, omega, maxiter=1000)[1]**2, 0.0)


def threshold(np, colors, rho, power, draws):
    """alpha_c, its error, and the teacher's weight a in the best w: 1 / alpha_c = min_a E dist^2(a G^T nu + xi, cone of y)."""
    generator = np.random.default_rng(3)
    r, basis = frequencies(np, colors, power)
    nu = math.sqrt(rho) * generator.standard_normal((draws, colors))
    y, xi = (nu + generator.gumbel(size=nu.shape)).argmax(1), generator.standard_normal((draws, r.shape[1]))
    cones = [r[c] - np.delete(r, c, 0) for c in range(colors)]
    best = None
    for tilt in TILTS if rho else (0.0,):
        omega = tilt * nu @ basis + xi
        mean, error = tools.mean_and_error([squared_distance(np, omega[i], cones[y[i]]) for i in range(draws)])
        if best and 1 / mean < best[0]:
            break
        best = 1 / mean, error / mean**2, tilt
    return best


def polygon_programming(np, linprog, colors, generator):
    """The largest M / n that the polygon fits, random labels: two neighbours bound each cone."""
    r, _ = frequencies(np, colors, math.inf)
    x, y = generator.standard_normal((4 * SIZE, 2, SIZE)), generator.integers(colors, size=4 * SIZE)

    def test(samples):
        rows = np.concatenate([np.einsum("md,mdn->mn", r[(y[:samples] + side) % colors] - r[y[:samples]], x[:samples]) for side in (1, -1)])
        return separable(linprog, (rows / np.linalg.norm(rows, axis=1, keepdims=True)).tolist(), SIZE)

    return largest(test) / SIZE


def start_of(np, generator, colors, teacher, start):
    if start == "random":
        return generator.standard_normal((colors, colors - 1))
    if start in ("isotropic", "teacher"):
        return cones.basis(np, colors) if start == "isotropic" else teacher
    r, orthonormal = frequencies(np, colors, math.inf)
    flat = cones.scaled(np, r @ orthonormal.T @ cones.basis(np, colors))
    return flat + (0.003 * generator.standard_normal(flat.shape) if start == "beside the polygon" else 0)


def ascent(lab, np, colors, rho, law, start):
    """Of alpha_c over all V, from a start; thresholds of where it ends and of the teacher's V are those of fresh draws."""
    generator = np.random.default_rng([colors, int(10 * rho), len(start)])
    basis = cones.basis(np, colors)
    teacher = cones.scaled(np, basis if law == "isotropic" else np.random.default_rng(11).standard_normal((colors, colors)) @ basis)
    tilt, steps, rates = 0.4 if rho else 0.0, lab.pick(2000 if colors > 5 else 700, 200), (1e-3, 1e-5) if "beside" in start else (0.05, 2e-4)
    r, tilt = cones.ascend(np, generator, rho, teacher, start_of(np, generator, colors, teacher, start), tilt, steps, rates=rates)
    draws = lab.pick(10000, 2000)
    alpha, error = cones.threshold(np, np.random.default_rng(5), draws, rho, teacher, r, tilt)
    own = max(cones.threshold(np, np.random.default_rng(5), draws, rho, teacher, teacher, a) for a in ((0.35, 0.4, 0.45, 0.5, 0.6) if rho else (0,)))
    return {"alpha_c": alpha, "error": error, "tilt": abs(tilt), "directions": cones.directions(np, r), "teacher_alpha_c": own[0], "teacher_error": own[1],
            "overlap": abs((r * teacher).sum()) / np.linalg.norm(r) / np.linalg.norm(teacher)}


# --- simulation ----------------------------------------------------------------------------------------------------------------------------

def sequences_of(lab, np, labels, sites, number, most):
    """(sequences, V known, J)."""
    truth = lab.potts.Model.random(sites=sites, colors=20, couplings="gaussian", color_matrix="gaussian", seed=number)
    if labels == "random":
        return np.random.default_rng(100 * sites + number).integers(20, size=(most, sites)).astype(np.uint8), truth.values[0], None
    truth.beta = potts_data.truth_at(lab.potts, "gaussian", 0.9, 1 + (number - 1) % 5).beta
    sampler = lab.potts.Sampler(truth, chains=most, seed=number)
    sampler.sweep(1000)
    return sampler.sample(most, thin=1).sequences, truth.values[0], truth.maps[0]


def fitted(lab, np, sequences, kind, values):
    """Whether the training loss falls below 0.01."""
    options = {"l2_couplings": 1e-6, "epochs": 1000, "tolerance": 1e-7, "history": 30, "precision": 64}
    data = lab.potts.Alignment(sequences, 20)
    if kind == "known":
        trainer = lab.potts.Trainer(data, colors_fixed=True, **options)
        trainer.set_values(values[None])
    else:
        trainer = lab.potts.Trainer(data, l2_colors=1e-6, **options)
        if kind == "learned":
            trainer.start_wide(4)
        else:
            r, basis = frequencies(np, 20, math.inf)
            start = trainer.parameters.copy()
            start[trainer.parts["values"]] = (r @ basis.T).reshape(-1) * math.sqrt(10)
            trainer.parameters = start
    trainer.run()
    return trainer.gradient().loss < 0.01


def compute(lab):
    try:
        import numpy as np
        from scipy.optimize import linprog
    except ImportError:
        print("learned_values: left out, SciPy is not there (Debian: python3-scipy)", file=sys.stderr)
        return False
    rows = []
    for colors, rho in lab.pick((*RANDOM, *TEACHER), RANDOM[:1]):
        for power in (*POWERS, math.inf) if colors == 20 else (0.0, math.inf):
            row = dict(zip(("alpha_c", "error", "tilt"), threshold(np, colors, rho, power, lab.pick(DRAWS, 1000))))
            if power == math.inf and rho == 0 and not lab.quick:
                generator = np.random.default_rng(colors)
                row["linear"], row["linear_error"] = tools.mean_and_error([polygon_programming(np, linprog, colors, generator) for _ in range(TRIALS)])
            rows.append({"colors": colors, "rho": rho, "power": power, **row})
    lab.write("learned_values.csv", rows, ["power: weights k^-power of frequencies; inf: the polygon; tilt: the teacher's weight"],
              ["colors", "rho", "power", "alpha_c", "error", "tilt", "linear", "linear_error"])
    keys = [(*problem, start) for problem, starts in ASCENTS.items() for start in starts]
    lab.complete("learned_values_ascents.csv", CLIMB, [*CLIMB, "alpha_c", "error", "tilt", "directions", "teacher_alpha_c", "teacher_error", "overlap"],
                 lab.pick(keys, keys[1:2]), lambda *key: ascent(lab, np, *key))
    if not lab.quick:
        lab.write("learned_values_noise.csv", [noisy_polygon(np, noise) for noise in NOISES], ["q = 20: a polygon with normal noise on all numbers of V"])
        run_sets(lab, np)
    return True


def noisy_polygon(np, noise):
    generator, basis = np.random.default_rng(11), cones.basis(np, 20)
    r = start_of(np, generator, 20, None, "polygon")
    alpha, error = cones.threshold(np, np.random.default_rng(3), DRAWS, 0, basis, r + noise * generator.standard_normal(r.shape), 0)
    return {"noise": noise, "alpha_c": alpha, "error": error}


def run_sets(lab, np):
    made = {}

    def run(labels, sites, number, kind):
        if (labels, sites, number) not in made:
            made.clear()
            made[labels, sites, number] = sequences_of(lab, np, labels, sites, number, 4 * sites)
        sequences, values, _ = made[labels, sites, number]
        return {"largest": largest(lambda m: m <= len(sequences) and fitted(lab, np, sequences[:m], kind, values))}

    keys = [(labels, sites, number, kind) for sites, count in COUNTS.items() for number in range(1, count + 1) for labels in ("potts", "random")
            for kind in (KINDS if sites == 20 else KINDS[:2])]
    lab.complete("learned_values_runs.csv", KEY, [*KEY, "largest"], keys, run)


# --- the page ------------------------------------------------------------------------------------------------------------------------------

def name_of(power):
    return "isotropic" if power == 0 else "polygon" if power == math.inf else f"k^-{power:g}"


def means(lab):
    """Rows by labels and L: largest M / (L - 1) of each kind, and ratios to V known."""
    rows = []
    for (labels, sites), group in tools.groups_of(lab.rows("learned_values_runs.csv"), "labels", "sites").items():
        found = {kind: {r["set"]: r["largest"] for r in group if r["values"] == kind} for kind in KINDS}
        kinds = [kind for kind in KINDS if found[kind]]
        sets = [s for s in found["known"] if all(s in found[kind] for kind in kinds)]
        row = {"labels": labels, "sites": sites, "sets": len(sets), "numbers": 1 + 400 / (sites * (sites - 1))}
        for kind in kinds:
            row[kind], row[kind + "_sem"] = tools.mean_and_error([found[kind][s] / (sites - 1) for s in sets])
        for kind in kinds[1:]:
            mean, error = tools.mean_and_error([math.log(found[kind][s] / found["known"][s]) for s in sets])
            row[kind + "_ratio"], row[kind + "_ratio_error"] = math.exp(mean), math.exp(mean) * error
        rows.append(row)
    return rows


def limits(lab):
    """{rho: (alpha_c isotropic, its error, largest alpha_c of the family, its error)} for q = 20."""
    found = {}
    for (rho,), rows in tools.groups_of([r for r in lab.rows("learned_values.csv") if r["colors"] == 20], "rho").items():
        best, known = max(rows, key=lambda r: r["alpha_c"]), next(r for r in rows if r["power"] == 0)
        found[rho] = known["alpha_c"], known["error"], best["alpha_c"], best["error"]
    return found


def report(lab):
    table = [{**r, "name": name_of(r["power"]), "text": f"{r['alpha_c']:.3f} +- {r['error']:.3f}",
              "exact": 1 / (1.5 - 2 / r["colors"]) if r["power"] == math.inf and r["rho"] == 0 else math.nan,
              "program": "" if math.isnan(r["linear"]) else f"{r['linear']:.3f} +- {r['linear_error']:.3f}"} for r in lab.rows("learned_values.csv")]
    text = "Thresholds alpha_c(V) as L -> infinity (rho = 0: random labels; a: the teacher's weight in w):\n\n" + tools.markdown(
        {"q": "colors", "rho": "rho", "V": "name", "alpha_c": "text", "1 / (3/2 - 2/q)": "exact", "linear programming": "program", "a": "tilt"}, table,
        {"exact": "{:.3f}"})
    climbs = [{**r, "text": f"{r['alpha_c']:.3f} +- {r['error']:.3f}", "own": f"{r['teacher_alpha_c']:.3f} +- {r['teacher_error']:.3f}" if r["rho"] else ""}
              for r in lab.rows("learned_values_ascents.csv")]
    climbs.sort(key=lambda r: (r["rho"], r["colors"], r["teacher"], r["start"]))
    text += ("\nWhere ascents over all numbers of V end (fields: (sum of squared singular values of V)^2 / sum of their squares; overlap: of V with the "
             "teacher's):\n\n" + tools.markdown({"q": "colors", "rho": "rho", "teacher": "teacher", "start": "start", "alpha_c": "text", "fields": "directions",
                                                 "a": "tilt", "teacher's V": "own", "overlap": "overlap"},
                                                [{**r, "overlap": r["overlap"] if r["rho"] else math.nan} for r in climbs],
                                                {"directions": "{:.2f}", "tilt": "{:.2f}", "overlap": "{:.3f}"}))
    rows = means(lab)
    text += "\nLargest M / (L - 1) that is fitted, q = 20 (ratios: geometric means over data sets):\n\n" + tools.markdown(
        {"labels": "labels", "L": "sites", "sets": "sets", "V known": "known", "error": "known_sem", "V learned": "learned", "error ": "learned_sem",
         "from the polygon": "polygon", "error  ": "polygon_sem", "ratio learned": "learned_ratio", "error   ": "learned_ratio_error", "ratio polygon": "polygon_ratio",
         "error    ": "polygon_ratio_error", "ratio of unknowns": "numbers"}, rows,
        {x + y: "{:.2f}" for x in (*KINDS, "numbers") for y in ("", "_sem", "_ratio", "_ratio_error")})
    (known, known_error, best, best_error), (known2, _, best2, _) = limits(lab)[0.0], limits(lab)[6.5]
    error = best / known * math.hypot(known_error / known, best_error / best)
    random, taught = ([r for r in climbs if (r["colors"], r["rho"]) == (20, rho)] for rho in (0.0, 6.5))
    free = [r["alpha_c"] for r in random if r["start"] != "beside the polygon"]
    noise = ", ".join(f"{r['noise']:g}: {r['alpha_c']:.2f} +- {r['error']:.2f}" for r in lab.rows("learned_values_noise.csv"))
    gains = [r["alpha_c"] / r["teacher_alpha_c"] for r in taught]
    return text + (f"\n- L -> infinity, random labels: the best V of the family fits {best / known:.2f} +- {error:.2f} times as many sequences "
                   "as an isotropic V, because a polygon asks for two fields instead of 19.\n"
                   f"- Ascents over all numbers of V, random labels, q = 20: they end at {min(free):.2f} to {max(free):.2f} with about three fields, even if they "
                   "leave the polygon with large steps. Beside the polygon small steps end at it: it is a narrow local maximum, with noise "
                   f"on its entries {noise}. For q = 5 all starts end at the polygon's.\n"
                   f"- Ascents, labels of a teacher as at distance 0.9 (q = 20): all starts end at the teacher's V, overlap {min(r['overlap'] for r in taught):.3f} "
                   f"to {max(r['overlap'] for r in taught):.3f}, at {min(gains):.2f} to {max(gains):.2f} of its threshold (errors 0.02 each); within the family the "
                   f"ratio is {best2 / known2:.2f}. As L -> infinity there is no factor of 3 for any V that was found.\n"
                   "- Simulation: the ratio falls from L = 20 to 40 for both labels. [Cones at finite L](learned_count.md) have such ratios.\n")


def claims(lab):
    rows = {(r["labels"], r["sites"]): r for r in means(lab)}
    limit = limits(lab)
    numbers = []
    for sites in COUNTS:
        row = rows["potts", sites]
        error = "one data set" if row["sets"] == 1 else f"+- {row['learned_ratio_error']:.1f}"
        numbers.append(f"{row['learned_ratio']:.1f} {error} (L = {sites})")
    return [("more", "replica theory with the best V explains the factor 3 between peaks with V learned and known",
             "does not hold: the theory of many sites has no such factor at distance 0.9, for any V that ascents find",
             f"largest M fitted, learned over known: theory {limit[6.5][2] / limit[6.5][0]:.2f} (random labels {limit[0.0][2] / limit[0.0][0]:.2f}); "
             f"simulation {', '.join(numbers)}")]


def draw(lab):
    figure, (left, right) = tools.figure(1, 2, size=(11, 4.8))
    for (rho,), rows in tools.groups_of([r for r in lab.rows("learned_values.csv") if r["colors"] == 20], "rho").items():
        left.errorbar(range(len(rows)), [r["alpha_c"] for r in rows], [r["error"] for r in rows], fmt="o-", ms=4, capsize=2,
                      label="random labels" if rho == 0 else f"teacher, rho = {rho:g}")
        left.set_xticks(range(len(rows)), [name_of(r["power"]) for r in rows], rotation=30)
    for (labels,), rows in tools.groups_of(means(lab), "labels").items():
        right.errorbar([1 / r["sites"] for r in rows], [r["learned_ratio"] for r in rows], [r["learned_ratio_error"] for r in rows], fmt="o-", ms=4, capsize=2,
                       label=labels)
    right.plot([0, 0], [value[2] / value[0] for value in limits(lab).values()], "x", color="black", label="theory")
    left.set(xlabel="V", ylabel="threshold alpha_c(V)", title="q = 20, L to infinity")
    right.set(xlabel="1 / L", ylabel="largest M, V learned over V known", title="q = 20")
    left.legend()
    right.legend()
    return {"learned_values": figure}
