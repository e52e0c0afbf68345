#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The commands of docs/tutorial-family.md, in order, on the family that the page has its numbers from."""
import csv
import os
import shutil
import subprocess
import sys
import unittest

from program import PROGRAM, Case, features

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tools/ci"), os.path.join(ROOT, "tests/support")]
from page_output import difference  # noqa: E402
from readme_commands import blocks  # noqa: E402

FAMILY = os.path.join(os.environ.get("ATP_SHARED_DATA", ""), "structuredca/6acv_A_29-94")


def steps():
    """Line, command and, where the page shows it, output."""
    found = []
    with open(os.path.join(ROOT, "docs/tutorial-family.md")) as page:
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
    def test_page(self):
        if not os.path.exists(FAMILY + ".fasta"):
            self.skipTest("ATP_SHARED_DATA does not name the folder of example alignments")
        if not features()["structures"]:
            self.skipTest("this build does not read structures")
        for ending, name in ((".fasta", "family.fasta"), (".pdb.gz", "structure.pdb.gz"), (".csv", "measured.csv")):
            shutil.copy(FAMILY + ending, name)
        os.mkdir("bin")
        os.symlink(PROGRAM, "bin/attopotts")
        commands = steps()
        self.assertEqual(len(commands), 11)
        environment = dict(os.environ, PATH=os.path.abspath("bin") + os.pathsep + os.environ["PATH"])
        for line, command, shown in commands:
            done = subprocess.run(["bash", "-euc", command], env=environment, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT)
            self.assertEqual(done.returncode, 0, f"line {line}: {command}\n{done.stdout[-2000:]}")
            if shown is not None:
                wrong = difference(shown, done.stdout)
                self.assertIsNone(wrong, f"line {line}: {wrong}")
        # What the page says of the files.
        self.assertGreater(len(rows("pairs.csv")), 1000)
        self.assertEqual(len(rows("doubles.csv")), 100)
        spearman = {}
        for name in ("agreement.csv", "agreement-contacts.csv"):
            single = [r for r in rows(name) if r["score"] == "energy" and r["measure"] == "spearman" and r["mutations"] == "1"]
            self.assertEqual(len(single), 1, name)
            spearman[name] = float(single[0]["value"])
        self.assertGreater(spearman["agreement.csv"], 0.545)
        self.assertGreater(spearman["agreement-contacts.csv"], spearman["agreement.csv"])


if __name__ == "__main__":
    unittest.main()
