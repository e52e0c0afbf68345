# SPDX-License-Identifier: MIT
"""Writes the generated modules before a build from a clone; a source distribution has them."""
import pathlib
import subprocess
import sys

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

GENERATE = pathlib.Path(__file__).resolve().parent.parent / "generate.py"


def generate():
    if GENERATE.exists():
        subprocess.run([sys.executable, str(GENERATE), "python"], check=True)


class Build(build_py):
    def run(self):
        generate()
        super().run()


class Source(sdist):
    def run(self):
        generate()
        super().run()


setup(cmdclass={"build_py": Build, "sdist": Source})
