# SPDX-License-Identifier: MIT
"""Masked Gaussian modelling, replica theory beside simulation [R24 fig. 3 left]

A linear student predicts a masked value of x ~ N(0, P^-1), P = z I - J with Gaussian J, from the other sites (docs/theory.md, section 8).
z = 2.5, penalty 1e-4, L = 400. Theory is for the one J and masked site of the simulation, and for L to infinity. 30 realisations of the
data, with standard errors.
"""
import lab as tools

SHIFT, PENALTY, SITES, REALISATIONS = 2.5, 1e-4, 400, 30
ALPHAS = [0.05 * k for k in range(1, 81)]
AGREE = {"fig3_left.csv": tools.Same(("alpha",), ("eg_limit", "eg"), {"eg_sim": "eg_sim_sem"})}


def compute(lab):
    replica = lab.potts.replica
    masked = replica.mask_precision(replica.goe_precision(SITES, SHIFT, seed=1), 0)
    spectrum = masked.spectrum()
    limit = replica.limit(SHIFT, ALPHAS, PENALTY)["eg"]
    theory = replica.square(spectrum.eigenvalues, spectrum.projections, masked.noise, ALPHAS, PENALTY)["eg"]
    few = lab.pick(ALPHAS[4::5], ALPHAS[4:20:5])
    simulated = replica.simulate(masked, few, PENALTY, realisations=lab.pick(REALISATIONS, 6))
    rows = [{"alpha": f"{alpha:.10g}", "eg_limit": a, "eg": b} for alpha, a, b in zip(ALPHAS, limit, theory)]
    for k, alpha in enumerate(few):
        rows[ALPHAS.index(alpha)].update(eg_sim=simulated["eg"][k], eg_sim_sem=simulated["eg_sem"][k])
    lab.write("fig3_left.csv", rows, [f"z = {SHIFT}, lambda = {PENALTY}, L = {SITES}, {REALISATIONS} realisations"],
              ["alpha", "eg_limit", "eg", "eg_sim", "eg_sim_sem"])


def deviations(lab):
    return [(r["eg_sim"] - r["eg"]) / r["eg_sim_sem"] for r in lab.rows("fig3_left.csv") if r["eg_sim"] == r["eg_sim"]]


def report(lab):
    rows, off = lab.rows("fig3_left.csv"), deviations(lab)
    peak = max(rows, key=lambda r: r["eg"])
    return (f"- {tools.within(off)} simulated losses are within 3 standard errors of theory, root mean square {tools.root_mean_square(off):.2f} "
            f"standard errors\n- test loss {peak['eg']:.2f} at alpha = {peak['alpha']:g}, {rows[-1]['eg']:.4f} at {rows[-1]['alpha']:g}, "
            f"{1 / SHIFT:g} at best\n")


def claims(lab):
    off = deviations(lab)
    return [("R6", "replica theory and simulation agree", "holds",
             f"{tools.within(off)} losses within 3 standard errors, root mean square {tools.root_mean_square(off):.2f}")]


def draw(lab):
    rows = lab.rows("fig3_left.csv")
    figure, (ax,) = tools.figure(size=(8, 4.6))
    tools.curve(ax, rows, "alpha", "eg_limit", color=tools.COLORS[0], label="theory, L to infinity")
    tools.curve(ax, rows, "alpha", "eg", color=tools.COLORS[1], ls="--", label=f"theory, L = {SITES}")
    tools.points(ax, rows, "alpha", "eg_sim", "eg_sim_sem", color=tools.COLORS[0], label=f"simulation, L = {SITES}")
    ax.axhline(1 / SHIFT, color="black", ls="--", lw=1, label="best loss 1/z")
    ax.set(yscale="log", xlabel="samples per parameter, alpha = M / (L - 1)", ylabel="test loss")
    ax.legend()
    return {"fig3_left": figure}
