#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stored results of platforms: none is older than the version, and the page has their table; and what the scripts do in small copies."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools/platforms"))
import platforms_table  # noqa: E402

RESULT = {"target": "one", "title": "One", "version": "0.1.0", "commit": "abc", "date": "2026-11-24", "compiler": "cc 1", "how": "natively",
          "suites": ["unit"], "tests": [], "passed": 3, "failed": 0, "skipped": 3, "seconds": 90,
          "checks": [{"name": "quickstarts", "status": "passed", "text": "the same"}], "failures": [],
          "skips": ["kernel-exp-avx2: no avx2: the best is neon", "kernel-dot-avx2: no avx2: the best is neon", "unit-a: case: no y"]}
PAGE = "# Page\n<!-- begin platforms -->\n<!-- end platforms -->\n<!-- begin kernels -->\n<!-- end kernels -->\nend\n"
KERNELS = 'kernel,unit,avx2,neon,ratio_per_lane\ndot,"multiply-adds",0.9620,2.2744,1.18\n'


class Stored(unittest.TestCase):
    def test_this_tree(self):
        run = subprocess.run([sys.executable, str(ROOT / "tools/platforms/platforms_table.py"), "check"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_kernels(self):
        """All kernels that bench/instructions.cpp runs were counted."""
        program = (ROOT / "bench/instructions.cpp").read_text()
        self.assertEqual([r["kernel"] for r in platforms_table.kernel_rows(ROOT)], re.findall(r'^    \{"([a-z-]+)", ', program, re.M))


class Table(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for path in ("docs/results/platforms", "tools/platforms/targets"):
            (self.root / path).mkdir(parents=True)
        self.add_target("one")
        (self.root / "docs/platforms.md").write_text(PAGE)
        (self.root / "docs/results/kernel_instructions.csv").write_text(KERNELS)

    def add_target(self, name):
        (self.root / f"tools/platforms/targets/{name}.sh").write_text(f"title='Target {name}'\n")

    def store(self, **changes):
        (self.root / "docs/results/platforms/one.json").write_text(json.dumps({**RESULT, **changes}))
        platforms_table.write(self.root)

    def test_table(self):
        self.store()
        self.assertEqual(platforms_table.problems(self.root, "0.1.0"), [])
        text = (self.root / "docs/platforms.md").read_text()
        self.assertIn("| One | cc 1 | natively | unit | 3 | 0 | 3 | 1.5 | 0.1.0 | abc | 2026-11-24 |\n", text)
        self.assertIn("| One | quickstarts | passed | the same |\n", text)
        self.assertIn("| dot | multiply-adds | 0.962 | 2.27 | 1.18 |\n", text)
        self.assertTrue(text.startswith("# Page\n") and text.endswith("\nend\n"))

    def test_age(self):
        """A result of another version is found."""
        self.store()
        found = platforms_table.problems(self.root, "0.2.0")
        self.assertEqual(len(found), 1)
        self.assertIn("one: stored for version 0.1.0, this is 0.2.0", found[0])

    def test_faults(self):
        for changes in ({"failed": 1}, {"passed": 0}, {"more": 1}, {"commit": "abc-dirty"}):
            self.store(**changes)
            self.assertEqual(len(platforms_table.problems(self.root, "0.1.0")), 1, changes)
        self.store(target="three")  # and none of "one"
        self.assertEqual(len(platforms_table.problems(self.root, "0.1.0")), 2)
        self.store()
        csv_file = self.root / "docs/results/kernel_instructions.csv"
        csv_file.write_text(KERNELS.replace("1.18", "1.31"))
        platforms_table.write(self.root)
        self.assertEqual(len(platforms_table.problems(self.root, "0.1.0")), 1)
        # The one that may take more may not take any number.
        for ratio, problems in (("1.32", 0), ("1.36", 1)):
            csv_file.write_text(f'kernel,unit,avx2,neon,ratio_per_lane\ntwo-tokens-mismatch,"problems",19.5,51.3,{ratio}\n')
            platforms_table.write(self.root)
            self.assertEqual(len(platforms_table.problems(self.root, "0.1.0")), problems)
        csv_file.write_text(KERNELS)
        self.add_target("two")
        platforms_table.write(self.root)
        self.assertIn("| Target two | | not run for this version |", (self.root / "docs/platforms.md").read_text())
        self.assertEqual(platforms_table.problems(self.root, "0.1.0"), ["Target two: no stored result"])
        (self.root / "tools/platforms/targets/two.sh").unlink()
        (self.root / "docs/results/platforms/one.json").unlink()
        platforms_table.write(self.root)
        self.assertEqual(len(platforms_table.problems(self.root, "0.1.0")), 1)

    def test_page(self):
        """A page whose table was not made from the results is found."""
        self.store()
        page = self.root / "docs/platforms.md"
        text = page.read_text()
        for ours, other in (("| 3 | 0 |", "| 4 | 0 |"), ("| 2.27 |", "| 2.26 |")):
            page.write_text(text.replace(ours, other))
            self.assertEqual(len(platforms_table.problems(self.root, "0.1.0")), 1)


class Script(unittest.TestCase):
    def run_script(self, *arguments, path=None):
        run = subprocess.run([str(ROOT / "tools/platforms/platforms.sh"), *arguments], capture_output=True, text=True,
                             env={**os.environ, **({"PATH": path} if path else {})})
        return run.returncode, run.stdout + run.stderr

    def test_arguments(self):
        for arguments in ([], ["--nonsense"], ["--folder"], ["--folder", "x", "aarch64", "armv7"], ["nonsense"]):
            status, out = self.run_script(*arguments)
            self.assertEqual(status, 2, out)

    def test_list(self):
        status, out = self.run_script("--list")
        self.assertEqual(status, 0)
        self.assertEqual([line.split()[0] for line in out.splitlines()],
                         sorted(path.stem for path in (ROOT / "tools/platforms/targets").glob("*.sh")))

    def test_skips(self):
        """Without a compiler a target is skipped, with what to install."""
        with tempfile.TemporaryDirectory() as folder:
            for tool in ("sh", "dirname", "sed", "cat", "basename"):
                os.symlink(shutil.which(tool), f"{folder}/{tool}")
            status, out = self.run_script("s390x", path=folder)
        self.assertEqual(status, 77, out)
        self.assertIn("skipped: s390x: s390x-linux-gnu-g++ is not installed (run tools/machines/install-deps.sh --platforms)", out)


class Board(unittest.TestCase):
    def run_on_board(self, program):
        run = subprocess.run([str(ROOT / "tools/platforms/targets/on_board.py"), "64", sys.executable, "-c", program], capture_output=True, text=True)
        return run.returncode, run.stdout

    def test_limits(self):
        """A program sees its limits, and its peak is measured."""
        status, out = self.run_on_board("import time; x = b'x' * 20000000; time.sleep(0.2)")
        self.assertEqual(status, 0)
        self.assertRegex(out, r"peak \d\d\.\d MB resident, \d\d\.\d MB of addresses\n$")
        self.assertGreater(float(out.split()[1]), 20)
        status, out = self.run_on_board("x = b'x' * 70000000")
        self.assertNotEqual(status, 0)


if __name__ == "__main__":
    unittest.main()
