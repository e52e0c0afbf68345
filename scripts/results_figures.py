# SPDX-License-Identifier: MIT
"""The figures of the papers for docs/results.md: the full versions of `attopotts reproduce`, and what they print."""
import os
import shutil

FIGURES = ["fig2a", "fig2b", "fig2c", "fig2d", "fig3-left", "fig3-right", "dotattn-overlaps", "dotattn-phase"]


def figure(results, name):
    text, _ = results.run("reproduce", name, "--out", "figures", "--progress", "none")
    for end in (".csv", ".gp", ".svg", ".png"):
        if os.path.exists(f"figures/{name}{end}"):
            shutil.copy(f"figures/{name}{end}", results.folder)
    results.fill(name, f"```\n{text}```\n")


def figures(results):
    for name in FIGURES:
        figure(results, name)
