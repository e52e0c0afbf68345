#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The two layers of the C API: stable calls come first in their headers, attopotts.h lists all of them, and its program is that of an example.

usage: check_layers.py ATTOPOTTS.H SHORTEST.C HEADER...
"""
import pathlib
import re
import sys

import headers

STABLE = re.compile(r"Since:[\s*]*[\d.]+, stable\.")


def complaints(functions, page, program):
    found, stable = [], []
    others = set()  # headers that have shown another call
    for f in functions:
        if STABLE.search(f.comment):
            stable.append(f.name)
            if f.header in others:
                found.append(f"{f.name} is stable and comes after calls that are not")
        else:
            others.add(f.header)
    listed = re.findall(r"atp_\w+(?=\(\))", page[page.index("Stable are"):page.index("#ifndef")])
    found += [f"attopotts.h does not list {name}, which is stable" for name in stable if name not in listed]
    found += [f"attopotts.h lists {name}, which is not stable" for name in listed if name not in stable]
    body = "".join(line[8:] + "\n" if line.startswith(" *      ") else "\n" for line in page[:page.index("Every call returns")].splitlines()
                   if line.startswith(" *      ") or line == " *")
    if body.strip() != program.split("\n", 2)[2].strip():
        found.append("the program in attopotts.h is not that of the example")
    return found


page, program = (pathlib.Path(path).read_text() for path in sys.argv[1:3])
functions = headers.all_functions([pathlib.Path(path) for path in sys.argv[3:]])
if len(complaints(functions[::-1], page.replace("atp_options_create(),", "").replace("loss %.4f", "loss"), program)) < 3:
    sys.exit("the check does not see another order, a missing name or another program")
found = complaints(functions, page, program)
print("\n".join(found) or "the stable calls are first and listed")
sys.exit(1 if found else 0)
