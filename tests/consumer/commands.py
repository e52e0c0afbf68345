# SPDX-License-Identifier: MIT
"""Commands of tests that build packages."""
import subprocess
import sys


def run(*command, **options):
    """What a command writes. The test is skipped where it is (status 77), and ends with all that it wrote where it fails."""
    result = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    if result.returncode == 77:
        print((result.stdout + result.stderr).strip())
        sys.exit(77)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nstatus {result.returncode}\n{result.stdout[-6000:]}\n{result.stderr[-6000:]}")
    return result.stdout
