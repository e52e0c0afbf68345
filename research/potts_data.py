# SPDX-License-Identifier: MIT
"""Data of random Potts models, and the models that learn from them: what the experiments about [R24] share.

results/protocols.csv has beta, burn-in and thinning (sweeps) of the stored data, as an older version of the library found them: thus
pages do not depend on what it finds today; other data are tuned and judged anew. That version allowed an R-hat of 1.05, where today's
limits are about 1.02 for these runs (sampler.h). For Gaussian J with seeds 1, 2 and 3 today's rule would take, at the stored beta,

    distance 0.3: burn-in 7936, 16128, 3840 (stored: 1792, 256, 768), thinning 192, 256, 64 (336, 100, 80)
    distance 0.7: burn-in 16128, 3840, 3840 (stored: 3840, 768, 768), thinning 256, 32, 64 (160, 24, 32)
"""
import functools
import math

import lab as tools

SITES = COLORS = 20
TITLES = {"factored": "factored attention", "encoder1": "encoder, 1 block", "encoder3": "encoder, 3 blocks"}
BLOCKS = {"encoder1": 1, "encoder3": 3}


def seed_of_run(run):
    """Seeds of repetitions; the first is 1."""
    return (1 ^ run * 0x9e3779b97f4a7c15) & 0x7fffffffffffffff


@functools.cache
def protocols():
    """{(law, distance, seed): row of results/protocols.csv}. As floats seeds of 63 bits lose digits, and differ still."""
    return {(r["law"], r["distance"], r["seed"]): r for r in tools.Lab().rows("protocols.csv")}


def protocol(law, distance, seed):
    """The row of stored data; None of others."""
    return protocols().get((law, float(distance), float(seed)))


def truth_at(potts, law, distance, seed):
    """A random model at the beta of a mean Hamming distance (stored or tuned). "absolute" is |J| of the Gaussian model, with the same U."""
    truth = potts.Model.random(sites=SITES, colors=COLORS, couplings="gaussian" if law == "absolute" else law, color_matrix="gaussian",
                               seed=seed)
    if law == "absolute":
        truth = potts.Model.heads(abs(truth.maps), truth.values)
    known = protocol(law, distance, seed)
    truth.beta = known["beta"] if known else potts.tune_beta(truth, distance, seed=seed).beta
    return truth


def draw(potts, law, distance, seed, train, test):
    """(truth, training data, test data) in equilibrium, by 64 ladders of replica exchange; burn-in and thinning as stored or found."""
    truth, known = truth_at(potts, law, distance, seed), protocol(law, distance, seed)
    fixed = {name: int(known[name]) for name in ("burn_in", "thin")} if known else {}
    data = potts.sample_equilibrium(truth, train + test, seed=seed, chains=64, **fixed).alignment
    return truth, data[:train], data[train:train + test]


def learner(potts, train, model, **options):
    """A trainer by SGD on masked tokens: "factored", "encoder1", "encoder3", or a layer with a dial: "free", "softmax", "dial0.4"."""
    options = {"batch": 100, "rate": 0.1, **options}
    if model == "factored":
        return potts.Trainer(train, objective="mlm", optimizer="sgd", **options)
    if model in BLOCKS:
        return potts.Trainer(train, family="encoder", blocks=BLOCKS[model], **options)
    dial = {"map": "softmax"} if model == "softmax" else {"map": "free"} if model == "free" else {"dial": float(model.removeprefix("dial"))}
    return potts.Trainer(train, family="dial", **{"dial": 0.0, **dial}, **options)


def marks(last):
    """Epochs at which curves are measured: four in each octave."""
    found = [0, 1]
    power = 2
    while power < last:
        found += [m for m in (power, power + power // 4, power + power // 2,
                              power + 3 * power // 4) if found[-1] < m < last and m not in found]
        power *= 2
    return sorted({*found, last})


def best_curve(potts, data, model, seed, starts, epochs, curves=True, **options):
    """Train from several starts and keep the one with the smallest training loss.

    Gives the learner, {epoch: (test loss, coupling error)} and the training losses of all starts.
    """
    truth, train, test = data
    best, losses = None, []
    for start in range(starts):
        made, values = learner(potts, train, model, epochs=epochs, seed=(seed + start) & 0x7fffffffffffffff, **options), {}
        for mark in marks(epochs) if curves else [epochs]:
            if mark > made.epochs:
                made.run(mark - made.epochs)
            error = made.model().coupling_error(truth) if model == "factored" else math.nan
            values[mark] = made.loss(test), error
        losses.append(made.gradient().loss)
        if best is None or losses[-1] < best[2]:
            best = made, values, losses[-1]
    return best[0], best[1], losses


def map_correlation(a, b, apart=1):
    """Pearson's correlation of two maps over pairs with |i - j| >= apart."""
    import numpy as np
    i, j = np.indices(a.shape)
    chosen = abs(i - j) >= apart
    return float(np.corrcoef(a[chosen], b[chosen])[0, 1])


def compared_maps(truth, learned):
    """(beta J, A) of two models with one head, in the gauge of one unit of V and the units of beta J; the sign makes both V agree."""
    import numpy as np
    one, other = truth.gauge("colors"), learned.gauge("colors")
    a, b, j = one.maps[0], other.maps[0].copy(), truth.maps[0]
    unit = np.sum(a * j) / np.sum(a * a)
    if np.sum(one.values[0] * other.values[0]) < 0:
        b = -b
    return a * unit * truth.beta, b * unit * learned.beta


def attention_map(network, test):
    """The map of one block, or the mean of the last two of more; the diagonal is no interaction."""
    import numpy as np
    maps = network.maps(test)
    found = maps[-1] if len(maps) == 1 else (maps[-1] + maps[-2]) / 2
    found = np.array(found)
    np.fill_diagonal(found, 0)
    return found
