# SPDX-License-Identifier: MIT
"""Why there is no peak at a distance of 0.3: every site has a threshold of its own

As [the peak](peak.md), V known, penalty 1e-8, three J and U. The threshold of a site is the largest number of sequences whose labels some row
of A can fit, by linear programming in nested training sets (400: or more). *directions*: (tr S)^2 / tr S^2 of the inputs; *entropy*: of the
true conditional. The second table sorts sites and M by M over the threshold of the site; errors are those over J. That single peaks at 0.3
are lower because sites are frozen and inputs have few directions is a hypothesis: both were measured, but not varied on their own.
"""
import sys

import lab as tools
import potts_data
from peak import COUNTS, SITES, TESTS, TRAINING, fit, site_covariance
from separability import largest, separable

MODELS, PENALTY, DISTANCES = (1, 2, 3), "1e-8", (0.9, 0.3)
BINS = ((0, 0.5), (0.5, 1.01), (1.01, 2), (2, 4), (4, 1e9))
FACTS = ("distance", "model", "site", "separable", "entropy", "directions", "distinct")
AGREE = {"peak_sites_bins.csv": tools.Same(("distance", "bin"), within={"mean": "error"})}


def threshold(linprog, values, sequences, site):
    import numpy as np

    def test(samples):
        if samples > TRAINING:
            return False
        own = sequences[:samples, site]
        inputs = values[:, np.delete(sequences[:samples], site, axis=1)]  # [q, M, L - 1]
        rows = (inputs - inputs[own, np.arange(samples)]).transpose(1, 0, 2)
        keep = np.arange(len(values))[None, :] != own[:, None]
        return separable(linprog, np.unique(rows[keep], axis=0).tolist(), SITES - 1)

    return largest(test)


def losses_of_sites(sequences, values, couplings):
    """(-log p(s_i | rest) of all sites, a mean over sequences; its mean over labels under the model itself), [L] each."""
    import numpy as np
    loss, entropy = np.zeros(SITES), np.zeros(SITES)
    for i in range(SITES):
        z = np.einsum("j,anj->na", couplings[i], values[:, sequences])
        logs = z - z.max(1, keepdims=True)
        logs -= np.log(np.exp(logs).sum(1, keepdims=True))
        loss[i], entropy[i] = -logs[np.arange(len(sequences)), sequences[:, i]].mean(), -(np.exp(logs) * logs).sum(1).mean()
    return loss, entropy


def compute(lab):
    try:
        import numpy as np
        from scipy.optimize import linprog
    except ImportError:
        print("peak_sites: left out, SciPy is not there (Debian: python3-scipy)", file=sys.stderr)
        return False
    rows = []
    for distance in lab.pick(DISTANCES, DISTANCES[:1]):
        for model in lab.pick(MODELS, MODELS[:2]):
            truth, train, test = potts_data.draw(lab.potts, "gaussian", distance, model, TRAINING, TESTS)
            values, couplings, tests = truth.values[0], truth.beta * truth.maps[0], test.sequences
            entropy, whole, facts = losses_of_sites(tests, values, couplings)[1], site_covariance(tests, values), []
            for i in range(SITES):
                s = np.delete(np.delete(whole, i, 0), i, 1)
                facts.append(dict(zip(FACTS, (distance, model, i, threshold(linprog, values, train.sequences, i), f"{entropy[i]:.6g}",
                                              f"{np.trace(s)**2 / (s * s).sum():.4g}",
                                              len(np.unique(np.delete(tests[:TRAINING], i, 1), axis=0))))))
            for samples in lab.pick(COUNTS, (5, 19)):
                learned = fit(lab.potts, train[:samples], PENALTY, truth.values)[0].model()
                ends = [losses_of_sites(part, learned.values[0], learned.maps[0])[0] for part in (train.sequences[:samples], tests)]
                rows += [{**facts[i], "samples": samples, "train_loss": f"{ends[0][i]:.6g}",
                          "test_loss": f"{ends[1][i]:.6g}"} for i in range(SITES)]
    lab.write("peak_sites.csv", rows, ["V known, penalty 1e-8"])
    lab.write("peak_sites_bins.csv", list(bins(lab)),
              ["test loss of a site less the entropy of its true conditional, mean and error over J"])
    return True


def bins(lab):
    rows = lab.rows("peak_sites.csv")
    for distance in DISTANCES:
        for low, high in BINS:
            inside = [r for r in rows if r["distance"] == distance and low <= r["samples"] / max(r["separable"], 1) < high]
            means = [tools.mean([r["test_loss"] - r["entropy"] for r in group]) for group in tools.groups_of(inside,
                                                                                                             "model").values() if len(group) > 1]
            if len(means) > 1:
                m, error = tools.mean_and_error(means)
                yield {"distance": distance, "bin": f"{low} to {high}" if high < 1e9 else f"above {low}", "count": len(inside), "mean": m,
                       "error": error}


def report(lab):
    table = []
    for (distance,), rows in tools.groups_of(lab.rows("peak_sites.csv"), "distance").items():
        sites = [r for r in rows if r["samples"] == COUNTS[0]]
        limits = sorted(r["separable"] for r in sites)
        quarters = {name: limits[min(len(limits) - 1, int(share * len(limits)))]
                    for name, share in (("quarter", 0.25), ("half", 0.5), ("three", 0.75))}
        table.append({"distance": distance, "sites": len(sites), "least": limits[0], **quarters, "most": limits[-1],
                      "all": sum(x >= TRAINING for x in limits),
                      "frozen": sum(r["entropy"] < 0.05 for r in sites), "directions": tools.mean([r["directions"] for r in sites])})
    return tools.markdown({"distance": "distance", "sites": "sites", "fewest": "least", "quarter": "quarter", "median": "half",
                           "three quarters": "three",
                           "most": "most", "400 or more": "all", "entropy < 0.05": "frozen", "directions": "directions"}, table,
                          {"directions": "{:.1f}"}) + \
        "\n" + tools.markdown({"distance": "distance", "M over the threshold": "bin", "sites and M": "count",
                               "test loss less entropy": "mean", "error": "error"},
                              lab.rows("peak_sites_bins.csv"), {"mean": "{:.2f}", "error": "{:.2f}"})


def claims(lab):
    row = next(r for r in lab.rows("peak_sites_bins.csv") if r["distance"] == 0.3 and r["bin"] == "1.01 to 2")
    return [("more", "at distance 0.3 each site peaks at its own threshold", "holds",
             f"excess {row['mean']:.1f} +- {row['error']:.1f} just above it (3 J)")]
