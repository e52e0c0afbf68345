# SPDX-License-Identifier: MIT
"""All methods that score pairs of sites, on four families

`attopotts compare-methods` on three families with a structure, and on DHFR, for which the data folder has none: there the table has the overlap
with pseudo-likelihood (`plm`) instead of precisions. Contacts are pairs of columns at least 6 apart whose heavy atoms come nearer than 8
Angstrom, the smallest distance over all chains. Penalties, heads (8) and pseudocounts are the defaults, weights at theta = 0.2. Errors in
brackets are standard deviations over bootstrap samples of the sequences (6acv: 10, others: 4). Training has at most 50 (6acv) or 25 iterations.
"""
import os

import lab as tools
from structures import arguments_of

NAMES = {"6acv": "6acv", "B1 beta-lactamases": "B1", "ParE-ParD": "ParE_ParD"}
DHFR = ("DHFR.a2m",), ["--unknown", "drop", "--focus", "DYR_ECOLI", "--min-separation", "6"]
KEY = ("method", "score", "correction")
AGREE = {"methods_6acv.csv": tools.Same(KEY, ("precision_L5", "precision_L2", "precision_L"))}


def compute(lab):
    program = tools.Program(lab)
    for family, name in lab.pick(NAMES, {"6acv": "6acv"}).items():
        arguments = arguments_of(lab, family)
        if arguments is None:
            print(f"methods: left out, {family} is not in the data folder")
            return False
        more = ["--method", "mi,mean-field,gaussian"] if lab.quick else ["--epochs", 50 if name == "6acv" else 25, "--bootstrap",
                                                                          10 if name == "6acv" else 4]
        store(lab, f"methods_{name}.csv", program.run("compare-methods", *arguments, "--theta", 0.2, *more)[0])
    if not lab.quick:
        path, flags = DHFR
        store(lab, "methods_DHFR.csv", program.run("compare-methods", lab.shared(*path), "--alphabet", "protein", *flags, "--theta", 0.2,
                                                   "--epochs", 25,
                                                   "--bootstrap", 4)[0])
    return True


def store(lab, name, text):
    with open(lab.path(name), "w") as file:
        file.write(text.replace(os.path.abspath(lab.data), "../shared/data"))  # no folder of the machine that made it


def report(lab):
    tables = {name: {tuple(r[k] for k in KEY): r for r in lab.rows(f"methods_{name}.csv")} for name in (*NAMES.values(), "DHFR")}

    def cell(name, key, column):
        r = tables[name].get(key)
        if r is None or r[column] != r[column]:
            return ""
        error = r[column + "_se"]
        return f"{r[column]:.2f}" + (f" ({error:.2f})" if error == error else "")

    columns = {"method": "method", "score": "score", "correction": "correction", **{f"P@L, {n}": n for n in NAMES.values()},
               **{f"P@L/5, {n}": n + " fifth" for n in NAMES.values()}, "overlap with plm, DHFR": "DHFR"}
    rows = [{**dict(zip(KEY, key)), **{n: cell(n, key, "precision_L") for n in NAMES.values()},
             **{n + " fifth": cell(n, key, "precision_L5") for n in NAMES.values()},
             "DHFR": cell("DHFR", key, "overlap")} for key in tables["6acv"]]
    return tools.markdown(columns, rows)


def claims(lab):
    found = {tuple(r[k] for k in KEY): r["precision_L"] for r in lab.rows("methods_B1.csv")}
    return [("more", "pseudo-likelihood ranks contacts best", "holds on the two large families; not on 6acv, with few sequences",
             f"precision at L on B1: {found['plm', 'fn', 'apc']:.2f}, Gaussian {found['gaussian', 'fn', 'apc']:.2f}, mutual information {found['mi', 'mi', 'apc']:.2f}")]
