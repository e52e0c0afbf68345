#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The commands of docs/tutorial-family.md and docs/tutorial-generate.md, in order, on the families that the pages have their numbers from.

With ATP_WRITE_PAGES the blocks and tables of the pages get the numbers that are printed now."""
import csv
import os
import shutil
import subprocess
import sys
import unittest

from program import PROGRAM, Case, features

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tools/ci"), os.path.join(ROOT, "tests/support")]
from page_output import difference, renewed  # noqa: E402
from readme_commands import blocks  # noqa: E402

DATA = os.environ.get("ATP_SHARED_DATA", "")
FAMILY = os.path.join(DATA, "structuredca/6acv_A_29-94")
RIBOSWITCH = os.path.join(DATA, "RF00162.fasta")


def steps(name):
    """Line, command and, where the page shows it, output."""
    found = []
    with open(os.path.join(ROOT, name)) as page:
        for line, language, lines, _ in blocks(page.read()):
            if language == "sh":
                found.append([line, "\n".join(lines), None])
            elif language == "text":
                found[-1][2] = lines
    return found


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


class Tutorial(Case):
    def walk(self, name, count):
        """Run the commands of a page, as many as are expected, in the folder of the class."""
        with open(os.path.join(ROOT, name)) as page:
            text = page.read()
        os.mkdir("bin")
        os.symlink(PROGRAM, "bin/attopotts")
        commands = steps(name)
        self.assertEqual(len(commands), count)
        environment = dict(os.environ, PATH=os.path.abspath("bin") + os.pathsep + os.environ["PATH"])
        for line, command, shown in commands:
            done = subprocess.run(["bash", "-euc", command], env=environment, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT)
            self.assertEqual(done.returncode, 0, f"line {line}: {command}\n{done.stdout[-2000:]}")
            if shown is not None:
                now = renewed(shown, done.stdout) if "ATP_WRITE_PAGES" in os.environ else None
                if now is not None:
                    text, shown = text.replace("\n".join(shown), "\n".join(now)), now
                wrong = difference(shown, done.stdout)
                self.assertIsNone(wrong, f"line {line}: {wrong}")
        self.write(name, text)

    def write(self, name, text):
        if "ATP_WRITE_PAGES" in os.environ:
            with open(os.path.join(ROOT, name), "w") as page:
                page.write(text)

    def shows(self, name, table):
        """The page has these rows of a table."""
        with open(os.path.join(ROOT, name)) as page:
            text = page.read()
        for row in table:
            label = row[:row.index("|", 1) + 1]
            self.assertEqual(text.count(f"\n{label}"), 1, label)
            before, _, after = text.partition(f"\n{label}")
            text = f"{before}\n{row}\n{after.partition(chr(10))[2]}"
        self.write(name, text)
        with open(os.path.join(ROOT, name)) as page:
            self.assertEqual(page.read(), text)


class Family(Tutorial):
    def test_family(self):
        if not os.path.exists(FAMILY + ".fasta"):
            self.skipTest("ATP_SHARED_DATA does not name the folder of example alignments")
        if not features()["structures"]:
            self.skipTest("this build does not read structures")
        for ending, name in ((".fasta", "family.fasta"), (".pdb.gz", "structure.pdb.gz"), (".csv", "measured.csv")):
            shutil.copy(FAMILY + ending, name)
        self.walk("docs/tutorial-family.md", 11)
        # What the page says of the files.
        self.assertGreater(len(rows("pairs.csv")), 1000)
        self.assertEqual(len(rows("doubles.csv")), 100)
        spearman = {}
        for name in ("agreement.csv", "agreement-plain.csv"):
            single = [r for r in rows(name) if r["score"] == "energy" and r["measure"] == "spearman" and r["mutations"] == "1"]
            self.assertEqual(len(single), 1, name)
            spearman[name] = float(single[0]["value"])
        self.assertGreater(spearman["agreement.csv"], 0.66)
        self.assertGreater(spearman["agreement.csv"], spearman["agreement-plain.csv"] + 0.1)
        self.assertGreater(spearman["agreement-plain.csv"], 0.545)


class Generate(Tutorial):
    def test_generate(self):
        if not os.path.exists(RIBOSWITCH):
            self.skipTest("ATP_SHARED_DATA does not name the folder of example alignments")
        shutil.copy(RIBOSWITCH, "family.fasta")
        self.walk("docs/tutorial-generate.md", 9)
        self.assertEqual(len(rows("sequences.csv")), 140)
        # The table of the last step, and what the text says of its numbers.
        covariances = [rows(name)[2] for name in ("compared.csv", "exact.csv")]
        held_out = [float(rows(name)[0]["log_p"]) for name in ("held-out.csv", "held-out-exact.csv")]
        self.shows("docs/tutorial-generate.md", [
            "| C_ij of samples against the family: Pearson, slope | {:.2f}, {:.2f} | {:.2f}, {:.2f} |".format(
                *(float(row[name]) for row in covariances for name in ("pearson", "slope"))),
            "| log P of held-out sequences, nats per site | {:.3f} | {:.3f} |".format(*held_out)])
        independent = -float(rows("held-out.csv")[0]["independent_loss"])
        self.assertTrue(all(value > independent + 0.1 for value in held_out))
        likelihood, exact = covariances
        self.assertGreater(float(likelihood["pearson"]), float(likelihood["pearson_parts"]))
        self.assertLess(float(exact["slope"]), 0.7)


if __name__ == "__main__":
    unittest.main()
