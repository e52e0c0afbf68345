#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Where does the semantic branch of dot-product attention begin? Descents from Q* in many dimensions, run by run.

usage: research/results_onset_runs.py [--library build/libattopotts.so] [--store docs/results/dotattn-onset.csv] [--minutes M] [--quick]

One run is one row of the store; what is there is not made again. omega = 0.3, sigma = 0.5, lambda = 0.01, L-BFGS to a gradient of 1e-6, each run
with a teacher and data of its own. Runs with restarts go on 100 times from their lowest minimum, perturbed by as much as its norm. --minutes: begin
no run after so many. --quick: small dimensions, few runs, a store of its own.

`research/results.py --only dotattn_onset` makes the table and the picture of docs/results.md from the store. Needs NumPy (Debian: python3-numpy).
"""
import argparse
import math
import os
import time

import binding
from binding import ROOT
from store import Store

STORE = os.path.join(ROOT, "docs/results/dotattn-onset.csv")
KEY = ["alpha", "d", "restarts", "seed"]
NUMBERS = ["et", "q", "m", "theta", "semantic", "gradient"]
COLUMNS = KEY + NUMBERS + ["seconds"]
ALPHAS = (0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 1.0)
# Dimensions and runs, by restarts.
RUNS = {0: ((100, 256), (200, 192), (400, 128), (800, 128), (1600, 64)), 100: ((100, 64), (200, 64), (400, 64))}


def keys_of(quick):
    for restarts, sizes in ({0: ((50, 8), (100, 6))} if quick else RUNS).items():
        for d, runs in sizes:
            yield from ((alpha, d, restarts, seed) for seed in range(1, runs + 1) for alpha in (ALPHAS[1::3] if quick else ALPHAS))


def made(potts, key):
    alpha, d, restarts, seed = key
    begin = time.process_time()
    table = potts.dotattn.simulate([alpha], dimension=d, start="semantic", runs=1, seed=seed, tolerance=1e-6, test_samples=100, omega=0.3, sigma=0.5,
                                   penalty=0.01, optimizer="lbfgs", steps=5000, **({"restarts": restarts, "perturbation": 1.0} if restarts else {}))
    return {**dict(zip(KEY, key)), **{column: f"{float(table[column][0]):.7g}" for column in NUMBERS}, "seconds": round(time.process_time() - begin, 3)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", default=os.path.join(ROOT, "build/libattopotts.so"))
    parser.add_argument("--store", default=STORE)
    parser.add_argument("--minutes", type=float, default=math.inf)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    if options.quick and os.path.abspath(options.store) == STORE:
        raise SystemExit("--quick needs a --store of its own")
    store, end = Store(options.store, KEY, COLUMNS, "one row a run: research/results_onset_runs.py"), time.monotonic() + 60 * options.minutes
    potts = binding.load(options.library)
    known = {tuple(row[name] for name in KEY) for row in store.rows()}
    for key in keys_of(options.quick):
        if tuple(map(str, key)) in known:
            continue
        if time.monotonic() > end:
            return
        store.append(made(potts, key))


if __name__ == "__main__":
    main()
