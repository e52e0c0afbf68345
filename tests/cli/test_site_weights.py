#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mutants --rsa and --site-weights: accessible areas against closed forms, other points on the spheres and freesasa; scores with weights
against scores without; --preset mutations; penalties chosen for a list of pairs."""
import csv
import io
import math
import os
import pathlib
import random
import shutil
import subprocess
import unittest

from program import Case, features, main, must
from structure_files import KINDS, atom, parse_pdb, pdb_text, write
from tables import differences

SHARED = pathlib.Path(os.environ.get("ATP_SHARED_DATA", "/nonexistent")) / "structuredca"
WILD = "MKTAYIAGQRQ"
# M. Z. Tien et al., PLoS ONE 8, e80635 (2013), table 1, theoretical.
LARGEST = {"A": 129, "R": 274, "N": 195, "D": 193, "C": 167, "Q": 225, "E": 223, "G": 104, "H": 224, "I": 197, "L": 201, "K": 236, "M": 224,
           "F": 240, "P": 159, "S": 155, "T": 172, "W": 285, "Y": 263, "V": 174}
RADII = {"N": 1.65, "CA": 1.87, "C": 1.76, "O": 1.4, "OXT": 1.4}


def rows_of(text):
    return list(csv.DictReader(io.StringIO("".join(line + "\n" for line in text.splitlines() if not line.startswith("#")))))


def chain_of(name, shift, generator):
    """A loose spiral of residues with five atoms each; glycine has no C-beta."""
    atoms = []
    for k, letter in enumerate(WILD):
        x, y, z = shift[0] + 2.3 * math.cos(1.7 * k), shift[1] + 2.3 * math.sin(1.7 * k), shift[2] + 1.5 * k
        for label, step in (("N", -1.2), ("CA", 0), ("C", 1.2), ("O", 2.1), ("CB", 1.5)):
            if label == "CB" and letter == "G":
                continue
            place = [c + step * generator.uniform(-1, 1) for c in (x, y, z)]
            atoms.append(atom(label, KINDS[letter], name, k + 1, place))
    return atoms


def areas(atoms, points=4000):
    """By residue, with random points: {(chain, number): area}."""
    generator, found = random.Random(5), {}
    spheres = [(a["place"], RADII.get(a["name"], 1.8) + 1.4) for a in atoms]
    directions = []
    while len(directions) < points:
        v = [generator.gauss(0, 1) for _ in range(3)]
        n = math.hypot(*v)
        directions.append([x / n for x in v])
    for k, (a, (centre, r)) in enumerate(zip(atoms, spheres)):
        near = [s for m, s in enumerate(spheres) if m != k and math.dist(s[0], centre) < s[1] + r]
        free = sum(all(math.dist([c + r * d for c, d in zip(centre, way)], other) >= radius for other, radius in near) for way in directions)
        key = a["chain"], a["number"]
        found[key] = found.get(key, 0) + 4 * math.pi * r * r * free / points
    return found


class Areas(Case):
    @classmethod
    def make_inputs(cls):
        generator = random.Random(3)
        text = f">wild\n{WILD}\n"
        for n in range(80):
            letters = [generator.choice("ACDEFGHIKLMNPQRSTVWY") if generator.random() < 0.4 else a for a in WILD]
            text += f">s{n}\n{''.join(letters)}\n"
        write("family.fasta", text)
        must("learn", "family.fasta", "-o", "m.h5", "--alphabet", "protein", "--family", "dense", "--gaps", "ignore", "--l2-couplings", 2,
             "--l2-fields", 1, "--quiet")
        cls.atoms = chain_of("A", (0, 0, 0), generator) + chain_of("B", (5, 2, 1), generator)
        write("two.pdb", pdb_text(cls.atoms))

    def setUp(self):
        if not features()["structures"]:
            self.skipTest("this build reads no structures")

    def accessibility(self, structure, *flags):
        self.good("mutants", "m.h5", "family.fasta", "--structure", structure, "--accessibility", "a.csv", *flags, "--quiet")
        with open("a.csv") as file:
            return rows_of(file.read())

    def test_complex_and_chain(self):
        rows = self.accessibility("two.pdb", "--chains", "B")
        self.assertEqual(differences("mutants --accessibility", list(rows[0])), [])
        both, alone = areas(self.atoms), areas([a for a in self.atoms if a["chain"] == "B"])
        self.assertGreater(sum(abs(both["B", k + 1] - alone["B", k + 1]) for k in range(len(WILD))), 50)
        for k, (row, letter) in enumerate(zip(rows, WILD)):
            for column, wanted in (("area", both), ("area_chain", alone)):
                # 960 points and 4000 random ones: the error of an atom is about 1 per cent of its sphere, some 130 square Angstrom.
                self.assertAlmostEqual(float(row[column]), wanted["B", k + 1], delta=8, msg=f"{column} of site {k}")
            self.assertAlmostEqual(float(row["rsa"]), float(row["area"]) / LARGEST[letter], delta=1e-8)
            self.assertAlmostEqual(float(row["weight"]), 1 - min(1, float(row["rsa"])), delta=1e-8)

    def test_closed_forms(self):
        """C-alphas alone: a sphere, and spheres without the caps that neighbours cut off."""
        radius, apart = 1.87 + 1.4, 3.8
        write("line.pdb", pdb_text([atom("CA", KINDS[letter], "A", k + 1, (apart * k, 0, 0)) for k, letter in enumerate(WILD)]))
        rows = self.accessibility("line.pdb")
        cap = 2 * math.pi * radius * (radius - apart / 2)
        for k, row in enumerate(rows):
            caps = 1 if k in (0, len(WILD) - 1) else 2
            self.assertAlmostEqual(float(row["area"]), 4 * math.pi * radius * radius - caps * cap, delta=1.4)  # one per cent of the sphere

    def test_uncertain_residues(self):
        """--min-plddt leaves out residues by the B-factor; they have the mean weight."""
        lines = pdb_text([a for a in self.atoms if a["chain"] == "A"]).splitlines(True)
        write("sure.pdb", "".join(line[:60] + f"{30 if line[22:26].strip() in ('3', '4') else 90:6.2f}" + line[66:] if line[:4] == "ATOM" else line
                                  for line in lines))
        rows = self.accessibility("sure.pdb", "--min-plddt", 70)
        known = [float(r["weight"]) for k, r in enumerate(rows) if k not in (2, 3)]
        for k, row in enumerate(rows):
            self.assertEqual(row["rsa"] == "", k in (2, 3))
            if k in (2, 3):
                self.assertAlmostEqual(float(row["weight"]), sum(known) / len(known), delta=1e-8)

    @unittest.skipUnless(shutil.which("freesasa"), "freesasa is not installed")
    def test_freesasa(self):
        """The same radii, in the column of occupancies."""
        inputs = ["two.pdb"]
        if SHARED.exists():
            write("real.pdb", pdb_text([a for a in parse_pdb(str(SHARED / "6acv_A_29-94.pdb.gz")) if a["element"] != "H"]))
            must("learn", SHARED / "6acv_A_29-94.fasta", "-o", "real.h5", "--alphabet", "protein", "--family", "dense", "--gaps", "ignore",
                 "--tolerance", 0.5, "--quiet")
            inputs.append("real.pdb")
        for name in inputs:
            with open(name) as file:
                lines = [line[:54] + f"{RADII.get(line[12:16].strip(), 1.8):6.2f}" + line[60:] if line[:4] == "ATOM" else line for line in file]
            write("radii.pdb", "".join(lines))
            done = subprocess.run(["freesasa", "--shrake-rupley", "--resolution=2000", "--radius-from-occupancy", "--format=seq", "radii.pdb"],
                                  capture_output=True, text=True, check=True)
            theirs = {(words[1], int(words[2])): float(words[5]) for words in map(str.split, done.stdout.splitlines()) if words[:1] == ["SEQ"]}
            data = ["m.h5", "family.fasta"] if name == "two.pdb" else ["real.h5", SHARED / "6acv_A_29-94.fasta"]
            self.good("mutants", *data, "--structure", name, "--accessibility", "a.csv", "--chains", "A", "--quiet")
            with open("a.csv") as file:
                rows = rows_of(file.read())
            self.assertEqual(len(rows), sum(chain == "A" for chain, _ in theirs))
            for row in rows:
                wanted = theirs["A", int(row["number"])]
                self.assertAlmostEqual(float(row["area"]), wanted, delta=0.02 * wanted + 2)


class Weights(Areas):
    test_complex_and_chain = test_closed_forms = test_uncertain_residues = test_freesasa = None

    def scores(self, *flags):
        return rows_of(self.good("mutants", "m.h5", "family.fasta", *flags, "--quiet").stdout)

    def test_tables_of_weights(self):
        plain = self.scores()
        write("half.csv", "number,half\n" + "".join(f"{k + 1},0.5\n" for k in range(len(WILD))))
        write("some.csv", "site,weight\n2,0.25\n5,0\n")
        half, some = self.scores("--site-weights", "half.csv", "--weight-column", "half"), self.scores("--site-weights", "some.csv")
        weights = {1: 0.25, 4: 0}
        for before, after, other in zip(plain, half, some):
            for column in ("energy", "independent"):
                self.assertAlmostEqual(float(after[column]), float(before[column]) / 2, delta=1e-9)
            weight = weights.get(int(before["site"]), 1)
            self.assertAlmostEqual(float(other["independent"]), weight * float(before["independent"]), delta=1e-9)
        self.assertNotEqual([r["energy"] for r in some], [r["energy"] for r in plain])

    def test_accessibility_is_a_table_of_weights(self):
        """Also of listed and double mutants, whose energies add up with half the sum of both weights in between."""
        write("list.txt", "K2A\nK2A/Y5W\n")
        scores = {"energy", "log_pseudolikelihood", "independent", "epistasis"}
        for flags in ([], ["--mutations", "list.txt"], ["--doubles", "--top", 20]):
            by_structure = self.scores("--structure", "two.pdb", "--chains", "A", "--rsa", "--accessibility", "a.csv", *flags)
            for row, same in zip(self.scores("--site-weights", "a.csv", *flags), by_structure, strict=True):
                self.assertEqual({k: v for k, v in row.items() if k not in scores}, {k: v for k, v in same.items() if k not in scores})
                for column in scores & set(row):  # weights are written with ten digits
                    self.assertAlmostEqual(float(row[column]), float(same[column]), delta=1e-8)
            self.assertNotEqual(self.scores("--structure", "two.pdb", "--chains", "A", "--rsa", "--surface", "chain", *flags), by_structure)
            self.assertEqual(self.scores("--structure", "two.pdb", "--accessibility", "b.csv", *flags), self.scores(*flags))

    def test_preset(self):
        done = self.good("learn", "family.fasta", "-o", "p.h5", "--preset", "mutations", "--pairs-from", "two.pdb", "--chains", "A", "--path",
                         "path.csv", "--set", "folds=2", "--set", "fold-distance=0")
        for text in ("preset mutations: --family dense", "--weight-rule residues --gaps ignore --l2-couplings auto --l2-fields 1", "--atoms side-chain",
                     "selection-rule=minimum", "chosen by the data: l2-couplings"):
            self.assertIn(text, done.stderr)
        self.assertNotIn("criterion", done.stderr)
        with open("path.csv") as file:
            path = rows_of(file.read())
        best = min(path, key=lambda r: float(r["heldout_loss"]))
        self.assertEqual((best["chosen"], best["l2_fields"]), ("1", "1"))
        done = self.good("contacts", "family.fasta", "--alphabet", "protein", "--structure", "two.pdb", "--pairs-from", "two.pdb", "--cutoff", 6,
                         "--l2-couplings", "auto", "--set", "folds=2", "--set", "fold-distance=0", "--csv", "c.csv")
        self.assertRegex(done.stderr, r"couplings of \d+ of the 55 pairs of sites\nchosen by the data")
        done = self.good("mutants", "p.h5", "family.fasta", "--preset", "mutations", "--structure", "two.pdb", "--csv", "p.csv")
        self.assertIn("--weight-rule residues --rsa", done.stderr)
        with open("p.csv") as file:
            self.assertIn("# site weights: 1 - relative solvent accessibility in the complex in two.pdb", file.read())
        done = self.good("mutants", "p.h5", "family.fasta", "--preset", "mutations", "--csv", "p.csv")
        self.assertNotIn("rsa", done.stderr)

    def test_side_chains(self):
        """--atoms side-chain: C-beta, here the only atom of side chains, and C-alpha of glycine."""
        tables = []
        for atoms in ("side-chain", "cb"):
            self.good("distances", "family.fasta", "--alphabet", "protein", "--structure", "two.pdb", "--atoms", atoms, "-o", "d.txt", "--quiet")
            with open("d.txt") as file:
                tables.append([line for line in file if not line.startswith("#")])
        self.assertEqual(*tables)

    def test_refused(self):
        data = ["mutants", "m.h5", "family.fasta", "--quiet"]
        write("w.csv", "number,weight\n1,x\n")
        write("beyond.csv", "number,weight\n99,1\n")
        write("twice.csv", "number,weight\n1,1\n1,1\n")
        write("other.csv", "a,b\n1,1\n")
        write("none.csv", "number,weight\n")
        for flags, fragments in ((["--rsa"], ["--rsa", "with --structure"]), (["--structure", "two.pdb"], ["--rsa or --accessibility"]),
                                 (["--surface", "chain"], ["--surface", "with --rsa"]), (["--min-plddt", 50], ["with --structure"]),
                                 (["--structure", "two.pdb", "--rsa", "--site-weights", "beyond.csv"], ["only one of them"]),
                                 (["--site-weights", "w.csv"], ["line 2", '"x"']), (["--site-weights", "beyond.csv"], ["99", "does not have"]),
                                 (["--site-weights", "twice.csv"], ["line 3", "again"]), (["--site-weights", "other.csv"], ["a, b", "weight"]),
                                 (["--site-weights", "none.csv"], ["none.csv has no rows"]),
                                 (["--structure", "two.pdb", "--rsa", "--min-plddt", 99], ["two.pdb"])):
            self.wrong(2, fragments, *data, *flags)
        learn = ["learn", "family.fasta", "-o", "x.h5", "--alphabet", "protein", "--family", "dense", "--quiet"]
        self.wrong(2, ["--pairs", "auto"], *learn, "--pairs", 2, "--l2-couplings", "auto")
        self.wrong(2, ["--like", "--preset", "only one of them"], *learn, "--like", "plmc", "--preset", "mutations")


if __name__ == "__main__":
    main()
