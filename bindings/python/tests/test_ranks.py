# SPDX-License-Identifier: MIT
"""Contexts as ranks of a communicator of mpi4py; two processes under mpirun."""
import os
import shutil
import subprocess
import sys

import attopotts as ap
import pytest
from attopotts import _library

TWO = """
import sys
from mpi4py import MPI
import numpy as np, attopotts as ap
comm = MPI.COMM_WORLD
def learned(context):
    truth = ap.Model.random(sites=6, colors=4, seed=3, context=context)
    sampler = ap.Sampler(truth, context=context, chains=8)
    sampler.sweep(20)
    data = ap.Alignment(sampler.sample(300).sequences, colors=4, context=context)
    trainer = ap.Trainer(data, context=context, l2_couplings=1e-3)
    trainer.run(5)
    return trainer.parameters
alone, several = ap.Context(threads=1), ap.Context(threads=1)
for each in (comm, comm.Split(0, -comm.rank), None, comm):
    several.set_ranks(each)
    assert np.array_equal(learned(several), learned(alone)) and learned(alone).any()
try:
    several.set_ranks(MPI.COMM_NULL)
except ap.InputError as error:
    assert "MPI_COMM_NULL" in str(error) and error.status == ap.Status.E_NULL
else:
    sys.exit("not refused")
assert comm.allreduce(1) == 2
print("passed")
"""


def test_two_ranks(tmp_path):
    pytest.importorskip("mpi4py")
    mpirun = shutil.which("mpirun")
    if mpirun is None:
        pytest.skip("there is no mpirun")
    try:
        _library.load_mpi()
    except ImportError as error:
        pytest.skip(str(error))
    script = tmp_path / "two.py"
    script.write_text(TWO)
    env = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
           "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none"}
    run = subprocess.run([mpirun, "-n", "2", sys.executable, str(script)], env=env, capture_output=True, text=True, timeout=120)
    if "not the MPI of libattopotts_mpi" in run.stderr:
        pytest.skip("mpi4py has another MPI than libattopotts_mpi")
    assert (run.returncode, run.stdout.count("passed")) == (0, 2), run.stdout + run.stderr


def test_library_without_mpi(monkeypatch):
    def absent(path, name):
        raise OSError(f"no {name} beside {path}")
    monkeypatch.setattr(_library, "_load_beside", absent)
    context = ap.Context()
    with pytest.raises(ImportError, match="build attopotts with MPI.*no attopotts_mpi beside"):
        context.set_ranks(object())
    context.set_ranks(None)
