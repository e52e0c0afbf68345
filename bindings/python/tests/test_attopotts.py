# SPDX-License-Identifier: MIT
"""The Python package against closed forms, plain NumPy and itself in other threads; its errors and interruptions."""
import csv
import ctypes
import gc
import logging
import operator
import os
import pathlib
import re
import shutil
import signal
import subprocess
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor

import attopotts as ap
import numpy as np
import pytest
from attopotts._generated import OPTION_ENUMS, DotattnBranch, DotattnSimColumn, DotattnStart, Family, Optimizer, Option, OptionOwner, TaskArray, TaskKind
from attopotts._handle import make
from attopotts._library import lib
from attopotts._owned import Owned


def raises(error, text, call):
    with pytest.raises(error, match=text):
        call()


class Mine(Exception):
    pass


def fail(report):
    raise Mine("from the callback")


@pytest.fixture
def truth():
    return ap.Model.random(sites=6, colors=4, seed=3)


def drawn(model, count, thin=1, sweeps=0, context=None, **options):
    """Sequences of chains that have forgotten their start after these sweeps."""
    sampler = ap.Sampler(model, context=context, **options)
    sampler.sweep(sweeps)
    return ap.Alignment(sampler.sample(count, thin=thin).sequences, colors=4, context=context)


@pytest.fixture
def data(truth):
    return drawn(truth, 500, 2, 50, chains=16, seed=5)


def dense_energy(model, s):
    """From the definition."""
    c, b = model.couplings(), model.fields
    sites = range(model.sites)
    pairs = sum(c[i, j, s[i], s[j]] for i in sites for j in sites if i != j)
    return -pairs / 2 - sum(b[i, s[i]] for i in sites)


def test_energies_and_conditionals_by_definition():
    rng = np.random.default_rng(1)
    c = rng.normal(size=(3, 3, 3, 3))
    c = (c + c.transpose(1, 0, 3, 2)) / 2
    c[range(3), range(3)] = 0
    model = ap.Model.dense(c, rng.normal(size=(3, 3)))
    states = np.indices((3, 3, 3)).reshape(3, -1).T
    energies = model.energies(states)
    assert np.allclose(energies, [dense_energy(model, s) for s in states], rtol=0, atol=1e-12)
    exact = model.enumerate(probabilities=True)
    p = np.exp(-energies)
    assert np.isclose(exact["log_z"], np.log(p.sum()), atol=1e-12)
    assert np.allclose(exact["probabilities"], p / p.sum(), atol=1e-14)
    # p(s_0 = a | rest) from the joint distribution
    joint = (p / p.sum()).reshape(3, 3, 3)
    expected = joint[:, states[5][1], states[5][2]]
    assert np.allclose(model.conditionals(states[5:6])[0, 0], expected / expected.sum(), atol=1e-13)


def test_heads_round_trip(truth):
    again = ap.Model.heads(truth.maps, truth.values)
    assert (again.sites, again.colors, again.head_count) == (6, 4, 1)
    assert np.array_equal(again.couplings(), np.einsum("hij,hab->ijab", truth.maps, truth.values))
    assert again.couplings(np.float32).dtype == np.float32
    assert again.coupling_error(truth) < 1e-28 and np.allclose(again.map_like(truth), truth.beta * truth.maps[0])
    raises(ValueError, r"values has shape", lambda: ap.Model.heads(truth.maps, truth.values[:, :2]))


def test_frequencies_by_numpy(data):
    weights = np.random.default_rng(2).random(len(data))
    data.weights = weights
    one_hot = np.eye(4)[data.sequences]
    f = np.einsum("n,nia->ia", weights, one_hot) / weights.sum()
    assert np.allclose(data.frequencies(), f, atol=1e-12)
    assert np.allclose(data.frequencies(0.5), 0.5 * f + 0.125, atol=1e-12)
    pairs = np.einsum("n,nia,njb->ijab", weights, one_hot, one_hot) / weights.sum()
    assert np.allclose(data.pair_frequencies(), pairs, atol=1e-12)
    assert np.isclose(data.effective_count, weights.sum())


def test_views_share_memory_and_outlive_the_alignment(data):
    view = data.sequences
    assert view.dtype == np.uint8 and not view.flags.writeable and not view.flags.owndata
    assert view.__array_interface__["data"][0] == data.sequences.__array_interface__["data"][0]
    kept = view.copy()
    data.close()
    gc.collect()
    assert np.array_equal(view, kept)
    raises(ValueError, "closed", lambda: len(data))


def test_sampling_writes_into_an_array_and_is_reproducible(truth):
    out = np.empty((64, 6), dtype=np.uint8)
    first = ap.Sampler(truth, chains=8, seed=9).sample(64, thin=3, out=out, energies=True)
    assert first.sequences.base is out or first.sequences is out
    second = ap.Sampler(truth, chains=8, seed=9).sample(64, thin=3)
    assert np.array_equal(first.sequences, second.sequences)
    assert np.allclose(first.energies, truth.energies(first.sequences), atol=1e-9)
    raises(ValueError, "expected writable uint8", lambda: ap.Sampler(truth).sample(64, out=np.empty((64, 6))))


def test_samples_follow_the_exact_marginals(truth):
    samples = drawn(truth, 256 * 40, 5, 100, chains=256, seed=4)
    exact = truth.enumerate()["marginals"]
    # Binomial errors, times 2 for what is left of correlation; 5 of them: a false alarm in 1e6.
    error = 2 * np.sqrt(exact * (1 - exact) / len(samples))
    assert np.all(np.abs(samples.frequencies() - exact) < 5 * error + 1e-4)


def test_equilibrium_samples_against_enumeration():
    truth = ap.Model.random(sites=6, colors=3, seed=3)
    result, exact = ap.sample_equilibrium(truth, 4096, seed=7), truth.enumerate()
    assert result.outcome == "converged" and result.difference == "" and result.numbers["rhat"] < 1.05
    s = result.alignment.sequences
    # Sequence m is of ladder m mod 64: errors are from the scatter of ladders.
    seen = np.hstack([np.eye(3)[s].reshape(4096, 18), truth.energies(s)[:, None]]).reshape(64, 64, 19).mean(axis=0)
    error = seen.std(axis=0, ddof=1) / 8
    # 5 errors of Student's t with 63 degrees of freedom, 19 numbers: a false alarm in 1e4.
    assert np.all(np.abs(seen.mean(axis=0) - np.append(exact["marginals"], exact["energy"])) < 5 * error) and np.all(error < 0.2)
    assert np.array_equal(ap.sample_equilibrium(truth, 4096, seed=7, context=ap.Context(threads=1)).alignment.sequences, s)


def test_rename():
    data = ap.Alignment(["AB-", "BBA"], alphabet="-AB", names=["x", "y"])
    renamed = data.rename(["one", "two"])
    assert renamed.names == ["one", "two"] and np.array_equal(renamed.sequences, data.sequences) and renamed.alphabet == "-AB"
    assert data.names == ["x", "y"]
    with pytest.raises(ValueError, match="names.1. has the character ' ' at place 3"):
        data.rename(["one", "the second"])
    with pytest.raises(ValueError, match="names has 1 lines, must have one for each of the 2 sequences"):
        data.rename(["one"])


def test_log_z_against_enumeration(truth, caplog):
    exact = truth.enumerate()
    for method in ("auto", "exact"):
        found = ap.estimate_log_z(truth, method=method)
        assert found.method == "exact" and found.log_z == exact["log_z"] and found.log_z_error == 0 and found.outcome == "converged"
    for method in ("annealing", "ladder"):  # 5 errors each: a false alarm in 1e5
        found = ap.estimate_log_z(truth, method=method, seed=4)
        assert found.method == method and abs(found.log_z - exact["log_z"]) < 5 * found.log_z_error < 0.5
        assert abs(found.energy - exact["energy"]) < 5 * found.energy_error < 0.5
        assert found.entropy == pytest.approx(found.log_z + found.beta * found.energy, abs=1e-9)
    data = ap.Alignment(np.array([[0, 1, 2, 0, 1, 2], [1, 1, 0, 2, 2, 0], [2, 0, 1, 1, 0, 0]], dtype=np.uint8), colors=4, weights=[1, 2, 0.5])
    mean, error = truth.mean_log_p(data, exact["log_z"], 0.5)
    log_p, w = -truth.beta * truth.energies(data.sequences) - exact["log_z"], data.weights / data.weights.sum()
    assert mean == pytest.approx(w @ log_p / 6, abs=1e-12)
    assert error == pytest.approx(np.sqrt(w @ (log_p - w @ log_p)**2 * (w @ w) + 0.25) / 6, abs=1e-12)
    large = ap.Model.random(sites=100, colors=20, seed=3)
    stopped = ap.estimate_log_z(large, progress=lambda report: True)
    assert stopped.outcome == "cancelled" and np.isnan(stopped.log_z)
    large.beta = 9
    with caplog.at_level(logging.WARNING, logger="attopotts"):
        assert ap.estimate_log_z(large, chains=32, steps=2).outcome == "max_iter"
    assert "worth" in caplog.records[0].getMessage()


def test_sampling_runs_go_on_warn_and_refuse(truth, caplog):
    run, other = (ap.Sampling(truth, 100, chains=8, seed=2) for _ in range(2))
    assert run.run(lambda report: run.stage == "burn_in") == (None, {}, "", "cancelled") and run.stage == "burn_in"
    other.load_state(run.save_state())
    expected = ap.sample_equilibrium(truth, 100, chains=8, seed=2).alignment.sequences
    assert all(np.array_equal(one.run().alignment.sequences, expected) and one.stage == "done" for one in (run, other))
    result = ap.sample_equilibrium(truth, 50, protocol="chain", thin=5, burn_in=20)
    assert result.outcome == "done" and (result.numbers["thin"], result.numbers["burn_in"]) == (5, 20)
    glass = ap.Model.random(20, 20, seed=1)
    with caplog.at_level(logging.WARNING, logger="attopotts"):
        result = ap.sample_equilibrium(glass, 64, chains=16, beta=5, burn_in=64, thin=1, temperatures=2, beta_hot=4.5)
    assert result.outcome == "max_iter" and "two runs differ" in result.difference
    assert [record.getMessage() for record in caplog.records] == ["not equilibrated: " + result.difference]
    raises(ap.InputError, "chains is 2, must be at least 4", lambda: ap.sample_equilibrium(truth, 10, chains=2))
    raises(ValueError, 'protocol is "warm"', lambda: ap.sample_equilibrium(truth, 10, protocol="warm"))


def test_restricted_walks(truth):
    allowed, start = np.ones((truth.sites, truth.colors), dtype=bool), np.ones((1, truth.sites), dtype=int)
    allowed[2, [0, 2]] = False
    allowed[0] = np.arange(truth.colors) == 1
    run = ap.Sampling(truth, 600, protocol="chain", chains=30, thin=1, burn_in=0, max_mutations=2)
    run.restrict(allowed)
    run.start(start)
    s = run.run().alignment.sequences
    assert np.all(allowed[np.arange(truth.sites), s]) and len(np.unique(s)) == truth.colors
    walk, curve = run.trajectory(), run.forgetting(s)
    assert np.array_equal(walk["mutations"], (s != start).sum(axis=1)) and walk["mutations"].max() == 2 and np.allclose(walk["energy"], truth.energies(s))
    assert np.allclose(curve["overlap"], 1 - walk["mutations"].reshape(20, 30).mean(axis=1) / truth.sites)
    sampler = ap.Sampler(truth, chains=8)
    sampler.restrict(allowed)
    sampler.sweep(3)
    assert np.all(allowed[np.arange(truth.sites), sampler.states()])
    raises(ap.InputError, r"allowed: site 1 \(number 2\) has no allowed colour", lambda: sampler.restrict(allowed * (np.arange(truth.sites) != 1)[:, None]))
    sampler.restrict()
    sampler.sweep(30)
    assert len(np.unique(sampler.states()[:, 0])) > 1


def test_state_goes_on_with_the_same_numbers(truth):
    a, b = ap.Sampler(truth, seed=2), ap.Sampler(truth, seed=2)
    a.sweep(10)
    b.load_state(a.save_state())
    assert np.array_equal(a.sample(20).sequences, b.sample(20).sequences)


def assert_slopes(t, value, gradient, every, bound):
    """Some elements of a gradient by central differences at the present parameters."""
    x = t.parameters
    for k in range(0, x.size, every):
        sides = []
        for step in (1e-5, -1e-5):
            t.parameters = x + step * (np.arange(x.size) == k)
            sides.append(value())
        assert abs((sides[0] - sides[1]) / 2e-5 - gradient[k]) < bound


def test_gradient_by_differences(data):
    trainer = ap.Trainer(data, precision=64, fields=True, map="softmax", l2_couplings=0.01)
    trainer.parameters = np.random.default_rng(3).normal(size=trainer.parameters.size)
    assert_slopes(trainer, lambda: trainer.gradient().objective, trainer.gradient().gradient, 7, 1e-8)


SMALL = {"factored": {"epochs": 12, "precision": 64, "tolerance": 0, "l2_couplings": 1e-3},
         "encoder": {"family": "encoder", "blocks": 2, "width": 6, "batch": 50, "epochs": 12, "precision": 64, "seed": 7}}
LEARNERS = pytest.mark.parametrize("kind", SMALL)


def small(kind, data, **values):
    return ap.Trainer(data, **{**SMALL[kind], **values})


@LEARNERS
def test_masked_gradients(data, kind):
    t = small(kind, data)
    sites, whole = [t.gradient(np.full(len(data), i)) for i in range(6)], t.gradient()
    assert np.isclose(np.mean([one.loss for one in sites]), whole.loss, rtol=1e-12)
    assert np.allclose(np.mean([one.gradient for one in sites], axis=0), whole.gradient, atol=1e-12)
    raises(ap.InputError, "ATP_E_SHAPE", lambda: t.gradient([0, 1]))
    raises(ValueError, r"masked_sites\[0\] is 0.5, expected integers", lambda: t.gradient(np.full(len(data), 0.5)))


@LEARNERS
def test_learners_stop_and_go_on(data, kind):
    t, u = small(kind, data), small(kind, data)
    assert t.run(progress=lambda report: report["step"] >= 3) == "cancelled" and t.epochs == 3
    raises(Mine, "from the callback", lambda: t.run(progress=fail))
    assert t.epochs == 4  # the state is kept
    t.run(1)
    assert t.epochs == 5
    u.load_state(t.save_state())
    t.run()
    u.run()
    assert np.array_equal(t.parameters, u.parameters) and t.epochs == u.epochs == 12
    t.parameters = t.parameters
    assert t.epochs == 0
    t.request_stop()
    assert t.run() == "cancelled"


@LEARNERS
def test_lifetime_of_a_learner(truth, kind):
    """Its alignments may be closed first."""
    with ap.Context(threads=1) as context:
        data = drawn(truth, 200, chains=16, context=context)
        before = context.memory()[1]
        t = small(kind, data, context=context, epochs=3)
        assert context.memory()[1] - before == ap.Trainer.bytes(200, 6, 4, **{**SMALL[kind], "epochs": 3})
        t.set_test(ap.Alignment(data.sequences[:50], colors=4, context=context))
        data.close()
        gc.collect()
        seen = []
        t.run(progress=seen.append)
        assert t.epochs == 3 and "test_loss" in seen[0]
        del t, data
        gc.collect()
        assert context.memory()[1] == 0


def by_hand(context, name, *arguments):
    """A handle by the functions of C, without the layer that is tested. Handles among the arguments live until it is made."""
    address = make(getattr(lib, f"atp_{name}_create"), context._open, *arguments)
    return Owned(address, getattr(lib, f"atp_{name}_destroy"), context._owned)


def bag_by_hand(context, owner, options):
    bag = by_hand(context, "options", owner)
    for name, value in options.items():
        assert lib.atp_options_set_f64(bag, Option[name.upper()], value) == 0
    return bag


def test_an_encoder_gives_the_numbers_of_the_c_functions(data):
    """The same calls by hand, through the low layer."""
    t = small("encoder", data)
    assert t.run() == "max_iter" and t.epochs == 12
    context = ap.Context()
    handle = by_hand(context, "trainer", data._open, bag_by_hand(context, OptionOwner.TRAINER, {**SMALL["encoder"], "family": Family.ENCODER}))
    loss, p, maps = ctypes.c_double(), np.empty((3, 6, 4)), np.empty((2, 6, 6))
    assert lib.atp_trainer_run(handle, 12, None, None, None) == 0
    assert lib.atp_trainer_loss(handle, data._open, ctypes.addressof(loss)) == 0
    assert lib.atp_trainer_conditionals(handle, data.sequences.ctypes.data, 3, 6, p.ctypes.data, p.size) == 0
    assert lib.atp_trainer_maps(handle, data._open, maps.ctypes.data, maps.size) == 0
    assert t.loss(data) == loss.value and np.array_equal(t.conditionals(data.sequences[:3]), p)
    assert np.array_equal(t.maps(data), maps)


def test_an_encoder_by_definition(data):
    t = small("encoder", data)
    s = data.sequences
    p = t.conditionals(s)
    assert p.shape == (len(data), 6, 4) and np.allclose(p.sum(2), 1)
    losses = -np.log(np.take_along_axis(p, s[..., None].astype(int), 2))[..., 0]
    assert np.isclose(t.loss(data), losses.mean(), rtol=1e-12)
    maps = t.maps(data)
    assert maps.shape == (2, 6, 6) and np.allclose(maps.sum(2), 1)
    whole = t.gradient()
    assert whole.loss == whole.objective and np.isclose(whole.loss, losses.mean(), rtol=1e-12)
    assert np.isclose(t.gradient([3] * len(data)).loss, losses[:, 3].mean(), rtol=1e-12)
    assert_slopes(t, lambda: t.loss(data), whole.gradient, 53, 1e-7)


def assert_parts_are_all(t):
    ends = [part.stop for part in t.parts.values()]
    assert [part.start for part in t.parts.values()] == [0, *ends[:-1]]
    assert ends[-1] == t.parameter_count == t.parameters.size


def test_parts_of_the_parameters(data):
    t = small("encoder", data)
    parts = t.parts
    assert list(parts)[:2] == ["tokens", "block1.qkv"] and "block2.qkv" in parts
    assert parts["tokens"] == slice(0, 5 * 6) and parts["block1.qkv"] == slice(30, 30 + 18 * 6)
    assert_parts_are_all(t)
    raises(TypeError, "", lambda: operator.setitem(parts, "tokens", slice(0, 1)))


@pytest.mark.parametrize("values", [
    {}, {"heads": 2, "fields": True}, {"map": "lowrank", "rank": 3, "fields": True}, {"colors_fixed": True},
    {"gaps": "ignore", "fields": True}, {"family": "dense"}, {"family": "dense", "gaps": "ignore"},
    {"family": "dense", "asymmetric": True}])
def test_parts_of_the_parameters_of_a_trainer(data, values):
    assert_parts_are_all(ap.Trainer(data, **values))


def test_parts_are_what_they_are_called(data):
    t = ap.Trainer(data, heads=2, fields=True, epochs=3)
    t.run()
    x, model, off = t.parameters, t.model(), ~np.eye(6, dtype=bool)
    assert np.array_equal(x[t.parts["maps"]].reshape(2, 6, 6)[:, off], model.maps[:, off])
    assert np.array_equal(x[t.parts["values"]].reshape(2, 4, 4), model.values)
    assert np.array_equal(x[t.parts["fields"]].reshape(6, 4), model.fields)
    t = ap.Trainer(data, family="dense", epochs=3)
    t.run()
    x, model = t.parameters, t.model()
    upper = model.couplings()[np.triu_indices(6, 1)]
    assert np.allclose(x[t.parts["fields"]].reshape(6, 4), model.fields, atol=1e-12)
    assert np.allclose(x[t.parts["couplings"]].reshape(15, 4, 4), upper, atol=1e-12)


def test_a_dial_at_zero_is_a_model(truth, data):
    t = ap.Trainer(data, family="dial", dial=0, precision=64, epochs=20)
    t.set_test(data)
    t.set_truth(truth)
    seen = []
    t.run(5, seen.append)
    assert len(seen) == 5 and {"train_loss", "test_loss", "optimal_loss", "coupling_error", "gradient_norm", "rate"} <= set(seen[0])
    assert np.isclose(seen[-1]["optimal_loss"], truth.loss(data), rtol=1e-12)
    model = t.model()
    assert model.head_count == 1 and np.allclose(model.conditionals(data.sequences), t.conditionals(data.sequences), atol=1e-12)
    assert np.isclose(seen[-1]["coupling_error"], model.coupling_error(truth), rtol=1e-9)
    raises(ap.Error, "ATP_E_UNSUPPORTED", lambda: ap.Trainer(data, family="dial", dial=0.5).model())
    raises(ap.Error, "ATP_E_UNSUPPORTED", lambda: small("encoder", data).model())


def test_wrong_uses_of_networks(data):
    t = small("encoder", data)
    raises(ap.InputError, "ATP_E_CONFLICT", lambda: small("encoder", data, heads=2))
    raises(ap.InputError, "ATP_E_CONFLICT", lambda: small("encoder", data, optimizer="lbfgs", objective="mlm"))
    raises(ValueError, "expected one of factored, dense, encoder, dial", lambda: small("encoder", data, family="decoder"))
    raises(ValueError, "has 5 sites, expected 6", lambda: t.conditionals(np.zeros((2, 5), dtype=np.uint8)))
    raises(ap.InputError, "ATP_E_ALPHABET", lambda: t.conditionals(np.full((2, 6), 4)))
    raises(ap.InputError, "ATP_E_SHAPE", lambda: setattr(t, "parameters", np.zeros(3)))
    raises(ap.InputError, "ATP_E_VALUE", lambda: t.gradient(np.full(len(data), 6)))
    other = ap.Alignment(np.zeros((4, 5), dtype=np.uint8), colors=4)
    for use in (t.loss, t.maps, t.set_test):
        raises(ap.InputError, "ATP_E_SHAPE", lambda use=use: use(other))
    raises(ap.InputError, "ATP_E_MISMATCH", lambda: small("encoder", data, width=8).load_state(t.save_state()))
    raises(ap.InputError, "ATP_E_VALUE", lambda: t.run(-1))
    t.close()
    for use in (t.run, t.gradient, t.save_state, lambda: t.parts, lambda: t.loss(data), lambda: t.keep_log(3)):
        raises(ValueError, "this Trainer is closed", use)


def test_training_reports_and_stops(truth, data):
    seen = []
    trainer = ap.Trainer(data, epochs=50, tolerance=1e-12)
    trainer.set_test(data)
    trainer.set_truth(truth)
    assert trainer.run(progress=lambda report: seen.append(report) or report["step"] >= 3) == "cancelled"
    assert len(seen) == 3 and trainer.epochs == 3
    assert {"train_loss", "test_loss", "optimal_loss", "coupling_error", "gradient_norm"} <= set(seen[0])
    assert "energy" not in seen[0]
    assert trainer.run() in ("converged", "max_iter", "stalled")


def test_errors_are_native_and_have_the_librarys_text(truth, data):
    with pytest.raises(ap.InputError, match="ATP_E_ALPHABET.*9") as caught:
        ap.Alignment([[0, 9], [1, 1]], colors=4)
    assert caught.value.status == ap.Status.E_ALPHABET and isinstance(caught.value, ValueError)
    raises(ap.InputError, "ATP_E_NOT_FINITE", lambda: ap.Model.dense(np.full((2, 2, 2, 2), np.nan)))
    raises(ap.FileError, "ATP_E_OPEN", lambda: ap.Alignment.read("no-such-file.fasta", alphabet="protein"))
    raises(OSError, "", lambda: ap.Model.read("no-such-file.h5"))
    raises(TypeError, 'no option "beta"', lambda: ap.Trainer(data, beta=2))
    raises(ap.InputError, "ATP_E_OPTION_RANGE", lambda: ap.Trainer(data, heads=0))
    raises(ValueError, "expected one of free, softmax, lowrank", lambda: ap.Trainer(data, map="round"))
    raises(ValueError, r"sequences\[0\]\[0\] is 0.5, expected 0..255", lambda: ap.Alignment(np.full((3, 3), 0.5)))
    raises(ValueError, r"sequences\[0\]\[1\] is 300, expected 0..255", lambda: ap.Alignment([[0, 300]]))
    raises(ValueError, "has 5 sites, expected 6", lambda: truth.energies(np.zeros((2, 5), dtype=np.uint8)))
    raises(ap.InputError, "ATP_E_OPTION_RANGE.*shift", lambda: ap.replica.limit(1.5, [1.0], 0.0))
    raises(ap.InputError, "ATP_E_TOO_LARGE", lambda: ap.Model.random(40, 10).enumerate(probabilities=True))
    truth.close()
    truth.close()
    raises(ValueError, "this Model is closed", lambda: ap.Sampler(truth))


def test_borrowed_sequences_stay_where_they_are(data):
    array = np.array(data.sequences)
    borrowed = ap.Alignment.borrow(array, 4, weights=data.weights, alphabet="ACDE")
    assert borrowed.sequences.ctypes.data == array.ctypes.data and np.array_equal(borrowed.weights, data.weights)
    assert borrowed.alphabet == "ACDE"
    watched = weakref.ref(array)
    trainer = ap.Trainer(borrowed)
    del array, borrowed
    gc.collect()
    assert watched() is not None  # the trainer reads it
    del trainer
    gc.collect()
    assert watched() is None
    for wrong in (data.sequences.astype(np.int64), np.asfortranarray(data.sequences), data.sequences[0], data.sequences.tolist()):
        raises(TypeError, "uint8", lambda: ap.Alignment.borrow(wrong, 4))
    raises(ap.InputError, "ATP_E_ALPHABET", lambda: ap.Alignment.borrow(np.array(data.sequences), 2))


def test_files(tmp_path, data):
    data.alphabet = "ACDE"
    path = tmp_path / "a.fasta"
    data[:10].write(path, "fasta")
    again = ap.Alignment.read(path, alphabet="ACDE")
    assert np.array_equal(again.sequences, data.sequences[:10]) and again.names[0]
    parts = [ap.Alignment.read_part(path, k, 3, alphabet="ACDE") for k in range(3)]
    assert np.array_equal(np.concatenate([part.sequences for part in parts]), again.sequences)
    raises(ap.InputError, "part is 3", lambda: ap.Alignment.read_part(path, 3, 3, alphabet="ACDE"))
    if ap.has_feature("hdf5"):
        data.write(tmp_path / "a.h5")
        assert np.array_equal(ap.Alignment.read(tmp_path / "a.h5").sequences, data.sequences)
    path.write_text(">a\nACD\n>b\nAC\n")
    raises(ap.InputError, "a.fasta", lambda: ap.Alignment.read(path, alphabet="ACDE"))


def test_autoregressive_models():
    order, (sites, colors) = [2, 0, 3, 1], (4, 3)
    random = np.random.default_rng(7)
    couplings, fields = np.zeros((sites, sites, colors, colors)), random.normal(size=(sites, colors))
    for k, i in enumerate(order):
        for j in order[:k]:
            couplings[i, j] = random.normal(size=(colors, colors))
    model = ap.Model.dense(couplings, fields)
    assert not model.is_ordered
    raises(ap.Error, "has no order", model.order)
    raises(ap.Error, "order has site 0 before site 2", lambda: model.set_order([0, 2, 3, 1]))
    model.set_order(order)
    assert model.is_ordered and list(model.order()) == order
    states = np.array(list(np.ndindex(*[colors] * sites)), dtype=np.uint8)
    logits = fields[None] + sum(couplings[:, j][:, :, states[:, j]].transpose(2, 0, 1) for j in range(sites))
    logs = logits - np.log(np.exp(logits).sum(axis=2, keepdims=True))
    known = np.take_along_axis(logs, states[:, :, None].astype(int), axis=2)[:, :, 0].sum(axis=1)
    assert np.isclose(np.exp(known).sum(), 1) and np.allclose(model.energies(states), -known, atol=1e-12)
    assert np.allclose(model.enumerate(probabilities=True)["probabilities"], np.exp(known), atol=1e-14)
    d = known.reshape([colors] * sites)[:, 1, 0, :]  # all mutants of sites 0 and 3 of the sequence ?, 1, 0, ?
    d = d - d.mean(axis=0) - d.mean(axis=1, keepdims=True) + d.mean()
    scores = model.epistatic_scores([[2, 1, 0, 0]], gap=-1)
    assert np.isclose(scores[0, 3], np.linalg.norm(d)) and scores[3, 0] == scores[0, 3]
    model.set_order()
    assert not model.is_ordered


def test_models_and_scores_of_other_programs(tmp_path, truth):
    truth.alphabet = "ACDE"
    for format in ("adabm", "bmdca"):
        path = tmp_path / format
        truth.gauge("zero_sum").write(path, format)
        again = ap.Model.read(path, alphabet="ACDE")
        assert np.allclose(again.couplings(), truth.gauge("zero_sum").couplings(), atol=1e-12)
    fn = truth.frobenius()
    ap.scores.write(fn, tmp_path / "fn.mat")
    back, numbers, residues = ap.scores.read(tmp_path / "fn.mat")
    assert np.array_equal(back, fn) and list(numbers) == list(range(1, 7)) and residues == ""


def test_focus_filter_weights(tmp_path):
    path = tmp_path / "family.fasta"
    path.write_text(">one/11-14\nAC-DE\n>two\nACCDE\n>three\n--CDE\n>four\nEEEEE\n>five\nACCDE\n")
    family = ap.Alignment.read(path, alphabet="-ACDE")
    focus = family.focus("one")
    assert focus.sites == 4 and list(focus.site_numbers) == [11, 12, 13, 14] and focus.site_residues == "ACDE"
    assert family.find("one") == 0
    raises(ap.InputError, "three", lambda: family.focus("thre"))
    kept, left_out = family.filter(max_gaps_sequence=0.3, remove_duplicates=True)
    assert len(kept) == 3 and left_out == (1, 0, 1)
    # "two" and "five" have no gap; "one" is first, "three" is like all of them where it has residues.
    assert family.filter_identity(0.8).names == ["one/11-14", "four"] and len(family.filter_identity(1)) == 5
    stockholm = tmp_path / "family.sto"
    family.write(stockholm, format="stockholm")
    assert np.array_equal(ap.Alignment.read(stockholm, alphabet="-ACDE").sequences, family.sequences)
    model = ap.Model.independent(family)
    assert model.mutations_offset(family.sequences[1], ["A11C", "c12A", "C13A", "D14E"]) == (4, 0, -10, 4)
    family.weigh(0.2)
    data = family.sequences
    close = (data[:, None] != data[None]).sum(2) <= 0.2 * 5
    assert np.allclose(family.weights, 1 / close.sum(1))
    scan = family.scan_weights([0, 0.2, 0.5])
    assert scan["theta"].tolist() == [0, 0.2, 0.5] and np.isclose(scan["effective"][1], family.weights.sum())
    training, test, parts = family.split(identity=0.4, identity_test=1)
    same = (data[:, None] == data[None]).mean(2)
    assert same[parts == 1][:, parts == 2].max() <= 0.4 and len(training) == (parts == 1).sum() and len(test) == (parts == 2).sum() > 0
    assert np.array_equal(test.sequences, data[parts == 2]) and np.array_equal(family[[1, 3]].sequences, data[[1, 3]])
    assert np.array_equal(family[[3, 1]].sequences, family.sequences[[3, 1]])
    family.weigh(0.2, "residues")
    both = ((data[:, None] > 0) & (data[None] > 0))
    apart = ((data[:, None] != data[None]) & both).sum(2)
    assert np.allclose(family.weights, 1 / ((apart <= 0.2 * both.sum(2)) | np.eye(5, dtype=bool)).sum(1))
    family.weigh("auto")
    assert 0 < family.auto_theta() <= 0.5
    f, pairs = family.frequencies(), family.pair_frequencies()
    assert np.allclose(family.covariances()[0, 1], pairs[0, 1] - np.outer(f[0], f[1]), atol=1e-12)


def test_dense_training_recovers_couplings(truth):
    trainer = ap.Trainer(drawn(truth, 256 * 80, 5, 50, chains=256, seed=8), family="dense", epochs=200)
    assert trainer.run() in ("converged", "stalled")
    learned, expected = trainer.model().gauge("zero_sum").couplings(), truth.gauge("zero_sum").couplings()
    # Both are dense, and pseudo-likelihood is consistent: errors of about sqrt(q^2 / samples) = 0.03.
    assert np.sqrt(((learned - expected) ** 2).mean()) < 0.06


def test_autoregressive_training(data):
    """The loss is -log P / L by the definition, in the order that was set, whose sites see only those before them."""
    order = np.arange(data.sites)[::-1].copy()
    trainer = ap.Trainer(data, family="dense", objective="autoregressive", precision=64)
    start = trainer.loss(data)
    trainer.run(5)
    trainer.set_order(order)
    assert trainer.epochs == 0 and trainer.loss(data) == pytest.approx(start, rel=1e-12)
    trainer.run()
    model = trainer.model()
    couplings, sequences = model.couplings(), data.sequences
    logits = np.array([model.fields[i] + sum(couplings[i, j][:, sequences[:, j]].T for j in range(data.sites))
                       for i in range(data.sites)])
    for i in range(data.sites):
        assert np.all(couplings[i, :i + 1] == 0)
    log_p = logits - np.log(np.exp(logits).sum(axis=2, keepdims=True))
    found = np.take_along_axis(log_p, sequences.T[:, :, None].astype(int), axis=2)[:, :, 0].mean(axis=0)
    assert trainer.loss(data) == pytest.approx(-np.average(found, weights=data.weights), rel=1e-10) and trainer.loss(data) < start
    with pytest.raises(ValueError, match="again"):
        trainer.set_order(np.zeros(data.sites, dtype=np.int64))


def test_chains_go_on(data):
    """Chains of a trainer are an alignment that another one starts from."""
    options = dict(family="dense", objective="likelihood", chains=32, random_chains=0, target=1)
    first, other = ap.Trainer(data, **options), ap.Trainer(data, **options)
    first.run(5)
    chains = first.chains()
    assert chains.sequences.shape == (32, data.sites) and chains.effective_count == 32
    assert not np.array_equal(other.chains().sequences, chains.sequences)
    other.start_chains(chains)
    assert np.array_equal(other.chains().sequences, chains.sequences)
    raises(ap.Error, "only the objective likelihood has chains", lambda: ap.Trainer(data).chains())


def test_tested_sequences_and_sparse_couplings(data):
    options = dict(family="dense", objective="likelihood", chains=32, target=1, epochs=20)
    trainer = ap.Trainer(data, **options)
    trainer.run(2)
    signs = np.where(np.arange(data.count) % 2 == 0, 1, -1)
    trainer.reintegrate(data, signs, 0.1)
    assert trainer.epochs == 0
    raises(ap.Error, "1 \\+ strength \\* mean is 0, must be above 0", lambda: trainer.reintegrate(data, -np.ones(data.count)))
    sparse = ap.Trainer(data, sparsify="activate", density=0.1, **options)
    sparse.run()
    active = np.count_nonzero(sparse.parameters[sparse.parts["couplings"]]) / (sparse.parameters.size - data.sites * data.colors)
    assert 0 < active <= 0.1


def test_penalties_chosen_by_the_data(data):
    fold, cluster = ap.select_folds(data, folds=3, fold_distance=0)
    same = (data.sequences[:, None] == data.sequences[None]).all(2)
    assert np.array_equal(cluster[:, None] == cluster, same) and set(fold) == {0, 1, 2}
    assert len({(f, c) for f, c in zip(fold.tolist(), cluster.tolist())}) == len(set(cluster.tolist()))
    path = ap.select_penalty(data, family="dense", folds=3, strengths=3, fold_distance=0)
    assert path["chosen"].sum() == 1 and (np.diff(path["l2_couplings"]) < 0).all() and path.outcome in ("converged", "max_iter")
    assert np.allclose(path["excess"], path["heldout_loss"] - path["independent_loss"], rtol=0, atol=1e-9)
    raises(ap.InputError, "1000", lambda: ap.select_penalty(data, folds=1000))
    pairs = [(i, j) for j in range(data.sites) for i in range(j)]
    listed = ap.select_penalty(data, pairs=pairs, folds=3, strengths=3, fold_distance=0)
    for column in ("l2_couplings", "heldout_loss", "chosen"):
        assert np.array_equal(listed[column], path[column])
    assert listed.outcome == "converged"
    assert ap.select_penalty(data, pairs=pairs[:2], folds=3, progress=lambda numbers: True).outcome == "cancelled"


def test_weights_of_sites(data):
    model = ap.Model.random(4, 3, seed=2)
    gauged, half = model.gauge("zero_sum"), model.weigh_sites(np.full(4, 0.5))
    assert np.allclose(half.couplings(), gauged.couplings() / 2) and np.allclose(half.fields, gauged.fields / 2)
    raises(ap.InputError, "weights", lambda: model.weigh_sites(np.array([1, 1, -1, 1.0])))


def test_select(data):
    assert np.array_equal(data[3:100:7].sequences, data.sequences[3:100:7])
    assert np.array_equal(data[3].sequences, data.sequences[3:4])


def test_two_threads_give_the_numbers_of_one(truth):
    def work(seed):
        with ap.Context(threads=1) as context:
            data = drawn(truth, 800, 5, chains=16, seed=seed, context=context)
            trainer = ap.Trainer(data, context=context, epochs=20)
            trainer.run()
            return data.sequences, trainer.parameters

    alone = [work(seed) for seed in (1, 2)]
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(work, (1, 2)))
    for one, two in zip(alone, together):
        assert np.array_equal(one[0], two[0]) and np.array_equal(one[1], two[1])


def test_rungs_against_enumeration():
    """36 numbers within 4.5 of their standard errors: false alarm 2e-4; the seed is fixed."""
    model, betas = ap.Model.random(5, 3, seed=2), [0, 0.4, 0.8, 1.2]
    sampler = ap.Sampler(model, chains=16, temperatures=4)
    sampler.betas = betas
    sampler.sweep(100)
    rungs, overlaps = sampler.measure(400, thin=2, reference=[0, 1, 2, 1, 0])
    exact = ap.enumerate_rungs(model, betas, [0, 1, 2, 1, 0])
    for name in ("reference", "energy", "specific_heat", "magnetisation", "magnetisation_binder", "overlap", "overlap_square", "log_z", "entropy"):
        assert np.all(np.abs(rungs[name] - exact[name]) <= 4.5 * rungs[name + "_error"] + 1e-9), name
    assert np.allclose(np.bincount(np.repeat(range(4), 6), overlaps["density"] * overlaps["width"]), 1)
    assert np.all(np.isnan(ap.enumerate_rungs(model, betas)["reference"]))
    assert len(sampler.measure(1 << 14, progress=lambda numbers: True)[0]["beta"]) == 0


def test_chain_mixing():
    series = np.random.default_rng(3).normal(size=(4, 500))
    mixed = ap.chain_mixing(series)
    assert mixed.outcome == "converged" and mixed.rhat <= mixed.rhat_limit and mixed.bulk_ess > 1500 and mixed.tail_ess > 1000
    series[2] = 0  # stuck in the middle of the others: split R-hat does not see it
    stuck = ap.chain_mixing(series)
    assert ap.split_rhat(series) < 1.01 and stuck.outcome == "max_iter" and stuck.rhat > 1.1


def test_overlap_rhat():
    """Two chains that take turns: each in a state of its own, or both anywhere."""
    stuck = np.tile([[0, 1, 0], [1, 0, 1]], (20, 1)).astype(np.uint8)
    mixed = np.random.default_rng(3).integers(0, 4, size=(4000, 6), dtype=np.uint8)
    assert ap.overlap_rhat(stuck, 2) == np.inf and ap.overlap_rhat(mixed, 2) < 1.05


def test_the_lock_is_released():
    """Another thread runs while the library works."""
    series = np.random.default_rng(1).integers(0, 20, size=(4000, 200), dtype=np.uint8)
    with ThreadPoolExecutor(1) as pool:
        ticks, begin = 0, time.monotonic()
        running = pool.submit(ap.hamming_histogram, series)  # no callback: one call of a while
        while not running.done():
            time.sleep(0.005)
            ticks += 1
        assert time.monotonic() - begin < 0.05 or ticks > 2


def test_a_context_stops_what_runs_in_it():
    context = ap.Context(threads=2)
    model = ap.Model.random(20, 4, seed=1, context=context)
    sampler = ap.Sampler(model, context=context)
    threading.Timer(0.2, context.request_stop).start()
    begin = time.monotonic()
    assert sampler.sweep(10**12) == "cancelled" and time.monotonic() - begin < 20
    before = sampler.sweeps
    assert context.stop_requested and sampler.sweep(5) == "cancelled" and sampler.sweeps == before
    context.clear_stop()
    assert not context.stop_requested and sampler.sweep(5) == "done" and sampler.sample(4).outcome == "done"


def test_more_epochs_than_the_option(data, caplog):
    one, other = (ap.Trainer(data, optimizer="adam", epochs=20) for _ in range(2))
    with caplog.at_level(logging.WARNING, logger="attopotts"):
        assert one.run(20) == one.run() == "max_iter" and not caplog.records
        assert other.run(50) == "max_iter" and other.epochs == 20 and np.array_equal(one.parameters, other.parameters)
    text = caplog.records[0].getMessage()
    assert len(caplog.records) == 1 and "20 of the 50 epochs" in text and "option epochs is 20" in text and "more epochs" in text


def test_keyboard_interrupt_keeps_the_state():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    sampler = ap.Sampler(ap.Model.random(64, 20, seed=1), chains=64)
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    raises(KeyboardInterrupt, "", lambda: sampler.sweep(10**7))
    assert 0 < sampler.sweeps < 10**7 and sampler.sweep(5) == "done"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("progress", [None, lambda numbers: False])
def test_what_the_handler_of_a_signal_raises_ends_the_call(progress):
    def late(number, frame):
        raise TimeoutError("time is up")

    sampler, before = ap.Sampler(ap.Model.random(64, 20, seed=1), chains=64), signal.signal(signal.SIGALRM, late)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        raises(TimeoutError, "^time is up$", lambda: sampler.sweep(20000, progress=progress))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert 0 < sampler.sweeps < 20000 and sampler.sweep(5) == "done"


def test_replica_limit_and_spectrum():
    # lambda = 0, alpha > 1: exactly alpha / (z (alpha - 1))
    curve = ap.replica.limit(2.5, [2.0, 4.0], 0.0)
    assert np.allclose(curve["eg"], np.array([2.0, 4.0]) / (2.5 * np.array([1.0, 3.0])), rtol=1e-12)
    assert curve.outcome == "converged"
    masked = ap.replica.mask_precision(ap.replica.goe_precision(60, 2.5, seed=2))
    s, t = masked.spectrum()
    assert np.allclose(s, np.linalg.eigvalsh(masked.covariance), rtol=1e-10)
    assert np.isclose((s * t).sum(), masked.weights @ masked.covariance @ masked.weights, rtol=1e-10)
    again = ap.replica.Masked(masked.covariance, masked.weights, masked.noise)
    assert np.array_equal(again.spectrum().eigenvalues, s) and again.noise == masked.noise and again.parameters == 59
    full = ap.replica.mask_covariance(np.linalg.inv(ap.replica.goe_precision(60, 2.5, seed=2)), 0)
    assert np.allclose(full.weights, masked.weights, atol=1e-10)
    one, two = ap.replica.square(s, t, masked.noise, [2.0], 0.1), ap.replica.square_saddle(s, t, masked.noise, [2.0], 0.1)
    assert np.isclose(one["eg"][0], two["eg"][0], rtol=1e-9)
    simulated = ap.replica.simulate(masked, [2.0], 0.1, realisations=200)
    assert abs(simulated["eg"][0] - one["eg"][0]) < 4 * simulated["eg_sem"][0] + 0.02 * one["eg"][0]
    huber, best = ap.replica.convex(s, t, [2.0], 0.1, loss="huber", noise=masked.noise, delta=1e6)
    assert np.isclose(huber["eg"][0], one["eg"][0], rtol=1e-8) and best <= huber["eg"][0]
    # Two colours of fields +-u/2 are the logistic loss.
    pair = np.array([[0.25, -0.25], [-0.25, 0.25]])
    logistic, known = ap.replica.convex(s, t, [2.0], 0.1)
    potts, best = ap.replica.potts(s, t, pair, [2.0], 0.1, points=2**14, shifts=2)
    assert np.isclose(potts["eg"][0], logistic["eg"][0], rtol=1e-8) and np.isclose(best, known, rtol=1e-8)
    simulated = ap.replica.simulate_potts(masked, pair, [2.0], 0.1, realisations=50)
    assert abs(simulated["et"][0] - potts["et"][0]) < 4 * simulated["et_sem"][0] + 0.02 * potts["et"][0]


def test_searches_along_curves_and_spin_models():
    # alpha / (alpha - 1) = R at alpha = R / (R - 1)
    found = ap.replica.limit(2.5, penalty=0.0, targets=[1.05, 1.2])
    assert np.allclose(found["alpha"], [21, 6], rtol=1e-8)
    # Inputs of one variance: noise / |w*|^2 for every alpha.
    best = ap.replica.square(np.ones(4), np.full(4, 0.5), 0.3, [0.5, 3.0], best_lambda=True)
    assert np.allclose(best["lambda"], 0.15, rtol=1e-5)
    pair = np.array([[0.25, -0.25], [-0.25, 0.25]])
    assert np.array_equal(ap.replica.color_covariance([[0.5, -0.5], [-0.5, 0.5]]), pair)
    glass = ap.replica.spin_glass(1.2, pair, parameters=100)
    s, t = glass.spectrum()
    assert np.isclose(s.mean(), 1, rtol=1e-6) and np.isclose(t.sum(), 1.44, rtol=1e-12)
    # One site given another: K of its V, and a spectrum of one number.
    model = ap.Model.heads(np.array([[[0, 0.5], [0.5, 0]]]), np.eye(2)[None])
    data = ap.Alignment([[0, 0], [1, 1], [0, 1], [1, 0]])
    masked, colors = ap.replica.potts_inputs(model, data)
    assert np.allclose(colors, pair) and np.isclose(masked.covariance[0, 0], 1) and np.isclose(masked.weights[0], 0.5)


def values_by_hand(kind, arrays, options):
    """The rows of a task through the functions of C, without the layer that is tested."""
    context = ap.Context(threads=1)
    task = by_hand(context, "task", TaskKind[kind], bag_by_hand(context, TaskKind[kind], options))
    for name, values in arrays.items():
        shape = values.reshape(len(values), -1).shape
        assert lib.atp_task_set_array(task, TaskArray[name.upper()], values.ctypes.data, *shape) == 0
    table = by_hand(context, "table", lib.atp_task_table_kind(task), lib.atp_task_rows(task))
    assert lib.atp_task_run(task, table, None, None, None) == 0
    rows = np.empty((lib.atp_table_rows(table), lib.atp_table_columns(table)))
    assert lib.atp_table_values(table, rows.ctypes.data, rows.size) == 0
    return rows


def numbers(curve):
    return np.transpose(list(curve.values()))


def test_dotattn_gives_the_numbers_of_the_c_functions():
    """The same calls by hand; three tokens, a code of two columns, an A that is not symmetric."""
    arrays = dict(code=np.array([[1.0, 0], [0, 1], [-1, -1]]), teacher=np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.3, 0.1, 0.6]]),
                  alphas=np.array([1.0, 3.0]))
    task = dict(omega=0.7, sigma=0.6)
    small = dict(dimension=30, steps=40, tolerance=0, test_samples=50, runs=3, seed=4)
    rows = values_by_hand("DOTATTN_SIMULATION", arrays, {
        **task, "lambda": 0.02, **small, "start": DotattnStart.POSITIONAL, "optimizer": Optimizer.ADAM})
    seen = []
    curve = ap.dotattn.simulate(**arrays, **task, **small, penalty=0.02, start="positional", optimizer="adam", progress=seen.append)
    assert curve.outcome == "max_iter" and list(curve) == [column.name.lower() for column in DotattnSimColumn]
    assert np.array_equal(numbers(curve), rows, equal_nan=True) and {"step", "total"} <= set(seen[0])
    assert list(curve["alpha"]) == [1, 3] and list(curve["samples"]) == [30, 90] and set(curve["runs"]) == {3}
    lattice = dict(points=64, shifts=2, seed=3, tolerance=1e-6, max_iter=200)
    rows = values_by_hand("DOTATTN_TOKENS", arrays, {**task, "lambda": 0.02, **lattice, "start": DotattnStart.POSITIONAL})
    curve = ap.dotattn.tokens(**arrays, **task, **lattice, penalty=0.02, solution="positional")
    assert np.array_equal(numbers(curve), rows)
    assert np.all(curve["theta"] == 0) and np.all(curve["m"] > 0)


def test_dynamics_of_dotattn():
    """The same calls by hand; the start; wrong arguments."""
    arrays = dict(times=np.array([0.0, 0.5, 2.0]), teacher=np.array([[0.7, 0.3], [0.2, 0.8]]), code=np.array([[1.0], [-0.5]]))
    task = dict(omega=0.7, sigma=0.6, start_m=0.3, start_theta=0.4, seed=4)
    small = dict(points=64, shifts=2, tolerance=1e-4)
    rows = values_by_hand("DOTATTN_DYNAMICS", arrays, {**task, **small, "lambda": 0.02})
    curve = ap.dotattn.dynamics(**arrays, **task, **small, penalty=0.02)
    assert np.array_equal(numbers(curve), rows, equal_nan=True) and curve.outcome == "converged"
    # The start has the length 1: theta = sigma^2 a, m = b.
    assert list(curve["time"]) == [0, 0.5, 2] and np.isclose(curve["theta"][0], 0.36 * 0.4) and np.isclose(curve["m"][0], 0.3)
    drawn = dict(dimension=40, test_samples=20, runs=3)
    rows = values_by_hand("DOTATTN_TRAJECTORY", arrays, {**task, **drawn, "lambda": 0.02})
    runs = ap.dotattn.trajectories(**arrays, **task, **drawn, penalty=0.02)
    assert np.array_equal(numbers(runs), rows, equal_nan=True) and list(runs["run"]) == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert list(runs["steps"][:3]) == [0, 20, 80] and np.isnan(runs["et"]).all()
    raises(ap.InputError, "ATP_E_CONFLICT", lambda: ap.dotattn.dynamics([1.0], start_m=0.9, start_theta=0.9))
    raises(ap.InputError, "ATP_E_VALUE.*times", lambda: ap.dotattn.dynamics([2.0, 1.0]))


def test_a_table_names_its_columns():
    curve = ap.dotattn.curve([1.0, 3.0], accuracy=1e-2, max_iter=3)
    assert curve.units["outcome"] == "atp_outcome" and curve.units["q"] == "" and "generalisation loss" in curve.descriptions["eg"]
    lines = curve.csv().splitlines()
    assert lines[0].split(",") == list(curve) and len(lines) == 3
    assert np.array_equal([[float(x) for x in line.split(",")] for line in lines[1:]], numbers(curve), equal_nan=True)


def test_a_log_of_training(data):
    trainer = ap.Trainer(data, epochs=5, tolerance=0)
    seen = []
    trainer.keep_log(5)
    trainer.run(3, seen.append)
    trainer.run()
    gc.collect()
    assert list(trainer.log["epoch"]) == [1, 2, 3, 4, 5]
    assert list(trainer.log["train_loss"][:3]) == [report["train_loss"] for report in seen] and np.isnan(trainer.log["test_loss"]).all()
    network = small("encoder", data)
    network.keep_log(2)
    raises(ap.InputError, "ATP_E_BUFFER", lambda: network.run())
    assert len(network.log["epoch"]) == 2


def test_dotattn_of_two_tokens():
    skew = np.array([[0.7, 0.3], [0.2, 0.8]])
    alphas = np.array([1.0, 3.0])
    task = dict(omega=0.35, sigma=0.45, accuracy=1e-2)
    # A few iterations tell how the teacher's rows are handed over; to converge costs ten times as much where they differ.
    for a, max_iter in ((skew, 3), (np.array(ap.dotattn.TEACHER), 10000)):
        rows = values_by_hand("DOTATTN_CURVE", dict(teacher=a, alphas=alphas),
                              {**task, "lambda": 0.02, "branch": DotattnBranch.POSITIONAL, "max_iter": max_iter})
        curve = ap.dotattn.curve(alphas, branch="positional", penalty=0.02, teacher=a, max_iter=max_iter, **task)
        assert np.array_equal(numbers(curve), rows, equal_nan=True) and list(curve["omega"]) == [0.35, 0.35]
    assert curve.outcome == "converged" and np.all(curve["m"] > 0) and np.all(curve["theta"] == 0)
    assert set(curve["branch"]) == {DotattnBranch.POSITIONAL}
    rows = values_by_hand("DOTATTN_TRANSITION", dict(omegas=np.array([0.3])), dict(accuracy=1e-2, max_iter=10))
    few = ap.dotattn.transition(0.3, accuracy=1e-2, max_iter=10)
    assert np.array_equal(numbers(few), rows, equal_nan=True) and few.outcome == "max_iter"
    flat = ap.dotattn.linear(omega=1, teacher=skew)
    assert np.allclose(flat.map, skew) and abs(flat.loss) < 1e-12
    assert np.isclose(ap.dotattn.linear().loss, few["eg_linear"][0], rtol=1e-6)
    seen = []
    assert ap.dotattn.curve(alphas, progress=lambda report: seen.append(report["step"]) or True).outcome == "cancelled" and len(seen) == 1
    raises(ap.InputError, "ATP_E_SHAPE", lambda: ap.dotattn.curve(1.0, teacher=np.eye(3)))
    raises(TypeError, 'no option "fresh", expected one of .*test_samples', lambda: ap.dotattn.simulate(1.0, fresh=10))
    raises(ValueError, "expected one of semantic, positional, uninformed", lambda: ap.dotattn.curve(1.0, branch="both"))
    raises(ap.InputError, "ATP_E_VALUE.*sigma", lambda: ap.dotattn.linear(sigma=0))
    raises(ap.InputError, "ATP_E_VALUE.*omega", lambda: ap.dotattn.transition([0.3, 1.5]))


@pytest.mark.skipif("ATP_TEST_QUICK" in os.environ, reason="ATP_TEST_QUICK is set")
def test_dotattn_theory_and_simulation():
    quadrature, theory = ap.dotattn.curve([1.0, 3.0]), ap.dotattn.tokens([1.0, 3.0], points=256, shifts=4)
    simulated = ap.dotattn.simulate([1.0, 3.0], dimension=200, runs=6, optimizer="lbfgs")
    assert quadrature.outcome == theory.outcome == simulated.outcome == "converged"
    for name in ("q", "theta"):  # 5 standard errors, and what 200 dimensions are short of infinitely many
        assert np.all(np.abs(simulated[name] - quadrature[name]) < 5 * simulated[name + "_sem"] + 0.05 * quadrature[name])
        assert np.all(np.abs(theory[name] - quadrature[name]) < 6 * theory[name + "_sem"] + 0.02 * quadrature[name])
    assert ap.dotattn.simulate(1.0, dimension=100, runs=4, progress=lambda report: True).outcome == "cancelled"
    raises(Mine, "from the callback", lambda: ap.dotattn.simulate(1.0, dimension=100, runs=2, progress=fail))
    raises(ap.InputError, "ATP_E_SHAPE", lambda: ap.dotattn.tokens(1.0, code=[1, 0, -1]))
    raises(ValueError, "values has shape", lambda: ap.dotattn.simulate(1.0, code=np.zeros((1, 2, 2))))
    raises(ValueError, "expected one of semantic, positional, random, mixed", lambda: ap.dotattn.simulate(1.0, start="cold"))
    raises(ap.InputError, "ATP_E_OPTION_RANGE.*omega", lambda: ap.dotattn.simulate(1.0, omega=2))
    raises(ap.InputError, "ATP_E_VALUE.*points", lambda: ap.dotattn.tokens(1.0, points=100))
    raises(ap.InputError, "ATP_E_NOT_FINITE", lambda: ap.dotattn.tokens(np.nan))


def rows_of_the_program(*arguments):
    """The rows of a table of the program, where it is installed; else None."""
    tool = shutil.which("pkg-config")
    prefix = tool and subprocess.run([tool, "--variable=prefix", "attopotts"], capture_output=True, text=True).stdout.strip()
    program = os.path.join(prefix or "", "bin", "attopotts")
    if not os.access(program, os.X_OK):
        return None
    text = subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout
    return list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))


def assert_as_the_program(model, found, path):
    """The rows of `attopotts contacts`, where the program is installed."""
    model.write(path)
    rows = rows_of_the_program("contacts", path)
    assert rows is None or [(int(r["i"]), int(r["j"]), float(r["apc"])) for r in rows] == [(i, j, float(f"{x:.10g}")) for i, j, x in found]


def test_asymptotics():
    if not ap.has_feature("lapack"):
        return
    # Two spins: the variance of the logit c times M is 1 / (p (1 - p)).
    c = 0.9
    block = np.array([[c, -c], [-c, c]]) / 2
    couplings = np.zeros((2, 2, 2, 2))
    couplings[0, 1] = couplings[1, 0] = block
    model = ap.Model.dense(couplings, np.zeros((2, 2)))
    p = 1 / (1 + np.exp(-c))
    found = ap.scores.asymptotics(model, samples=50)
    assert np.isclose(found["excess"], 4 / (2 * 2 * 50), rtol=1e-9) and found["rank"] == 3
    errors = ap.scores.coupling_errors(model, samples=50)
    assert np.allclose(errors[0, 1], 0.5 / np.sqrt(50 * p * (1 - p)), rtol=1e-9) and not errors[0, 0].any()
    states = ap.Alignment(np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.uint8), 2, weights=25 * np.array([p, 1 - p, 1 - p, p]))
    assert np.isclose(ap.scores.asymptotics(model, states)["samples"], 50, rtol=1e-9)
    scores = ap.scores.score_errors(model, states, gap=None, l2_couplings=1e-6, l2_fields=1e-6)
    assert np.isclose(scores[0, 0, 1], 2 * errors[0, 1, 0, 0], rtol=1e-3)  # the norm of the block is |c|
    assert ap.scores.asymptotics_bytes(model, 4) > 0 and ap.scores.score_errors_bytes(model, 4) > 0


def test_methods_without_training():
    sequences = np.random.default_rng(3).integers(0, 3, (80, 4)).astype(np.uint8)
    sequences[:, 1] = (sequences[:, 0] + (np.arange(80) % 4 == 0)) % 3
    data = ap.Alignment(sequences, 3)
    hot = np.eye(3)[sequences].reshape(80, 12)
    p = np.einsum("na,nb->ab", hot[:, :3], hot[:, 3:6]) / 80
    expected = np.sum(p[p > 0] * np.log((p / np.outer(p.sum(1), p.sum(0)))[p > 0]))
    assert np.isclose(ap.scores.mutual_information(data)[0, 1], expected, rtol=1e-12)
    single, pairs = 0.2 * hot.mean(0) + 0.8 / 3, 0.2 * hot.T @ hot / 80 + 0.8 / 9
    for i in range(4):
        pairs[3 * i:3 * i + 3, 3 * i:3 * i + 3] = np.diag(single[3 * i:3 * i + 3])
    kept = [k for k in range(12) if k % 3 < 2]
    inverse = np.linalg.inv((pairs - np.outer(single, single))[np.ix_(kept, kept)])
    c = np.zeros((3, 3))
    c[:2, :2] = -inverse[:2, 2:4]
    c = c - c.mean(0) - c.mean(1)[:, None] + c.mean()
    model = ap.scores.mean_field(data, pseudocount=0.8, precision=64)
    assert np.allclose(model.couplings()[0, 1], c, atol=1e-12)
    norms = ap.scores.gaussian(data, precision=64)
    assert np.allclose(norms, model.frobenius(), atol=1e-12) and np.isclose(norms[0, 1], np.sqrt((c**2).sum()))
    direct = ap.scores.direct_information(model, single.reshape(4, 3))
    assert direct[0, 1] > 0 and np.allclose(direct, direct.T) and np.all(ap.scores.gaussian(data, "di") >= 0)
    assert ap.scores.mean_field_bytes(3, 4, 3) < ap.scores.mean_field_bytes(3, 4, 3, precision=64)
    with pytest.raises(TypeError, match="pseudocount, precision"):
        ap.scores.mean_field(data, heads=2)
    with pytest.raises(ap.InputError, match="must be > 0"):
        ap.scores.mean_field(data, pseudocount=0)


def test_scores_by_numpy(truth, tmp_path):
    c = truth.couplings()
    c = (c + c.transpose(1, 0, 3, 2)) / 2
    c = c - c.mean(2, keepdims=True) - c.mean(3, keepdims=True) + c.mean((2, 3), keepdims=True)
    fn = np.sqrt((c**2).sum((2, 3)))
    assert np.allclose(truth.frobenius(), fn, atol=1e-12)
    row = fn.sum(1) / (len(fn) - 1)
    corrected = fn - np.outer(row, row) / row.mean()
    upper = np.triu_indices(len(fn), 1)
    assert np.allclose(ap.scores.apc(fn)[upper], corrected[upper], atol=1e-12)
    pairs = ap.scores.rank(corrected)
    assert ap.scores.overlap(pairs, pairs[:2, ::-1]) == 2 / len(pairs) and ap.scores.overlap(pairs[:2], pairs) == 1
    assert ap.scores.rank(corrected, separation=9, border=1)[:, 0].tolist() == [0] * (len(corrected) - 1)
    assert np.all(np.diff(corrected[pairs[:, 0], pairs[:, 1]]) <= 0) and len(pairs) == 15
    best = ap.contacts(truth, 2, separation=1, gap=-1)
    assert best[0][:2] == tuple(pairs[0] + 1)
    # With one alphabet after the other; the program's numbers of the same model.
    model = ap.Model.random(30, 4, seed=3)
    for alphabet, gap, score in ("", -1, 1.75548377), ("-ACD", 0, 1.172985382), ("ACDE", -1, 1.75548377):
        if alphabet:
            model.alphabet = alphabet
        found = ap.contacts(model)
        assert model.gap_color == gap and len(found) == 435 and found[0][:2] == (5, 19)
        assert np.isclose(found[0][2], score, rtol=1e-8, atol=0)
        assert found == ap.contacts(model, gap=gap, separation=0) and ap.contacts(model, 7, 6) == [x for x in found if x[1] - x[0] > 5][:7]
        assert_as_the_program(model, found, tmp_path / "model.h5")
    distances = np.full((6, 6), 10.0)
    distances[tuple(pairs[0])] = distances[tuple(pairs[0][::-1])] = 5.0
    assert np.allclose(ap.scores.precision(pairs[:2], distances), [1.0, 0.5])
    for wrong, told in (([(1, 2, 0.5)], r"shape \(1, 3\), expected \(n, 2\)"), ([1, 2], "shape"), ([(1.9, 2.0)], "is 1.9, expected integers")):
        raises(ValueError, told, lambda wrong=wrong: ap.scores.precision(wrong, distances))
    energy, log = truth.mutants(np.zeros(6, dtype=np.uint8))
    mutant = np.zeros((2, 6), dtype=np.uint8)
    mutant[1, 2] = 3
    assert np.isclose(energy[2, 3], np.diff(truth.energies(mutant))[0], atol=1e-12)
    assert np.isclose(log[2, 3], np.diff(truth.log_pseudolikelihoods(mutant))[0], atol=1e-12)


def column(table, name):
    """Of a data frame, or of a dict where pandas is not installed."""
    return np.asarray(table[name])


def test_sequences_of_an_alignment(tmp_path):
    """An alignment stands for its sequences; for a model without its gap, gaps are missing sites. The program has the same energies."""
    sequences = np.random.default_rng(5).integers(0, 4, (30, 5)).astype(np.uint8)
    data = ap.Alignment(sequences, 4, alphabet="-ACD")
    data.write(tmp_path / "data.h5")
    for gaps in "state", "ignore":
        trainer = ap.Trainer(data, family="dense", gaps=gaps, epochs=5)
        trainer.run()
        model = trainer.model()
        rows = sequences if gaps == "state" else np.where(sequences == 0, ap.MISSING, sequences - 1).astype(np.uint8)
        for name in "energies", "log_pseudolikelihoods", "conditionals":
            assert np.array_equal(getattr(model, name)(data), getattr(model, name)(rows))
        known = np.count_nonzero(rows != ap.MISSING)
        assert np.isclose(-model.log_pseudolikelihoods(data).sum() / known, model.loss(data), atol=1e-12)
        model.write(tmp_path / "model.h5")
        table = rows_of_the_program("energies", tmp_path / "model.h5", tmp_path / "data.h5")
        assert table is None or [float(row["energy"]) for row in table] == [float(f"{x:.10g}") for x in model.energies(data)]


def test_mutations():
    data = ap.Alignment([[0, 1, 2, 3, 1], [1, 1, 2, 3, 1], [1, 2, 2, 3, 0]], 4, alphabet="-ACD")
    data.set_columns([1, 2, 4, 5, 8], 9)
    model = ap.Model.random(5, 4, seed=3)
    model.alphabet = "-ACD"
    wild = data.sequences[1]
    independent = ap.Model.independent(data)
    assert independent.total_columns == 9 and independent.columns.tolist() == [1, 2, 4, 5, 8] == data.columns.tolist()
    table = model.score_mutations(wild, ["A1D", "A2C/C3-", "D4D"], independent)
    mutants = np.array([wild, wild, wild])
    mutants[0, 0] = 3
    mutants[1, 1:3] = 2, 0
    assert list(column(table, "mutant")) == ["A1D", "A2C/C3-", "D4D"] and column(table, "mutations").tolist() == [1, 2, 1]
    for name, sums in ("energy", model.energies), ("log_pseudolikelihood", model.log_pseudolikelihoods):
        assert np.allclose(column(table, name), sums(mutants) - sums(wild[None]), atol=1e-12)
    assert np.allclose(column(table, "independent"), independent.energies(wild[None]) - independent.energies(mutants), atol=1e-12)
    singles = model.single_mutants(wild, independent)
    assert len(column(singles, "to")) == 15 and list(column(singles, "from")[:3]) == ["A"] * 3 and list(column(singles, "to")[:3]) == ["-", "C", "D"]
    assert np.isclose(column(singles, "energy")[2], column(table, "energy")[0], atol=1e-12)
    doubles = model.double_mutants(wild, [[1, 2]])
    assert doubles.shape == (1, 4, 4) and np.isclose(doubles[0, 2, 0], column(table, "energy")[1], atol=1e-12)
    best = model.best_doubles(wild, 3, gap=-1)
    pairs_of_sites = model.sites * (model.sites - 1) // 2
    assert model.count_doubles(wild, gap=-1) == pairs_of_sites * (model.colors - 1) ** 2
    energy, epistasis = model.epistasis(wild, np.stack([column(best, name) for name in ("site_i", "color_i", "site_j", "color_j")], 1))
    alone = model.mutants(wild, False)[0]
    assert np.array_equal(energy, column(best, "energy"))
    assert np.allclose(epistasis, energy - alone[column(best, "site_i"), column(best, "color_i")] - alone[column(best, "site_j"), column(best, "color_j")])
    assert ap.scores.count_within_errors([1, 2], [1.5, 3], [0.5, 0.25], 2) == 1
    first, average = ap.scores.average_mutants([[0, 1, 2], [1, 0, 1], [2, 1, 2]], [1, 5, np.nan])
    assert first.tolist() == [0, 1, 0] and average.tolist() == [1, 5, 1]
    mutant = wild.copy()
    mutant[column(best, "site_i")[0]], mutant[column(best, "site_j")[0]] = column(best, "color_i")[0], column(best, "color_j")[0]
    assert np.isclose(column(best, "energy")[0], np.diff(model.energies(np.array([wild, mutant])))[0], atol=1e-12)
    raises(ap.Error, "site 1 is A in the sequence, not C", lambda: model.score_mutations(wild, ["A2C", "C1A"]))
    raises(ValueError, "sequence", lambda: model.double_mutants(wild[:4], [[1, 2]]))
    whole = ap.Alignment([[0, 1, 2, 3, 1, 2, 3, 1, 2]], 4, alphabet="-ACD")
    part = whole.for_model(independent)
    assert part.sequences.tolist() == whole.sequences[:, [1, 2, 4, 5, 8]].tolist() == whole.match(data).sequences.tolist()
    model.set_columns([0, 2, 4, 5, 8], 9)
    raises(ap.Error, "lacks the column", lambda: part.for_model(model))


def test_agreement():
    found = ap.scores.agreement("spearman", [1, 2, 3, 4, 5], [2, 1, 4, 3, 5], draws=50)
    assert np.isclose(found.value, 0.8) and found.low < found.value <= found.high
    assert np.isnan(ap.scores.agreement("kendall", [1, 2], [2, 1], draws=0).low)
    assert ap.scores.agreement("auc", [3.0, 1.0, 2.0], [1, 0, 0], draws=0).value == 1
    assert ap.scores.agreement("recall", [1, 2, 3, 4], [4, 1, 2, 3], draws=0, top=2).value == 0.5


def test_agreement_of_groups():
    x, y, mutations = np.arange(24.0), np.arange(24.0) ** 2, np.repeat([1, 2], 12)
    y[12:] = -y[12:]
    table = ap.scores.mutants_agreement(x, y, mutations, draws=0)
    assert table["mutations"].tolist() == [0] * 4 + [1] * 4 + [2] * 4 and table["mutants"].tolist() == [24] * 4 + [12] * 8
    assert np.allclose(table["value"][[4, 5, 8, 9]], [1, 1, -1, -1]) and np.isnan(table["low"]).all()


def test_counts_of_an_alignment():
    data = ap.Alignment([[0, 0, 1], [0, 0, 1], [0, 2, 1]], colors=3, alphabet="-AC")
    counts = {"duplicates": 1, "gaps": 5 / 9, "columns_90": 1, "columns_50": 2, "sequences_50": 2}
    summary = data.summary()
    assert {key: summary[key] for key in counts} == counts and (summary["contacts"], summary["mutations"]) == ("none", "fair")
    samples = np.array([data.resample(1, k) for k in range(40)])
    assert np.array_equal(samples[3], data.resample(1, 3)) and not np.array_equal(samples[3], samples[4])
    errors = ap.scores.bootstrap_errors(samples)
    assert np.allclose(errors["mean"], samples.mean(0)) and np.allclose(errors["error"], samples.std(0, ddof=1))
    assert np.allclose([errors["low"], errors["high"]], np.quantile(samples, [0.025, 0.975], axis=0))
    entropy = -(np.log(2 / 3) * 2 + np.log(1 / 3)) / 3
    assert np.isnan(data.residue_frequencies[0]).all() and data.residue_frequencies.shape == (3, 2)
    assert np.allclose(data.conservation(), [1, 1 - entropy / np.log(3), 1]) and np.isnan(data.conservation("ignore")[0])
    assert data.gap_color == 0 and data.weigh(0.2, progress=lambda report: True) == "cancelled" and data.weights.tolist() == [1, 1, 1]
    mean, deviation = ap.scores.compare_parts(ap.Alignment([[0] * 5, [0, 0, 0, 0, 1]], colors=2), 3, splits=2)
    assert np.isclose(mean["sites"]["pearson"], 36 / 46) and deviation["sites"]["rms"] < 1e-12


def test_statistics_of_itself(data):
    same = ap.compare_statistics(data, data)
    assert np.isclose(same["pairs"]["pearson"], 1) and np.isclose(same["covariances"]["slope"], 1)
    measures, distances = ap.scores.samples_quality(data, data, runs=3, triples=100)
    assert len(measures) == 32 and measures["copies"]["samples"] == 1 and np.isclose(measures["triples_slope"]["samples"], 1)
    assert measures["pairs_pearson"]["samples"] == same["pairs"]["pearson"] and np.isclose(distances["pairs_data"].sum(), 1)
    found = ap.scores.principal_components(data, data, 3)
    assert np.array_equal(found.data, found.samples) and found.data.shape == (data.count, 3)
    assert np.allclose(np.average(found.data ** 2, axis=0, weights=data.weights), found.variances)
    assert ap.scores.principal_components(data).samples.shape == (0, 2)


def test_messages_go_to_the_logger(tmp_path, caplog):
    path = tmp_path / "x.fasta"
    path.write_text(">a\nACDX\n>b\nACDE\n")
    with caplog.at_level(logging.INFO, logger="attopotts"):
        ap.Alignment.read(path, alphabet="-ACDE")
    assert "X" in caplog.text


def test_memory_is_given_back(truth):
    with ap.Context(threads=1) as context:
        before = context.memory()[1]
        for _ in range(20):
            model = ap.Model.random(8, 4, context=context)
            trainer = ap.Trainer(drawn(model, 64, context=context), context=context, epochs=2)
            trainer.run()
            trainer.model()
        del model, trainer
        gc.collect()
        assert context.memory()[1] == before


def test_a_memory_limit():
    with ap.Context(threads=1) as context:
        assert context.memory_limit == 0 and context.memory_available > 0
        context.memory_limit = 10_000
        assert context.memory_limit == 10_000 and context.memory_available == 10_000
        raises(ap.OutOfMemory, "the memory limit leaves 10 kB", lambda: ap.Model.random(100, 4, context=context))
        context.memory_limit = 0
        ap.Model.random(100, 4, context=context)


def test_contexts_may_be_closed_first(truth):
    context = ap.Context(threads=1)
    model = ap.Model.random(5, 3, context=context)
    context.close()
    gc.collect()
    assert model.energies(np.zeros((1, 5), dtype=np.uint8)).shape == (1,)


@pytest.mark.parametrize("make_it, use", [
    (lambda truth, data, context: ap.Trainer(data, context=context), lambda t: t.keep_log(5) or t.run(2) and t.parts and t.model()),
    (lambda truth, data, context: ap.Trainer(data, family="dial", context=context), lambda t: t.model()),
    (lambda truth, data, context: ap.Sampling(truth, 20, protocol="chain", thin=1, context=context), lambda s: s.run().alignment),
], ids=["trainer", "dial", "sampling"])
def test_what_is_made_under_a_closed_context_keeps_it(truth, data, make_it, use):
    context = ap.Context(threads=1)
    kept, maker = weakref.ref(context._owned), make_it(truth, data, context)
    context.close()
    made = use(maker)
    del maker
    gc.collect()
    assert kept() is not None and made.sites == 6
    made.close()
    gc.collect()
    assert kept() is None


def test_copies_are_read_only(truth, data):
    masked = ap.replica.mask_precision(ap.replica.goe_precision(10, 2.5))
    for owner, names in ((truth, "maps values fields"), (ap.Sampler(truth, temperatures=2), "betas swap_rates"),
                         (masked, "covariance weights"), (ap.Trainer(data), "parameters"), (small("encoder", data), "parameters")):
        for name in names.split():
            raises(ValueError, "read-only", getattr(owner, name).sort)


def test_the_examples_of_the_readme(tmp_path, monkeypatch, capsys):
    """Those in blocks run; other names in it exist."""
    text = (pathlib.Path(__file__).parent.parent / "README.md").read_text()
    monkeypatch.chdir(tmp_path)
    pathlib.Path("distances.txt").write_text("".join(f"{i} {j} {4 * (j - i)}\n" for i in range(1, 11) for j in range(i + 1, 11)))
    names = {}
    for block in re.findall(r"^```python\n(.*?)^```", text, flags=re.M | re.S):
        exec(block, names)
    assert capsys.readouterr().out.startswith(re.search('walk: prints "(.*)"', text)[1]) and len(names["precision"]) == 36
    for name in re.findall(r"`attopotts\.([\w.]+)", text):
        assert operator.attrgetter(name)(ap)


def test_enums_and_options_are_those_of_the_library():
    owners, found = [*OptionOwner, *TaskKind], set()
    for k, owner in enumerate(owners):
        assert lib.atp_option_owner_at(k) in owners and lib.atp_option_count(owner) > 0
        found |= {Option(lib.atp_option_at(owner, j)) for j in range(lib.atp_option_count(owner))}
    assert lib.atp_option_owner_at(len(owners)) == -1 and found == set(Option)
    for key in Option:
        assert lib.atp_option_name(key).decode() == key.name.lower().replace("_", "-")
    # The library's words, which are those of the program, are the names of the constants but for these.
    others = {"CRITERION": {"pseudolikelihood": "sequences", "substitutions": "mutations"}, "FORMAT": {"named": "gremlin"}}
    for owner in owners:
        for key in (Option(lib.atp_option_at(owner, j)) for j in range(lib.atp_option_count(owner))):
            for constant in OPTION_ENUMS.get(key, ()):
                name = constant.name.lower().replace("_", "-")
                if name == "scaled" and owner not in (OptionOwner.TRAINER, OptionOwner.SELECTION):
                    assert lib.atp_option_word(owner, key, constant) is None  # an optimiser of the likelihood alone
                    continue
                if name in ("encoder", "dial") and owner == OptionOwner.ASYMPTOTICS:
                    assert lib.atp_option_word(owner, key, constant) is None  # networks have no error bars
                    continue
                assert lib.atp_option_word(owner, key, constant).decode() == others.get(key.name, {}).get(name, name)


def test_pairs():
    """Dense couplings of a list of pairs."""
    rng = np.random.default_rng(3)
    data = ap.Alignment(rng.integers(0, 3, (60, 5), dtype=np.uint8), colors=3)
    pairs = [[4, 0], [1, 2], [2, 3]]
    t = ap.Trainer(data, pairs=pairs, precision=64)
    assert t.pairs().tolist() == [[0, 4], [1, 2], [2, 3]] and t.pair_count == 3
    assert len(t.parameters) == 5 * 3 + 3 * 9 and t.parts["couplings"] == slice(15, 42)
    t.run()
    model = t.model()
    assert model.pairs().tolist() == [[0, 4], [1, 2], [2, 3]]
    norms = model.frobenius()
    assert norms[0, 4] > 0 and norms[0, 1] == 0 and np.count_nonzero(norms) == 6
    np.testing.assert_allclose(model.couplings()[0, 4].ravel(), t.parameters[15:24])
    kept = model.keep_pairs([[2, 1]])
    assert np.array_equal(kept.couplings()[1, 2], model.couplings()[1, 2]) and not kept.couplings()[0, 4].any()
    again = ap.Model.of_pairs(5, model.pairs(), model.pair_couplings, fields=model.fields)
    assert np.array_equal(again.couplings(), model.couplings())
    potts = ap.Model.of_pairs(5, [[3, 1], [0, 1]], [2, -1], np.eye(3))
    assert potts.pairs().tolist() == [[0, 1], [1, 3]] and np.array_equal(potts.pair_couplings, [-np.eye(3), 2 * np.eye(3)])
    ring = ap.Model.lattice(size_x=4, size_y=1, color_matrix="ising", bonds="antiferromagnet")
    assert ring.pairs().tolist() == [[0, 1], [0, 3], [1, 2], [2, 3]] and ring.pair_couplings[3].tolist() == [[-1, 1], [1, -1]]
    sites = ap.Trainer(data, pairs=pairs, asymmetric=True)
    assert sites.parts["site3"].stop - sites.parts["site3"].start == 3 + 2 * 9
    assert ap.Trainer.bytes_of_pairs(data, pairs) > 0
    assert ap.Trainer(data).pairs().shape == (0, 2)
    raises(ValueError, "must be a site", lambda: ap.Trainer(data, pairs=[[0, 5]]))
