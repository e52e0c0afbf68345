#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The parts ising and ising_limit of results.py: learning curves of Ising models, theory beside Gibbs samples.

usage: research/results_ising.py BETA [--program build/cli/attopotts] [--out docs]

Makes the runs of ising_limit at one beta. Finished runs stand in OUT/results/ising_runs.csv and are not made again.
"""
import argparse
import csv
import math
import os
import subprocess
import sys

from results_common import Results, markdown, mean_and_error, root_mean_square, table_rows

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PENALTIES, ALPHAS = ("0.01", "0.1"), ("2", "4")
# beta: {number of spins: number of J}; 0.4 is the beta of the part ising.
MANY = {50: 60, 100: 30, 200: 12, 400: 4}
MODELS = {"0.3": MANY, "0.4": {60: 40, 120: 24}, "0.6": MANY, "0.9": MANY}
SMALL = {"0.3": {12: 4, 16: 4, 24: 4}}  # of --quick
COLUMNS = ("beta", "sites", "model", "lambda", "alpha", "samples", "test", "train")


def helper(results):
    """The program of the tests that draws and learns, or None."""
    program = os.path.join(os.path.dirname(results.program), "../tests/theory/theory_table_ising")
    if os.path.exists(program):
        return program
    print(f"ising: left out, {program} is not there (build with -Dtests=enabled)", file=sys.stderr)
    return None


def print_of(program, *arguments):
    print("  theory_table_ising", *arguments, flush=True)
    return table_rows(subprocess.run([program, *map(str, arguments)], check=True, capture_output=True, text=True).stdout)


def off(row, what, theory):
    return (float(row[what]) - float(row[theory])) / float(row[what + "_sem"])


def ising(results):
    """beta = 0.4, one J of two sizes: both theories for the measured covariance beside samples that the trainer learned from."""
    program = helper(results)
    if not program:
        return False
    rows = print_of(program, "measured", *results.pick((), (2, 12)))
    lines = []
    for name, theory in (("normal given the spin", "_theory"), ("normal on the whole", "_normal")):
        away = {(what, k): off(row, what, what + theory) for k, row in enumerate(rows) for what in ("test", "train")}
        what, k = max(away, key=lambda key: abs(away[key]))
        row = rows[k]
        lines.append(f"- fields {name}: {sum(abs(x) <= 3 for x in away.values())} of {len(away)} averages within 3 standard errors of "
                     f"{row['realisations']} realisations; the farthest, the {what} loss of L = {row['sites']}, lambda = {row['lambda']}, "
                     f"alpha = {row['alpha']}, is {abs(away[what, k]):.1f} standard errors or "
                     f"{100 * abs(float(row[what]) / float(row[what + theory]) - 1):.1f} per cent off\n")
    for row in rows:
        row.update({what + "_away": f"{off(row, what, what + '_theory'):+.1f}" for what in ("test", "train")})
    results.write_csv("ising.csv", list(rows[0]), rows, ["Sherrington-Kirkpatrick models, beta = 0.4; excess of the loss over the true model's; "
                                                         "theory: fields normal given the spin, normal: on the whole"])
    headings = {"L": "sites", "lambda": "lambda", "alpha": "alpha", "test, normal on the whole": "test_normal",
                "test, normal given the spin": "test_theory", "test": "test", "error": "test_sem", "off by": "test_away",
                "training, theory": "train_theory", "training": "train", "error ": "train_sem", "off by ": "train_away"}
    results.fill("ising", "".join(lines) + "\n" + markdown(headings, rows, {}))


# --- the limit of many spins --------------------------------------------------------------------------------------------------------------

def stored(results):
    path = os.path.join(results.folder, "ising_runs.csv")
    if not os.path.exists(path):
        with open(path, "w") as file:
            file.write("# Sherrington-Kirkpatrick models, one data set each; excess of the loss over the true model's, a mean over sites\n" +
                       ",".join(COLUMNS) + "\n")
    with open(path) as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def runs(results, beta):
    """Makes what is missing at one beta."""
    program, done = helper(results), {(r["beta"], r["sites"], r["model"]) for r in stored(results)}
    for sites, count in results.pick(MODELS, SMALL)[beta].items():
        for model in range(1, count + 1):
            if program and (beta, str(sites), str(model)) not in done:
                rows = print_of(program, "drawn", beta, sites, model)
                with open(os.path.join(results.folder, "ising_runs.csv"), "a") as file:
                    file.write("".join(",".join(row[c] for c in COLUMNS) + "\n" for row in rows))


def limit(results, beta, penalty, inputs):
    """{alpha: excess of test and training loss} of the theory for many spins."""
    flags = ["replica", "--loss", "logistic", "--beta", beta, "--lambda", penalty, "--alpha", ",".join(ALPHAS), "--inputs", inputs]
    text = results.run(*flags)[0]
    best = float(text.split("best possible loss ")[1].split()[0].rstrip(";,"))
    return {f"{float(r['alpha']):g}": (float(r["eg"]) - best, float(r["et"]) - best) for r in table_rows(text)}


def compare(results, done, beta, penalty):
    rows = []
    theories = {inputs: limit(results, beta, penalty, inputs) for inputs in ("cavity", "normal")}
    for sites in results.pick(MODELS, SMALL)[beta]:
        for alpha in ALPHAS:
            mine = [r for r in done if (r["beta"], r["sites"], r["lambda"], r["alpha"]) == (beta, str(sites), penalty, alpha)]
            if len(mine) < 2:
                continue
            row = {"beta": beta, "lambda": penalty, "alpha": alpha, "sites": sites, "models": len(mine)}
            for k, what in enumerate(("test", "train")):
                mean, error = mean_and_error([float(r[what]) for r in mine])
                row.update({what: mean, what + "_sem": error})
                for inputs, theory in theories.items():
                    row.update({f"{what}_{inputs}": theory[alpha][k], f"{what}_{inputs}_percent": 100 * (mean / theory[alpha][k] - 1),
                                f"{what}_{inputs}_off": (mean - theory[alpha][k]) / error})
            rows.append(row)
    return rows


def towards_limit(rows):
    """Weighted least squares of a + b / L over the sizes of one cell: a with its error, for the test loss."""
    weights = [1 / r["test_sem"]**2 for r in rows]
    xs, ys = [1 / r["sites"] for r in rows], [r["test"] for r in rows]
    total = sum(weights)
    x0, y0 = (sum(w * v for w, v in zip(weights, values)) / total for values in (xs, ys))
    spread = sum(w * (x - x0)**2 for w, x in zip(weights, xs))
    slope = sum(w * (x - x0) * (y - y0) for w, x, y in zip(weights, xs, ys)) / spread
    return y0 - slope * x0, math.sqrt(1 / total + x0 * x0 / spread), slope


def extrapolated(rows):
    table = []
    for beta in dict.fromkeys(r["beta"] for r in rows):
        for penalty in PENALTIES:
            for alpha in ALPHAS:
                mine = [r for r in rows if (r["beta"], r["lambda"], r["alpha"]) == (beta, penalty, alpha)]
                if len(mine) < 3:
                    continue
                value, error, slope = towards_limit(mine)
                row = {"beta": beta, "lambda": penalty, "alpha": alpha, "sizes": len(mine), "value": value, "error": error,
                       "slope": slope / value}
                for inputs in ("cavity", "normal"):
                    row[inputs] = mine[0][f"test_{inputs}"]
                    row[inputs + "_off"] = (value - row[inputs]) / error
                    row[inputs + "_percent"] = 100 * (value / row[inputs] - 1)
                table.append(row)
    return table


def ising_limit(results):
    """Many J of each size beside the theory for infinitely many spins, and the extrapolation in 1 / L."""
    betas = tuple(results.pick(MODELS, SMALL))
    for beta in betas:
        runs(results, beta)
    done = stored(results)
    rows = [row for beta in betas for penalty in PENALTIES for row in compare(results, done, beta, penalty)]
    results.write_csv("ising_limit.csv", list(rows[0]), rows, ["means over J with standard errors; excess of the loss over the true model's; "
                                                               "cavity, normal: theory for L to infinity, percent and off (in errors) from it"])
    table = extrapolated(rows)
    lines = "".join(f"- fields normal {name}: {sum(abs(r[key + '_off']) <= 3 for r in table)} of {len(table)} extrapolated test losses within 3 "
                    f"standard errors; root mean square {root_mean_square([r[key + '_off'] for r in table]):.2f} standard errors\n"
                    for key, name in (("cavity", "given the spin"), ("normal", "on the whole")))
    headings = {"beta": "beta", "lambda": "lambda", "alpha": "alpha", "given the spin": "cavity", "on the whole": "normal",
                "samples, L to infinity": "value", "error": "error", "off by": "cavity_off", "off by ": "normal_off",
                "per cent": "cavity_percent", "per cent ": "normal_percent", "relative slope in 1/L": "slope"}
    formats = {key: "{:.5f}" for key in ("cavity", "normal", "value", "error")}
    formats.update({key: "{:+.1f}" for key in ("cavity_off", "normal_off", "cavity_percent", "normal_percent", "slope")})
    sizes = {"beta": "beta", "lambda": "lambda", "alpha": "alpha", "L": "sites", "J": "models", "test, given the spin": "test_cavity",
             "test": "test", "error": "test_sem", "per cent": "test_cavity_percent", "training, given the spin": "train_cavity",
             "training": "train", "error ": "train_sem", "per cent ": "train_cavity_percent"}
    shown = {key: "{:.5f}" for key in ("test_cavity", "test", "test_sem", "train_cavity", "train", "train_sem")}
    shown.update({key: "{:+.1f}" for key in ("test_cavity_percent", "train_cavity_percent")})
    results.fill("ising_limit", lines + "\n" + markdown(headings, table, formats) + "\n" + markdown(sizes, rows, shown))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("beta", choices=MODELS)
    parser.add_argument("--program", default=os.path.join(ROOT, "build/cli/attopotts"))
    parser.add_argument("--out", default=os.path.join(ROOT, "docs"))
    arguments = parser.parse_args()
    runs(Results(arguments.program, "", arguments.out, 1), arguments.beta)


if __name__ == "__main__":
    main()
