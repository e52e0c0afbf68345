#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Speed against PyTorch: the tables of README.md and docs/performance.md from docs/results/pytorch.csv.

usage: speed_table.py write    both tables
       speed_table.py check    the tables are those of the file; a line for each that is not, and status 1

`bench/transformer_torch.py LIBRARY --compile > docs/results/pytorch.csv` measures again, which takes a minute and needs PyTorch; its first line
has the day and the machine, which stand below each table. The tables are between `<!-- begin NAME -->` and `<!-- end NAME -->`.
"""
import csv
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from readme_commands import between  # noqa: E402
from tree_version import ROOT  # noqa: E402

STORED = "docs/results/pytorch.csv"
CASES = {"encoder_blocks1": "encoder, 1 block", "encoder_blocks3": "encoder, 3 blocks",
         "factored_one_site": "factored attention, one masked site each", "factored_all_sites": "factored attention, all sites"}
WAYS = {"layers": "its layers", "by hand": "written by hand", "by hand compiled": "by hand, `torch.compile`", "look-ups": "look-ups",
        "one-hot": "one-hot products", "one-hot compiled": "one-hot, `torch.compile`"}


def load(root):
    with open(root / STORED, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    found = {case: [r for r in rows if r["case"] == case] for case in CASES}
    if not all(found.values()) or len(rows) != sum(map(len, found.values())):
        sys.exit(f"{STORED}: its cases are not {', '.join(CASES)}")
    return found


def measured(root):
    """When and where: the first line of the file."""
    return f"Measured {(root / STORED).read_text(encoding='utf-8').splitlines()[0].removeprefix('# ')}."


def fastest(rows):
    return min(rows, key=lambda r: float(r["torch_us"]))


def number(text):
    """Three digits."""
    return f"{float(text):.3g}" if float(text) < 1000 else f"{float(text):.0f}"


def short(found):
    lines = ["| training step on 100 sequences | attopotts, us | PyTorch, us | times as fast |", "|---|---:|---:|---:|"]
    for case, rows in found.items():
        best = fastest(rows)
        lines.append(f"| {CASES[case]} | {number(best['ours_us'])} | {number(best['torch_us'])} | {float(best['ratio']):.1f} |")
    return "\n".join(lines)


def full(found):
    lines = ["| case | attopotts, us | way in PyTorch | PyTorch, us | ratio |", "|---|---:|---|---:|---:|"]
    for case, rows in found.items():
        lines += [f"| {CASES[case]} | {number(r['ours_us'])} | {WAYS[r['torch']]} | {number(r['torch_us'])} | {float(r['ratio']):.1f} |" for r in rows]
    return "\n".join(lines)


# page: name of the table, and what makes it
PAGES = {"README.md": ("speed", short), "docs/performance.md": ("pytorch", full)}


def pages(root):
    """Path, text and text with its table for each page."""
    found = load(root)
    for name, (mark, table) in PAGES.items():
        text = (root / name).read_text(encoding="utf-8")
        marks = f"<!-- begin {mark} -->", f"<!-- end {mark} -->"
        if any(text.count(m) != 1 for m in marks):
            sys.exit(f"{name}: expected '{marks[0]}' and '{marks[1]}' once each")
        yield name, text, between(text, marks, f"{table(found)}\n\n{measured(root)}")


def main(arguments):
    if arguments == ["write"]:
        for name, _, text in pages(ROOT):
            (ROOT / name).write_text(text, encoding="utf-8")
        return 0
    if arguments == ["check"]:
        wrong = [name for name, text, made in pages(ROOT) if text != made]
        for name in wrong:
            print(f"{name}: the table is not that of {STORED}: run tools/ci/speed_table.py write")
        return 1 if wrong else 0
    if arguments in (["--help"], ["-h"]):
        print(__doc__)
        return 0
    sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
