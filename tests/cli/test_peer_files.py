#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files that plmc and adabmDCA wrote themselves, read and written back to all digits. The parsers here share nothing with the library."""
import csv
import gzip
import json
import os
import struct
import unittest

from program import Case, main, must, read_table

DATA = os.environ.get("ATP_SHARED_DATA", "")
PEERS = os.path.join(DATA, "peers")
needs_peers = unittest.skipUnless(os.path.isdir(PEERS), "ATP_SHARED_DATA names no folder with peers/, the files that other programs wrote")


def peer(*parts):
    return os.path.join(PEERS, *parts)


def text_of(path):
    with open(path, encoding="ascii") as file:
        return file.read()


def pairs(sites):
    return [(i, j) for i in range(sites) for j in range(i + 1, sites)]


def fasta(path):
    """Names (to the first blank) and sequences."""
    records = [record.split("\n", 1) for record in text_of(path).split(">")[1:]]
    return [name.split()[0] for name, _ in records], ["".join(rest.split()) for _, rest in records]


class Plmc:
    """A version 2 file of plmc; every number by its place."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        at = 0

        def take(kind, count):
            nonlocal at
            out = struct.unpack_from(f"<{count}{kind}", self.bytes, at)
            at += struct.calcsize(f"<{count}{kind}")
            return out

        self.sites, q, self.valid, self.skipped, _ = take("i", 5)
        self.effective = take("f", 5)[4]
        self.alphabet = b"".join(take("c", q)).decode()
        self.neighbours = take("f", self.valid + self.skipped)
        self.focus = b"".join(take("c", self.sites)).decode()
        self.numbers = take("i", self.sites)
        count = len(pairs(self.sites)) * q * q
        self.f, self.h = take("f", self.sites * q), take("f", self.sites * q)
        self.parameters_at = at  # of f_ij
        self.fij, self.J = take("f", count), take("f", count)
        assert at == len(self.bytes)


def model_numbers(model):
    """Fields [i][a] and couplings of pairs i < j [a][b], flat; the couplings j > i, for comparison; all as doubles."""
    fields, upper, lower = {}, {}, {}
    for row in read_table(must("convert", model, "-").stdout)[2]:
        place = tuple(int(row[name]) for name in ("i", "j", "a", "b") if row[name] != "")
        if row["part"] == "field":
            fields[place] = float(row["value"])
        elif row["part"] == "coupling":
            i, j, a, b = place
            (upper if i < j else lower)[(i, j, a, b) if i < j else (j, i, b, a)] = float(row["value"])
    return [fields[key] for key in sorted(fields)], [upper[key] for key in sorted(upper)], [lower[key] for key in sorted(lower)]


@needs_peers
class PlmcFiles(Case):
    DATA_OF = {"potts3_f32": ("potts3.a2m", "_*^"), "potts3_f64": ("potts3.a2m", "_*^"), "RF00162_f64": ("RF00162.fasta", "-ACGU")}

    @classmethod
    def make_inputs(cls):
        for name in cls.DATA_OF:
            with gzip.open(peer("plmc", name + ".params.gz")) as packed, open(name + ".params", "wb") as out:
                out.write(packed.read())

    def test_models(self):
        """Every float32 of the file is the double of the model."""
        for name in self.DATA_OF:
            with self.subTest(name):
                file = Plmc(name + ".params")
                self.assertGreater(max(map(abs, file.J)), 0.1)
                fields, upper, lower = model_numbers(name + ".params")
                self.assertEqual(tuple(fields), file.h)
                self.assertEqual(tuple(upper), file.J)
                self.assertEqual(upper, lower)

    def test_written_back(self):
        """With the alignment that plmc had: couplings, fields, symbols, numbers, counts by their bytes, frequencies to float32's digits."""
        for name, (data, alphabet) in self.DATA_OF.items():
            with self.subTest(name):
                old = Plmc(name + ".params")
                # plmc drops the sequences with other symbols than those of the alphabet; here a dot would count as the gap '-'.
                names, sequences = fasta(os.path.join(DATA, data))
                with open("used.fasta", "w") as file:
                    file.writelines(f">{n}\n{s}\n" for n, s in zip(names, sequences) if set(s) <= set(alphabet))
                self.good("convert", name + ".params", "m.h5")
                self.good("convert", "m.h5", "back.model", "--alignment", "used.fasta", f"--alphabet={alphabet}", "--weights", "0.2")
                new = Plmc("back.model")
                self.assertEqual((new.sites, new.alphabet, new.focus, new.numbers), (old.sites, old.alphabet, old.focus, old.numbers))
                self.assertEqual((new.valid, new.skipped), (old.valid, 0))
                self.assertEqual(new.h, old.h)
                self.assertEqual(new.J, old.J)
                self.assertEqual(new.neighbours, tuple(x for x in old.neighbours if x > 0))
                # plmc sums its weights and frequencies in float32 or float64.
                self.assertAlmostEqual(new.effective, old.effective, delta=2e-5 * old.effective)
                for mine, theirs in ((new.f, old.f), (new.fij, old.fij)):
                    self.assertLess(max(abs(x - y) for x, y in zip(mine, theirs)), 5e-6)

    def test_couplings(self):
        """plmc's scores come back byte for byte, and are what `contacts --like plmc` computes of plmc's parameters."""
        for scores, model in (("potts3", "potts3_f64"), ("RF00162", "RF00162_f64")):
            with self.subTest(scores):
                path = peer("plmc", scores + ".couplings")
                self.good("convert", path, "back.couplings")
                self.assertEqual(text_of("back.couplings"), text_of(path))
                expected = {}
                for line in text_of(path).splitlines():
                    i, _, j, _, _, value = line.split()
                    expected[(i, j)] = float(value)
                self.good("contacts", model + ".params", "--like", "plmc", "--csv", "c.csv")
                rows = read_table(text_of("c.csv"))[2]
                self.assertEqual({(row["i"], row["j"]) for row in rows}, expected.keys())
                # Both round: parameters to float32 for the file, scores to 6 decimals.
                self.assertLess(max(abs(float(row["apc"]) - expected[(row["i"], row["j"])]) for row in rows), 2e-6)


@needs_peers
class AdabmFiles(Case):
    MODELS = ("bmDCA", "eaDCA")
    ALPHABET = "-AB"

    def test_models(self):
        for name in self.MODELS:
            with self.subTest(name):
                path = peer("adabmDCA", name, "params.dat")
                known, sites = {}, 0
                for line in text_of(path).splitlines():
                    kind, *place, value = line.split()
                    known[(kind, *place)] = float(value)
                    sites = max(sites, int(place[0]) + 1)
                self.good("convert", path, "m.h5", "--alphabet=" + self.ALPHABET)
                fields, upper, _ = model_numbers("m.h5")
                self.assertEqual(fields, [known[("h", str(i), a)] for i in range(sites) for a in self.ALPHABET])
                self.assertEqual(upper, [known.get(("J", str(i), str(j), a, b), 0.0)
                                         for i, j in pairs(sites) for a in self.ALPHABET for b in self.ALPHABET])
                self.assertGreater(sum(x != 0 for x in upper), 100)

    def test_written_back(self):
        """Byte for byte: the same lines in the same order with the same digits, also of a sparse model."""
        for name in self.MODELS:
            path = peer("adabmDCA", name, "params.dat")
            self.good("convert", path, "m.h5", "--alphabet=" + self.ALPHABET)
            self.good("convert", "m.h5", "back.dat", "--to", "adabm")
            self.assertEqual(text_of("back.dat"), text_of(path))

    def test_chains(self):
        """Chains are read as sequences, their names with the log weights kept, and come back byte for byte."""
        for name in self.MODELS:
            path = peer("adabmDCA", name, "chains.fasta")
            names, sequences = fasta(path)
            self.assertTrue(all("|log_weight=" in name for name in names))
            self.good("convert", path, "c.h5", "--alphabet=" + self.ALPHABET)
            self.good("convert", "c.h5", "back.fasta")
            self.assertEqual(fasta("back.fasta"), (names, sequences))
            self.assertEqual(text_of("back.fasta"), text_of(path))

    def test_energies_of_chains(self):
        """The energy of every chain, E = -sum h - sum J, added up here from the text."""
        path = peer("adabmDCA", "eaDCA", "params.dat")
        lines = [line.split() for line in text_of(path).splitlines()]
        self.good("convert", path, "m.h5", "--alphabet=" + self.ALPHABET)
        done = self.good("energies", "m.h5", peer("adabmDCA", "eaDCA", "chains.fasta"))
        rows = read_table(done.stdout)[2]
        _, sequences = fasta(peer("adabmDCA", "eaDCA", "chains.fasta"))
        self.assertEqual(len(rows), len(sequences))
        for row, s in zip(rows[:50], sequences):
            energy = 0.0
            for kind, *place, value in lines:
                if kind == "h" and s[int(place[0])] == place[1]:
                    energy -= float(value)
                if kind == "J" and s[int(place[0])] == place[2] and s[int(place[1])] == place[3]:
                    energy -= float(value)
            self.assertAlmostEqual(float(row["energy"]), energy, delta=1e-8)

    def test_weights_and_logs(self):
        """N_eff of the log and of training.json, the values of weights.dat, whose order is not that of the sequences."""
        done = self.good("convert", peer("adabmDCA", "potts3_AB.fasta"), "o.fasta", "--alphabet=" + self.ALPHABET, "--weights", "0.2",
                         "--weight-rule", "strict", "--save-weights", "w.txt")
        ours = [float(x) for x in text_of("w.txt").split()]
        for name in self.MODELS:
            log = text_of(peer("adabmDCA", name, "adabmDCA.log"))
            settings = dict(line.split(":", 1) for line in log.splitlines() if line.count(":") == 1)
            self.assertAlmostEqual(float(settings["effective_sequences"]), sum(ours), delta=1e-4)
            weights = [float(x) for x in text_of(peer("adabmDCA", name, "weights.dat")).split()]
            self.assertEqual(len(weights), int(settings["retained_sequences"]))
            self.assertLess(max(abs(x - y) for x, y in zip(sorted(weights), sorted(ours))), 1e-7)
            done = self.good("convert", peer("adabmDCA", "potts3_AB.fasta"), "o.fasta", "--alphabet=" + self.ALPHABET, "--weights",
                             peer("adabmDCA", name, "weights.dat"))
            self.assertIn(f"effective number {sum(weights):.1f} ", done.stderr)
            with open(peer("adabmDCA", name, "history.csv"), newline="") as file:
                history = list(csv.DictReader(file))
            with open(peer("adabmDCA", name, "training.json")) as file:
                record = json.load(file)["data"]["history"]
            self.assertEqual([float(row["Pearson"]) for row in history], record["Pearson"])


if __name__ == "__main__":
    main()
