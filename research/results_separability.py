# SPDX-License-Identifier: MIT
"""The part separability of results.py: how many samples with random labels factored attention with known V can fit without an error."""
import math
import random
import sys

from results_common import markdown, mean_and_error

COLORS = (2, 5, 20)


def least(first, others):
    """min_u (u - first)^2 + sum_a (others_a - u)_+^2: u is the mean of `first` and of those above u."""
    total, count, u = first, 1, first
    for z in sorted(others, reverse=True):
        if z <= u:
            break
        total, count = total + z, count + 1
        u = total / count
    return (u - first)**2 + sum((z - u)**2 for z in others if z > u)


def threshold(colors, draws, generator):
    """alpha_c = 1 / E least(z_1, z_2 ... z_q), and its standard error."""
    values = [least(generator.gauss(0, 1), [generator.gauss(0, 1) for _ in range(colors - 1)]) for _ in range(draws)]
    mean = sum(values) / draws
    error = math.sqrt(sum((x - mean)**2 for x in values) / (draws - 1) / draws)
    return 1 / mean, error / mean**2


def most_separable(colors, size, generator, solver):
    """Samples of `size` normal inputs per colour come one after the other, each with label 1: how many can be fitted, by linear programming."""
    rows = []

    def separable(samples):
        while len(rows) < samples * (colors - 1):
            label = [generator.gauss(0, 1) for _ in range(size)]
            rows.extend([generator.gauss(0, 1) - x for x in label] for _ in range(colors - 1))
        # The largest t with w . (x_label - x_a) >= t for all other colours a and |w_j| <= 1: above 0 if and only if they can be separated.
        part = [row + [1.0] for row in rows[:samples * (colors - 1)]]
        found = solver([0.0] * size + [-1.0], A_ub=part, b_ub=[0.0] * len(part), bounds=[(-1, 1)] * size + [(0, 1)], method="highs")
        if found.status != 0:
            raise SystemExit(f"linear programming: {found.message}")
        return found.x[-1] > 1e-6

    low, high = 0, 1
    while separable(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if separable(middle) else (low, middle)
    return low


def separability(results):
    try:
        from scipy.optimize import linprog
    except ImportError:
        linprog = None
        print("separability: no linear programming, as SciPy is not there (Debian: python3-scipy)", file=sys.stderr)
    (draws, size, trials), rows = results.pick((400000, 60, 50), (4000, 10, 3)), []
    for colors in COLORS:
        print(f"  separability, q = {colors}", flush=True)
        alpha, error = threshold(colors, draws, random.Random(colors))
        row = {"colors": colors, "alpha_c": alpha, "error": error, "text": f"{alpha:.4f} +- {error:.4f}", "size": size, "trials": trials,
               "linear": math.nan, "linear_error": math.nan, "linear_text": "not run", "ratio": ""}
        if linprog:
            generator = random.Random(100 + colors)
            mean, error = mean_and_error([most_separable(colors, size, generator, linprog) / size for _ in range(trials)])
            row.update({"linear": mean, "linear_error": error, "linear_text": f"{mean:.3f} +- {error:.3f}", "ratio": f"{mean / alpha:.3f}"})
        rows.append(row)
    results.write_csv("separability.csv", ["colors", "alpha_c", "error", "size", "trials", "linear", "linear_error"], rows,
                      [f"alpha_c: Monte Carlo with {draws} draws; linear: largest number of separable samples over n, by linear programming"])
    results.fill("separability", markdown({"q": "colors", f"alpha_c, {draws} draws": "text",
                                           f"linear programming, n = {size}, {trials} trials": "linear_text", "ratio": "ratio"}, rows, {}))
