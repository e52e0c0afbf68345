# SPDX-License-Identifier: MIT
"""Test loss against epoch, factored attention beside encoders [R24 fig. 2a]

Gaussian J and U, L = q = 20, M = 3000 sequences in equilibrium to learn from, 1000 to test on, at mean Hamming distances of 0.3 (that of
the paper) and 0.7. SGD on masked tokens, batches of 100, cosine annealing from a rate of 0.1. Factored attention: one head, momentum 0.9,
2000 epochs, of 8 starts the one with the smallest training loss. Encoders: d = 20, no momentum, 500 epochs, one start. Three seeds of
start, order and masks; J, U and data are the same. The optimal loss is that of the true conditionals.
"""
import lab as tools
import potts_data

FAMILIES = ("factored", "encoder1", "encoder3")
PLANS = {"factored": {"starts": 8, "epochs": 2000, "momentum": 0.9}, **dict.fromkeys(FAMILIES[1:],
                                                                                     {"starts": 1, "epochs": 500, "momentum": 0.0})}
SEEDS = (1, 2, 3)
AGREE = {"fig2a.csv": tools.Same(("distance", "family", "epoch"), ("seed_1", "optimal_loss"))}


def compute(lab):
    rows = []
    for distance in lab.pick((0.3, 0.7), (0.7,)):
        data = potts_data.draw(lab.potts, "gaussian", distance, 1, 3000, 1000)
        optimal = data[0].loss(data[2])
        for family in lab.pick(FAMILIES, FAMILIES[:2]):
            curves = [potts_data.best_curve(lab.potts, data, family, potts_data.seed_of_run(k), **PLANS[family])[1]
                      for k in range(lab.pick(3, 1))]
            for epoch in curves[0]:
                losses = [curve[epoch][0] for curve in curves]
                rows.append({"distance": distance, "family": family, "epoch": epoch, "mean": tools.mean(losses), "lowest": min(losses),
                             "highest": max(losses), **{f"seed_{k}": x for k, x in zip(SEEDS, losses)}, "optimal_loss": optimal})
    lab.write("fig2a.csv", rows, ["test loss in nats per masked site; mean, lowest and highest of three seeds"],
              ["distance", "family", "epoch", "mean", "lowest", "highest", "seed_1", "seed_2", "seed_3", "optimal_loss"])


def last_rows(lab):
    """{(distance, family): the row of the last epoch}."""
    return {key: group[-1] for key, group in tools.groups_of(lab.rows("fig2a.csv"), "distance", "family").items()}


def report(lab):
    table = [{**row, "title": potts_data.TITLES[row["family"]],
              "above": row["mean"] - row["optimal_loss"]} for row in last_rows(lab).values()]
    return tools.markdown({"distance": "distance", "model": "title", "test loss": "mean", "lowest": "lowest", "highest": "highest",
                           "optimal loss": "optimal_loss", "above optimal": "above"}, table,
                          dict.fromkeys(("mean", "lowest", "highest", "optimal_loss", "above"), "{:.4f}"))


def draw(lab):
    rows = lab.rows("fig2a.csv")
    figure, axes = tools.figure(1, 2, (11, 5))
    for ax, distance in zip(axes, (0.3, 0.7)):
        for color, family in zip(tools.COLORS, FAMILIES):
            mine = [r for r in rows if (r["distance"], r["family"]) == (distance, family) and r["epoch"] > 0]
            epochs = [r["epoch"] for r in mine]
            ax.fill_between(epochs, [r["lowest"] for r in mine], [r["highest"] for r in mine], color=color, alpha=0.25, lw=0)
            ax.plot(epochs, [r["mean"] for r in mine], "o-", ms=3, color=color, label=potts_data.TITLES[family])
        optimal = next(r["optimal_loss"] for r in rows if r["distance"] == distance)
        ax.axhline(optimal, color="black", ls="--", lw=1, label="optimal loss")
        ax.set(xscale="log", yscale="log", xlabel="epoch (one masked site of each sequence)", title=f"mean Hamming distance {distance:g}")
    axes[0].set_ylabel("test loss (nats per masked site)")
    axes[0].legend()
    return {"fig2a": figure}
