#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each part of research/results.py at its small sizes: usage: test_results.py PROGRAM [unittest arguments]"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPTS = os.path.join(ROOT, "research")
sys.path.insert(0, SCRIPTS)
import results as script  # noqa: E402
from results_common import with_numpy  # noqa: E402

DATA = os.environ.get("ATP_SHARED_DATA", os.path.join(ROOT, "../shared/data"))
# The figures have tests of their own (tests/cli/test_reproduce.py): one shows that the part works.
PARTS = [name for name in script.PARTS if name != "figures"] + ["fig3-left"]


def block(page, name):
    return re.search(f"<!-- begin {name} -->\n(.*?)<!-- end {name} -->\n", page, re.S)[1]


class Quick(unittest.TestCase):
    """A part runs to its end and fills its block with numbers; the page of the tree stays as it is."""

    def run_part(self, name):
        with open(os.path.join(ROOT, "docs/results.md")) as file:
            before = file.read()
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, os.path.join(SCRIPTS, "results.py"), "--program", PROGRAM, "--data", DATA, "--out",
                                   folder,
                                   "--quick", "--only", name], capture_output=True, text=True, timeout=600)
            self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
            if "left out" in done.stderr:
                self.skipTest(done.stderr.strip())
            with open(os.path.join(folder, "results.md")) as file:
                page = file.read()
        self.assertRegex(block(page, "minutes"), rf"\| {name} \| [0-9.e-]+ \|")
        marks = [mark for mark in re.findall("<!-- begin (.*) -->", page) if mark.startswith(name) or name.startswith(mark + "_")]
        filled = [text for text in (block(page, mark) for mark in marks) if text]
        self.assertTrue(filled)
        self.assertRegex(filled[0], r"\d\.\d")
        self.assertNotRegex("".join(filled), r"\bnan\b")
        with open(os.path.join(ROOT, "docs/results.md")) as file:
            self.assertEqual(file.read(), before)

    def test_docs_are_refused(self):
        done = subprocess.run([sys.executable, os.path.join(SCRIPTS, "results.py"), "--program", PROGRAM, "--quick", "--out",
                               os.path.join(ROOT, "docs"), "--only", "main"], capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("--quick does not write to docs", done.stderr)


    def test_dhfr_sampling(self):
        """Has a script of its own, which needs NumPy; --quick prints its table."""
        if not os.path.exists(os.path.join(DATA, "DHFR.a2m")):
            self.skipTest(f"DHFR.a2m is not in {DATA}")
        python = with_numpy()
        if python is None:
            self.skipTest("results_dhfr_sampling.py needs NumPy (Debian: python3-numpy)")
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([python, os.path.join(SCRIPTS, "results_dhfr_sampling.py"), "--program", PROGRAM, "--data", DATA,
                                   "--out", folder, "--quick"], capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assertRegex(done.stdout, r"\| 1 \| -?\d+\.\d")
        self.assertNotIn("nan", done.stdout)


for part in PARTS:
    setattr(Quick, "test_" + part.replace("-", "_"), lambda self, part=part: self.run_part(part))

if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
