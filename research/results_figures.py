# SPDX-License-Identifier: MIT
"""The figures of the papers for docs/results.md: the full versions of `attopotts reproduce`, and their output."""
import os
import shutil

FIGURES = {name: (name, []) for name in ("fig2a", "fig2b", "fig2c", "fig2d", "fig3-left", "fig3-right", "dotattn-overlaps", "dotattn-phase")}
# The dial on frozen data and couplings of either sign, the small version. At the rate of the figure, 0.1, its training diverges.
FIGURES["fig2d-gaussian-0.3"] = "fig2d", ["--quick", "--couplings", "gaussian", "--hamming", 0.3, "--rate", 0.03]

FIGURES["fig2b-gaussian-0.3"] = "fig2b", ["--couplings", "gaussian", "--hamming", 0.3]


def figure(results, name):
    """The output of the program goes to results.md; tables and pictures get the name of the part."""
    made, flags = FIGURES[name]
    quick = ["--quick"] if results.quick and "--quick" not in flags else []
    text, _ = results.run("reproduce", made, "--out", name, *flags, *quick, "--progress", "none")
    for end in (".csv", ".gp", ".svg", ".png"):
        source, target = os.path.join(name, made + end), os.path.join(results.folder, name + end)
        if not os.path.exists(source):
            continue
        if end == ".gp":
            with open(source) as script, open(target, "w") as file:
                file.write("".join(line.replace(f"{made}.", f"{name}.") for line in script))
        else:
            shutil.copy(source, target)
    results.fill(name, f"```\n{text}```\n")


def figures(results):
    for name in FIGURES:
        figure(results, name)
