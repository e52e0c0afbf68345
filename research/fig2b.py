# SPDX-License-Identifier: MIT
"""The couplings J beside learned maps [R24 fig. 2b]

Contacts (a chain with a few hairpins, never negative) at a mean Hamming distance of 0.8, Gaussian J at 0.7 and 0.3; L = q = 20, M = 3000,
trained as for [figure 2a](fig2a.md), one seed. Factored attention: A_ij in the gauge of one unit of V and the units of beta J. Encoders:
the attention averaged over 1000 test sequences, with three blocks the mean of the last two, without its diagonal. The correlation is
Pearson's over all pairs i != j, and over those off the chain, |i - j| > 1. An attention is an exponential and never negative: it can look
like contacts or |J|, but not like a J of either sign. The free map of factored attention takes either sign.
"""
import lab as tools
import potts_data
from fig2a import FAMILIES, PLANS

# Table: couplings and their distance.
TABLES = {"fig2b.csv": (("contacts", 0.8), ("gaussian", 0.7)), "fig2b_gaussian_0.3.csv": (("gaussian", 0.3),)}
PICTURES = ("fig2b", "fig2b_gaussian_0.3")
# The gauge divides sums over 400 entries: other compilers give other last digits.
AGREE = {"fig2b.csv": tools.Same(("i", "j"), ("coupling_contacts", "factored_contacts", "encoder1_contacts"), tolerance=1e-5)}


def maps_of(potts, law, distance, families):
    data = potts_data.draw(potts, law, distance, 1, 3000, 1000)
    truth, _, test = data
    maps = {}
    for family in families:
        made = potts_data.best_curve(potts, data, family, 1, curves=False, **PLANS[family])[0]
        if family == "factored":
            maps["coupling"], maps[family] = potts_data.compared_maps(truth, made.model())
        else:
            maps[family] = potts_data.attention_map(made, test)
    return {f"{name}_{law}": values for name, values in maps.items()}


def compute(lab):
    for table, cases in lab.pick(TABLES, {"fig2b.csv": TABLES["fig2b.csv"][:1]}).items():
        maps = {}
        for law, distance in cases:
            maps.update(maps_of(lab.potts, law, distance, lab.pick(FAMILIES, FAMILIES[:2])))
        lab.write(table, [{"i": i, "j": j, **{name: values[i, j] for name, values in maps.items()}}
                          for i in range(potts_data.SITES) for j in range(potts_data.SITES)], ["beta J_ij and learned maps"])


def matrix(rows, column):
    import numpy as np
    values = np.zeros((potts_data.SITES, potts_data.SITES))
    for r in rows:
        values[int(r["i"]), int(r["j"])] = r[column]
    return values


def report(lab):
    table = []
    for name, cases in TABLES.items():
        rows = lab.rows(name)
        for law, distance in cases:
            truth = matrix(rows, f"coupling_{law}")
            for family in FAMILIES:
                learned = matrix(rows, f"{family}_{law}")
                row = {"law": law, "distance": distance, "model": potts_data.TITLES[family],
                       "r": potts_data.map_correlation(truth, learned)}
                if law == "contacts":
                    row["apart"] = potts_data.map_correlation(truth, learned, 2)
                else:
                    row["absolute"] = potts_data.map_correlation(abs(truth), abs(learned))
                table.append(row)
    return tools.markdown({"couplings": "law", "distance": "distance", "model": "model", "correlation with J": "r",
                           "off the chain": "apart",
                           "of absolute values": "absolute"}, table, dict.fromkeys(("r", "apart", "absolute"), "{:.3f}"))


def draw(lab):
    figures = {}
    for name, cases in TABLES.items():
        rows = lab.rows(name)
        figure, axes = tools.figure(len(cases), 4, (13, 3.6 * len(cases)))
        for k, (law, distance) in enumerate(cases):
            top = max(abs(matrix(rows, f"{what}_{law}")).max() for what in ("coupling", "factored"))
            for ax, what in zip(axes[4 * k:], ("coupling", *FAMILIES)):
                values = matrix(rows, f"{what}_{law}")
                signed = what in ("coupling", "factored")
                low, high = (0 if law == "contacts" else -top, top) if signed else (0, values.max())
                image = ax.imshow(values, vmin=low, vmax=high, cmap="RdBu_r" if low < 0 else "viridis")
                ax.grid(False)
                ax.set_title("beta J, " + law + f" at {distance:g}" if what == "coupling" else potts_data.TITLES[what], fontsize=10)
                figure.colorbar(image, ax=ax, shrink=0.7)
        figures[name[:-4]] = figure
    return figures
