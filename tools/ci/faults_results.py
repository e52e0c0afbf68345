#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Results of tools/ci/faults.sh in docs/results/faults.csv.

usage: faults_results.py record PART FILE    the lines that a part printed take the place of its older ones
       faults_results.py check               all runs of all parts are there, whole, of this version, without findings
"""
import csv
import datetime
import io
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from tree_version import ROOT, commit, version  # noqa: E402

STORED = pathlib.Path("docs/results/faults.csv")
COLUMNS = ["part", "run", "what", "tried", "came", "findings", "version", "commit", "date"]
PROGRAM = ("sample", "learn", "learn-factored", "contacts", "doubles", "convert", "convert-fasta")
# convert calls no malloc in HDF5: it reads a model alone.
PARTS = {"api": ("round",), "calls": PROGRAM, "disk": PROGRAM, "kill": ("dense", "factored", "sampling"), "soak": ("8 threads",),
         "third": tuple(name for name in PROGRAM if name != "convert"), "tsan": ("8 threads",)}
SECONDS = {"soak": 3600, "tsan": 600}


def lines_of(part, text):
    """Cells of the first six columns."""
    if part in ("soak", "tsan"):
        found = re.search(r"^# threads (\d+), (rounds (\d+), .*): (.*)$", text, re.MULTILINE)
        seconds = [line.split(",")[0] for line in text.splitlines() if re.match(r"\d+,", line)]
        if not found:
            return [[part, "8 threads", "no verdict", 0, 0, 1]]
        return [[part, f"{found[1]} threads", f"{seconds[-1]} s; {found[2].replace(',', ';')}", found[3], found[3],
                 int(found[4] != "passed")]]
    if part == "api":
        rows = re.findall(r"RUN\s*\] (\w+)\n(?:(\d+) of \d+ calls\n)?(.*?)\[\s*(OK|FAILED)", text, re.DOTALL)
        return [[part, "round", name, count or 1, count or 1, int(end != "OK")] for name, count, _, end in rows]
    return [row for row in csv.reader(io.StringIO(text)) if row and row[0] == part]


def load():
    path = ROOT / STORED
    if not path.exists():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def record(part, path):
    date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    made = [dict(zip(COLUMNS, [*map(str, cells), version(), commit(), date]))
            for cells in lines_of(part, pathlib.Path(path).read_text(encoding="utf-8"))]
    ran = {(row["part"], row["run"]) for row in made}
    rows = [row for row in load() if (row["part"], row["run"]) not in ran] + made
    rows.sort(key=lambda row: (row["part"], row["run"]))
    with open(ROOT / STORED, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def problems(rows, current):
    stored = {(row["part"], row["run"]) for row in rows}
    found = [f"{part} {run}: no stored result" for part, runs in PARTS.items() for run in runs if (part, run) not in stored]
    for row in rows:
        name = f"{row['part']} {row['run']} {row['what']}"
        if row["version"] != current:
            found.append(f"{name}: of version {row['version']}, this is {current}: run tools/ci/faults.sh --store {row['part']}")
        if row["findings"] != "0" or row["tried"] in ("", "0"):
            found.append(f"{name}: {row['tried']} tried, {row['findings']} findings")
        if "1 call in" in row["what"] or (row["part"] != "kill" and row["came"] != row["tried"]):
            found.append(f"{name}: {row['came']} faults of {row['tried']} came, all are wanted: run it without --stride")
        if int(re.match(r"\d+", row["what"])[0] if row["part"] in SECONDS else 0) < SECONDS.get(row["part"], 0):
            found.append(f"{name}: shorter than {SECONDS[row['part']]} s")
    return found


def main(arguments):
    if len(arguments) == 3 and arguments[0] == "record" and arguments[1] in PARTS:
        record(*arguments[1:])
        return 0
    if arguments == ["check"]:
        found = problems(load(), version())
        print(*found, sep="\n", end="\n" if found else "")
        return 1 if found else 0
    sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
