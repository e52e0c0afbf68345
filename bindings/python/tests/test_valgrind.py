# SPDX-License-Identifier: MIT
"""The error paths under valgrind: no invalid access and no lost memory in the library's frames; a planted leak is seen."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import attopotts
import pytest

ERRORS = """
import gc, sys
import numpy as np, attopotts as ap
def refused(f, *a, **k):
    try:
        f(*a, **k)
    except Exception as error:
        return str(error)
    sys.exit("not refused")
with ap.Context(threads=1) as c:
    truth = ap.Model.random(4, 3, context=c)
    sampler = ap.Sampler(truth, context=c, chains=4)
    data = ap.Alignment(sampler.sample(50).sequences, colors=3, context=c)
    refused(ap.Alignment, [[0, 9]], colors=4, context=c)
    refused(ap.Alignment, np.full((3, 3), 0.5), context=c)
    refused(ap.Model.dense, np.full((2, 2, 2, 2), np.nan), context=c)
    refused(ap.Model.heads, np.zeros((1, 3, 3)), np.zeros((2, 2, 2)), context=c)
    refused(ap.Alignment.read, "no-such-file", alphabet="protein", context=c)
    refused(ap.Trainer, data, heads=0, context=c)
    refused(sampler.load_state, b"not a state")
    trainer = ap.Trainer(data, context=c, epochs=5)
    def fail(report):
        raise RuntimeError("mine")
    assert refused(trainer.run, progress=fail) == "mine"
    trainer.run(2)
    refused(trainer.load_state, trainer.save_state()[:-8])
    network = ap.Trainer(data, context=c, family="encoder", width=4, epochs=3)
    assert refused(network.run, progress=fail) == "mine"
    refused(network.load_state, network.save_state()[:-8])
    refused(network.model)
    refused(ap.Trainer, data, family="encoder", heads=2, context=c)
    data.close()
    refused(len, data)
    del truth, sampler, data, trainer, network
    gc.collect()
if len(sys.argv) > 1:
    ap._handle.make(ap._library.lib.atp_context_create, None, None, None)  # planted: never destroyed
"""


def lost(tmp_path, *arguments):
    """Records of valgrind that name the library."""
    folder = pathlib.Path(attopotts.__file__).parent.parent
    log = tmp_path / "valgrind.txt"
    env = {**os.environ, "PYTHONMALLOC": "malloc", "PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1"}
    run = subprocess.run(["valgrind", "--leak-check=full", "--show-leak-kinds=definite", "--num-callers=30", f"--log-file={log}",
                          sys.executable, "-c", ERRORS, *arguments], env=env, capture_output=True, text=True, timeout=500)
    assert run.returncode == 0, run.stderr
    text = log.read_text()
    assert "ERROR SUMMARY" in text
    records = re.split(r"\n==\d+== \n", text)
    return [r for r in records if "libattopotts" in r and re.search(r"definitely lost|Invalid|uninitialised", r)]


@pytest.mark.skipif("ATP_TEST_QUICK" in os.environ, reason="ATP_TEST_QUICK is set")
@pytest.mark.skipif(not shutil.which("valgrind"), reason="no valgrind")
def test_error_paths_lose_nothing(tmp_path):
    records = lost(tmp_path)
    assert not records, "\n".join(records)
    assert len(lost(tmp_path, "planted")) == 1
