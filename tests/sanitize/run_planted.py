#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does this sanitizer build see a planted fault? usage: run_planted.py PROGRAM FAULT EXPECTED-TEXT

FAULT "none" must run clean. Any other must end with a failure and a report that holds the expected text.
"""
import subprocess
import sys

program, fault, expected = sys.argv[1:]
run = subprocess.run([program, fault], capture_output=True, text=True)
report = run.stdout + run.stderr
if fault == "none":
    good = run.returncode == 0 and report == ""
else:
    good = run.returncode != 0 and expected in report
print(report)
print(f"{fault}: status {run.returncode}, expected {'a clean run' if fault == 'none' else 'a failure with ' + repr(expected)}:",
      "yes" if good else "NO")
sys.exit(0 if good else 1)
