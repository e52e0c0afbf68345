#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Distances in real structures against a plain parser of PDB files, and contacts with them. The environment variable ATP_SHARED_DATA names
the folder with structuredca (default: ../shared/data beside the tree)."""
import gzip
import os
import pathlib
import unittest

from program import Case, features, main, read_table, run, slow
from structure_files import LETTERS, parse_pdb, residues_of, site_distances
from test_structures import distances_in

DATA = os.path.join(os.environ.get("ATP_SHARED_DATA") or str(pathlib.Path(__file__).resolve().parents[2].parent / "shared/data"), "structuredca")


def first_sequence(path):
    with (gzip.open(path, "rt") if path.endswith(".gz") else open(path)) as file:
        return "".join(file.read().split(">")[1].split("\n")[1:])


def in_order(atoms, chain):
    return list(residues_of(atoms, chain).values())


@unittest.skipUnless(features()["structures"], "this build reads no structures")
@unittest.skipUnless(os.path.isdir(DATA), f"{DATA} is not there")
class RealStructures(Case):
    def file(self, name):
        return os.path.join(DATA, name)

    def compare(self, copies, structure, between, *flags):
        for choice in "heavy", "cb", "ca":
            expected = site_distances(copies, choice, between)
            done = self.good("distances", *flags, "--alphabet", "protein", "--structure", structure, "--atoms", choice, "-o", "out.txt", "--unknown", "gap")
            found = distances_in("out.txt")
            self.assertEqual(set(found), set(expected))
            worst = max(abs(found[p][0] - d) for p, d in expected.items())
            self.assertLess(worst, 1e-6, choice)
        return done.stderr

    def test_6acv(self):
        structure = self.file("6acv_A_29-94.pdb.gz")
        residues = in_order(parse_pdb(structure), "A")
        self.assertEqual("".join(LETTERS[kind] for kind, _ in residues), first_sequence(self.file("6acv_A_29-94.fasta")))
        text = self.compare([residues], structure, lambda a, b: False, self.file("6acv_A_29-94.fasta"))
        self.assertIn("66 of 66 sites resolved", text)

    def test_beta_lactamases(self):
        """NDM1 is not in the alignment: its sequence comes from a file of its own. Four residues of the structure have no column."""
        structure, sequence = self.file("3spu.pdb.gz"), self.file("NDM1_trimmed_ungapped.fasta")
        residues = in_order(parse_pdb(structure), "A")
        letters = "".join(LETTERS[kind] for kind, _ in residues)
        cut = first_sequence(sequence).index("VEPAFGPL") + 4
        row = []
        for part in first_sequence(sequence)[:cut], first_sequence(sequence)[cut:]:
            at = letters.find(part)
            self.assertGreaterEqual(at, 0)
            row += residues[at:at + len(part)]
        copies = [row]
        text = self.compare(copies, structure, lambda a, b: False, self.file("B1-beta-lactamases_msa.fasta.gz"), "--sequence", sequence)
        self.assertIn(f"{len(copies[0])} of {len(copies[0])} sites resolved", text)

    @slow
    def test_pare_pard(self):
        """ParD3 is 93 residues, ParE3 follows; the numbers in the structure are those of each protein."""
        structure, border = self.file("5ceg_8mer.pdb.gz"), 93
        atoms = parse_pdb(structure)
        whole = first_sequence(self.file("cMSA_ParE-ParD.a3m.gz"))
        copies = []
        for k, chain in enumerate("ACEGBDFH"):
            found, shift = residues_of(atoms, chain), 0 if k < 4 else border
            row = [None] * len(whole)
            for (number, _), residue in found.items():
                self.assertEqual(whole[number - 1 + shift], LETTERS[residue[0]])
                row[number - 1 + shift] = residue
            copies.append(row)
        for flags in [], ["--chains", "A,B"], ["--chains", "C,D"]:
            self.compare(copies, structure, lambda a, b: a // 4 != b // 4, self.file("cMSA_ParE-ParD.a3m.gz"), "--paired", border, *flags)
        # The end of ParD3 is not resolved; the numbers of ParE3 tell the border.
        done = run("distances", self.file("cMSA_ParE-ParD.a3m.gz"), "--alphabet", "protein", "--structure", structure, "--chains", "A,B", "-o", "found.txt")
        self.assertIn(f"the sites up to {border} are those of chain A", done.stderr)
        # As a homo-oligomer: the toxin alone, within and between its copies.
        toxin = [row[border:] for row in copies[4:]]
        with open("toxin.fasta", "w") as file:
            file.write(f">ParE3\n{whole[border:]}\n")
        self.compare(toxin, structure, lambda a, b: True, "toxin.fasta", "--copies", "inter")
        self.compare(toxin, structure, lambda a, b: False, "toxin.fasta")

    def test_contacts(self):
        """A short training on 6acv: distances and precision are those of the parser; the structure of another protein is refused."""
        flags = [self.file("6acv_A_29-94.fasta"), "--alphabet", "protein", "--theta", 0.2, "--min-separation", 6, "--epochs", 20]
        structure = self.file("6acv_A_29-94.pdb.gz")
        expected = site_distances([in_order(parse_pdb(structure), "A")], "heavy", lambda a, b: False)
        done = run("contacts", *flags, "--structure", structure)
        pairs = [(int(r["i"]), int(r["j"])) for r in read_table(done.stdout)[2]]
        for r, pair in zip(read_table(done.stdout)[2], pairs):
            self.assertAlmostEqual(float(r["distance"]), expected[pair], delta=1e-6)
        hits = [expected[pair] < 8 for pair in pairs]
        self.assertIn(f"P@L/5 (13) {sum(hits[:13]) / 13:.4f}, P@L/2 (33) {sum(hits[:33]) / 33:.4f}, P@L (66) {sum(hits[:66]) / 66:.4f}", done.stderr)
        self.wrong(2, ["chain A", "per cent", "--force-structure"], "contacts", *flags, "--unknown", "gap", "--structure", self.file("3spu.pdb.gz"), "--quiet")


if __name__ == "__main__":
    main()
