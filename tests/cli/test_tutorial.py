#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The commands of docs/tutorial-family.md, in order, on the family that the page has its numbers from."""
import csv
import os
import re
import shutil
import subprocess
import unittest

from program import PROGRAM, Case, features

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FAMILY = os.path.join(os.environ.get("ATP_SHARED_DATA", ""), "structuredca/6acv_A_29-94")


def blocks():
    with open(os.path.join(ROOT, "docs/tutorial-family.md")) as page:
        return re.findall(r"```sh\n(.*?)```", page.read(), re.DOTALL)


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
        commands = blocks()
        self.assertEqual(len(commands), 10)
        environment = dict(os.environ, PATH=os.path.abspath("bin") + os.pathsep + os.environ["PATH"])
        for command in commands:
            done = subprocess.run(["bash", "-euc", command], env=environment, text=True, capture_output=True, stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 0, command + done.stdout[-2000:] + done.stderr[-2000:])
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
