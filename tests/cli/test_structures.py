#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--structure of contacts and distances: small structures that are written here, against distances worked out here."""
import functools
import math
import random
import re
import unittest

from pictures import Picture, shades
from program import Case, features, main, must, read_table, run
from structure_files import KINDS, atom, cif_text, pdb_text, residues_of, site_distances, write

THERE = features()["structures"]
WHOLE = "ACDEFGHIKLMNPSTVWYRQ"
NOT_SEEN = (8, 9, 10)  # places of WHOLE, from 0
OTHER = "MKLVWWTEHDGRNSPAQI"


def chain_of(sequence, chain, seed, shift=(0, 0, 0), first=50, hidden=(), selenium=True):
    """Atoms and [(kind, number, code)]: a straight backbone with side chains at random places; place 5 has the number before it, and code A."""
    draw = random.Random(seed)
    atoms, whole = [], []
    for k, letter in enumerate(sequence):
        kind = "MSE" if letter == "M" and selenium else KINDS[letter]
        number, code = (first + 4, "A") if k == 5 else (first + k - (k > 5), "")
        whole.append((kind, number, code))
        if k in hidden:
            continue
        record = "HETATM" if kind == "MSE" else "ATOM"

        def add(name, x, y, z, kind=kind, number=number, code=code, record=record, **more):
            atoms.append(atom(name, kind, chain, number, (x + shift[0], y + shift[1], z + shift[2]), code=code, record=record, **more))
        x = 3.8 * k
        add("N", x - 1.2, 0, 0)
        add("CA", x, 0.4, 0)
        add("C", x + 1.2, 0, 0)
        add("O", x + 1.2, 1.2, draw.uniform(-0.2, 0.2))
        add("H", x - 1.2, 0.9, 0)
        add("DA", x, -30, 0, element="D")
        if letter != "G":
            add("CB", x, draw.uniform(1, 2), draw.uniform(-2, 2))
            if k % 4 == 1:  # alternative locations: the second has more, or as much as the first
                for alt, occupancy in (("A", 0.3), ("B", 0.7)) if k % 8 == 1 else (("B", 0.5), ("A", 0.5)):
                    add("CG", x, draw.uniform(2, 6), draw.uniform(-6, 6), alt=alt, occupancy=occupancy)
            else:
                add("SE" if kind == "MSE" else "CG", x, draw.uniform(2, 4), draw.uniform(-4, 4), **({"element": "SE"} if kind == "MSE" else {}))
    return atoms, whole


def extras(chain, place):
    """Water and ligands, near everything."""
    x, y, z = place
    return [atom("O", "HOH", chain, 900 + k, (x + 3 * k, y + 1, z), record="HETATM") for k in range(30)] + \
        [atom("C1", "GOL", chain, 801, (x, y + 1, z + 1), record="HETATM"), atom("ZN", "ZN", chain, 802, (x, y, z + 1), record="HETATM", element="ZN")]


def copies_of(atoms, names, sequence, first=50):
    """Residues of each chain at the places of the sequence."""
    made = []
    for name in names:
        found = residues_of([a for a in atoms if a["kind"] not in ("HOH", "GOL", "ZN")], name)
        made.append([found.get((first + 4, "A") if k == 5 else (first + k - (k > 5), "")) for k in range(len(sequence))])
    return made


def fasta(name, sequence, count=40):
    """A family: the sequence first, then some with changes."""
    draw = random.Random(7)
    with open(name, "w") as file:
        file.write(f">target\n{sequence}\n")
        for k in range(count):
            file.write(f">s{k}\n" + "".join(draw.choice(WHOLE) if draw.random() < 0.4 else c for c in sequence) + "\n")


def distances_in(path):
    with open(path) as file:
        rows = [line.split() for line in file if line[0] != "#"]
    return {(int(i), int(j)): (float(d), chains) for i, j, chains, d in rows}


@unittest.skipUnless(THERE, "this build reads no structures")
class Structures(Case):
    @classmethod
    def make_inputs(cls):
        fasta("family.fasta", WHOLE)
        fasta("pair.fasta", WHOLE + OTHER)
        with open("pair.fasta", encoding="ascii") as file:
            names, rows = zip(*(record.split() for record in file.read().split(">")[1:]))
        parts = ["".join(f">{name}\n{row[part]}\n" for name, row in zip(names, rows)) for part in (slice(len(WHOLE)), slice(len(WHOLE), None))]
        with open("pair.a3m", "w", encoding="ascii") as file:
            file.write("\0".join(parts))
        a, whole = chain_of(WHOLE, "A", 1, hidden=NOT_SEEN)
        b, _ = chain_of(WHOLE, "B", 2, shift=(2, 7, 1), hidden=(0, 1))
        c, third = chain_of(OTHER, "C", 3, shift=(5, -6, 0), hidden=(17,))
        d, _ = chain_of(OTHER, "D", 4, shift=(9, 14, 0))
        cls.atoms = a + b + c + d
        cls.whole = {"A": whole, "B": whole, "C": third, "D": third}
        cls.single = a + extras("A", (0, 0, 0)) + extras("W", (0, 3, 0))
        for end in "", ".gz":
            write("one.pdb" + end, pdb_text(cls.single))
            write("one.cif" + end, cif_text(cls.single, {"A": whole}))
            write("four.cif" + end, cif_text(cls.atoms, cls.whole))
        write("open.pdb", pdb_text(cls.single, ends=False))
        write("four.pdb", pdb_text(cls.atoms))
        moved = [{**x, "model": 2, "place": tuple(2 * p for p in x["place"])} for x in cls.single]
        write("models.pdb", pdb_text(cls.single + moved))

    def same(self, found, expected, chains=None):
        self.assertEqual(set(found), set(expected))
        self.assertGreater(len(expected), 20)
        for pair, d in expected.items():
            self.assertAlmostEqual(found[pair][0], d, delta=1e-6, msg=pair)
            if chains:
                self.assertIn(found[pair][1], chains)

    def measured(self, structure, *flags, data="family.fasta"):
        done = self.good("distances", data, "--alphabet", "protein", "--structure", structure, *flags, "-o", "out.txt")
        self.messages = done.stderr
        return distances_in("out.txt")

    def test_files_atoms_and_locations(self):
        """Both formats, packed and not: MSE, insertion codes, alternative locations, missing residues; no hydrogen, water or ligand."""
        copies = copies_of(self.single, "A", WHOLE)
        self.assertEqual([k for k, r in enumerate(copies[0]) if r is None], list(NOT_SEEN))
        for choice in "heavy", "cb", "ca":
            expected = site_distances(copies, choice, lambda a, b: False)
            for name in "one.pdb", "one.pdb.gz", "one.cif", "one.cif.gz", "open.pdb", "models.pdb":
                found = self.measured(name, "--atoms", choice, *([] if name == "one.pdb" else ["--chains", "A"]))
                self.same(found, expected, {"A-A"})
                self.assertIn("17 of 17 aligned are identical" if ".pdb" in name else "20 of 20 aligned are identical", self.messages)
                self.assertIn("17 of 20 sites resolved", self.messages)

    def test_copies(self):
        """The smallest over two chains of a sequence, within each or also between them."""
        copies = copies_of(self.atoms, "AB", WHOLE)
        for name in "four.pdb", "four.cif":
            for word, chosen, between in (("none", copies[:1], False), ("intra", copies, False), ("inter", copies, True)):
                expected = site_distances(chosen, "heavy", lambda a, b, word=between: word)
                found = self.measured(name, "--chains", "A", "--copies", word)
                self.same(found, expected, {"A-A", "B-B"} if not between else {"A-A", "B-B", "A-B", "B-A"})
                self.assertEqual("chains of the same sequence: B" in self.messages, word != "none")
            self.assertEqual({chains for _, chains in found.values()}, {"A-A", "B-B", "A-B", "B-A"})
            # Named one by one they are the same; without a name the nearest sequence is found, here that with more residues.
            self.assertEqual(self.measured(name, "--chains", "A,B", "--copies", "inter"), found)
            self.same(self.measured(name, "--copies", "inter"), expected)
            self.assertIn("chain B of" if ".pdb" in name else "chain A of", self.messages)

    def test_two_proteins(self):
        one, two = copies_of(self.atoms, "AB", WHOLE), copies_of(self.atoms, "CD", OTHER)
        blank = [None] * len(WHOLE), [None] * len(OTHER)
        copies = [c + blank[1] for c in one] + [blank[0] + c for c in two]
        expected = site_distances(copies, "heavy", lambda a, b: a // 2 != b // 2)
        for name, flags in ("four.pdb", ["--chains", "A,C"]), ("four.cif.gz", ["--chains", "B,D"]), ("four.pdb", []):
            found = self.measured(name, "--paired", len(WHOLE), *flags, data="pair.fasta")
            self.same(found, expected)
            self.assertEqual(self.measured(name, "--format", "paired", *flags, data="pair.a3m"), found)
            self.assertEqual(self.measured(name, "--format", "paired", "--paired", len(WHOLE), *flags, data="pair.a3m"), found)
            self.assertEqual(self.measured(name, "--format", "paired", "--focus", "target", *flags, data="pair.a3m"), found)
        tables = [self.good("contacts", data, "--alphabet", "protein", "--method", "mi", "--structure", "four.pdb", *flags).stdout
                  for data, flags in (("pair.fasta", ["--paired", len(WHOLE)]), ("pair.a3m", ["--format", "paired"]))]
        self.assertEqual(*([line for line in table.splitlines() if "command" not in line] for table in tables))
        self.assertIn("1-2", tables[1])
        for command in "contacts", "distances":
            base = [command, "pair.a3m", "--alphabet", "protein", "--format", "paired", "--structure", "four.pdb", "--quiet"]
            self.wrong(2, ["--paired", '"9"', f"expected {len(WHOLE)}"], *base, "--paired", 9)
            self.wrong(2, ["--chains", '"A"', "A,B"], *base, "--chains", "A")
        across = {p: c for p, (_, c) in found.items() if p[0] <= len(WHOLE) < p[1]}
        self.assertEqual(set(across.values()) - {"A-C", "A-D", "B-C", "B-D"}, set())
        alone = [one[0] + blank[1], blank[0] + two[1]]
        found = self.measured("four.pdb", "--paired", len(WHOLE), "--chains", "A,D", "--copies", "none", data="pair.fasta")
        self.same(found, site_distances(alone, "heavy", lambda a, b: True))

    def test_ends_after_an_interruption(self):
        """Two residues after 13 that are not observed: too few for a gap of 23, but the chain is interrupted there."""
        atoms, _ = chain_of(WHOLE, "A", 5, hidden=range(5, 18))
        write("loop.pdb", pdb_text(atoms))
        expected = site_distances(copies_of(atoms, "A", WHOLE), "heavy", lambda a, b: False)
        found = self.measured("loop.pdb")
        self.assertEqual({p: round(d, 6) for p, (d, _) in found.items()}, {p: round(d, 6) for p, d in expected.items()})
        self.assertEqual(len(found), 21)
        self.assertIn("7 of 7 aligned are identical", self.messages)

    def test_focus_and_columns(self):
        """Site numbers of the focus, columns that are left out, and a sequence from another file."""
        draw = random.Random(3)
        with open("gapped.fasta", "w") as file:
            for k in range(30):
                row = "".join(draw.choice(WHOLE) for _ in WHOLE)
                own = WHOLE if k == 9 else "-" + row[1:]
                file.write(f">{'mine' if k == 9 else k}\n{own[:6]}--{own[6:]}\n")
        expected = site_distances(copies_of(self.single, "A", WHOLE), "heavy", lambda a, b: False)
        self.same(self.measured("one.pdb", "--focus", "mine", data="gapped.fasta"), expected)
        fewer = {p: d for p, d in expected.items() if p[0] > 1}
        self.same(self.measured("one.pdb", "--focus", "mine", "--max-gaps-column", 0.5, data="gapped.fasta"), fewer)
        with open("mine.fasta", "w") as file:
            file.write(f">mine\n{WHOLE[:6]}--{WHOLE[6:]}\n")
        moved = {tuple(i + 2 * (i > 6) for i in p): d for p, d in expected.items()}
        self.same(self.measured("one.pdb", "--sequence", "mine.fasta", data="gapped.fasta"), moved)
        must("learn", "gapped.fasta", "--alphabet", "protein", "--focus", "mine", "-o", "mine.h5", "--epochs", 2, "--optimizer", "sgd")
        # A model without a gap: the gaps of the sequence are none of its residues. The file begins as ColabFold's do.
        write("mine.a3m", f"#22\t1\n>mine\n{WHOLE[:6]}--{WHOLE[6:]}\n")
        must("learn", "gapped.fasta", "--alphabet", "protein", "--gaps", "ignore", "-o", "ignored.h5", "--epochs", 2, "--optimizer", "sgd")
        self.good("distances", "ignored.h5", "--structure", "one.pdb", "--sequence", "mine.a3m", "-o", "ignored.txt")
        self.same(distances_in("ignored.txt"), moved)
        done = self.good("distances", "mine.h5", "--structure", "one.pdb", "-o", "model.txt")
        self.assertIn("17 of 20 sites resolved", done.stderr)
        self.same(distances_in("model.txt"), expected)

    def test_contacts_of_resolved_residues(self):
        """contacts --structure gives what it gives with the file of distances, and the precision of resolved pairs worked out here."""
        must("contacts", "family.fasta", "--alphabet", "protein", "--focus", "target", "--model-out", "m.h5", "--epochs", 300, "--tolerance", "1e-3")
        expected = site_distances(copies_of(self.single, "A", WHOLE), "heavy", lambda a, b: False)
        done = self.good("contacts", "m.h5", "--structure", "one.cif", "--min-separation", 2, "--ppv", "ppv.csv", "--picture", "map.svg", "--cutoff", 9)
        table = read_table(done.stdout)[2]
        hits, curve = 0, []
        for r in table:
            d = expected.get((int(r["i"]), int(r["j"])))
            self.assertEqual(r["chains"], "A-A" if d else "")
            if d is None:
                self.assertEqual(r["distance"], "")
                continue
            self.assertAlmostEqual(float(r["distance"]), d, delta=1e-6)
            hits += d < 9
            curve.append(hits / (len(curve) + 1))
        with open("ppv.csv") as file:
            written = [float(r["precision"]) for r in read_table(file.read())[2]]
        self.assertEqual(len(written), len(curve))
        self.assertLess(max(abs(p - q) for p, q in zip(written, curve)), 1e-9)
        self.assertIn(f"P@L/5 (4) {curve[3]:.4f}, P@L/2 (10) {curve[9]:.4f}, P@L (20) {curve[19]:.4f}", done.stderr)
        self.measured("one.cif", data="family.fasta")
        plain = read_table(self.good("contacts", "m.h5", "--distances", "out.txt", "--min-separation", 2).stdout)[2]
        self.assertEqual(plain, [{k: v for k, v in r.items() if k != "chains"} for r in table])
        picture = Picture("map.svg")
        self.assertEqual(set(picture.cells("known")), {(i - 1, j - 1) for (i, j), d in expected.items() if d < 9})
        hidden = {int(re.match(r"M0 (\d+)h", path.get("d"))[1]) for path in picture.all("path", "hidden-site") if path.get("d").startswith("M0 ")}
        self.assertEqual(hidden, {8, 9, 10})  # sites 9, 10 and 11 are not resolved
        self.assertIn("not in the structure", picture.texts())
        self.assertFalse(any("between two chains" in t for t in picture.texts()))

    def test_border_from_the_chains(self):
        """Two chains of different proteins show where the first ends, and that a border lies inside one; copies show none."""
        border, flags = len(WHOLE), ["contacts", "pair.fasta", "--alphabet", "protein", "--method", "mi", "--structure", "four.pdb"]
        rows = [read_table(self.good(*flags, "--chains", "A,C", *more).stdout)[2] for more in ([], ["--paired", border])]
        self.assertEqual(*rows)
        for r in rows[0]:
            i, j = int(r["i"]), int(r["j"])
            self.assertEqual((int(r["own_i"]), int(r["own_j"])), tuple(n - border * (n > border) for n in (i, j)))
            self.assertEqual(r["residue_i"] + r["residue_j"], (WHOLE + OTHER)[i - 1] + (WHOLE + OTHER)[j - 1])
        done = self.good(*flags, "--chains", "A,C")
        self.assertIn(f"the sites up to {border} are those of chain A, the others those of chain C", done.stderr)
        self.wrong(2, [f'"{border - 8}", inside a protein', f"{border - 7}..{border} are those of chain A", f"--paired {border}"], *flags,
                   "--chains", "A,C", "--paired", border - 8, "--quiet")
        self.wrong(2, [f"{border + 1}..{border + 7} are those of chain C"], *flags, "--chains", "A,C", "--paired", border + 7, "--quiet")
        alone = self.good("contacts", "family.fasta", *flags[2:], "--chains", "A,B")
        self.assertNotIn("own_i", alone.stdout)
        # Where the ends of both are not resolved, the numbers of the second chain decide, if they are those of its protein.
        first, _ = chain_of(WHOLE, "A", 1, hidden=(17, 18, 19))
        second, places = chain_of(OTHER, "C", 3, hidden=(0, 1, 2))
        numbers = {(number, code): place + 1 for place, (_, number, code) in enumerate(places)}
        for shift, expected in (0, border), (700, border - 3):
            renumbered = [{**a, "number": numbers[a["number"], a["code"]] + shift, "code": ""} for a in second]
            write("cut.pdb", pdb_text(first + renumbered))
            done = self.good(*flags[:-1], "cut.pdb", "--chains", "A,C")
            self.assertIn(f"the sites up to {expected} are those of chain A", done.stderr)

    def test_border_from_a_name(self):
        """A focus with two ranges in its name: the second protein has the numbers of its own range."""
        with open("pair.fasta", encoding="ascii") as file, open("named.fasta", "w", encoding="ascii") as to:
            to.write(file.read().replace(">target", ">x/3-22_y/5-22", 1))
        rows = read_table(self.good("contacts", "named.fasta", "--alphabet", "protein", "--focus", "x/3-22_y/5-22", "--method", "mi").stdout)[2]
        self.assertEqual({int(r["i"]) for r in rows} | {int(r["j"]) for r in rows}, {*range(3, 23), *range(22 + 5, 22 + 23)})
        for r in rows:
            i, j = int(r["i"]), int(r["j"])
            self.assertEqual(r["proteins"], "1" if j <= 22 else "2" if i > 22 else "1-2")
            self.assertEqual((int(r["own_i"]), int(r["own_j"])), tuple(n - 22 * (n > 22) for n in (i, j)))

    def test_pairs_of_two_proteins(self):
        border = len(WHOLE)
        flags = ["--alphabet", "protein", "--epochs", 300, "--tolerance", "1e-3", "--min-separation", 4, "--paired", border]
        done = self.good("contacts", "pair.fasta", *flags, "--structure", "four.pdb", "--chains", "A,C", "--picture", "pair.svg")
        table = read_table(done.stdout)[2]
        groups = {"1": [], "2": [], "1-2": []}
        for r in table:
            i, j = int(r["i"]), int(r["j"])
            self.assertEqual(r["proteins"], "1" if j <= border else "2" if i > border else "1-2")
            # The separation counts within a protein alone.
            self.assertTrue(j - i >= 4 or i <= border < j)
            if r["distance"]:
                groups[r["proteins"]].append(float(r["distance"]) < 8)
        self.assertIn((border, border + 1), {(int(r["i"]), int(r["j"])) for r in table})
        within = [float(r["distance"]) < 8 for r in table if r["distance"] and r["proteins"] != "1-2"]
        for name, hits in ("within", within), ("between", groups["1-2"]):
            self.assertIn(f"{name} proteins: P@L/5 (7) {sum(hits[:7]) / 7:.4f}, P@L/2 (19) {sum(hits[:19]) / 19:.4f}", done.stderr)
        picture = Picture("pair.svg")
        (left, top), unit = picture.map_frame()
        line = re.match(r"M([\d.]+) ", picture.all("path", "border")[0].get("d"))[1]
        self.assertAlmostEqual(float(line), left + unit * border, delta=0.1)
        self.assertTrue(any("between two chains" in t for t in picture.texts()))
        # Marked are the best pairs of all, and the best between the proteins.
        ranked = [(k, int(r["i"]), int(r["j"]), r["proteins"]) for k, r in enumerate(table, 1)]
        between = [r[0] for r in ranked if r[3] == "1-2"][:38 // 5]
        marked = [r for r in ranked if r[0] <= 38 or r[0] in between]
        self.assertEqual(picture.pairs(), [(i - 1, j - 1) for _, i, j, _ in marked])
        scores = {(int(r["j"]) - 1, int(r["i"]) - 1): float(r["apc"]) for r in table}
        self.assertEqual(picture.cells(r"q\d"), shades(scores, max(scores.values())))

    def test_alignment_is_the_best(self):
        """Random nucleic acids: the alignment that is shown has the score of the best one, found here by another algorithm."""
        draw = random.Random(11)
        for _ in range(12):
            sites = "".join(draw.choice("ACGU") for _ in range(draw.randint(6, 14)))
            cut = draw.randint(0, 4)
            chain = sites[cut:cut + 4] + "".join(draw.choice("ACGU") for _ in range(draw.randint(1, 5))) + sites[cut + 6:]
            with open("rna.fasta", "w") as file:
                file.write(f">a\n{sites}\n>b\n{sites[::-1]}\n")
            atoms = []
            for k, c in enumerate(chain):
                atoms += [atom("P", c, "R", k + 1, (6 * k, 0, 0)), atom("C1'", c, "R", k + 1, (6 * k + 2, 3, 0)), atom("O3'", c, "R", k + 1, (6 * k + 4.6, 0, 0))]
            write("rna.pdb", pdb_text(atoms))
            done = self.good("distances", "rna.fasta", "--alphabet", "rna", "--structure", "rna.pdb", "--force-structure", "--details", "-o", "r.txt")
            shown = {name: "".join(re.findall(rf"^{name} +(\S+)$", done.stderr, re.M)) for name in ("sites", "chain R")}
            self.assertEqual(shown["sites"].replace("-", ""), sites)
            self.assertEqual(shown["chain R"].replace("-", ""), chain)
            self.assertEqual(score_of(shown["sites"], shown["chain R"]), best_score(sites, chain), (sites, chain))
        self.wrong(2, ["--atoms", "chain R", "nucleic"], "distances", "rna.fasta", "--alphabet", "rna", "--structure", "rna.pdb", "--atoms", "ca",
                   "--force-structure", "--quiet")

    def test_bad_input(self):
        write("empty.pdb", "HEADER    NOTHING\nEND\n")
        with open("one.cif") as file:
            write("placeless.cif", re.sub(r"^(ATOM (?:\S+ ){9})\S+", r"\1?", file.read(), count=1, flags=re.MULTILINE))
        write("broken.cif", "data_X\nloop_\n_atom_site.id\n_atom_site.type_symbol\n1\n")
        with open("one.pdb.gz", "rb") as whole, open("cut.pdb.gz", "wb") as cut:
            cut.write(whole.read()[:400])
        write("short.fasta", ">x\nACD\n")
        other = "".join(reversed(WHOLE))
        fasta("other.fasta", "HWKPHWKPHWKPHWKPHWKP")
        fasta("reversed.fasta", other)
        base = ["family.fasta", "--alphabet", "protein"]
        for flags, fragments in [
                (["--structure", "absent.pdb"], ["absent.pdb"]),
                (["--structure", "empty.pdb"], ["empty.pdb", "no chain of a protein"]),
                (["--structure", "broken.cif"], ["broken.cif", "cannot be read"]),
                (["--structure", "placeless.cif"], ["placeless.cif", "Cartn_x"]),
                (["--structure", "cut.pdb.gz"], ["cut.pdb.gz", "gzip"]),
                (["--structure", "family.fasta"], ["family.fasta", "no chain of a protein"]),
                (["--structure", "four.pdb", "--chains", "Z"], ["--chains", '"Z"', "A (17 residues), B (18 residues), C (17 residues), D (18 residues)"]),
                (["--structure", "one.pdb", "--chains", "W"], ["--chains", '"W"', "is empty", "A (17 residues)"]),
                (["--structure", "one.pdb", "--chains", "A,"], ["--chains", "A,"]),
                (["--structure", "four.pdb", "--chains", "C"], ["chain C", "per cent", "30", "--force-structure"]),
                (["--structure", "one.pdb", "--atoms", "cg"], ["--atoms", "cg", "heavy"]),
                (["--structure", "one.pdb", "--copies", "all"], ["--copies", "all"]),
                (["--structure", "four.pdb", "--paired", 20], ["--paired", "20", "1..19"]),
                (["--structure", "four.pdb", "--paired", 9, "--chains", "A"], ["--chains", "--paired", "A,B"]),
                (["--structure", "one.pdb", "--sequence", "short.fasta"], ["short.fasta", "3 columns", "20 sites"]),
        ]:
            for command in "contacts", "distances":
                self.wrong(2, fragments, command, *base, *flags, "--quiet")
        for name in "other.fasta", "reversed.fasta":
            self.wrong(2, ["chain A", "per cent", "--force-structure"], "distances", name, "--alphabet", "protein", "--structure", "one.pdb", "--quiet")
            self.good("distances", name, "--alphabet", "protein", "--structure", "one.pdb", "--force-structure", "-o", "forced.txt")
        write("list.txt", "1 2 3\n")
        for flags, fragments in [(["--chains", "A"], ["--chains", "--structure"]), (["--details"], ["--details", "--structure"]),
                                 (["--structure", "one.pdb", "--distances", "list.txt"], ["--structure", "--distances", "only one"]),
                                 (["--structure", "one.pdb", "--absent", "count"], ["--absent", "--structure"]),
                                 (["--ppv", "p.csv"], ["--ppv", "--structure"])]:
            self.wrong(2, fragments, "contacts", *base, *flags, "--quiet")
        must("learn", "family.fasta", "--alphabet", "protein", "-o", "plain.h5", "--epochs", 2, "--optimizer", "sgd")
        self.wrong(2, ["residues of its sites", "--focus"], "contacts", "plain.h5", "--structure", "one.pdb", "--quiet")
        self.wrong(2, ["--focus", "model"], "distances", "plain.h5", "--focus", "x", "--structure", "one.pdb", "--quiet")


def score_of(one, other):
    """Of an alignment as it is shown: 5 and -4, a gap of n costs 10 + n, gaps at an end of either sequence nothing.

    Where letters of both stand alone side by side, the order that costs less counts.
    """
    lengths = [len(s.replace("-", "")) for s in (one, other)]
    total, i, j, alone = 0, 0, 0, [0, 0]

    def gaps():
        def first(at):
            return 0 if at in (0, lengths[1]) or not alone[0] else 10 + alone[0]

        def second(at):
            return 0 if at in (0, lengths[0]) or not alone[1] else 10 + alone[1]
        return min(first(j) + second(i + alone[0]), second(i) + first(j + alone[1]))
    for a, b in [*zip(one, other), ("", "")]:
        if "-" in (a, b):
            alone[a == "-"] += 1
            continue
        total -= gaps()
        i, j, alone = i + alone[0] + 1, j + alone[1] + 1, [0, 0]
        if a:
            total += 5 if a == b else -4
    return total


def best_score(one, other):
    """The best over all alignments: all lengths of gaps are tried."""
    @functools.lru_cache(None)
    def best(i, j, last):
        if i == len(one) and j == len(other):
            return 0
        found = -math.inf
        if i < len(one) and j < len(other):
            found = (5 if one[i] == other[j] else -4) + best(i + 1, j + 1, 0)
        if last != 1:
            for n in range(1, len(one) - i + 1):  # letters of the first alone
                found = max(found, best(i + n, j, 1) - (0 if j in (0, len(other)) else 10 + n))
        if last != 2:
            for n in range(1, len(other) - j + 1):
                found = max(found, best(i, j + n, 2) - (0 if i in (0, len(one)) else 10 + n))
        return found
    return best(0, 0, 0)


class WithoutStructures(Case):
    @unittest.skipIf(THERE, "this build reads structures")
    def test_one_clear_line(self):
        """Without gemmi --structure ends with one line; everything else works."""
        fasta("family.fasta", WHOLE)
        write("one.pdb", pdb_text(chain_of(WHOLE, "A", 1)[0]))
        for command in "contacts", "distances":
            self.wrong(2, ["--structure", "one.pdb", "gemmi"], command, "family.fasta", "--alphabet", "protein", "--structure", "one.pdb", "--quiet")
        self.assertIn("no-structures", run("info").stdout)
        self.assertIn("P@L", self.distances())

    def distances(self):
        with open("d.txt", "w") as file:
            file.write("".join(f"{i} {j} {j - i}\n" for i in range(1, 21) for j in range(i + 1, 21)))
        return self.good("contacts", "family.fasta", "--alphabet", "protein", "--distances", "d.txt", "--epochs", 300, "--tolerance", "1e-2").stderr


if __name__ == "__main__":
    main()
