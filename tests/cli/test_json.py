#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tables as JSON: --json on standard output, files that end in .json."""
import json

from program import Case, main, read_table, small_data


def cell_of(value):
    return "" if value is None else value if isinstance(value, str) else float(value)


def csv_cell(text):
    try:
        return float(text) if text not in ("", "inf", "-inf", "nan") else text
    except ValueError:
        return text


class Json(Case):
    @classmethod
    def make_inputs(cls):
        small_data()

    def test_the_same_table(self):
        """Every table on standard output has the notes, columns and cells of its CSV."""
        for arguments in (["energies", "truth.h5", "data.h5"], ["contacts", "truth.h5", "--csv", "-"], ["weights", "data.h5"],
                          ["compare", "data.h5", "data.h5"], ["mutants", "truth.h5", "data.h5", "--row", "0", "--csv", "-"],
                          ["replica", "--shift", "3", "--alpha", "1,2"], ["dotattn", "--omega", "0.3", "--alpha", "1", "--set", "accuracy=1e-2"], ["info", "presets"]):
            text = self.good(*arguments).stdout
            if not text.startswith("# ") or arguments[0] == "info":
                continue
            notes, columns, rows = read_table(text)
            found = json.loads(self.good(*arguments, "--json").stdout)
            self.assertEqual(found["columns"], columns, arguments)
            without = [f"# {note}" for note in found["notes"] if not note.startswith("command:")]
            self.assertEqual(without, [note for note in notes if not note.startswith("# command:")], arguments)
            self.assertEqual([[cell_of(row[c]) for c in columns] for row in found["rows"]], [[csv_cell(row[c]) for c in columns] for row in rows], arguments)
            self.tables = getattr(self, "tables", 0) + 1
        self.assertGreaterEqual(self.tables, 5)

    def test_files(self):
        """The name decides; --json changes no file."""
        self.good("contacts", "truth.h5", "--csv", "pairs.json")
        self.good("contacts", "truth.h5", "--csv", "pairs.csv", "--json")
        with open("pairs.json") as file, open("pairs.csv") as other:
            table, (_, columns, rows) = json.load(file), read_table(other.read())
        self.assertEqual(table["columns"], columns)
        self.assertEqual(len(table["rows"]), len(rows))
        self.assertIsInstance(table["rows"][0]["i"], int)

    def test_without_comments(self):
        """--no-comments: the table alone, and its notes beside the file; a run that did not finish keeps them."""
        commands = {"pairs.csv": ["contacts", "truth.h5", "--csv"], "d.csv": ["mutants", "truth.h5", "data.h5", "--row", "0", "--doubles", "--csv"],
                    "grown.csv": ["dotattn", "--omega", "0.3", "--alpha", "1", "--set", "accuracy=1e-2", "--csv"]}
        for name, arguments in commands.items():
            self.good(*arguments, name)
            with open(name) as file:
                lines = file.read().split("\n")
            table = [line for line in lines if not line.startswith("#")]
            self.assertLess(len(table), len(lines))
            self.good(*arguments, name, "--restart" if name == "grown.csv" else "--quiet", "--no-comments")
            with open(name) as file, open(name + ".json") as beside:
                self.assertEqual(file.read().split("\n"), table)
                notes = json.load(beside)
            self.assertEqual(notes["rows"], [])
            self.assertEqual(notes["columns"], table[0].split(","))
            same = [f"# {note}" for note in notes["notes"] if not note.startswith("command:")]
            self.assertEqual(same, [line for line in lines if line.startswith("#") and not line.startswith("# command:")])
            self.assertEqual(self.good(*arguments, "-", "--no-comments").stdout.split("\n"), table)
        self.wrong(2, ["no settings", "--no-comments"], *commands["grown.csv"], "grown.csv", "--resume")
        self.good("contacts", "truth.h5", "--matrix", "m.txt", "--csv", "x.csv", "--no-comments")
        with open("m.txt") as file:
            self.assertNotIn("#", file.read())

    def test_all_doubles_are_csv(self):
        done = self.wrong(2, ["all double mutants", "as CSV"], "mutants", "truth.h5", "data.h5", "--row", "0", "--doubles", "--csv", "doubles.json", "--quiet")
        self.assertEqual(done.stdout, "")


main()
