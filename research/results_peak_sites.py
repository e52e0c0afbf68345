# SPDX-License-Identifier: MIT
"""The part peak_sites of results.py: when single sites cease to be separable, and whether each has its peak there."""
import csv
import os
import sys

from results_common import markdown, mean_and_error
from results_peak import read_data, site_covariance
from results_peak_runs import COUNTS, DISTANCES, SITES, TESTS, TRAINING, sample, train

SITE_MODELS, SITE_PENALTY = (1, 2, 3), "1e-8"
COLUMNS = ("distance", "model", "site", "separable", "entropy", "directions", "distinct", "samples", "train_loss", "test_loss")
# Of M over the largest number of sequences that the site can fit.
BINS = ((0, 0.5), (0.5, 1.01), (1.01, 2), (2, 4), (4, 1e9))


def separable(np, linprog, v, sequences, site, samples):
    """Whether some row of A gives all labels of the site the largest field: linear programming, as in results_separability.py."""
    others = [j for j in range(SITES) if j != site]
    inputs = v[:, sequences[:samples][:, others]]  # [q, M, L - 1]
    own = inputs[sequences[:samples, site], np.arange(samples)]
    rows = (inputs - own).transpose(1, 0, 2)
    keep = np.arange(len(v))[None, :] != sequences[:samples, site][:, None]
    rows = np.unique(rows[keep], axis=0)
    found = linprog([0.0] * len(others) + [-1.0], A_ub=np.column_stack([rows, np.ones(len(rows))]), b_ub=np.zeros(len(rows)),
                    bounds=[(-1, 1)] * len(others) + [(0, 1)], method="highs")
    if found.status != 0:
        raise SystemExit(f"linear programming: {found.message}")
    return found.x[-1] > 1e-6


def most_separable(np, linprog, v, sequences, site):
    low, high = 0, 1
    while high <= TRAINING and separable(np, linprog, v, sequences, site, high):
        low, high = high, 2 * high
    high = min(high, TRAINING + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if separable(np, linprog, v, sequences, site, middle) else (low, middle)
    return low


def log_softmax(np, z):
    z = z - z.max(-1, keepdims=True)
    return z - np.log(np.exp(z).sum(-1, keepdims=True))


def losses_of_sites(np, sequences, v, couplings):
    """-log p(s_i | rest) of all sites, a mean over sequences, [L]; and its mean over labels under the model itself."""
    result, entropy = np.zeros(SITES), np.zeros(SITES)
    for i in range(SITES):
        z = np.einsum("j,anj->na", couplings[i], v[:, sequences])
        logs = log_softmax(np, z)
        result[i] = -logs[np.arange(len(sequences)), sequences[:, i]].mean()
        entropy[i] = -(np.exp(logs) * logs).sum(1).mean()
    return result, entropy


def learned(results, np, colors):
    maps, values, _ = results.model("model.h5")
    v = np.array([[values[0, a, b] for b in range(colors)] for a in range(colors)])
    return v, np.array([[maps.get((0, i, j), 0.0) for j in range(SITES)] for i in range(SITES)])


def stored_sites(results):
    path = os.path.join(results.folder, "peak_sites.csv")
    if not os.path.exists(path):
        with open(path, "w") as file:
            file.write(f"# V known, penalty {SITE_PENALTY}; separable: the largest number of sequences that the site can fit ({TRAINING}: or more); "
                       "entropy: of the true conditional; directions: (tr S)^2 / tr S^2\n" + ",".join(COLUMNS) + "\n")
    with open(path) as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def measure(results, np, linprog, distance, model):
    sample(results, distance, model)
    sequences, v, couplings = read_data(results, np)
    tests = sequences[TRAINING:TRAINING + TESTS]
    entropy = losses_of_sites(np, tests, v, couplings)[1]
    whole = site_covariance(np, tests, v)
    facts = []
    for i in range(SITES):
        others = [j for j in range(SITES) if j != i]
        s = whole[np.ix_(others, others)]
        facts.append({"distance": distance, "model": model, "site": i, "separable": most_separable(np, linprog, v, sequences[:TRAINING], i),
                      "entropy": f"{entropy[i]:.6g}", "directions": f"{np.trace(s)**2 / (s * s).sum():.4g}",
                      "distinct": len(np.unique(tests[:TRAINING][:, others], axis=0))})
    rows = []
    for samples in counts_of(results):
        train(results, "fixed", SITE_PENALTY, samples)
        own_v, own = learned(results, np, len(v))
        train_loss, test_loss = (losses_of_sites(np, part, own_v, own)[0] for part in (sequences[:samples], tests))
        rows += [{**facts[i], "samples": samples, "train_loss": f"{train_loss[i]:.6g}", "test_loss": f"{test_loss[i]:.6g}"} for i in range(SITES)]
    with open(os.path.join(results.folder, "peak_sites.csv"), "a") as file:
        file.write("".join(",".join(str(row[c]) for c in COLUMNS) + "\n" for row in rows))


def counts_of(results):
    return results.pick(COUNTS, (3, 14))


def make_missing(results):
    """Whether all rows are there now."""
    try:
        import numpy
        from scipy.optimize import linprog
    except ImportError:
        print("peak_sites: left out, SciPy is not there (Debian: python3-scipy)", file=sys.stderr)
        return False
    done = {(r["distance"], r["model"]) for r in stored_sites(results)}
    for distance in results.pick(DISTANCES, DISTANCES[:1]):
        for model in results.pick(SITE_MODELS, SITE_MODELS[:2]):
            if (distance, str(model)) not in done:
                measure(results, numpy, linprog, distance, model)
    return True


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def peak_sites(results):
    if not make_missing(results):
        return False
    rows = stored_sites(results)
    facts, bins = [], []
    for distance in results.pick(DISTANCES, DISTANCES[:1]):
        mine = [r for r in rows if r["distance"] == distance]
        sites = [r for r in mine if r["samples"] == str(counts_of(results)[0])]
        limits = [int(r["separable"]) for r in sites]
        facts.append({"distance": distance, "sites": len(sites), "quarter": quantile(limits, 0.25), "half": quantile(limits, 0.5),
                      "three": quantile(limits, 0.75), "least": min(limits), "most": max(limits), "all": sum(x >= TRAINING for x in limits),
                      "frozen": sum(float(r["entropy"]) < 0.05 for r in sites),
                      "directions": mean_and_error([float(r["directions"]) for r in sites])[0],
                      "distinct": mean_and_error([float(r["distinct"]) for r in sites])[0]})
        models = sorted({r["model"] for r in mine})
        for low, high in BINS:
            inside = [r for r in mine if low <= int(r["samples"]) / max(int(r["separable"]), 1) < high]
            means = [mean_and_error(x)[0] for m in models if len(x := [excess(r) for r in inside if r["model"] == m]) > 1]
            if len(means) < 2:
                continue
            mean, error = mean_and_error(means)
            bins.append({"distance": distance, "bin": f"{low} to {high}" if high < 1e9 else f"above {low}", "count": len(inside),
                         "mean": mean, "error": error})
    headings = {"distance": "distance", "sites": "sites", "fewest": "least", "quarter": "quarter", "median": "half",
                "three quarters": "three", "most": "most", f"{TRAINING} or more": "all", "entropy < 0.05": "frozen",
                "effective directions": "directions", f"different inputs in {TRAINING}": "distinct"}
    text = markdown(headings, facts, {"directions": "{:.1f}", "distinct": "{:.0f}"})
    text += "\n" + markdown({"distance": "distance", "M over the number that can be fitted": "bin", "sites and M": "count",
                             "test loss less entropy": "mean", "error": "error"}, bins, {"mean": "{:.2f}", "error": "{:.2f}"})
    results.fill("peak_sites", text)
    return None


def excess(row):
    return float(row["test_loss"]) - float(row["entropy"])
