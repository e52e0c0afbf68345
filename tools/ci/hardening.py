#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What hardening costs: instructions and processor time of the program without it and with it.

usage: tools/ci/hardening.py [--print] [--repeats N]

Two builds are kept in build-hardening-*. Instructions are counted by valgrind, so that they are the same in each run (target avx2, the
most that valgrind knows). Processor time is the smallest of N runs of each build in turn, and of more where a run is short, with one
thread. Replaces the table of docs/performance.md between `<!-- begin hardening -->` and `<!-- end hardening -->`; --print: prints it
alone. Needs valgrind.
"""
import argparse
import os
import pathlib
import re
import resource
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/performance.md"
COMMON = ["--buildtype=release", "-Ddefault_library=shared", "-Dcli=enabled", *[f"-D{name}=disabled" for name in ("tests", "fortran", "bench", "mpi")]]
BUILDS = {
    "none": ["-Dhardening=disabled"],
    "default": ["-Dhardening=enabled"],
}
# What people wait for, small: name, arguments. Factored attention takes valgrind minutes; bench/instructions counts its kernels.
JOBS = [
    ("read 20000 sequences of 100 sites, write HDF5", ["convert", "data.fasta", "again.h5", "--alphabet", "protein"]),
    ("sample 400 sequences, L = 100, q = 21, heads", ["sample", "--model", "heads.h5", "--protocol", "chain", "--chains", "16", "--thin", "20", "--samples", "400",
                                                       "-o", "sampled.h5"]),
    ("learn 5 epochs, dense, 300 sequences", ["learn", "few.h5", "--rows", "0:300", "--family", "dense", "--epochs", "5", "-o", "dense.h5"]),
    ("contacts of 100 sites from a file", ["contacts", "dense.h5", "--csv", "contacts.csv"]),
]
MAKE = ["sample", "--sites", "100", "--colors", "21", "--alphabet", "protein", "--beta", "0.5", "--protocol", "chain", "--thin", "5"]
ENOUGH = 10  # seconds of runs of a build
QUIET = ["--quiet", "--threads", "1"]


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    if done.returncode not in (0, 3):  # 3: did not converge
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}\n{done.stderr}")
    return done


def build(name, options):
    tree = ROOT / f"build-hardening-{name}"
    if not (tree / "build.ninja").exists():
        run("meson", "setup", tree, ROOT, *COMMON, *options)
    run("ninja", "-C", tree, "cli/attopotts")
    return tree / "cli/attopotts"


def instructions(program, arguments):
    done = run("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, *arguments, *QUIET)
    return int(re.search(r"Collected : (\d+)", done.stderr)[1])


def seconds(program, arguments):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(program, *arguments, *QUIET)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def table(programs, repeats):
    lines = ["| job | instructions without | with | CPU seconds without | with |", "|---|---|---|---|---|"]
    for name, arguments in JOBS:
        for program in programs.values():
            run(program, *arguments, *QUIET)  # files are in memory, and the next job's are there
        counts = {key: instructions(program, arguments) for key, program in programs.items()}
        first = max(seconds(p, arguments) for p in programs.values())
        rounds = max(repeats, round(ENOUGH / max(first, 1e-3)))
        times = {key: min(values) for key, values in
                 zip(programs, zip(*[[seconds(p, arguments) for p in programs.values()] for _ in range(rounds)]))}
        cells = [f"{counts['none'] / 1e6:.0f} M", f"{counts['default'] / counts['none'] - 1:+.2%}",
                 f"{times['none']:.3f}", f"{times['default'] / times['none'] - 1:+.1%}"]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)
    return "\n".join(lines) + f"\n\nProcessor time: the smallest of {repeats} runs, or of as many as take {ENOUGH} s, of each build in turn.\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--print", action="store_true")
    parser.add_argument("--repeats", type=int, default=11)
    arguments = parser.parse_args()
    programs = {name: build(name, options) for name, options in BUILDS.items()}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        run(programs["none"], *MAKE, "--samples", "20000", "--model-out", "heads.h5", "-o", "data.fasta", *QUIET)
        run(programs["none"], *MAKE, "--samples", "2000", "-o", "few.h5", *QUIET)
        text = table(programs, arguments.repeats)
        os.chdir("/")
    if not arguments.print:
        page = PAGE.read_text()
        head, rest = page.split("<!-- begin hardening -->\n")
        PAGE.write_text(head + "<!-- begin hardening -->\n" + text + "<!-- end hardening -->\n" + rest.split("<!-- end hardening -->\n")[1])


if __name__ == "__main__":
    main()
