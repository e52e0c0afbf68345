#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Site updates a second of sampling in calls of 100 sweeps (L = q = 20, 64 chains, one thread) against bare calls of the C function.

Medians over repeats that take turns."""
import statistics
import time

import attopotts
from attopotts._library import lib


def main(repeats=15, calls=60):
    context = attopotts.Context(threads=1)
    sampler = attopotts.Sampler(attopotts.Model.random(20, 20), chains=64, context=context)
    ways = {"python": lambda: sampler.sweep(100), "c": lambda: lib.atp_sampler_sweep(sampler._open, 100, None, None, None)}
    times = {name: [] for name in ways}
    for _ in range(repeats):
        for name, sweep in ways.items():
            begin = time.process_time()
            for _ in range(calls):
                sweep()
            times[name].append(time.process_time() - begin)
    updates = 100 * calls * 64 * 20
    ours, c = (updates / statistics.median(times[k]) for k in ("python", "c"))
    print(f"python,{ours:.4g},c,{c:.4g},ratio,{ours / c:.3f}")


if __name__ == "__main__":
    main()
