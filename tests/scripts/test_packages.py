#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Packages: the stored times are of this version and of the page's sections; what the scripts do in small copies."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools/machines"))
import fresh_packages  # noqa: E402
import packages_table  # noqa: E402

PAGE = """# Install
## Debian packages
```sh
sudo apt install ./packages/*.deb
```
### C
<!-- walk: prints "a line" -->
```sh
sudo apt install gcc
cc quickstart.c
```
## Other ways
text
## Times
<!-- begin packages -->
<!-- end packages -->
end
"""
ROW = {"way": "deb", "install_seconds": "1.0", "run_seconds": "2.5"}
CONTROL = "Tests: one\nDepends: a, b\n\nTests: two\nDepends: c\nRestrictions: allow-stderr\n"


class Stored(unittest.TestCase):
    def test_this_tree(self):
        run = subprocess.run([sys.executable, str(ROOT / "tools/machines/packages_table.py"), "check"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_every_test_has_a_script(self):
        names = [name for name, _ in fresh_packages.tests(ROOT / "packaging/debian/tests/control")]
        files = sorted(path.name for path in (ROOT / "packaging/debian/tests").iterdir() if path.name != "control")
        self.assertEqual(sorted(names), files)


class Table(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "docs/results").mkdir(parents=True)
        (self.root / packages_table.PAGE).write_text(PAGE)

    def store(self, *names):
        packages_table.store([{**ROW, "step": name} for name in names], self.root)

    def problems(self):
        return packages_table.problems(self.root, packages_table.version())

    def test_table(self):
        self.store("all packages", "C")
        self.assertEqual(self.problems(), [])
        text = (self.root / packages_table.PAGE).read_text()
        self.assertIn("| deb | C | 1.0 | 2.5 | ", text)
        self.assertTrue(text.startswith("# Install\n") and text.endswith("\nend\n"))
        # Rows of the same way are replaced.
        self.store("all packages", "C")
        self.assertEqual(len(packages_table.load(self.root)), 2)

    def test_the_debian_packages_have_times(self):
        self.store()
        self.assertEqual(self.problems(), ["deb all packages: no stored time", "deb C: no stored time"])

    def test_faults(self):
        self.store("all packages", "Fortran")
        self.assertEqual(self.problems(), ["deb C: no stored time", f"deb Fortran: a stored time of a section that {packages_table.PAGE} does not have"])
        self.store("all packages", "C")
        page = self.root / packages_table.PAGE
        page.write_text(page.read_text().replace("| 2.5 |", "| 2.4 |", 1))
        self.assertEqual(len(self.problems()), 1)
        self.assertIn("the table is not that of", self.problems()[0])
        packages_table.write(self.root)
        self.assertEqual(len(packages_table.problems(self.root, "99.0")), 2)

    def test_steps(self):
        steps = packages_table.steps(self.root / packages_table.PAGE, "deb")
        self.assertEqual([(name, step.prints) for name, step in steps], [("all packages", []), ("C", ["a line"])])
        self.assertEqual(packages_table.steps(self.root / packages_table.PAGE, "wheel"), [])

    def test_control(self):
        path = self.root / "control"
        path.write_text(CONTROL)
        self.assertEqual(list(fresh_packages.tests(path)), [("one", ["a", "b"]), ("two", ["c"])])


if __name__ == "__main__":
    unittest.main()
