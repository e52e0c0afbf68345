#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Descents of dot-product attention in d dimensions against the theory of many, run by run: each with a teacher and data of its own.

usage: research/results_positional.py [--library build/libattopotts.so] [--store docs/results/dotattn-runs.csv] [--minutes M]
       [--dimensions D,...] [--cases K,...] [--quick]

One run is one row of the store; what is there is not made again. L-BFGS descends from the solution, or from its direction with a scale of
1/sqrt(d); then each run is perturbed and descends again, several times, and the lowest minimum counts. --minutes: begin no run after so
many. --quick: small dimensions, few runs, a store of its own.

`research/results.py --only dotattn_positional` makes the table of docs/results.md from the store. Needs NumPy (Debian: python3-numpy).
"""
import argparse
import math
import os
import time

import binding
from binding import ROOT
from store import Store

STORE = os.path.join(ROOT, "docs/results/dotattn-runs.csv")
KEY = ["start", "scale", "alpha", "d", "seed", "restarts", "perturbation"]
NUMBERS = ["eg", "et", "q", "m", "theta", "semantic", "gradient", "steps"]
COLUMNS = KEY + NUMBERS + ["outcome", "seconds"]
PROBLEM = {"omega": 0.3, "sigma": 0.5, "penalty": 0.01}
# Dimension: runs. Together about an hour of one core, most of it for the last line.
SIZES = {250: 64, 500: 64, 1000: 64, 2000: 64, 4000: 24}
# Start, scale of the start (None: 1/sqrt(d)), restarts, size of the perturbation.
CASES = (("positional", 1, 0, 0.3), ("positional", 1, 5, 0.3), ("positional", None, 5, 0.3), ("semantic", 1, 5, 0.3), ("positional", 1, 5, 1.0))


def keys_of(sizes):
    """All runs, the small dimensions first."""
    for d, runs in sizes.items():
        for start, scale, restarts, perturbation in map(named, CASES):
            for alpha in (1.5, 2.0):
                for seed in range(1, runs + 1):
                    yield start, scale, alpha, d, seed, restarts, perturbation


def named(case):
    """A line of CASES as keys have it."""
    start, scale, restarts, perturbation = case
    return start, "1/sqrt(d)" if scale is None else scale, restarts, perturbation


def made(potts, key):
    start, scale, alpha, d, seed, restarts, perturbation = key
    begin = time.process_time()
    table = potts.dotattn.simulate([alpha], dimension=d, start=start, optimizer="lbfgs", runs=1, seed=seed, steps=5000, tolerance=1e-7,
                                   test_samples=4000, restarts=restarts, perturbation=perturbation,
                                   start_scale=1 / math.sqrt(d) if isinstance(scale, str) else scale, **PROBLEM)
    row = dict(zip(KEY, key), seconds=round(time.process_time() - begin, 3), outcome=int(table["outcome"][0]))
    return {**row, **{name: repr(float(table[name][0])) for name in NUMBERS}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", default=os.path.join(ROOT, "build/libattopotts.so"))
    parser.add_argument("--store", default=STORE)
    parser.add_argument("--minutes", type=float, default=math.inf)
    parser.add_argument("--dimensions", help="only these, with commas; all runs of one seed before the next seed")
    parser.add_argument("--cases", help="only these lines of CASES, from 0, with commas")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    if options.quick and os.path.abspath(options.store) == STORE:
        raise SystemExit("--quick needs a --store of its own")
    store, end = Store(options.store, KEY, COLUMNS, "one row a run: research/results_positional.py"), time.monotonic() + 60 * options.minutes
    potts = binding.load(options.library)
    known = {tuple(row[name] for name in KEY) for row in store.rows()}
    keys = list(keys_of({60: 3, 120: 3} if options.quick else SIZES))
    if options.dimensions:
        chosen = [int(d) for d in options.dimensions.split(",")]
        keys = sorted((key for key in keys if key[3] in chosen), key=lambda key: key[4])
    if options.cases:
        chosen = {named(CASES[int(k)]) for k in options.cases.split(",")}
        keys = [key for key in keys if (*key[:2], *key[5:]) in chosen]
    for key in keys:
        if tuple(map(str, key)) in known:
            continue
        if time.monotonic() > end:
            return
        store.append(made(potts, key))


if __name__ == "__main__":
    main()
