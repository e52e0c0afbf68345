# SPDX-License-Identifier: MIT
"""A planted model: coupling errors beside the Fisher limit

Random Potts models (Gaussian couplings, at the inverse temperature *beta*) are sampled, and learned from M = 20 000 independent sequences
by maximum likelihood (Boltzmann learning, 2 M chains), by pseudo-likelihood and as an autoregressive model, without penalties. The error is
the squared distance of couplings in the zero-sum gauge from the planted ones, divided by their squared norm. No unbiased estimate has a
smaller mean error than tr(F^+) / M over the couplings, with the Fisher information F, the covariance of the indicators of colours and of
pairs of colours (Cramer-Rao). At L = 6, q = 3 F comes from all 729 states. At L = 30, q = 8 it has 21 525 dimensions and comes from
samples of the planted model: the trace by conjugate gradients from 4 random vectors (64 at L = 6), with the factor 1 - p / n for p dimensions and n samples,
by which the inverse of a sampled covariance is too large. The limit is asymptotic in M: at a finite M the errors of all methods are
above it. An autoregressive model is another family of distributions: its couplings, compared where it has them, are not those of
the planted Potts model for any M. A planted autoregressive model with the same couplings is learned by its own objective, which is
maximum likelihood there. Errors in brackets are standard errors over data sets.
"""
import itertools
import logging
import math

import lab as tools

SIZES = {"small": (6, 3, 1.0), "large": (30, 8, 1.0)}  # sites, colours, beta
SAMPLES, SWEEPS = 20000, 200
SETS = {"small": 48, "large": 4}
METHODS = ("likelihood", "pseudolikelihood", "autoregressive", "planted autoregressive")
VECTORS = {"small": 64, "large": 4}  # of conjugate gradients
COLUMNS = ["model", "method", "set", "error", "seconds"]
LIMITS = ["model", "source", "dimensions", "limit", "standard_error"]
AGREE = {"planted.csv": tools.Same(("model", "method", "set"), ("error",), tolerance=1e-5),
         "planted_limits.csv": tools.Same(("model", "source"), ("limit",), tolerance=1e-4)}


def truth(potts, name):
    sites, colors, beta = SIZES[name]
    model = potts.Model.random(sites, colors, seed=7)
    model.beta = beta
    return model


def ordered(potts, name):
    """The autoregressive model with the same couplings: those of a site with the sites before it."""
    import numpy as np
    model = truth(potts, name)
    couplings = model.beta * model.couplings()
    for i, j in itertools.combinations_with_replacement(range(model.sites), 2):
        couplings[i, j] = 0
    made = potts.Model.dense(couplings)
    made.set_order(np.arange(model.sites))
    return made


def sample(potts, model, count, seed):
    """Independent sequences: the states of as many chains."""
    chains = potts.Sampler(model, chains=count, seed=seed)
    chains.sweep(1 if model.is_ordered else SWEEPS)
    return potts.Alignment(chains.states()[:count], colors=model.colors)


def zero_sum(couplings):
    """Blocks [..., q, q] without their means over either colour."""
    couplings = couplings - couplings.mean(axis=-1, keepdims=True)
    return couplings - couplings.mean(axis=-2, keepdims=True)


def pairs_of(model):
    """The couplings of all pairs in the zero-sum gauge, [pairs, q, q], whichever of the two blocks has them."""
    import numpy as np
    first, second = np.triu_indices(model.sites, 1)
    blocks = model.beta * model.couplings()
    if model.is_ordered:
        return zero_sum(blocks[first, second] + np.swapaxes(blocks[second, first], -1, -2))
    return zero_sum(blocks[first, second])


def learn(potts, data, method, sites):
    if method == "likelihood":
        trainer = potts.Trainer(data, family="dense", objective="likelihood", chains=2 * len(data), target=1, epochs=400, pseudocount=0,
                                random_chains=0, rate=0.3, schedule="constant")
    else:
        word = "pseudolikelihood" if method == "pseudolikelihood" else "autoregressive"
        order = {} if method == "pseudolikelihood" else {"order": "natural"}
        trainer = potts.Trainer(data, family="dense", objective=word, l2_couplings=1e-9, l2_fields=1e-9, epochs=500, **order)
    trainer.run()
    return trainer.model()


def run(lab, name, method, number):
    import numpy as np
    potts = lab.potts
    planted = ordered(potts, name) if method == "planted autoregressive" else truth(potts, name)
    data = sample(potts, planted, SAMPLES, 100 + int(number))
    model, seconds = tools.timed(lambda: learn(potts, data, method, planted.sites))
    wanted = pairs_of(planted)
    return {"error": float(np.sum((pairs_of(model) - wanted)**2) / np.sum(wanted**2)), "seconds": round(seconds, 1)}


# --- the Fisher limit ---------------------------------------------------------------------------------------------------------------------

def project(x, sites, colors):
    """Parameters [L q + pairs q q, vectors] in the zero-sum gauge."""
    fields, blocks = x[:sites * colors].reshape(sites, colors, -1), x[sites * colors:].reshape(-1, colors, colors, x.shape[1])
    blocks = blocks - blocks.mean(axis=1, keepdims=True)
    return _join(fields - fields.mean(axis=1, keepdims=True), blocks - blocks.mean(axis=2, keepdims=True), x.shape)


def _join(fields, blocks, shape):
    import numpy as np
    return np.concatenate([fields.reshape(-1, shape[1]), blocks.reshape(-1, shape[1])])


def dimensions(sites, colors):
    return sites * (colors - 1) + sites * (sites - 1) // 2 * (colors - 1)**2


def indicators(states, colors):
    """Sparse [n, L q + pairs q q]: 1 where a site has a colour, and where a pair has a pair of colours."""
    import numpy as np
    import scipy.sparse
    n, sites = states.shape
    states = states.astype(np.int32)
    first, second = np.triu_indices(sites, 1)
    single = np.arange(sites, dtype=np.int32) * colors + states
    double = sites * colors + np.arange(len(first), dtype=np.int32) * colors**2 + states[:, first] * colors + states[:, second]
    places = np.concatenate([single, double], axis=1)
    width, size = places.shape[1], sites * colors + len(first) * colors**2
    return scipy.sparse.csr_matrix((np.ones(n * width, np.float32), places.ravel(), np.arange(n + 1) * width), shape=(n, size))


def exact_limit(potts, model):
    """tr(F^+) over the couplings, from all states."""
    import numpy as np
    sites, colors = model.sites, model.colors
    states = np.array(list(itertools.product(range(colors), repeat=sites)), np.uint8)
    x = indicators(states, colors).toarray().astype(float)
    log_p = -model.beta * model.energies(states)
    p = np.exp(log_p - log_p.max())
    p /= p.sum()
    centred = x - p @ x
    gauge = project(np.eye(x.shape[1]), sites, colors)
    inverse = np.linalg.pinv(gauge @ (centred.T * p @ centred) @ gauge, hermitian=True, rcond=1e-10)
    return float(np.trace(inverse[sites * colors:, sites * colors:]))


def sampled_limit(potts, model, count, vectors):
    """(tr(F^+) over the couplings, its standard error over the random vectors) from samples, by conjugate gradients."""
    import numpy as np
    sites, colors = model.sites, model.colors
    x = indicators(sample(potts, model, count, 999).sequences, colors)
    across, means = x.T.tocsr(), np.asarray(x.mean(axis=0)).ravel().astype(float)
    fields = sites * colors
    signs = np.random.default_rng(5).choice([-1.0, 1.0], (x.shape[1], vectors))
    signs[:fields] = 0
    right = project(signs, sites, colors)

    def apply(v):
        scores = x @ v.astype(np.float32)
        scores -= scores.mean(axis=0)
        return project((across @ scores).astype(float) / count, sites, colors)

    spread = np.maximum(means * (1 - means), 1 / count)  # the diagonal of F, which scales the variables
    found, rest = np.zeros_like(right), right.copy()
    scaled = project(rest / spread[:, None], sites, colors)
    direction, product = scaled.copy(), np.sum(rest * scaled, axis=0)
    for _ in range(400):
        image = apply(direction)
        step = product / np.sum(direction * image, axis=0)
        found += step * direction
        rest -= step * image
        if np.all(np.linalg.norm(rest, axis=0) < 1e-4 * np.linalg.norm(right, axis=0)):
            break
        scaled = project(rest / spread[:, None], sites, colors)
        before, product = product, np.sum(rest * scaled, axis=0)
        direction = scaled + product / before * direction
    traces = np.sum(right * found, axis=0) * (1 - dimensions(sites, colors) / count)
    return tools.mean_and_error(list(traces))


def limit(lab, name, source):
    """A row of the limits, over M and the squared norm of the planted couplings."""
    import numpy as np
    model = truth(lab.potts, name)
    scale = SAMPLES * np.sum(pairs_of(model)**2)
    row = {"dimensions": dimensions(model.sites, model.colors)}
    if source == "all states":
        return {**row, "limit": exact_limit(lab.potts, model) / scale}
    trace, error = sampled_limit(lab.potts, model, int(source.split()[0]), VECTORS[name])
    return {**row, "limit": trace / scale, "standard_error": error / scale}


def compute(lab):
    logging.getLogger("attopotts").setLevel(logging.ERROR)  # couplings of one triangle, before a model has its order
    names = lab.pick(SIZES, {"small": SIZES["small"]})
    keys = [(name, method, number) for name in names for number in range(lab.pick(SETS[name], 2)) for method in METHODS]
    lab.complete("planted.csv", ("model", "method", "set"), COLUMNS, keys, lambda *key: run(lab, *key))
    sources = [("small", "all states"), ("small", "200000 samples"), ("large", "100000 samples"), ("large", "200000 samples")]
    lab.complete("planted_limits.csv", ("model", "source"), LIMITS, lab.pick(sources, sources[:1]), lambda *key: limit(lab, *key))


# --- text ---------------------------------------------------------------------------------------------------------------------------------

def limit_of(lab, name):
    """The exact limit, or that of most samples."""
    rows = [r for r in lab.rows("planted_limits.csv") if r["model"] == name]
    return rows[0] if name == "small" else rows[-1]


def ratio(lab, name, method):
    """(mean error, its standard error, both over the limit)."""
    limit = limit_of(lab, name)["limit"]
    m, error = tools.mean_and_error([r["error"] for r in lab.rows("planted.csv") if r["model"] == name and r["method"] == method])
    return m, error, m / limit, error / limit


def report(lab):
    rows = []
    for name, method in itertools.product(SIZES, METHODS):
        m, error, times, times_error = ratio(lab, name, method)
        sites, colors, beta = SIZES[name]
        rows.append({"model": f"L = {sites}, q = {colors}", "method": method, "error": f"{m:.5f} ({error:.5f})",
                     "ratio": "" if "autoregressive" in method else f"{times:.3f} ({times_error:.3f})",
                     "seconds": tools.mean([r["seconds"] for r in lab.rows("planted.csv") if r["model"] == name and r["method"] == method])})
    text = tools.markdown({"planted": "model", "learned by": "method", "error": "error", "error over the limit": "ratio",
                           "seconds of a processor": "seconds"}, rows, {"seconds": "{:.1f}"})
    text += "\nThe limit, from all states or from samples:\n\n" + tools.markdown(
        {"planted": "model", "from": "source", "dimensions": "dimensions", "limit": "limit", "standard error": "standard_error"},
        lab.rows("planted_limits.csv"), {"dimensions": "{:.0f}", "limit": "{:.6f}", "standard_error": "{:.6f}"})
    return text


def claims(lab):
    ours, other = ratio(lab, "large", "likelihood"), ratio(lab, "large", "pseudolikelihood")
    better = ours[0] <= other[0] + 2 * math.hypot(ours[1], other[1])
    return [("more", "maximum likelihood finds planted couplings at least as well as pseudo-likelihood", "holds" if better else "does not hold",
             f"mean error over the Fisher limit {ours[2]:.3f} and {other[2]:.3f} (L = 30, q = 8, M = 20 000)")]
