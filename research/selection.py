# SPDX-License-Identifier: MIT
"""Penalties chosen by the data, and effects of mutations

563 sequences of 66 sites (6acv, N_eff 121.7 at theta 0.2) and measured changes of the stability of 1152 single and 1072 double mutants, one
of which was measured twice: its mean counts. Numbers are Spearman's correlations of energies with the effects. Independent sites have
frequencies with a uniform pseudocount of some weight. Presets that filter columns keep them all here, so that every mutation has its site.
*pairs in contact*: couplings of the 579 of 2145 pairs whose heavy atoms come nearer than 8 Angstrom. The rows of strong penalties and the
last two were chosen with the measured effects seen.
"""
import csv
import math
import os
import shutil

import lab as tools

DATA = ("--alphabet", "protein", "--theta", 0.2)
DENSE, AUTO = ("--family", "dense", *DATA), ("--family", "dense", *DATA, "--l2-couplings", "auto", "--l2-fields", "auto")
MISSING, CONTACTS = ("--gaps", "ignore"), ("--pairs-from", "structure.pdb.gz", "--cutoff", 8)
MODELS = (("plmc", ("--like", "plmc")), ("ccmpred", ("--like", "ccmpred")), ("gremlin", ("--like", "gremlin", "--max-gaps-column", 1)),
          ("evcouplings", ("--like", "evcouplings", "--max-gaps-column", 1)), ("plmdca", ("--like", "plmdca")),
          ("default penalties", DENSE),
          ("default penalties", (*DENSE, *MISSING)), ("chosen for sequences", (*AUTO, "--set", "criterion=sequences")),
          ("chosen for sequences", (*AUTO, "--set", "criterion=sequences", *MISSING)),
          ("chosen for mutations", (*AUTO, "--set", "criterion=mutations")),
          ("chosen for mutations", (*AUTO, "--set", "criterion=mutations", *MISSING)),
          ("strong penalties", (*DENSE, *MISSING, "--l2-couplings", 10, "--set", "l2-scale=sites", "--l2-fields", 1)),
          ("pairs in contact", (*DENSE, *MISSING, *CONTACTS, "--l2-fields", 4)),
          ("pairs in contact", (*DENSE, *MISSING, *CONTACTS, "--l2-couplings", 20, "--l2-fields", 1)),
          ("pairs in contact", (*DENSE, *MISSING, *CONTACTS, "--l2-couplings", 200, "--l2-fields", 1)))
PSEUDOCOUNTS = ("1 sequence", "1 sequence of each residue", "N_eff")
AGREE = {"selection.csv": tools.Same(("model", "flags"), ("spearman", "doubles"), tolerance=5e-4)}


def ranks(values):
    """Ties have their mean rank."""
    order, rank, first = sorted(range(len(values)), key=values.__getitem__), [0.0] * len(values), 0
    while first < len(order):
        end = first
        while end < len(order) and values[order[end]] == values[order[first]]:
            end += 1
        for place in range(first, end):
            rank[order[place]] = (first + end - 1) / 2
        first = end
    return rank


def correlations(energies, mutations):
    """Spearman's of single and of double mutants."""
    found = {}
    for name, single in (("spearman", True), ("doubles", False)):
        pairs = [(energy, effect) for energy, (mutation, effect) in zip(energies, mutations) if mutation.isalnum() is single]
        found[name] = tools.pearson(*(ranks(values) for values in zip(*pairs)))
    return found


def independent_energies(potts, data, mutations, pseudocount):
    """-log f(new) + log f(old) of each mutant; gaps are left out."""
    letters = "ACDEFGHIKLMNPQRSTVWY"
    colors = [data.alphabet.index(letter) for letter in letters]
    counts = data.frequencies().reshape(data.sites, -1)[:, colors] * data.weights.sum() + pseudocount / len(letters)

    def change(name):
        site = counts[int(name[1:-1]) - 1]
        return math.log(site[letters.index(name[0])] / site[letters.index(name[-1])])

    return [sum(map(change, names.split(":"))) for names, _ in mutations]


def compute(lab):
    if lab.shared("structuredca", "6acv_A_29-94.csv") is None:
        print("selection: left out, 6acv_A_29-94.csv is not in the data folder")
        return False
    program, rows = tools.Program(lab), []
    for end, name in ((".fasta", "family.fasta"), (".pdb.gz", "structure.pdb.gz")):
        shutil.copy(lab.shared("structuredca", "6acv_A_29-94" + end), os.path.join(program.folder, name))
    with open(lab.shared("structuredca", "6acv_A_29-94.csv")) as file:
        measured = tools.groups_of(csv.DictReader(file), "mutation")
    mutations = [(name, tools.mean([float(row["DDG"]) for row in group])) for (name,), group in measured.items()]
    with open(os.path.join(program.folder, "mutations.txt"), "w") as file:
        file.write("".join(f"{name}\n" for name, _ in mutations))
    data = lab.potts.Alignment.read(os.path.join(program.folder, "family.fasta"), alphabet="protein")
    data.weigh(0.2)
    for name, weight in zip(PSEUDOCOUNTS, (1, 20, data.effective_count)):
        rows.append({"model": f"independent sites with a pseudocount of {name}",
                     **correlations(independent_energies(lab.potts, data, mutations, weight), mutations)})
    for name, flags in lab.pick(MODELS, [MODELS[k] for k in (0, 5, 12)]):
        automatic = "auto" in flags
        program.run("learn", "family.fasta", "-o", "model.h5", *flags, *(("--path", "path.csv") if automatic else ()))
        program.run("mutants", "model.h5", "family.fasta", "--alphabet", "protein", "--mutations", "mutations.txt", "--csv", "mutants.csv")
        row = {"model": name, "flags": f"`{' '.join(str(flag) for flag in flags if flag not in DATA)}`",
               **correlations([float(r["energy"]) for r in program.read("mutants.csv")[1]], mutations)}
        if automatic:
            chosen = next(r for r in program.read("path.csv")[1] if r["chosen"] == "1")
            row.update(l2_couplings=f"{float(chosen['l2_couplings']):.4g}", l2_fields=f"{float(chosen['l2_fields']):g}",
                       heldout_loss=f"{float(chosen['heldout_loss']):.4f} +- {float(chosen['standard_error']):.4f}")
        rows.append(row)
    lab.write("selection.csv", rows, ["1152 single and 1072 double mutants of 6acv"],
              ["model", "flags", "l2_couplings", "l2_fields", "heldout_loss", "spearman", "doubles"])
    return True


def report(lab):
    rows = [{**r, "flags": r["flags"] if isinstance(r["flags"], str) else ""} for r in lab.rows("selection.csv")]
    return tools.markdown({"model": "model", "flags of `learn`": "flags", "l2-couplings": "l2_couplings", "l2-fields": "l2_fields",
                           "held-out loss": "heldout_loss",
                           "single": "spearman", "double": "doubles"}, rows, {"spearman": "{:.3f}", "doubles": "{:.3f}"}) + \
        ("\nPresets, default penalties and those chosen by the loss of held-out sequences are no better than independent sites for single mutants: their couplings "
         "remember ancestry. Penalties chosen by the substitutions between held-out relatives are as good as the best pseudocount, which they do not know; they "
         "make couplings weak, and for double mutants they are worse.\n")


def claims(lab):
    rows = lab.rows("selection.csv")
    independent = max(r["spearman"] for r in rows if r["model"].startswith("independent"))
    chosen = max(r["spearman"] for r in rows if r["model"] == "chosen for mutations")
    return [("more", "couplings predict effects of single mutants better than independent sites", "does not hold on 6acv",
             f"Spearman {chosen:.2f} with penalties chosen for mutations, {independent:.2f} of independent sites")]
