# SPDX-License-Identifier: MIT
"""The part dotattn_crossing of results.py: alpha_c at small omega with an error from the slope of the difference of losses, and averages by
quasi-Monte Carlo beside the quadrature."""
import math
import os
import subprocess
import sys

from results_common import markdown, numbers, root_mean_square, table_rows
from store import Store

SIGMA, LAMBDA = 0.5, 0.01
RHO = SIGMA**2
KEY = ["omega", "alpha", "points", "seed", "solution", "average"]


def branches(results, omega, alphas, accuracy):
    """{(branch, alpha): numbers}, with conjugates."""
    text, _ = results.run("dotattn", "--omega", repr(omega), "--alpha", ",".join(map(repr, alphas)), "--accuracy", accuracy, "--details", "--sigma", SIGMA,
                          "--lambda", LAMBDA, "--progress", "none")
    rows = numbers(text)
    wrong = [r for r in rows if r["solution"] != r["branch"]]
    if wrong:
        raise SystemExit(f"no {wrong[0]['branch']} branch at omega {omega}, alpha {wrong[0]['alpha']}")
    # In the order of the list: the table has fewer digits.
    return {(branch, alpha): row for branch in ("semantic", "positional")
            for alpha, row in zip(alphas, (r for r in rows if r["branch"] == branch))}


def averages_of(row):
    """What the quadrature found for the integrands, from order parameters, conjugates and losses: src/theory/dotattn/two_tokens/equations.hpp backwards."""
    alpha, q, v = row["alpha"], row["q"], row["v"]
    s = math.sqrt(q - row["theta"]**2 / RHO)
    noise = -row["vhat"] * v * s / alpha
    train = (row["et"] - LAMBDA * q / (2 * RHO)) * 2 / (alpha * RHO)
    square = row["qhat"] * v * v / alpha
    return {"square": square, "difference": row["mhat"] * v / alpha, "field": row["thetahat"] * v * RHO / alpha + row["theta"] / s * noise,
            "noise": noise, "train": train, "test": 2 * row["eg"] / RHO, "least": square / (2 * v) + RHO / 2 * train}


def sampled(results, omega, pair):
    """{(solution, average): (mean, standard error)} of two solutions; finished ones come from the store."""
    program = os.path.join(os.path.dirname(results.program), "../tests/theory/theory_table_averages")
    store = Store(os.path.join(results.folder, "dotattn-averages.csv"), KEY, KEY + ["mean", "sem"], "quasi-Monte Carlo: research/results_crossing.py")
    points, seed, alpha = results.pick(40000, 200), 1, f"{pair[0]['alpha']:.6f}"
    key = [omega, alpha, points, seed]

    def known():
        return {(r["solution"], r["average"]): (float(r["mean"]), float(r["sem"])) for r in store.rows()
                if [r[name] for name in KEY[:4]] == [str(x) for x in key]}
    found = known()
    if found:
        return found
    order = [repr(row[name]) for row in pair for name in ("q", "m", "theta", "v")]
    print("  theory_table_averages", points, seed, omega, SIGMA, *order, flush=True)
    text = subprocess.run([program, str(points), str(seed), str(omega), str(SIGMA), *order], check=True, capture_output=True, text=True).stdout
    for row in table_rows(text):
        store.append({**dict(zip(KEY, key)), **row})
    return known()


def compared(omega, pair, means):
    """A row per average and solution: the quadrature, the sample, their distance in standard errors."""
    rows = []
    for solution, row in zip(("first", "second"), pair):
        for name, exact in averages_of(row).items():
            mean, error = means[solution, name]
            rows.append({"omega": omega, "alpha": row["alpha"], "branch": row["branch"], "average": name, "exact": exact, "mean": mean, "sem": error,
                         "off": (mean - exact) / error})
    return rows


def crossing(results, omega):
    """alpha_c where the losses of finer quadratures cross, and its error: that of the losses over the slope of their difference."""
    text, _ = results.run("dotattn", "--omega", omega, "--transition", "--accuracy", results.pick("1e-4", "1e-2"), "--sigma", SIGMA, "--lambda", LAMBDA,
                          "--progress", "none")
    found = numbers(text)[0]
    alpha = found["alpha_c"]
    at = branches(results, omega, (alpha,), results.pick("1e-5", "1e-2"))
    pair = (at["semantic", alpha], at["positional", alpha])
    # d e_t / d alpha = E M, as e_t is stationary in the order parameters.
    slope = averages_of(pair[0])["least"] - averages_of(pair[1])["least"]
    # The quadrature's column is the largest relative change of any number between its last two levels.
    loss_error = sum(row["quadrature"] * row["et"] for row in pair)
    return {"omega": omega, "alpha_c": alpha - (pair[0]["et"] - pair[1]["et"]) / slope, "stated": f"{alpha:.5f} +- {found['error_c']:.0e}", "slope": slope,
            "loss_error": loss_error, "error": loss_error / abs(slope), "pair": pair}


def dotattn_crossing(results):
    if not os.path.exists(os.path.join(os.path.dirname(results.program), "../tests/theory/theory_table_averages")):
        print("dotattn_crossing: left out, theory_table_averages is not there (build with -Dtests=enabled)", file=sys.stderr)
        return False
    rows, averages = [], []
    for omega in results.pick((0, 0.02, 0.04, 0.06, 0.08, 0.1), (0.05,)):
        row = crossing(results, omega)
        if omega in (0, 0.04, 0.1) or results.quick:
            means = sampled(results, omega, row["pair"])
            averages += compared(omega, row["pair"], means)
            # The losses are stationary in the order parameters: the error of E M alone counts.
            mean, error = means["less", "least"]
            row["sampled"] = "{:.4f} +- {:.4f}".format(row["alpha_c"] * (2 - mean / row["slope"]), row["alpha_c"] * error / abs(row["slope"]))
        else:
            row["sampled"] = ""
        rows.append(row)
    for alpha in results.pick((0.55, 0.62), ()):
        found = branches(results, 0, (alpha,), "1e-4")
        pair = (found["semantic", alpha], found["positional", alpha])
        averages += compared(0, pair, sampled(results, 0, pair))
    results.write_csv("dotattn_crossing.csv", ["omega", "alpha_c", "error", "stated", "slope", "loss_error", "sampled"], rows,
                      ["sigma = 0.5, lambda = 0.01, A = [[0.6, 0.4], [0.4, 0.6]]"])
    results.write_csv("dotattn_averages.csv", list(averages[0]), averages)
    results.fill("dotattn_crossing", report_of(rows, averages))


def report_of(rows, averages):
    text = markdown({"omega": "omega", "alpha_c": "alpha_c", "error": "error", "--transition": "stated", "slope of the difference of losses": "slope",
                     "error of both losses": "loss_error", "by quasi-Monte Carlo": "sampled"}, rows,
                    {"alpha_c": "{:.5f}", "error": "{:.1e}", "slope": "{:.3e}", "loss_error": "{:.1e}"})
    # Exactly zero by symmetry, or the same number twice: no evidence.
    off = [r["off"] for r in averages if r["exact"] != 0]
    text += (f"\n{sum(abs(x) <= 3 for x in off)} of {len(off)} averages are within 3 standard errors of 16 shifts, root mean square "
             f"{root_mean_square(off):.1f}, farthest {max(map(abs, off)):.1f}. At omega = 0 on both sides of alpha_c:\n\n")
    table = [{**r, "text": f"{r['mean']:.6g} +- {r['sem']:.1g}", "off": f"{r['off']:+.1f}"} for r in averages
             if r["omega"] == 0 and r["alpha"] in (0.55, 0.62)]
    return text + markdown({"alpha": "alpha", "branch": "branch", "average": "average", "quadrature": "exact", "sampled": "text", "distance": "off"}, table,
                           {"alpha": "{:g}", "exact": "{:.6g}"})
