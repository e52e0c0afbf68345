#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How costs grow: exponents of processor time against N, L, q and heads over a decade each, and of time against threads.

usage: growth.py [--full] [CALL...]

A row of the table: a call, the variable, its first and last value, the exponent that fits all values (least squares of logarithms),
those between the first two and the last two values, and the one of the formula. The others stay at N = 2000, L = 60, q = 8, one head
(--full: 10 000, 100, 20); a value is the best of three runs of 0.05 s or more. The exponents of processor time are those of one thread.
Where the last exponent is not that of the formula, the call has left it. Needs the Python package attopotts.

Formulas: energies N L^2; log pseudo-likelihoods and the gradient of dense couplings N L^2 q; a gradient of factored attention N L^2 and
N L q^2, heads times; a Gibbs sweep of dense couplings C L^2 q for C chains; weights N^2 L.
"""
import math
import resource
import sys
import time

import attopotts
import numpy as np

SMALL, FULL = {"N": 2000, "L": 60, "q": 8, "heads": 1}, {"N": 10000, "L": 100, "q": 20, "heads": 1}
DECADE = (1, 1.8, 3.2, 5.6, 10)
EXPECTED = {
    "energies": {"N": 1, "L": 2, "q": 0},
    "log_pseudolikelihoods": {"N": 1, "L": 2, "q": 1},
    "gradient_dense": {"N": 1, "L": 2, "q": 1},
    "gradient_factored": {"N": 1, "L": 2, "q": 1, "heads": 1},
    "gibbs_sweep": {"N": 1, "L": 2, "q": 1},
    "weights": {"N": 2, "L": 1},
}


def alignment(size, context):
    random = np.random.default_rng(1)
    return attopotts.Alignment(random.integers(0, size["q"], (size["N"], size["L"]), dtype=np.uint8), colors=size["q"], context=context)


def dense(size, context):
    random = np.random.default_rng(2)
    sites, colors = size["L"], size["q"]
    couplings = 0.1 * random.normal(size=(sites, colors, sites, colors)).reshape(sites * colors, -1)
    couplings = (couplings + couplings.T).reshape(sites, colors, sites, colors).transpose(0, 2, 1, 3).copy()
    couplings[range(sites), range(sites)] = 0
    return attopotts.Model.dense(couplings, context=context)


def work(call, size, context):
    """A function without arguments that makes the call once."""
    if call in ("energies", "log_pseudolikelihoods"):
        model, states = dense(size, context), alignment(size, context).sequences
        return lambda: getattr(model, call)(states)
    if call == "gibbs_sweep":
        chains = attopotts.Sampler(dense(size, context), chains=size["N"], seed=1, context=context)
        return lambda: chains.sweep(1)
    family = alignment(size, context)
    if call == "weights":
        return lambda: family.weigh(0.2)
    kind = {"family": "dense"} if call == "gradient_dense" else {"family": "factored", "heads": size["heads"]}
    trainer = attopotts.Trainer(family, context=context, **kind)
    return trainer.gradient


def processor():
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime


def cost(call, size, clock, threads=1):
    context = attopotts.Context(threads=threads)
    run = work(call, size, context)
    best, repeats = math.inf, 1
    for _ in range(3):
        while True:
            begin = clock()
            for _ in range(repeats):
                run()
            taken = clock() - begin
            if taken >= 0.05:
                break
            repeats *= 2
        best = min(best, taken / repeats)
    return best


def exponent(values, costs):
    return float(np.polyfit(np.log(values), np.log(costs), 1)[0])


def row(call, variable, values, costs, formula):
    print(f"{call},{variable},{values[0]},{values[-1]},{costs[0]:.3g},{costs[-1]:.3g},{exponent(values, costs):.2f},"
          f"{exponent(values[:2], costs[:2]):.2f},{exponent(values[-2:], costs[-2:]):.2f},{formula}", flush=True)


def main():
    words = [word for word in sys.argv[1:] if word != "--full"]
    base = FULL if "--full" in sys.argv else SMALL
    print("call,variable,first,last,seconds_first,seconds_last,exponent,exponent_first,exponent_last,formula")
    for call, formulas in EXPECTED.items():
        if words and call not in words:
            continue
        for variable, formula in formulas.items():
            # The decade ends at the base, or begins there where the base is small.
            low = base[variable] if variable == "heads" else max(2, base[variable] // (5 if base is FULL else 4))
            values = sorted({max(1, round(low * step)) for step in DECADE})
            row(call, variable, values, [cost(call, {**base, variable: value}, processor) for value in values], formula)
        cores = attopotts.Context().threads
        if cores > 1:
            values = sorted({1, max(2, cores // 2), cores})
            row(call, "threads", values, [cost(call, base, time.monotonic, value) for value in values], -1)


if __name__ == "__main__":
    main()
