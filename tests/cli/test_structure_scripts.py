#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""contacts --script: the scripts name the residues of the ranked pairs; PyMOL, where it is installed, draws them."""
import re
import shutil
import subprocess
import unittest

from program import Case, features, main, read_table
from structure_files import cif_text, pdb_text, write
from test_structures import NOT_SEEN, OTHER, WHOLE, chain_of, fasta

BLUE, ORANGE = "0072b2", "d55e00"
RESIDUE = r"first \(attopotts and chain (?P<chain{0}>\S+|\"[^\"]*\") and resi (?P<number{0}>\\?-?\d+[A-Z]?) and name (?P<name{0}>CA|C1'|P)\)"
PYMOL = re.compile("distance (?P<group>contact|no_contact), " + RESIDUE.format(1) + ", " + RESIDUE.format(2))
ATOM = r"(?P<model{0}>#1|#1\.1)(?:/(?P<chain{0}>[A-Za-z0-9]+)|//chain_id=(?P<quoted{0}>\"[^\"]*\")|):(?P<number{0}>-?\d+[A-Z]?)@(?P<name{0}>CA|C1'|P)"
CHIMERAX = re.compile(f"pbond {ATOM.format(1)} {ATOM.format(2)} color #(?P<color>[0-9a-f]{{6}}) radius 0.2 dashes 0 name (?P<group>contact|no_contact)")
# The commands of each script, with what may follow them.
GRAMMAR = {"pymol": [PYMOL, re.compile(r"/cmd\.load\(\"(\\.|[^\"\\])*\", \"attopotts\"\)"), re.compile(r"(hide everything|show cartoon|color gray80), attopotts"),
                     re.compile(r"hide labels, (no_)?contact|set dash_gap, 0, (no_)?contact|color 0x[0-9a-f]{6}, (no_)?contact")],
           "chimerax": [CHIMERAX, re.compile(r"open \"(\\.|[^\"\\])*\""), re.compile(r"hide #1(\.1)? atoms|show #1(\.1)? cartoons|color #1(\.1)? gray")]}
MARK = re.compile(r"# pair (\d+): sites (-?\d+) and (-?\d+), distance (\S+)")


def number_of(site, first=50):
    """The residue of chain_of() at a site, from 1."""
    k = site - 1
    return f"{first + 4}A" if k == 5 else str(first + k - (k > 5))


@unittest.skipUnless(features()["structures"], "this build reads no structures")
class StructureScripts(Case):
    @classmethod
    def make_inputs(cls):
        fasta("family.fasta", WHOLE)
        fasta("pair.fasta", WHOLE + OTHER)
        cls.a, cls.whole = chain_of(WHOLE, "A", 1, hidden=NOT_SEEN)
        b, _ = chain_of(WHOLE, "B", 2, shift=(2, 7, 1), hidden=(0, 1))
        c, _ = chain_of(OTHER, "C", 3, shift=(5, -6, 0), hidden=(17,))
        write("one.pdb", pdb_text(cls.a))
        write("four.pdb", pdb_text(cls.a + b + c))
        write("models.pdb", pdb_text(cls.a + [{**x, "model": 2} for x in cls.a]))
        write("negative.pdb", pdb_text(chain_of(WHOLE, "A", 1, first=-6)[0]))

    def scripts(self, structure, *flags, data="family.fasta"):
        """Both scripts as lists of (rank, i, j, distance, match), and the table of pairs."""
        done = self.good("contacts", data, "--alphabet", "protein", "--method", "mi", "--structure", structure, "--script", "s.pml", "--script", "s.cxc",
                         "--quiet", *flags)
        found = []
        for viewer, name in ("pymol", "s.pml"), ("chimerax", "s.cxc"):
            with open(name) as file:
                lines = file.read().splitlines()
            drawn, mark = [], None
            for line in lines:
                if line.startswith("#"):
                    self.assertNotIn(";", line)  # PyMOL runs what comes after it
                    mark = MARK.fullmatch(line) or mark
                    continue
                matches = [m for m in (rule.fullmatch(line) for rule in GRAMMAR[viewer]) if m]
                self.assertEqual(len(matches), 1, line)
                if matches[0].re is GRAMMAR[viewer][0]:
                    drawn.append((int(mark[1]), int(mark[2]), int(mark[3]), float(mark[4]), matches[0]))
            found.append(drawn)
        self.assertEqual([d[:4] for d in found[0]], [d[:4] for d in found[1]])
        return found[0], found[1], read_table(done.stdout)[2]

    def test_pairs_of_the_table(self):
        pymol, chimerax, table = self.scripts("one.pdb", "--top", 25)
        self.assertEqual(len(table), 25)
        seen = [(k, r) for k, r in enumerate(table, 1) if r["distance"]]
        self.assertLess(len(seen), 25)  # some have residues that the structure does not show
        self.assertEqual(len(pymol), len(seen))
        groups = set()
        for (rank, row), (one, other) in zip(seen, zip(pymol, chimerax)):
            i, j, d = int(row["i"]), int(row["j"]), float(row["distance"])
            self.assertEqual(one[:3], (rank, i, j))
            self.assertAlmostEqual(one[3], d, delta=1e-3 * d)
            group = "contact" if d < 8 else "no_contact"
            groups.add(group)
            for m in one[4], other[4]:
                self.assertEqual(m["group"], group)
                self.assertEqual([m["chain1"], m["number1"], m["name1"]], ["A", number_of(i), "CA"])
                self.assertEqual([m["chain2"], m["number2"], m["name2"]], ["A", number_of(j), "CA"])
            self.assertEqual(other[4]["color"], BLUE if group == "contact" else ORANGE)
        self.assertEqual(groups, {"contact", "no_contact"})
        with open("s.pml") as file:
            text = file.read()
        self.assertIn(f"color 0x{BLUE}, contact\n", text)
        self.assertIn(f"color 0x{ORANGE}, no_contact\n", text)
        self.assertIn('/cmd.load("one.pdb", "attopotts")\n', text)
        hits = sum(d[3] < 8 for d in pymol)
        self.assertIn(f"# {hits} pairs nearer than 8 in blue, {len(pymol) - hits} others in orange, {25 - len(pymol)} without", text)
        self.assertEqual(len(self.scripts("one.pdb", "--top", 25, "--cutoff", 30)[0]), len(pymol))
        self.assertGreater(sum(d[4]["group"] == "contact" for d in self.scripts("one.pdb", "--top", 25, "--cutoff", 30)[0]), hits)
        # Without --top one pair per site, as in pictures.
        self.assertEqual(len(self.scripts("one.pdb")[0]), sum(bool(r["distance"]) for r in self.scripts("one.pdb")[2][:20]))

    def test_chains_models_and_numbers(self):
        pymol, chimerax, table = self.scripts("four.pdb", "--copies", "inter", "--top", 60)
        used = set()
        for rank, _, _, _, m in pymol + chimerax:
            self.assertEqual(f"{m['chain1']}-{m['chain2']}", table[rank - 1]["chains"])
            used.add(table[rank - 1]["chains"])
        self.assertTrue({"A-B", "B-A"} & used and {"A-A", "B-B"} & used, used)
        pymol, _, table = self.scripts("four.pdb", "--paired", len(WHOLE), "--chains", "A,C", "--copies", "none", "--top", 5, data="pair.fasta")
        self.assertTrue(any(m["chain1"] == "A" and m["chain2"] == "C" for *_, m in pymol))
        self.assertTrue(all(m["model1"] == "#1.1" for *_, m in self.scripts("models.pdb")[1]))
        self.assertTrue(all(m["model1"] == "#1" for *_, m in self.scripts("one.pdb")[1]))
        pymol, chimerax, _ = self.scripts("negative.pdb", "--top", 60)
        self.assertTrue(any(m["number1"] == "\\-5" for *_, m in pymol))
        self.assertTrue(any(m["number1"] == "-5" for *_, m in chimerax))

    def test_names_from_outside(self):
        """A name with blanks, quotes or commands stands in quotes; what cannot be quoted has no line."""
        for name, pymol_name, chimerax_name in ("A-2", '"A-2"', '"A-2"'), ("A;quit", '"A;quit"', '"A;quit"'), ("A'B", '"A\'B"', '"A\'B"'):
            text = cif_text([{**x, "chain": "Q"} for x in self.a], {"Q": self.whole})
            write("named.cif", re.sub(r" Q (\d+)$", lambda m, name=name: f' "{name}" {m[1]}', text, flags=re.M))
            pymol, chimerax, _ = self.scripts("named.cif", "--top", 25)
            self.assertGreater(len(pymol), 5)
            self.assertEqual({m["chain1"] for *_, m in pymol}, {pymol_name})
            self.assertEqual({m["quoted1"] for *_, m in chimerax}, {chimerax_name})
        write("named.cif", re.sub(r" Q (\d+)$", r" 'A\"B' \1", text, flags=re.M))
        self.assertEqual(self.scripts("named.cif", "--top", 25)[0], [])
        name = 'a;b "c\\.pdb'
        shutil.copy("one.pdb", name)
        self.scripts(name)
        with open("s.pml") as file:
            self.assertIn('/cmd.load("a;b \\"c\\\\.pdb", "attopotts")\n', file.read())
        with open("s.cxc") as file:
            self.assertIn('open "a;b \\"c\\\\.pdb"\n', file.read())

    def test_bad_input(self):
        write("list.txt", "1 2 3\n")
        contacts = ["contacts", "family.fasta", "--alphabet", "protein", "--method", "mi"]
        for flags in ([], ["--distances", "list.txt"]):
            self.wrong(2, ["--script", "--structure"], *contacts, "--script", "x.pml", "--quiet", *flags)
        self.wrong(2, ["--script", "no/x.pml"], *contacts, "--structure", "one.pdb", "--script", "no/x.pml")
        self.wrong(2, ["--script", "x.py", ".pml (PyMOL) or .cxc"], *contacts, "--structure", "one.pdb", "--script", "x.py")

    @unittest.skipUnless(shutil.which("pymol"), "there is no pymol")
    def test_pymol_draws_them(self):
        """PyMOL counts as many lines as there are pairs, also with names that are commands."""
        name = "a;print(42) 'b.pdb"
        shutil.copy("four.pdb", name)
        for structure, flags in ("one.pdb", []), (name, ["--copies", "inter"]), ("models.pdb", []), ("negative.pdb", []):
            pymol = self.scripts(structure, "--top", 60, *flags)[0]
            with open("s.pml") as file, open("counted.pml", "w") as counted:
                counted.write(file.read() + '/print("LINES", [(n, len(cmd.get_session(n, 1)["names"][0][5][2][0][1]) // 6) for n in ("contact", "no_contact")])\n')
            environment = {"PATH": "/usr/bin:/bin:/usr/local/bin", "HOME": "."}
            done = subprocess.run([shutil.which("pymol"), "-cq", "counted.pml"], capture_output=True, text=True, timeout=170, env=environment)
            text = done.stdout + done.stderr
            counts = [sum(m["group"] == group for *_, m in pymol) for group in ("contact", "no_contact")]
            self.assertIn(f"LINES [('contact', {counts[0]}), ('no_contact', {counts[1]})]", text)
            self.assertNotIn("Error", text)
            self.assertNotRegex(text, "(?m)^42$")


if __name__ == "__main__":
    main()
