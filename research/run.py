#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run the experiments: the figures of the papers and every claim of docs/results.md.

usage: research/run.py --list
       research/run.py NAME... | --all [--quick | --full | --check] [--library build/libattopotts.so]
                       [--data FOLDER] [--out FOLDER] [--jobs N]

Without a mode: draw the pictures and write the pages from the stored tables of research/results, and the table of docs/results.md.
--quick   compute a small part of the same rows and compare them with those in --out; the status is 1 if a number is off
--full    compute the rows that the tables in --out do not have (research/results by default), then draw
--check   fail if pages or the table of docs/results.md are not those of the stored tables

Needs NumPy (Debian: python3-numpy), and matplotlib (python3-matplotlib) for pictures.
"""
import argparse
import concurrent.futures
import importlib
import os
import subprocess
import sys
import tempfile
import time

import lab as shared
from lab import HERE, RESULTS, ROOT, Lab

PAGE = os.path.join(ROOT, "docs/results.md")
MARKS = "<!-- begin claims -->\n", "<!-- end claims -->\n"
OTHERS = {"run", "lab", "binding", "potts_data", "dotattn_data", "cones"}


def names():
    return sorted(name[:-3] for name in os.listdir(HERE) if name.endswith(".py") and name[:-3] not in OTHERS and
                  not name.startswith("peers"))


def page_of(name, module, lab, pictures):
    title, _, method = (module.__doc__ or "").strip().partition("\n")
    text = f"# {title}\n\nMade by [{name}.py](../{name}.py); `research/run.py {name}` writes this page.\n\n{method.strip()}\n\n"
    text += module.report(lab).strip() + "\n"
    return text + "".join(f"\n![{title}]({picture}.svg)\n" for picture in pictures)


def pictures_of(name, module):
    return getattr(module, "PICTURES", (name,) if hasattr(module, "draw") else ())


def redraw(name, lab):
    module = importlib.import_module(name)
    if hasattr(module, "draw"):
        try:
            import matplotlib.pyplot as plt
        except ImportError:
            print(f"{name}: no picture, as matplotlib is not there (Debian: python3-matplotlib)", file=sys.stderr)
        else:
            for picture, figure in module.draw(lab).items():
                figure.savefig(lab.path(picture + ".svg"), metadata={"Date": None})
                plt.close(figure)
    page = page_of(name, module, lab, pictures_of(name, module))
    with open(lab.path(name + ".md"), "w") as file:
        file.write(page)


def claims_tables(lab):
    """The claims of the papers, and results beyond them."""
    rows = []
    for name in names():
        module = importlib.import_module(name)
        if hasattr(module, "claims"):
            rows += [(*claim, name) for claim in module.claims(lab)]
    head = "claim | verdict | number | script |\n|---|---|---|---|"
    paper = sorted((row for row in rows if row[0] != "more"), key=lambda row: (row[0][0] == "C", row[0]))
    text = f"| | {head}---|\n" + "".join(f"| {c} | {claim} | {verdict} | {number} | {link(name)} |\n" for c, claim, verdict, number,
                                         name in paper)
    return text + f"\nBeyond the papers:\n\n| {head}\n" + "".join(
        f"| {claim} | {verdict} | {number} | {link(name)} |\n" for c, claim, verdict, number, name in rows if c == "more")


def link(name):
    return f"[{name}](../research/results/{name}.md)"


def with_claims(page, table):
    head, rest = page.split(MARKS[0])
    return head + MARKS[0] + table + MARKS[1] + rest.split(MARKS[1])[1]


def check(chosen, lab):
    """Texts of what is not as the stored tables have it."""
    wrong = []
    for name in chosen:
        module = importlib.import_module(name)
        with open(lab.path(name + ".md")) as file:
            if file.read() != page_of(name, module, lab, pictures_of(name, module)):
                wrong.append(f"research/results/{name}.md is not that of the stored tables: run research/run.py {name}")
        wrong += [f"research/results/{picture}.svg is not there" for picture in pictures_of(name, module)
                  if not os.path.exists(lab.path(picture + ".svg"))]
    if lab.folder != RESULTS:
        return wrong
    with open(PAGE) as file:
        page = file.read()
    if page != with_claims(page, claims_tables(lab)):
        wrong.append("the table of docs/results.md is not that of the stored tables: run research/run.py --all")
    return wrong


def quick(name, lab, stored):
    """Compute a part and compare with the tables in a folder; gives texts of what is off."""
    module = importlib.import_module(name)
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        lab.folder = folder
        if module.compute(lab) is False:
            return []
        count, wrong = 0, []
        for table, same in module.AGREE.items():
            found, different = shared.compare(table, same, lab.rows(table), Lab(folder=stored).rows(table))
            count, wrong = count + found, wrong + different
    if count == 0:
        wrong.append(f"{name}: nothing was compared")
    print(f"{name}: {count} numbers compared with the stored ones, {len(wrong)} off, {time.monotonic() - begin:.1f} s", flush=True)
    return wrong


def spread(chosen, options):
    """Run each experiment in a process of its own, --jobs at a time; gives the worst status."""
    rest = ["--quick" if options.quick else "--full", "--library", options.library, "--data", options.data, "--out", options.out]

    def one(name):
        return subprocess.run([sys.executable, os.path.abspath(__file__), name, *rest]).returncode

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        return max(pool.map(one, chosen))


def main():
    plain = Lab()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    for flag in ("all", "list", "quick", "full", "check"):
        parser.add_argument("--" + flag, action="store_true")
    parser.add_argument("--library", default=plain.library)
    parser.add_argument("--data", default=plain.data)
    parser.add_argument("--out", default=RESULTS)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    if options.list:
        for name in names():
            print(f"{name:<22} {(importlib.import_module(name).__doc__ or '').strip().splitlines()[0]}")
        return 0
    chosen = names() if options.all else options.names
    if unknown := set(chosen) - set(names()):
        parser.error(f"{', '.join(sorted(unknown))} not known, expected {', '.join(names())}")
    if not chosen or options.quick + options.full + options.check > 1:
        parser.error("expected names of experiments or --all, and at most one of --quick, --full and --check")
    if len(chosen) > 1 and (options.quick or options.full):
        return spread(chosen, options)
    lab = Lab(options.quick, options.out, options.library, options.data)
    wrong = []
    if options.check:
        wrong = check(chosen, lab)
    elif options.quick:
        wrong = quick(chosen[0], lab, options.out)
    else:
        if options.full:
            importlib.import_module(chosen[0]).compute(lab)
        for name in chosen:
            redraw(name, lab)
        if lab.folder == RESULTS and not options.full:
            with open(PAGE) as file:
                page = with_claims(file.read(), claims_tables(lab))
            with open(PAGE, "w") as file:
                file.write(page)
    print("".join(text + "\n" for text in wrong), end="", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
