# SPDX-License-Identifier: MIT
"""Contacts of real families in their structures

Precision of the pairs that `attopotts contacts` ranks first: the protein 6acv (a predicted structure), B1 beta-lactamases with that of NDM1
(3spu), and the toxin-antitoxin pair ParE-ParD with its complex (5ceg, four copies of each protein). Dense couplings with default settings,
weights at theta = 0.2. A contact is a pair whose heavy atoms come nearer than 8 Angstrom; pairs of one protein are 6 sites apart or more;
residues that the structure does not show are left out. *random*: the share of contacts among all pairs that count. *within* are pairs of one
protein, *between* pairs of ParD and ParE.
"""
import csv
import re

import lab as tools

FAMILIES = {
    "6acv": ("6acv_A_29-94.fasta", "6acv_A_29-94.pdb.gz", [], []),
    "B1 beta-lactamases": ("B1-beta-lactamases_msa.fasta.gz", "3spu.pdb.gz", ["--sequence", "NDM1_trimmed_ungapped.fasta"], []),
    "ParE-ParD": ("cMSA_ParE-ParD.a3m.gz", "5ceg_8mer.pdb.gz", ["--paired", 93, "--chains", "A,B"], ["--focus", "ParD3-ParE3"]),
}
NUMBERS = ("fifth", "half", "all", "random")
AGREE = {"structures.csv": tools.Same(("family", "pairs"), ("sites", *NUMBERS))}


def arguments_of(lab, family, model=None):
    """Data, or a model of them, and structure as `contacts` takes them; None where files are missing."""
    data, structure, flags, reading = FAMILIES[family]
    if lab.shared("structuredca", data) is None:
        return None
    flags = [lab.shared("structuredca", str(word)) if str(word).endswith(".fasta") else word for word in flags]
    source = [model] if model else [lab.shared("structuredca", data), "--alphabet", "protein", *reading]
    return [*source, "--structure", lab.shared("structuredca", structure), *flags, "--min-separation", 6, "--cutoff", 8]


def measured(program, lab, family, *flags, model=None):
    """A row for pairs within a protein, and for pairs of two."""
    text, seconds = program.run("contacts", *arguments_of(lab, family, model), *flags)
    rows = [r for r in csv.DictReader(line for line in text.splitlines() if not line.startswith("#")) if r["distance"]]
    sites, found = sum(map(int, re.findall(r"of (\d+) sites resolved", program.messages))), []
    groups = {}
    for r in rows:
        groups.setdefault("between" if r.get("proteins") == "1-2" else "within", []).append(float(r["distance"]) < 8)
    for name, hits in groups.items():
        found.append({"family": family, "pairs": name, "sites": sites, **{n: sum(hits[:count]) / count
                                                                          for n, count in zip(NUMBERS, (sites // 5, sites // 2, sites))},
                      "random": sum(hits) / len(hits), "seconds": f"{seconds:.1f}"})
    return found


def compute(lab):
    program, rows = tools.Program(lab), []
    for family in lab.pick(FAMILIES, ["6acv"]):
        if arguments_of(lab, family) is None:
            print(f"structures: left out, {family} is not in the data folder")
            return False
        rows += measured(program, lab, family, "--theta", 0.2, "--model-out", "model.h5")
        if "--paired" in FAMILIES[family][2]:
            # The same pairs by distances that include those between copies of a protein.
            copies = measured(program, lab, family, "--copies", "inter", model="model.h5")
            rows += [{**r, "pairs": "within or between copies"} for r in copies if r["pairs"] == "within"]
    lab.write("structures.csv", rows, ["contacts: heavy atoms nearer than 8, 6 sites apart or more"])
    return True


def report(lab):
    rows = [{**r, "sites": f"{r['sites']:g}"} for r in lab.rows("structures.csv")]
    return tools.markdown({"family": "family", "pairs": "pairs", "L": "sites", "P@L/5": "fifth", "P@L/2": "half", "P@L": "all",
                           "random": "random"}, rows,
                          dict.fromkeys(NUMBERS, "{:.3f}"))


def claims(lab):
    rows = {(r["family"], r["pairs"]): r for r in lab.rows("structures.csv")}
    return [("more", "the best pairs are contacts", "holds for large families",
             "precision at L/5: " + ", ".join(f"{r['fifth']:.2f} ({family})" for (family, pairs), r in rows.items() if pairs == "within"))]
