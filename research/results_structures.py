# SPDX-License-Identifier: MIT
"""The parts `structures_*` of results.py: precision of the best pairs of real families, by the structures of the data folder. Each part is one
family; the table has the rows of all that were run."""
import collections
import os
import re
import resource

from results_common import markdown, message, numbers, table_rows

SEPARATION, CUTOFF = 6, 8
# flags: of the structure; reading: of the sequences
Family = collections.namedtuple("Family", "name data structure flags reading", defaults=([],))
# ParD3 is the sites up to 93, ParE3 the others; the structure has four copies of each.
FAMILIES = [
    Family("6acv", "6acv_A_29-94.fasta", "6acv_A_29-94.pdb.gz", []),
    Family("B1 beta-lactamases", "B1-beta-lactamases_msa.fasta.gz", "3spu.pdb.gz", ["--structure-sequence", "NDM1_trimmed_ungapped.fasta"]),
    Family("ParE-ParD", "cMSA_ParE-ParD.a3m.gz", "5ceg_8mer.pdb.gz", ["--paired", 93, "--chains", "A,B"], ["--focus", "ParD3-ParE3"]),
]


def arguments_of(results, family, model=None):
    """Data, or a model of them, and structure as `contacts` takes them."""
    def path(name):
        return os.path.join(results.data, "structuredca", name)
    flags = [path(word) if str(word).endswith(".fasta") else word for word in family.flags]
    source = [model] if model else [path(family.data), "--alphabet", "protein", *family.reading]
    return [*source, "--structure", path(family.structure), *flags, "--min-separation", SEPARATION, "--cutoff", CUTOFF]


def groups_of(rows):
    """Ranked pairs with a distance, as contacts or not: {"within" or "between" (two proteins): [bool, ...]}."""
    groups = {}
    for row in rows:
        if row["distance"]:
            name = "between" if row.get("proteins") == "1-2" else "within"
            groups.setdefault(name, []).append(float(row["distance"]) < CUTOFF)
    return groups


def precisions(hits, sites):
    """At L/5, L/2 and L, rounded down; None where there are fewer pairs."""
    counts = [max(1, sites // 5), max(1, sites // 2), sites]
    return [sum(hits[:n]) / n if n <= len(hits) else None for n in counts]


def children_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measure(results, family, *method, model=None):
    """Run `contacts` with the flags of a method on a family, or on a model of it. Gives one row for each group of pairs: precision at L/5, L/2 and L, the random
    expectation (the share of contacts in all resolved pairs), and what the program says about data and structure."""
    before = children_seconds()
    results.run("contacts", *arguments_of(results, family, model), *method, "--csv", "pairs.csv", good=(0, 3))
    seconds = children_seconds() - before
    with open("pairs.csv") as file:
        text = file.read()
    found = re.search(r"(\d+) of \d+ sequences, (\d+) .*effective number ([\d.]+)", results.messages)
    count, effective = (found[1], found[3]) if found else ("", "")
    sites = sum(int(n) for n in re.findall(r"of (\d+) sites resolved", results.messages))
    resolved = "+".join(re.findall(r"(\d+) of \d+ sites resolved", results.messages))
    outcome = message(results, "converged") or message(results, "warning: not converged")
    rows = []
    for group, hits in groups_of(table_rows(text)).items():
        at = precisions(hits, sites)
        rows.append({"family": family.name, "pairs": group, "sequences": count, "effective": effective, "sites": sites, "resolved": resolved,
                     "fifth": at[0], "half": at[1], "all": at[2], "random": sum(hits) / len(hits), "seconds": seconds, "outcome": outcome})
    return rows


HEADINGS = {"family": "family", "pairs": "pairs", "sequences": "sequences", "N_eff": "effective", "L": "sites", "resolved": "resolved",
            "P@L/5": "fifth", "P@L/2": "half", "P@L": "all", "random": "random", "CPU seconds": "seconds"}
FORMATS = {"fifth": "{:.3f}", "half": "{:.3f}", "all": "{:.3f}", "random": "{:.3f}", "seconds": "{:.0f}"}


COPIES = "within or between copies"


def rows_of(results, family):
    rows = measure(results, family, "--theta", 0.2, "--model-out", "model.h5", *results.pick([], ["--epochs", 20]))
    if "--paired" in family.flags:
        # The same pairs by distances that include those between copies of a protein.
        known = {row["pairs"]: row for row in measure(results, family, "--copies", "inter", model="model.h5")}
        within = next(row for row in rows if row["pairs"] == "within")
        rows.append({**within, "pairs": COPIES, **{key: known["within"][key] for key in ("fifth", "half", "all", "random")}})
    return rows


def commands():
    text = "Commands, with the files of `structuredca`:\n\n```sh\n"
    for family in FAMILIES:
        words = [family.data, "--alphabet", "protein", *family.reading, "--theta", 0.2, "--min-separation", SEPARATION, "--structure",
                 family.structure, *family.flags]
        text += f"attopotts contacts {' '.join(map(str, words))}\n"
    return text + "```\n"


def write_rows(results, rows):
    rows = sorted(rows, key=lambda row: [f.name for f in FAMILIES].index(row["family"]))
    for row in rows:
        row.update({key: int(row[key]) for key in ("sequences", "sites", "resolved") if not isinstance(row[key], str) or row[key].isdigit()})
    results.write_csv("structures.csv", list(rows[0]), rows, [f"contacts: heavy atoms nearer than {CUTOFF}, {SEPARATION} sites apart or more"])
    results.fill("structures", markdown(HEADINGS, rows, FORMATS) + "\n" + commands())


def structures(results, family):
    """Rows of other families stay as they were."""
    path, known = os.path.join(results.folder, "structures.csv"), []
    if os.path.exists(path):
        with open(path) as file:
            known = numbers(file.read())
    write_rows(results, [row for row in known if row["family"] != family.name] + rows_of(results, family))


PARTS = {"structures_6acv": FAMILIES[0], "structures_b1": FAMILIES[1], "structures_paired": FAMILIES[2]}
