#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A run that ends without convergence names a flag that would help, and a ranking that says nothing is called so."""
import random

from program import Case, main, run, small_data


class Endings(Case):
    @classmethod
    def make_inputs(cls):
        small_data(sites=8)

    def ends(self, fragments, *arguments):
        """Status 3; the line about the end has these fragments."""
        done = run(*arguments, "--threads", 1)
        self.assertEqual(done.returncode, 3, (arguments, done.stderr))
        line, = [line for line in done.stderr.splitlines() if "not converged" in line or "to equilibrate" in line]
        for fragment in fragments:
            self.assertIn(fragment, line, arguments)
        return line

    def test_training(self):
        learn = ["learn", "data.h5", "-o", "m.h5"]
        limit, exact = "raise --epochs or loosen --tolerance", "train with --precision 64 or loosen --tolerance"
        self.ends(["max_iter", limit, "--checkpoint FILE"], *learn, "--epochs", 1)
        self.ends(["max_iter", limit], *learn, "--epochs", 1, "--family", "dense")
        self.ends(["max_iter", limit], *learn, "--epochs", 1, "--family", "dense", "--asymmetric", "--tolerance", "1e-9")
        self.ends(["stalled", exact], *learn, "--family", "dense", "--tolerance", 0, "--epochs", 100000)
        line = self.ends(["stalled", "loosen --tolerance"], *learn, "--family", "dense", "--tolerance", 0, "--epochs", 100000, "--precision", 64)
        self.assertNotIn("--precision", line)
        self.ends(["diverged", "lower --rate"], *learn, "--optimizer", "sgd", "--rate", 1e6, "--epochs", 50)
        self.ends(["max_iter", limit], "contacts", "data.h5", "--epochs", 1)
        self.ends(["stalled", exact], "contacts", "data.h5", "--tolerance", 0, "--epochs", 100000)
        self.ends(["plm: max_iter", limit], "compare-methods", "data.h5", "--method", "plm", "--epochs", 1)

    def test_networks(self):
        network = ["learn", "data.h5", "--family", "encoder"]
        self.ends(["diverged", "lower --rate"], *network, "--rate", 1e6, "--epochs", 50)
        self.ends(["max_iter", "raise --polish"], *network, "--epochs", 2, "--polish", 1)

    def test_theory(self):
        self.ends(["max_iter", "raise --set max-iter"], "dotattn", "--alpha", 1, "--set", "max-iter=1")
        self.ends(["max_iter", "raise --set max-iter"], "dotattn", "--transition", "--set", "max-iter=1")

    def test_sampling(self):
        """Sweeps of a glass that do not reach equilibrium: the two ends of the run differ."""
        self.ends(["raise --burn-in"], "sample", "--sites", 20, "--colors", 20, "--beta", 4, "--samples", 200, "--burn-in", 2, "--thin", 1,
                  "--set", "temperatures=1", "--couplings", "gaussian", "--color-matrix", "gaussian", "-o", "s.h5")

    def test_nothing_to_rank(self):
        """Equal sequences, or one column that varies: the order of pairs is that of rounding errors."""
        draw = random.Random(1)
        row = "ACDEFGHIKLMN"
        families = {"same": [row] * 20, "column": [letter + row[1:] for letter in "ACDE" * 5],
                    "two": [letter + row[1:-1] + letter for letter in "ACDE" * 5],
                    "random": ["".join(draw.choices(row, k=12)) for _ in range(20)]}
        expected = {"same": "warning: all sequences are equal", "column": "warning: the sequences differ at one site alone"}
        for name, rows in families.items():
            with open(f"{name}.fasta", "w") as file:
                file.write("".join(f">{k}\n{text}\n" for k, text in enumerate(rows)))
            for method in ("plm", "asymmetric", "factored", "mean-field", "gaussian", "mi"):
                done = run("contacts", f"{name}.fasta", "--alphabet", "protein", "--method", method, *(["--model-out", "m.h5"] if method == "plm" else []))
                self.assertIn(done.returncode, (0, 3), done.stderr)
                self.assertEqual([line.split(", so that")[0] for line in done.stderr.splitlines() if "so that no pair" in line],
                                 [expected[name]] if name in expected else [], (name, method))
                self.assertNotIn("as little as by rounding", done.stderr)
            done = run("compare-methods", f"{name}.fasta", "--alphabet", "protein", "--method", "mi")
            self.assertEqual("so that no pair" in done.stderr, name in expected)
            # The model alone does not tell; its scores do.
            self.assertEqual("as little as by rounding" in run("contacts", "m.h5").stderr, name == "same", name)


main()
