# SPDX-License-Identifier: MIT
"""Masked Gaussian modelling: from a finite system to the limit of many sites

As [figure 3 left](fig3_left.md), z = 2.5, with a penalty of 1e-8: the student is the smallest w among those that fit best. L = 400, 30
realisations. The second table has relative differences of e_g at a penalty of 1e-4, means over random systems. For alpha >= 1 the loss
depends on traces of the spectrum, and the difference is a constant over L; at alpha = 0.5 it depends on the couplings of the one masked
site, whose spread falls like L^(-1/2) and hides the mean.
"""
import math

import lab as tools

SHIFT, PENALTY, SITES, REALISATIONS = 2.5, 1e-8, 400, 30
ALPHAS = [0.1 * k for k in range(1, 41)]
SYSTEMS, ALPHAS_OF_SITES = {100: 64, 200: 64, 400: 32, 800: 16, 1600: 12, 3000: 8}, (0.5, 1, 1.25, 2)
LOSSES = ("eg", "et")
AGREE = {"replica.csv": tools.Same(("alpha",), ("eg",), {"eg_sim": "eg_sim_sem"}, 1e-5),
         "replica_limit.csv": tools.Same(("alpha",), ("eg", "et"), tolerance=1e-5),
         "replica_sites.csv": tools.Same(("sites",), ("rms",), tolerance=1e-4)}


def system(replica, sites, seed=1):
    return replica.mask_precision(replica.goe_precision(sites, SHIFT, seed=seed), 0)


def theory(replica, masked, alphas, penalty):
    spectrum = masked.spectrum()
    return replica.square(spectrum.eigenvalues, spectrum.projections, masked.noise, alphas, penalty)


def compute(lab):
    replica = lab.potts.replica
    masked = system(replica, SITES)
    exact, few = theory(replica, masked, ALPHAS, PENALTY), lab.pick(ALPHAS, ALPHAS[1:10:4])
    drawn = replica.simulate(masked, few, PENALTY, realisations=lab.pick(REALISATIONS, 6))
    rows = [{"alpha": f"{a:.10g}", **{x: exact[x][k] for x in LOSSES}} for k, a in enumerate(ALPHAS)]
    for k, a in enumerate(few):
        rows[ALPHAS.index(a)].update({f"{x}_sim{e}": drawn[x + e][k] for x in LOSSES for e in ("", "_sem")})
    lab.write("replica.csv", rows, [f"z = {SHIFT}, lambda = {PENALTY}, L = {SITES}, {REALISATIONS} realisations, seed 1"],
              ["alpha", "eg", "et", "eg_sim", "eg_sim_sem", "et_sim", "et_sim_sem"])
    many = [0.01 * k for k in range(1, 401)] + [10**(2 + k / 10) for k in range(21)]
    limit = replica.limit(SHIFT, many, PENALTY)
    lab.write("replica_limit.csv", [{"alpha": f"{a:.10g}", **{x: limit[x][k] for x in LOSSES}}
                                    for k, a in enumerate(many[:lab.pick(None, 400)])],
              [f"z = {SHIFT}, lambda = {PENALTY}, L -> infinity"])
    of_sites(lab)


def of_sites(lab):
    """Relative differences of e_g of one system from the limit of many sites: what L times their mean leaves is their spread."""
    replica, rows = lab.potts.replica, []
    limit = replica.limit(SHIFT, ALPHAS_OF_SITES, 1e-4)["eg"]
    for sites, systems in lab.pick(SYSTEMS, {100: 64}).items():
        off = [theory(replica, system(replica, sites, seed), ALPHAS_OF_SITES, 1e-4)["eg"] / limit - 1 for seed in range(1, systems + 1)]
        row = {"sites": sites, "systems": systems}
        for k, alpha in list(enumerate(ALPHAS_OF_SITES))[1:]:
            m, error = tools.mean_and_error([x[k] for x in off])
            row.update({f"difference_{alpha}": f"{m:.3e}", f"scaled_{alpha}": f"{sites * m:.3g} +- {sites * error:.1g}"})
        row["rms"] = tools.root_mean_square([x[0] for x in off])
        rows.append({**row, "rms_scaled": math.sqrt(sites) * row["rms"]})
    lab.write("replica_sites.csv", rows, ["z = 2.5, lambda = 0.0001: e_g(L) / e_g(infinity) - 1, and L times it"])


def report(lab):
    rows, limit = lab.rows("replica.csv"), lab.rows("replica_limit.csv")
    off = {x: [(r[x + "_sim"] - r[x]) / r[x + "_sim_sem"] for r in rows] for x in LOSSES}
    tail = [r for r in limit if r["alpha"] >= 99]
    exponent = tools.line([math.log(r["alpha"]) for r in tail], [math.log(r["eg"] - 1 / SHIFT) for r in tail])[2]
    columns = {"L": "sites", "systems": "systems"}
    for alpha in ALPHAS_OF_SITES[1:]:
        columns.update({f"alpha = {alpha}": f"difference_{alpha}", f"times L, {alpha}": f"scaled_{alpha}"})
    return (f"- {tools.within(off['eg'])} test losses and {tools.within(off['et'])} training losses are within 3 standard errors of theory, root mean square "
            f"{tools.root_mean_square(off['eg']):.2f} and {tools.root_mean_square(off['et']):.2f}\n- limit: peak at alpha = "
            f"{max(limit, key=lambda r: r['eg'])['alpha']:g}; the excess over 1/z for alpha from 100 to 10000 has the exponent {exponent:.4f}\n\n") + tools.markdown(
        {**columns, "alpha = 0.5, rms": "rms", "times L^(1/2)": "rms_scaled"}, lab.rows("replica_sites.csv"),
                {"rms": "{:.3e}", "rms_scaled": "{:.3f}"})


def claims(lab):
    off = [(r["eg_sim"] - r["eg"]) / r["eg_sim_sem"] for r in lab.rows("replica.csv")]
    return [("more", "theory and simulation agree at a vanishing penalty", "holds",
             f"{tools.within(off)} test losses within 3 standard errors")]


def draw(lab):
    rows, limit = lab.rows("replica.csv"), [r for r in lab.rows("replica_limit.csv") if r["alpha"] <= 4]
    figure, (ax,) = tools.figure(size=(7.5, 4.8))
    for x, name, color in zip(LOSSES, ("test", "training"), tools.COLORS):
        tools.curve(ax, limit, "alpha", x, color=color, label=f"{name} loss, L to infinity")
        tools.points(ax, rows, "alpha", x + "_sim", x + "_sim_sem", color=color, label=f"{name} loss, simulation, L = {SITES}")
    ax.axhline(1 / SHIFT, color="black", ls="--", lw=1, label="best loss 1/z")
    ax.set(yscale="log", ylim=(0.01, 5000), xlabel="samples per parameter alpha", ylabel="loss")
    ax.legend()
    return {"replica": figure}
