# SPDX-License-Identifier: MIT
"""One layer between factored (a = 0) and plain attention (a = 1) [R24 fig. 2d]

Queries and keys see p + a e, values e + a p, for embeddings e and positions p. Contacts at a mean Hamming distance of 0.8, L = q = 20,
M = 3000; SGD on masked tokens, rate 0.1, momentum 0.9, 1000 epochs, of 4 starts the one with the smallest training loss. Three seeds of
start, order and masks. *free*: the map itself is learned, of either sign, which is A = beta J of [R24] at a = 0. The second table has
Gaussian couplings of either sign at 0.3, rate 0.03, 150 epochs, two starts, which has not converged; [equal effort](fig2d_sign.md) has 1000.
"""
import lab as tools
import potts_data

# Table: couplings, distance, values of a, and the training.
CASES = {"fig2d.csv": ("contacts", 0.8, (0, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1), {"epochs": 1000, "starts": 4, "rate": 0.1}),
         "fig2d_gaussian_0.3.csv": ("gaussian", 0.3, (0, 0.1, 0.5, 1), {"epochs": 150, "starts": 2, "rate": 0.03})}
PICTURES = ("fig2d", "fig2d_gaussian_0.3")
AGREE = {"fig2d.csv": tools.Same(("map", "a"), ("seed_1", "optimal_loss"))}


def compute(lab):
    for name, (law, distance, dials, plan) in lab.pick(CASES, {"fig2d.csv": CASES["fig2d.csv"]}).items():
        data, rows = potts_data.draw(lab.potts, law, distance, 1, 3000, 1000), []
        for a, model in lab.pick([(a, f"dial{a}") for a in dials] + [(0, "free")], [(0, "free")]):
            losses = [potts_data.best_curve(lab.potts, data, model, potts_data.seed_of_run(k), curves=False, momentum=0.9,
                                            **plan)[1][plan["epochs"]][0]
                      for k in range(lab.pick(3, 1))]
            rows.append({"map": "free" if model == "free" else "softmax", "a": a, "mean": tools.mean(losses), "lowest": min(losses),
                         "highest": max(losses), **{f"seed_{k + 1}": x for k, x in enumerate(losses)},
                         "optimal_loss": data[0].loss(data[2])})
        lab.write(name, rows, ["final test loss in nats per masked site"],
                  ["map", "a", "mean", "lowest", "highest", "seed_1", "seed_2", "seed_3", "optimal_loss"])


def report(lab):
    text = ""
    for name, (law, distance, _, _) in CASES.items():
        rows = [{**r, "above": r["mean"] - r["optimal_loss"]} for r in lab.rows(name)]
        text += f"{law.capitalize()} couplings, distance {distance:g}, optimal loss {rows[0]['optimal_loss']:.4f}:\n\n"
        text += tools.markdown({"map": "map", "a": "a", "test loss": "mean", "lowest": "lowest", "highest": "highest",
                                "above optimal": "above"}, rows,
                               dict.fromkeys(("mean", "lowest", "highest", "above"), "{:.4f}")) + "\n"
        free, one = (next(r["mean"] for r in rows if (r["map"], r["a"]) == key) for key in (("free", 0), ("softmax", 1)))
        lowest = min(rows, key=lambda r: r["mean"])
        text += f"Lowest: {lowest['map']}, a = {lowest['a']:g}. The free map at a = 0 has {free:.4f}, a = 1 has {one:.4f}.\n\n"
    return text


def draw(lab):
    figures = {}
    for name, (law, distance, _, _) in CASES.items():
        rows = lab.rows(name)
        figure, (ax,) = tools.figure(size=(7, 4.5))
        for kind, label, color in (("softmax", "softmax of queries and keys", tools.COLORS[0]),
                                   ("free", "free map, a = 0", tools.COLORS[1])):
            mine = [r for r in rows if r["map"] == kind]
            bars = [[r["mean"] - r["lowest"] for r in mine], [r["highest"] - r["mean"] for r in mine]]
            ax.errorbar([r["a"] for r in mine], [r["mean"] for r in mine], bars, fmt="o-", ms=4, capsize=2, color=color, label=label)
        ax.axhline(rows[0]["optimal_loss"], color="black", ls="--", lw=1, label="optimal loss")
        ax.set(xlabel="dial a", ylabel="final test loss (nats per masked site)",
               title=f"{law} couplings, mean Hamming distance {distance:g}")
        ax.legend()
        figures[name[:-4]] = figure
    return figures
