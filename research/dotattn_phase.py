# SPDX-License-Identifier: MIT
"""Which solution has the smaller training loss [C24 fig. 3]

sigma = 0.5, lambda = 0.01; omega is the weight of positions in the teacher. At each of 25 x 25 points the training losses of the semantic
and the positional branch under replica symmetry, to an accuracy of 1e-3; where a branch does not exist its number is that of m = theta = 0.
alpha_c: the training losses cross. alpha_linear: the branch with the smaller one is better than the best linear map of positions.
"""
import lab as tools

OMEGAS = [0.48 * k / 24 for k in range(25)]
ALPHAS = [0.25 + 2.75 * k / 24 for k in range(25)]
AGREE = {"dotattn_phase.csv": tools.Same(("omega", "alpha"), ("et_semantic", "et_positional", "alpha_c", "alpha_linear"), tolerance=1e-4)}


def compute(lab):
    dotattn, rows = lab.potts.dotattn, []
    options = {"sigma": 0.5, "penalty": 0.01, "accuracy": 1e-3, "max_iter": 20000}
    for omega in lab.pick(OMEGAS, OMEGAS[20:21]):
        alphas = lab.pick(ALPHAS, ALPHAS[8:])
        losses = {b: dotattn.curve(alphas, omega=omega, branch=b, **options)["et"] for b in ("semantic", "positional")}
        line = dotattn.transition([omega], **options)
        for k, alpha in enumerate(alphas):
            semantic, positional = losses["semantic"][k], losses["positional"][k]
            rows.append({"omega": f"{omega:.10g}", "alpha": f"{alpha:.10g}", "et_semantic": semantic, "et_positional": positional,
                         "difference": (positional - semantic) / positional, "alpha_c": line["alpha_c"][0],
                         "alpha_linear": line["alpha_linear"][0]})
    lab.write("dotattn_phase.csv", rows, ["difference: (et_positional - et_semantic) / et_positional"])


def report(lab):
    rows = lab.rows("dotattn_phase.csv")
    return (f"Semantic at {sum(r['difference'] > 0 for r in rows)} of {len(rows)} points; alpha_c goes from {rows[0]['alpha_c']:.3f} at omega = 0 to "
            f"{rows[-1]['alpha_c']:.3f} at {rows[-1]['omega']:g}.\n")


def draw(lab):
    import numpy as np
    rows = lab.rows("dotattn_phase.csv")
    figure, (ax,) = tools.figure(size=(7.5, 5.5))
    image = ax.pcolormesh(ALPHAS, OMEGAS, np.array([r["difference"] for r in rows]).reshape(25, 25), cmap="viridis", vmin=-0.25, vmax=0.25,
                          shading="nearest",
                          rasterized=True)
    lines = rows[::25]
    for column, style, label in (("alpha_c", "-", "alpha_c: the training losses cross"),
                                 ("alpha_linear", "--", "better than the best linear map")):
        tools.curve(ax, lines, column, "omega", color="white", lw=3)
        tools.curve(ax, lines, column, "omega", color="black", ls=style, lw=1.5, label=label)
    ax.text(0.5, 0.42, "positional", color="white", size=14)
    ax.text(2.2, 0.05, "semantic", size=14)
    ax.grid(False)
    ax.set(xlim=(0.25, 3), ylim=(0, 0.48), xlabel="samples per dimension alpha", ylabel="share of positions in the teacher, omega")
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=2)
    figure.colorbar(image, label="training loss: (positional - semantic) / positional")
    return {"dotattn_phase": figure}
