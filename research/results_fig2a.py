#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""[R24 fig. 2a] with equal effort: each architecture gets the same choice of rates, starts and couplings.

usage: research/results_fig2a.py [--library build/libattopotts.so] [--store docs/results/fig2a-runs.csv] [--distances 0.7,0.3]
                                [--kinds equilibrium,chain] [--minutes M] [--quick]

One training is one row of the store; what is there is not trained again, so that the script can be stopped and started at any time, and
several may run at once for different distances or kinds. On the equilibrium data of the first J all rates and momenta are tried from one start. The setting
with the smallest training loss gets 8 starts on each of 5 J. Factored attention is then continued by L-BFGS on the pseudo-likelihood, to its
convergence. --minutes: begin no training after so many. --quick: few epochs, one J, two starts, a store of its own.

`research/results.py --only fig2a_effort` makes the table and the picture of docs/results.md from the store. Needs NumPy (Debian: python3-numpy).
"""
import argparse
import itertools
import math
import os
import time

import binding
from binding import ROOT
from store import Store

STORE = os.path.join(ROOT, "docs/results/fig2a-runs.csv")
ARCHITECTURES = {"factored": 0, "encoder1": 1, "encoder3": 3}  # blocks of the encoder
RATES, MOMENTA = (0.01, 0.03, 0.1), (0, 0.9)
SITES = COLORS = 20
KEY = ["distance", "kind", "j", "architecture", "rate", "momentum", "start", "epochs"]
COLUMNS = KEY + ["train_loss", "test_loss", "optimal_train", "optimal_test", "map_r", "coupling_error", "lbfgs_train", "lbfgs_test",
                 "lbfgs_error", "lbfgs_outcome", "parameters", "beta", "measured_distance", "seconds"]


class Plan:
    """The sizes of the experiment."""

    def __init__(self, quick):
        self.epochs, self.samples, self.tests = (20, 300, 300) if quick else (2000, 3000, 3000)
        self.couplings, self.starts = (1, 2) if quick else (5, 8)
        self.rates, self.momenta = ((0.03, 0.1), (0.9,)) if quick else (RATES, MOMENTA)
        self.sweeps = 100 if quick else 10000  # between the samples of one chain


def draw(potts, plan, distance, kind, j):
    """(truth, training data, test data) of one random J, at the beta of this mean distance."""
    truth = potts.Model.random(sites=SITES, colors=COLORS, color_matrix="gaussian", seed=j)
    truth.beta = potts.tune_beta(truth, distance, seed=j).beta
    flags = {"protocol": "chain", "chains": 1, "burn_in": plan.sweeps, "thin": plan.sweeps} if kind == "chain" else {"chains": 64}
    sequences = potts.sample_equilibrium(truth, plan.samples + plan.tests, seed=j, **flags).alignment.sequences
    # A chain that leaves its basin once would have other basins in its second half: every other sample is for tests.
    parts = (sequences[0::2], sequences[1::2]) if kind == "chain" else (sequences[:plan.samples], sequences[plan.samples:])
    return truth, *(potts.Alignment(part.copy(), colors=COLORS) for part in parts)


def mean_distance(sequences):
    """Mean fraction of sites in which two different rows differ."""
    import numpy as np
    number = len(sequences)
    counts = np.stack([(sequences == color).sum(axis=0) for color in range(COLORS)])  # [colours, sites]
    return float(1 - np.mean(np.sum(counts * (counts - 1), axis=0) / (number * (number - 1))))


def map_correlation(maps, couplings):
    """Multiple correlation of J_ij, i != j, with the maps [blocks, L, L]: that of the best affine fit."""
    import numpy as np
    others = ~np.eye(SITES, dtype=bool)
    target = couplings[others]
    inputs = np.column_stack([np.ones(target.size)] + [m[others] for m in maps])
    rest = target - inputs @ np.linalg.lstsq(inputs, target, rcond=None)[0]
    return math.sqrt(max(0, 1 - rest @ rest / np.sum((target - target.mean())**2)))


def continued(potts, trainer, data):
    """L-BFGS on the pseudo-likelihood from where SGD ended, and what it reaches."""
    truth, train, test = data
    more = potts.Trainer(train, epochs=3000)
    more.parameters = trainer.parameters
    outcome = more.run()
    return {"lbfgs_train": more.gradient().loss, "lbfgs_test": more.loss(test), "lbfgs_error": more.model().coupling_error(truth),
            "lbfgs_outcome": outcome}


def trained(potts, data, key):
    """The row of one training."""
    truth, train, test = data
    named = dict(zip(KEY, key))
    options = {"epochs": named["epochs"], "batch": 100, "rate": named["rate"], "momentum": named["momentum"], "seed": named["start"]}
    blocks = ARCHITECTURES[named["architecture"]]
    begin = time.process_time()
    if blocks:
        learner = potts.Transformer(train, architecture="encoder", blocks=blocks, **options)
    else:
        learner = potts.Trainer(train, objective="mlm", optimizer="sgd", **options)
    row = {**named, "parameters": len(learner.parameters), "optimal_train": truth.loss(train), "optimal_test": truth.loss(test),
           "beta": truth.beta, "measured_distance": mean_distance(test.sequences)}
    try:
        learner.run()
    except potts.Error as error:
        return {**row, "train_loss": "inf", "test_loss": "inf", "lbfgs_outcome": type(error).__name__,
                "seconds": time.process_time() - begin}
    row.update(seconds=time.process_time() - begin, train_loss=learner.gradient().loss, test_loss=learner.loss(test))
    if blocks:
        row["map_r"] = map_correlation(learner.maps(test), truth.maps[0])
    else:
        learned = learner.model()
        row.update(map_r=map_correlation(learned.maps, truth.maps[0]), coupling_error=learned.coupling_error(truth))
        row.update(continued(potts, learner, data))
    return row


def best_setting(rows, distance, architecture):
    """(rate, momentum) with the smallest training loss on equilibrium data of the first J from the first start; None where nothing converged."""
    wanted = str(distance), "equilibrium", "1", architecture, "1"
    tried = [r for r in rows if (r["distance"], r["kind"], r["j"], r["architecture"], r["start"]) == wanted]
    tried = [r for r in tried if math.isfinite(float(r["train_loss"]))]
    best = min(tried, key=lambda r: float(r["train_loss"]), default=None)
    return best and (best["rate"], best["momentum"])


def keys_of(plan, store, distance, kind):
    """The trainings on data of one distance and kind: the cheap architectures first, and every J before the next start."""
    for architecture in ARCHITECTURES:
        for rate, momentum in itertools.product(plan.rates, plan.momenta) if kind == "equilibrium" else ():
            yield distance, kind, 1, architecture, rate, momentum, 1, plan.epochs
        setting = best_setting(store.rows(), distance, architecture)
        if setting is None:
            continue
        rate, momentum = float(setting[0]), next(m for m in plan.momenta if str(m) == setting[1])
        for start, j in itertools.product(range(1, plan.starts + 1), range(1, plan.couplings + 1)):
            yield distance, kind, j, architecture, rate, momentum, start, plan.epochs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", default=os.path.join(ROOT, "build/libattopotts.so"))
    parser.add_argument("--store", default=STORE)
    parser.add_argument("--distances", default="0.7,0.3")
    parser.add_argument("--kinds", default="equilibrium,chain")
    parser.add_argument("--minutes", type=float, default=math.inf)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    if options.quick and os.path.abspath(options.store) == STORE:
        raise SystemExit("--quick needs a --store of its own")
    plan, store, end = Plan(options.quick), Store(options.store, KEY, COLUMNS, "one row a training: research/results_fig2a.py"), time.monotonic() + 60 * options.minutes
    potts = binding.load(options.library)
    for kind, distance in itertools.product(options.kinds.split(","), map(float, options.distances.split(","))):
        data = {}
        for key in keys_of(plan, store, distance, kind):
            if store.find(key):
                continue
            if time.monotonic() > end:
                return
            j = dict(zip(KEY, key))["j"]
            if j not in data:
                data[j] = draw(potts, plan, distance, kind, j)
            row = trained(potts, data[j], key)
            store.append(row)
            print(*key, row["train_loss"], row["test_loss"], f"{row['seconds']:.1f} s", flush=True)


if __name__ == "__main__":
    main()
