#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The times of docs/installing.md: installing packages and running quickstarts in a bare Debian root.

usage: packages_table.py write     the table of the page, from docs/results/packages.csv
       packages_table.py check     the page has that table, and its rows are of this version and of the sections of the page
                              (the wheel may have none)
tools/machines/fresh-machine.sh --packages FOLDER --wheel FOLDER --store writes the CSV file."""
import csv
import datetime
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "ci"))
import readme_commands  # noqa: E402
from tree_version import ROOT, version  # noqa: E402

STORED, PAGE = "docs/results/packages.csv", "docs/installing.md"
BEGIN, END = "<!-- begin packages -->\n", "<!-- end packages -->\n"
COLUMNS = ["way", "step", "install_seconds", "run_seconds", "version", "date"]
# Chapters of the page, and what their first section is called in the table.
CHAPTERS = {"deb": ("Debian packages", "all packages"), "wheel": ("Python wheel", "wheel")}


def sections(path):
    """Chapter -> [(section, step)]: the commands of a page, by the headings above them."""
    headings, found = [], {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("##"):
            marks, _, title = line.partition(" ")
            headings.append((number, len(marks), title))
    for step in readme_commands.steps(path):
        above = [h for h in headings if h[0] < int(step.place.rpartition(":")[2])]
        found.setdefault([h for h in above if h[1] == 2][-1][2], []).append((above[-1][2], step))
    return found


def steps(path, way):
    """Name and commands of each step of a way to install."""
    chapter, first = CHAPTERS[way]
    return [(first if name == chapter else name, step) for name, step in sections(path).get(chapter, [])]


def load(root):
    if not (root / STORED).exists():
        return []
    with open(root / STORED, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def table(rows):
    text = "| from | step | seconds to install | seconds to run | version | date |\n|---|---|---:|---:|---|---|\n"
    return text + "".join("| " + " | ".join(row[name] for name in COLUMNS) + " |\n" for row in rows)


def page_with(text, rows):
    head, rest = text.split(BEGIN)
    return head + BEGIN + table(rows) + END + rest.split(END)[1]


def write(root):
    text = (root / PAGE).read_text(encoding="utf-8")
    (root / PAGE).write_text(page_with(text, load(root)), encoding="utf-8")


def store(rows, root=ROOT):
    """Rows of the ways that were run take the place of older ones."""
    about = {"version": version(), "date": datetime.date.today().isoformat()}
    old = load(root)
    ways = {row["way"] for row in rows}
    rows = [row for row in old if row["way"] not in ways] + [{**row, **about} for row in rows]
    with open(root / STORED, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted(rows, key=lambda row: row["way"]))
    write(root)


def problems(root, current):
    rows = load(root)
    found = [f"{row['way']} {row['step']}: stored for version {row['version']}, this is {current}" for row in rows if row["version"] != current]
    for way in CHAPTERS:
        stored, wanted = [row["step"] for row in rows if row["way"] == way], [name for name, _ in steps(root / PAGE, way)]
        found += [f"{way} {name}: no stored time" for name in wanted if name not in stored and (stored or way == "deb")]
        found += [f"{way} {name}: a stored time of a section that {PAGE} does not have" for name in stored if name not in wanted]
    text = (root / PAGE).read_text(encoding="utf-8")
    if page_with(text, rows) != text:
        found.append(f"{PAGE}: the table is not that of {STORED}: run tools/machines/packages_table.py write")
    return found


def main():
    if sys.argv[1:] == ["write"]:
        return write(ROOT)
    if sys.argv[1:] == ["check"]:
        found = problems(ROOT, version())
        print(*found, sep="\n", end="\n" if found else "")
        if found:
            print("tools/machines/fresh-machine.sh --packages FOLDER --wheel FOLDER --store")
        return bool(found)
    if sys.argv[1:] in (["--help"], ["-h"]):
        return print(__doc__)
    sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(main())
