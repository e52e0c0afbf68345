#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tables of speed in README.md and docs/performance.md: PyTorch, limits of the machine, peers, from docs/results/{pytorch,roofline,peers}.csv.

usage: speed_table.py write    all tables
       speed_table.py check    the tables are those of the files; a line for each that is not, and status 1

`bench/transformer_torch.py LIBRARY --compile > docs/results/pytorch.csv` measures again, which takes a minute and needs PyTorch; bench/roofline.py
and bench/peers.py write the other files. The first line of a file has the day and the machine, which stand below each table. The tables are
between `<!-- begin NAME -->` and `<!-- end NAME -->`.
"""
import csv
import pathlib
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parents[2] / "bench")]
import roofline  # noqa: E402
from readme_commands import between  # noqa: E402
from tree_version import ROOT  # noqa: E402

STORED = "docs/results/pytorch.csv"
CASES = {"encoder_blocks1": "encoder, 1 block", "encoder_blocks3": "encoder, 3 blocks",
         "factored_one_site": "factored attention, one masked site each", "factored_all_sites": "factored attention, all sites"}
WAYS = {"layers": "its layers", "by hand": "written by hand", "by hand compiled": "by hand, `torch.compile`", "look-ups": "look-ups",
        "one-hot": "one-hot products", "one-hot compiled": "one-hot, `torch.compile`"}


def rows_of(root, stored):
    with open(root / stored, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def load(root):
    rows = rows_of(root, STORED)
    found = {case: [r for r in rows if r["case"] == case] for case in CASES}
    if not all(found.values()) or len(rows) != sum(map(len, found.values())):
        sys.exit(f"{STORED}: its cases are not {', '.join(CASES)}")
    return found


def measured(root, stored):
    """When and where: the first line of the file."""
    return f"Measured {(root / stored).read_text(encoding='utf-8').splitlines()[0].removeprefix('# ')}."


def fastest(rows):
    return min(rows, key=lambda r: float(r["torch_us"]))


def number(text):
    """Three digits."""
    return f"{float(text):.3g}" if float(text) < 1000 else f"{float(text):.0f}"


def short(root):
    found = load(root)
    lines = ["| training step on 100 sequences | attopotts, us | PyTorch, us | times as fast |", "|---|---:|---:|---:|"]
    for case, rows in found.items():
        best = fastest(rows)
        lines.append(f"| {CASES[case]} | {number(best['ours_us'])} | {number(best['torch_us'])} | {float(best['ratio']):.1f} |")
    return "\n".join(lines)


def full(root):
    found = load(root)
    lines = ["| case | attopotts, us | way in PyTorch | PyTorch, us | ratio |", "|---|---:|---|---:|---:|"]
    for case, rows in found.items():
        lines += [f"| {CASES[case]} | {number(r['ours_us'])} | {WAYS[r['torch']]} | {number(r['torch_us'])} | {float(r['ratio']):.1f} |" for r in rows]
    return "\n".join(lines)


def si(text):
    """Three digits and k, M or G."""
    value, unit = float(text), ""
    for step in ("k", "M", "G"):
        if value >= 1000:
            value, unit = value / 1000, step
    return f"{value:.3g} {unit}".strip()


def machine_table(root):
    """What one thread can do, in G floats or G bytes a second."""
    rows = rows_of(root, ROOFLINE)
    targets = list(dict.fromkeys(r["target"] for r in rows))
    lines = ["| a second | " + " | ".join(targets) + " |", "|---|" + "---:|" * len(targets)]
    lanes = {"avx512": 16, "avx2": 8}
    for resource in roofline.RESOURCES:
        bytes_each = 4 if resource.startswith(("loads", "stores")) else 1
        cells = [float(r["rate"]) * lanes.get(r["target"], 4) * bytes_each / 1e9 for r in rows if r["name"] == resource]
        what = resource.replace("_", " ").replace("multiply adds", "multiply-adds").replace("look ups", "look-ups")
        what = what.replace("loads l", "loads L").replace("stores l", "stores L")
        lines.append(f"| {what}, {'GB' if bytes_each == 4 else 'G numbers'} | " + " | ".join(f"{x:.3g}" for x in cells) + " |")
    return "\n".join(lines)


def shares_table(root):
    """Rate, bound and share of each kernel."""
    rows = rows_of(root, ROOFLINE)
    targets = list(dict.fromkeys(r["target"] for r in rows))
    head = ["kernel", f"rate, {targets[0]}", "bound", "share", "bound by", *(f"share, {t}" for t in targets[1:])]
    lines = ["| " + " | ".join(head) + " |", "|---|---:|---:|---:|---|" + "---:|" * (len(targets) - 1)]
    for kernel in roofline.KERNELS:
        first, *others = (r for r in rows if r["name"] == kernel.name)
        bound_by = first["bound_by"].replace("_l1", " L1").replace("_l2", " L2").replace("_", " ").replace("look ups", "look-ups")
        lines.append(f"| `{kernel.name}` | {si(first['rate'])} {first['unit']} | {si(first['bound'])} | {100 * float(first['share']):.0f}% | {bound_by} | "
                     + " | ".join(f"{100 * float(r['share']):.0f}%" for r in others) + " |")
    return "\n".join(lines)


def pretty(formula):
    return formula.replace("*", " ").replace("ceil", "ceil ").replace("row", "row ")


def work_table():
    """Floating-point operations and bytes of a unit of work, phase by phase."""
    lines = ["| kernel | phase | operations (a multiply-add is two) | look-ups | bytes |", "|---|---|---|---|---|"]
    for kernel in roofline.KERNELS:
        for phase, work in kernel.phases.items():
            multiply_adds, others = work.get("multiply_adds"), work.get("operations")
            operations = " + ".join(([f"2 ({pretty(multiply_adds)})"] if multiply_adds else []) + ([pretty(others)] if others else []))
            levels = [f"{r.replace('loads_', '').replace('stores_l1', 'stores').replace('l', 'L')} 4 ({pretty(work[r])})"
                      for r in roofline.RESOURCES[3:] if r in work]
            sizes = ", ".join(f"{k} = {v:.3g}" if isinstance(v, float) else f"{k} = {v}" for k, v in kernel.sizes.items())
            name = f"`{kernel.name}`" + (f": {sizes}" if sizes else "") if phase == next(iter(kernel.phases)) else ""
            lines.append(f"| {name} | {phase} | {operations} | {pretty(work.get('look_ups', ''))} | {'; '.join(levels)} |")
    return "\n".join(lines)


def limits(root):
    return "\n\n".join([machine_table(root), shares_table(root), work_table()])


def peers(root):
    lines = ["| peer | job | differ by | peer | attopotts | ratio |", "|---|---|---:|---:|---:|---:|"]
    for r in rows_of(root, PEERS):
        name = f"{r['peer']} {r['version']}" if r["version"][:1].isdigit() else f"{r['peer']} ({r['version']})"
        # A fit is told by its seconds.
        cells = [f"{1 / float(x):.3g} s" if r["unit"] == "fits/s" and x else f"{si(x)} {r['unit']}" if x else "" for x in (r["peer_rate"], r["rate"])]
        lines.append(f"| {name} | {r['job']} | {r['agreement']} | {cells[0]} | {cells[1]} | {r['ratio']} |")
    return "\n".join(lines)


ROOFLINE, PEERS = "docs/results/roofline.csv", "docs/results/peers.csv"
# Page, name of the table, what makes it, and its file.
TABLES = (("README.md", "speed", short, STORED), ("docs/performance.md", "pytorch", full, STORED), ("docs/performance.md", "roofline", limits, ROOFLINE),
          ("docs/performance.md", "peers", peers, PEERS))


def pages(root):
    """Path, text and text with its tables for each page."""
    for name in dict.fromkeys(table[0] for table in TABLES):
        made = text = (root / name).read_text(encoding="utf-8")
        for _, mark, table, stored in (t for t in TABLES if t[0] == name):
            marks = f"<!-- begin {mark} -->", f"<!-- end {mark} -->"
            if any(text.count(m) != 1 for m in marks):
                sys.exit(f"{name}: expected '{marks[0]}' and '{marks[1]}' once each")
            made = between(made, marks, f"{table(root)}\n\n{measured(root, stored)}")
        yield name, text, made


def main(arguments):
    if arguments == ["write"]:
        for name, _, text in pages(ROOT):
            (ROOT / name).write_text(text, encoding="utf-8")
        return 0
    if arguments == ["check"]:
        wrong = [name for name, text, made in pages(ROOT) if text != made]
        for name in wrong:
            print(f"{name}: its tables are not those of docs/results: run tools/ci/speed_table.py write")
        return 1 if wrong else 0
    if arguments in (["--help"], ["-h"]):
        print(__doc__)
        return 0
    sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
