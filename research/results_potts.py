# SPDX-License-Identifier: MIT
"""The part potts of results.py: replica theory of q-colour pseudo-likelihood with known V against simulations of several sizes."""
import math

from results_common import markdown, root_mean_square, table_rows

# Number of sites: realisations. The errors of all sizes are then about the same.
REALISATIONS = {3: {20: 2000, 50: 800, 100: 300, 200: 100}, 20: {20: 400, 50: 150, 100: 60}}
# Colours: variances of the teacher's fields, penalties, alphas.
PLANS = {3: ((0.5, 2, 8), (0.01, 0.1, 1), (1, 3)), 20: ((2,), (0.01, 0.1, 1), (0.5, 2))}
# Of --quick.
QUICK = {3: {20: 40, 50: 20}}, {3: ((2,), (0.1,), (1,))}


def compare(results, realisations, colors, variance, penalty, alphas):
    """Theory beside simulation; realisations: {sites: number}."""
    flags = ["replica", "--loss", "potts", "--colors", colors, "--teacher-variance", variance, "--lambda", penalty, "--details",
             "--alpha", ",".join(map(str, alphas))]
    theory = table_rows(results.run(*flags, "--points", results.pick(16384 if colors == 3 else 4096, 1024))[0])
    rows = []
    for sites, count in realisations.items():
        simulated = table_rows(results.run(*flags, "--points", 64, "--sites", sites, "--simulate", count)[0])
        for exact, drawn in zip(theory, simulated):
            row = {"colors": colors, "variance": variance, "lambda": penalty, "sites": sites, "alpha": exact["alpha"],
                   "samples": drawn["samples"], "realisations": count}
            for loss in ("eg", "et"):
                expected, found = float(exact[loss]), float(drawn[loss + "_sim"])
                error = math.hypot(float(drawn[loss + "_sim_sem"]), expected * float(exact["quadrature"]))
                row.update({loss: expected, loss + "_sim": found, loss + "_error": error, loss + "_off": (found - expected) / error,
                            loss + "_ratio": found / expected - 1})
            rows.append(row)
    return rows


def by_sites(rows):
    """A row for each number of colours and of sites: how many losses agree, and how far they are off."""
    table = []
    for colors, sites in sorted({(r["colors"], r["sites"]) for r in rows}):
        mine = [r for r in rows if r["colors"] == colors and r["sites"] == sites]
        row = {"colors": colors, "sites": sites, "realisations": mine[0]["realisations"], "losses": len(mine)}
        for loss in ("eg", "et"):
            row.update({loss + "_within": sum(abs(r[loss + "_off"]) <= 3 for r in mine),
                        loss + "_rms": root_mean_square([r[loss + "_off"] for r in mine]),
                        loss + "_mean": 100 * sum(r[loss + "_ratio"] for r in mine) / len(mine),
                        loss + "_most": 100 * max((r[loss + "_ratio"] for r in mine), key=abs)})
        table.append(row)
    return table


def potts(results):
    rows = []
    realisations, plans = results.pick((REALISATIONS, PLANS), QUICK)
    for colors, (variances, penalties, alphas) in plans.items():
        for variance in variances:
            for penalty in penalties:
                print(f"  potts, q = {colors}, variance {variance}, lambda {penalty}", flush=True)
                rows += compare(results, realisations[colors], colors, variance, penalty, alphas)
    columns = ["colors", "variance", "lambda", "sites", "alpha", "samples", "realisations"]
    columns += [loss + what for loss in ("eg", "et") for what in ("", "_sim", "_error", "_off")]
    results.write_csv("potts.csv", columns, rows, ["attopotts replica --loss potts; alpha p samples, p = sites - 1; error: of simulation "
                                                   "and of theory; off: in such errors"])
    sizes = {"q": "colors", "L": "sites", "realisations": "realisations", "losses": "losses", "test: within 3 errors": "eg_within",
             "rms, errors": "eg_rms", "mean, per cent": "eg_mean", "largest, per cent": "eg_most", "training: within 3 errors": "et_within",
             "rms, errors ": "et_rms", "mean, per cent ": "et_mean", "largest, per cent ": "et_most"}
    formats = {f"{loss}_{what}": "{:.2f}" if what == "rms" else "{:+.2f}" for loss in ("eg", "et") for what in ("rms", "mean", "most")}
    largest = {colors: max(realisations[colors]) for colors in plans}
    shown = [r for r in rows if r["sites"] == largest[r["colors"]]]
    losses = {"q": "colors", "variance": "variance", "lambda": "lambda", "L": "sites", "alpha": "alpha", "test, theory": "eg",
              "test": "eg_sim", "error": "eg_error", "off by": "eg_off", "training, theory": "et", "training": "et_sim",
              "error ": "et_error", "off by ": "et_off"}
    numbers = {key: "{:.5f}" for key in ("eg", "eg_sim", "eg_error", "et", "et_sim", "et_error")}
    results.fill("potts", markdown(sizes, by_sites(rows), formats) + "\nThe largest size of each q:\n\n" +
                 markdown(losses, shown, {**numbers, "eg_off": "{:+.1f}", "et_off": "{:+.1f}"}))
