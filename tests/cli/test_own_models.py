#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Own models: lattices by name, tables of couplings, fields from a file; tables of parameters that `convert` writes and reads."""
import os

from program import SANITIZED, Case, main, must, start

CHAIN = ("--beta", 1, "--protocol", "chain", "--samples", 4, "--thin", 5)


def parameters(path):
    """The rows of a table of parameters, without comments."""
    with open(path) as file:
        return [line.strip() for line in file if not line.startswith("#")]


def write(path, *lines):
    with open(path, "w") as file:
        file.write("".join(line + "\n" for line in lines))


class OwnModels(Case):
    def table_of(self, *arguments):
        """The couplings and fields of the model that sample makes, {(part, i, j, a, b): value}."""
        self.good("sample", *arguments, *CHAIN, "-o", "s.txt", "--model-out", "m.h5")
        self.good("convert", "m.h5", "m.csv")
        rows = [line.split(",") for line in parameters("m.csv")[1:]]
        return {tuple([r[0], *r[2:6]]): float(r[6]) for r in rows}

    def test_lattices(self):
        found = self.table_of("--lattice", "square", "--size", "4x3", "--couplings", "antiferromagnet", "--color-matrix", "ising")
        couplings = {key: value for key, value in found.items() if key[0] == "coupling"}
        self.assertEqual(len(couplings), 2 * 24 * 4)  # 24 bonds
        self.assertTrue(all(value == (-1 if key[3] == key[4] else 1) for key, value in couplings.items()))
        self.assertIn(("coupling", "0", "8", "1", "1"), couplings)  # around the edge
        found = self.table_of("--lattice", "square", "--size", "4x3", "--set", "boundary=open", "--colors", 3)
        self.assertEqual(sum(key[0] == "coupling" for key in found), 2 * 17 * 9)
        found = self.table_of("--lattice", "bethe", "--size", "20", "--set", "degree=4", "--couplings", "plus-minus")
        strengths = [value for key, value in found.items() if key[0] == "coupling" and key[3:] == ("0", "0")]
        self.assertEqual((len(strengths), set(strengths)), (80, {-1, 1}))
        write("u.txt", "1 0.5", "0.5 -2")
        found = self.table_of("--lattice", "square", "--size", "3x1", "--color-matrix", "u.txt")
        self.assertEqual([found["coupling", "0", "1", a, b] for a in "01" for b in "01"], [1, 0.5, 0.5, -2])

    def test_tables_of_couplings(self):
        write("e.csv", "# mine", "i,j,J", "0,1,1.5", "3,1,-2")
        found = self.table_of("--couplings", "e.csv", "--colors", 3)
        self.assertEqual([found["coupling", "1", "3", a, "1"] for a in "012"], [0, -2, 0])
        self.assertNotIn(("coupling", "0", "3", "0", "0"), found)
        write("f.txt", *["0 0.25"] * 4)
        found = self.table_of("--couplings", "e.csv", "--color-matrix", "ising", "--fields", "f.txt")
        self.assertEqual((found["coupling", "0", "1", "0", "1"], found["field", "2", "", "1", ""]), (-1.5, 0.25))
        write("b.csv", "i\tj\ta\tb\tJ", "0\t1\t0\t2\t0.5", "2\t1\t1\t0\t3")
        for flag in ("--couplings", "--model"):
            found = self.table_of(flag, "b.csv")
            self.assertEqual((found["coupling", "0", "1", "0", "2"], found["coupling", "1", "2", "0", "1"]), (0.5, 3))
            self.assertEqual(sum(key[0] == "coupling" for key in found), 2 * 2 * 9)
        found = self.table_of("--couplings", "b.csv", "--sites", 5, "--colors", 4)
        self.assertEqual(sum(key[0] == "coupling" for key in found), 2 * 2 * 16)

    def test_pipes(self):
        for text in ("i,j,J\n0,1,1\n", "0 1\n1 0\n"):
            self.good("sample", "--couplings", "-", "--colors", 2, *CHAIN, "-o", "s.txt", input=text)

    def test_parameters_there_and_back(self):
        must("sample", "--sites", 5, "--colors", 3, "--beta", 0.7, "--alphabet", "ABC", "--samples", 40, "-o", "data.h5", "--model-out", "heads.h5")
        must("learn", "data.h5", "--family", "dense", "-o", "dense.h5")
        must("learn", "data.h5", "--family", "dense", "--asymmetric", "-o", "asymmetric.h5")
        must("learn", "data.h5", "--family", "dense", "--objective", "autoregressive", "-o", "ordered.h5")
        must("sample", "--lattice", "triangular", "--size", 4, "--couplings", "gaussian", *CHAIN, "-o", "s.txt", "--model-out", "lattice.h5")
        for model in ("heads", "dense", "asymmetric", "ordered", "lattice"):
            self.good("convert", f"{model}.h5", "once.csv")
            self.good("convert", "once.csv", "again.h5")
            self.good("convert", "again.h5", "twice.csv")
            self.assertEqual(parameters("once.csv"), parameters("twice.csv"))
        with open("twice.csv") as file:
            self.assertNotIn("alphabet", file.read())
        self.good("convert", "dense.h5", "once.csv")
        with open("once.csv") as file:
            self.assertIn("# alphabet: ABC\n", file.read())
        self.good("energies", "once.csv", "data.h5", "--csv", "e1.csv")
        self.good("energies", "dense.h5", "data.h5", "--csv", "e2.csv")
        self.assertEqual(parameters("e1.csv"), parameters("e2.csv"))

    def test_contacts_of_many_sites(self):
        """Scores are those of the list: tables of all pairs of 4096 sites would take 400 MB."""
        gaussian = ["sample", "--lattice", "square", "--size", 64, "--couplings", "gaussian", "--colors", 3, *CHAIN]
        self.good(*gaussian, "-o", "s.txt", "--model-out", "m.h5")
        self.good("convert", "m.h5", "m.csv")
        rows = [line.split(",") for line in parameters("m.csv") if line.startswith("coupling,")]
        # J (1[a = b] - 1/3) in the zero-sum gauge, of norm sqrt(2) |J|
        norms = {(int(r[2]) + 1, int(r[3]) + 1): 2**0.5 * abs(float(r[6])) for r in rows if r[2:4] != r[4:6] and r[4] == r[5] == "0"}
        expected = sorted(((norm, pair) for pair, norm in norms.items() if pair[0] < pair[1]), reverse=True)
        self.assertEqual(len(expected), 2 * 4096)
        for separation in (1, 65):
            self.good("contacts", "m.h5", "--memory", "100M", "--min-separation", separation, "--csv", "c.csv", "--top", 9000)
            found = [line.split(",") for line in parameters("c.csv")[1:]]
            kept = [(norm, pair) for norm, pair in expected if pair[1] - pair[0] >= separation]
            self.assertEqual([(int(r[0]), int(r[1])) for r in found], [pair for _, pair in kept])
            self.assertTrue(all(abs(float(r[4]) - norm) < 1e-8 for r, (norm, _) in zip(found, kept)))
        self.good("contacts", "m.h5", "--memory", "100M", "--top", 20, "--csv", "c.csv", "--picture", "c.svg")
        self.wrong(2, ["tables of 4096 x 4096 sites", "memory limit"], "contacts", "m.h5", "--memory", "100M", "--matrix", "c.mat")

    def test_memory_of_tables(self):
        """The memory of a conversion follows the file: less than 5 bytes for each of it (2.3 measured)."""
        self.good("sample", "--lattice", "square", "--size", 100, "--couplings", "gaussian", *CHAIN, "-o", "s.txt", "--model-out", "m.h5")
        self.good("convert", "m.h5", "m.csv")

        def most(*arguments):
            with start(*arguments) as process:
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(process.returncode, 0)
            return 1024 * usage.ru_maxrss

        if SANITIZED:
            self.skipTest("memory is not measured with sanitizers")
        self.assertLess(most("convert", "m.csv", "again.h5") - most("convert", "m.h5", "same.h5"), 5 * os.path.getsize("m.csv"))

    def test_refused(self):
        write("e.csv", "i,j,J", "0,1,1.5", "1,0,2", "1,2,1")
        write("loop.csv", "i,j,J", "0,1,1.5", "2,2,2")
        write("word.csv", "i,j,J", "0,1,much")
        write("twice.csv", "i,j,a,b,J", "0,1,0,0,1", "1,0,0,0,1")
        write("wide.csv", "i,j,a,b,J", "0,1,0,2,1")
        write("part.csv", "part,head,i,j,a,b,value", "spin,,0,1,0,0,1")
        write("few.txt", "1 2 3")
        for text, *flags in (
            ("e.csv, line 3: the pair 1,0 is there twice", "--couplings", "e.csv"),
            ('--colors is "2" but --couplings wide.csv has colour 2', "--couplings", "wide.csv", "--colors", 2),
            ("loop.csv, line 3: a coupling of site 2 with itself", "--couplings", "loop.csv"),
            ('word.csv, line 2: column J is "much"', "--couplings", "word.csv"),
            ("twice.csv, line 3: this number is there twice", "--model", "twice.csv"),
            ('part.csv, line 2: column part is "spin"', "--model", "part.csv"),
            ("e.csv has no columns a and b", "--model", "e.csv"),
            ('--size is "3y3", expected one to three', "--lattice", "square", "--size", "3y3"),
            ("1 x 1 x 1 has 1 sites", "--lattice", "square", "--size", "1"),
            ('--couplings is "contacts" with --lattice', "--lattice", "square", "--couplings", "contacts"),
            ('--couplings is "ferromagnet", expected only with --lattice', "--sites", 4, "--colors", 2, "--couplings", "ferromagnet"),
            ("few.txt has 3 numbers, expected 9 x 2", "--lattice", "square", "--size", 3, "--fields", "few.txt"),
            ("--size", "--sites", 4, "--colors", 2, "--size", 3),
        ):
            self.wrong(2, [text], "sample", *flags, *CHAIN, "-o", "s.txt")


if __name__ == "__main__":
    main()
