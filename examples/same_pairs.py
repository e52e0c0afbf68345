#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The programs `family` of all languages print the pairs of family.txt, and its scores.

usage: same_pairs.py PROGRAM...    a program with blanks is a command with its arguments; it gets family.fasta"""
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
# Targets without fused multiply-add have other last digits.
TOLERANCE = 1e-4

if len(sys.argv) < 2:
    sys.exit("nothing to compare")


def parse(text, what):
    rows = [line.split() for line in text.splitlines()]
    if len(rows) != 10 or any(len(row) != 3 for row in rows):
        sys.exit(f"{what}: expected ten lines of two sites and a score, found\n{text}")
    return [(int(i), int(j)) for i, j, _ in rows], [float(score) for _, _, score in rows]


expected, scores = parse((HERE / "family.txt").read_text(), "family.txt")
for program in sys.argv[1:]:
    run = subprocess.run([*program.split(), HERE / "family.fasta"], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{program} ended with {run.returncode}\n{run.stdout}{run.stderr}")
    found, values = parse(run.stdout, program)
    if found != expected or any(abs(a - b) > TOLERANCE for a, b in zip(values, scores)):
        sys.exit(f"{program} does not print the pairs of family.txt, but\n{run.stdout}")
    print(f"{program}: {len(found)} pairs")
