# SPDX-License-Identifier: MIT
"""Copies, pickles and other processes: what comes back is the same and goes on with the same numbers. Rows of alignments."""
import copy
import gc
import multiprocessing
import pickle

import attopotts as ap
import numpy as np
import pytest

WAYS = {"pickle": lambda x: pickle.loads(pickle.dumps(x)), "copy": copy.copy, "deepcopy": copy.deepcopy,
        "protocol 0": lambda x: pickle.loads(pickle.dumps(x, 0))}
ways = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


def family(n=60, sites=6, colors=4, seed=1):
    rng = np.random.default_rng(seed)
    data = ap.Alignment(["".join(row) for row in rng.choice(list("-ABC"), size=(n, sites))], alphabet="-ABC", names=[f"s{k}/1-6" for k in range(n)])
    data.weights = rng.uniform(0.1, 1, n)
    data.set_sites(np.arange(sites) * 3 - 2, "ABCABC")
    data.origin = "of a test"
    return data


def models():
    heads = ap.Model.random(6, 4, seed=2)
    heads.alphabet, heads.beta, heads.origin = "-ABC", 0.7, "of a test"
    trainer = ap.Trainer(family(), objective="autoregressive", family="dense", epochs=3)
    trainer.run()
    dense = ap.Model.dense(heads.couplings(), np.ones((6, 4)))
    return {"heads": heads, "dense": dense, "pairs": dense.keep_pairs([[0, 1], [2, 5]]), "ordered": trainer.model()}


def same_model(a, b):
    sequences = np.random.default_rng(3).integers(0, 4, size=(20, 6))
    return (np.array_equal(a.energies(sequences), b.energies(sequences)) and np.array_equal(a.couplings(), b.couplings())
            and np.array_equal(a.site_numbers, b.site_numbers)
            and all(getattr(a, name) == getattr(b, name) for name in ("beta", "alphabet", "origin", "is_ordered", "site_residues", "pair_count")))


def same_alignment(a, b):
    return (all(np.array_equal(getattr(a, name), getattr(b, name)) for name in ("sequences", "weights", "site_numbers", "columns"))
            and all(getattr(a, name) == getattr(b, name) for name in ("names", "alphabet", "origin", "site_residues", "colors", "total_columns", "border")))


@ways
@pytest.mark.parametrize("name", ["heads", "dense", "pairs", "ordered"])
def test_models(name, way):
    model = models()[name]
    found = way(model)
    assert type(found) is ap.Model and same_model(found, model)
    found.beta = 3
    assert model.beta != 3


@ways
def test_alignments(way):
    data = family()
    found = way(data)
    assert type(found) is ap.Alignment and same_alignment(found, data)
    found.weights = np.ones(len(found))
    assert not np.array_equal(found.weights, data.weights)
    borrowed = ap.Alignment.borrow(data.sequences.copy(), 4)
    assert np.array_equal(way(borrowed).sequences, data.sequences)


@ways
def test_inputs_of_curves(way):
    masked = ap.replica.mask_covariance(np.eye(3) + 0.1, 1)
    found = way(masked)
    assert all(np.array_equal(getattr(found, name), getattr(masked, name)) for name in ("covariance", "weights", "noise"))


def test_copies_have_the_context_of_the_original():
    context = ap.Context(threads=1)
    before = context.memory()[1]
    data = ap.Alignment([[0, 1], [1, 1]], context=context)
    one = context.memory()[1]
    copies = copy.copy(data), copy.deepcopy(data)
    assert context.memory()[1] > one
    trainer = ap.Trainer(data, context=context, epochs=2)
    trainers = copy.copy(trainer), copy.deepcopy(trainer)
    assert all(t._open.root is context._open for t in trainers)
    del data, copies, trainer, trainers
    gc.collect()
    assert context.memory()[1] == before


def trainers():
    data, rng = family(), np.random.default_rng(5)
    plain = ap.Trainer(data, epochs=20, optimizer="adam", batch=16, seed=4)
    tested = ap.Trainer(data, family="dense", epochs=20)
    tested.set_test(family(20, seed=2))
    tested.set_truth(ap.Model.random(6, 4))
    fixed = ap.Trainer(data, colors_fixed=True, epochs=20)
    fixed.set_values(rng.normal(size=(1, 4, 4)))
    ordered = ap.Trainer(data, family="dense", objective="autoregressive", epochs=20)
    ordered.set_order(order=[5, 3, 1, 0, 2, 4])
    likely = ap.Trainer(data, family="dense", objective="likelihood", epochs=20, chains=32, sweeps=1)
    likely.reintegrate(data[:3], [1, -1, 2], strength=0.1)
    return {"factored": plain, "dense": tested, "fixed": fixed, "ordered": ordered, "likelihood": likely,
            "pairs": ap.Trainer(data, pairs=[[0, 3], [1, 2]], epochs=20), "encoder": ap.Trainer(data, family="encoder", width=4, epochs=20)}


@ways
@pytest.mark.parametrize("name", ["factored", "dense", "fixed", "ordered", "likelihood", "pairs", "encoder"])
def test_trainers_go_on(name, way):
    trainer = trainers()[name]
    trainer.run(3)
    found = way(trainer)
    assert type(found) is ap.Trainer and found.epochs == trainer.epochs and np.array_equal(found.parameters, trainer.parameters)
    for one in (trainer, found):
        one.keep_log(10)
        one.run(3)
    assert np.array_equal(found.parameters, trainer.parameters) and not np.array_equal(found.parameters, way(trainers()[name]).parameters)
    assert all(np.array_equal(found.log[c], trainer.log[c], equal_nan=True) for c in trainer.log if c != "seconds")


@ways
def test_samplers_go_on(way):
    model = ap.Model.random(6, 4, seed=1)
    allowed = np.ones((6, 4), dtype=np.uint8)
    allowed[2, 1:] = 0
    sampler = ap.Sampler(model, chains=8, temperatures=3, seed=3)
    sampler.restrict(allowed)
    allowed[:] = 1  # is not read again
    sampler.betas = [0.1, 0.4, 0.9]
    sampler.sweep(5)
    found = way(sampler)
    assert np.array_equal(found.betas, sampler.betas) and found.sweeps == 5
    assert np.array_equal(found.sample(40).sequences, sampler.sample(40).sequences) and (found.states()[:, 2] == 0).all()
    run = ap.Sampling(model, 10, protocol="chain", beta=0.5)
    run.start(np.zeros((1, 6), dtype=np.uint8))
    assert np.array_equal(way(run).run().alignment.sequences, run.run().alignment.sequences)


def test_what_is_closed_is_not_copied():
    model = ap.Model.random(6, 4)
    sampler = ap.Sampler(model, chains=2)
    model.close()  # the sampler keeps its own
    found = copy.copy(sampler)
    sampler.close()
    assert found.sample(4).sequences.shape == (4, 6)
    for closed in (model, sampler):
        for attempt in WAYS.values():
            with pytest.raises((ValueError, TypeError)):
                attempt(closed)


def test_damaged_bytes_are_refused():
    for thing in (family(), ap.Model.random(3, 3)):
        make, (kind, state, texts) = thing.__reduce_ex__(2)
        for wrong in (state[:-1], b"", state[:50] + b"x" + state[51:]):
            with pytest.raises(ap.InputError):
                make(kind, wrong, texts)


def test_other_processes_get_objects_as_arguments_and_give_them_back():
    data, model = family(), ap.Model.random(6, 4, seed=1)
    trainer = ap.Trainer(data, epochs=8)
    trainer.run(2)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert np.array_equal(pool.apply(model.energies, (data.sequences,)), model.energies(data.sequences))
        assert np.array_equal(pool.apply(model.log_pseudolikelihoods, (data.sequences,)), model.log_pseudolikelihoods(data.sequences))
        assert pool.map(len, [data, data[:5]]) == [60, 5]
        back, again, learning, sampler = pool.apply(copy.copy, ([data, model, trainer, ap.Sampler(model, chains=4)],))
        learned = pool.apply(trainer.model)
    assert same_alignment(back, data) and same_model(again, model) and same_model(learned, trainer.model())
    learning.run()
    trainer.run()
    assert np.array_equal(learning.parameters, trainer.parameters)
    assert np.array_equal(sampler.sample(8).sequences, ap.Sampler(model, chains=4).sample(8).sequences)


def test_rows_by_number_slice_list_and_mask():
    data = family()
    cases = [(3, [3]), (-1, [59]), (slice(None, None, -7), list(range(59, -1, -7))), (slice(50, 2, -5), list(range(50, 2, -5))),
             (slice(-3, None), [57, 58, 59]), ([5, 2, 2, -60], [5, 2, 2, 0]), (np.array([7]), [7]), (np.arange(60) % 9 == 1, list(range(1, 60, 9))),
             ([True] + [False] * 59, [0]), (np.int64(4), [4]), (np.array([3, 1], dtype=np.uint8), [3, 1])]
    for asked, expected in cases:
        found = data[asked]
        assert np.array_equal(found.sequences, data.sequences[expected]) and np.array_equal(found.weights, data.weights[expected]), asked
        assert found.names == [data.names[n] for n in expected] and found.alphabet == data.alphabet
        assert np.array_equal(found.site_numbers, data.site_numbers) and found.site_residues == "ABCABC" and found.origin == "of a test"
    for wrong, error in ((60, IndexError), (-61, IndexError), ([0, 60], IndexError), ([], ValueError), (slice(3, 3), ValueError), ("s1", TypeError),
                         (1.0, TypeError), ([True, False], ValueError), ([[0]], TypeError), ([0.5], TypeError)):
        with pytest.raises(error):
            data[wrong]
    assert len(list(data)) == 60  # the protocol of sequences: each row is an alignment


def test_random_rows():
    data = family()
    small, large = data.sample(10, seed=3), data.sample(25, seed=3)
    assert set(small.names) < set(large.names) and len(set(large.names)) == 25
    assert small.names == [name for name in data.names if name in small.names]
    assert np.array_equal(small.weights, [data.weights[data.names.index(name)] for name in small.names])
    assert data.sample(10, seed=4).names != small.names == data.sample(10, seed=3).names
    bootstrap = data.sample(60, replace=True, seed=7)
    counts = np.array([bootstrap.names.count(name) for name in data.names])
    assert np.allclose(counts * data.weights, data.resample(7, 0), rtol=1e-15, atol=0) and counts.max() > 1
    with pytest.raises(ValueError, match="count is 61, must be in 1..60"):
        data.sample(61)
