#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The soak program finds a leak that is planted and nothing else. usage: test_soak.py SOAK. Hours of it: tools/ci/faults.sh soak"""
import subprocess
import sys

# Two seconds do not tell growth from the warm-up: this shows that rounds of several threads find the same numbers, and the leak.
for words, status, text in ((["4", "3"], 0, ": passed"), (["4", "3", "leak"], 1, ": memory grew")):
    done = subprocess.run([sys.argv[1], *words], capture_output=True, text=True)
    print(words, done.returncode, done.stdout, done.stderr)
    if done.returncode != status or text not in done.stdout:
        sys.exit(1)
