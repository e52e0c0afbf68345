#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""learn --objective autoregressive: orders by word and by file, joint against site by site, checkpoints, wide starts, bad flags."""
import csv
import os

from program import Case, main, run, small_data

TRAIN = ["learn", "data.h5", "--rows", "0:300", "--test", "data.h5", "--test-rows", "300:100", "--log", "log.csv", "-o", "m.h5",
         "--objective", "autoregressive", "--seed", "3"]
DENSE = ["--family", "dense", "--precision", "64", "--epochs", "400"]
SITES = 6
FACTORED = ["--fields", "--set", "l2-pairs=0.01", "--epochs", "60"]


def rows_of(path):
    with open(path) as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    return [{name: value for name, value in row.items() if name != "seconds"} for row in rows]


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


class Order(Case):
    @classmethod
    def make_inputs(cls):
        small_data(sites=SITES)

    def train(self, *flags):
        """The rows of the log."""
        self.good(*TRAIN, *flags)
        return rows_of("log.csv")

    def test_site_by_site(self):
        """The same minimum as all sites together; another than that of the pseudo-likelihood, whose sites see more."""
        joint, alone = self.train(*DENSE)[-1], self.train(*DENSE, "--asymmetric")[-1]
        for name in ("train_loss", "test_loss"):
            self.assertAlmostEqual(float(joint[name]) / float(alone[name]), 1, delta=2e-4, msg=name)
        pseudo = [word for word in TRAIN if word not in ("--objective", "autoregressive")]
        self.good(*pseudo, *DENSE, "--l2-couplings", "0.01", "--set", "l2-scale=weight")
        self.assertLess(float(rows_of("log.csv")[-1]["train_loss"]), float(joint["train_loss"]) - 0.01)

    def test_orders(self):
        """A file of all sites as they are is the natural order; other orders have other losses."""
        count = SITES
        write("natural.txt", "\n".join(str(i + 1) for i in range(count)) + "\n")
        write("backward.txt", " ".join(str(count - i) for i in range(count)))
        for family in (DENSE, FACTORED):
            natural = self.train(*family, "--order", "natural")
            self.assertEqual(self.train(*family, "--order", "natural.txt"), natural)
            others = [self.train(*family, "--order", word)[-1]["train_loss"] for word in ("backward.txt", "entropy", "entropy-descending")]
            self.assertEqual(len({natural[-1]["train_loss"], *others}), 4)
            self.assertEqual(self.train(*family)[-1]["train_loss"], others[1])

    def test_resumed(self):
        """A run that stopped goes on with the same numbers, also with a wide start; with another order it is refused."""
        count = SITES
        write("order.txt", "\n".join(str((7 * i + 3) % count + 1) for i in range(count)))
        for family in (["--family", "dense"], ["--fields", "--set", "l2-pairs=0.01"]):
            flags = [*family, "--tolerance", "1e-12", "--order", "order.txt"]
            self.assertIn("max_iter", self.stopped(*flags, "--epochs", "9"))
            whole = rows_of("log.csv")
            self.stopped(*flags, "--epochs", "4", "--checkpoint", "c.state")
            self.wrong(2, ["--checkpoint c.state"], *TRAIN, *family, "--tolerance", "1e-12", "--order", "entropy", "--epochs", "9",
                       "--checkpoint", "c.state", "--resume")
            self.stopped(*flags, "--epochs", "9", "--checkpoint", "c.state", "--resume")
            self.assertEqual(rows_of("log.csv"), whole)
            os.remove("c.state")

    def stopped(self, *flags):
        """A run that ends before it converged."""
        done = run(*TRAIN, *flags)
        self.assertEqual(done.returncode, 3, done.stderr)
        return done.stderr

    def test_refusals(self):
        count = SITES
        write("short.txt", "1 2 3")
        write("twice.txt", " ".join(["1"] * count))
        write("outside.txt", " ".join(str(i) for i in range(count)))
        write("half.txt", "1.5")
        for flags, fragments in (
                (["--order", "short.txt"], ["--order short.txt has 3 sites", f"each of the {count} sites"]),
                (["--order", "twice.txt"], ["--order", "order[1] is 0 again"]),
                (["--order", "outside.txt"], ["--order outside.txt has site 0", f"1..{count}"]),
                (["--order", "half.txt"], ["--order half.txt has site 1.5"]),
                (["--order", "none.txt"], ["none.txt"]),
                (["--set", "symmetrized=1"], ["symmetrized is 1", "only to objective pseudolikelihood or likelihood; leave it at 0"]),
                (["--optimizer", "lbfgs", "--family", "encoder"], [""])):
            self.wrong(2, fragments, *TRAIN, *flags)
        plain = [word for word in TRAIN if word not in ("--objective", "autoregressive")]
        self.wrong(2, ["--order", "with --objective autoregressive"], *plain, "--order", "natural")


main()
