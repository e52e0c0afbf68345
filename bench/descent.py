#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Iterations and processor seconds of dense pseudo-likelihood on DHFR to four levels of the objective and to the default tolerance.

usage: descent.py DHFR.a2m [ITERATIONS]

Penalties 16 and 0.01, gaps ignored, weights at 80 per cent identity, two threads. Where plmc is on the path, it minimises the same
objective by its own default, and its processor seconds are printed beside: `PLMC_ITERATIONS` of them, 100 by default.
Needs the Python package attopotts.
"""
import os
import resource
import shutil
import subprocess
import sys

import attopotts

LEVELS = (200_000, 165_888, 165_696, 165_691)


def seconds(who=resource.RUSAGE_SELF):
    return resource.getrusage(who).ru_utime


def ours(path, iterations):
    context = attopotts.Context(threads=2)
    family = attopotts.Alignment.read(path, alphabet="protein", context=context).focus("DYR_ECOLI")
    family.weigh(0.2)
    trainer = attopotts.Trainer(family, family="dense", gaps="ignore", l2_couplings=16, l2_fields=0.01, context=context)
    left, begin = list(LEVELS), seconds()

    def report(progress):
        while left and progress["objective"] <= left[0]:
            print(f"attopotts,{left.pop(0)},{progress['step']:.0f},{seconds() - begin:.2f}")

    outcome = trainer.run(iterations, progress=report)
    print(f"attopotts,{outcome} at {trainer.gradient().objective:.1f},{trainer.epochs},{seconds() - begin:.2f}")


def plmc(path, iterations):
    command = ["plmc", "-g", "-f", "DYR_ECOLI", "-le", "16", "-lh", "0.01", "-t", "0.2", "-m", str(iterations), "-c", os.devnull, path]
    begin = seconds(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    print(f"plmc,{iterations} iterations,{iterations},{seconds(resource.RUSAGE_CHILDREN) - begin:.2f}")


def main():
    print("program,until,iterations,processor_seconds")
    ours(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 200)
    if shutil.which("plmc"):
        plmc(sys.argv[1], int(os.environ.get("PLMC_ITERATIONS", "100")))


if __name__ == "__main__":
    main()
