#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a looser tolerance of dense pseudo-likelihood costs: iterations, objective, and the contacts.

usage: tolerance.py [FAMILY [FOCUS]]

FAMILY is a protein alignment, with the name of a sequence of which the columns are kept. Without one: 5000 independent sequences of a
planted model of 100 sites and 21 colours whose couplings are those of 150 contacts. One run to a tolerance of a tenth of the default; a
row of the table is the first iteration at which a run with that tolerance would have ended. `top_L` and `top_3L` are the fractions of the
L and 3 L best pairs (at least 5 apart, Frobenius norm with APC) that are among the best of the end; `precision` is that of L pairs against
the planted contacts. Needs the Python package attopotts.
"""
import math
import resource
import sys

import attopotts
import numpy as np

TOLERANCES = (1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6, 1e-6)  # in units of N_eff sqrt(L); the default is 1e-5


def seconds():
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime


def read(path, focus):
    family = attopotts.Alignment.read(path, alphabet="protein")
    if focus:
        family = family.focus(focus)
    family.weigh(0.2)
    return family, None


def planted(sites=100, colors=21, contacts=150, count=5000, beta=1.0):
    random = np.random.default_rng(1)
    far = [(i, j) for i in range(sites) for j in range(i + 5, sites)]
    pairs = [far[k] for k in random.choice(len(far), contacts, replace=False)]
    couplings = np.zeros((sites, sites, colors, colors))
    for i, j in pairs:
        block = random.normal(size=(colors, colors))
        couplings[i, j], couplings[j, i] = block, block.T
    model = attopotts.Model.dense(couplings, 0.5 * random.normal(size=(sites, colors)))
    model.beta = beta
    chains = attopotts.Sampler(model, chains=count, seed=1)
    chains.sweep(100)
    return attopotts.Alignment(chains.states()[:count], colors=colors), set(pairs)


def best(trainer):
    model = trainer.model()
    return np.array([(i - 1, j - 1) for i, j, _ in attopotts.contacts(model, 3 * model.sites, separation=5)])  # by numbers from 1


def main():
    family, contacts = read(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None) if len(sys.argv) > 1 else planted()
    sites, scale = family.sites, float(np.sum(family.weights)) * math.sqrt(family.sites)
    trainer = attopotts.Trainer(family, family="dense", tolerance=min(1.0, TOLERANCES[-1] * scale))
    rows, left, begin = [], list(TOLERANCES), seconds()
    spent = [0.0]

    def keep(progress):
        before = seconds()
        ratio = progress["gradient_norm"] / max(1.0, float(np.linalg.norm(trainer.parameters))) / scale
        while left and ratio <= left[0]:
            rows.append((left.pop(0), int(progress["step"]), before - begin - spent[0], progress["objective"], best(trainer)))
        spent[0] += seconds() - before

    trainer.run(1000, progress=keep)
    end = rows[-1]
    print(f"# N = {family.count}, N_eff = {float(np.sum(family.weights)):.0f}, L = {sites}, q = {family.colors}")
    print("tolerance,iterations,processor_seconds,objective_excess,top_L,top_3L" + (",precision" if contacts else ""))
    for tolerance, step, taken, objective, pairs in rows:
        cells = [f"{tolerance:g}", str(step), f"{taken:.2f}", f"{objective / end[3] - 1:.1e}"]
        cells += [f"{attopotts.scores.overlap(pairs[:n], end[4][:n]):.3f}" for n in (sites, 3 * sites)]
        if contacts:
            cells.append(f"{sum(tuple(pair) in contacts for pair in pairs[:sites].tolist()) / sites:.3f}")
        print(",".join(cells))


if __name__ == "__main__":
    main()
