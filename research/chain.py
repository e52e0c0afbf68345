# SPDX-License-Identifier: MIT
"""A chain: the largest couplings are the neighbours

500 sequences of a chain of 60 sites with couplings between neighbours, three colours (potts3.a2m). One head, L-BFGS from the wide start; A is
ranked by its symmetric part.
"""
import lab as tools

AGREE = {"chain.csv": tools.Same(("i", "j"), ("strength",), tolerance=1e-5)}


def compute(lab):
    path = lab.shared("potts3.a2m")
    if path is None:
        print("chain: left out, potts3.a2m is not in the data folder")
        return False
    trainer = lab.potts.Trainer(lab.potts.Alignment.read(path, alphabet="_*^"), epochs=1000)
    trainer.start_wide(4)
    trainer.run()
    maps = abs(trainer.model().maps[0])
    lab.write("chain.csv", [{"i": i, "j": j, "strength": f"{maps[i, j]:.6g}"} for i in range(len(maps)) for j in range(len(maps))],
              ["|A_ij| of potts3.a2m"])
    return True


def matrix(lab):
    import numpy as np
    rows = lab.rows("chain.csv")
    size = 1 + int(max(r["i"] for r in rows))
    values = np.zeros((size, size))
    for r in rows:
        values[int(r["i"]), int(r["j"])] = r["strength"]
    return values


def report(lab):
    values = matrix(lab)
    size = len(values)
    pairs = sorted((((values[i, j] + values[j, i]) / 2, i, j) for i in range(size) for j in range(i + 1, size)), reverse=True)
    first = next(k for k, (_, i, j) in enumerate(pairs) if j - i != 1)
    return (f"Of the {size - 1} largest |A_ij| {sum(j - i == 1 for _, i, j in pairs[:size - 1])} are neighbours on the chain; the first other pair has rank "
            f"{first + 1}. Weakest neighbour {min(a for a, i, j in pairs if j - i == 1):.4g}, strongest other pair {pairs[first][0]:.4g}.\n")


def claims(lab):
    values = matrix(lab)
    size = len(values)
    pairs = sorted((((values[i, j] + values[j, i]) / 2, j - i) for i in range(size) for j in range(i + 1, size)), reverse=True)
    return [("more", "one head finds a chain of 60 sites from 500 sequences", "holds",
             f"{sum(d == 1 for _, d in pairs[:size - 1])} of the {size - 1} best pairs are neighbours")]


def draw(lab):
    figure, (ax,) = tools.figure(size=(5.5, 4.6))
    image = ax.imshow(matrix(lab), cmap="viridis")
    ax.grid(False)
    ax.set(xlabel="site j", ylabel="site i")
    figure.colorbar(image, label="|A_ij|")
    return {"chain": figure}
