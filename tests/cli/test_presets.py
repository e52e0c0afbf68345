#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--like: what a preset sets is what docs/presets.md says, flags win over it, and the weights of each rule are those of plain Python."""
import csv
import io
import os
import re

from program import Case, main, run

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


FACTORED = ("attentiondca", "mogwai")  # of learn alone
PURPOSES = ("mutations",)  # --preset, not --like


def presets(dense=False):
    table = {}
    for row in csv.DictReader(io.StringIO(run("info", "presets").stdout)):
        if not dense or row["preset"] not in FACTORED + PURPOSES:
            key, equals, value = row["value"].partition("=") if row["flag"] == "--set" else ("", "", row["value"])
            table.setdefault(row["preset"], {})[f"--set {key}" if equals else row["flag"]] = value
    return table


class Table(Case):
    def test_documentation(self):
        with open(os.path.join(ROOT, "docs/presets.md")) as file:
            part = re.search(r"<!-- begin presets -->\n(.*)<!-- end presets -->", file.read(), re.S).group(1)
        lines = [[cell.strip().strip("`") for cell in line.strip("|\n").split("|")] for line in part.splitlines()]
        names, rows = lines[0][1:], lines[2:]
        written = {name: {row[0]: "" if row[k + 1] == "yes" else row[k + 1] for row in rows if row[k + 1] != "-"} for k, name in enumerate(names)}
        self.assertEqual(written, presets())
        self.assertEqual(names, ["plmc", "ccmpred", "gremlin", "evcouplings", "plmdca", "attentiondca", "mogwai", "mutations"])


    def test_words_of_a_command(self):
        """Flag and value with a blank between are what the command line takes."""
        rows = list(csv.DictReader(io.StringIO(run("info", "presets").stdout)))
        self.assertIn({"preset": "plmc", "flag": "--set", "value": "l2-scale=absolute"}, rows)
        for row in rows:
            self.assertRegex(f"{row['flag']} {row['value']}", r"^--[\w-]+ [\w.=-]*$")


def words_of(flag, value):
    """As they are on the command line."""
    if flag.startswith("--set "):
        return ["--set", f"{flag[6:]}={value}"]
    return [flag, value] if value else [flag]


def neighbours(a, b, theta, rule):
    """Do two sequences count as one? d <= theta L, d < theta L, d < floor(theta L), in whole numbers where theta is a fraction of tens."""
    different, sites = sum(x != y for x, y in zip(a, b)), len(a)
    if rule == "floor":
        return different < int(theta * sites + 1e-9)
    return different <= theta * sites + 1e-9 if rule == "inclusive" else different < theta * sites - 1e-9


def effective_number(sequences, theta, rule):
    return sum(1 / sum(a is b or neighbours(a, b, theta, rule) for b in sequences) for a in sequences)


class Presets(Case):
    @classmethod
    def make_inputs(cls):
        """A family of 40 sequences that mutate along a chain, with gaps, and one with an unknown symbol."""
        state = 7
        rows = ["ACDEFGHIKLM"]
        letters = "-ACDEFGHIKLMNPQRSTVWY"
        for _ in range(40):
            row = list(rows[len(rows) * 3 // 4])
            for _ in range(2):
                state = (state * 1103515245 + 12345) % 2 ** 31
                row[state // 65536 % 11] = letters[state // 1024 % 21]
            rows.append("".join(row))
        cls.good_rows = rows
        with open("a.fasta", "w") as file:
            for k, row in enumerate(rows + ["XCDEFGHIKLM"]):
                file.write(f">s{k}\n{row}\n")
        with open("ten.fasta", "w") as file:
            for k, row in enumerate(rows):
                file.write(f">s{k}\n{row[:10]}\n")

    def learn(self, *arguments):
        """Settings in force {flag: value}, and the messages."""
        done = run("learn", "a.fasta", "-o", "m.h5", "--epochs", 3, "--log", "log.csv", *arguments)
        self.assertIn(done.returncode, (0, 3), done.stderr)
        with open("log.csv") as file:
            notes = [line[2:].strip() for line in file if line.startswith("# like ")]
        if not notes:
            return {}, done.stderr
        self.assertEqual(len(notes), 1)
        self.assertIn(notes[0], done.stderr)
        words = notes[0].split(":", 1)[1].split("; but given:")[0].split()
        flags = [k for k, word in enumerate(words) if word.startswith("--")]
        found = {words[k]: words[k + 1] if k + 1 < len(words) and k + 1 not in flags else "" for k in flags}
        if "--set" in found:
            key, _, value = found.pop("--set").partition("=")
            found["--set " + key] = value
        return found, done.stderr

    def scores(self, *arguments):
        done = run("contacts", "a.fasta", "--epochs", 20, *arguments)
        self.assertIn(done.returncode, (0, 3), done.stderr)
        return [line for line in done.stdout.splitlines() if not line.startswith("#")]

    def test_each_sets_what_the_table_says(self):
        of_scores = {"--gauge", "--norm-gap", "--min-separation"}
        for name, settings in presets(dense=True).items():
            in_force, _ = self.learn("--like", name)
            self.assertEqual(in_force, {flag: value for flag, value in settings.items() if flag not in of_scores}, name)

    def test_presets_of_factored_attention(self):
        """They set options without a flag, too; a map of one's own leaves out what only low-rank maps have."""
        for name in FACTORED:
            words = [word for flag, value in presets()[name].items() for word in words_of(flag, value)]
            said = run("learn", "a.fasta", "-o", "m.h5", "--alphabet", "protein", "--epochs", 2, "--like", name).stderr
            self.assertIn(f"like {name}: {' '.join(words)}\n", said)
            said = run("learn", "a.fasta", "-o", "m.h5", "--alphabet", "protein", "--epochs", 2, "--like", name, "--map", "free").stderr
            for part in ("--rank", "diagonal", "scores-scaled"):
                self.assertNotIn(part, said.splitlines()[0])
            self.wrong(2, ["--like", "--family factored"], "learn", "a.fasta", "-o", "m.h5", "--alphabet", "protein", "--like", name, "--family", "dense")
        self.wrong(2, ["mogwai", "expected plmc"], "contacts", "a.fasta", "--like", "mogwai")

    def test_the_same_as_the_flags_by_hand(self):
        tables = {}
        for name, settings in presets(dense=True).items():
            flags = [word for flag, value in settings.items() for word in words_of(flag, value)]
            tables[name] = self.scores("--like", name)
            self.assertEqual(tables[name], self.scores(*flags), name)
            self.assertGreater(len(tables[name]), 10)
        self.assertEqual(len({tuple(table) for table in tables.values()}), 5)  # no two presets do the same

    def test_scores_of_a_model(self):
        self.learn("--like", "plmc")
        done = self.good("contacts", "m.h5", "--like", "plmc")
        self.assertIn("# like plmc: --gauge raw --norm-gap include\n", done.stdout)
        self.assertIn("raw gauge, all colours", done.stdout)
        done = self.good("contacts", "m.h5", "--like", "plmc", "--norm-gap", "exclude", "--gauge", "zero-sum")
        self.assertIn("zero-sum gauge, without the gap", done.stdout)

    def test_plmc_counts_gaps_of_the_focus(self):
        """The warning to those who compare numbers of sites: with plmc's preset and a focus, and only then."""
        with open("focus.fasta", "w") as file:
            file.write(">one/5-7\nA-CD\n>two\nAECD\n>three\nAACE\n")
        said = "like plmc: sites are the residues of one; plmc's numbers also count columns where it has a gap"
        for like, focus, expected in (("plmc", True, True), ("plmc", False, False), ("ccmpred", True, False)):
            flags = ["--focus", "one"] if focus else []
            done = run("contacts", "focus.fasta", "--like", like, *flags)
            self.assertIn(done.returncode, (0, 3), done.stderr)
            self.assertEqual(said in done.stderr, expected, done.stderr)

    def test_effective_numbers(self):
        """theta and rule of each preset, on 11 columns, of which 0.2 are no whole number, and on 10."""
        for path, rows in (("a.fasta", self.good_rows), ("ten.fasta", [row[:10] for row in self.good_rows])):
            seen = set()
            for rule in ("inclusive", "strict", "floor"):
                expected = effective_number(rows, 0.2, rule)
                flags = ["--alphabet", "protein", "--unknown", "drop", "--weights", "auto", "--theta", "0.2", "--weight-rule", rule]
                text = run("convert", path, "o.fasta", *flags).stderr
                self.assertIn(f"effective number {expected:.1f} (theta 0.2, {rule} rule)", text)
                seen.add(round(expected, 1))
            self.assertGreater(len(seen), 1)
        for name, settings in presets(dense=True).items():
            if settings["--theta"] == "auto" or "--max-gaps-column" in settings:
                continue
            rows = self.good_rows + ([] if settings["--unknown"] == "drop" else ["-CDEFGHIKLM"])
            expected = effective_number(rows, float(settings["--theta"]), settings["--weight-rule"])
            _, text = self.learn("--like", name)
            self.assertIn(f"effective number {expected:.1f} (theta 0.2, {settings['--weight-rule']} rule)", text)

    def test_theta_of_plmdca(self):
        rows = list(dict.fromkeys(row for row in self.good_rows + ["-CDEFGHIKLM"] if row.count("-") <= 0.9 * 11))
        pairs = [(a, b) for k, a in enumerate(rows) for b in rows[:k]]
        identity = sum(sum(x == y for x, y in zip(a, b)) / 11 for a, b in pairs) / len(pairs)
        theta = min(0.5, 0.1216 / identity)
        _, text = self.learn("--like", "plmdca")
        self.assertIn(f"effective number {effective_number(rows, theta, 'floor'):.1f} (theta {theta:.6g}, floor rule)", text)

    def test_flags_win(self):
        in_force, text = self.learn("--like", "plmc", "--gaps", "ignore", "--l2-couplings", 16)
        self.assertNotIn("--gaps", in_force)
        self.assertIn("; but given: --gaps ignore --l2-couplings 16\n", text)
        in_force, text = self.learn("--like", "ccmpred", "--weights", "none")
        self.assertFalse({"--weights", "--theta", "--weight-rule"} & set(in_force))
        self.assertIn("no weights", text)
        in_force, text = self.learn("--like", "ccmpred", "--weights", "0.3")
        self.assertIn("theta 0.3, floor rule", text)
        in_force, text = self.learn("--like", "gremlin", "--theta", "0.3")
        self.assertIn("theta 0.3, strict rule", text)

    def test_wrong_use(self):
        self.wrong(2, ["--like", "plmd", "plmdca"], "learn", "a.fasta", "-o", "m.h5", "--like", "plmd")
        self.wrong(2, ["--like", "plmc", "--family dense"], "learn", "a.fasta", "-o", "m.h5", "--like", "plmc", "--family", "factored")
        self.wrong(2, ["--like", "odd"], "contacts", "a.fasta", "--like", "odd")
        self.wrong(2, ["--like", "mutations", "plmc"], "contacts", "a.fasta", "--like", "mutations")
        self.wrong(2, ["--preset", "plmc", "mutations"], "learn", "a.fasta", "-o", "m.h5", "--preset", "plmc")
        self.wrong(2, ["--preset", "mutations", "--family dense"], "learn", "a.fasta", "-o", "m.h5", "--preset", "mutations", "--family", "factored")


main()
