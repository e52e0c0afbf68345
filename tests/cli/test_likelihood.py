#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""learn --objective likelihood: convergence in equilibrium, its columns, checkpoints, starts from a model, bad flags."""
import csv
import os

from program import Case, main, small_data

TRAIN = ["learn", "data.h5", "--log", "log.csv", "-o", "m.h5", "--objective", "likelihood", "--family", "dense", "--seed", "3"]

FAST = ["--target", "0.9", "--rate", "0.3", "--set", "decay=200"]


def rows_of(path):
    with open(path) as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    return [{name: value for name, value in row.items() if name != "seconds"} for row in rows]


class Likelihood(Case):
    @classmethod
    def make_inputs(cls):
        small_data(sites=6)

    def test_converges(self):
        """The last row has the verification; a start from the fitted model needs fewer steps; samples agree with the data."""
        self.good(*TRAIN, *FAST)
        rows = rows_of("log.csv")
        for name in ("pearson_random", "pearson_natural"):
            self.assertGreaterEqual(float(rows[-1][name]), 0.9)
        for name in ("slope_random", "slope_natural"):
            self.assertAlmostEqual(float(rows[-1][name]), 1, delta=0.05)
        os.rename("m.h5", "first.h5")
        self.good(*TRAIN, *FAST, "--start-model", "first.h5")
        self.assertLess(len(rows_of("log.csv")), len(rows))

    def test_threads(self):
        """The numbers do not depend on threads."""
        flags = ["--epochs", "12", "--set", "chains=100", "--target", "1"]
        self.good(*TRAIN, *flags)
        whole = rows_of("log.csv")
        self.assertEqual(len(whole), 12)
        self.good(*TRAIN, *flags, "--threads", "2")
        self.assertEqual(rows_of("log.csv"), whole)

    def test_factored(self):
        self.good(*["factored" if word == "dense" else word for word in TRAIN], "--fields", "--heads", "2", "--epochs", "20", "--target", "1")
        self.assertLess(float(rows_of("log.csv")[-1]["field_error"]), 0.1)

    def test_bad_flags(self):
        for flags, text in (
            (["--optimizer", "lbfgs"], "lbfgs"),
            (["--asymmetric"], "asymmetric"),
            (["--gaps", "ignore"], "gaps"),
            (["--target", "2"], "--target"),
        ):
            self.wrong(2, [text], *TRAIN, *flags)
        self.wrong(2, ["--objective likelihood"], "learn", "data.h5", "-o", "m.h5", "--sweeps", "10")


main()
