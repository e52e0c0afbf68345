#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The quickstarts of all languages print the words and, to the last bit, the numbers of quickstart.txt.

usage: same_numbers.py PROGRAM...    a program with blanks is a command with its arguments"""
import pathlib
import re
import subprocess
import sys

if len(sys.argv) < 2:
    sys.exit("nothing to compare")


def parse(text, what):
    numbers = re.findall(r"-?\d\.\d+[eE][-+]\d+", text)
    if len(numbers) != 3:
        sys.exit(f"{what}: expected an outcome and three numbers")
    return (text.split()[0], *(float(number).hex() for number in numbers))


expected = parse((pathlib.Path(__file__).parent / "quickstart.txt").read_text(), "quickstart.txt")
for program in sys.argv[1:]:
    run = subprocess.run(program.split(), capture_output=True, text=True)
    print(f"{program}: {run.stdout.strip()}{run.stderr.strip()}")
    if run.returncode != 0:
        sys.exit(f"{program} ended with {run.returncode}")
    if parse(run.stdout, program) != expected:
        sys.exit(f"{program} does not print the numbers of quickstart.txt")
