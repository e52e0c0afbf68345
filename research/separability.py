# SPDX-License-Identifier: MIT
"""How many random labels can be fitted: the threshold of separability

Random labels of q colours, n normal inputs for each colour. The largest number of samples over n that some weights fit without an error
is 1/alpha_c = E min_u [(u - z_1)^2 + sum_{a>1} (z_a - u)_+^2] with independent standard normal z: an average of 400000 draws. Beside it
linear programming for n = 60: samples are added until no weights give all labels the largest field; means over 50 trials.
"""
import math
import random
import sys

import lab as tools

COLORS, DRAWS, SIZE, TRIALS = (2, 5, 20), 400000, 60, 50
AGREE = {"separability.csv": tools.Same(("colors",), within={"alpha_c": "error", "linear": "linear_error"})}


def least(first, others):
    """min_u (u - first)^2 + sum_a (others_a - u)_+^2: u is the mean of `first` and of those above u."""
    total, count, u = first, 1, first
    for z in sorted(others, reverse=True):
        if z <= u:
            break
        total, count = total + z, count + 1
        u = total / count
    return (u - first)**2 + sum((z - u)**2 for z in others if z > u)


def threshold(colors, draws):
    """alpha_c and its standard error."""
    generator = random.Random(colors)
    m, error = tools.mean_and_error([least(generator.gauss(0, 1),
                                           [generator.gauss(0, 1) for _ in range(colors - 1)]) for _ in range(draws)])
    return 1 / m, error / m**2


def separable(solve, rows, size):
    """Whether some |w_j| <= 1 have w . (x_label - x_a) >= t > 0 for all rows."""
    found = solve([0.0] * size + [-1.0], A_ub=[row + [1.0] for row in rows], b_ub=[0.0] * len(rows), bounds=[(-1, 1)] * size + [(0, 1)],
                  method="highs")
    if found.status != 0:
        raise SystemExit(f"linear programming: {found.message}")
    return found.x[-1] > 1e-6


def largest(test):
    """The largest number for which `test` holds, by doubling and bisection."""
    low, high = 0, 1
    while test(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if test(middle) else (low, middle)
    return low


def most_separable(solve, colors, size, generator):
    rows = []

    def test(samples):
        while len(rows) < samples * (colors - 1):
            label = [generator.gauss(0, 1) for _ in range(size)]
            rows.extend([generator.gauss(0, 1) - x for x in label] for _ in range(colors - 1))
        return separable(solve, rows[:samples * (colors - 1)], size)

    return largest(test)


def compute(lab):
    try:
        from scipy.optimize import linprog
    except ImportError:
        linprog = None
        print("separability: no linear programming, as SciPy is not there (Debian: python3-scipy)", file=sys.stderr)
    rows = []
    for colors in lab.pick(COLORS, COLORS[:2]):
        alpha, error = threshold(colors, lab.pick(DRAWS, 20000))
        row = {"colors": colors, "alpha_c": alpha, "error": error, "size": SIZE, "trials": TRIALS, "linear": math.nan,
               "linear_error": math.nan}
        if linprog:
            generator = random.Random(100 + colors)
            row["linear"], row["linear_error"] = tools.mean_and_error([most_separable(linprog, colors, SIZE, generator) / SIZE
                                                                       for _ in range(lab.pick(TRIALS, 4))])
        rows.append(row)
    lab.write("separability.csv", rows, [f"alpha_c: Monte Carlo with {DRAWS} draws; linear: largest number of separable samples over n"])


def report(lab):
    rows = [{**r, "text": f"{r['alpha_c']:.4f} +- {r['error']:.4f}", "linear_text": f"{r['linear']:.3f} +- {r['linear_error']:.3f}",
             "ratio": r["linear"] / r["alpha_c"]} for r in lab.rows("separability.csv")]
    return tools.markdown({"q": "colors", "alpha_c": "text", "linear programming, n = 60": "linear_text", "ratio": "ratio"}, rows,
                          {"ratio": "{:.3f}"})


def claims(lab):
    row = lab.rows("separability.csv")[-1]
    return [("more", "the formula for the threshold of separability holds", "holds",
             f"q = 20: {row['alpha_c']:.4f} +- {row['error']:.4f}, by linear programming {row['linear']:.3f} +- {row['linear_error']:.3f}")]
