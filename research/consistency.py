# SPDX-License-Identifier: MIT
"""The coupling error in the limit of many samples

One J and U at beta = 1, L = q = 20. With V known row i of A is a logistic regression of s_i on the other sites with Fisher information
F_jk = < Cov_{a ~ p_i}(V(a, s_j), V(a, s_k)) > of a sequence, averaged here over 400 sequences; the coupling error has the limit
sum_i tr F_i^-1 / (M L^2). L-BFGS, no penalty; V known, and learned from the wide start. The rows are one draw of nested data: by the
covariance of all errors (errors of A_ij and A_ji have a correlation of 0.88) one realisation is within 10 per cent of the limit, and 400
sequences make the limit 0.7 per cent too large. The rows show that the error has the right size, not that it meets the limit to a per cent.
"""
import lab as tools

COUNTS, KEY = (12500, 25000, 50000, 100000, 200000), ("samples",)
MEASURED = ("error", "ratio", "epochs", "seconds", "outcome")
COLUMNS = ["samples", "limit"] + [f"{what}_v_{kind}" for kind in ("known", "learned") for what in MEASURED]
AGREE = {"consistency.csv": tools.Same(KEY, ("limit", "error_v_known", "error_v_learned", "outcome_v_known"), tolerance=1e-5)}


def fisher(values, couplings, sequences, i):
    """F of row i [L - 1, L - 1], a mean over sequences."""
    import numpy as np
    inputs = np.delete(values[:, sequences], i, axis=2)               # V(a, s_j): [q, n, L - 1]
    fields = inputs @ np.delete(couplings[i], i)                      # [q, n]
    p = np.exp(fields - fields.max(0))
    p /= p.sum(0)
    centred = inputs - np.einsum("an,anj->nj", p, inputs)
    return np.einsum("an,anj,ank->jk", p, centred, centred) / len(sequences)


def limit_of(truth, sequences):
    """M times the coupling error in the limit."""
    import numpy as np
    values, couplings = truth.values[0], truth.beta * truth.maps[0]
    return sum(np.trace(np.linalg.inv(fisher(values, couplings, sequences, i))) for i in range(truth.sites)) / truth.sites**2


def compute(lab):
    truth = lab.potts.Model.random(sites=20, colors=20, color_matrix="gaussian", seed=1)
    truth.beta = 1.0
    data = lab.potts.sample_equilibrium(truth, COUNTS[-1], seed=1, chains=256).alignment
    limit = limit_of(truth, data.sequences[:400])

    def run(samples):
        row = {"limit": limit / samples}
        for kind in ("known", "learned"):
            trainer = lab.potts.Trainer(data[:samples], epochs=1000, colors_fixed=kind == "known")
            trainer.set_values(truth.values) if kind == "known" else trainer.start_wide(4)
            outcome, seconds = tools.timed(trainer.run)
            error = trainer.model().coupling_error(truth)
            row.update(zip([f"{what}_v_{kind}" for what in MEASURED], (error, error / row["limit"], trainer.epochs, f"{seconds:.4f}",
                                                                       outcome)))
        return row

    lab.complete("consistency.csv", KEY, COLUMNS, [(m,) for m in lab.pick(COUNTS, COUNTS[:1])], run)


def report(lab):
    rows = lab.rows("consistency.csv")
    return f"M x error in the limit: {rows[0]['limit'] * rows[0]['samples']:.4f}\n\n" + tools.markdown(
        {"M": "samples", "limit": "limit", "error, V known": "error_v_known", "error / limit": "ratio_v_known",
         "error, V learned": "error_v_learned",
         "error / limit ": "ratio_v_learned"}, rows, {"samples": "{:.0f}", "limit": "{:.3e}", "error_v_known": "{:.3e}",
                                                      "error_v_learned": "{:.3e}",
                                                     "ratio_v_known": "{:.3f}", "ratio_v_learned": "{:.3f}"})


def claims(lab):
    rows = lab.rows("consistency.csv")
    ratios = [r["ratio_v_known"] for r in rows]
    return [("more", "the coupling error has the asymptotic size", "holds",
             f"{min(ratios):.2f} to {max(ratios):.2f} of the limit; one realisation spreads by 10 per cent")]


def draw(lab):
    rows = lab.rows("consistency.csv")
    figure, (ax,) = tools.figure(size=(7, 4.5))
    tools.curve(ax, rows, "samples", "limit", color="black", ls="--", label="limit, V known")
    tools.points(ax, rows, "samples", "error_v_known", label="learned, V known")
    tools.points(ax, rows, "samples", "error_v_learned", fmt="s", label="learned, V learned")
    ax.set(xscale="log", yscale="log", xlabel="training sequences M", ylabel="coupling error (no unit)")
    ax.legend()
    return {"consistency": figure}
