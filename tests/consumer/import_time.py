#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How long `import attopotts` takes in fresh processes, with and without the first use of NumPy. usage: import_time.py [PYTHON]"""
import os
import statistics
import subprocess
import sys

RUNS = 11
STATEMENTS = ["import attopotts", "import attopotts; attopotts.Model", "import numpy"]


def milliseconds(python, statement, env):
    """The median over runs."""
    program = f"import time; began = time.perf_counter(); {statement}; print(time.perf_counter() - began)"
    times = [float(subprocess.run([python, "-c", program], env=env, capture_output=True, text=True, check=True).stdout) for _ in range(RUNS)]
    return 1000 * statistics.median(times)


def report(python, env):
    env = {**env, "PYTHONDONTWRITEBYTECODE": ""}
    return "\n".join(f"{statement}: {milliseconds(python, statement, env):.0f} ms, median of {RUNS}" for statement in STATEMENTS)


if __name__ == "__main__":
    print(report(sys.argv[1] if len(sys.argv) > 1 else sys.executable, os.environ))
