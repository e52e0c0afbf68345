#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Processor time of sampling runs with replica exchange until R-hat of the overlaps is at most 1.01, for choices of the ladder.

usage: exchange.py [--sites L] [--colors Q] [--beta BETA] [--model NUMBER] [--runs N] [KEY=VALUE,...]...

Random model NUMBER (1) of L sites and Q colours (20, 20), its beta tuned to a mean Hamming distance of 0.3, or the one given. Each further
argument is a choice: options of a sampling run with commas between; "" is the default. By default: "" and beta-hot=-1. A run draws 64
ladders for 128 read-outs. R-hat of the overlaps of its first 8, 10, 12, 16, ... read-outs tells how many suffice for 1.01; the row has
the processor time of a run of so many, by its share of the sweeps (pilot runs have a quarter of the ladders), and the ladder, burn-in
and thinning. Runs of different choices take turns; the last line has the ratio of their sums. Needs the Python package attopotts.
"""
import argparse
import resource

import attopotts

LADDERS = 64
ROUNDS = [8, 10, 12, 16, 20, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128]
PILOTS = 1500 / 4


def processor():
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime


def values(words):
    pairs = (word.split("=") for word in words.split(",") if word)
    return {key.replace("-", "_"): float(value) if "." in value else int(value) for key, value in pairs}


def until_converged(model, context, seed, options):
    begin = processor()
    run = attopotts.sample_equilibrium(model, LADDERS * ROUNDS[-1], context=context, seed=seed, **options)
    used = processor() - begin
    numbers, sequences = run.numbers, run.alignment.sequences
    for rounds in ROUNDS:
        rhat = attopotts.overlap_rhat(sequences[:LADDERS * rounds], LADDERS, context=context)
        if rhat <= 1.01:
            break
    before = PILOTS + numbers["burn_in"]
    share = (before + numbers["thin"] * rounds) / (before + numbers["thin"] * ROUNDS[-1])
    return used * share, rounds, rhat, run


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sites", type=int, default=20)
    parser.add_argument("--colors", type=int, default=20)
    parser.add_argument("--beta", type=float)
    parser.add_argument("--model", type=int, default=1)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("choices", nargs="*", default=["", "beta-hot=-1"])
    given = parser.parse_args()
    context = attopotts.Context(threads=1)
    print("model,choice,run,processor_seconds,rounds,temperatures,beta_hot,beta,swap_rate,burn_in,thin,overlap_rhat,outcome")
    model = attopotts.Model.random(given.sites, given.colors, seed=given.model, context=context)
    model.beta = given.beta or attopotts.tune_beta(model, 0.3, context=context).beta
    times = {choice: [] for choice in given.choices}
    for run in range(1, given.runs + 1):
        for choice in given.choices:
            used, rounds, rhat, sampled = until_converged(model, context, run, values(choice))
            n = sampled.numbers
            times[choice].append(used)
            print(f"{given.model},{choice.replace(',', ' ')},{run},{used:.3f},{rounds},{n['temperatures']:.0f},{n['beta_hot']:.4g},{n['beta']:.4g},"
                  f"{n['swap_rate']:.2f},{n['burn_in']:.0f},{n['thin']:.0f},{rhat:.4f},{sampled.outcome}", flush=True)
    sums = [sum(times[choice]) for choice in given.choices]
    print(f"# model {given.model}: sums relative to the first choice: " + ", ".join(f"{x / sums[0]:.2f}" for x in sums), flush=True)


if __name__ == "__main__":
    main()
