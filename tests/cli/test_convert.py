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
