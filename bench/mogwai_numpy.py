#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Factored attention as mogwai defines and trains it, in plain NumPy, beside the library's convention.

usage: mogwai_numpy.py FASTA [STEPS] [RATE] [PENALTY]

Prints the differences of objective and gradient at mogwai's start, where the Python package attopotts is installed. Then trains by Adam and
prints every 50 steps the loss per residue, the penalty and the norm of the couplings. PENALTY multiplies mogwai's own, 1 by default; 0 is
none. The value matrices are full, not products. Written from the definitions in docs/theory.md, section 4.
"""
import sys

import numpy as np

RESIDUES = "ACDEFGHIKLMNPQRSTVWY"
GAP, HEADS, RANK, BATCH, STRENGTH = 20, 32, 16, 128, 0.01


def read(path):
    with open(path) as file:
        records = ["".join(record.split("\n")[1:]).upper() for record in file.read().split(">")[1:]]
    return np.array([[RESIDUES.find(c) if c in RESIDUES else GAP for c in record] for record in records])


class Layer:
    def __init__(self, sequences, penalty, seed=1):
        count, self.sites = sequences.shape
        random = np.random.default_rng(seed)
        ranges = np.sqrt(6 / (RANK * (self.sites + HEADS))), np.sqrt(6 / (20 * (20 + HEADS)))
        counts = np.stack([(sequences == a).sum(0) for a in range(20)], 1)
        fields = np.log(counts + 0.01 * np.log(count))
        self.x = {"query": random.uniform(-ranges[0], ranges[0], (HEADS, self.sites, RANK)),
                  "key": random.uniform(-ranges[0], ranges[0], (HEADS, self.sites, RANK)),
                  "value": random.uniform(-ranges[1], ranges[1], (HEADS, 20, 20)), "field": fields - fields.mean(1, keepdims=True)}
        self.pairs, self.fields = penalty * STRENGTH * (self.sites - 1) * 19 / count, penalty * STRENGTH / count

    def couplings(self):
        """Maps [H, L, L] and symmetrised couplings as a matrix [L * 20, L * 20]."""
        scores = self.x["query"] @ self.x["key"].transpose(0, 2, 1) / np.sqrt(RANK)
        scores[:, range(self.sites), range(self.sites)] = -1e4
        maps = np.exp(scores - scores.max(-1, keepdims=True))
        maps /= maps.sum(-1, keepdims=True)
        one_way = (maps.reshape(HEADS, -1).T @ self.x["value"].reshape(HEADS, -1)).reshape(self.sites, self.sites, 20, 20)
        matrix = one_way.transpose(0, 2, 1, 3).reshape(self.sites * 20, -1)
        return maps, (matrix + matrix.T) / 2

    def evaluate(self, batch):
        """Mean loss per residue, penalty, norm of the couplings, gradient of loss + penalty."""
        maps, matrix = self.couplings()
        seen = (batch[:, :, None] == np.arange(20)).astype(float)
        residue = batch != GAP
        logits = (seen.reshape(len(batch), -1) @ matrix).reshape(seen.shape) + self.x["field"]
        logits -= logits.max(-1, keepdims=True)
        chances = np.exp(logits)
        total = chances.sum(-1, keepdims=True)
        loss = ((np.log(total) - logits) * seen).sum() / residue.sum()
        error = (chances / total - seen) * residue[..., None] / residue.sum()
        lengths = np.linalg.norm(matrix), np.linalg.norm(self.x["field"])
        slope = seen.reshape(len(batch), -1).T @ error.reshape(len(batch), -1) + self.pairs * matrix / lengths[0]
        slope = ((slope + slope.T) / 2).reshape(self.sites, 20, self.sites, 20).transpose(0, 2, 1, 3).reshape(self.sites ** 2, 400)
        of_maps = (slope @ self.x["value"].reshape(HEADS, 400).T).T.reshape(maps.shape)
        of_scores = maps * (of_maps - (maps * of_maps).sum(-1, keepdims=True)) / np.sqrt(RANK)
        gradient = {"query": of_scores @ self.x["key"], "key": of_scores.transpose(0, 2, 1) @ self.x["query"],
                    "value": (maps.reshape(HEADS, -1) @ slope).reshape(HEADS, 20, 20),
                    "field": error.sum(0) + self.fields * self.x["field"] / lengths[1]}
        return loss, self.pairs * lengths[0] + self.fields * lengths[1], lengths[0], gradient


def compare(sequences, layer):
    """Objective and gradient of all sequences against a trainer of the library, at the same parameters."""
    try:
        import attopotts
    except ImportError:
        print("attopotts: the Python package is not installed, nothing is compared")
        return
    data = attopotts.Alignment(np.where(sequences == GAP, 0, sequences + 1).astype(np.uint8), colors=21)
    trainer = attopotts.Trainer(data, map="lowrank", heads=HEADS, rank=RANK, fields=1, symmetrized=1, gaps="ignore", precision=64,
                                norm_pairs=layer.pairs, norm_fields=layer.fields)
    trainer.parameters = np.concatenate([layer.x[name].ravel() for name in ("query", "key", "value", "field")])
    loss, penalty, _, gradient = layer.evaluate(sequences)
    flat = np.concatenate([gradient[name].ravel() for name in ("query", "key", "value", "field")])
    ours = trainer.gradient()
    print(f"objective {ours[1]:.15g} and {loss + penalty:.15g}; largest difference of the gradients "
          f"{np.abs(np.asarray(ours[2]) - flat).max():.2g} of {np.abs(flat).max():.2g}")


def main():
    sequences = read(sys.argv[1])
    steps, rate, penalty = (float(text) if k < len(sys.argv) - 2 else usual for k, (text, usual) in enumerate(zip(
        (sys.argv[2:] + [""] * 3)[:3], (1000, 0.001, 1))))
    layer = Layer(sequences, penalty)
    compare(sequences, layer)
    random, order = np.random.default_rng(2), []
    mean, square = ({name: np.zeros_like(x) for name, x in layer.x.items()} for _ in range(2))
    for step in range(1, int(steps) + 1):
        order = order if len(order) else list(random.permutation(len(sequences)))
        batch, order = sequences[order[:BATCH]], order[BATCH:]
        loss, penalty, norm, gradient = layer.evaluate(batch)
        for name, g in gradient.items():
            mean[name] = 0.9 * mean[name] + 0.1 * g
            square[name] = 0.999 * square[name] + 0.001 * g * g
            layer.x[name] -= rate * mean[name] / (1 - 0.9 ** step) / (np.sqrt(square[name] / (1 - 0.999 ** step)) + 1e-8)
        if step % 50 == 0 or step == int(steps):
            print(f"step {step}: loss {loss:.4f} per residue, penalty {penalty:.4f}, norm of the couplings {norm:.3g}", flush=True)


if __name__ == "__main__":
    main()
