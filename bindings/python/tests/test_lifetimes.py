# SPDX-License-Identifier: MIT
"""Handles live as long as a call that uses them, whoever closes or collects them, and belong to one process. Faults of this kind end the
process: each program runs in one of its own."""
import copy
import gc
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading

import attopotts as ap
import numpy as np
import pytest
from attopotts._library import lib
from attopotts._owned import Owned

FIRST = """
import gc, os, sys, threading, time
import numpy as np, attopotts as ap
model = ap.Model.random(6, 4, seed=3)
sampler = ap.Sampler(model, chains=16)
draw = lambda: ap.Alignment(sampler.sample(300, thin=3).sequences, colors=4)
data = draw()
big, many = ap.Model.random(200, 20), np.zeros((20000, 200), dtype=np.uint8)
# What is freed is overwritten.
def spoil():
    gc.collect()
    return [np.full(n, 255, dtype=np.uint8) for n in (1 << 10, 1 << 14, 1 << 18, 1 << 22) for _ in range(8)]
"""
PROGRAMS = {
    "trainer": "t = ap.Trainer(data, epochs=50); print(t.run(progress=lambda v: t.close() or bool(spoil()) * 0))",
    "dense trainer": "t = ap.Trainer(data, family='dense', epochs=50); t.run(progress=lambda v: t.close() or spoil() == 0); print('max_iter')",
    "network": "t = ap.Trainer(data, family='encoder', width=4, epochs=20); print(t.run(progress=lambda v: t.close() or spoil() == 0))",
    "start_wide": "t = ap.Trainer(data, epochs=50, heads=2); t.start_wide(4, progress=lambda v: t.close() or spoil() == 0); print('done')",
    "sampler": "print(sampler.sweep(3000, progress=lambda v: sampler.close() or spoil() == 0))",
    "samples": "print(sampler.sample(3000, energies=True, progress=lambda v: sampler.close() or spoil() == 0).outcome)",
    "sampling": "s = ap.Sampling(model, 20); print(s.run(progress=lambda v: s.close() or spoil() == 0).outcome)",
    "data": "t = ap.Trainer(data, epochs=50); print(t.run(progress=lambda v: data.close() or spoil() == 0))",
    "model": "s = ap.Sampling(model, 20); print(s.run(progress=lambda v: model.close() or spoil() == 0).outcome)",
    "test": "t = ap.Trainer(data, epochs=50); t.set_test(draw()); spoil(); t.run(10); t.set_test(draw()); print(t.run(progress=lambda v: spoil() == 0))",
    "truth": "t = ap.Trainer(data, epochs=50); t.set_truth(model); model.close(); spoil(); print(t.run())",
    "selection": "print(ap.select_penalty(data, folds=3, progress=lambda v: data.close() or spoil() == 0).outcome)",
    "context": "c = ap.Context(threads=1); t = ap.Trainer(data, context=c, epochs=5); print(t.run(progress=lambda v: c.close() or spoil() == 0))",
    "energies": "t = threading.Thread(target=lambda: print(big.energies(many).shape)); t.start(); time.sleep(0.05); big.close(); x = spoil(); t.join()",
    "weigh": "a = ap.Alignment(many[:3000], colors=20)\n"
             "t = threading.Thread(target=lambda: print('done' if a.weigh() else '')); t.start(); time.sleep(0.05); a.close(); x = spoil(); t.join()",
    # The process ends while a daemon is in a call.
    "end": "threading.Thread(target=lambda: [big.energies(many) for _ in range(1000)], daemon=True).start(); time.sleep(0.2); print('done')",
    # The same in runs, whose callbacks need the interpreter.
    "end of a run": "threading.Thread(target=ap.Sampler(big, chains=8).sweep, args=(10**8,), daemon=True).start(); time.sleep(0.3); print('done')",
    "end of runs": """
def train(progress):
    while True:
        ap.Trainer(data, context=ap.Context(threads=1), epochs=1000).run(progress=progress)
for progress in (None, lambda values: False):
    threading.Thread(target=train, args=(progress,), daemon=True).start()
time.sleep(0.3); print('done')""",
    # What is needed goes last, also at the end of the process.
    "order": """
from attopotts._owned import Owned
context = Owned(0, lambda address: print("context"))
learner, data = (Owned(address, lambda address: print({1: "learner", 2: "data"}[address]), context) for address in (1, 2))
learner.need("test", data)
import atexit
atexit.register(print, "end")""",
    "ranks": """
c = ap.Context(threads=1)
class Alone(ap.Ranks):
    def gather(self, data, ends): c.set_ranks(None) or spoil()
    def sum(self, values): c.set_ranks(None) or spoil()
    def broadcast(self, data, root): c.set_ranks(None) or spoil()
c.set_ranks(Alone(0, 1)); c.any(True)
c.set_ranks(Alone(0, 1)); print(ap.Trainer(data, context=c, epochs=3).run())""",
    "wrong kind": """
for call in (lambda: ap.Sampler(data), lambda: ap.Trainer(model), lambda: ap.Trainer(data).set_test(model), lambda: ap.Trainer(data).set_truth(data),
             lambda: model.coupling_error(data), lambda: model.loss(model), lambda: ap.Model.random(4, 3, context=model), lambda: ap.Sampler(4)):
    try:
        call()
    except TypeError as error:
        assert "expected attopotts." in str(error), error
    else:
        sys.exit("not refused")
print("done")""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_handles_outlive_the_calls_that_use_them(name):
    done = subprocess.run([sys.executable, "-c", FIRST + PROGRAMS[name]], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, ""), (done.returncode, done.stderr)
    assert done.stdout == "end\nlearner\ndata\ncontext\n" if name == "order" else done.stdout, "the program ended early"


def test_a_handle_is_destroyed_when_its_context_is_idle():
    """Objects are collected in any thread; memory of a context is counted by one at a time."""
    context, destroyed, told = ap.Context(threads=1), [], []
    sampler = ap.Sampler(ap.Model.random(4, 3, context=context), context=context, chains=2)

    def report(values):
        if not told:
            Owned(1, lambda address: destroyed.append((address, threading.get_ident())), context._open)
            thread = threading.Thread(target=lambda: Owned(2, lambda address: destroyed.append((address, 0)), context._open))
            thread.start()
            thread.join()
        told.append(len(destroyed))

    sampler.sweep(2000, progress=report)
    assert told and not any(told)
    assert [address for address, _ in destroyed] == [1, 2]
    Owned(3, lambda address: destroyed.append((address, 0)), context._open)
    assert destroyed[-1] == (3, 0)


def test_a_handle_that_an_interrupt_hides_is_destroyed(tmp_path):
    def late(number, frame):
        raise TimeoutError("time is up")

    path, context = tmp_path / "many.fasta", ap.Context(threads=1)
    path.write_text("".join(f">s{k}\n{'ACDEFGHIKL' * 30}\n" for k in range(40000)))
    gc.collect()
    before, handler = context.memory()[1], signal.signal(signal.SIGALRM, late)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.02)  # while it is read
        with pytest.raises(TimeoutError):
            ap.Alignment.read(path, alphabet="protein", context=context)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
    gc.collect()
    assert context.memory()[1] == before


def test_closing_in_a_callback_gives_memory_back():
    context = ap.Context(threads=1)
    before = context.memory()[1]
    model = ap.Model.random(6, 4, context=context)
    sampler = ap.Sampler(model, context=context, chains=4)
    assert context.memory()[1] > before
    sampler.sweep(2000, progress=lambda values: sampler.close() or model.close())
    gc.collect()
    assert context.memory()[1] == before


def handles():
    model = ap.Model.random(6, 4, seed=1)
    sampler = ap.Sampler(model, chains=4)
    data = ap.Alignment(sampler.sample(50).sequences, colors=4)
    return {"Model": model, "Sampler": sampler, "Alignment": data, "Sampling": ap.Sampling(model, 5), "Trainer": ap.Trainer(data),
            "Context": ap.Context(), "Masked": ap.replica.Masked(np.eye(2), [1, 1], 0.1)}


@pytest.mark.parametrize("name", handles())
def test_raw_handles_and_contexts_are_neither_copied_nor_pickled(name):
    handle = handles()[name]
    for attempt in (copy.copy, copy.deepcopy, pickle.dumps, lambda x: pickle.dumps(x, 0)):
        with pytest.raises(TypeError, match="a handle of the library"):
            attempt(handle._open)
        if name == "Context":
            with pytest.raises(TypeError, match="Context objects belong to one process.*: make one there"):
                attempt(handle)


def test_tables_contacts_and_arrays_are_pickled():
    model = ap.Model.random(6, 4, seed=1)
    table = ap.dotattn.curve([1.0, 2.0])
    assert b"Owned" not in pickle.dumps(table)
    for found in (pickle.loads(pickle.dumps(table)), copy.deepcopy(table), copy.copy(table)):
        assert type(found) is ap.Table and found.keys() == table.keys() and all(np.array_equal(found[k], table[k], equal_nan=True) for k in table)
        assert (found.outcome, found.units, found.kind, found.csv()) == (table.outcome, table.units, table.kind, table.csv())
    data = ap.Alignment([[0, 1], [1, 1]])
    assert np.array_equal(pickle.loads(pickle.dumps(data.sequences)), data.sequences)
    assert pickle.loads(pickle.dumps(ap.contacts(model))) == ap.contacts(model)


def test_contacts_and_tables_as_data_frames():
    model = ap.Model.random(6, 4, seed=1)
    pairs = ap.contacts(model)
    assert pairs[0] == (pairs[0].i, pairs[0].j, pairs[0].score) and pairs[0].score == max(pair.score for pair in pairs)
    table = ap.dotattn.curve([1.0, 2.0])
    for found, columns in ((pairs.frame(), dict(zip(("i", "j", "score"), zip(*pairs)))), (table.frame(), dict(table))):
        assert list(found) == list(columns) and all(np.array_equal(found[c], columns[c], equal_nan=True) for c in columns)
    pandas = pytest.importorskip("pandas")
    for found in (pairs.frame(), table.frame(), pandas.DataFrame(pairs), pandas.DataFrame(table)):
        assert isinstance(found, pandas.DataFrame) and list(found) in (["i", "j", "score"], list(table))


def energies_in_a_child(sequences):
    return MODEL.energies(sequences)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_process_has_the_handles_of_its_parent():
    """The threads of a context do not cross a fork; the library starts others."""
    global MODEL
    MODEL, sequences = ap.Model.random(50, 20, seed=1), np.zeros((2000, 50), dtype=np.uint8)
    expected = MODEL.energies(sequences)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert all(np.array_equal(found, expected) for found in pool.map(energies_in_a_child, [sequences] * 4))
        assert np.array_equal(pool.map(MODEL.energies, [sequences])[0], expected)


def test_functions_take_owners_not_addresses():
    """So that no call is left with the address of a handle that another thread closes."""
    model = ap.Model.random(3, 2)
    assert lib.atp_model_sites(model._open) == 3 and not hasattr(model, "_address")
