#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The experiments of research/: statistics, pages, and a part of each result computed again.

usage: test_research.py LIBRARY [unittest arguments]
"""
import math
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "research"))
import lab  # noqa: E402

DATA = os.environ.get("ATP_SHARED_DATA", str(ROOT / "../shared/data"))
RUN = ROOT / "research/run.py"


def with_numpy():
    """A Python that has NumPy: this one, or that of the system; None where neither has."""
    return next((python for python in (sys.executable, "/usr/bin/python3")
                 if shutil.which(python) and subprocess.run([python, "-c", "import numpy"], capture_output=True).returncode == 0), None)


class Statistics(unittest.TestCase):
    def test_mean_and_error(self):
        """1, 2, 6: mean 3, squares 4 + 1 + 9 = 14, error^2 = 14 / (2 * 3)."""
        mean, error = lab.mean_and_error([1, 2, 6])
        self.assertEqual(mean, 3)
        self.assertAlmostEqual(error, math.sqrt(7 / 3), places=14)
        self.assertTrue(math.isnan(lab.mean_and_error([5.0])[1]))

    def test_clusters_by_hand(self):
        """Mean 4; residuals of the clusters sum to -4, 0 and 4: error^2 = 3/2 (16 + 0 + 16) / 36."""
        mean, error = lab.clustered_mean_and_error([1, 3, 3, 5, 5, 7], ["a", "a", "b", "b", "c", "c"])
        self.assertEqual(mean, 4)
        self.assertAlmostEqual(error, math.sqrt(48 / 36), places=14)

    def test_clusters_of_one_and_of_one_size(self):
        values = [1.0, 4.0, 2.5, 7.0, 3.0, 0.5]
        for got, expected in zip(lab.clustered_mean_and_error(values, range(6)), lab.mean_and_error(values)):
            self.assertAlmostEqual(got, expected, places=14)
        means = [(values[k] + values[k + 1]) / 2 for k in (0, 2, 4)]
        self.assertAlmostEqual(lab.clustered_mean_and_error(values, [0, 0, 1, 1, 2, 2])[1], lab.mean_and_error(means)[1], places=14)

    def test_coverage(self):
        """Values that share a normal number with their cluster: the error is that of the spread of means, where the plain one is too small.
        The ratio of 400 repetitions has a standard error of 4 per cent: a right formula is outside 0.85..1.15 once in 5000 choices of
        seeds; the seed is fixed."""
        generator, means, clustered, plain = random.Random(1), [], 0.0, 0.0
        for _ in range(400):
            values, clusters = [], []
            for g in range(30):
                shared = generator.gauss(0, 1)
                for _ in range(1 + g % 5):
                    values.append(shared + generator.gauss(0, 0.3))
                    clusters.append(g)
            mean, error = lab.clustered_mean_and_error(values, clusters)
            means.append(mean)
            clustered += error**2 / 400
            plain += lab.mean_and_error(values)[1]**2 / 400
        variance = sum(m * m for m in means) / 400
        self.assertTrue(0.85 < math.sqrt(clustered / variance) < 1.15)
        self.assertLess(math.sqrt(plain / variance), 0.7)

    def test_line(self):
        """Through (0, 1), (1, 3), (2, 5) with equal errors 1: a = 1, b = 2, error of a = sqrt(1/3 + 1/2)."""
        a, error, b = lab.line([0, 1, 2], [1, 3, 5], [1, 1, 1])
        for got, expected in ((a, 1), (b, 2), (error, math.sqrt(5 / 6))):
            self.assertAlmostEqual(got, expected, places=14)
        # A point with a large error counts for nothing.
        self.assertAlmostEqual(lab.line([0, 1, 2], [1, 3, 99], [1, 1, 1e9])[2], 2, places=6)

    def test_pearson_and_median(self):
        self.assertAlmostEqual(lab.pearson([1, 2, 3], [2, 1, 3]), 0.5, places=14)
        self.assertEqual((lab.median([3, 1, 2]), lab.median([4, 1, 3, 2])), (2, 2.5))


class Compare(unittest.TestCase):
    SAME = lab.Same(("name", "k"), ("x", "word"), {"mean": "error"})
    ROW = {"name": "a", "k": 1.0, "x": 2.0, "word": "done", "mean": 1.0, "error": 0.1}

    def off(self, **changes):
        return lab.compare("table", self.SAME, [{**self.ROW, **changes}], [self.ROW])

    def test_agreement(self):
        self.assertEqual(self.off(), (3, []))
        self.assertEqual(self.off(x=2.0 * (1 + 5e-7), mean=1.0 + 4.9 * math.hypot(0.1, 0.1)), (3, []))
        self.assertEqual(self.off(x=math.nan), (2, []), "not computed")

    def test_faults(self):
        for changes in ({"x": 2.0 * (1 + 3e-6)}, {"word": "max_iter"}, {"mean": 1.0 + 5.1 * math.hypot(0.1, 0.1)}, {"k": 2.0}):
            self.assertEqual(len(self.off(**changes)[1]), 1, changes)


class Results(unittest.TestCase):
    def run_it(self, *arguments):
        python = with_numpy()
        if python is None:
            self.skipTest("research/ needs NumPy (Debian: python3-numpy)")
        return subprocess.run([python, RUN, *map(str, arguments), "--library", LIBRARY, "--data", DATA], capture_output=True, text=True)

    def test_pages(self):
        """Pages and docs/results.md have the numbers of the tables."""
        done = self.run_it("--all", "--check")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_planted_fault(self):
        """A stored number that is a thousandth off is found, by --quick and by --check."""
        with tempfile.TemporaryDirectory() as folder:
            for end in (".csv", ".md", ".svg"):
                shutil.copy(ROOT / f"research/results/fig3_left{end}", folder)
            done = self.run_it("fig3_left", "--quick", "--out", folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            path = pathlib.Path(folder, "fig3_left.csv")
            rows = path.read_text().splitlines()
            cells = rows[-1].split(",")
            cells[2] = repr(float(cells[2]) * 1.001)
            path.write_text("\n".join([*rows[:-1], ",".join(cells)]) + "\n")
            done = self.run_it("fig3_left", "--quick", "--out", folder)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn("fig3_left.csv, [4.0]: eg is", done.stderr)
            page = pathlib.Path(folder, "fig3_left.md")
            page.write_text(page.read_text().replace("16 of 16", "15 of 16"))
            self.assertIn("fig3_left.md is not that of the stored tables", self.run_it("fig3_left", "--check", "--out", folder).stderr)

    def test_all_quick(self):
        """A part of every result is computed again, and is what is stored."""
        done = self.run_it("--all", "--quick")
        print(done.stdout)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(sum(" numbers compared" in line for line in done.stdout.splitlines()), 25)


if __name__ == "__main__":
    LIBRARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
