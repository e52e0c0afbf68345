#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Design by `sample`: fixed sites, allowed symbols, starts, a number of mutations, gaps that stay, walks, and how long a start is remembered."""
import csv
import math

from program import Case, main, must, read_table, run

RNA = "-ACGU"
SITES = 8


def sequences(path):
    found = []
    with open(path) as file:
        for line in file:
            if line.startswith(">"):
                found.append("")
            else:
                found[-1] += line.strip()
    return found


def rows(path):
    with open(path) as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


class SampleDesign(Case):
    @classmethod
    def make_inputs(cls):
        must("sample", "--sites", SITES, "--colors", 5, "--alphabet", RNA, "--beta", 1, "--samples", 10, "-o", "first.fasta", "--model-out", "m.h5")
        with open("one.fasta", "w") as file:
            file.write(">wild type\nAC-GUACG\n")
        with open("two.fasta", "w") as file:
            file.write(">a\nAC-GUACG\n>b\nACCGUAC-\n")

    def draw(self, *extra, samples=400):
        return self.good("sample", "--model", "m.h5", "--samples", samples, "-o", "s.fasta", *extra)

    def test_fixed_and_allowed(self):
        self.draw("--start", "one.fasta", "--fixed", "1,4-5", "--allowed", "2:CG,8:-A")
        found = sequences("s.fasta")
        self.assertEqual({s[0] + s[3:5] for s in found}, {"AGU"})
        self.assertEqual({s[1] for s in found}, {"C", "G"})
        self.assertEqual({s[7] for s in found}, {"-", "A"})
        self.assertEqual({s[5] for s in found}, set(RNA))  # the others are free

    def test_near_a_start(self):
        start = sequences("one.fasta")[0]
        for protocol in ([], ["--protocol", "chain", "--chains", 20, "--thin", 20]):
            self.draw("--start", "one.fasta", "--max-mutations", 2, "--keep-gaps", *protocol, samples=1280)
            counts = [sum(a != b for a, b in zip(s, start)) for s in sequences("s.fasta")]
            self.assertEqual(max(counts), 2)
            self.assertTrue(all((a == "-") == (b == "-") for s in sequences("s.fasta") for a, b in zip(s, start)))

    def test_walks(self):
        """Rows agree with the sequences; chains start from the sequences in turn, and remember them at first."""
        starts = dict(zip("ab", sequences("two.fasta")))
        done = self.draw("--start", "two.fasta", "--protocol", "chain", "--chains", 40, "--trajectory", "t.csv", "--forgetting", "f.csv", samples=1600)
        table, found = rows("t.csv"), sequences("s.fasta")
        self.assertEqual([row["sequence"] for row in table], found)
        with open("s.fasta") as file:
            self.assertEqual([line.strip() for line in file if line.startswith(">")], [f">{'ab'[m % 2]}/sample_{m + 1}" for m in range(1600)])
        for m, row in enumerate(table):
            self.assertEqual((int(row["chain"]), int(row["sweep"]), row["start"]), (m % 40, m // 40 + 1, "ab"[m % 2]))
            self.assertEqual(int(row["mutations"]), sum(a != b for a, b in zip(row["sequence"], starts[row["start"]])))
        curve = rows("f.csv")
        self.assertEqual(len(curve), 40)
        mean = sum(1 - int(row["mutations"]) / SITES for row in table[40:80]) / 40
        self.assertAlmostEqual(float(curve[1]["overlap"]), mean, 8)
        # Six standard errors of both: a false alarm for one seed in 10^8; the walk has forgotten after 20 sweeps.
        for row in curve[20:]:
            error = math.hypot(float(row["overlap_error"]), float(row["plateau_error"]))
            self.assertLess(abs(float(row["overlap"]) - float(row["plateau"])), 6 * error)
        self.assertIn("the start is forgotten after", done.stderr)
        energies = read_table(self.good("energies", "m.h5", "s.fasta").stdout)[2]
        self.assertAlmostEqual(float(table[7]["energy"]), float(energies[7]["energy"]), 8)

    def test_a_plateau_that_is_not_reached_is_told(self):
        """At beta = 300 the ladders freeze in the states where they meet the last rungs: the table is written, and the status is 3."""
        self.good("sample", "--sites", 8, "--colors", 6, "--beta", 1, "--samples", 4, "-o", "cold.txt", "--model-out", "cold.h5")
        walk = ("sample", "--model", "cold.h5", "--start", "cold.txt", "--protocol", "chain", "--chains", 4, "--thin", 1, "--samples", 40,
                "-o", "s.txt", "--forgetting", "cold.csv", "--beta")
        done = run(*walk, 300)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("warning: the plateau was not reached in 8192 sweeps of replica exchange, which longer walks raise (--samples): R-hat of "
                      "the energy is ", done.stderr)
        self.assertEqual(len(rows("cold.csv")), 10)
        self.assertNotIn("the plateau was not reached", self.good(*walk, 1).stderr)

    def test_annealing(self):
        chain = ("--protocol", "chain", "--chains", 50, "--burn-in", 0, "--thin", 1, "--trajectory", "t.csv")
        self.draw(*chain, "--set", "annealing=200", "--set", "beta-hot=0.01", samples=50)
        self.assertEqual({row["sweep"] for row in rows("t.csv")}, {"201"})
        self.assertEqual({row["mutations"] for row in rows("t.csv")}, {""})
        self.wrong(2, ["--set annealing is given, expected only with --protocol chain"], "sample", "--model", "m.h5", "-o", "s.fasta", "--set",
                   "annealing=20")

    def test_resumed(self):
        """A checkpoint of other limits is refused; that of the same gives the same sequences."""
        same = ("sample", "--model", "m.h5", "--samples", 40, "-o", "s.fasta", "--protocol", "chain", "--chains", 4, "--start", "two.fasta",
                "--checkpoint", "c.state")
        self.good(*same, "--max-mutations", 2)
        first = sequences("s.fasta")
        self.good(*same, "--max-mutations", 2, "--resume")
        self.assertEqual(sequences("s.fasta"), first)
        self.wrong(2, ["at most 2 mutations", "at most 3 mutations"], *same, "--max-mutations", 3, "--resume")

    def test_wrong_use(self):
        def wrong(text, *extra):
            self.wrong(2, [text], "sample", "--model", "m.h5", "-o", "s.fasta", *extra)

        wrong("--start is one.fasta with --protocol equilibrium, expected --protocol chain", "--start", "one.fasta")
        wrong("--start two.fasta has 2 sequences, expected 1", "--start", "two.fasta", "--max-mutations", 2)
        wrong("--start is missing, expected a file with the sequence to stay near", "--max-mutations", 2)
        wrong('--fixed is "3", expected --start FILE', "--fixed", 3)
        wrong("--fixed has site 3, where the sequences of --start differ: - in a and C in b", "--start", "two.fasta", "--fixed", "1-4")
        wrong("--fixed has site 9, expected a site of the model: 8 sites with numbers 1..8", "--start", "one.fasta", "--fixed", 9)
        wrong('--fixed has "x", expected the number of a site', "--start", "one.fasta", "--fixed", "x")
        wrong("--fixed and --allowed leave every site one colour", "--start", "one.fasta", "--fixed", "1-8")
        wrong('--allowed has "2", expected SITE:SYMBOLS', "--allowed", "2")
        wrong('--allowed has "2:X", expected symbols of the model: -ACGU', "--allowed", "2:X")
        wrong("expected one of the colours that --fixed leaves at site 2", "--start", "one.fasta", "--fixed", 2, "--allowed", "2:G")
        wrong("--start: wild has C at site 2, expected a colour that --allowed has there", "--start", "one.fasta", "--allowed", "2:G", "--protocol",
              "chain")
        wrong("--trajectory is t.csv, expected --protocol chain", "--trajectory", "t.csv")
        with open("short.fasta", "w") as file:
            file.write(">s\nACG\n")
        wrong("--start short.fasta has 3 sites and 5 colours, expected 8 and 5 as in the model", "--start", "short.fasta", "--protocol", "chain")


main()
