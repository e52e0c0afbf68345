# SPDX-License-Identifier: MIT
"""Coupling error of factored attention against epoch [R24 fig. 2c]

sum_ij (beta J_ij - A_ij)^2 / L^2 in the gauge of one unit of V; data, model and training are those of [figure 2a](fig2a.md), but each of
three seeds has J, U, data and training of its own. *in this minimum*: of 8 starts those whose training loss ends within 0.01 nats of the
best, which is shown.
"""
import lab as tools
import potts_data
from fig2a import PLANS

DISTANCES, SEEDS = (0.3, 0.7), (1, 2, 3)
AGREE = {"fig2c.csv": tools.Same(("epoch",), ("error_0.7_2", "test_loss_0.7_2")),
         "fig2c_ends.csv": tools.Same(("distance", "seed"), ("beta", "test_loss", "optimal_loss", "error", "relative", "correlation",
                                                             "good"), tolerance=1e-5)}


def one(potts, distance, seed):
    """({epoch: (test loss, coupling error)}, numbers at the end)."""
    import numpy as np
    key = potts_data.seed_of_run(seed - 1)
    data = potts_data.draw(potts, "gaussian", distance, key, 3000, 1000)
    truth, _, test = data
    made, curve, losses = potts_data.best_curve(potts, data, "factored", key, **PLANS["factored"])
    j, a = potts_data.compared_maps(truth, made.model())
    loss, error = curve[max(curve)]
    return curve, {"distance": distance, "seed": seed, "beta": truth.beta, "test_loss": loss, "optimal_loss": truth.loss(test),
                   "error": error,
                   "relative": error / (np.sum(j * j) / j.size), "correlation": potts_data.map_correlation(j, a),
                   "good": sum(x < min(losses) + 0.01 for x in losses)}


def compute(lab):
    columns, ends = {}, []
    for distance in lab.pick(DISTANCES, (0.7,)):
        for seed in lab.pick(SEEDS, (2,)):
            curve, end = one(lab.potts, distance, seed)
            columns[f"error_{distance:g}_{seed}"] = {epoch: error for epoch, (_, error) in curve.items()}
            columns[f"test_loss_{distance:g}_{seed}"] = {epoch: loss for epoch, (loss, _) in curve.items()}
            ends.append(end)
    lab.write("fig2c.csv", [{"epoch": epoch, **{name: values[epoch] for name, values in columns.items()}} for epoch in curve],
              ["columns: what_distance_seed"])
    lab.write("fig2c_ends.csv", ends, ["after the last epoch; relative: to sum_ij (beta J_ij)^2 / L^2; good: starts within 0.01 nats of the best"])


def report(lab):
    table = [{**r, "above": r["test_loss"] - r["optimal_loss"], "percent": 100 * r["relative"]} for r in lab.rows("fig2c_ends.csv")]
    return tools.markdown({"distance": "distance", "seed": "seed", "beta": "beta", "test - optimal": "above", "coupling error": "error",
                           "of sum (beta J)^2 / L^2, per cent": "percent", "correlation": "correlation", "in this minimum, of 8": "good"},
                          table,
                          {"beta": "{:.3f}", "above": "{:.4f}", "error": "{:.5f}", "percent": "{:.2f}", "correlation": "{:.4f}",
                           "good": "{:.0f}"})


def claims(lab):
    parts = {distance: [100 * r["relative"] for r in lab.rows("fig2c_ends.csv") if r["distance"] == distance] for distance in DISTANCES}
    return [("R4", "factored attention recovers J", "holds only where data say enough about J",
             "of its square {:.2g} to {:.2g} per cent is wrong at distance 0.7, {:.0f} to {:.0f} at 0.3".format(
                 min(parts[0.7]), max(parts[0.7]), min(parts[0.3]), max(parts[0.3])))]


def draw(lab):
    rows = lab.rows("fig2c.csv")
    figure, (ax,) = tools.figure(size=(8, 5))
    for distance, color in zip(DISTANCES, tools.COLORS[1::-1]):
        for seed, marker in zip(SEEDS, "os^"):
            tools.curve(ax, [r for r in rows if r["epoch"] > 0], "epoch", f"error_{distance:g}_{seed}", marker=marker, ms=4, color=color,
                        label=f"distance {distance:g}, seed {seed}")
    ax.set(xscale="log", yscale="log", xlabel="epoch (one masked site of each sequence)", ylabel="coupling error (no unit)")
    ax.legend()
    return {"fig2c": figure}
