# SPDX-License-Identifier: MIT
"""Structures for the tests of the program: written by hand as PDB and mmCIF, and read by a plain parser of PDB's columns.

An atom is a dictionary: record, name, alt, kind (of the residue), chain, number, code (of insertion), place (x, y, z), occupancy, element,
model.
"""
import gzip
import math

LETTERS = dict(zip("ALA ARG ASN ASP CYS GLN GLU GLY HIS ILE LEU LYS MET PHE PRO SER THR TRP TYR VAL MSE".split(), "ARNDCQEGHILKMFPSTWYVM"))
KINDS = {letter: kind for kind, letter in LETTERS.items() if kind != "MSE"}


def atom(name, kind, chain, number, place, alt="", occupancy=1.0, code="", record="ATOM", element=None, model=1):
    return {"record": record, "name": name, "alt": alt, "kind": kind, "chain": chain, "number": number, "code": code,
            "place": tuple(round(x, 3) for x in place), "occupancy": occupancy, "element": element or name[0], "model": model}


def pdb_line(serial, a):
    x, y, z = a["place"]
    name = a["name"] if len(a["name"]) == 4 or len(a["element"]) == 2 else " " + a["name"]
    return (f"{a['record']:<6}{serial:>5} {name:<4}{a['alt'] or ' '}{a['kind']:>3} {a['chain']}{a['number']:>4}{a['code'] or ' '}   "
            f"{x:8.3f}{y:8.3f}{z:8.3f}{a['occupancy']:6.2f}{20:6.2f}          {a['element']:>2}\n")


def pdb_text(atoms, ends=True):
    """ends: a TER after the polymer of each chain, that is before its HETATM of ligands, which come last as in files of the archive."""
    text, serial = "", 0
    models = sorted({a["model"] for a in atoms})
    for model in models:
        own = [a for a in atoms if a["model"] == model]
        text += f"MODEL     {model:>4}\n" if len(models) > 1 else ""
        polymer = [a for a in own if a["kind"] in LETTERS or a["kind"] in "ACGU"]
        for k, a in enumerate(polymer):
            serial += 1
            text += pdb_line(serial, a)
            if ends and (k + 1 == len(polymer) or polymer[k + 1]["chain"] != a["chain"]):
                serial += 1
                text += f"TER   {serial:>5}      {a['kind']:>3} {a['chain']}{a['number']:>4}\n"
        for a in own:
            if a not in polymer:
                serial += 1
                text += pdb_line(serial, a)
        text += "ENDMDL\n" if len(models) > 1 else ""
    return text + "END\n"


def cif_text(atoms, sequences):
    """sequences: chain -> [(kind, number, code)] of the whole sequence, also of what is not observed."""
    kinds = {}
    for chain, sequence in sequences.items():
        kinds.setdefault(tuple(kind for kind, _, _ in sequence), []).append(chain)
    text = "data_TEST\n#\nloop_\n_entity.id\n_entity.type\n"
    entity_of = {}
    for entity, (_, chains) in enumerate(kinds.items(), 1):
        text += f"{entity} polymer\n"
        entity_of.update({chain: entity for chain in chains})
    other = len(kinds) + 1
    text += f"{other} non-polymer\n{other + 1} water\nloop_\n_entity_poly.entity_id\n_entity_poly.type\n"
    text += "".join(f"{e} 'polypeptide(L)'\n" for e in range(1, other))
    text += "loop_\n_entity_poly_seq.entity_id\n_entity_poly_seq.num\n_entity_poly_seq.mon_id\n"
    for entity, sequence in enumerate(kinds, 1):
        text += "".join(f"{entity} {k} {kind}\n" for k, kind in enumerate(sequence, 1))
    asym = {}  # (chain, entity) -> label

    def label(chain, entity):
        return asym.setdefault((chain, entity), "L" + str(len(asym)))
    rows = ""
    for serial, a in enumerate(atoms, 1):
        whole = [(n, c) for _, n, c in sequences.get(a["chain"], [])]
        polymer = (a["number"], a["code"]) in whole and a["kind"] not in ("HOH", "GOL", "ZN")
        entity = entity_of[a["chain"]] if polymer else other + (a["kind"] == "HOH")
        place = whole.index((a["number"], a["code"])) + 1 if polymer else "."
        x, y, z = a["place"]
        rows += (f"{a['record']} {serial} {a['element']} {a['name']} {a['alt'] or '.'} {a['kind']} {label(a['chain'], entity)} {entity} {place} "
                 f"{a['code'] or '?'} {x:.3f} {y:.3f} {z:.3f} {a['occupancy']:.2f} 20.00 {a['number']} {a['chain']} {a['model']}\n")
    text += "loop_\n_struct_asym.id\n_struct_asym.entity_id\n" + "".join(f"{name} {entity}\n" for (_, entity), name in asym.items())
    text += "loop_\n" + "".join(f"_atom_site.{column}\n" for column in (
        "group_PDB", "id", "type_symbol", "label_atom_id", "label_alt_id", "label_comp_id", "label_asym_id", "label_entity_id", "label_seq_id",
        "pdbx_PDB_ins_code", "Cartn_x", "Cartn_y", "Cartn_z", "occupancy", "B_iso_or_equiv", "auth_seq_id", "auth_asym_id",
        "pdbx_PDB_model_num"))
    return text + rows + "#\n"


def write(name, text):
    if name.endswith(".gz"):
        with gzip.open(name, "wt") as file:
            file.write(text)
    else:
        with open(name, "w") as file:
            file.write(text)


def residues_of(atoms, chain):
    """(number, code) -> (kind, {name: place}) of the first model: heavy atoms, of alternative locations the one of highest occupancy."""
    found = {}
    for a in atoms:
        if a["chain"] != chain or a["model"] != 1 or a["element"] in ("H", "D"):
            continue
        _, best = found.setdefault((a["number"], a["code"]), (a["kind"], {}))
        rank = (-a["occupancy"], a["alt"])
        if a["name"] not in best or rank < best[a["name"]][0]:
            best[a["name"]] = (rank, a["place"])
    return {key: (kind, {name: place for name, (_, place) in best.items()}) for key, (kind, best) in found.items()}


def parse_pdb(path):
    """Atoms of the polymers of a PDB file, those of each chain up to its TER."""
    with (gzip.open(path, "rt") if path.endswith(".gz") else open(path)) as file:
        lines = file.read().splitlines()
    atoms, ended, chain = [], set(), ""
    for line in lines:
        if line[:3] == "TER":
            ended.add(chain)  # of the atom before: files made by hand name another chain
        if line[:6] in ("ATOM  ", "HETATM") and line[21] not in ended:
            chain = line[21]
            atoms.append({"record": line[:6].strip(), "name": line[12:16].strip(), "alt": line[16].strip(), "kind": line[17:20].strip(),
                          "chain": line[21], "number": int(line[22:26]), "code": line[26].strip(),
                          "place": (float(line[30:38]), float(line[38:46]), float(line[46:54])), "occupancy": float(line[54:60]),
                          "element": line[76:78].strip(), "model": 1})
    return atoms


def points(residue, choice):
    kind, places = residue
    if choice == "heavy":
        return list(places.values())
    name = "CA" if choice == "ca" or kind == "GLY" else "CB"
    return [places[name]] if name in places else []


def smallest(one, other, choice):
    """Between two residues; None where one has no such atom."""
    distances = [math.dist(a, b) for a in points(one, choice) for b in points(other, choice)]
    return min(distances, default=None)


def site_distances(copies, choice, between):
    """copies: for each chain a list of residues, None where there is none; {(i, j): distance}, sites from 1. between: also of two chains."""
    found = {}
    for a, one in enumerate(copies):
        for b, other in enumerate(copies):
            if a != b and not between(a, b):
                continue
            for i, first in enumerate(one, 1):
                for j, second in enumerate(other, 1):
                    if i < j and first and second:
                        d = smallest(first, second, choice)
                        if d is not None and d < found.get((i, j), math.inf):
                            found[i, j] = d
    return found
