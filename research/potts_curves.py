# SPDX-License-Identifier: MIT
"""Learning curves of q-colour pseudo-likelihood, theory beside simulation

Factored attention with V known is a conditional logit for each site; its learning curve is that of docs/theory.md, section 15. Simulations
are of the same model at finite L: independent sites, isotropic colours, normal fields, at variances of the teacher's fields of 0.5, 2 and 8
(q = 3) and 2 (q = 20). Errors are those of means over realisations and of the theory's averages together. Smaller systems differ by terms
of order 1/L; the largest deviations are training losses at alpha = 1 and lambda = 0.01, near the threshold of separability.
"""
import math

import lab as tools

REALISATIONS = {3: {20: 2000, 50: 800, 100: 300, 200: 100}, 20: {20: 400, 50: 150, 100: 60}}  # by colours and sites
PLANS = {3: ((0.5, 2, 8), (0.01, 0.1, 1), (1, 3)), 20: ((2,), (0.01, 0.1, 1), (0.5, 2))}        # variances, penalties, alphas
LOSSES = ("eg", "et")
AGREE = {"potts.csv": tools.Same(("colors", "variance", "lambda", "sites", "alpha"), LOSSES, {x + "_sim": x + "_error" for x in LOSSES},
                                 1e-5)}


def compare(lab, colors, variance, penalty, alphas, realisations):
    import numpy as np
    replica, identity, rows = lab.potts.replica, np.eye(colors), []
    exact, _ = replica.potts([1.0], [variance], identity, alphas, penalty, points=16384 if colors == 3 else 4096)
    for sites, count in realisations.items():
        p = sites - 1
        masked = replica.Masked(np.eye(p), np.full(p, math.sqrt(variance / p)), 0.0)
        drawn = replica.simulate_potts(masked, identity, alphas, penalty, realisations=lab.pick(count, 200))
        for k, alpha in enumerate(alphas):
            row = {"colors": colors, "variance": variance, "lambda": penalty, "sites": sites, "alpha": alpha,
                   "samples": int(drawn["samples"][k]),
                   "realisations": count}
            for x in LOSSES:
                error = math.hypot(drawn[x + "_sem"][k], exact[x][k] * exact["quadrature"][k])
                row.update({x: exact[x][k], x + "_sim": drawn[x][k], x + "_error": error, x + "_off": (drawn[x][k] - exact[x][k]) / error})
            rows.append(row)
    return rows


def compute(lab):
    cases = [(colors, variance, penalty, alphas) for colors, (variances, penalties,
                                                              alphas) in PLANS.items() for variance in variances for penalty in penalties]
    rows = [row for colors, *case in lab.pick(cases, cases[4:5]) for row in compare(lab, colors, *case,
                                                                                    lab.pick(REALISATIONS[colors], {20: 0}))]
    lab.write("potts.csv", rows, ["alpha p samples, p = sites - 1; error: of simulation and of theory; off: in such errors"])


def report(lab):
    rows, table = lab.rows("potts.csv"), []
    for (colors, sites), mine in sorted(tools.groups_of(rows, "colors", "sites").items()):
        row = {"colors": colors, "sites": sites, "realisations": mine[0]["realisations"]}
        for x in LOSSES:
            off = [100 * (r[x + "_sim"] / r[x] - 1) for r in mine]
            row.update({x + "_within": tools.within([r[x + "_off"] for r in mine]), x + "_mean": tools.mean(off),
                        x + "_most": max(off, key=abs)})
        table.append(row)
    return tools.markdown({"q": "colors", "L": "sites", "realisations": "realisations", "test: within 3 errors": "eg_within",
                           "mean, per cent": "eg_mean",
                           "largest": "eg_most", "training: within 3 errors": "et_within", "mean, per cent ": "et_mean",
                           "largest ": "et_most"}, table,
                          {x + w: "{:+.2f}" for x in LOSSES for w in ("_mean", "_most")})


def claims(lab):
    rows = [r for r in lab.rows("potts.csv") if (r["colors"], r["sites"]) in ((3, 200), (20, 100))]
    off = [r[x + "_off"] for r in rows for x in LOSSES]
    return [("more", "the theory of q-colour pseudo-likelihood agrees with simulation", "holds for the largest systems",
             f"{tools.within(off)} losses within 3 errors")]
