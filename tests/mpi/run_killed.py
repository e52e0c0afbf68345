#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A rank that is killed, or calls atp_mpi_abort(), ends the others. usage: run_killed.py PROGRAM MPIRUN [OPTION...]"""
import subprocess
import sys
import time

program, *mpirun = sys.argv[1:]
for how in ("", "kill", "abort"):
    began = time.monotonic()
    run = subprocess.run([*mpirun, "-n", "3", program, *[how] * bool(how)], capture_output=True, text=True, timeout=60)
    seconds = time.monotonic() - began
    print(f"{how or 'to the end'}: status {run.returncode} after {seconds:.1f} s")
    # Without a kill all come to the end: the check sees both.
    if (run.returncode != 0) != bool(how) or ("together" in run.stdout) == bool(how):
        sys.exit(f"{run.stdout}\n{run.stderr}")
