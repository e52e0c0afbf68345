#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""learn --objective likelihood: convergence in equilibrium, its columns, checkpoints, starts from a model, bad flags."""
import csv
import os

from program import Case, main, run, small_data

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

    def test_starts(self):
        """Mean-field couplings and an autoregressive model are starts; independent sites are the default."""
        self.good("learn", "data.h5", "--family", "dense", "--objective", "autoregressive", "-o", "ordered.h5")
        counts = []
        for start in ("mean-field", "ordered.h5", "independent"):
            self.good(*TRAIN, *FAST, "--start-model", start)
            counts.append(rows_of("log.csv"))
        self.good(*TRAIN, *FAST)
        self.assertEqual(*([row["field_error"] for row in rows] for rows in (counts[2], rows_of("log.csv"))))
        self.assertLessEqual(max(len(counts[0]), len(counts[1])), len(counts[2]))

    def test_log_p_above_zero(self):
        """Half of the probability is one state that annealing does not find: its log P is above 0, which is said."""
        sites, colors = 24, 3
        with open("deep.csv", "w") as file:
            file.write("i,j,a,b,J\n" + "".join(f"{i},{j},0,0,0.4\n" for j in range(sites) for i in range(j)))
        with open("fields.txt", "w") as file:
            file.write("-3.5 0 0\n" * sites)
        with open("zeros.txt", "w") as file:
            file.write(" ".join("0" * sites) + "\n")
        self.good("sample", "--couplings", "deep.csv", "--colors", colors, "--fields", "fields.txt", "--beta", 1, "--samples", 1, "--protocol",
                  "chain", "--thin", 1, "-o", "s.txt", "--model-out", "deep.h5")
        for command in ("energies", "eval"):
            done = run(command, "deep.h5", "zeros.txt", "--colors", colors, "--log-likelihood")
            self.assertIn("log P of 1 of 1 sequences is above 0: log Z is too small", done.stderr)
        self.assertEqual(run("energies", "deep.h5", "zeros.txt", "--colors", colors, "--log-likelihood").returncode, 3)

    def test_threads(self):
        """The numbers do not depend on threads."""
        flags = ["--epochs", "12", "--set", "chains=100", "--target", "1"]
        self.good(*TRAIN, *flags)
        whole = rows_of("log.csv")
        self.assertEqual(len(whole), 12)
        self.good(*TRAIN, *flags, "--threads", "2")
        self.assertEqual(rows_of("log.csv"), whole)

    def test_chains(self):
        """A run takes up the model and the chains of another: its first step is already as near to the data as the last one was."""
        flags = ["--epochs", "200", "--set", "chains=512", "--target", "1"]
        self.good(*TRAIN, *flags, "--chains-out", "chains.fasta")
        with open("chains.fasta") as file:
            rows = [line.strip() for line in file if not line.startswith(">")]
        self.assertEqual((len(rows), {len(row) for row in rows}), (512, {6}))
        last = float(rows_of("log.csv")[-1]["field_error"])
        os.rename("m.h5", "first.h5")
        errors = []
        for start in ["--start-chains", "chains.fasta"], ["--start-chains", "far.fasta"]:
            with open("far.fasta", "w") as file:
                file.write(">chain_0|log_weight=0.5\nAAAAAA\n")
            self.good(*TRAIN, "--epochs", "1", *flags[2:], "--sweeps", "1", "--set", "random-chains=0", "--start-model", "first.h5", *start)
            errors.append(float(rows_of("log.csv")[-1]["field_error"]))
        self.assertLess(errors[0], last + 0.03)
        self.assertGreater(errors[1], errors[0])

    def test_goes_on_to_more_steps(self):
        """A run of 15 steps goes on to 30 with the model of a run of 30, but not with another start than it began with."""
        flags = ["--target", "1", "--set", "chains=64"]
        self.good(*TRAIN, *flags, "--epochs", "30", "--start-model", "truth.h5")
        os.rename("m.h5", "whole.h5")
        whole = rows_of("log.csv")
        kept = [*TRAIN, *flags, "--checkpoint", "c.state"]
        self.good(*kept, "--epochs", "15", "--start-model", "truth.h5")
        for start in (["--start-model", "mean-field"], ["--start-model", "independent"], ["--start-chains", "data.h5"]):
            done = run(*kept, "--epochs", "30", "--resume", *start)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"{start[0]} is not that of the run in --checkpoint c.state", done.stderr)
        self.good(*kept, "--epochs", "30", "--resume", "--start-model", "truth.h5")
        self.good("convert", "m.h5", "m.csv")
        self.good("convert", "whole.h5", "whole.csv")
        self.assertEqual(rows_of("m.csv"), rows_of("whole.csv"))
        self.assertEqual(rows_of("log.csv"), whole)

    def test_bad_chains(self):
        with open("five.fasta", "w") as file:
            file.write(">a\nDBCAB\n>b\nABCDA\n")
        self.wrong(2, ["--start-chains", "5 sites"], *TRAIN, "--target", "1", "--start-chains", "five.fasta")
        self.wrong(2, ["persist"], *TRAIN, "--target", "1", "--set", "chain-start=data", "--start-chains", "data.h5")
        self.good("convert", "data.h5", "data.txt")
        self.wrong(2, ["--chains-out", "--alphabet"], TRAIN[0], "data.txt", *TRAIN[2:], "--chains-out", "chains.fasta")
        self.wrong(2, ["chains.doc"], *TRAIN, "--chains-out", "chains.doc")
        self.wrong(2, ["--objective likelihood"], "learn", "data.h5", "-o", "m.h5", "--family", "dense", "--chains-out", "chains.fasta")

    def test_factored(self):
        self.good(*["factored" if word == "dense" else word for word in TRAIN], "--fields", "--heads", "2", "--epochs", "20", "--target", "1")
        self.assertLess(float(rows_of("log.csv")[-1]["field_error"]), 0.1)

    def test_sparse(self):
        """Activation fills up to the density, decimation goes down to it; files of adabmDCA have the active couplings alone."""
        couplings = 6 * 5 // 2 * 16
        for rule, first in (("activate", 0), ("decimate", 1)):
            flags = ["--sparsify", rule, "--density", "0.3", "--set", "sparsify-fraction=0.2", "--target", "1", "--epochs", "60"]
            self.good(*TRAIN, *flags)
            rows = rows_of("log.csv")
            density = [float(row["density"]) for row in rows]
            gains = [float(row["gain"] or 0) for row in rows]
            self.assertEqual(density[0], first)
            self.assertEqual(density[-1], int(0.3 * couplings) / couplings)
            for step in range(1, len(rows)):
                sign = (density[step] > density[step - 1]) - (density[step] < density[step - 1])
                self.assertEqual((gains[step] > 0) - (gains[step] < 0), sign)
            self.good("convert", "m.h5", "m.txt", "--to", "adabm")
            with open("m.txt") as file:
                self.assertEqual(sum(line.startswith("J") for line in file), int(0.3 * couplings))

    def test_reintegrate(self):
        """A sequence that failed is less probable in the model of the family with it, one that works is more probable."""
        self.good("sample", "--model", "truth.h5", "--samples", "2", "--seed", "5", "-o", "tested.fasta", "--beta", "0.1")
        with open("adjustments.txt", "w") as file:
            file.write("1\n-1\n")
        flags = ["--epochs", "150", "--target", "1", "--rate", "0.3"]
        probabilities = []
        for more in ([], ["--reintegrate", "tested.fasta", "--adjustments", "adjustments.txt", "--reintegrate-strength", "0.1"]):
            self.good(*TRAIN, *flags, *more)
            self.good("energies", "m.h5", "tested.fasta", "--log-likelihood", "--csv", "e.csv")
            with open("e.csv") as file:
                rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
            probabilities.append([float(row["log_p"]) for row in rows])
        self.assertGreater(probabilities[1][0], probabilities[0][0])
        self.assertLess(probabilities[1][1], probabilities[0][1])
        self.wrong(2, ["--adjustments adjustments.txt has 2 numbers, expected 400"], *TRAIN, "--reintegrate", "data.h5",
                   "--adjustments", "adjustments.txt")
        self.wrong(2, ["--adjustments", "--reintegrate"], *TRAIN, "--adjustments", "adjustments.txt")
        self.wrong(2, ["--reintegrate", "--objective likelihood"], "learn", "data.h5", "-o", "m.h5", "--reintegrate", "tested.fasta")

    def test_bad_flags(self):
        for flags, text in (
            (["--optimizer", "lbfgs"], "lbfgs"),
            (["--asymmetric"], "asymmetric"),
            (["--gaps", "ignore"], "gaps"),
            (["--target", "2"], "--target"),
            (["--like", "plmc"], "expected no --like"),
        ):
            self.wrong(2, [text], *TRAIN, *flags)
        self.wrong(2, ["--objective likelihood"], "learn", "data.h5", "-o", "m.h5", "--sweeps", "10")
        self.wrong(2, ["--density", "--sparsify activate or decimate"], *TRAIN, "--density", "0.1")
        self.wrong(2, ["--sparsify", "--objective likelihood"], "learn", "data.h5", "-o", "m.h5", "--sparsify", "activate")
        self.wrong(2, ["--sparsify", "more", "decimate"], *TRAIN, "--sparsify", "more")


main()
