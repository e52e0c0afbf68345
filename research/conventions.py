# SPDX-License-Identifier: MIT
"""Factored attention in the conventions of AttentionDCA.jl and mogwai, on protein families

*AttentionDCA.jl*: DHFR in the columns of DYR_ECOLI (L = 159), weights at theta 0.2, 32 heads with queries and keys of 23 numbers, a penalty
of 0.001 / L on the couplings, L-BFGS stopped after 250 iterations. *mogwai*: 32 heads, d = 16, a penalty of 0.01 (L - 1)(q - 1) / N on the
norm of all couplings, 1000 steps of Adam with batches of 128, no weights; *penalty* is in parts of the published one. *common*: the share of
the best L/5, L/2 and L pairs, sites 6 or more apart, that dense couplings (weights at theta 0.2, gaps ignored, 250 iterations) have among as
many. bench/mogwai_numpy.py has mogwai's method in NumPy; both agree on the objective to 15 digits.
"""
import math
import re

import lab as tools

SEPARATION, COLORS = 6, 20
FAMILIES = {"6acv": (("structuredca", "6acv_A_29-94.fasta"), [], 66), "DHFR": (("DHFR.a2m",), ["--unknown", "drop", "--focus", "DYR_ECOLI"],
                                                                               159)}
# Penalties in parts of the published one, and rates.
SETTINGS = {"6acv": ((1, 0.001), (0.1, 0.001), (0.1, 0.005), (0, 0.001), (0, 0.005)), "DHFR": ((1, 0.001), (1, 0.005))}
KEY, SHARES = ("family", "penalty", "rate", "epochs"), ("common_fifth", "common_half", "common_all")
AGREE = {"mogwai.csv": tools.Same(KEY, ("loss", "norm", *SHARES, "by_chance"), tolerance=1e-4)}


def best(program, model, sites):
    return [(int(r["i"]), int(r["j"])) for r in program.rows("contacts", model, "--min-separation", SEPARATION, "--top", sites)]


def common(pairs, dense, sites):
    return dict(zip(SHARES, (len(set(pairs[:n]) & set(dense[:n])) / n for n in (sites // 5, sites // 2, sites))))


def learn(program, *arguments):
    """(loss, iterations, outcome, seconds)."""
    _, seconds = program.run("learn", *arguments, "--log", "log.csv")
    notes, rows = program.read("log.csv")
    return float(rows[-1]["train_loss"]), int(rows[-1]["epoch"]), next(n.split(": ")[1] for n in notes if n.startswith("outcome")), seconds


def compute(lab):
    program, heads, rows = tools.Program(lab), [], []
    for family, (path, flags, sites) in lab.pick(FAMILIES, {"6acv": FAMILIES["6acv"]}).items():
        if lab.shared(*path) is None:
            print(f"conventions: left out, {path[-1]} is not in the data folder")
            return False
        data = [lab.shared(*path), "--alphabet", "protein", *flags]
        learn(program, *data, "--theta", 0.2, "--family", "dense", "--gaps", "ignore", "--epochs", 250, "-o", "dense.h5")
        count, dense = int(re.search(r"(\d+) of \d+ sequences", program.messages)[1]), best(program, "dense.h5", sites)
        if family == "DHFR":
            loss, iterations, outcome, _ = learn(program, lab.shared(*path), "--alphabet", "protein", "--focus", "DYR_ECOLI", "--theta",
                                                 0.2,
                                                 "--like", "attentiondca", "--epochs", 250, "--tolerance", 1e-7, "-o",
                                                 "heads.h5")
            pairs = best(program, "heads.h5", sites)
            heads.append({"convention": "attentiondca", "heads": 32, "d": 23, "loss": loss, "iterations": iterations, "outcome": outcome,
                          **common(pairs, dense, sites), "best": " ".join(f"{i}-{j}" for i, j in pairs[:8])})
        short = (0.1, 0.005, 10)  # for --quick
        for part, rate, *few in lab.pick([*SETTINGS[family], *([short] if family == "6acv" else [])], [short]):
            norm = [] if part == 1 else ["--set", f"norm-pairs={part * 0.01 * (sites - 1) * (COLORS - 1) / count!r}"]
            loss, epochs, _, seconds = learn(program, *data, "--like", "mogwai", "--rate", rate, *norm,
                                             *(["--epochs", *few] if few else []),
                                                 "-o", "heads.h5")
            values = program.rows("contacts", "heads.h5", "--min-separation", 1, "--sort", "fn")
            rows.append({"family": family, "penalty": part, "rate": rate, "loss": loss, "epochs": epochs, "cpu_seconds": seconds,
                         "norm": math.sqrt(sum(float(r["fn"])**2 for r in values)),
                         **common(best(program, "heads.h5", sites), dense, sites),
                         "by_chance": sites / ((sites - SEPARATION) * (sites - SEPARATION + 1) / 2)})
    lab.write("mogwai.csv", rows, ["penalty: in parts of the published one"])
    if heads:
        lab.write("heads.csv", heads, ["DHFR.a2m, focus DYR_ECOLI"])
    return True


def report(lab):
    shares = dict(zip(("common L/5", "common L/2", "common L"), SHARES))
    two = {**dict.fromkeys(SHARES, "{:.2f}"), "by_chance": "{:.2f}", "norm": "{:.2f}", "loss": "{:.4f}"}
    return "AttentionDCA.jl, DHFR:\n\n" + tools.markdown(
        {"heads": "heads", "d": "d", "training loss": "loss", "iterations": "iterations", "outcome": "outcome", **shares,
         "best pairs": "best"}, lab.rows("heads.csv"), two) + \
        "\nmogwai:\n\n" + tools.markdown({"family": "family", "penalty": "penalty", "rate": "rate", "epochs": "epochs",
                                          "training loss": "loss", "norm of couplings": "norm",
                                         **shares, "by chance": "by_chance"}, [r for r in lab.rows("mogwai.csv") if r["epochs"] > 10],
                                         two) + \
        ("\nOn 6acv the published penalty shrinks the couplings to nothing: it is on a norm, which is not squared, and its strength falls with the number of "
         "sequences. Without a penalty the couplings fit the training sequences and grow.\n")


def claims(lab):
    row = lab.rows("heads.csv")[0]
    return [("more", "AttentionDCA.jl's convention finds the pairs of dense couplings",
             "holds on DHFR; mogwai's needs a larger rate, and a larger family than 6acv",
             f"{row['common_fifth']:.2f} of the first L/5 pairs, {row['common_all']:.2f} of the first L")]
