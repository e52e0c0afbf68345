# SPDX-License-Identifier: MIT
"""The type hints as mypy reads them: the package itself, a program that uses it, and the faults that mypy finds in one."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import attopotts as ap
import pytest

PACKAGE = pathlib.Path(ap.__file__).parent

GOOD = """
from typing import Optional
import attopotts as ap
import numpy as np

truth: ap.Model = ap.Model.random(sites=10, colors=5, seed=1)
sampler = ap.Sampler(truth, chains=32)
drawn: ap.Samples = sampler.sample(100, thin=10)
energies: Optional[np.ndarray] = drawn.energies
data: ap.Alignment = ap.Alignment(drawn.sequences, colors=5)
trainer = ap.Trainer(data, l2_couplings=1e-4, optimizer="adam", heads=2, fields=True, rate=np.float64(1) / 2, seed=np.int64(3))
one: ap.Alignment = data[3].sample(1, replace=True)
rows: list = [drawn.outcome, data[::-1], data[[0, 3]]]
best: int = ap.contacts(truth)[0].i
outcome: str = trainer.run(200)
learned: ap.Model = trainer.model()
loss: float = learned.loss(data)
scores: np.ndarray = ap.scores.apc(learned.frobenius())
table: ap.Table = ap.dotattn.curve([1, 2, 3], branch="positional", omega=0.4)
"""
# Each of these lines is wrong, and mypy says so.
BAD = ('ap.Trainer(data, heads="many")', 'ap.Trainer(data, optimizer="lbfg")', 'ap.Trainer(data, head=2)', 'ap.Sampler(truth, chains=1.5)',
       'ap.dotattn.curve([1], branch="both sides")', 'ap.Alignment.read("x", format=3.5)', 'data.filter(max_gaps_column="half")',
       'sites: str = truth.sites', 'trainer.run("all")', 'ap.Model.random(10)', 'sampler.sample(100).energy', 'drawn.sequences = None')


# mypy reads NumPy's types first, for seconds.
slow = pytest.mark.skipif("ATP_TEST_QUICK" in os.environ, reason="left to ./check.sh --all (ATP_TEST_QUICK is set)")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """With the cache of all calls."""
    return tmp_path_factory.mktemp("types")


def mypy(folder, *files):
    """The status of mypy on files, and what it says. It finds the package where this process has it."""
    commands = [sys.executable, "-m", "mypy"], ["mypy"]
    command = next((c for c in commands if shutil.which(c[0]) and subprocess.run([*c, "--version"], capture_output=True).returncode == 0), None)
    if command is None:
        pytest.skip("mypy is not installed")
    settings = folder / "mypy.ini"
    # Types of **options are an experiment of mypy before 1.7.
    settings.write_text("[mypy]\nenable_incomplete_feature = Unpack\n[mypy-matplotlib.*]\nignore_missing_imports = True\n")  # has no types before 3.8
    run = subprocess.run([*command, "--config-file", str(settings), "--python-executable", sys.executable, "--cache-dir", str(folder / "cache"),
                          *map(str, files)], cwd=folder, capture_output=True, text=True)
    return run.returncode, run.stdout + run.stderr


def test_py_typed_is_installed():
    assert (PACKAGE / "py.typed").exists()


@slow
def test_types_of_the_package(folder):
    # A copy: beside it, where mypy may be installed, too, are files that mypy does not check.
    copied = folder / "sources/attopotts"
    shutil.copytree(PACKAGE, copied, ignore=shutil.ignore_patterns("_bundled", "__pycache__"))
    status, told = mypy(folder, copied)
    assert status == 0, told


@slow
def test_types_of_a_program(folder):
    program = folder / "program.py"
    program.write_text(GOOD)
    status, told = mypy(folder, program)
    assert status == 0, told
    program.write_text(GOOD + "\n".join(BAD) + "\n")
    status, told = mypy(folder, program)
    lines = {int(number) for number in re.findall(r"program\.py:(\d+): error", told)}
    first = GOOD.count("\n") + 1
    assert status == 1 and lines == set(range(first, first + len(BAD))), told
