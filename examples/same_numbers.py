#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The quickstarts of all languages print the words and, to the last bit, the numbers of quickstart.txt; with --generate the programs
`generate` those of generate.txt, with --rows the programs `rows` those of rows.txt.

usage: same_numbers.py [--generate | --rows] PROGRAM...    a program with blanks is a command with its arguments"""
import pathlib
import re
import subprocess
import sys

NUMBER = re.compile(r"-?\d+\.\d+(?:[eE][-+]\d+)?")
FILES = {"--generate": ("generate.txt", 15), "--rows": ("rows.txt", 5)}
expected_file, least = FILES.get(sys.argv[1] if sys.argv[1:] else "", ("quickstart.txt", 3))
programs = sys.argv[2:] if sys.argv[1:2] and sys.argv[1] in FILES else sys.argv[1:]
if not programs:
    sys.exit("nothing to compare")


def parse(text, what):
    """Words with # for each number, and the numbers."""
    numbers = NUMBER.findall(text)
    if len(numbers) < least:
        sys.exit(f"{what}: expected {least} numbers, found\n{text}")
    return NUMBER.sub("#", text).split(), [float(number).hex() for number in numbers]


expected = parse((pathlib.Path(__file__).parent / expected_file).read_text(), expected_file)
for program in programs:
    run = subprocess.run(program.split(), capture_output=True, text=True)
    print(f"{program}: {run.stdout.strip()}{run.stderr.strip()}")
    if run.returncode != 0:
        sys.exit(f"{program} ended with {run.returncode}")
    if parse(run.stdout, program) != expected:
        sys.exit(f"{program} does not print the words and numbers of {expected_file}")
