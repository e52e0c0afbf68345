#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Several betas in one run: `sample --betas` against `enumerate`, tables and picture, one verdict, and what is refused."""
import math

from program import Case, main, read_table, run, small_data
from tables import differences

BETAS = "0,0.3,0.6,1"
# Distances in units of the stated errors: 4.5 is 7e-6 for each of 40 numbers; the seed is fixed.
MOST = 4.5
COMPARED = ("energy", "specific_heat", "magnetisation", "magnetisation_binder", "overlap", "overlap_square", "reference",
            "reference_binder", "log_z", "entropy")


def rows_of(path):
    with open(path) as file:
        return read_table(file.read())[2]


class Rungs(Case):
    @classmethod
    def make_inputs(cls):
        small_data()
        with open("reference.txt", "w") as file:
            file.write("3 0 1 2 2 0\n0 0 0 0 0 0\n")  # the first counts
        with open("short.txt", "w") as file:
            file.write("3 0 1 2 2\n")

    def test_measured_against_exact(self):
        done = self.good("sample", "--model", "truth.h5", "--betas", BETAS, "--reference", "reference.txt", "--rungs", "rungs.csv",
                         "--overlaps", "overlaps.csv", "--picture", "rungs.svg")
        self.assertIn("in equilibrium", done.stderr)
        self.assertNotIn("not in equilibrium", done.stderr)
        self.assertEqual(done.stdout, "")
        self.good("enumerate", "truth.h5", "--betas", BETAS, "--reference", "reference.txt", "--csv", "exact.csv", "--marginals", "marginals.csv")
        measured, exact = rows_of("rungs.csv"), rows_of("exact.csv")
        for got, truth in zip(measured, exact, strict=True):
            self.assertEqual(got["outcome"], "converged")
            self.assertLessEqual(float(got["rhat"]), float(got["rhat_limit"]))
            for name in COMPARED:
                value, error, expected = float(got[name]), float(got[name + "_error"]), float(truth[name])
                self.assertLessEqual(abs(value - expected), MOST * error + 1e-9, f"{name} at {got['beta']}: {value} +- {error}, {expected}")
        self.assertAlmostEqual(float(measured[0]["log_z"]), 6 * math.log(4), 8)
        for beta in BETAS.split(","):
            bins = [row for row in rows_of("overlaps.csv") if float(row["beta"]) == float(beta)]
            self.assertAlmostEqual(sum(float(row["density"]) * float(row["width"]) for row in bins), 1, 9)
            for site in range(6):
                self.assertAlmostEqual(sum(float(row["probability"]) for row in rows_of("marginals.csv")
                                           if float(row["beta"]) == float(beta) and row["site"] == str(site)), 1, 9)
        with open("rungs.svg") as file:
            picture = file.read()
        for text in ("Distribution of overlaps", "Specific heat", "Binder cumulants"):
            self.assertIn(text, picture)

    def test_asymmetric(self):
        """Energies are those of the symmetric part; enumerate says so of learned maps, and of no others."""
        self.good("learn", "data.h5", "-o", "maps.h5")
        self.assertIn("not symmetric", self.good("enumerate", "maps.h5", "--csv", "maps.csv").stderr)
        self.assertNotIn("not symmetric", self.good("enumerate", "truth.h5", "--csv", "maps.csv").stderr)

    def test_columns(self):
        self.good("sample", "--model", "truth.h5", "--betas", BETAS, "--reads", 500, "--rungs", "r.csv", "--overlaps", "o.csv")
        self.good("enumerate", "truth.h5", "--csv", "e.csv", "--marginals", "m.csv")
        for section, name in (("sample --betas", "r.csv"), ("sample --betas", "e.csv"), ("sample --overlaps", "o.csv"),
                              ("enumerate --marginals", "m.csv")):
            with open(name) as file:
                self.assertEqual(differences(section, read_table(file.read())[1]), [])

    def test_one_verdict(self):
        """Too few read-outs, and chains of a ferromagnet that stay in one phase: status 3, and no word of equilibrium."""
        few = self.wrong(3, ["errors are not to be relied on"], "sample", "--model", "truth.h5", "--betas", BETAS, "--reads", 16, "--rungs",
                         "few.csv")
        self.assertNotIn("equilibrium", few.stderr)
        self.assertEqual({row["outcome"] for row in rows_of("few.csv")}, {"max_iter"})
        with open("J.txt", "w") as file:
            for i in range(16):
                file.write(" ".join("0" if i == j else "1" for j in range(16)) + "\n")
        stuck = run("sample", "--couplings", "J.txt", "--colors", 2, "--protocol", "chain", "--betas", "0.01,1", "--rungs", "stuck.csv")
        self.assertEqual(stuck.returncode, 3, stuck.stderr)
        self.assertIn("not in equilibrium: on 1 of 2 rungs", stuck.stderr)
        self.assertNotIn("in equilibrium:", stuck.stderr.replace("not in equilibrium:", ""))
        rows = rows_of("stuck.csv")
        self.assertGreater(float(rows[1]["rhat"]), float(rows[1]["rhat_limit"]))
        self.assertEqual(rows[0]["log_z"], "")

    def test_refused(self):
        for fragments, arguments in ((["--rungs", "only with --betas"], ["--beta", 1, "-o", "x.txt", "--rungs", "r.csv"]),
                                     (["--output", "together with --betas"], ["--betas", "0,1", "-o", "x.txt"]),
                                     (["--beta", "together with --betas"], ["--betas", "0,1", "--beta", 1]),
                                     (["--betas", "increasing"], ["--betas", "1,0.5"]),
                                     (["--reference", "only with --betas"], ["--beta", 1, "-o", "x.txt", "--reference", "reference.txt"]),
                                     (["--reference short.txt", "6"], ["--betas", "0,1", "--reference", "short.txt"]),
                                     (["--output is missing"], ["--beta", 1]),
                                     (["chains", "at least 2"], ["--betas", "0,1", "--chains", 1]),
                                     (["beta-hot"], ["--betas", "0,1", "--set", "beta-hot=0.1"])):
            self.wrong(2, fragments, "sample", "--model", "truth.h5", *arguments)
        self.good("sample", "--sites", 14, "--colors", 4, "--beta", 1, "--samples", 16, "--protocol", "chain", "--thin", 1, "-o", "x.txt",
                  "--model-out", "large.h5")
        self.wrong(2, ["4^14 states", "2^26"], "enumerate", "large.h5")


main()
