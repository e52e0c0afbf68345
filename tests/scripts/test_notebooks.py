#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tools/ci/notebooks.py: what it finds in notebooks with planted faults, and that those of the tree have none."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCRIPT = ROOT / "tools/ci/notebooks.py"


def run(*arguments):
    done = subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


class Notebooks(unittest.TestCase):
    def stored(self, *texts, clean=True, **code):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / "a.ipynb"
        cells = [{"cell_type": "markdown", "source": [text]} for text in texts]
        cells.append({"cell_type": "code", "source": ["x = 1.25"], "execution_count": None, "outputs": [], **code})
        path.write_text(json.dumps({"cells": cells, "metadata": {"kernelspec": {"language": "python"}}}))
        if clean:
            self.assertEqual(run("clean", path), (0, ""))
        return path

    def test_the_tree(self):
        names = sorted((ROOT / "examples/notebooks").glob("*.ipynb"))
        self.assertGreater(len(names), 3)
        self.assertEqual(run("check", *names), (0, f"{len(names)} notebooks\n"))

    def test_outputs(self):
        path = self.stored("text", clean=False, outputs=[{"output_type": "stream", "name": "stdout", "text": "1"}])
        self.assertEqual(run("check", path), (1, f"{path}: outputs, or not in canonical form: run tools/ci/notebooks.py clean {path}\n"))
        run("clean", path)
        self.assertEqual(run("check", path)[0], 0)
        self.assertNotIn("stdout", path.read_text())

    def test_numbers(self):
        mark = '<!-- number: 1.25: f"{x:.2f}" -->'
        self.assertEqual(run("check", self.stored(f"The loss is 1.25, with `rate=0.5` and $z = 2.5$.\n{mark}"))[0], 0)
        path = self.stored("The loss is 1.25.")
        self.assertEqual(run("check", path), (1, f"{path}: the text has 1.25, but no mark for it\n"))
        path = self.stored(f"The loss is small.\n{mark}")
        self.assertEqual(run("check", path), (1, f"{path}: a mark has 1.25, but its text does not\n"))

    def test_usage(self):
        self.assertEqual((run("--help")[0], run()[0], run("show", "x")[0]), (0, 2, 2))


if __name__ == "__main__":
    unittest.main()
