# SPDX-License-Identifier: MIT
"""The part `selection` of results.py: penalties that the data choose, against presets and independent sites, on measured mutations."""
import csv
import math
import os
import shlex
import shutil

from results_alignments import pearson, rows_of
from results_common import markdown

FAMILY = "structuredca/6acv_A_29-94"
DATA = ("--alphabet", "protein", "--theta", 0.2)
AUTO = ("--family", "dense", *DATA, "--l2-couplings", "auto", "--l2-fields", "auto")
DENSE = ("--family", "dense", *DATA, "--gaps", "ignore")
CONTACTS = ("--pairs-from", "structure.pdb.gz", "--cutoff", 8)
# Presets that filter columns keep them all here, so that every mutation has its site.
MODELS = (("plmc", ("--like", "plmc")), ("ccmpred", ("--like", "ccmpred")),
          ("gremlin", ("--like", "gremlin", "--max-gaps-column", 1)), ("evcouplings", ("--like", "evcouplings", "--max-gaps-column", 1)),
          ("plmdca", ("--like", "plmdca")),
          ("default penalties", ("--family", "dense", *DATA)),
          ("default penalties", ("--family", "dense", *DATA, "--gaps", "ignore")),
          ("chosen for sequences", (*AUTO, "--select-for", "sequences")),
          ("chosen for sequences", (*AUTO, "--select-for", "sequences", "--gaps", "ignore")),
          ("chosen for mutations", (*AUTO, "--select-for", "mutations")),
          ("chosen for mutations", (*AUTO, "--select-for", "mutations", "--gaps", "ignore")),
          ("strong penalties", (*DENSE, "--l2-couplings", 10, "--l2-scale", "sites", "--l2-fields", 1)),
          ("pairs in contact", (*DENSE, *CONTACTS, "--l2-fields", 4)),
          ("pairs in contact", (*DENSE, *CONTACTS, "--l2-couplings", 20, "--l2-fields", 1)),
          ("pairs in contact", (*DENSE, *CONTACTS, "--l2-couplings", 200, "--l2-fields", 1)))
# Of --quick: the default penalties, those chosen for mutations, and pairs in contact.
QUICK = MODELS[5], MODELS[9], MODELS[12]


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


def spearman(xs, ys):
    return pearson(ranks(xs), ranks(ys))


def measured_mutations(path):
    with open(path) as file:
        return [(row["mutation"], float(row["DDG"])) for row in csv.DictReader(file)]


def is_single(mutation):
    return mutation.isalnum()


def independent_energies(sequences, weights, mutations, pseudocount):
    """-log f(new) + log f(old) of each mutant; the pseudocount is the weight of uniform sequences; gaps are left out."""
    letters = "ACDEFGHIKLMNPQRSTVWY"
    counts = [dict.fromkeys(letters, pseudocount / len(letters)) for _ in sequences[0]]
    for sequence, weight in zip(sequences, weights):
        for site, letter in enumerate(sequence):
            if letter in letters:
                counts[site][letter] += weight
    change = {}
    for names, _ in mutations:
        for name in names.split(":"):
            site = counts[int(name[1:-1]) - 1]
            change[name] = math.log(site[name[0]] / site[name[-1]])
    return [sum(change[name] for name in names.split(":")) for names, _ in mutations]


def read_fasta(path):
    sequences = []
    with open(path) as file:
        for line in file:
            if line.startswith(">"):
                sequences.append("")
            else:
                sequences[-1] += line.strip()
    return sequences


def independent(results, mutations):
    results.run("convert", "family.fasta", "weighted.fasta", *DATA, "--save-weights", "weights.txt")
    with open("weights.txt") as file:
        weights = [float(line) for line in file if line.strip() and not line.startswith("#")]
    sequences, total = read_fasta("family.fasta"), sum(weights)
    return {name: independent_energies(sequences, weights, mutations, weight)
            for name, weight in (("1 sequence", 1), ("1 sequence of each residue", 20), ("N_eff", total))}


def correlations(energies, mutations):
    """Of single and of double mutants."""
    groups = {}
    for name, single in (("spearman", True), ("doubles", False)):
        pairs = [(energy, effect) for energy, (mutation, effect) in zip(energies, mutations) if is_single(mutation) is single]
        groups[name] = spearman(*zip(*pairs))
    return groups


def selection(results):
    """Spearman's correlation of energies with measured effects of single and double mutants of 6acv."""
    shutil.copy(os.path.join(results.data, FAMILY + ".fasta"), "family.fasta")
    mutations = measured_mutations(os.path.join(results.data, FAMILY + ".csv"))
    shutil.copy(os.path.join(results.data, FAMILY + ".pdb.gz"), "structure.pdb.gz")
    with open("mutations.txt", "w") as file:
        file.write("".join(f"{name}\n" for name, _ in mutations))
    rows = [{"model": f"independent sites with a pseudocount of {name}", "flags": "", "l2_couplings": "", "l2_fields": "", "heldout_loss": "",
             **correlations(energies, mutations)} for name, energies in independent(results, mutations).items()]
    for name, flags in results.pick(MODELS, QUICK):
        automatic = "auto" in flags
        results.run("learn", "family.fasta", "-o", "model.h5", *flags, *(("--path", "path.csv") if automatic else ()), good=(0, 3))
        results.run("mutants", "model.h5", "family.fasta", "--alphabet", "protein", "--mutations", "mutations.txt", "--csv", "mutants.csv")
        energies = [float(row["energy"]) for row in rows_of("mutants.csv")]
        chosen = next((row for row in rows_of("path.csv") if row["chosen"] == "1"), {}) if automatic else {}
        shown = " ".join(shlex.quote(str(flag)) for flag in flags if flag not in DATA)
        rows.append({"model": name, "flags": f"`{shown}`", "l2_couplings": f"{float(chosen['l2_couplings']):.4g}" if chosen else "",
                     "l2_fields": f"{float(chosen['l2_fields']):g}" if chosen else "",
                     "heldout_loss": f"{float(chosen['heldout_loss']):.4f} +- {float(chosen['standard_error']):.4f}" if chosen else "",
                     **correlations(energies, mutations)})
    singles = sum(is_single(mutation) for mutation, _ in mutations)
    results.write_csv("selection.csv", list(rows[0]), rows, [f"{singles} single and {len(mutations) - singles} double mutants of 6acv"])
    results.fill("selection", markdown({"model": "model", "flags of `learn`": "flags", "l2-couplings": "l2_couplings", "l2-fields": "l2_fields",
                                        "held-out loss": "heldout_loss", "Spearman, single": "spearman", "double": "doubles"}, rows,
                                       {"spearman": "{:.3f}", "doubles": "{:.3f}"}))
