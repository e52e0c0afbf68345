#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""network: its row against learn and eval, its maps against the true model's table, L-BFGS after SGD, divergence, bad flags."""
import csv
import io
import math

from program import Case, main, read_table, run, small_data
from tables import differences

TRAIN = ["data.h5", "--rows", "0:300", "--test", "data.h5", "--test-rows", "300:100", "--truth", "truth.h5"]
SGD = ["--epochs", "60", "--rate", "0.1", "--momentum", "0.5", "--batch", "20", "--seed", "3"]


def rows_of(text):
    return list(csv.DictReader(line for line in io.StringIO(text) if not line.startswith("#")))


class Network(Case):
    @classmethod
    def make_inputs(cls):
        small_data()

    def train(self, *flags):
        return {row["end"]: row for row in rows_of(self.good("network", *TRAIN, *SGD, *flags).stdout)}

    def unfinished(self, *flags):
        done = run("network", *TRAIN, *flags)
        self.assertEqual(done.returncode, 3, done.stderr)
        return done.stdout

    def test_factored_is_that_of_learn(self):
        row = self.train()["sgd"]
        self.good("learn", "data.h5", "-o", "m.h5", "--rows", "0:300", "--objective", "mlm", *SGD)
        test = rows_of(self.good("eval", "m.h5", "data.h5", "--rows", "300:100", "--truth", "truth.h5").stdout)[0]
        train = rows_of(self.good("eval", "m.h5", "data.h5", "--rows", "0:300").stdout)[0]
        for name, there, column in (("test_loss", test, "loss"), ("optimal_loss", test, "optimal_loss"), ("train_loss", train, "loss"),
                                    ("coupling_error", test, "coupling_error")):
            self.assertAlmostEqual(float(row[name]) / float(there[column]), 1, delta=1e-5, msg=name)
        self.assertEqual((row["parameters"], row["iterations"], row["outcome"]), (str(6 * 6 + 4 * 4), "60", "max_iter"))

    def test_polish_goes_on(self):
        """L-BFGS starts where SGD ended, ends at a lower loss with a small gradient, and a penalty makes the training loss larger."""
        for flags in ([], ["--architecture", "encoder"], ["--architecture", "dial", "--dial", "0.4"]):
            alone = self.train(*flags)["sgd"]
            ends = rows_of(self.unfinished(*SGD, *flags, "--polish", "1", "--precision", "64"))
            self.assertAlmostEqual(float(alone["train_loss"]), float(ends[0]["train_loss"]), delta=1e-3)
            self.assertLess(float(ends[1]["train_loss"]), float(ends[0]["train_loss"]))
        polish = ["--polish", "5000", "--precision", "64"]
        free = self.train(*polish)["lbfgs"]
        held = self.train(*polish, "--l2-maps", "0.01", "--l2-colors", "0.01")["lbfgs"]
        self.assertEqual((free["outcome"], held["outcome"]), ("converged", "converged"))
        self.assertLess(float(free["train_loss"]), float(held["train_loss"]))
        self.assertEqual(free["train_loss"], free["objective"])
        self.assertGreater(float(held["objective"]), float(held["train_loss"]))

    def test_maps(self):
        self.train("--polish", "5000", "--precision", "64", "--maps", "maps.csv")
        with open("maps.csv") as file:
            text = file.read()
        self.assertEqual(differences("network --maps", read_table(text)[1]), [])
        rows, beta, truth = rows_of(text), 0, {}
        for row in rows_of(self.good("convert", "truth.h5", "-").stdout):
            if row["part"] == "beta":
                beta = float(row["value"])
            elif row["part"] == "map":
                truth[row["i"], row["j"]] = float(row["value"])
        self.assertEqual(len(rows), 30)
        for row in rows:
            self.assertAlmostEqual(float(row["coupling"]), beta * truth[row["i"], row["j"]], delta=1e-6)
        # Learned from 300 sequences of a small model at beta 1: close, and with the sign of J.
        x, y = ([float(row[name]) for row in rows] for name in ("coupling", "lbfgs_1"))
        self.assertGreater(sum(a * b for a, b in zip(x, y)) / math.sqrt(sum(a * a for a in x) * sum(b * b for b in y)), 0.8)
        self.train("--architecture", "encoder", "--blocks", "2", "--maps", "maps.csv")
        with open("maps.csv") as file:
            for row in rows_of(file.read()):
                self.assertTrue(0 <= float(row["sgd_1"]) <= 1 and 0 <= float(row["sgd_2"]) <= 1)

    def test_divergence(self):
        row = rows_of(self.unfinished("--epochs", "200", "--rate", "1e5"))[-1]
        self.assertEqual((row["end"], row["outcome"]), ("sgd", "diverged"))

    def test_bad_flags(self):
        for flags, part in ((["--blocks", "2"], "with --architecture encoder"), (["--dial", "1"], "with --architecture dial"),
                            (["--architecture", "dial", "--dial", "1", "--map", "free"], "--dial 0"), (["--l2-maps", "1"], "--polish"),
                            (["--architecture", "encoder", "--polish", "3", "--l2-maps", "1"], "factored"), (["--epochs", "0"], "0"),
                            (["--rate", "0"], "0"), (["--momentum", "2"], "2"), (["--polish", "-1"], "-1")):
            self.wrong(2, [flags[-2], part], "network", *TRAIN, *flags)
        self.wrong(2, ["--maps"], "network", "data.h5", "--maps", "maps.csv")
        self.wrong(2, ["--test-rows"], "network", "data.h5", "--test-rows", "0:2")


if __name__ == "__main__":
    main()
