#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""HDF5, FASTA and integers keep sequences, names and symbols; models keep their numbers."""
from program import Case, main, numbers_of, small_data


class Convert(Case):
    @classmethod
    def make_inputs(cls):
        small_data(samples=30)
        with open("in.fasta", "w") as file:
            file.write(">first one\r\nAB\r\nCDAB\r\n>second\nBBCDAC\n>third\nDDDDDD\n")

    def text(self, name):
        with open(name) as file:
            return file.read()

    def test_fasta_through_hdf5(self):
        self.good("convert", "in.fasta", "a.h5", "--alphabet", "ABCD")
        self.good("convert", "a.h5", "b.fasta")
        self.assertEqual(self.text("b.fasta"), ">first\nABCDAB\n>second\nBBCDAC\n>third\nDDDDDD\n")

    def test_integers(self):
        self.good("convert", "in.fasta", "a.txt", "--alphabet", "ABCD")
        self.assertEqual(self.text("a.txt"), "0 1 2 3 0 1\n1 1 2 3 0 2\n3 3 3 3 3 3\n")
        self.good("convert", "a.txt", "b.h5", "--alphabet", "ABCD")
        self.good("convert", "b.h5", "b.txt")
        self.assertEqual(self.text("a.txt"), self.text("b.txt"))

    def test_sampled_data_through_all_formats(self):
        self.good("convert", "data.h5", "1.fasta")
        self.good("convert", "1.fasta", "2.txt", "--alphabet", "ABCD")
        self.good("convert", "2.txt", "3.h5", "--colors", "4", "--alphabet", "ABCD")
        self.good("convert", "3.h5", "4.fasta")
        first, last = self.text("1.fasta").splitlines(), self.text("4.fasta").splitlines()
        self.assertEqual([s for s in first if s[0] != ">"], [s for s in last if s[0] != ">"])
        self.assertEqual(self.good("convert", "data.h5", "-").stdout, self.text("2.txt"))

    def test_standard_input(self):
        done = self.good("convert", "-", "-", "--alphabet", "ABCD", input=">x\nABCDAB\n")
        self.assertEqual(done.stdout, "0 1 2 3 0 1\n")

    def test_rows(self):
        whole = self.good("convert", "data.h5", "-").stdout.splitlines()
        part = self.good("convert", "data.h5", "-", "--rows", "7:5").stdout.splitlines()
        self.assertEqual(part, whole[7:12])

    def test_split(self):
        """No test sequence has more columns in common with a training sequence than the fraction says."""
        flags = ["--test-split", "0.5", "--set", "identity-test=1"]
        done = self.good("convert", "data.h5", "training.txt", "--test-output", "test.txt", *flags)
        self.good("convert", "data.h5", "whole.txt")
        training, test, whole = ([line.split() for line in self.text(name).splitlines()] for name in ("training.txt", "test.txt", "whole.txt"))
        self.assertIn(f"{len(training)} training and {len(test)} test sequences, {30 - len(training) - len(test)} of 30 not used", done.stderr)
        self.assertTrue(all(sum(a == b for a, b in zip(s, t)) <= 3 for s in training for t in test))
        self.assertTrue(training and test and all(s in whole for s in training + test))
        self.good("convert", "data.h5", "again.txt", "--test-output", "again.fasta", *flags)
        self.assertEqual(self.text("again.txt"), self.text("training.txt"))
        self.good("convert", "data.h5", "other.txt", "--test-output", "test2.txt", *flags, "--seed", "2")
        self.assertNotEqual(self.text("other.txt"), self.text("training.txt"))
        self.wrong(2, ["--test-split is \"0.5\"", "with --test-output FILE"], "convert", "data.h5", "x.txt", "--test-split", "0.5")
        self.wrong(2, ["--test-output is \"y.txt\"", "with --test-split"], "convert", "data.h5", "x.txt", "--test-output", "y.txt")
        self.wrong(2, ["--test-split is \"0.5\" but truth.h5 is a model"], "convert", "truth.h5", "x.h5", "--test-output", "y.h5", *flags[:2])
        self.wrong(2, ["--set runs has no effect here: convert without --test-split"], "convert", "data.h5", "x.txt", "--set", "runs=3")
        self.wrong(2, ["--test-split: identity is 0.2: no test sequence is left in 10 runs, must be at least 0.5, which leaves 1 training and 1"],
                   "convert", "-", "x.txt", "--test-output", "y.txt", "--test-split", "0.2", "--alphabet", "ABCD", input=">x\nBC\n>y\nBD\n")

    def test_model_copies(self):
        self.good("convert", "truth.h5", "copy.h5")
        self.assertEqual(numbers_of("truth.h5"), numbers_of("copy.h5"))
        self.good("convert", "truth.h5", "table.csv")
        with open("table.csv") as file:
            rows = [line for line in file.read().splitlines() if not line.startswith("#")]
        self.assertEqual(rows, numbers_of("truth.h5"))
        self.assertEqual(len(rows), 1 + 1 + 6 * 5 + 4 * 4)

    def test_gauges(self):
        """A gauge changes the numbers and leaves the loss alone."""
        loss = self.loss("truth.h5")
        for gauge in ("colors", "zero-sum"):
            self.good("convert", "truth.h5", f"{gauge}.h5", "--gauge", gauge)
            self.assertNotEqual(numbers_of("truth.h5"), numbers_of(f"{gauge}.h5"))
            self.assertAlmostEqual(self.loss(f"{gauge}.h5"), loss, places=9)

    def loss(self, model):
        return float(self.good("eval", model, "data.h5").stdout.splitlines()[-1].split(",")[2])


main()
