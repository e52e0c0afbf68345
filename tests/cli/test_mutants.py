#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mutants: lists, double mutants, measured effects and pictures, against energies worked out here; models that know their columns."""
import csv
import io
import itertools
import math
import os
import pathlib

import npy
from pictures import SPACE, Picture
from program import Case, main, must

LETTERS = "-ACD"
SHARED = pathlib.Path(os.environ.get("ATP_SHARED_DATA", "/nonexistent")) / "structuredca"


def rows_of(text):
    return list(csv.DictReader(io.StringIO("".join(line + "\n" for line in text.splitlines() if not line.startswith("#")))))


def write(name, text):
    with open(name, "w") as file:
        file.write(text)


def ranks(values):
    return [sum((w < v) + 0.5 * (w == v) for w in values) + 0.5 for v in values]


def spearman(x, y):
    a, b = ranks(x), ranks(y)
    mean = (len(a) + 1) / 2
    xy = sum((p - mean) * (q - mean) for p, q in zip(a, b))
    return xy / math.sqrt(sum((p - mean) ** 2 for p in a) * sum((q - mean) ** 2 for q in b))


def sign(x):
    return (x > 0) - (x < 0)


def kendall(x, y):
    pairs = list(itertools.combinations(range(len(x)), 2))
    sx, sy = ([sign(v[i] - v[j]) for i, j in pairs] for v in (x, y))
    return sum(a * b for a, b in zip(sx, sy)) / math.sqrt(sum(map(abs, sx)) * sum(map(abs, sy)))


def auc(x, positive):
    wins = [(a > b) + 0.5 * (a == b) for a, p in zip(x, positive) if p for b, q in zip(x, positive) if not q]
    return sum(wins) / len(wins)


class Mutants(Case):
    @classmethod
    def make_inputs(cls):
        # Seven columns; the third is nearly all gaps, the fifth a third.
        text = ""
        for n in range(60):
            letters = ["ACD"[(n * k + n // 7 + k * k) % 3] for k in range(7)]
            letters[2] = "A" if n == 0 else "-"
            if n % 3 == 1:
                letters[4] = "-"
            text += f">s{n}\n{''.join(letters)}\n"
        write("family.fasta", text)
        common = ["--alphabet", LETTERS, "--family", "dense", "--l2-couplings", "1", "--l2-fields", "1", "--quiet"]
        must("learn", "family.fasta", "-o", "state.h5", *common)
        must("learn", "family.fasta", "-o", "some.h5", "--max-gaps-column", "0.5", *common)
        must("learn", "family.fasta", "-o", "gapless.h5", "--max-gaps-column", "0.5", "--gaps", "ignore", *common)
        cls.sequences = text.split("\n")[1::2]

    def refused(self, fragments, *arguments):
        self.wrong(2, fragments, *arguments, "--quiet")

    def table(self, *arguments):
        return rows_of(self.good("mutants", *arguments, "--quiet").stdout)

    def energies(self, model, sequences):
        """Energies of whole sequences: another code path than that of mutants."""
        write("asked.fasta", "".join(f">q{n}\n{s}\n" for n, s in enumerate(sequences)))
        found = rows_of(self.good("energies", model, "asked.fasta", "--quiet").stdout)
        return [(float(r["energy"]), float(r["log_pseudolikelihood"])) for r in found]

    def mutated(self, changes):
        letters = list(self.sequences[0])
        for number, letter in changes:
            letters[number - 1] = letter
        return "".join(letters)

    def frequencies(self, site, gap):
        column = [s[site] for s in self.sequences if gap or s[site] != "-"]
        symbols = LETTERS if gap else LETTERS[1:]
        return {a: (column.count(a) + 1) / (len(column) + len(symbols)) for a in symbols}

    def test_lists(self):
        w = self.sequences[0]
        lists = [[(1, "C")], [(1, "D"), (2, "C")], [(4, "-")], [(7, "D"), (5, "A"), (1, w[0])]]
        names = ["/:,"[k % 3].join(f"{w[n - 1]}{n}{a}" for n, a in changes) for k, changes in enumerate(lists)]
        names[2] = f"{w[3]}4del"
        write("list.txt", "# mutants\n" + "\n".join(names) + "\n\n")
        before, *after = self.energies("state.h5", [w] + [self.mutated(c) for c in lists])
        table = self.table("state.h5", "family.fasta", "--mutations", "list.txt")
        self.assertEqual([r["mutant"] for r in table], names)
        for r, changes, (energy, log) in zip(table, lists, after):
            self.assertEqual(int(r["mutations"]), len(changes))
            self.assertAlmostEqual(float(r["energy"]), energy - before[0], delta=1e-7)
            self.assertAlmostEqual(float(r["log_pseudolikelihood"]), log - before[1], delta=1e-7)
            expected = sum(math.log(self.frequencies(n - 1, True)[a] / self.frequencies(n - 1, True)[w[n - 1]]) for n, a in changes)
            self.assertAlmostEqual(float(r["independent"]), expected, delta=1e-8)

    def test_wrong_lists(self):
        w = self.sequences[0]
        other = "ACD"[("ACD".index(w[1]) + 1) % 3]
        for model, line, fragments in [
                ("state.h5", f"{other}2{w[1]}", ["list.txt, line 2", f"site 2 is {w[1]} in the sequence, not {other}"]),
                ("state.h5", f"{w[1]}2X", [f"{w[1]}2X", "X is not a symbol of the alphabet -ACD"]),
                ("state.h5", f"B2{w[1]}", ["B is not a symbol"]), ("state.h5", "A8C", ["no site 8", "1..7"]),
                ("state.h5", f"{w[1]}2C/{w[1]}2A", ["changes site 2 twice"]), ("state.h5", "hello", ["hello", "not a mutation like A110D"]),
                ("gapless.h5", f"{w[1]}2-", ["deletion", "no gap"]), ("some.h5", f"{w[2]}3C", ["no site 3"])]:
            write("list.txt", f"{w[0]}1C\n{line}\n")
            self.refused(["--mutations", *fragments], "mutants", model, "family.fasta", "--mutations", "list.txt")

    def test_lists_as_people_write_them(self):
        """Standard input, a line above the list, blank lines, lower case, and mutants that the model cannot score."""
        w = self.sequences[0]
        plain = f"{w[0]}1C\n{w[1]}2C/{w[3]}4D\n"
        write("list.txt", plain)
        expected = [r["energy"] for r in self.table("state.h5", "family.fasta", "--mutations", "list.txt")]
        asked = ["mutants", "state.h5", "family.fasta", "--mutations", "-", "--quiet"]
        for text in [plain, "my own list\n\n" + plain.replace("\n", "\n\n"), "MUTANT\n" + plain.lower(), plain.replace("\n", "\r\n"),
                     "number,Mutation\n" + "".join(f'{k},"{line}"\n' for k, line in enumerate(plain.split()))]:
            self.assertEqual([r["energy"] for r in rows_of(self.good(*asked, input=text).stdout)], expected, text)
        short = f"{w[0]}1C,9\n{w[1]}2C,4\n"
        dms = ["mutants", "state.h5", "family.fasta", "--dms", "-", "--column", "effect", "--bootstrap", "0", "--quiet"]
        self.assertEqual([r["measured"] for r in rows_of(self.good(*dms, input="Mutant,effect\n\n" + short.lower()).stdout)], ["9", "4"])
        self.refused(["standard input"], "mutants", "state.h5", "-", "--mutations", "-")
        with_other = plain + f"{w[0]}99C\nhello\n"
        self.wrong(2, ["line 3", "no site 99", "--skip-unscored"], *asked, input=with_other)
        done = self.good(*asked[:-1], "--skip-unscored", input=with_other)
        self.assertEqual([r["energy"] for r in rows_of(done.stdout)], expected)
        self.assertIn("# 2 mutants are left out, the model cannot score them; the first is", done.stdout)
        self.assertIn("2 mutants are left out", done.stderr)
        self.wrong(2, ["none of its 1 mutants"], *asked, "--skip-unscored", input="A99C\n")
        self.refused(["--skip-unscored", "--mutations"], "mutants", "state.h5", "family.fasta", "--skip-unscored")

    def test_other_numbers(self):
        """Where the numbers of a list are those of another sequence, the message says by how much they differ."""
        w = self.sequences[0]
        shifted = "".join(f"{a}{n + 31}-\n" for n, a in enumerate(w))
        asked = ["mutants", "state.h5", "family.fasta", "--mutations", "-", "--quiet"]
        self.wrong(2, ["line 1", f"of the {len(shifted.split())} residues", "0 agree", "numbers were 30 smaller"], *asked, input=shifted)
        self.wrong(2, ["none of its", "30 smaller"], *asked, "--skip-unscored", input=shifted)
        few = self.wrong(2, ["line 1"], *asked, input="".join(shifted.split("\n")[0:3:2]) + "\n")
        self.assertNotIn("smaller", few.stderr)

    def test_doubles(self):
        table = self.table("some.h5", "family.fasta", "--doubles")
        sites, w = [1, 2, 4, 5, 6, 7], self.sequences[0]
        expected = [(i, a, j, b) for i, j in itertools.combinations(sites, 2) for a in LETTERS if a != w[i - 1]
                    for b in LETTERS if b != w[j - 1]]
        self.assertEqual([(int(r["number_i"]), r["to_i"], int(r["number_j"]), r["to_j"]) for r in table], expected)
        before, *after = self.energies("some.h5", [w] + [self.mutated([(i, a), (j, b)]) for i, a, j, b in expected])
        single = {(int(r["number"]), r["to"]): r for r in self.table("some.h5", "family.fasta")}
        for r, (energy, _), (i, a, j, b) in zip(table, after, expected):
            self.assertEqual((r["from_i"], r["from_j"]), (w[i - 1], w[j - 1]))
            self.assertAlmostEqual(float(r["energy"]), energy - before[0], delta=1e-7)
            for name, total in ("epistasis", "energy"), ("independent", None):
                parts = float(single[i, a][total or name]) + float(single[j, b][total or name])
                self.assertAlmostEqual(float(r[name]), float(r["energy"]) - parts if total else parts, delta=1e-7)
        best = self.table("some.h5", "family.fasta", "--doubles", "--top", 9)
        lowest = sorted(table, key=lambda r: float(r["energy"]))[:9]
        self.assertEqual([r["energy"] for r in best], [r["energy"] for r in lowest])
        for r in best:
            mutant = self.mutated([(int(r["number_i"]), r["to_i"]), (int(r["number_j"]), r["to_j"])])
            first, second = self.energies("some.h5", [w, mutant])
            self.assertAlmostEqual(float(r["log_pseudolikelihood"]), second[1] - first[1], delta=1e-7)
        self.good("mutants", "some.h5", "family.fasta", "--doubles", "--csv", "doubles.csv", "--quiet")
        with open("doubles.csv") as file:
            self.assertEqual(len(rows_of(file.read())), len(self.table("some.h5", "family.fasta", "--doubles")))
        self.assertIn("the table will have about", self.good("mutants", "some.h5", "family.fasta", "--doubles").stderr)
        self.refused(["--top", "--doubles"], "mutants", "some.h5", "family.fasta", "--top", "3")

    def measurements(self, separator=","):
        """A table of mutants with one and two mutations, and measurements with ties; one is missing."""
        w, rows = self.sequences[0], []
        for n, (i, j) in enumerate(itertools.combinations([1, 2, 4, 5, 6, 7], 2)):
            for a, b in itertools.product("ACD", repeat=2):
                if a != w[i - 1] and b != w[j - 1]:
                    rows.append((f"{w[i - 1]}{i}{a}:{w[j - 1]}{j}{b}", (7 * n + 3 * ord(a) + ord(b)) % 6))
            for a in "ACD":
                if n < 6 and a != w[[1, 2, 4, 5, 6, 7][n] - 1]:
                    site = [1, 2, 4, 5, 6, 7][n]
                    rows.append((f"{w[site - 1]}{site}{a}", (site * ord(a)) % 5))
        lines = [f"{m}{separator}{v}" for m, v in rows]
        lines[3] = f"{rows[3][0]}{separator}NA"
        return rows, "mutation" + separator + "effect\n" + "\n".join(lines) + "\n"

    def test_repeated_measurements(self):
        """A mutant that several rows have, in any order of its mutations, is one mutant with their mean."""
        w = self.sequences[0]
        a, b = (next(f"{w[i - 1]}{i}{c}" for c in "ACD" if c != w[i - 1]) for i in (1, 2))
        write("dms.csv", f"mutant,effect\n{a},1\n{b},5\n{a}:{b},2\n{a},2\n{b}/{a},NA\n{b}:{a},8\n{a},6\n")
        done = self.good("mutants", "state.h5", "family.fasta", "--dms", "dms.csv", "--column", "effect", "--bootstrap", "0")
        self.assertEqual([(r["mutant"], float(r["measured"])) for r in rows_of(done.stdout)], [(a, 3), (b, 5), (f"{a}:{b}", 5)])
        self.assertIn("# 4 rows have a mutant that an earlier row has: its measurement is the mean of all", done.stdout)
        self.assertIn("4 rows repeat a mutant", done.stderr)

    def test_measured(self):
        rows, text = self.measurements()
        write("dms.csv", text)
        flags = ["--dms", "dms.csv", "--column", "effect", "--bootstrap", "40", "--statistics", "statistics.csv"]
        for worse in [], ["--larger-is-worse"]:
            table = self.table("state.h5", "family.fasta", *flags, *worse)
            self.assertEqual([r["mutant"] for r in table], [m for m, _ in rows])
            self.assertEqual([r["measured"] for r in table], ["" if k == 3 else str(v) for k, (_, v) in enumerate(rows)])
            with open("statistics.csv") as file:
                statistics = rows_of(file.read())
            self.assertEqual(len(statistics), 3 * 3 * 4)
            for row in statistics:
                kept = [r for r in table if r["measured"] and row["mutations"] in ("all", r["mutations"])]
                self.assertEqual(int(row["mutants"]), len(kept))
                x = [float(r[row["score"]]) * (-1 if row["score"] == "energy" else 1) for r in kept]
                y = [float(r["measured"]) * (-1 if worse else 1) for r in kept]
                middle = (sorted(y)[(len(y) - 1) // 2] + sorted(y)[len(y) // 2]) / 2
                if row["measure"] != "recall":
                    expected = {"spearman": lambda: spearman(x, y), "kendall": lambda: kendall(x, y),
                                "auc": lambda: auc(x, [v > middle for v in y])}[row["measure"]]()
                    self.assertAlmostEqual(float(row["value"]), expected, delta=1e-6)
                self.assertLessEqual(float(row["low"]), float(row["high"]))
        # The same from a table with tabs, CRLF and a byte order mark, and for any number of threads.
        with open("statistics.csv") as file:
            one = rows_of(file.read())
        write("dms.tsv", "\ufeff" + self.measurements("\t")[1].replace("\n", "\r\n"))
        self.good("mutants", "state.h5", "family.fasta", *flags[2:], "--larger-is-worse", "--dms", "dms.tsv", "--threads", "2")
        with open("statistics.csv") as file:
            self.assertEqual(rows_of(file.read()), one)

    def test_wrong_measurements(self):
        w = self.sequences[0]
        start = ["mutants", "state.h5", "family.fasta", "--dms", "wrong.csv"]
        for text, flags, fragments in [
                (f"mutant,a\n{w[0]}1C,1\n{w[1]}2C,2\n", ["--column", "b"], ["--column", '"b"', "mutant, a"]),
                (f"name,a\n{w[0]}1C,1\n", ["--column", "a"], ["name, a", "mutant, mutation"]),
                (f"mutant,a\n{w[0]}1C,x\n", ["--column", "a"], ["line 2", '"x"', "a number"]),
                (f"mutant,a\n{w[0]}1C,1\n{w[1]}2C\n", ["--column", "a"], ["line 3", "1 cells"]),
                (f"mutant,a\n{w[0]}1C,1\n{w[1]}99C,2\n", ["--column", "a"], ["line 3", "no site 99", "--skip-unscored"]),
                (f"mutant,a\n{w[0]}1C,1\nX2C,2\n", ["--column", "a"], ["line 3", "X is not a symbol"]),
                ("mutant,a\n", ["--column", "a"], ["no row"]), (f"mutant,a\n{w[0]}1C,1\n", [], ["--column"]),
                (f"mutant,a\n{w[0]}1C,1\n", ["--column", "a"], ["1 mutants", "at least 2"])]:
            write("wrong.csv", text)
            self.refused(fragments, *start, *flags)
        other = "ACD"[("ACD".index(w[1]) + 1) % 3]
        write("wrong.csv", f"mutant,a\n{w[0]}1C,1\n{other}2{w[1]},2\n")
        self.refused(["line 3", f"site 2 is {w[1]} in the sequence, not {other}"], *start, "--column", "a", "--skip-unscored")
        write("wrong.csv", f"mutant,a\n{w[0]}1C,1\n{w[1]}99C,2\n{w[1]}2*,2\n{w[1]}2{other},3\n")
        done = self.good(*start, "--column", "a", "--skip-unscored", "--bootstrap", "0")
        self.assertEqual([r["measured"] for r in rows_of(done.stdout)], ["1", "3"])
        self.assertIn("2 mutants are left out", done.stdout)
        self.refused(["--larger-is-worse", "--dms"], "mutants", "state.h5", "family.fasta", "--larger-is-worse")
        self.refused(["--dms", "--doubles"], *start, "--column", "a", "--doubles")

    def test_pictures(self):
        write("dms.csv", self.measurements()[1])
        self.good("mutants", "state.h5", "family.fasta", "--dms", "dms.csv", "--column", "effect", "--picture", "drawn.svg", "--bootstrap", "9")
        picture, wild = Picture("drawn.svg"), self.sequences[0]
        letters = [t for t in picture.texts("tick") if t in "-ACD"][:4]
        places = {(int(r["number"]) - 1, letters.index(r["to"])): -float(r["energy"]) for r in self.table("state.h5", "family.fasta")}
        places |= {(i, letters.index(a)): 0.0 for i, a in enumerate(wild)}
        top = max(map(abs, places.values()))
        self.assertEqual(picture.cells(r"d\d+"), {place: f"d{min(10, math.floor((score / top + 1) / 2 * 11))}" for place, score in places.items()})
        marks = [e for e in picture.all("circle", "wild") if float(e.get("r")) != 3]  # without that of the legend
        self.assertEqual(set(picture.places(marks, *picture.map_frame())), {(i, letters.index(a)) for i, a in enumerate(wild)})
        points = [e for e in picture.all("path", "mark") if e.find(SPACE + "title") is not None]
        self.assertEqual(len(points), len(self.measurements()[0]) - 1)

    def test_independent(self):
        write("one.fasta", f">w\n{self.sequences[0]}\n")
        self.assertEqual({r["independent"] for r in self.table("state.h5", "one.fasta")}, {""})
        self.refused(["--pseudocount", "--independent"], "mutants", "state.h5", "one.fasta", "--pseudocount", "0.1")
        self.assertEqual(self.table("state.h5", "one.fasta", "--independent", "family.fasta"), self.table("state.h5", "family.fasta"))
        for r in self.table("gapless.h5", "family.fasta", "--pseudocount", "0.25"):
            column = [s[int(r["number"]) - 1] for s in self.sequences]
            share = {a: 0.75 * column.count(a) / (len(column) - column.count("-")) + 0.25 / 3 for a in "ACD"}
            self.assertAlmostEqual(float(r["independent"]), math.log(share[r["to"]] / share[r["from"]]), delta=1e-8)
        weighed = self.table("state.h5", "family.fasta", "--theta", "0.3")
        self.assertNotEqual([r["independent"] for r in weighed], [r["independent"] for r in self.table("state.h5", "family.fasta")])
        self.refused(["--remove-duplicates"], "mutants", "state.h5", "family.fasta", "--remove-duplicates")

    def test_matrix(self):
        """EVcouplings' mutation matrix: its names, order and definitions, worked out here; its file is one for --dms."""
        write("of_s1.fasta", f">w\n{self.sequences[1]}\n")
        for model, gap in ("state.h5", True), ("some.h5", True), ("gapless.h5", False):
            for row, data, flags in (0, "family.fasta", []), (1, "family.fasta", ["--row", "1"]), (
                    1, "of_s1.fasta", ["--independent", "family.fasta"]):
                if data == "of_s1.fasta" and model == "gapless.h5":
                    continue
                done = self.good("mutants", model, data, *flags, "--matrix", "m.csv", "--csv", "singles.csv")
                with open("m.csv") as file:
                    text = file.read()
                with open("singles.csv") as file:
                    single = {(r["number"], r["to"]): r for r in rows_of(file.read())}
                self.assertEqual(text.split("\n")[0], "mutant,pos,wt,subs,frequency,column_conservation,prediction_epistatic,prediction_independent")
                found = list(csv.DictReader(io.StringIO(text)))  # no lines of comments
                w = self.sequences[row]
                sites = [i for i in range(7) if w[i] != "-" and (i != 2 or model == "state.h5")]
                self.assertEqual([(r["mutant"], r["pos"], r["wt"], r["subs"]) for r in found],
                                 [(f"{w[i]}{i + 1}{a}", str(i + 1), w[i], a) for i in sites for a in "ACD" if a != w[i]])
                self.assertEqual("sites are left out" in done.stderr + done.stdout, row == 1)
                letters = LETTERS if gap else LETTERS[1:]
                for r in found:
                    column = [s[int(r["pos"]) - 1] for s in self.sequences if gap or s[int(r["pos"]) - 1] != "-"]
                    f = {a: column.count(a) / len(column) for a in letters}
                    self.assertAlmostEqual(float(r["frequency"]), f[r["subs"]], delta=1e-9)
                    entropy = -sum(x * math.log(x) for x in f.values() if x > 0)
                    self.assertAlmostEqual(float(r["column_conservation"]), 1 - entropy / math.log(len(letters)), delta=1e-9)
                    scores = single[r["pos"], r["subs"]]
                    self.assertAlmostEqual(float(r["prediction_epistatic"]), -float(scores["energy"]), delta=1e-8)
                    self.assertAlmostEqual(float(r["prediction_independent"]), float(scores["independent"]), delta=1e-8)
        # Frequencies are weighted.
        self.good("mutants", "state.h5", "family.fasta", "--theta", "0.3", "--matrix", "weighed.csv", "--csv", "x.csv", "--quiet")
        self.good("mutants", "state.h5", "family.fasta", "--matrix", "m.csv", "--csv", "x.csv", "--quiet")
        with open("weighed.csv") as one, open("m.csv") as two:
            self.assertNotEqual([r["frequency"] for r in csv.DictReader(one)], [r["frequency"] for r in csv.DictReader(two)])
        # A list with a column for --dms.
        table = self.table("state.h5", "family.fasta", "--dms", "m.csv", "--column", "prediction_epistatic", "--bootstrap", "0", "--statistics",
                           "s.csv")
        with open("m.csv") as file:
            self.assertEqual([(r["mutant"], float(r["measured"])) for r in table],
                             [(r["mutant"], float(r["prediction_epistatic"])) for r in csv.DictReader(file)])
        with open("s.csv") as file:
            row = next(r for r in rows_of(file.read()) if (r["score"], r["measure"]) == ("energy", "spearman"))
        self.assertAlmostEqual(float(row["value"]), 1, delta=1e-12)
        write("one.fasta", f">w\n{self.sequences[0]}\n")
        self.refused(["--matrix", "--independent"], "mutants", "state.h5", "one.fasta", "--matrix", "m.csv")
        self.refused(["--csv", "--matrix", "m.csv"], "mutants", "state.h5", "family.fasta", "--matrix", "m.csv", "--csv", "m.csv")
        self.refused(["--csv", "--matrix", "two tables"], "mutants", "state.h5", "family.fasta", "--matrix", "-")

    def test_eval_of_a_model_without_gaps(self):
        """Gaps are missing as in training: the loss is that of the last epoch."""
        self.good("learn", "family.fasta", "-o", "own.h5", "--family", "dense", "--alphabet", LETTERS, "--gaps", "ignore", "--theta", "0.3",
                  "--log", "own.csv")
        with open("own.csv") as log:
            trained = float(rows_of(log.read())[-1]["train_loss"])
        row, = rows_of(self.good("eval", "own.h5", "family.fasta", "--theta", "0.3", "--independent", "family.fasta").stdout)
        self.assertAlmostEqual(float(row["loss"]), trained, delta=1e-5)
        self.assertGreater(float(row["independent_loss"]), trained)

    def test_columns(self):
        """A model that was learned after a filter scores the unfiltered file as it does the filtered one."""
        write("filtered.fasta", "".join(f">s{n}\n{s[:2] + s[3:]}\n" for n, s in enumerate(self.sequences)))
        for model in "some.h5", "gapless.h5":
            for command in ["mutants"], ["energies"], ["mutants", "--doubles"]:
                done = self.good(*command[:1], model, "family.fasta", *command[1:])
                self.assertIn("takes the 6 columns of the model, of 7", done.stderr)
                self.assertEqual(rows_of(done.stdout), rows_of(self.good(*command[:1], model, "filtered.fasta", *command[1:]).stdout))
        for model in "some.h5", "gapless.h5":
            whole = self.good("eval", model, "family.fasta", "--independent", "family.fasta")
            self.assertEqual(rows_of(whole.stdout),
                             rows_of(self.good("eval", model, "filtered.fasta", "--independent", "filtered.fasta").stdout))
        self.good("sample", "--model", "some.h5", "-o", "samples.h5", "--samples", "50", "--protocol", "chain", "--thin", "5")
        done = self.good("compare", "family.fasta", "samples.h5", "--alphabet", LETTERS)
        self.assertIn("takes the 6 columns of the samples, of 7", done.stderr)
        self.assertEqual([r["pearson"] for r in rows_of(done.stdout)],
                         [r["pearson"] for r in rows_of(self.good("compare", "filtered.fasta", "samples.h5", "--alphabet", LETTERS).stdout)])
        # A matrix of distances with all columns.
        distances = [[0.0 if i == j else 1.5 * abs(i - j) + 0.1 * max(i, j) for j in range(7)] for i in range(7)]
        npy.write("whole.npy", distances)
        npy.write("part.npy", [[v for j, v in enumerate(row) if j != 2] for i, row in enumerate(distances) if i != 2])
        done = self.good("contacts", "some.h5", "--distances", "whole.npy", "--cutoff", "4")
        self.assertIn("takes the 6 columns of the model, of 7", done.stderr)
        self.assertEqual(rows_of(done.stdout), rows_of(self.good("contacts", "some.h5", "--distances", "part.npy", "--cutoff", "4").stdout))
        self.good("convert", "some.h5", "again.h5")
        self.assertEqual(self.table("again.h5", "family.fasta"), self.table("some.h5", "family.fasta"))
        self.refused(["5 sites", "expected 6", "7 sites"], "mutants", "some.h5", "family.fasta", "--max-gaps-column", "0.1")
        # As many columns as the model, but others: those where the second sequence has no gap, less the first of them.
        others = ["-" + s[1:] if n else s for n, s in enumerate(self.sequences)]
        write("others.fasta", "".join(f">s{n}\n{s[:2] + 'A' + s[3:]}\n" for n, s in enumerate(others)))
        self.refused(["lacks the column of site 0 (number 1)", "was removed"], "mutants", "some.h5", "others.fasta", "--max-gaps-column", "0.5")
        write("short.fasta", ">a\nACD\n")
        self.refused(["short.fasta", "3 sites", "expected 6", "7 sites"], "mutants", "some.h5", "short.fasta")
        write("long.fasta", ">a\nACDACDAC\n")
        self.refused(["long.fasta", "8 sites", "expected 7"], "energies", "state.h5", "long.fasta")


class Family(Case):
    """6acv: 1152 single and 1073 double mutants with measured changes of stability, one of them twice: its mean counts."""

    @classmethod
    def make_inputs(cls):
        cls.stem = str(SHARED / "6acv_A_29-94")

    def test_all_mutants(self):
        if not SHARED.exists():
            self.skipTest(f"no folder {SHARED}: set ATP_SHARED_DATA")
        fasta, table = self.stem + ".fasta", self.stem + ".csv"
        must("learn", fasta, "-o", "6acv.h5", "--alphabet", "protein", "--family", "dense", "--gaps", "ignore", "--l2-couplings", "10",
             "--set", "l2-scale=sites", "--l2-fields", "1", "--theta", "0.2", "--quiet")
        done = self.good("mutants", "6acv.h5", fasta, "--dms", table, "--column", "DDG", "--larger-is-worse", "--theta", "0.2",
                         "--bootstrap", "50", "--statistics", "6acv.csv", "--quiet")
        rows = rows_of(done.stdout)
        self.assertEqual([sum(r["mutations"] == n for r in rows) for n in "12"], [1152, 1072])
        self.assertTrue(all(r["energy"] and r["log_pseudolikelihood"] and r["independent"] for r in rows))
        with open("6acv.csv") as file:
            found = {(r["mutations"], r["score"]): r for r in rows_of(file.read()) if r["measure"] == "spearman"}
        for n in "12":
            kept = [r for r in rows if r["mutations"] == n]
            self.assertAlmostEqual(float(found[n, "energy"]["value"]),
                                   spearman([float(r["energy"]) for r in kept], [float(r["measured"]) for r in kept]), delta=1e-6)
        self.assertGreater(float(found["1", "energy"]["value"]), 0.54)
        self.assertGreater(float(found["2", "energy"]["value"]), 0.36)


if __name__ == "__main__":
    main()
