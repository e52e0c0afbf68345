#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Autoregressive models through sample, energies, eval, mutants, contacts and convert, against probabilities worked out here."""
import itertools
import math
import os
import re
import subprocess

from program import Case, main, must, read_table

ORDER = [3, 0, 4, 1, 2]
LETTERS = "-ACD"
SITES, COLORS = len(ORDER), len(LETTERS)


class Numbers:
    """A model by the table that convert writes."""

    def __init__(self, path):
        _, _, rows = read_table(must("convert", path, "-").stdout)
        self.order, self.fields, self.couplings, self.beta = {}, {}, {}, 1
        for row in rows:
            i, j, a, b = (int(row[name]) if row[name] else -1 for name in "ijab")
            value = float(row["value"])
            if row["part"] == "order":
                self.order[i] = int(value)
            elif row["part"] == "field":
                self.fields[i, a] = value
            elif row["part"] == "coupling":
                self.couplings[i, j, a, b] = value
            elif row["part"] == "beta":
                self.beta = value

    def log_p(self, s):
        total = 0
        for place in range(SITES):
            i = self.order[place]
            logits = [self.beta * (self.fields[i, a] + sum(self.couplings[i, self.order[k], a, s[self.order[k]]] for k in range(place)))
                      for a in range(COLORS)]
            total += logits[s[i]] - math.log(sum(map(math.exp, logits)))
        return total


def colors_of(text):
    return [LETTERS.index(letter) for letter in text]


class Ordered(Case):
    @classmethod
    def make_inputs(cls):
        must("sample", "--sites", SITES, "--colors", COLORS, "--beta", 1.3, "--protocol", "chain", "--chains", 20, "--samples", 20, "--thin", 5,
             "--alphabet", LETTERS, "--model-out", "potts.h5", "-o", "some.fasta")
        subprocess.run([os.environ["ATP_MAKE_ORDERED"], "potts.h5", "ar.h5", *map(str, ORDER)], check=True)
        cls.numbers = Numbers("ar.h5")

    def sequences(self, path):
        with open(path) as file:
            return [colors_of(line.strip()) for line in file if not line.startswith(">")]

    def test_convert(self):
        self.assertEqual([self.numbers.order[k] for k in range(SITES)], ORDER)
        self.good("convert", "ar.h5", "again.h5")
        self.assertEqual(Numbers("again.h5").order, self.numbers.order)
        self.good("convert", "ar.h5", "zero.h5", "--gauge", "zero-sum")
        zero = Numbers("zero.h5")
        for s in self.sequences("some.fasta"):
            self.assertAlmostEqual(zero.log_p(s), self.numbers.log_p(s), 10)
        for name, word in (("m.txt", "adabm"), ("m.raw", "ccmpred-raw"), ("m.grm", "gremlin-mrf")):
            self.wrong(2, ["the model is autoregressive", "write HDF5"], "convert", "ar.h5", name, "--to", word)
            self.assertFalse(os.path.exists(name))

    def test_energies_and_eval(self):
        _, _, rows = read_table(self.good("energies", "ar.h5", "some.fasta").stdout)
        known = [self.numbers.log_p(s) for s in self.sequences("some.fasta")]
        for row, expected in zip(rows, known):
            self.assertAlmostEqual(float(row["log_pseudolikelihood"]), expected, 8)
            self.assertAlmostEqual(float(row["energy"]), -expected, 8)
        _, _, (row,) = read_table(self.good("eval", "ar.h5", "some.fasta", "--truth", "potts.h5").stdout)
        self.assertAlmostEqual(float(row["loss"]), -sum(known) / len(known) / SITES, 8)
        self.assertEqual(row["coupling_error"], "")
        _, _, (row,) = read_table(self.good("eval", "ar.h5", "some.fasta", "--truth", "ar.h5").stdout)
        self.assertAlmostEqual(float(row["coupling_error"]), 0, 12)

    def test_log_likelihood(self):
        _, _, rows = read_table(self.good("energies", "ar.h5", "some.fasta", "--log-likelihood").stdout)
        known = [self.numbers.log_p(s) for s in self.sequences("some.fasta")]
        for row, expected in zip(rows, known):
            self.assertAlmostEqual(float(row["log_p"]), expected, 8)
        _, _, (row,) = read_table(self.good("eval", "ar.h5", "some.fasta", "--log-likelihood").stdout)
        self.assertAlmostEqual(float(row["log_p"]), sum(known) / len(known) / SITES, 8)
        self.assertEqual((float(row["log_z"]), float(row["log_z_error"])), (0, 0))
        logs = [self.numbers.log_p(s) for s in itertools.product(range(COLORS), repeat=SITES)]
        self.assertAlmostEqual(float(row["entropy"]), -sum(math.exp(x) * x for x in logs), 8)
        _, _, [exact] = read_table(self.good("enumerate", "ar.h5", "--marginals", "p.csv").stdout)
        self.assertEqual(float(exact["beta"]), 1)
        self.assertAlmostEqual(float(exact["log_z"]), 0, 12)
        self.assertAlmostEqual(float(exact["entropy"]), -sum(math.exp(x) * x for x in logs), 8)
        self.wrong(2, ["betas[0] is 2", "autoregressive"], "enumerate", "ar.h5", "--betas", 2)

    def test_sites_one_by_one_converge(self):
        """In single precision, at the default tolerance: the line search went by differences of losses that were rounding."""
        for seed in (2, 5, 6, 7):
            must("sample", "--sites", 12, "--colors", 4, "--beta", 1.5, "--protocol", "chain", "--samples", 400, "--chains", 20,
                 "--thin", 5, "--seed", seed, "-o", "few.h5")
            learn = ["learn", "few.h5", "--family", "dense", "--objective", "autoregressive", "--asymmetric", "-o", "few_model.h5"]
            objectives = [float(re.search(r"^converged .* objective ([0-9.]+)", self.good(*learn, "--precision", bits).stderr, re.M)[1])
                          for bits in (32, 64)]
            self.assertAlmostEqual(objectives[0] / objectives[1], 1, delta=1e-6)

    def test_sample(self):
        """Frequencies of all states: 4^5 cells, pooled by their probability; chi-square with a false alarm of one seed in a million."""
        done = self.good("sample", "--model", "ar.h5", "--samples", 40000, "-o", "drawn.fasta")
        self.assertIn("every sequence is an independent sample", done.stderr)
        self.assertNotIn("burn-in", done.stderr)
        states = list(itertools.product(range(COLORS), repeat=SITES))
        logs = {s: self.numbers.log_p(s) for s in states}
        self.assertAlmostEqual(sum(map(math.exp, logs.values())), 1, 10)
        drawn = self.sequences("drawn.fasta")
        self.assertEqual(len(drawn), 40000)
        counts = {}
        for s in drawn:
            counts[tuple(s)] = counts.get(tuple(s), 0) + 1
        cells, rest = [], [0, 0]
        for s, log_p in logs.items():
            expected, seen = len(drawn) * math.exp(log_p), counts.get(s, 0)
            if expected >= 10:
                cells.append((expected, seen))
            else:
                rest = [rest[0] + expected, rest[1] + seen]
        cells += [tuple(rest)] if rest[0] >= 10 else []
        freedom = len(cells) - 1
        statistic = sum((seen - expected) ** 2 / expected for expected, seen in cells)
        # Wilson-Hilferty: the cube root of chi-square per degree of freedom is nearly normal; 4.9 standard deviations.
        self.assertLess((statistic / freedom) ** (1 / 3), 1 - 2 / (9 * freedom) + 4.9 * math.sqrt(2 / (9 * freedom)))
        entropy = -sum(math.exp(log_p) * log_p for log_p in logs.values())
        words = done.stderr.split("entropy ")[1].split()
        self.assertLess(abs(float(words[0]) - entropy), 5 * float(words[2]))
        again = self.good("sample", "--model", "ar.h5", "--samples", 40000, "-o", "again.fasta", "--threads", 1, "--protocol", "chain")
        self.assertEqual(self.sequences("again.fasta"), drawn)
        self.assertIn("entropy", again.stderr)

    def test_sample_refuses(self):
        self.wrong(2, ["--hamming", "autoregressive"], "sample", "--model", "ar.h5", "--hamming", 0.3, "-o", "x.fasta")
        self.wrong(2, ["temperatures", "autoregressive"], "sample", "--model", "ar.h5", "--set", "temperatures=8", "-o", "x.fasta")

    def test_mutants(self):
        done = self.good("mutants", "ar.h5", "some.fasta", "--row", 3)
        notes, _, rows = read_table(done.stdout)
        self.assertTrue(any("log P(sequence) - log P(mutant)" in note for note in notes))
        wild = self.sequences("some.fasta")[3]
        for row in rows:
            mutant = list(wild)
            mutant[int(row["site"])] = LETTERS.index(row["to"])
            difference = self.numbers.log_p(mutant) - self.numbers.log_p(wild)
            self.assertAlmostEqual(float(row["log_pseudolikelihood"]), difference, 8)
            self.assertAlmostEqual(float(row["energy"]), -difference, 8)
        _, _, rows = read_table(self.good("mutants", "ar.h5", "some.fasta", "--row", 3, "--doubles").stdout)
        self.assertEqual(len(rows), SITES * (SITES - 1) // 2 * (COLORS - 1) ** 2)
        for row in rows[::7]:
            mutant = list(wild)
            for site, color in ((row["number_i"], row["to_i"]), (row["number_j"], row["to_j"])):
                mutant[int(site) - 1] = LETTERS.index(color)
            self.assertAlmostEqual(float(row["energy"]), self.numbers.log_p(wild) - self.numbers.log_p(mutant), 8)
        _, _, best = read_table(self.good("mutants", "ar.h5", "some.fasta", "--row", 3, "--doubles", "--top", 4).stdout)
        energies = sorted(float(row["energy"]) for row in rows)
        for row, expected in zip(best, energies):
            self.assertAlmostEqual(float(row["energy"]), expected, 8)
        self.good("mutants", "ar.h5", "some.fasta", "--matrix", "matrix.csv", "--csv", "singles.csv")
        with open("matrix.csv") as matrix, open("singles.csv") as singles:
            _, _, predicted = read_table(matrix.read())
            _, _, rows = read_table(singles.read())
        of = {row["number"] + row["to"]: float(row["log_pseudolikelihood"]) for row in rows}
        for row in predicted:
            self.assertAlmostEqual(float(row["prediction_epistatic"]), of[row["pos"] + row["subs"]], 8)

    def epistasis(self, wild, i, j):
        """Frobenius norm without colour 0 of D of a pair in the zero-sum gauge."""
        def changed(*changes):
            mutant = list(wild)
            for site, color in changes:
                mutant[site] = color
            return self.numbers.log_p(mutant)
        d = [[changed((i, a), (j, b)) - changed((i, a)) - changed((j, b)) + changed() for b in range(COLORS)] for a in range(COLORS)]
        rows = [sum(row) / COLORS for row in d]
        columns = [sum(row[b] for row in d) / COLORS for b in range(COLORS)]
        mean = sum(rows) / COLORS
        return math.sqrt(sum((d[a][b] - rows[a] - columns[b] + mean) ** 2 for a in range(1, COLORS) for b in range(1, COLORS)))

    def test_contacts(self):
        _, columns, rows = read_table(self.good("contacts", "ar.h5", "--epistasis", "some.fasta", "--epistasis-rows", "3:1").stdout)
        self.assertIn("epistasis", columns)
        wild = self.sequences("some.fasta")[3]
        for row in rows:
            self.assertAlmostEqual(float(row["epistasis"]), self.epistasis(wild, int(row["i"]) - 1, int(row["j"]) - 1), 8)
        # Of a Potts model they are the norms of the couplings.
        _, _, rows = read_table(self.good("contacts", "potts.h5", "--epistasis", "some.fasta").stdout)
        _, _, norms = read_table(self.good("contacts", "potts.h5").stdout)
        of = {(row["i"], row["j"]): float(row["fn"]) for row in norms}
        for row in rows:
            self.assertAlmostEqual(float(row["epistasis"]), of[row["i"], row["j"]], 8)
        self.good("contacts", "ar.h5")
        self.wrong(2, ["--epistasis", "with a model"], "contacts", "some.fasta", "--alphabet", LETTERS, "--epistasis", "some.fasta")
        self.wrong(2, ["--gauge"], "contacts", "ar.h5", "--epistasis", "some.fasta", "--gauge", "raw")


if __name__ == "__main__":
    main()
