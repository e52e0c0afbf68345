#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Couplings of some pairs of sites: --pairs and --pairs-from of `learn` and `contacts`, and what the models do elsewhere.
Also the optimisers of dense couplings on batches, and masks of several sites."""
import itertools
import os
import re

from program import Case, main, numbers_of, read_table, run, small_data

SITES = 10
PAIRS = [(1, 2), (2, 3), (4, 9), (1, 10), (5, 7)]


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def loss_in(text):
    return float(re.search(r"training loss ([0-9.]+) nats", text).group(1))


class Pairs(Case):
    @classmethod
    def make_inputs(cls):
        small_data(sites=SITES, colors=6, samples=300, beta=0.5)
        write("pairs.txt", "# known contacts\n" + "".join(f"{j} {i}\n" for i, j in PAIRS))
        write("pairs.csv", "i,j,residue_i,residue_j,fn,apc\n" + "".join(f"{i},{j},A,C,0.5,0.25\n" for i, j in reversed(PAIRS)))
        write("near.txt", "".join(f"{i} {j} {7.5 if (i, j) in PAIRS else 8.5}\n" for i, j in itertools.combinations(range(1, 11), 2)))

    learn = ["learn", "data.h5", "--family", "dense", "--l2-couplings", 0.5]

    def learned(self, name, *flags):
        done = run(*self.learn, "-o", name, *flags)
        self.assertIn(done.returncode, (0, 3), done.stderr)
        return done.stderr

    def test_sources_agree(self):
        """A list in two forms and a file of distances."""
        text = self.learned("list.h5", "--pairs", "pairs.txt")
        self.assertIn(f"couplings of {len(PAIRS)} of the 45 pairs of sites", text)
        self.learned("table.h5", "--pairs", "pairs.csv")
        text = self.learned("near.h5", "--pairs-from", "near.txt")
        self.assertIn("45 of the 45 pairs in the file are pairs of sites of DATA", text)
        self.learned("wide.h5", "--pairs-from", "near.txt", "--cutoff", 9)
        self.learned("all.h5")
        for same in ("table.h5", "near.h5"):
            self.assertEqual(numbers_of(same), numbers_of("list.h5"))
        self.assertEqual(numbers_of("wide.h5"), numbers_of("all.h5"))  # all pairs in a list: the same numbers
        self.assertNotEqual(numbers_of("list.h5"), numbers_of("all.h5"))
        self.assertLess(os.path.getsize("list.h5"), os.path.getsize("all.h5") / 3)

    def test_best_of_a_first_pass(self):
        """--pairs K is the list of the K L first rows of `contacts`."""
        for flags in ([], ["--asymmetric"]):
            rows = read_table(run("contacts", "data.h5", "--l2-couplings", 0.5, *flags, "--quiet").stdout)[2]
            write("best.txt", "".join(f"{row['i']} {row['j']}\n" for row in rows[: 2 * SITES]))
            self.learned("best.h5", "--pairs", "best.txt", *flags)
            text = self.learned("top.h5", "--pairs", 2, *flags)
            self.assertIn("first pass: ", text)
            self.assertIn("couplings of 20 of the 45 pairs", text)
            self.assertEqual(numbers_of("top.h5"), numbers_of("best.h5"))

    def test_models_elsewhere(self):
        loss = loss_in(self.learned("list.h5", "--pairs", "pairs.txt"))
        done = self.good("eval", "list.h5", "data.h5")
        self.assertAlmostEqual(float(read_table(done.stdout)[2][0]["loss"]), loss, places=5)
        self.good("convert", "list.h5", "again.h5")
        self.assertEqual(numbers_of("again.h5"), numbers_of("list.h5"))
        self.assertEqual(os.path.getsize("again.h5"), os.path.getsize("list.h5"))
        for command in (["energies"], ["mutants"]):
            self.assertEqual(*[self.good(*command, model, "data.h5").stdout.splitlines()[3:] for model in ("list.h5", "again.h5")])
        self.good("sample", "--model", "list.h5", "--samples", 20, "--protocol", "chain", "--burn-in", 10, "--thin", 1, "-o", "s.h5")
        columns, rows = read_table(self.good("contacts", "list.h5").stdout)[1:]
        self.assertNotIn("apc", columns)
        self.assertEqual(sorted((int(row["i"]), int(row["j"])) for row in rows), sorted(PAIRS))
        self.wrong(2, ["--sort is \"apc\" with couplings of a list of pairs, expected fn"], "contacts", "list.h5", "--sort", "apc")

    def test_contacts_learns(self):
        rows = read_table(run("contacts", "data.h5", "--pairs", "pairs.txt", "--model-out", "m.h5").stdout)[2]
        self.assertEqual(sorted((int(row["i"]), int(row["j"])) for row in rows), sorted(PAIRS))
        norms = [float(row["fn"]) for row in rows]
        self.assertEqual(norms, sorted(norms, reverse=True))
        near = read_table(run("contacts", "data.h5", "--pairs-from", "near.txt", "--cutoff", 8).stdout)[2]
        self.assertEqual(near, rows)

    def test_checkpoint(self):
        part = [*self.learn, "-o", "part.h5", "--checkpoint", "part.state", "--tolerance", 0]
        run(*part, "--pairs", "pairs.txt", "--epochs", 5)
        write("other.txt", "1 2\n2 3\n4 9\n1 10\n5 8\n")
        self.assertIn("the state belongs to other pairs of sites", run(*part, "--pairs", "other.txt", "--epochs", 9, "--resume").stderr)
        self.assertIn("the state has pairs 5, the trainer has 45", run(*part, "--epochs", 9, "--resume").stderr)
        run(*part, "--pairs", "pairs.txt", "--epochs", 9, "--resume")
        run(*self.learn, "-o", "whole.h5", "--tolerance", 0, "--pairs", "pairs.txt", "--epochs", 9)
        self.assertEqual(numbers_of("part.h5"), numbers_of("whole.h5"))

    def test_bad_lists(self):
        for text, fragments in [
            ("1 2\n3 11\n", ["line 2 has site 11, which DATA does not have, expected site numbers within 1..10"]),
            ("0 2\n", ["line 1 has site 0"]),
            ("1 2\n\n4 4\n", ["line 3 pairs site 4 with itself"]),
            ("1 2\n3 4\n2 1\n", ["line 3 has the pair 2 1 of line 1 again"]),
            ("1\n", ["line 1 has 1 columns, expected 2"]),
            ("1 2\nA3 4\n", ["line 2 has \"A3\", expected the number of a site"]),
            ("1 2.5\n", ["line 1 has \"2.5\", expected the number of a site"]),
            ("# nothing\n", ["has no pairs"]),
        ]:
            write("bad.txt", text)
            self.wrong(2, ["--pairs bad.txt", *fragments], *self.learn, "-o", "m.h5", "--quiet", "--pairs", "bad.txt")
        self.assertFalse(os.path.exists("m.h5"))
        base = [*self.learn, "-o", "m.h5", "--quiet"]
        self.wrong(2, ["--pairs-from near.txt has no pair of sites of DATA below 2"], *base, "--pairs-from", "near.txt", "--cutoff", 2)
        self.wrong(2, ["--pairs and --pairs-from are both given"], *base, "--pairs", 1, "--pairs-from", "pairs.txt")
        self.wrong(2, ["--cutoff", "with --pairs-from"], *base, "--pairs", "pairs.txt", "--cutoff", 8)
        self.wrong(2, ["--pairs", "with --family dense"], "learn", "data.h5", "-o", "m.h5", "--pairs", "pairs.txt")
        self.wrong(2, ["--pairs", "with --family dense"], "contacts", "data.h5", "--family", "factored", "--pairs", "pairs.txt")
        self.wrong(2, ["--pairs nowhere.txt"], *base, "--pairs", "nowhere.txt")

    def test_batches(self):
        """Adam on dense couplings comes near the optimum; what it excludes."""
        exact = loss_in(self.learned("exact.h5"))
        adam = loss_in(self.learned("adam.h5", "--optimizer", "adam", "--rate", 0.02, "--batch", 50, "--epochs", 150))
        self.assertAlmostEqual(adam, exact, delta=0.003)
        base = [*self.learn, "-o", "m.h5", "--quiet"]
        self.wrong(2, ["--asymmetric", "with --optimizer lbfgs"], *base, "--optimizer", "adam", "--asymmetric")
        self.wrong(2, ["--rate", "with --optimizer sgd or adam"], *base, "--rate", 0.1)

    def test_masks(self):
        base = ["learn", "data.h5", "--objective", "mlm", "--optimizer", "adam", "--epochs", 30, "--quiet"]
        self.good(*base, "-o", "one.h5")
        self.good(*base, "-o", "some.h5", "--set", "mask-probability=0.3")
        self.good(*base, "-o", "again.h5", "--set", "mask-probability=0.3", "--threads", 2)
        self.assertEqual(numbers_of("some.h5"), numbers_of("again.h5"))
        self.assertNotEqual(numbers_of("some.h5"), numbers_of("one.h5"))
        self.wrong(2, ["mask-probability", "mlm"], "learn", "data.h5", "-o", "m.h5", "--set", "mask-probability=0.3")
        self.wrong(2, ["mask-probability=1.5"], *base, "-o", "m.h5", "--set", "mask-probability=1.5")


main()
