#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The tables of research/scaling.md. usage: clusters.py [--write] [--only PART] [--repeats N] [BUILD_DIR]

Runs BUILD_DIR/bench/ranks (default: build) under mpirun, one thread for each rank. Parts: `measured` (jobs on 1 and 2 ranks, the minimum of
five runs in turn), `overhead` (bench/ratios with a communicator of one rank, medians of five runs), `instructions` (the same by counts of
valgrind, which do not depend on what else the machine does) and `forecast` (rates of one thread, medians of five runs, and the times on up
to 1024 ranks that follow from them). Each takes some minutes on a quiet machine with 2 cores and 16 GB. --write brings the generated blocks of research/scaling.md up
to date. Fails if the checksums of a job differ.
"""
import argparse
import csv
import math
import os
import pathlib
import re
import statistics
import subprocess

import clusters_forecast as forecast
import clusters_model as model

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "research/scaling.md"
BLOCK = r"(<!-- clusters.py: {} -->\n).*?(<!-- end -->\n)"
# Job, size, steps; what twice the work is: size and steps again, or None where it is no multiple; what a step is.
JOBS = (
    ("sample", 4096, 200, 8192, 200, "sweep"), ("exchange", 1024, 200, 2048, 200, "sweep"),
    ("weights", 24000, 1, round(24000 * math.sqrt(2)), 1, "weighing"), ("dense", 4000, 12, 8000, 12, "evaluation"),
    ("asymmetric", 6000, 40, 12000, 40, "site"), ("factored", 2000, 6, 4000, 6, "evaluation"), ("encoder", 2000, 4, 4000, 4, "gradient"),
    ("dial", 4000, 4, 8000, 4, "gradient"), ("replica", 120, 60, 120, 120, "realisation"), ("convex", 200, 200, 400, 200, "run"),
    ("curve", 12, 40, None, None, "run"), ("tokens", 64, 40, 64, 80, "shift"), ("attention", 20, 40, 20, 80, "run"))
MPIRUN = ("mpirun", "--bind-to", "none")
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def processor():
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    flags = " ".join(line for line in lines if line.startswith("flags")).split()
    wide = [name for flag, name in (("avx512f", "AVX-512"), ("avx2", "AVX2")) if flag in flags]
    return ", ".join([names[0] if names else "unknown processor", *wide[:1], f"{os.cpu_count()} cores"])


def steps_of(job, size, steps, row):
    """Steps of a run: the evaluations of a line search follow from its messages."""
    if job in ("dense", "factored"):
        return 1 + model.unknown_of(job, size, steps, row["sites"], row["ranks"], row["calls"])
    return 1 if job in ("convex", "curve") else steps


def measure(command, job, repeats):
    """Fastest run of each: one rank, two ranks, two ranks with twice the work."""
    name, size, steps, more, more_steps, _ = job
    runs = {(1, size, steps): [], (2, size, steps): []}
    if more is not None:
        runs[2, more, more_steps] = []
    for _ in range(repeats):
        for (ranks, n, k), found in runs.items():
            found.append(model.run(command, ranks, (name, n, k, 1))[0])
    sums = {row["checksum"] for key, found in runs.items() if key[1:] == (size, steps) for row in found}
    if len(sums) != 1:
        raise SystemExit(f"clusters.py: {name}: the results of 1 and 2 ranks differ: {sums}")
    return [min(found, key=lambda row: row["seconds"]) for found in runs.values()]


def rows_of(command, job, repeats):
    name, size, steps, more, more_steps, step = job
    one, two, *double = measure(command, job, repeats)
    count = steps_of(name, size, steps, two)
    cells = [f"`{name} {size} {steps}`", f"{one['seconds']:.3g}", f"{two['seconds']:.3g}", f"{one['seconds'] / two['seconds']:.2f}"]
    if double:
        # Of an evaluation where their number depends on the data, otherwise of all.
        each = (count, steps_of(name, more, more_steps, double[0])) if step == "evaluation" else (1, 1)
        cells += [f"`{more} {more_steps}`", f"{one['seconds'] / each[0] / (double[0]['seconds'] / each[1]):.2f}"]
    else:
        cells += ["", ""]
    per_step = [f"{1e3 * two['seconds'] / count:.3g}", f"{1e3 * two['communication'] / count:.2g}", f"{two['calls'] / count:.3g}",
                f"{two['received'] / count / 1e3:.3g}"]
    return "| " + " | ".join(cells) + " |", "| " + " | ".join([f"`{name}`", step, *per_step]) + " |"


def measured(command, repeats):
    rows = [rows_of(command, job, repeats) for job in JOBS]
    return (f"{processor()}:\n\n"
            "| job | 1 rank, s | 2 ranks, s | ratio | twice the work | efficiency |\n|---|---|---|---|---|---|\n"
            + "\n".join(row[0] for row in rows)
            + "\n\n| job | step | ms | ms in MPI | calls | kB received |\n|---|---|---|---|---|---|\n"
            + "\n".join(row[1] for row in rows) + "\n")


def overhead(command, repeats):
    """Rates of a context whose communicator has one rank, by those of a context without ranks."""
    found = {}
    for _ in range(repeats):
        text = subprocess.run([command[0].replace("bench/ranks", "bench/ratios"), "--communicator"], check=True, capture_output=True,
                              text=True).stdout
        for row in csv.DictReader(line for line in text.splitlines() if not line.startswith("#")):
            found.setdefault(row["name"], []).append(float(row["ratio"]))
    rows = [f"| `{name}` | {statistics.median(ratios):.3f} | {min(ratios):.3f} | {max(ratios):.3f} |" for name, ratios in found.items()]
    return (f"{processor()}, one thread:\n\n| row of bench/ratios | ratio | least | largest |\n|---|---|---|---|\n" + "\n".join(rows) + "\n")


def executed(program, name, calls, *flags):
    """Instructions of a whole run that makes so many calls of a case."""
    # Kernels of SSE4: the communicator is outside of them, and valgrind is slow with wider vectors.
    text = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", program, *flags, "--calls",
                           str(calls), name], check=True, capture_output=True, text=True, env={**os.environ, "ATP_SIMD": "sse4"}).stderr
    return int(re.search(r"I\s+refs:\s+([\d,]+)", text)[1].replace(",", ""))


def instructions(command, _, names=None):
    """Instructions of a call, with a communicator of one rank and without ranks: the difference of runs with one and two calls."""
    program = command[0].replace("bench/ranks", "bench/ratios")
    listed = subprocess.run([program, "no such case"], capture_output=True, text=True).stderr.splitlines()[1:]
    rows = []
    for name in names or map(str.strip, listed):
        once, twice = ([executed(program, name, calls, *flags) for flags in ((), ("--communicator",))] for calls in (1, 2))
        alone, ranked = (b - a for a, b in zip(once, twice))
        print(name, once, twice, flush=True)
        rows.append(f"| `{name}` | {alone} | {ranked} | {ranked - alone:+d} | {once[1] - once[0] - (ranked - alone):+d} |")
    return ("| row of bench/ratios | without ranks | one rank | more in each call | more in all else |\n|---|---|---|---|---|\n"
            + "\n".join(rows) + "\n")


def predicted(command, repeats):
    rates = forecast.measure(command, repeats)
    return f"{processor()}, one thread:\n\n{forecast.rate_table(rates)}\n{forecast.table(rates)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--only", choices=("measured", "overhead", "instructions", "forecast"))
    parser.add_argument("--rows", help="with --only instructions: these rows of bench/ratios alone, with commas between")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("build", nargs="?", default=ROOT / "build", type=pathlib.Path)
    options = parser.parse_args()
    if options.rows and options.only != "instructions":
        parser.error("--rows is for --only instructions")
    os.environ.update(ENVIRONMENT)
    command = [str((options.build / "bench/ranks").resolve()), *MPIRUN]
    for part, make in (("measured", measured), ("overhead", overhead), ("instructions", instructions),
                       ("forecast", predicted)):
        if options.only not in (None, part):
            continue
        text = make(command, options.repeats, options.rows.split(",")) if options.rows else make(command, options.repeats)
        print(text)
        if options.write:
            block = re.compile(BLOCK.format(part), re.S)
            page = DOCUMENT.read_text()
            if not block.search(page):
                raise SystemExit(f"clusters.py: {DOCUMENT} has no block of {part}")
            DOCUMENT.write_text(block.sub(lambda m, new=text: m[1] + new + m[2], page))


if __name__ == "__main__":
    main()
