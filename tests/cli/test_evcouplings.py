#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""research/peers_evcouplings.py: mutants, energies and scores of EVcouplings itself. ATP_EVCOUPLINGS names a Python that has it."""
import os
import pathlib
import subprocess
import sys

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "research/peers_evcouplings.py"
done = subprocess.run([os.environ.get("ATP_EVCOUPLINGS", sys.executable), SCRIPT, os.environ["ATTOPOTTS"]], capture_output=True, text=True)
print(done.stdout + done.stderr)
if done.returncode == 0:
    lines = done.stdout.splitlines()
    sys.exit(0 if len(lines) == 3 and all(line.startswith("ok: ") for line in lines) else 1)
sys.exit(done.returncode)
