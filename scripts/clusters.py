#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Time and bytes of jobs on 1 and 2 ranks: the table of docs/clusters.md. usage: clusters.py [--write] [BUILD_DIR]

Runs BUILD_DIR/bench/ranks (default: build) under mpirun, one thread for each rank, three times in turn, and prints the medians. --write
brings the generated block of docs/clusters.md up to date. Fails if the checksums of a job differ.
"""
import argparse
import os
import pathlib
import re
import subprocess
from statistics import median

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs/clusters.md"
BLOCK = re.compile(r"(<!-- clusters.py -->\n).*?(<!-- end -->\n)", re.S)
REPEATS = 3
JOBS = ("sample 4096 200", "exchange 1024 200", "weights 12000 1", "dense 4000 12", "asymmetric 3000 20", "replica 120 60")
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def run(program, job, ranks):
    """Seconds, seconds in MPI, bytes that rank 0 has sent, checksum."""
    command = ["mpirun", "--bind-to", "none", "-n", str(ranks), program, *job.split(), "1"]
    line = subprocess.run(command, env={**os.environ, **ENVIRONMENT}, capture_output=True, text=True, check=True).stdout
    cells = line.strip().split(",")
    return float(cells[5]), float(cells[6]), int(cells[8]), cells[12]


def row(program, job):
    runs = {1: [], 2: []}
    for _ in range(REPEATS):
        for ranks, found in runs.items():
            found.append(run(program, job, ranks))
    sums = {r[3] for found in runs.values() for r in found}
    if len(sums) != 1:
        raise SystemExit(f"clusters.py: {job}: the results of 1 and 2 ranks differ: {sums}")
    one, two = (median(r[0] for r in runs[ranks]) for ranks in (1, 2))
    waits, sent = (median(r[k] for r in runs[2]) for k in (1, 2))
    return f"| `{job}` | {one:.3g} | {two:.3g} | {one / two:.2f} | {waits:.2g} | {sent / 1e6:.2g} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("build", nargs="?", default=ROOT / "build", type=pathlib.Path)
    options = parser.parse_args()
    program = (options.build / "bench/ranks").resolve()
    lines = ["| job | 1 rank, s | 2 ranks, s | ratio | in MPI, s | MB sent by rank 0 |", "|---|---|---|---|---|---|"]
    lines += [row(program, job) for job in JOBS]
    table = "\n".join(lines) + "\n"
    print(table, end="")
    if options.write:
        DOCUMENT.write_text(BLOCK.sub(lambda m: m[1] + table + m[2], DOCUMENT.read_text()))


if __name__ == "__main__":
    main()
