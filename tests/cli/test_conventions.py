#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Published conventions of factored attention: what learn --like makes, seen in the model and checked with plain loops."""
from program import Case, main, read_table, run

SITES, COLORS = 6, 3


class Conventions(Case):
    @classmethod
    def make_inputs(cls):
        with open("data.txt", "w") as file:
            state = 1
            for _ in range(60):
                row = []
                for i in range(SITES):
                    state = (state * 1103515245 + 12345) % 2 ** 31
                    row.append(row[-1] if i and state // 65536 % 2 else state // 131072 % COLORS)
                file.write(" ".join(map(str, row)) + "\n")

    def learn(self, *arguments, epochs=3):
        """Maps {head: {(i, j): A}}, values, fields and the messages of a short run; Adam stops by plan, so the status is 0."""
        done = self.good("learn", "data.txt", "-o", "m.h5", "--optimizer", "adam", "--epochs", epochs, "--precision", 64, *arguments)
        maps, values, fields = {}, {}, {}
        for row in read_table(self.good("convert", "m.h5", "-").stdout)[2]:
            if row["part"] == "map":
                maps.setdefault(int(row["head"]), {})[int(row["i"]), int(row["j"])] = float(row["value"])
            elif row["part"] == "value":
                values.setdefault(int(row["head"]), {})[int(row["a"]), int(row["b"])] = float(row["value"])
            elif row["part"] == "field":
                fields[int(row["i"]), int(row["a"])] = float(row["value"])
        return maps, values, fields, done.stderr

    def sums(self, maps):
        return [sum(maps[h].get((i, j), 0) for j in range(SITES) if j != i) for h in sorted(maps) for i in range(SITES)]

    def test_attentiondca(self):
        maps, values, fields, text = self.learn("--like", "attentiondca", "--heads", 3, "--rank", 2)
        self.assertEqual((len(maps), len(values), len(fields)), (3, 3, 0))
        self.assertTrue(all(0 < s < 0.99 for s in self.sums(maps)))  # the diagonal had its share
        self.assertIn("like attentiondca: --family factored --map lowrank --gaps state --set diagonal=after --set scores-scaled=plain; but given:", text)
        self.assertIn(f"like attentiondca, by the data: l2-pairs {0.001 / SITES:.4g}\n", text)

    def test_mogwai(self):
        maps, values, fields, text = self.learn("--like", "mogwai", "--heads", 2, "--rank", 2)
        self.assertEqual((len(maps), len(values), len(fields)), (4, 4, SITES * (COLORS - 1)))  # gaps are no colour
        self.assertTrue(any(fields.values()))
        for s in self.sums({h: maps[h] for h in (0, 1)}):
            self.assertAlmostEqual(s, 0.5, places=14)
        for h in (0, 1):
            for i in range(SITES):
                for j in range(SITES):
                    self.assertEqual(maps[h].get((i, j), 0), maps[h + 2].get((j, i), 0))
            for a in range(COLORS - 1):
                for b in range(COLORS - 1):
                    self.assertEqual(values[h][a, b], values[h + 2][b, a])
        self.assertIn("--gaps ignore --fields --rate 0.001 --batch 128 --set diagonal=before --set scores-scaled=scaled --set symmetrized=1 --set initial=xavier", text)

    def test_training_of_mogwai(self):
        """Its penalties are on norms, scaled by shape and number of sequences; Adam at a constant rate, 1000 steps of 128 sequences."""
        done = self.good("learn", "data.txt", "-o", "m.h5", "--like", "mogwai", "--heads", 2, "--rank", 2, "--log", "log.csv")
        pairs, fields = 0.01 * (SITES - 1) * (COLORS - 2) / 60, 0.01 / 60
        self.assertIn(f"like mogwai, by the data: norm-pairs {pairs:.4g} norm-fields {fields:.4g} epochs 1000\n", done.stderr)
        with open("log.csv") as file:
            rows = read_table(file.read())[2]
        self.assertEqual(len(rows), 1000)  # 60 sequences are one batch
        self.assertEqual({float(row["rate"]) for row in rows}, {0.001})
        self.assertLess(float(rows[-1]["train_loss"]), float(rows[0]["train_loss"]))
        _, _, _, text = self.learn("--like", "mogwai", "--heads", 1, "--set", "norm-pairs=0.5", "--set", "initial=normal", "--set",
                                   "schedule=cosine")
        self.assertIn("like mogwai, by the data: norm-fields 0.0001667\n", text)
        self.assertIn("schedule is constant and has no effect", run("learn", "data.txt", "-o", "m.h5", "--set", "schedule=constant").stderr)
        self.wrong(2, ["--set norm-fields", "--fields"], "learn", "data.txt", "-o", "m.h5", "--set", "norm-fields=1")

    def test_gaps(self):
        """Gaps may stay a colour with the other convention's rules, or be left out with any map."""
        _, values, fields, _ = self.learn("--like", "mogwai", "--heads", 1, "--gaps", "state")
        self.assertEqual((len(values[0]), len(fields)), (COLORS ** 2, SITES * COLORS))
        _, values, _, _ = self.learn("--heads", 2, "--gaps", "ignore")
        self.assertEqual(len(values[0]), (COLORS - 1) ** 2)

    def test_defaults_are_theirs(self):
        maps, _, _, _ = self.learn("--like", "attentiondca")
        self.assertEqual(len(maps), 32)
        maps, _, _, _ = self.learn("--like", "mogwai")
        self.assertEqual(len(maps), 64)

    def test_other_flags_win(self):
        maps, _, _, text = self.learn("--like", "attentiondca", "--heads", 2, "--set", "diagonal=before", "--set", "l2-pairs=0.5")
        for s in self.sums(maps):
            self.assertAlmostEqual(s, 1, places=14)
        self.assertNotIn("by the data: l2-pairs", text)
        maps, _, _, text = self.learn("--like", "attentiondca", "--heads", 2, "--map", "softmax")
        self.assertIn("--set diagonal=after", text)
        self.assertNotIn("scores-scaled", text)

    def test_penalty(self):
        """A strong penalty on the couplings makes them small."""
        def square(maps, values):
            total = 0
            for i in range(SITES):
                for j in range(SITES):
                    for a in range(COLORS):
                        for b in range(COLORS):
                            total += sum(maps[h].get((i, j), 0) * values[h][a, b] for h in maps) ** 2 if i != j else 0
            return total
        flags = ["--map", "softmax", "--heads", 2, "--set", "symmetrized=1", "--rate", 0.1]
        free = square(*self.learn(*flags, epochs=100)[:2])
        held = square(*self.learn(*flags, "--set", "l2-pairs=3", epochs=100)[:2])
        self.assertGreater(free, 0.1)
        self.assertLess(held, 0.01 * free)
        norm = square(*self.learn(*flags, "--set", "norm-pairs=1", epochs=100)[:2])
        self.assertLess(norm, 0.01 * free)


main()
