# SPDX-License-Identifier: MIT
"""The part `methods` of results.py: all methods that score pairs of sites, on families with a structure and on DHFR."""
import os
import re

from results_common import table_rows
from results_structures import FAMILIES, SEPARATION, arguments_of

EPOCHS, SAMPLES = {"6acv": 50}, {"6acv": 10}  # others: 25 iterations, 4 bootstrap samples


def families(results):
    """{short name: arguments}, of those whose file is there."""
    found = {}
    for family in results.pick(FAMILIES, FAMILIES[:1]):
        found[family.name.split()[0]] = arguments_of(results, family)
    if not results.quick:
        found["DHFR"] = [os.path.join(results.data, "DHFR.a2m"), "--alphabet", "protein", "--unknown", "drop", "--focus", "DYR_ECOLI",
                         "--min-separation", SEPARATION]
    for name, arguments in list(found.items()):
        if not os.path.exists(arguments[0]):
            print(f"  {arguments[0]} is not there: left out", flush=True)
            del found[name]
    return found


def number(row, name, errors):
    if row[name] == "":
        return "-"
    error = row[name + "_se"]
    return f"{float(row[name]):.2f}" + (f" ({float(error):.2f})" if errors and error else "")


def compare(results, name, arguments):
    """The table of a family, and what the program says about its data and its structure."""
    text, _ = results.run("compare-methods", *arguments, "--theta", 0.2, "--epochs", results.pick(EPOCHS.get(name, 25), 3),
                          "--bootstrap", results.pick(SAMPLES.get(name, 4), 2), good=(0, 3))
    with open(os.path.join(results.folder, f"methods_{name}.csv"), "w") as file:
        file.write(text.replace(results.data, "../shared/data"))  # no folder of the machine that made it
    notes = [f"- {name}: " + next(line[2:] for line in text.splitlines() if " sequences of summed weight " in line)]
    for chain, rest in re.findall(r"structure: (chain \w+) of .*?, (\d+ residues: .*)", results.messages):
        notes.append(f"- {name}, {chain}: {rest}")
    return by_method(text), notes


def by_method(text):
    return {(r["method"], r["score"], r["correction"]): r for r in table_rows(text)}


def methods(results):
    """One table of precisions for all families, and a file of each."""
    found, notes = {}, []
    for name, arguments in families(results).items():
        found[name], more = compare(results, name, arguments)
        notes += more
    fill_tables(results, found, notes)


def fill_tables(results, found, notes):
    names = list(found)
    lines = notes + ["", "Precision of the first L pairs:", "", "| method | score | correction | " + " | ".join(n for n in names if n != "DHFR") +
                     " | overlap with plm, DHFR |", "|---" * (4 + len([n for n in names if n != "DHFR"])) + "|"]
    keys = list(next(iter(found.values())))
    for key in keys:
        cells = [number(found[n][key], "precision_L", True) for n in names if n != "DHFR"]
        cells.append(number(found["DHFR"][key], "overlap", True) if "DHFR" in found else "-")
        lines.append("| " + " | ".join([*key, *cells]) + " |")
    lines += ["", "Seconds, and precision of the first L/5 pairs:", "", "| method | score | " +
              " | ".join(f"{n}: seconds | P@L/5" if n != "DHFR" else "DHFR: seconds" for n in names) + " |",
              "|---" * (2 + sum(1 if n == "DHFR" else 2 for n in names)) + "|"]
    for key in keys:
        if key[2] != "apc":
            continue
        cells = []
        for n in names:
            cells.append(f"{float(found[n][key]['seconds']):.2f}")
            if n != "DHFR":
                cells.append(number(found[n][key], "precision_L5", True))
        lines.append("| " + " | ".join([key[0], key[1], *cells]) + " |")
    results.fill("methods", "\n".join(lines) + "\n")
