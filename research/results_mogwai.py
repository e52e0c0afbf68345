# SPDX-License-Identifier: MIT
"""The part `mogwai` of results.py: factored attention as mogwai trains it, on a small family and on a larger one, beside dense couplings."""
import math
import os
import re
import resource

from results_common import markdown, table_rows

# name, alignment, flags of reading, sites, penalties on the norm in parts of the published one, rates
FAMILIES = [
    ("6acv", "structuredca/6acv_A_29-94.fasta", [], 66, ((1, 0.001), (0.1, 0.001), (0.1, 0.005), (0, 0.001), (0, 0.005))),
    ("DHFR", "DHFR.a2m", ["--unknown", "drop", "--focus", "DYR_ECOLI"], 159, ((1, 0.001), (1, 0.005))),
]
COLORS, SEPARATION = 20, 6  # gaps are missing data


def best(results, model, sites):
    text, _ = results.run("contacts", model, "--min-separation", SEPARATION, "--top", sites)
    return [(int(row["i"]), int(row["j"])) for row in table_rows(text)]


def norm_of_couplings(results, model):
    """Of all pairs of sites, in the zero-sum gauge."""
    text, _ = results.run("contacts", model, "--min-separation", 1, "--no-apc")
    return math.sqrt(sum(float(row["fn"])**2 for row in table_rows(text)))


def used():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def one(results, common, norm, rate):
    """Row of a training by Adam."""
    begin, flags = used(), [] if norm is None else ["--norm-pairs", norm]
    epochs, _, _ = results.learn(*common, "--attention-convention", "mogwai", "--rate", rate, *flags, *results.pick([], ["--epochs", 2]),
                                 "-o", "heads.h5")
    with open("log.csv") as file:
        loss = float(table_rows(file.read())[-1]["train_loss"])
    return {"rate": rate, "loss": loss, "epochs": epochs, "cpu_seconds": used() - begin}


def rows_of(results, family):
    name, data, flags, sites, settings = family
    path = os.path.join(results.data, data)
    if not os.path.exists(path):
        print(f"  {data} is not in {results.data}: left out", flush=True)
        return
    common = [path, "--alphabet", "protein", *flags]
    results.learn(*common, "--theta", 0.2, "--family", "dense", "--gaps", "ignore", "--epochs", results.pick(250, 5), "-o", "dense.h5")
    count = int(re.search(r"(\d+) of \d+ sequences", results.messages)[1])
    dense = best(results, "dense.h5", sites)
    for share, rate in results.pick(settings, settings[:1]):
        row = one(results, common, None if share == 1 else share * 0.01 * (sites - 1) * (COLORS - 1) / count, rate)
        pairs = best(results, "heads.h5", sites)
        shared = [len(set(pairs[:n]) & set(dense[:n])) / n for n in (sites // 5, sites // 2, sites)]
        chance = sites / ((sites - SEPARATION) * (sites - SEPARATION + 1) / 2)
        yield {"family": name, "penalty": share, **row, "norm": norm_of_couplings(results, "heads.h5"),
               "common_fifth": shared[0], "common_half": shared[1], "common_all": shared[2],
               "by_chance": chance}


def mogwai(results):
    rows = [row for family in results.pick(FAMILIES, FAMILIES[:1]) for row in rows_of(results, family)]
    if not rows:
        return
    results.write_csv("mogwai.csv", list(rows[0]), rows, [
        "penalty: in parts of the published one; common: share of the best L/5, L/2 and L pairs, sites 6 apart or more, that dense couplings "
        "(weights at theta 0.2, gaps missing) have among as many"])
    results.fill("mogwai", markdown(
        {"family": "family", "penalty": "penalty", "rate": "rate", "epochs": "epochs", "training loss": "loss", "norm of couplings": "norm", "common L/5": "common_fifth",
         "common L/2": "common_half", "common L": "common_all", "by chance": "by_chance", "CPU seconds": "cpu_seconds"}, rows,
        {"loss": "{:.4f}", "norm": "{:.2f}", "common_fifth": "{:.2f}", "common_half": "{:.2f}", "common_all": "{:.2f}", "by_chance": "{:.2f}",
         "cpu_seconds": "{:.0f}"}))
