# SPDX-License-Identifier: MIT
"""How long `import attopotts` takes in fresh processes, and how long `import numpy` alone."""
import re
import statistics
import subprocess

RUNS = 11


def milliseconds(python, module, env):
    """The median over runs of what python -X importtime says of a module with all that it imports."""
    times = []
    for _ in range(RUNS):
        told = subprocess.run([python, "-X", "importtime", "-c", f"import {module}"], env=env, capture_output=True, text=True, check=True)
        times.append(int(re.search(rf"\| +(\d+) \| {module}$", told.stderr, re.M)[1]) / 1000)
    return statistics.median(times)


def report(python, env):
    env = {**env, "PYTHONDONTWRITEBYTECODE": ""}
    both, numpy = (milliseconds(python, module, env) for module in ("attopotts", "numpy"))
    return f"import attopotts: {both:.0f} ms, median of {RUNS}; import numpy alone: {numpy:.0f} ms"
