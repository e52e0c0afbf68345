#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How structures are read: fields that are no numbers, mmCIF without optional columns, names of force fields, text forms, limits, Ctrl-C."""
import gzip
import math
import os
import random
import re
import signal
import time
import unittest
import zlib

from program import SANITIZED, Case, children_seconds, features, main, start
from structure_files import KINDS, atom, cif_text, pdb_text, write
from test_structures import WHOLE, distances_in, fasta

# Places of WHOLE, and what force fields call the residues there.
AMBER = {1: "CYX", 2: "ASH", 3: "GLH", 6: "HIE", 8: "LYN"}
GROMACS = {0: "NALA", 1: "CYSH", 2: "ASPH", 3: "GLUH", 6: "HISE", 8: "LYSH", 19: "CGLN"}
RNA = "GCAUCGAUGCAGCUCCGAUG"
NUCLEOTIDES = {
    "AMBER before 2014": ["R" + c + ("5" if k == 0 else "3" if k == 19 else "") for k, c in enumerate(RNA)],
    "AMBER": [c + ("5" if k == 0 else "3" if k == 19 else "") for k, c in enumerate(RNA)],
    "AMBER, DNA": ["D" + c.replace("U", "T") + ("5" if k == 0 else "3" if k == 19 else "") for k, c in enumerate(RNA)],
    "CHARMM": [{"A": "ADE", "C": "CYT", "G": "GUA", "U": "URA"}[c] for c in RNA],
    "X-PLOR, DNA": [{"A": "ADE", "C": "CYT", "G": "GUA", "U": "THY"}[c] for c in RNA],
}


def backbone(sequence=WHOLE, chain="A"):
    """Atoms of a chain with a bend, so that distances differ."""
    draw = random.Random(5)
    atoms = []
    for k, letter in enumerate(sequence):
        for name, (x, y, z) in {"N": (-1.2, 0, 0), "CA": (0, 0.4, 0), "C": (1.2, 0, 0), "O": (1.2, 1.2, 0), "HA": (2.0, 0, 0)}.items():
            atoms.append(atom(name, KINDS[letter], chain, k + 1, (3.8 * k + x, y, z + (k % 7) / 2), element=name[0]))
        if letter != "G":
            atoms.append(atom("CB", KINDS[letter], chain, k + 1, (3.8 * k, draw.uniform(1, 2), draw.uniform(-2, 2))))
    return atoms


def nucleotides():
    return [atom(name, c, "R", k + 1, (6 * k + x, y, (k % 5) / 3)) for k, c in enumerate(RNA) for name, x, y in (("P", 0, 0), ("C1'", 2, 3), ("O3'", 4.6, 0))]


def nearest(atoms, hydrogen=False):
    """The smallest distances of heavy atoms; {(i, j): distance}."""
    of = {}
    for a in atoms:
        if hydrogen or a["name"][0] != "H":
            of.setdefault(a["number"], []).append(a["place"])
    return {(i, j): min(math.dist(p, q) for p in of[i] for q in of[j]) for i in of for j in of if i < j}


def without_columns(text, names, rename=None):
    """mmCIF without some columns of the table of atoms, or with others' names."""
    head, table = text.split("loop_\n_atom_site.", 1)
    lines = ("_atom_site." + table).splitlines()
    columns = [line for line in lines if line.startswith("_atom_site.")]
    kept = [k for k, c in enumerate(columns) if c.split(".")[1] not in names]
    rows = [line.split() for line in lines if line[:4] in ("ATOM", "HETA")]
    tags = [(rename or {}).get(columns[k].split(".")[1], columns[k].split(".")[1]) for k in kept]
    return head + "loop_\n" + "".join(f"_atom_site.{tag}\n" for tag in tags) + "".join(" ".join(row[k] for k in kept) + "\n" for row in rows) + "#\n"


def field(text, line, first, value):
    """PDB with another text in a line, from a column (from 1) on."""
    lines = text.splitlines()
    lines[line - 1] = lines[line - 1][:first - 1] + value + lines[line - 1][first - 1 + len(value):]
    return "\n".join(lines) + "\n"


@unittest.skipUnless(features()["structures"], "this build reads no structures")
class StructureInput(Case):
    @classmethod
    def make_inputs(cls):
        fasta("family.fasta", WHOLE)
        with open("rna.fasta", "w") as file:
            file.write(f">a\n{RNA}\n>b\n{RNA[::-1]}\n")
        cls.atoms = backbone()
        cls.pdb = pdb_text(cls.atoms)
        cls.cif = cif_text(cls.atoms, {"A": [(KINDS[c], k + 1, "") for k, c in enumerate(WHOLE)]})
        cls.expected = nearest(cls.atoms)
        assert len(cls.expected) == 190 and cls.expected != nearest(cls.atoms, hydrogen=True)

    def same(self, name, text, expected=None, data="family.fasta", alphabet="protein", flags=()):
        if isinstance(text, bytes):
            with open(name, "wb") as file:
                file.write(text)
        else:
            write(name, text)
        done = self.good("distances", data, "--alphabet", alphabet, "--structure", name, *flags, "-o", "out.txt")
        found = {pair: d for pair, (d, _) in distances_in("out.txt").items()}
        expected = expected or self.expected
        self.assertEqual(set(found), set(expected), name)
        for pair, d in expected.items():
            self.assertAlmostEqual(found[pair], d, delta=1e-6, msg=f"{name} {pair}")
        self.assertIn("20 of 20 aligned are identical", done.stderr, name)

    def refused(self, name, text, *fragments, flags=()):
        write(name, text)
        with open("kept.txt", "w") as file:
            file.write("before\n")
        self.wrong(2, ["--structure", name, *fragments], "distances", "family.fasta", "--alphabet", "protein", "--structure", name, *flags, "-o", "kept.txt",
                   "--quiet")
        with open("kept.txt") as file:
            self.assertEqual(file.read(), "before\n")

    def test_fields_of_pdb(self):
        """Each field is a number to its end, or the line is refused with what stands there."""
        self.same("plain.pdb", self.pdb)
        for first, what in (31, "x"), (39, "y"), (47, "z"):
            for value in "********", "        ", "     abc", "  1.2 34", "   1,234", "     nan", "     inf", "   1e300", "0x1p3   ", " 1.234.5":
                self.refused("bad.pdb", field(self.pdb, 21, first, value), "line 21:", f"{what} (columns {first} to {first + 7})", f'"{value.strip()}"')
        for first, values, what in ((55, ("******", " abc  ", "1.0 20"), "occupancy"), (61, ("******", " abc  "), "B factor"),
                                    (23, ("****", "    ", " 1 2", "12.5", "A 12", "A-12"), "residue's number"), (28, ("  1", "1  "), "gap before x"),
                                    (27, ("*",), "insertion code")):
            for value in values:
                self.refused("bad.pdb", field(self.pdb, 21, first, value), what, f'"{value.strip()}"')
        shifted = "".join(line[:26] + " " + line[26:] for line in self.pdb.splitlines(True))
        self.refused("shifted.pdb", shifted, "line 1:", "y (columns 39 to 46)")
        self.refused("left.pdb", "".join(line[:27] + line[28:] if line[:4] == "ATOM" else line for line in pdb_text(
            [{**a, "place": (a["place"][0] - 2000, 0, 0)} for a in self.atoms]).splitlines(True)), "line 1:", "gap before x")
        self.refused("short.pdb", "\n".join(line[:50] for line in self.pdb.splitlines()), "line 1:", "50 columns")
        # What is right stays so: blank occupancies and B factors, none at all, hybrid-36, lines after END.
        for name, change in [("blank.pdb", lambda line: line[:54] + " " * 12 + line[66:]), ("cut.pdb", lambda line: line[:54] + "\n"),
                             ("hybrid.pdb", lambda line: line[:22] + f"A{int(line[22:26]):03d}" + line[26:])]:
            self.same(name, "".join(change(line) if line[:4] == "ATOM" else line for line in self.pdb.splitlines(True)))
        last = "".join(line[:54] + "\n" for line in self.pdb.splitlines() if line[:4] == "ATOM").rstrip("\n")
        self.assertEqual(len(last.splitlines()[-1]), 54)
        self.same("last.pdb", last)
        self.same("end.pdb", self.pdb + field(self.pdb, 21, 31, "********"))

    def test_blank_occupancy_counts_as_one(self):
        """Of two locations the one of occupancy 1 counts, not the one of 0.4 that stands first."""
        near = [{**a, "alt": "A", "occupancy": 0.4, "place": (a["place"][0], a["place"][1] + 30, a["place"][2])} for a in self.atoms if a["name"] == "CB"]
        text = pdb_text([a for b in self.atoms for a in ([near.pop(0)] if b["name"] == "CB" else []) + [{**b, "alt": "B"} if b["name"] == "CB" else b]])
        self.same("alt.pdb", "".join(line[:54] + "      " + line[60:] if line[16:17] == "B" else line for line in text.splitlines(True)))

    def test_fields_of_mmcif(self):
        rows = self.cif.splitlines()
        place = next(k for k, line in enumerate(rows) if line.startswith("ATOM 21 "))

        def changed(column, value):
            words = rows[place].split()
            words[column] = value
            return "\n".join([*rows[:place], " ".join(words), *rows[place + 1:]]) + "\n"
        for column, name, values in [(10, "Cartn_x", ("1e300", "abc", "?", ".", "1.2.3", "nan", "inf", "0x10")), (12, "Cartn_z", ("-1e7",)),
                                     (13, "occupancy", ("abc", "inf")), (14, "B_iso_or_equiv", ("x",)), (8, "label_seq_id", ("1.5", "99999999999")),
                                     (15, "auth_seq_id", ("x1", "12345678901"))]:
            for value in values:
                self.refused("bad.cif", changed(column, value), "atom 21 (", name, f'"{value}"')
        self.refused("bad.cif", changed(9, "*"), "insertion code")
        other = changed(10, "1e300").replace("_atom_site.group_PDB", "_other.group")
        self.refused("bad.cif", other, "atom 21 (", "Cartn_x")
        for column in "Cartn_x", "Cartn_y", "Cartn_z":
            self.refused("bad.cif", without_columns(self.cif, {column}), f"no column {column}")
        self.refused("bad.cif", without_columns(self.cif, {"label_comp_id"}), "label_comp_id", "auth_comp_id")
        self.refused("bad.cif", without_columns(self.cif, {"label_seq_id", "auth_seq_id"}), "label_seq_id", "auth_seq_id")

    def test_mmcif_without_optional_columns(self):
        self.same("plain.cif", self.cif)
        for names in [{"occupancy"}, {"B_iso_or_equiv"}, {"auth_seq_id"}, {"auth_asym_id"}, {"label_alt_id"}, {"label_asym_id"}, {"id"}, {"type_symbol"},
                      {"group_PDB"}, {"pdbx_PDB_model_num"}, {"label_entity_id"}, {"label_seq_id"}, {"pdbx_PDB_ins_code"},
                      {"label_asym_id", "label_entity_id", "label_seq_id", "label_alt_id", "occupancy", "B_iso_or_equiv", "id", "type_symbol", "group_PDB"},
                      {"auth_seq_id", "auth_asym_id", "occupancy", "B_iso_or_equiv", "pdbx_PDB_model_num"}]:
            for choice in "heavy", "ca":
                alpha = {(i, j): d for (i, j), d in nearest([a for a in self.atoms if a["name"] == "CA"]).items()}
                self.same("less.cif", without_columns(self.cif, names), self.expected if choice == "heavy" else alpha, flags=["--atoms", choice])
        # Columns without values are as good as missing ones.
        for rename in {"label_atom_id": "auth_atom_id", "label_comp_id": "auth_comp_id"}, {"label_comp_id": "auth_comp_id"}:
            self.same("auth.cif", without_columns(self.cif, set(), rename))
        for column in 2, 13, 14, 15, 16:
            text = "\n".join(" ".join("?" if k == column else w for k, w in enumerate(line.split())) if line[:4] == "ATOM" else line for line in self.cif.splitlines())
            self.same("unknown.cif", text + "\n")

    def test_names_of_force_fields(self):
        for name, kinds in ("AMBER", AMBER), ("CHARMM", {1: "CYM", 6: "HSD", 8: "LSN"}), ("CHARMM", {6: "HSP"}), ("CHARMM", {6: "HSE"}), \
                ("AMBER", {6: "HIP"}), ("AMBER", {6: "HID"}):
            for record in "ATOM", "HETATM":
                atoms = [{**a, "kind": kinds[a["number"] - 1], "record": record} if a["number"] - 1 in kinds else a for a in self.atoms]
                lines = "".join(pdb_text([a]).splitlines(True)[0] for a in atoms)
                self.same(name + ".pdb", lines)
                whole = [(kinds.get(k, KINDS[c]), k + 1, "") for k, c in enumerate(WHOLE)]
                self.same(name + ".cif", cif_text(atoms, {"A": whole}))
        lines = [pdb_text([a]).splitlines(True)[0] for a in self.atoms]
        long = "".join(line[:17] + GROMACS.get(int(line[22:26]) - 1, line[17:20] + " ") + line[21:] for line in lines)
        self.assertIn("HISEA", long)
        self.same("GROMACS.pdb", long)
        # Column 21 is the first letter of a chain's name where it has one in other lines.
        self.same("two_letters.pdb", "".join(line[:20] + "E" + line[21:] for line in lines), flags=["--chains", "EA"])
        base = nucleotides()
        expected = nearest(base)
        for kinds in list(RNA), *NUCLEOTIDES.values():
            text = "".join(pdb_text([{**a, "kind": kinds[a["number"] - 1]}]).splitlines(True)[0] for a in base)
            self.same("rna.pdb", text, expected, "rna.fasta", "rna")
        # A ligand with the name of a force field's residue is none.
        ligand = "".join(pdb_text([atom("C1", "S1P", "A", 900, (0, 1, 1), record="HETATM")]).splitlines(True)[:1])
        self.same("ligand.pdb", "".join(lines) + ligand)

    def test_hydrogen_without_elements(self):
        """Names that begin in column 13 and no elements: CA is no calcium, HA no heavy atom."""
        self.same("left.pdb", "".join(line[:12] + f"{line[12:16].strip():<4}" + line[16:66] + "\n" if line[:4] == "ATOM" else line for line in self.pdb.splitlines(True)))
        alpha = nearest([a for a in self.atoms if a["name"] == "CA"])
        with open("left.pdb") as file:
            self.same("left.pdb", file.read(), alpha, flags=["--atoms", "ca"])

    def test_text_forms(self):
        for end, text in (".pdb", self.pdb), (".cif", self.cif):
            mac, windows = text.replace("\n", "\r"), text.replace("\n", "\r\n")
            for name, other in [("bom", "\ufeff" + text), ("cr", mac), ("crlf", windows), ("all", "\ufeff" + mac)]:
                self.same(name + end, other.encode())
                self.same(name + end + ".gz", gzip.compress(other.encode()))
        self.same("two.pdb.gz", gzip.compress(self.pdb[:700].encode()) + gzip.compress(self.pdb[700:].encode()))
        for name, text in ("x.json", '{"data_X": 1}'), ("y.json", '  {"data_X": {"atom_site": {"id": 1}}}'), ("z.json", "{"):
            self.refused(name, text, "JSON")
        with open("zero.cif.gz", "wb") as file:
            file.write(gzip.compress(self.cif.encode()[:300] + b"\0" + self.cif.encode()[300:]))
        self.wrong(2, ["zero.cif.gz", "byte 300"], "distances", "family.fasta", "--alphabet", "protein", "--structure", "zero.cif.gz", "--quiet")

    def test_limits(self):
        """The option max-unpacked and --memory hold before memory is requested."""
        pack = zlib.compressobj(9, zlib.DEFLATED, 31)
        with open("bomb.cif.gz", "wb") as file:
            file.write(pack.compress(self.cif.encode()))
            for _ in range(300):
                file.write(pack.compress(b"\n" * (1 << 20)))
            file.write(pack.flush())
        command = ["family.fasta", "--alphabet", "protein", "--quiet", "--structure"]
        for subcommand in "distances", "contacts":
            self.wrong(2, ["bomb.cif.gz", "10 MB", "--set max-unpacked"], subcommand, *command, "bomb.cif.gz", "--set", "max-unpacked=1e7")
            self.wrong(2, ["bomb.cif.gz", "MB", "--memory"], subcommand, *command, "bomb.cif.gz", "--memory", "200M")
        self.wrong(2, ["bomb.cif.gz", "--set max-unpacked"], "learn", "family.fasta", "--alphabet", "protein", "--quiet", "--family", "dense",
                   "--pairs-from", "bomb.cif.gz", "-o", "m.h5", "--set", "max-unpacked=1e7")
        many = "".join(pdb_text([{**a, "number": a["number"] % 9999}]).splitlines(True)[0] for _ in range(200) for a in self.atoms)
        write("many.pdb", many)
        self.wrong(2, ["many.pdb", "to be read", "--memory"], "distances", *command, "many.pdb", "--memory", "8M")
        fasta("long.fasta", WHOLE * 100, 2)
        self.wrong(2, ["2000 sites", "--memory"], "distances", "long.fasta", "--alphabet", "protein", "--quiet", "--structure", "plain.pdb", "--memory", "40M")

    @unittest.skipIf(SANITIZED, "times of the real program")
    def test_many_atoms_of_a_residue(self):
        """Reading is linear in them: 60000 atoms with names of their own were 1.8e9 comparisons."""
        names = [a + b + c for a in "CNOS" for b in "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789" for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"]
        rows = "".join(f"ATOM {k} C {names[k % len(names)]}{k // len(names)} . GLN L0 1 20 ? {k % 97}.5 1.0 {k % 89}.0 1 9 20 A 1\n" for k in range(60000))
        write("one.cif", self.cif.rstrip("#\n") + "\n" + rows)
        begin = children_seconds()
        self.good("distances", "family.fasta", "--alphabet", "protein", "--structure", "one.cif", "--quiet", "-o", "out.txt")
        self.assertLess(children_seconds() - begin, 10)

    def test_interrupted(self):
        """A signal ends the program while a structure is read and while distances are measured, with status 130."""
        rows = "".join(f"ATOM {k} C CA . {KINDS[WHOLE[k % 20]]} A 1 {k} ? {k % 97}.5 1.0 {k % 89}.0 1 9 {k} A 1\n" for k in range(1, 150001))
        write("huge.cif", self.cif.split("ATOM", 1)[0] + rows)
        for command in ["distances", "family.fasta", "-o", "never.txt"], ["contacts", "family.fasta", "--csv", "never.txt"]:
            process = start(*command, "--alphabet", "protein", "--structure", "huge.cif", "--force-structure")
            time.sleep(1)
            process.send_signal(signal.SIGINT)
            _, messages = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 130, messages)
            self.assertTrue(re.search(r"interrupted while (reading|measuring) huge.cif", messages), messages)
            self.assertFalse(os.path.exists("never.txt"))


if __name__ == "__main__":
    main()
