# SPDX-License-Identifier: MIT
"""Contexts as ranks: of a communicator of mpi4py, two processes under mpirun; threads that are ranks."""
import os
import shutil
import subprocess
import sys
import threading
import time

import attopotts as ap
import numpy as np
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
    monkeypatch.setattr(_library, "_io", object())  # of a wheel, too
    context = ap.Context()
    with pytest.raises(ImportError, match="build attopotts with MPI.*no attopotts_mpi beside"):
        context.set_ranks(object())
    monkeypatch.setattr(_library, "_io", _library.lib)
    with pytest.raises(ImportError, match="has no MPI: extend attopotts.Ranks"):
        context.set_ranks(object())
    context.set_ranks(None)


class Group:
    def __init__(self, size):
        self.barrier, self.arrays = threading.Barrier(size), [None] * size

    def meet(self, rank, array):
        """The arrays of all ranks, copied."""
        self.arrays[rank] = array.copy()
        self.barrier.wait(30)
        found = list(self.arrays)
        self.barrier.wait(30)
        return found


class Threads(ap.Ranks):
    def __init__(self, rank, group):
        super().__init__(rank, len(group.arrays))
        self.group, self.problem = group, None

    def gather(self, data, ends):
        parts = self.group.meet(self.rank, data)
        assert data.dtype == np.uint8 and len(ends) == self.size and ends[-1] == data.size
        for part, first, end in zip(parts, [0, *ends], ends):
            data[first:end] = part[first:end]

    def sum(self, values):
        if self.problem:
            raise self.problem
        values[:] = sum(self.group.meet(self.rank, values))

    def broadcast(self, data, root):
        data[:] = self.group.meet(self.rank, data)[root]


def on_ranks(size, body):
    """body(context, ranks) in threads that are ranks; what each gave or raised."""
    group, found = Group(size), [None] * size

    def run(rank):
        try:
            context, ranks = ap.Context(threads=1), Threads(rank, group)
            context.set_ranks(ranks)
            found[rank] = body(context, ranks)
        except BaseException as error:
            found[rank] = error
    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return found


def drawn(context):
    truth = ap.Model.random(sites=6, colors=4, seed=3, context=context)
    return ap.Sampler(truth, context=context, chains=32).sample(100).sequences


def test_threads_as_ranks():
    def body(context, ranks):
        sequences, numbers = drawn(context), np.full((2, 3), float(context.rank))
        context.broadcast(numbers, root=1)
        context.broadcast(np.empty(0))
        flags = context.any(context.rank == 2), context.any(False)
        traffic, before = context.traffic(), (context.rank, context.rank_count)
        context.set_ranks(None)
        return sequences, numbers, flags, traffic, before, context.rank_count

    for rank, result in enumerate(on_ranks(3, body)):
        sequences, numbers, flags, traffic, before, after = result
        assert np.array_equal(sequences, drawn(ap.Context())) and (numbers == 1).all()
        assert (flags, before, after) == ((True, False), (rank, 3), 1)
        assert set(traffic) == {"calls", "sent", "received", "seconds"} and min(traffic.values()) > 0
    context = ap.Context()
    assert (context.rank, context.rank_count, context.any(1), context.traffic()["calls"]) == (0, 1, True, 0)
    for wrong in (np.eye(3)[:, :2], b"text"):
        with pytest.raises((ValueError, TypeError)):
            context.broadcast(wrong)
    with pytest.raises(ap.InputError, match="rank"):
        context.set_ranks(Threads(5, Group(2)))


def test_failures_of_ranks():
    def gives_up(context, ranks):
        if ranks.rank == 1:
            return context.fail("data.aln is missing")
        return context.any(False)

    first, second, third = on_ranks(3, gives_up)
    assert second is None
    for error in (first, third):
        assert isinstance(error, ap.RankError) and error.status == ap.Status.E_RANK and "data.aln is missing" in str(error)

    def raises(context, ranks):
        sampler = ap.Sampler(ap.Model.random(sites=6, colors=4, context=context), context=context)
        ranks.problem = KeyError("of a rank")
        begin = time.monotonic()
        for _ in range(2):
            with pytest.raises(KeyError if ranks.problem else ap.RankError, match="of a rank|do not reach each other"):
                sampler.sweep(10)
            ranks.problem = None
        return time.monotonic() - begin < 20

    assert on_ranks(2, raises) == [True, True]
