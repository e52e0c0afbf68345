# SPDX-License-Identifier: MIT
"""Dot-product attention of two tokens: what the experiments about [C24] share."""
import math

PROBLEM = {"omega": 0.3, "sigma": 0.5, "penalty": 0.01}
SOLUTIONS = {1: "semantic", 2: "positional", 3: "uninformed"}
ORDER = {"semantic": "theta", "positional": "m"}  # the overlap of a branch

# Numbers of an independent check: its code shares nothing with this tree, and its runs are not stored here. d = 1000, omega = 0.3,
# sigma = 0.5, lambda = 0.01; (value, standard error). By alpha: minima from (1, ..., 1) less the best minimum that flips of single samples
# found on the same data, in per cent, and V = sigma^2 tr H^-1 / d at minima.
PAIRED = {1.0: {"et": (0.52, 0.10), "m": (2.23, 0.36), "q": (-2.74, 0.48)}, 1.5: {"et": (0.42, 0.07), "m": (2.88, 0.41), "q": (-4.85, 0.64)}}
PAIRED_SETS = 39                          # data sets at alpha = 1.5
PAIRED_BETTER = 0.90                      # share of them in which a flip lowered the risk
PAIRED_CONTROLS = {"et": (0.02, 0.01)}    # where jumps are rare: omega = 0.6, and lambda = 0.03
RESPONSE = {1.0: (15.34, 0.08), 1.5: (12.64, 0.09)}


def branch(potts, name, alphas, **options):
    """Rows of the theory along a branch; `solution` is what was found there. Only rows that converged."""
    table = potts.dotattn.curve(alphas, branch=name, **{**PROBLEM, **options})
    rows = [{column: float(values[k]) for column, values in table.items()} for k in range(len(alphas))]
    return [{**row, "branch": name, "alpha": alpha, "solution": SOLUTIONS[int(row["branch"])]}
            for row, alpha in zip(rows, alphas) if row["outcome"] == 1]


def code_loss(q, m):
    """E |S code|^2 / 2 for S = softmax(w w^T), w = m (1, -1) + sqrt(q) z, z normal: what the code in the values adds to d times the loss."""
    step, total, weight = 0.2, 0.0, 0.0
    grid = [step * k for k in range(-30, 31)]
    for z1 in grid:
        for z2 in grid:
            w1, w2, p = m + math.sqrt(q) * z1, -m + math.sqrt(q) * z2, math.exp(-(z1 * z1 + z2 * z2) / 2)
            first, second = math.tanh(w1 * (w1 - w2) / 2), math.tanh(w2 * (w2 - w1) / 2)  # 2 S_11 - 1, 2 S_22 - 1
            total, weight = total + p * (first**2 + second**2) / 2, weight + p
    return total / weight


def with_code(row):
    """The row and the known part of its losses: code / d belongs to e_g, alpha code / d to e_t."""
    return {**row, "order": row[ORDER[row["branch"]]], "code": code_loss(row["q"], row["m"])}
