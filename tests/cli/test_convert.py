#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""HDF5, FASTA and integers keep sequences, names and symbols; models keep their numbers."""
from program import Case, features, main, numbers_of, small_data


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

    def test_formats_of_sequences(self):
        """Each format by its name, packed and not, and by --to; --max-identity leaves out similar sequences."""
        self.good("convert", "in.fasta", "a.h5", "--alphabet", "-ABCD")
        self.good("convert", "a.h5", "expected.fasta")
        ends = [".fasta", ".a2m", ".a3m", ".sto", ".txt"]
        for end in ends + ([f"{end}.gz" for end in ends] if features().get("zlib") else []):
            self.good("convert", "a.h5", "b" + end)
            self.good("convert", "b" + end, "back.fasta", "--alphabet", "-ABCD")
            expected = self.text("expected.fasta")
            if ".txt" in end:
                expected = expected.replace(">first", ">sequence0").replace(">second", ">sequence1").replace(">third", ">sequence2")
            self.assertEqual(self.text("back.fasta"), expected, end)
        self.assertTrue(self.good("convert", "a.h5", "-", "--to", "stockholm").stdout.startswith("# STOCKHOLM 1.0\n"))
        self.wrong(2, ["lower", "expected a name that ends in .h5"], "convert", "a.h5", "lower.xyz")
        with open("similar.fasta", "w") as file:
            file.write(">a\nAAAAAAAAAA\n>short\nBBBBBBBB--\n>long\nBBBBBBBBBA\n>b\nAAAAABBBBB\n")
        done = self.good("convert", "similar.fasta", "-", "--alphabet", "-AB", "--max-identity", "0.8", "--to", "fasta")
        self.assertEqual(done.stdout, ">a\nAAAAAAAAAA\n>long\nBBBBBBBBBA\n>b\nAAAAABBBBB\n")
        self.assertIn("1 of 4 sequences are left out", done.stderr)
        self.assertIn("--theta", done.stderr)
        self.wrong(2, ["--max-identity", "truth.h5"], "convert", "truth.h5", "c.h5", "--max-identity", "0.8")
        self.wrong(2, ["--max-identity", "--test-split"], "convert", "similar.fasta", "c.h5", "--max-identity", "0.8", "--test-split", "0.5",
                   "--test-output", "t.h5")

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
