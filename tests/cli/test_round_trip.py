#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sample, learn, eval: the numbers make sense and are the same for every number of threads."""
from program import Case, main, numbers_of, read_table, run


class RoundTrip(Case):
    def job(self, threads):
        tag = f"t{threads}"
        common = ["--threads", threads, "--quiet"]
        self.good("sample", "--sites", 8, "--colors", 5, "--beta", 1.5, "--samples", 3000, "--chains", 20, "--seed", 7, "--model-out",
                  f"truth_{tag}.h5", "-o", f"data_{tag}.h5", *common)
        self.good("learn", f"data_{tag}.h5", "-o", f"model_{tag}.h5", "--rows", "0:2000", "--test", f"data_{tag}.h5",
                  "--test-rows", "2000:1000", "--truth", f"truth_{tag}.h5", "--log", f"log_{tag}.csv", "--epochs", 500,
                  "--tolerance", "1e-4", *common)
        table = self.good("eval", f"model_{tag}.h5", f"data_{tag}.h5", "--rows", "2000:1000", "--truth", f"truth_{tag}.h5", "--independent",
                          f"data_{tag}.h5", "--test-rows", "0:2000", *common).stdout
        sequences = self.good("convert", f"data_{tag}.h5", "-").stdout
        _, _, rows = read_table(table)
        return numbers_of(f"truth_{tag}.h5"), sequences, numbers_of(f"model_{tag}.h5"), rows[0]

    def test_same_numbers_for_every_number_of_threads(self):
        truth, sequences, model, result = self.job(1)
        self.assertEqual(len(sequences.splitlines()), 3000)
        for threads in (2, 3):
            other = self.job(threads)
            self.assertEqual(truth, other[0])
            self.assertEqual(sequences, other[1])
            self.assertEqual(model, other[2])
            self.assertEqual(result, other[3])
        # The learned model is close to the sampled one, and better than the site-independent model.
        loss, optimal = float(result["loss"]), float(result["optimal_loss"])
        self.assertLess(abs(loss - optimal), 0.02)
        self.assertLess(loss, float(result["independent_loss"]) - 0.02)
        self.assertLess(float(result["coupling_error"]), 0.05)
        self.assertEqual((result["sequences"], result["sites"]), ("1000", "8"))
        # The log's last row says the same.
        with open("log_t1.csv") as file:
            notes, columns, rows = read_table(file.read())
        self.assertEqual(columns, "epoch,train_loss,test_loss,optimal_loss,coupling_error,gradient_norm,rate,seconds".split(","))
        self.assertIn("# outcome: converged", notes)
        self.assertAlmostEqual(float(rows[-1]["test_loss"]), loss, places=5)
        self.assertAlmostEqual(float(rows[-1]["optimal_loss"]), optimal, places=6)
        self.assertAlmostEqual(float(rows[-1]["coupling_error"]), float(result["coupling_error"]), places=6)

    def test_another_seed_gives_other_numbers(self):
        arguments = ["sample", "--sites", 5, "--colors", 3, "--beta", 1, "--protocol", "chain", "--thin", 3, "--samples", 50, "-o", "-"]
        texts = [self.good(*arguments, "--seed", seed).stdout for seed in (1, 1, 2)]
        self.assertEqual(texts[0], texts[1])
        self.assertNotEqual(texts[0], texts[2])

    def test_energies(self):
        self.good("sample", "--sites", 5, "--colors", 3, "--beta", 1.5, "--protocol", "chain", "--chains", 8, "--thin", 20, "--samples", 64,
                  "-o", "e.h5", "--model-out", "em.h5", "--quiet")
        notes, columns, rows = read_table(self.good("energies", "em.h5", "e.h5").stdout)
        self.assertEqual(columns, ["sequence", "name", "energy", "log_pseudolikelihood"])
        self.assertEqual(len(rows), 64)
        _, _, result = read_table(self.good("eval", "em.h5", "e.h5").stdout)
        mean = -sum(float(row["log_pseudolikelihood"]) for row in rows) / (64 * 5)
        self.assertAlmostEqual(mean, float(result[0]["loss"]), places=8)
        # Energies by hand, from the numbers of the model and the sequences.
        maps, values = {}, {}
        for line in numbers_of("em.h5"):
            part, _, i, j, a, b, value = line.split(",")
            if part == "map":
                maps[int(i), int(j)] = float(value)
            elif part == "value":
                values[int(a), int(b)] = float(value)
        for line, row in zip(self.good("convert", "e.h5", "-").stdout.splitlines(), rows):
            s = [int(x) for x in line.split()]
            energy = -sum(maps[i, j] * values[s[i], s[j]] for i in range(5) for j in range(5) if i != j) / 2
            self.assertAlmostEqual(energy, float(row["energy"]), places=8)

    def test_not_converged_is_said(self):
        self.good("sample", "--sites", 5, "--colors", 3, "--beta", 1, "--protocol", "chain", "--thin", 3, "--samples", 200, "-o", "n.h5")
        self.run_learn("lbfgs", 3)
        self.run_learn("sgd", 0)

    def run_learn(self, optimizer, status):
        done = run("learn", "n.h5", "-o", f"n_{optimizer}.h5", "--optimizer", optimizer, "--epochs", 2, "--tolerance", "1e-12", "--log",
                   f"n_{optimizer}.csv")
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual("raise --epochs" in done.stderr and "--resume" in done.stderr and "--tolerance" in done.stderr, status == 3)
        self.assertNotIn("asked for", done.stderr)
        self.assertGreater(len(numbers_of(f"n_{optimizer}.h5")), 1)
        with open(f"n_{optimizer}.csv") as file:
            self.assertIn("# outcome: max_iter", file.read())


main()
