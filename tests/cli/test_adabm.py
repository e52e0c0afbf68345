#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""research/peers_adabm.py: parameters, chains, energies, samples and training of adabmDCA itself. ATP_ADABM names a Python that has it."""
import os
import pathlib
import subprocess
import sys

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "research/peers_adabm.py"
done = subprocess.run([os.environ.get("ATP_ADABM", sys.executable), SCRIPT, os.environ["ATTOPOTTS"]], capture_output=True, text=True)
print(done.stdout + done.stderr)
if done.returncode == 0:
    lines = done.stdout.splitlines()
    sys.exit(0 if len(lines) == 11 and all(line.startswith("ok: ") for line in lines) else 1)
sys.exit(done.returncode)
