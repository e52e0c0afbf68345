# SPDX-License-Identifier: MIT
"""alpha_c at small omega, and averages by another method

The transition of [the phase diagram](dotattn_transition.md) again from finer quadratures: where the training losses cross, by their
difference and its slope d e_t / d alpha = E M (e_t is stationary in the order parameters); the error is that of both losses over the slope.
*by quasi-Monte Carlo* has the averages from a program of the tests with vectors and a minimisation of its own (theory_table_averages):
40000 points of a shifted lattice, 16 shifts; its error is the standard error over shifts. At omega = 0 all 14 averages are compared on both
sides of alpha_c, and *difference* and *noise* show what this sampling error misses: its minimisation prefers one side where two minima are
nearly equal (a hypothesis).
"""
import csv
import math
import os
import subprocess
import sys

import dotattn_data
import lab as tools

LAMBDA, RHO, POINTS = 0.01, 0.25, 40000
OMEGAS, SAMPLED, SIDES = (0, 0.02, 0.04, 0.06, 0.08, 0.1), (0, 0.04, 0.1), (0.55, 0.62)
KEY = ("omega", "alpha", "points", "seed", "solution", "average")
AGREE = {"dotattn_crossing.csv": tools.Same(("omega",), ("alpha_c", "slope"), tolerance=1e-4)}


def averages_of(row):
    """What the quadrature found for the integrands, from order parameters, conjugates and losses: the saddle-point equations backwards."""
    alpha, q, v = row["alpha"], row["q"], row["v"]
    s = math.sqrt(q - row["theta"]**2 / RHO)
    noise = -row["vhat"] * v * s / alpha
    train = (row["et"] - LAMBDA * q / (2 * RHO)) * 2 / (alpha * RHO)
    square = row["qhat"] * v * v / alpha
    return {"square": square, "difference": row["mhat"] * v / alpha, "field": row["thetahat"] * v * RHO / alpha + row["theta"] / s * noise,
            "noise": noise, "train": train, "test": 2 * row["eg"] / RHO, "least": square / (2 * v) + RHO / 2 * train}


def both_branches(lab, omega, alpha, accuracy):
    return [dotattn_data.branch(lab.potts, b, [alpha], omega=omega, accuracy=accuracy)[0] for b in ("semantic", "positional")]


def sampled(lab, omega, pair):
    """{(solution, average): (mean, standard error)} from the store, or from the program of the tests."""
    alpha = float(f"{pair[0]['alpha']:.6f}")
    program = os.path.join(os.path.dirname(os.path.abspath(lab.library)), "tests/theory/theory_table_averages")

    def known():
        return {(r["solution"], r["average"]): (r["mean"],
                                                r["sem"]) for r in lab.rows("dotattn_averages_runs.csv") if (r["omega"],
                                                                                                             r["alpha"]) == (omega, alpha)}

    if not known() and os.path.exists(program):
        order = [repr(row[name]) for row in pair for name in ("q", "m", "theta", "v")]
        text = subprocess.run([program, str(POINTS), "1", str(omega), "0.5", *order], check=True, capture_output=True, text=True).stdout
        found = {(r["solution"], r["average"]): r for r in csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))}
        lab.complete("dotattn_averages_runs.csv", KEY, [*KEY, "mean", "sem"], [(omega, alpha, POINTS, 1, *key) for key in found],
                     lambda *key: {name: found[key[4:]][name] for name in ("mean", "sem")})
    elif not known():
        print(f"dotattn_crossing: no averages at omega {omega}, {program} is not there (build with -Dtests=enabled)", file=sys.stderr)
    return known()


def crossing(lab, omega):
    """(row, both branches at alpha_c)."""
    found = lab.potts.dotattn.transition([omega], sigma=0.5, penalty=LAMBDA, accuracy=1e-4)
    alpha = float(f"{found['alpha_c'][0]:.10g}")
    pair = both_branches(lab, omega, alpha, lab.pick(1e-5, 1e-4))
    slope = averages_of(pair[0])["least"] - averages_of(pair[1])["least"]
    loss_error = sum(row["quadrature"] * row["et"] for row in pair)
    return {"omega": omega, "alpha_c": alpha - (pair[0]["et"] - pair[1]["et"]) / slope, "error": loss_error / abs(slope),
            "stated": f"{alpha:.5f} +- {found['error_c'][0]:.0e}", "slope": slope, "loss_error": loss_error}, pair


def compute(lab):
    rows, averages = [], []
    for omega in lab.pick(OMEGAS, OMEGAS[2:3]):
        row, pair = crossing(lab, omega)
        rows.append(row)
        if lab.quick or omega not in SAMPLED:
            continue
        if means := sampled(lab, omega, pair):
            mean, error = means["less", "least"]  # the losses are stationary: the error of E M alone counts
            row["sampled"] = "{:.4f} +- {:.4f}".format(row["alpha_c"] * (2 - mean / row["slope"]),
                                                       row["alpha_c"] * error / abs(row["slope"]))
        averages += compared(lab, omega, pair)
    for alpha in lab.pick(SIDES, ()):
        averages += compared(lab, 0, both_branches(lab, 0, alpha, 1e-4))
    lab.write("dotattn_crossing.csv", rows, ["sigma = 0.5, lambda = 0.01"],
              ["omega", "alpha_c", "error", "stated", "slope", "loss_error", "sampled"])
    if averages:
        lab.write("dotattn_averages.csv", averages)


def compared(lab, omega, pair):
    means, rows = sampled(lab, omega, pair), []
    for solution, row in zip(("first", "second"), pair):
        for name, exact in averages_of(row).items():
            if (solution, name) in means:
                mean, error = means[solution, name]
                rows.append({"omega": omega, "alpha": row["alpha"], "branch": row["branch"], "average": name, "exact": exact, "mean": mean,
                             "sem": error,
                             "off": (mean - exact) / error})
    return rows


def report(lab):
    averages = lab.rows("dotattn_averages.csv")
    off = [r["off"] for r in averages if r["exact"] != 0]  # 0 is exact by symmetry
    table = [{**r, "text": f"{r['mean']:.6g} +- {r['sem']:.1g}"} for r in averages if r["omega"] == 0 and r["alpha"] in SIDES]
    return tools.markdown({"omega": "omega", "alpha_c": "alpha_c", "error": "error", "of the phase diagram": "stated", "slope": "slope",
                           "by quasi-Monte Carlo": "sampled"}, lab.rows("dotattn_crossing.csv"),
                          {"alpha_c": "{:.5f}", "error": "{:.1e}", "slope": "{:.3e}"}) + \
        (f"\n{tools.within(off)} averages are within 3 standard errors of 16 shifts, root mean square {tools.root_mean_square(off):.1f}, farthest "
         f"{max(map(abs, off)):.1f}. At omega = 0 on both sides of alpha_c:\n\n") + tools.markdown(
            {"alpha": "alpha", "branch": "branch", "average": "average", "quadrature": "exact", "sampled": "text", "distance": "off"},
             table,
            {"exact": "{:.6g}", "off": "{:+.1f}"})


def claims(lab):
    averages = lab.rows("dotattn_averages.csv")
    return [("more", "quasi-Monte Carlo gives the averages of the quadrature", "holds but for two averages of symmetry",
             f"{tools.within([r['off'] for r in averages if r['exact'] != 0])} within 3 standard errors")]
