# SPDX-License-Identifier: MIT
"""Writes the generated modules first where this is a clone; a source distribution has them."""
import pathlib
import subprocess
import sys

from setuptools import setup

GENERATE = pathlib.Path(__file__).resolve().parent.parent / "generate.py"
if GENERATE.exists():
    subprocess.run([sys.executable, str(GENERATE), "python"], check=True)
setup()
