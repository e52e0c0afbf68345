# SPDX-License-Identifier: MIT
"""The part `methods` of results.py: all methods that score pairs of sites, on families with a structure and on DHFR."""
import gzip
import os

from results_common import table_rows

FAMILIES = [
    # name, alignment, file of the sequence of the columns (None: the first of the alignment), structure, flags
    ("6acv", "structuredca/6acv_A_29-94.fasta", None, "structuredca/6acv_A_29-94.pdb.gz", []),
    ("B1", "structuredca/B1-beta-lactamases_msa.fasta.gz", "structuredca/NDM1_trimmed_ungapped.fasta", "structuredca/3spu.pdb.gz", []),
    ("ParE-ParD", "structuredca/cMSA_ParE-ParD.a3m.gz", None, "structuredca/5ceg_8mer.pdb.gz", []),
    ("DHFR", "DHFR.a2m", None, None, ["--unknown", "drop", "--focus", "DYR_ECOLI"]),
]
LETTERS = dict(zip("ALA ARG ASN ASP CYS GLN GLU GLY HIS ILE LEU LYS MET PHE PRO SER THR TRP TYR VAL MSE".split(), "ARNDCQEGHILKMFPSTWYVM"))


def opened(path):
    return gzip.open(path, "rt") if path.endswith(".gz") else open(path)


def first_sequence(path):
    """The first sequence of a FASTA or A3M file: match columns only."""
    text = ""
    with opened(path) as file:
        next(file)
        for line in file:
            if line.startswith(">"):
                break
            text += "".join(c for c in line.strip() if not c.islower() and c != ".")
    return text


def chains_of(path):
    """{chain: [(letter, heavy atoms)]} of the first model of a PDB file, first alternative locations."""
    chains, last = {}, None
    with opened(path) as file:
        for line in file:
            if line.startswith("ENDMDL"):
                break
            if line[:6] not in ("ATOM  ", "HETATM") or line[17:20] not in LETTERS:
                continue
            if (line[76:78].strip() or line[12:16].strip("0123456789 ")[:1]) in ("H", "D"):
                continue
            residues = chains.setdefault(line[21], [])
            key = line[21:27]
            if key != last:
                residues.append((LETTERS[line[17:20]], {}))
                last = key
            residues[-1][1].setdefault(line[12:16], tuple(float(line[k:k + 8]) for k in (30, 38, 46)))
    return {name: [(letter, list(atoms.values())) for letter, atoms in residues] for name, residues in chains.items()}


def aligned(one, other):
    """Places of `one` beside those of `other`, both texts: global alignment, match 2, mismatch -1, gap -2, ends free."""
    n, m = len(one), len(other)
    score = [[0] * (m + 1) for _ in range(n + 1)]
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            gap_one, gap_other = (0 if j == m else 2), (0 if i == n else 2)
            score[i][j] = max(score[i - 1][j - 1] + (2 if one[i - 1] == other[j - 1] else -1), score[i - 1][j] - gap_one,
                              score[i][j - 1] - gap_other)
    places, i, j = {}, n, m
    while i > 0 and j > 0:
        if score[i][j] == score[i - 1][j - 1] + (2 if one[i - 1] == other[j - 1] else -1):
            i, j = i - 1, j - 1
            places[i] = j
        elif score[i][j] == score[i - 1][j] - (0 if j == m else 2):
            i -= 1
        else:
            j -= 1
    return places


def write_distances(focus, structure, path):
    """Smallest distances of heavy atoms between sites, over all chains that show them; the identity of each chain with the focus."""
    columns = [k for k, letter in enumerate(focus) if letter != "-"]
    text = "".join(focus[k] for k in columns)
    sites, known = {}, {}
    for name, residues in chains_of(structure).items():
        places = aligned([letter for letter, _ in residues], text)
        same = sum(residues[i][0] == text[j] for i, j in places.items())
        known[name] = same / len(places)
        for i, j in places.items():
            if residues[i][0] == text[j]:
                sites.setdefault(columns[j] + 1, []).append(residues[i][1])
    smallest = {}
    numbers = sorted(sites)
    centres = {n: [(atoms, [sum(a[k] for a in atoms) / len(atoms) for k in range(3)]) for atoms in sites[n]] for n in numbers}
    for a, i in enumerate(numbers):
        for j in numbers[a + 1:]:
            best = 1e9
            for one, x in centres[i]:
                for other, y in centres[j]:
                    if sum((p - r) ** 2 for p, r in zip(x, y)) > 28**2:  # no residue reaches 10 from its centre, contacts are below 8
                        continue
                    best = min(best, min(sum((p - r) ** 2 for p, r in zip(u, v)) for u in one for v in other))
            smallest[i, j] = best**0.5 if best < 1e9 else 99.0
    with open(path, "w") as file:
        file.write("# i j distance of heavy atoms; 99: above 8\n")
        file.writelines(f"{i} {j} {d:.3f}\n" for (i, j), d in smallest.items())
    return numbers, known


def number(row, name, errors):
    if row[name] == "":
        return "-"
    error = row[name + "_se"]
    return f"{float(row[name]):.2f}" + (f" ({float(error):.2f})" if errors and error else "")


def compare(results, name, alignment, flags):
    """The table of a family. Training of the larger families is not repeated for bootstrap samples: it takes hours."""
    small = name == "6acv"
    common = [alignment, "--alphabet", "protein", "--theta", 0.2, "--min-separation", 6, *flags]
    text, _ = results.run("compare-methods", *common, "--epochs", results.pick(50 if small else 25, 3), "--bootstrap",
                          results.pick(10 if small else 0, 2), good=(0, 3))
    keep(results, f"methods_{name}.csv", text)
    rows = by_method(text)
    if not small and "--distances" in flags:
        again, _ = results.run("compare-methods", *common, "--methods", "mean-field,gaussian,mi", "--bootstrap", results.pick(4, 2))
        keep(results, f"methods_{name}_errors.csv", again)
        merge(rows, by_method(again))
    return rows, text


def keep(results, name, text):
    with open(os.path.join(results.folder, name), "w") as file:
        file.write(text)


def by_method(text):
    return {(r["method"], r["score"], r["correction"]): r for r in table_rows(text)}


def merge(rows, again):
    """Errors of methods without training."""
    for key, row in again.items():
        rows[key].update({column: value for column, value in row.items() if column.endswith("_se") and value})


def methods(results):
    """One table of precisions for all families, and a file of each."""
    found, notes = {}, []
    for name, data, focus, structure, flags in results.pick(FAMILIES, FAMILIES[:1]):
        alignment = os.path.join(results.data, data)
        if not os.path.exists(alignment):
            print(f"  {data} is not in {results.data}: left out", flush=True)
            continue
        if structure is not None:
            sequence = first_sequence(os.path.join(results.data, focus) if focus else alignment)
            numbers, identities = write_distances(sequence, os.path.join(results.data, structure), name + ".distances")
            notes.append(f"- {name}: {len(numbers)} of {len(sequence)} columns are residues of {os.path.basename(structure).split('.')[0]}, "
                         f"chains {', '.join(sorted(identities))}")
            flags = flags + ["--distances", name + ".distances"]
        found[name], text = compare(results, name, alignment, flags)
        notes.append(f"- {name}: " + next(line[2:] for line in text.splitlines() if " sequences of summed weight " in line))
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
