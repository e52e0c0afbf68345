# SPDX-License-Identifier: MIT
"""The part consistency_spread of results.py: how far one realisation of the coupling error is from its limit, and how far the limit itself."""
import math
import operator


def invert(matrix):
    """The inverse of a symmetric positive matrix, by Gauss-Jordan elimination without pivots."""
    n = len(matrix)
    a = [list(row) + [float(i == j) for j in range(n)] for i, row in enumerate(matrix)]
    for k in range(n):
        scale = 1 / a[k][k]
        a[k] = [x * scale for x in a[k]]
        for i in range(n):
            if i != k and a[i][k] != 0:
                factor = a[i][k]
                a[i] = [x - factor * y for x, y in zip(a[i], a[k])]
    return [row[n:] for row in a]


class Site:
    """Logistic regression of s_i on the others with V known: one term of the Fisher information, one score."""

    def __init__(self, maps, values, beta, i):
        self.i = i
        self.sites = 1 + max(k for _, k, _ in maps)
        self.colors = 1 + max(a for _, a, _ in values)
        self.others = [j for j in range(self.sites) if j != i]
        self.couplings = [beta * maps[0, i, j] for j in self.others]
        # columns[b][a]: V(a, b).
        self.columns = [[values[0, a, b] for a in range(self.colors)] for b in range(self.colors)]

    def look(self, sequence):
        """(p, per other site V(., s_j) minus its mean under p)."""
        inputs = [self.columns[sequence[j]] for j in self.others]
        logits = [sum(c * v[a] for c, v in zip(self.couplings, inputs)) for a in range(self.colors)]
        top = max(logits)
        weights = [math.exp(x - top) for x in logits]
        scale = 1 / sum(weights)
        p = [w * scale for w in weights]
        centred = []
        for v in inputs:
            mean = sum(map(operator.mul, p, v))
            centred.append([x - mean for x in v])
        return p, centred

    def information(self, sequences):
        n = len(self.others)
        fisher = [[0.0] * n for _ in range(n)]
        for s in sequences:
            p, centred = self.look(s)
            weighted = [list(map(operator.mul, p, v)) for v in centred]
            for k in range(n):
                row, left = fisher[k], weighted[k]
                for j in range(k + 1):
                    row[j] += sum(map(operator.mul, left, centred[j]))
        return [[fisher[max(k, j)][min(k, j)] / len(sequences) for j in range(n)] for k in range(n)]

    def score(self, sequence):
        _, centred = self.look(sequence)
        return [v[sequence[self.i]] for v in centred]


def trace(matrix):
    return sum(matrix[k][k] for k in range(len(matrix)))


def mean_of(matrices):
    n = len(matrices[0])
    return [[sum(m[j][k] for m in matrices) / len(matrices) for k in range(n)] for j in range(n)]


def consistency_spread(results):
    """Errors of all couplings have covariance S / M, S = E v v^T with v the rows F_i^-1 g_i of one sequence. The coupling error sum_k x_k^2 has
    mean tr S / M and variance 2 tr S^2 / M^2; tr S^2 = E (v_s . v_t)^2 over different sequences s, t, without bias."""
    block, blocks, scored = results.pick((400, 8, 2000), (40, 2, 60))
    results.run("sample", "--sites", 20, "--colors", 20, "--beta", 1, "--samples", 2 * block * blocks, "--chains", 256, "-o", "spread.h5",
                "--model-out", "spread_truth.h5")
    maps, values, beta = results.model("spread_truth.h5")
    text, _ = results.run("convert", "spread.h5", "-")
    sequences = [[int(x) for x in line.split()] for line in text.splitlines()]
    sites = len(sequences[0])
    limit_small = limit_all = 0.0
    vectors = [[] for _ in range(scored)]
    for i in range(sites):
        site = Site(maps, values, beta, i)
        parts = [site.information(sequences[block * b:block * (b + 1)]) for b in range(blocks)]
        inverse = invert(mean_of(parts))
        limit_small += sum(trace(invert(part)) for part in parts) / blocks / sites**2
        limit_all += trace(inverse) / sites**2
        # The scores are those of other sequences.
        for vector, s in zip(vectors, sequences[-scored:]):
            g = site.score(s)
            vector.append([sum(map(operator.mul, row, g)) for row in inverse])
    # Of A_ij with A_ji.
    both = own = 0.0
    for vector in vectors:
        for i in range(sites):
            for j in range(i):
                x, y = vector[i][j], vector[j][i - 1]
                both += 2 * x * y
                own += x * x + y * y
    flat = [[x for row in vector for x in row] for vector in vectors]
    square = sum(sum(map(operator.mul, flat[s], flat[t]))**2 for s in range(scored) for t in range(s)) / (scored * (scored - 1) / 2)
    total = sum(sum(map(operator.mul, v, v)) for v in flat) / scored
    parameters = sites * (sites - 1)
    # The bias falls like 1 / n: what all blocks together leave of it is one part in `blocks`.
    bias = (limit_small - limit_all) / (1 - 1 / blocks)
    exact = limit_all - bias / blocks
    correlation = both / own
    spread = math.sqrt(2 * square) / total
    results.fill("consistency_spread",
                 f"- M x error in the limit: {limit_small:.4f} from {block} sequences (mean of {blocks} such sets), {limit_all:.4f} from {block * blocks}, "
                 f"{exact:.4f} extrapolated: {block} sequences make it {100 * bias / exact:.1f} per cent too large\n"
                 f"- errors of A_ij and A_ji have a correlation of {correlation:.2f}; {parameters} independent errors of one size would have a spread of "
                 f"{100 * math.sqrt(2 / parameters):.1f} per cent, with this correlation {100 * math.sqrt(2 * (1 + correlation**2) / parameters):.1f}\n"
                 f"- spread of one realisation, from the covariance of all errors: {100 * spread:.1f} per cent ({scored} scores; their trace is "
                 f"{100 * (total / sites**2 / limit_all - 1):+.1f} per cent from tr F^-1)\n")
