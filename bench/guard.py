#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the speed of the kernels, as ratios to plain scalar code of the same run, with the ratios in docs/results/ratios.csv.

usage: guard.py BUILD            a line for each ratio that is too low; status 1 if there is one, 77 if nothing can be compared
       guard.py BUILD --store N  measures N times, writes docs/results/ratios.csv (medians, and the extremes of single measurements), and
                                 prints how often a single measurement and three in a row were too low

BUILD is a folder of Meson with bench/ratios, optimised as that of the stored ratios was. Every SIMD target of the machine is measured. A
ratio is too low if each of three measurements in a row is below FLOOR times the stored one on the processor of the stored ratios, and
below ELSEWHERE times it on another one. On another processor a ratio that is too low is a warning, and the status is 0.
"""
import argparse
import collections
import csv
import datetime
import json
import os
import pathlib
import statistics
import subprocess
import sys

from roofline import TARGETS, processor

STORED = pathlib.Path(__file__).resolve().parent.parent / "docs/results/ratios.csv"
FLOOR, ELSEWHERE, TRIES = 0.6, 0.4, 3
CASES = ("gibbs_factored_L20_q20", "gibbs_factored_L256_q20", "gibbs_dense_L20_q21", "gibbs_lattice_32x32_q2", "gibbs_lattice_32x32_q5_matrices",
         "attention_L20_q20_N3000", "plm_gradient_L53_q5_N4757", "encoder_blocks3_L20_q20_d20_N100", "dial_a1_L20_q20_N100", "weights_N2000_L200",
         "pairs_L66_q21_N10000")


def optimization(build):
    options = json.loads((build / "meson-info/intro-buildoptions.json").read_text())
    return next(option["value"] for option in options if option["name"] == "optimization")


def measure(build, target, cases=CASES):
    """{case: ratio}, or nothing if the machine or the library does not have the target."""
    found = subprocess.run([str(build / "bench/ratios"), "--brief", *cases], capture_output=True, text=True, env={**os.environ, "ATP_SIMD": target})
    if found.returncode != 0:
        if "ATP_E_UNSUPPORTED" in found.stderr:
            return {}
        sys.exit(found.stderr)
    rows = csv.DictReader(line for line in found.stdout.splitlines() if not line.startswith("#"))
    return {row["name"]: float(row["ratio"]) for row in rows}


def write(build, ratios, runs):
    with open(STORED, "w", newline="", encoding="utf-8") as file:
        file.write(f"# {datetime.date.today()}, {processor()}, optimization {optimization(build)}, {runs} measurements, load {os.getloadavg()[0]:.1f}\n")
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["target", "case", "ratio", "least", "largest"])
        for (target, case), found in ratios.items():
            out.writerow([target, case, *(f"{x:.3g}" for x in (statistics.median(found), min(found), max(found)))])


def store(build, runs):
    """Writes after each measurement what there is."""
    ratios = collections.defaultdict(list)
    for run in range(1, runs + 1):
        for target in TARGETS:
            for case, ratio in measure(build, target).items():
                ratios[target, case].append(ratio)
        write(build, ratios, run)
        low = {key: [ratio < FLOOR * statistics.median(found) for ratio in found] for key, found in ratios.items()}
        triple = sum(all(flags[k:k + TRIES]) for flags in low.values() for k in range(run - TRIES + 1))
        print(f"{run * len(ratios)} ratios, {sum(map(sum, low.values()))} below {FLOOR} of the median, {triple} times {TRIES} in a row; smallest "
              f"{min(min(found) / statistics.median(found) for found in ratios.values()):.2f} of the median", flush=True)


def load():
    """Processor, optimisation and {target: {case: ratio}}."""
    head, *lines = STORED.read_text(encoding="utf-8").splitlines()
    words = head.removeprefix("# ").split(", ")
    ratios = collections.defaultdict(dict)
    for row in csv.DictReader(lines):
        ratios[row["target"]][row["case"]] = float(row["ratio"])
    return words[1], words[2].split()[1], ratios


def compare(build):
    where, stored_optimization, ratios = load()
    if not (build / "bench/ratios").exists():
        print(f"skipped: there is no {build}/bench/ratios")
        return 77
    if optimization(build) != stored_optimization:
        print(f"skipped: {build} has optimization {optimization(build)}, the stored ratios are of {stored_optimization}")
        return 77
    here = processor() == where
    floor, compared, low = FLOOR if here else ELSEWHERE, 0, 0
    for target, stored in ratios.items():
        found, left = {}, list(stored)
        for _ in range(TRIES):
            found.update({case: max(ratio, found.get(case, 0)) for case, ratio in measure(build, target, left).items()})
            left = [case for case in found if found[case] < floor * stored[case]]
            if not left:
                break
        compared, low = compared + len(found), low + len(left)
        for case in left:
            print(f"{'FAILED' if here else 'warning'}: {target} {case}: {found[case]:.3g} times as fast as plain code, stored {stored[case]:.3g}")
    if not compared:
        print(f"skipped: the machine has none of the targets {', '.join(ratios)}")
        return 77
    print(f"{compared} ratios, {low} below {floor} of the stored ones{'' if here else f', which are of another processor ({where})'}")
    return 1 if low and here else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--store", type=int, metavar="N")
    arguments = parser.parse_args()
    if arguments.store:
        store(arguments.build, arguments.store)
    else:
        return compare(arguments.build)
    return 0


if __name__ == "__main__":
    sys.exit(main())
