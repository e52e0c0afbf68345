#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files of numbers: text as numpy.savetxt writes it, and .npy files of every kind."""
import npy
from program import Case, main, numbers_of, run, small_data

J = [[0, 1, -2], [1, 0, 3], [-2, 3, 0]]
U = [[2, -1], [-1, 1]]


def savetxt(name, rows, delimiter=" "):
    with open(name, "w") as file:
        for row in rows:
            file.write(delimiter.join(f"{x:.18e}" for x in row) + "\n")


class Numbers(Case):
    @classmethod
    def make_inputs(cls):
        small_data(samples=30)
        savetxt("J.txt", J)
        savetxt("U.csv", U, ",")

    def model_of(self, couplings, matrix="U.csv"):
        """The parameters of a model from files of J and U."""
        self.good("sample", "--couplings", couplings, "--color-matrix", matrix, "--beta", "1", "--protocol", "chain", "--samples", "2",
                  "--thin", "1", "-o", "s.txt", "--model-out", "m.h5")
        return numbers_of("m.h5")

    def test_kinds(self):
        """Every type, order and version gives the numbers of the text file."""
        expected = self.model_of("J.txt")
        self.assertIn("map,0,1,2,,,3", expected)
        npy.write("U.npy", U, descr=">f8", fortran=True)
        self.assertEqual(self.model_of("J.txt", "U.npy"), expected)
        for descr in ("<f8", ">f8", "<f4", ">f4", "|i1", "<i2", ">i2", "<i4", ">i8", "<i8"):
            for fortran in (False, True):
                npy.write("J.npy", J, descr=descr, fortran=fortran, version=1 + fortran)
                self.assertEqual(self.model_of("J.npy"), expected, (descr, fortran))
        with open("J.npy", "rb") as file:
            self.good("sample", "--couplings", "-", "--color-matrix", "U.csv", "--beta", "1", "--protocol", "chain", "--samples", "2",
                      "--thin", "1", "-o", "s.txt", "--model-out", "m.h5", stdin=file)
        self.assertEqual(numbers_of("m.h5"), expected)

    def test_matrices_of_pairs(self):
        """Distances and scores: one triangle and asymmetric matrices are refused, a triangle with NaN in the other half is complete."""
        with open("six.fasta", "w") as file:
            file.write(">a\nACDEFG\n>b\nACDEFK\n>c\nVCDEIK\n>d\nVHDEIK\n")
        # Residues in a line: 3 apart, so that neighbours and next neighbours are below 8.
        full = [[3.0 * abs(i - j) for j in range(6)] for i in range(6)]
        nan = float("nan")

        def half(below, rest):
            return [[v if (j < i) == below or i == j else rest for j, v in enumerate(row)] for i, row in enumerate(full)]

        contacts = ("contacts", "six.fasta", "--alphabet", "protein", "--method", "mi", "--distances", "d.npy", "--ppv", "-")
        learn = ("learn", "six.fasta", "--alphabet", "protein", "--family", "dense", "--epochs", 1, "-o", "m.h5", "--pairs-from", "d.npy")
        npy.write("d.npy", full)
        expected = self.good(*contacts).stdout
        self.assertIn("couplings of 9 of the 15 pairs", run(*learn).stderr)
        for below in (False, True):
            npy.write("d.npy", half(below, nan))
            self.assertEqual(self.good(*contacts).stdout, expected)
            npy.write("d.npy", half(below, 0.0))
            for command, flag in ((contacts, "--distances"), (learn, "--pairs-from")):
                self.wrong(2, [f"{flag} d.npy: element [1][0] is", "[0][1]", "must be equal", "only one triangle"], *command)
        npy.write("d.npy", [[v + (i == 4 and j == 2) for j, v in enumerate(row)] for i, row in enumerate(full)])
        self.wrong(2, ["d.npy: element [4][2] is 7 and [2][4] 6, must be equal"], *contacts)
        npy.write("d.npy", [[v + 1e-6 * (i < j) for j, v in enumerate(row)] for i, row in enumerate(full)])
        self.assertEqual(self.good(*contacts).stdout, expected)
        # The matrix of scores of CCMpred.
        for below in (False, True):
            savetxt("s.mat", half(below, 0.0), "\t")
            self.wrong(2, ["s.mat: element [1][0] is", "only one triangle"], "convert", "s.mat", "x_CouplingScores.csv")
        savetxt("s.mat", full, "\t")
        self.good("convert", "s.mat", "x_CouplingScores.csv")

    def test_refused(self):
        sample = ("sample", "--color-matrix", "U.csv", "--beta", "1", "--protocol", "chain", "-o", "s.txt", "--couplings")
        # Only one triangle, and an element that differs.
        npy.write("bad.npy", [[v if j <= i else 0 for j, v in enumerate(row)] for i, row in enumerate(J)])
        self.wrong(2, ["--couplings bad.npy", "[1][0]", "only one triangle", "copy each element"], *sample, "bad.npy")
        npy.write("bad.npy", [[v + (i == 2 and j == 0) for j, v in enumerate(row)] for i, row in enumerate(J)])
        self.wrong(2, ["--couplings bad.npy", "[2][0]", "must be equal"], *sample, "bad.npy")
        npy.write("bad.npy", [J])
        self.wrong(2, ["--couplings bad.npy is an array of 1 x 3 x 3", "square matrix"], *sample, "bad.npy")
        npy.write("bad.npy", [[0, float("nan")], [0, 0]])
        self.wrong(2, ["--couplings bad.npy", "number 1", "nan", "finite"], *sample, "bad.npy")
        with open("bad.npy", "wb") as file:
            file.write(npy.bytes_of(J)[:-8])
        self.wrong(2, ["bad.npy: a .npy file of 190 bytes, expected 198 bytes by its header"], *sample, "bad.npy")
        with open("bad.npy", "wb") as file:
            file.write(npy.bytes_of(J).replace(b"(3, 3)", b"(3, 3e"))
        self.wrong(2, ["in the header of a .npy file"], *sample, "bad.npy")
        npy.write("J.npy", J)
        self.wrong(2, ["an array of NumPy, expected sequences"], "learn", "J.npy", "-o", "m.h5")

    def test_identity_by_default(self):
        """A J of one's own goes with the identity; what U is is printed."""
        base = ("sample", "--couplings", "J.txt", "--colors", "2", "--beta", "1", "--protocol", "chain", "--samples", "2", "--thin", "1",
                "-o", "s.txt", "--model-out")
        done = self.good(*base, "m.h5")
        self.assertIn("colour matrix U: identity (the default with a file of J)", done.stderr)
        self.assertIn("couplings J: from J.txt", done.stderr)
        self.good(*base, "i.h5", "--color-matrix", "identity")
        self.assertEqual(numbers_of("m.h5"), numbers_of("i.h5"))
        done = self.good(*base, "g.h5", "--color-matrix", "gaussian")
        self.assertIn("colour matrix U: gaussian", done.stderr)
        self.assertNotEqual(numbers_of("m.h5"), numbers_of("g.h5"))

    def couplings(self):
        c = [[[[0.0] * 2 for _ in range(2)] for _ in range(3)] for _ in range(3)]
        for i in range(3):
            for j in range(3):
                for a in range(2):
                    for b in range(2):
                        c[i][j][a][b] = float(J[i][j] * U[a][b])
        return c

    def test_tensor_is_a_model(self):
        npy.write("C.npy", self.couplings(), descr="<f4", fortran=True)
        self.good("convert", "C.npy", "C.h5")
        rows = numbers_of("C.h5")
        self.assertIn("coupling,,1,2,0,1,-3", rows)
        self.assertEqual(len(rows), 2 + 6 * 4)
        self.assertEqual(numbers_of("C.npy"), rows)
        self.good("sample", "--model", "C.npy", "--beta", "0.5", "--protocol", "chain", "--samples", "4", "--thin", "1", "-o", "s.txt")
        self.good("energies", "C.npy", "s.txt")
        self.good("contacts", "C.npy")
        bad = self.couplings()
        bad[1][1][0][1] = 0.5
        npy.write("bad.npy", bad)
        self.wrong(2, ["bad.npy: C[1, 1, 0, 1] is 0.5, must be 0"], "convert", "bad.npy", "C.h5")

    def test_matrix_is_no_model(self):
        npy.write("J.npy", J)
        self.wrong(2, ["--model J.npy is a matrix of 3 x 3", "--couplings J.npy", "(L, L, q, q)"], "sample", "--model", "J.npy", "-o", "s.txt")
        self.wrong(2, ["J.npy: a NumPy array of 3 x 3", "C[L, L, q, q]"], "convert", "J.npy", "m.h5")

    def test_weights_and_teacher(self):
        weights = [1 + 0.25 * (k % 3) for k in range(30)]
        npy.write("w.npy", weights)
        savetxt("w.txt", [[w] for w in weights])
        for name in ("npy", "txt"):
            self.good("learn", "data.h5", "-o", f"{name}.h5", "--epochs", "3", "--weights", f"w.{name}", "--optimizer", "sgd")
        self.assertEqual(numbers_of("npy.h5"), numbers_of("txt.h5"))
        npy.write("c.npy", [[1, 0.5], [0.5, 1]])
        savetxt("c.txt", [[1, 0.5], [0.5, 1]])
        npy.write("t.npy", [[1.0], [-2.0]])
        savetxt("t.txt", [[1.0], [-2.0]])
        rows = [self.good("replica", "--alpha", "1", "--lambda", "0.1", "--covariance", f"c.{end}", "--teacher", f"t.{end}", "--set",
                          "noise=0.1").stdout.splitlines()[-1] for end in ("npy", "txt")]
        self.assertEqual(*rows)

    def test_distances(self):
        """Rows and a matrix give the same precision, from text with whole numbers written as reals, and from .npy."""
        rows = [[i, j, abs(i - j) * 3.0] for i in range(1, 7) for j in range(1, i)]
        with open("plain.txt", "w") as file:
            file.writelines(f"{i} {j} {d}\n" for i, j, d in rows)
        savetxt("rows.txt", rows)
        npy.write("rows.npy", rows, fortran=True)
        npy.write("matrix.npy", [[abs(i - j) * 3.0 for j in range(6)] for i in range(6)], descr=">f4")
        tables = [self.good("contacts", "truth.h5", "--distances", name).stdout.splitlines()[-15:]
                  for name in ("plain.txt", "rows.txt", "rows.npy", "matrix.npy")]
        for table in tables[1:]:
            self.assertEqual(table, tables[0])
        npy.write("bad.npy", [[1, 2, 3], [1.5, 2, 3]])
        self.wrong(2, ["bad.npy: row 1 has 1.5, expected the number of a site"], "contacts", "truth.h5", "--distances", "bad.npy")
        npy.write("bad.npy", [[0.0] * 5] * 5)
        self.wrong(2, ["bad.npy: an array of 5 x 5", "6 x 6"], "contacts", "truth.h5", "--distances", "bad.npy")

    def test_help(self):
        for command, flags in (("sample", ("--couplings", "--color-matrix")), ("contacts", ("--distances",)),
                               ("replica", ("--covariance", "--teacher"))):
            text = " ".join(self.good(command, "--help-all").stdout.split())
            for flag in flags:
                self.assertIn("numpy.savetxt", text.split(flag + " ", 1)[1][:400], (command, flag))


main()
