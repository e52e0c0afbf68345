# SPDX-License-Identifier: MIT
"""Learning curves of Ising models, theory beside Gibbs samples

The pseudo-likelihood of an Ising model is a logistic regression for each site. Sherrington-Kirkpatrick models are sampled by Gibbs sweeps and
learned by the trainer, in theory_table_ising, a program of the tests; numbers are averages over all sites of the excess of the loss over that
of the true model. Fields are normal given the spin (*cavity*), a mixture of two normals on the whole (docs/theory.md, section 9).

*One J at beta = 0.4*: theory has the measured covariance of the spins and the true couplings; errors are those of means over 20 data sets
of one J. *Many J*: theory is that of infinitely many spins and knows neither J nor samples; each J has one data set, and the limit is a
weighted fit of a + b / L to the sizes of a cell. At beta = 0.3 both theories agree; at 0.9 they differ by 1 to 5 per cent, and only fields
that are normal given the spin agree with the samples.
"""
import csv
import os
import subprocess
import sys

import lab as tools

PENALTIES, ALPHAS, INPUTS = (0.01, 0.1), (2, 4), ("cavity", "normal")
MODELS = {0.3: {50: 60, 100: 30, 200: 12, 400: 4}, 0.4: {60: 40, 120: 24}, 0.9: {50: 60, 100: 30, 200: 12}}  # J by beta and spins
KEY = ("beta", "sites", "model", "lambda", "alpha")
AGREE = {"ising_runs.csv": tools.Same(KEY, ("samples", "test", "train"))}


def compute(lab):
    program = os.path.join(os.path.dirname(os.path.abspath(lab.library)), "tests/theory/theory_table_ising")
    if not os.path.exists(program):
        print(f"ising: left out, {program} is not there (build with -Dtests=enabled)", file=sys.stderr)
        return False
    made = {}

    def output(*arguments):
        text = subprocess.run([program, *map(str, arguments)], check=True, capture_output=True, text=True).stdout
        return list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))

    def drawn(beta, sites, model, penalty, alpha):
        if (beta, sites, model) not in made:
            made[beta, sites, model] = {(float(r["lambda"]), float(r["alpha"])): r for r in output("drawn", beta, sites, model)}
        return {name: made[beta, sites, model][penalty, alpha][name] for name in ("samples", "test", "train")}

    keys = [(beta, sites, model, penalty, alpha) for beta, sizes in MODELS.items()
            for sites, count in sizes.items() for model in range(1, count + 1)
            for penalty in PENALTIES for alpha in ALPHAS]
    lab.complete("ising_runs.csv", KEY, [*KEY, "samples", "test", "train"],
                 lab.pick(keys, [k for k in keys if k[:3] in ((0.3, 50, 1), (0.9, 50, 2))]), drawn)
    if not lab.quick:
        lab.write("ising.csv", output("measured"), ["beta = 0.4; excess of the loss over the true model's"])
        lab.write("ising_limit.csv", [row for beta in MODELS for row in limits(lab, beta)],
                  ["excess of the loss over the true model's; L to infinity"])
    return True


def limits(lab, beta):
    """The theory for many spins: an Ising model of labels +-1 has twice the beta and K = [[1, -1], [-1, 1]] / 4."""
    replica, rows = lab.potts.replica, {}
    for inputs in INPUTS:
        spectrum = replica.spin_glass(2 * beta, [[0.25, -0.25], [-0.25, 0.25]], inputs=inputs).spectrum()
        for penalty in PENALTIES:
            table, best = replica.convex(spectrum.eigenvalues, spectrum.projections, ALPHAS, penalty, "logistic", inputs=inputs)
            for k, alpha in enumerate(ALPHAS):
                row = rows.setdefault((penalty, alpha), {"beta": beta, "lambda": penalty, "alpha": alpha})
                row.update({f"test_{inputs}": table["eg"][k] - best, f"train_{inputs}": table["et"][k] - best})
    return rows.values()


def cells(lab):
    """Means over J of each size beside both theories."""
    theory = {(r["beta"], r["lambda"], r["alpha"]): r for r in lab.rows("ising_limit.csv")}
    table = []
    for (beta, penalty, alpha, sites), group in sorted(tools.groups_of(lab.rows("ising_runs.csv"), "beta", "lambda", "alpha",
                                                                       "sites").items()):
        exact = theory[beta, penalty, alpha]
        row = {"beta": beta, "lambda": penalty, "alpha": alpha, "sites": sites, "models": len(group)}
        for what in ("test", "train"):
            row[what], row[what + "_sem"] = tools.mean_and_error([r[what] for r in group])
            row.update({f"{what}_{inputs}": exact[f"{what}_{inputs}"] for inputs in INPUTS})
            row[what + "_percent"] = 100 * (row[what] / row[what + "_cavity"] - 1)
        table.append(row)
    return table


def extrapolated(lab):
    table = []
    for (beta, penalty, alpha), group in tools.groups_of(cells(lab), "beta", "lambda", "alpha").items():
        if len(group) > 2:
            value, error, slope = tools.line([1 / r["sites"] for r in group], [r["test"] for r in group], [r["test_sem"] for r in group])
            row = {"beta": beta, "lambda": penalty, "alpha": alpha, "value": value, "error": error, "slope": slope / value}
            for inputs in INPUTS:
                row.update({inputs: group[0][f"test_{inputs}"], inputs + "_off": (value - group[0][f"test_{inputs}"]) / error})
            table.append(row)
    return table


def report(lab):
    text, table = "One J at beta = 0.4:\n\n", lab.rows("ising.csv")
    for r in table:
        r.update({w + "_off": (r[w] - r[w + "_theory"]) / r[w + "_sem"] for w in ("test", "train")})
    off = [r[w + "_off"] for r in table for w in ("test", "train")]
    text += f"{tools.within(off)} averages are within 3 standard errors, the farthest {max(map(abs, off)):.1f}.\n\n" + tools.markdown(
        {"L": "sites", "lambda": "lambda", "alpha": "alpha", "test, theory": "test_theory", "test": "test", "error": "test_sem",
         "off by": "test_off",
         "training, theory": "train_theory", "training": "train", "error ": "train_sem", "off by ": "train_off"}, table,
        {"test_off": "{:+.1f}", "train_off": "{:+.1f}"})
    table = extrapolated(lab)
    text += "\nMany J, L to infinity:\n\n" + "".join(
        f"- fields normal {name}: {tools.within([r[key + '_off'] for r in table])} extrapolated test losses within 3 standard errors, root mean square "
        f"{tools.root_mean_square([r[key + '_off'] for r in table]):.2f}\n"
        for key, name in (("cavity", "given the spin"), ("normal", "on the whole")))
    five, one = dict.fromkeys(("cavity", "normal", "value", "error", "test", "test_sem", "test_cavity"), "{:.5f}"), dict.fromkeys(
        ("cavity_off", "normal_off", "slope", "test_percent", "train_percent"), "{:+.1f}")
    text += "\n" + tools.markdown({"beta": "beta", "lambda": "lambda", "alpha": "alpha", "given the spin": "cavity",
                                   "on the whole": "normal", "samples": "value",
                                   "error": "error", "off by": "cavity_off", "off by ": "normal_off", "relative slope in 1/L": "slope"},
                                  table, {**five, **one})
    return text + "\nEach size:\n\n" + tools.markdown(
        {"beta": "beta", "lambda": "lambda", "alpha": "alpha", "L": "sites", "J": "models", "test, theory": "test_cavity", "test": "test",
         "error": "test_sem",
         "per cent": "test_percent", "training, per cent": "train_percent"}, cells(lab), {**five, **one})


def claims(lab):
    off = {key: [r[key + "_off"] for r in extrapolated(lab)] for key in INPUTS}
    return [("more", "the theory of Ising models holds for many spins", "holds with fields that are normal given the spin",
             f"{tools.within(off['cavity'])} limits within 3 errors; {tools.within(off['normal'])} with fields normal on the whole")]
