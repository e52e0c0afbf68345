#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Memory and time of dense pseudo-likelihood on large planted families.

usage: large.py [SEQUENCES SITES [ITERATIONS]]          by default 2000 100, to the default tolerance
       large.py 50000 500                               to 1e-3 of the final objective: the table says when
       large.py 1000000 200 10                          ten iterations

The family: sequences of a Potts model of 21 colours with couplings of 1.5 L random pairs, 50 sweeps from random starts, 10 000 chains at
a time; all weights 1. Prints the bytes that the library foretells, the largest resident set of the process (the alignment and Python
included), and a row for each iteration: objective, how far it is above the last one, seconds and processor seconds since the run began.
The row of the first iteration also has the evaluation of the start, and more of its line search. Needs the Python package attopotts.
"""
import resource
import sys
import time

import attopotts
import numpy as np

COLORS, CHAINS, SWEEPS = 21, 10000, 50


def planted(count, sites):
    random = np.random.default_rng(1)
    pairs = sorted({tuple(sorted(random.choice(sites, 2, replace=False).tolist())) for _ in range(3 * sites // 2)})
    couplings = random.normal(size=(len(pairs), COLORS, COLORS))
    model = attopotts.Model.of_pairs(sites, pairs, couplings, fields=random.normal(size=(sites, COLORS)))
    sequences = np.empty((count, sites), np.uint8)
    for first in range(0, count, CHAINS):
        size = min(CHAINS, count - first)
        chains = attopotts.Sampler(model, chains=size, seed=1 + first)
        chains.sweep(SWEEPS)
        sequences[first:first + size] = chains.states()[:size]
    return attopotts.Alignment(sequences, colors=COLORS)


def resident():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def processor():
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime


def main():
    count, sites = (int(x) for x in sys.argv[1:3]) if len(sys.argv) > 2 else (2000, 100)
    iterations = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
    family = planted(count, sites)
    print(f"# N = {count}, L = {sites}, q = {COLORS}; attopotts {attopotts.version()}; resident before training {resident() / 1e9:.2f} GB")
    foretold = attopotts.Trainer.bytes(count, sites, COLORS, family="dense")
    trainer = attopotts.Trainer(family, family="dense")
    rows, begin = [], (time.monotonic(), processor())

    def keep(progress):
        rows.append((int(progress["step"]), progress["objective"], time.monotonic() - begin[0], processor() - begin[1]))

    outcome = trainer.run(iterations, progress=keep)
    print(f"# {outcome}; training foretold {foretold / 1e9:.2f} GB, resident at most {resident() / 1e9:.2f} GB")
    print("iteration,objective,above_last,seconds,processor_seconds")
    for step, objective, seconds, used in rows:
        print(f"{step},{objective:.1f},{objective / rows[-1][1] - 1:.2e},{seconds:.2f},{used:.2f}")
    if len(rows) > 2:
        later = (rows[-1][2] - rows[0][2]) / (len(rows) - 1)
        print(f"# a later iteration: {later:.3g} s, {(rows[-1][3] - rows[0][3]) / (len(rows) - 1):.3g} processor seconds; "
              f"the first: {rows[0][2] / later:.2g} times")
    near = [row for row in rows if row[1] <= 1.001 * rows[-1][1]]
    if outcome == "converged":
        print(f"# within 1e-3 of the last objective: iteration {near[0][0]}, {near[0][2]:.3g} s")


if __name__ == "__main__":
    main()
