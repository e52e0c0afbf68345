#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Descents of dot-product attention for other widths, penalties, teachers, ranks and optimisers, run by run: each with a teacher and data of its own.

usage: research/results_slices_runs.py [--library build/libattopotts.so] [--store docs/results/dotattn-slices.csv] [--minutes M] [--quick]

One run is one row of the store; what is there is not made again. All have omega = 0.3, sigma = 0.5, lambda = 0.01, the teacher
[[0.6, 0.4], [0.4, 0.6]], rank one and L-BFGS to a gradient of 1e-6, but for what the slice says. --minutes: begin no run after so many. --quick: small
dimensions, few runs, a store of its own.

`research/results.py --only dotattn_slices` makes the tables and the picture of docs/results.md from the store. Needs NumPy (Debian: python3-numpy).
"""
import argparse
import math
import os
import time

import binding
from binding import ROOT
from store import Store

STORE = os.path.join(ROOT, "docs/results/dotattn-slices.csv")
KEY = ["slice", "value", "start", "alpha", "d", "seed"]
NUMBERS = ["eg", "et", "q", "q_least", "m", "theta", "semantic", "gradient", "steps"]
COLUMNS = KEY + NUMBERS + ["outcome", "seconds"]
SKEW = [[0.3, 0.7], [0.8, 0.2]]
VALUES = {"sigma": (0.25, 0.75, 1), "lambda": (0.001, 0.1), "omega": (0, 0.1, 0.5, 0.6, 0.7), "skew": (0.1, 0.3, 0.6)}
BOTH = ("semantic", "positional")


def options_of(name, value):
    """What a slice changes."""
    if name == "sigma":
        return {"sigma": value}
    if name == "lambda":
        return {"penalty": value}
    if name == "omega":
        return {"omega": value}
    if name == "skew":  # its teacher at this omega
        return {"omega": value, "teacher": SKEW}
    if name == "rank":
        return {"student_rank": value}
    return {"optimizer": value, **({"steps": 3000} if value == "adam" else {})}


def keys_of(quick):
    """All runs; the dimensions of rank and optimizer are a scaling in d."""
    d, runs = (60, 3) if quick else (500, 12)
    for name, values in VALUES.items():
        for value in values:
            for start in BOTH + (("mixed", "random") if name == "skew" else ()):
                for alpha in (1.0, 2.0):
                    for seed in range(1, runs + 1):
                        yield name, value, start, alpha, d, seed
    for d in (40, 60) if quick else (250, 500, 1000):
        for alpha in (1.0, 2.0):
            for seed in range(1, (3 if quick else 16) + 1):
                for start in ("random", "mixed"):
                    yield "rank", 2, start, alpha, d, seed
                for value in ("lbfgs", "adam"):
                    yield "optimizer", value, "random", alpha, d, seed


def made(potts, key):
    name, value, start, alpha, d, seed = key
    begin = time.process_time()
    options = {"omega": 0.3, "sigma": 0.5, "penalty": 0.01, "optimizer": "lbfgs", "steps": 5000, **options_of(name, value)}
    table = potts.dotattn.simulate([alpha], dimension=d, start=start, runs=1, seed=seed, tolerance=1e-6, test_samples=2000, **options)
    row = dict(zip(KEY, key), seconds=round(time.process_time() - begin, 3), outcome=int(table["outcome"][0]))
    return {**row, **{column: repr(float(table[column][0])) for column in NUMBERS}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", default=os.path.join(ROOT, "build/libattopotts.so"))
    parser.add_argument("--store", default=STORE)
    parser.add_argument("--minutes", type=float, default=math.inf)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    if options.quick and os.path.abspath(options.store) == STORE:
        raise SystemExit("--quick needs a --store of its own")
    store, end = Store(options.store, KEY, COLUMNS, "one row a run: research/results_slices_runs.py"), time.monotonic() + 60 * options.minutes
    potts = binding.load(options.library)
    known = {tuple(row[name] for name in KEY) for row in store.rows()}
    # The first run of every case before the second of any: an early end leaves fewer runs, not fewer cases.
    for key in sorted(keys_of(options.quick), key=lambda key: key[-1]):
        if tuple(map(str, key)) in known:
            continue
        if time.monotonic() > end:
            return
        store.append(made(potts, key))


if __name__ == "__main__":
    main()
