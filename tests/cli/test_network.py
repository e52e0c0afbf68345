#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""learn --family encoder and dial: the log against eval, maps against the true model's table, L-BFGS after SGD, checkpoints, bad flags."""
import csv
import io
import math
import os

from program import Case, main, read_table, run, small_data
from tables import differences

TRAIN = ["learn", "data.h5", "--rows", "0:300", "--test", "data.h5", "--test-rows", "300:100", "--truth", "truth.h5", "--log", "log.csv"]
SGD = ["--epochs", "60", "--rate", "0.1", "--set", "momentum=0.5", "--batch", "20", "--seed", "3"]
ENCODER = ["--family", "encoder"]
FACTORED = ["--family", "dial", "--map", "free", "-o", "m.h5"]


def rows_of(text):
    return list(csv.DictReader(line for line in io.StringIO(text) if not line.startswith("#")))


def table(path):
    with open(path) as file:
        return rows_of(file.read())


def without_times(path):
    return [{name: value for name, value in row.items() if name != "seconds"} for row in table(path)]


class Network(Case):
    @classmethod
    def make_inputs(cls):
        small_data()

    def train(self, *flags, status=(0,)):
        """The rows of the log."""
        done = run(*TRAIN, *SGD, *flags)
        self.assertIn(done.returncode, status, done.stderr)
        return table("log.csv")

    def test_log(self):
        """At dial 0 with a free map the network is factored attention on masked tokens, and its last row what eval says of the model."""
        last = self.train(*FACTORED)[-1]
        found, = rows_of(self.good("eval", "m.h5", "data.h5", "--rows", "300:100", "--truth", "truth.h5").stdout)
        for name, column in (("test_loss", "loss"), ("optimal_loss", "optimal_loss"), ("coupling_error", "coupling_error")):
            self.assertAlmostEqual(float(last[name]) / float(found[column]), 1, delta=1e-5, msg=name)
        self.assertEqual(last["epoch"], "60")
        self.assertEqual(self.train(*ENCODER)[-1]["coupling_error"], "")

    def test_polish_goes_on(self):
        """L-BFGS starts where SGD ended, and ends at a lower loss of all sites; a penalty makes the loss larger."""
        for flags in (FACTORED, ENCODER, ["--family", "dial", "--set", "dial=0.4"]):
            alone = self.train(*flags, "--precision", "64")
            rows = self.train(*flags, "--polish", "5", "--precision", "64", status=(0, 3))
            self.assertEqual([{**row, "seconds": ""} for row in rows[:60]], [{**row, "seconds": ""} for row in alone])
            self.assertEqual(rows[60]["epoch"], "61")
            self.assertLess(float(rows[-1]["train_loss"]), float(rows[60]["train_loss"]))
        factored = ["--objective", "mlm", "-o", "m.h5", "--polish", "5000", "--precision", "64"]
        free = float(self.train(*factored)[-1]["train_loss"])
        held = float(self.train(*factored, "--l2-couplings", "0.01", "--set", "l2-colors=0.01")[-1]["train_loss"])
        self.assertLess(free, held)

    def test_maps(self):
        self.train(*FACTORED, "--polish", "5000", "--precision", "64", "--maps", "maps.csv")
        with open("maps.csv") as file:
            text = file.read()
        self.assertEqual(differences("learn --maps", read_table(text)[1]), [])
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
        x, y = ([float(row[name]) for row in rows] for name in ("coupling", "map_1"))
        self.assertGreater(sum(a * b for a, b in zip(x, y)) / math.sqrt(sum(a * a for a in x) * sum(b * b for b in y)), 0.8)
        self.train(*ENCODER, "--set", "blocks=2", "--maps", "maps.csv")
        for row in table("maps.csv"):
            self.assertTrue(0 <= float(row["map_1"]) <= 1 and 0 <= float(row["map_2"]) <= 1)

    def test_checkpoint(self):
        """A run that goes on, after its SGD or within its polish, has the rows and the maps of one that was not interrupted."""
        flags = [*ENCODER, "--precision", "64", "--maps", "maps.csv"]
        self.train(*flags, "--polish", "9", status=(0, 3))
        log, maps = without_times("log.csv"), table("maps.csv")
        for first, begun in (([], 60), (["--polish", "4"], 64)):
            self.train(*flags, *first, "--checkpoint", "run.state", "--restart", status=(0, 3))
            self.assertEqual(len(table("log.csv")), begun)
            done = run(*TRAIN, *SGD, *flags, "--polish", "9", "--checkpoint", "run.state", "--resume")
            self.assertIn(f"continuing after epoch {begun}", done.stderr)
            self.assertEqual((without_times("log.csv"), table("maps.csv")), (log, maps))
        self.wrong(2, ["run.state", "--polish as in that run"], *TRAIN, *SGD, *flags, "--checkpoint", "run.state", "--resume", "--quiet")

    def test_best(self):
        """--keep best gives the maps of the epoch with the lowest test loss."""
        self.train(*FACTORED, "--maps", "last.csv")
        rows = self.train(*FACTORED, "--maps", "best.csv", "--keep", "best")
        best = min(rows, key=lambda row: float(row["test_loss"]))
        found, = rows_of(self.good("eval", "m.h5", "data.h5", "--rows", "300:100").stdout)
        self.assertAlmostEqual(float(found["loss"]), float(best["test_loss"]), delta=1e-5)

    def test_divergence(self):
        done = run(*TRAIN, *ENCODER, "--epochs", "200", "--rate", "1e5", "--polish", "3")
        self.assertEqual(done.returncode, 3)
        self.assertIn("not converged (diverged)", done.stderr)

    def test_bad_flags(self):
        for flags, parts in (([*ENCODER, "-o", "m.h5"], ["--output", "has couplings"]), ([*ENCODER, "--heads", "2"], ["--heads"]),
                             ([*ENCODER, "--map", "free"], ["--map", "--family factored or dial"]),
                             (["--family", "dial", "--set", "dial=1", "--map", "free"], ["--map", "--set dial=0"]),
                             (["--family", "factored"], ["--output"]), ([*ENCODER, "--optimizer", "lbfgs"], ["--optimizer", "pseudolikelihood"]),
                             ([*ENCODER, "--rate", "-1"], ["-1"]), ([*ENCODER, "--set", "momentum=2"], ["momentum=2"]),
                             (["-o", "m.h5", "--polish", "3"], ["--polish", "--optimizer sgd or adam"]), ([*ENCODER, "--polish", "-1"], ["-1"]),
                             ([*ENCODER, "--set", "symmetrized=1"], ["symmetrized", "encoder", "only to factored"]),
                             (["--family", "dial", "--map", "free", "--set", "init-scale=0"], ["--set init-scale is 0"])):
            self.wrong(2, parts, *TRAIN, "--quiet", *flags)
        self.wrong(2, ["--maps"], "learn", "data.h5", *ENCODER, "--maps", "maps.csv")

    def test_flags_of_other_families(self):
        """The message names the families that have the flag or the option, and words as they are written."""
        factored, both = "expected only with --family factored", "expected only with --family factored or dense"
        for families, flags, told in [(("encoder", "dial", "dense"), ["--heads", "2"], factored), (("encoder", "dial", "dense"), ["--rank", "2"], factored),
                                      (("encoder", "dial", "dense"), ["--colors-from", "truth.h5"], factored),
                                      (("encoder", "dense"), ["--map", "softmax"], f"{factored} or dial"), (("dense",), ["--polish", "3"], "or encoder or dial"),
                                      (("encoder", "dial"), ["--gaps", "ignore"], both), (("encoder", "dial"), ["--l2-fields", "1"], both),
                                      (("encoder", "dial", "factored"), ["--asymmetric"], "expected only with --family dense"),
                                      (("encoder", "dial"), ["--set", "mask-probability=0.2"], "only to factored"),
                                      (("encoder",), ["--set", "diagonal=after"], "option diagonal is after: it means nothing to family encoder, only to factored"),
                                      (("dense",), ["--set", "init-scale=0"], "only to factored or encoder or dial; leave it at 0.1")]:
            for family in families:
                output = ["-o", "never.h5"] if family in ("dense", "factored") else []
                self.wrong(2, [told], "learn", "data.h5", "--family", family, *output, *flags)
        self.assertFalse(os.path.exists("never.h5"))


if __name__ == "__main__":
    main()
