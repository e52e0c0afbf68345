#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Dense pseudo-likelihood from three starts: independent sites, mean-field couplings, and the minimum of fewer sequences.

usage: dense_starts.py DHFR.a2m | SEQUENCES SITES

DHFR with the settings of descent.py, or a planted family as in large.py (penalties 0.2 (L - 1) and 0.01, all weights 1). Rows: the start, iterations
and processor seconds until the objective is 1e-3 and 1e-5 above the lowest end of the three, and until convergence by the default
tolerance, what was spent before the start included, and the end. Starts:

    independent   the default
    mean_field    0.15 times the couplings of mean field, in the zero-sum gauge; fields so that centred fields are those of independent sites
    batches       6 iterations with an eighth of the sequences at random, 6 with half of them, penalties smaller by their share of the
                  weights; then all

One thread. The last line counts sequences that occur before, whose work could be merged. Needs the Python package attopotts.
"""
import resource
import sys

import attopotts
import attopotts.scores
import numpy as np

import large

STEPS = 6  # iterations with some of the sequences


def seconds():
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime


def family_of(words, context):
    if len(words) == 1:
        family = attopotts.Alignment.read(words[0], alphabet="protein", context=context).focus("DYR_ECOLI")
        family.weigh(0.2)
        return family, {"gaps": "ignore", "l2_couplings": 16.0, "l2_fields": 0.01}
    return large.planted(*map(int, words)), {"l2_couplings": 0.2 * (int(words[1]) - 1), "l2_fields": 0.01}


def trainer_of(family, options, context, share=1.0):
    scaled = {key: value * share if key.startswith("l2") else value for key, value in options.items()}
    return attopotts.Trainer(family, family="dense", context=context, **scaled)


def run(trainer, begin):
    rows = []

    def keep(progress):
        rows.append((progress["objective"], seconds() - begin, int(progress["step"])))

    trainer.run(1000, progress=keep)
    return rows


def set_mean_field(trainer, family, context):
    """0.15 times its couplings; fields h = h' - sum_j J f_j, with h' those of independent sites, at which the trainer is."""
    model = attopotts.scores.mean_field(family, context=context)
    couplings = 0.15 * model.gauge("zero-sum").couplings()  # [L, L, q, q]
    sites, q = family.sites, trainer.parts["fields"].stop // family.sites
    first = family.colors - q  # 1 where gaps are ignored
    couplings = couplings[:, :, first:, first:]
    weights = family.weights / family.weights.sum()
    one_hot = np.stack([(family.sequences == a + first) for a in range(q)], axis=-1)
    frequencies = np.einsum("n,nia->ia", weights, one_hot)
    x = trainer.parameters.copy()
    x[trainer.parts["fields"]] -= np.einsum("ijab,jb->ia", couplings, frequencies).ravel()
    upper = [couplings[i, j] for i in range(sites) for j in range(i + 1, sites)]
    x[trainer.parts["couplings"]] = np.concatenate([block.ravel() for block in upper])
    trainer.parameters = x
    fitted = trainer.model().couplings()[:, :, -q:, -q:]
    assert np.allclose(fitted, couplings, atol=1e-6), "the order of couplings"


def parts_of(family, options, context):
    order = np.random.default_rng(1).permutation(family.count)
    parameters, total = None, family.weights.sum()
    for part in (8, 2):
        rows = np.sort(order[:family.count // part])
        weights = family.weights[rows]
        some = attopotts.Alignment(family.sequences[rows], colors=family.colors, weights=weights, alphabet=family.alphabet or None)
        share = weights.sum() / total
        trainer = trainer_of(some, options, context, share)
        if parameters is not None:
            trainer.parameters = parameters
        trainer.run(STEPS)
        parameters = trainer.parameters.copy()
    return parameters


def main():
    context = attopotts.Context(threads=1)
    family, options = family_of(sys.argv[1:], context)
    results = {}
    for start in ("independent", "mean_field", "batches"):
        begin = seconds()
        trainer = trainer_of(family, options, context)
        if start == "mean_field":
            set_mean_field(trainer, family, context)
        elif start == "batches":
            trainer.parameters = parts_of(family, options, context)
        before = seconds() - begin
        results[start] = before, run(trainer, begin)
    end = min(rows[-1][0] for _, rows in results.values())
    print("start,before,iterations_1e3,seconds_1e3,iterations_1e5,seconds_1e5,iterations,seconds,objective")
    for start, (before, rows) in results.items():
        near = [next((row for row in rows if row[0] <= (1 + level) * end), (0, float("nan"), 0)) for level in (1e-3, 1e-5)]
        cells = [f"{row[2]},{row[1]:.2f}" for row in (*near, rows[-1])]
        print(f"{start},{before:.2f},{','.join(cells)},{rows[-1][0]:.2f}")
    print(f"# {family.count} sequences, {family.count - len(np.unique(family.sequences, axis=0))} of them occur before")


if __name__ == "__main__":
    main()
