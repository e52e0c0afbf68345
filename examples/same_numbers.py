#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The quickstarts of all languages print the same words and, to the last bit, the same numbers.

usage: same_numbers.py PROGRAM PROGRAM..."""
import re
import subprocess
import sys

if len(sys.argv) < 3:
    sys.exit("nothing to compare")
lines = {}
for program in sys.argv[1:]:
    run = subprocess.run([program], capture_output=True, text=True)
    print(f"{program}: {run.stdout.strip()}{run.stderr.strip()}")
    if run.returncode != 0:
        sys.exit(f"{program} ended with {run.returncode}")
    numbers = re.findall(r"-?\d\.\d+[eE][-+]\d+", run.stdout)
    lines[program] = (run.stdout.split()[0], *(float(number).hex() for number in numbers))
    if len(numbers) != 3:
        sys.exit("expected an outcome and three numbers")
if len(set(lines.values())) != 1:
    sys.exit("the programs do not agree")
