#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every pointer argument of every function has a row in api_null.c in which it is NIL. usage: check_null_rows.py API_NULL.C HEADER...

Arguments called `user` are exempt: they are handed to a callback and never looked at.
"""
import pathlib
import re
import sys

import headers


def calls(text):
    """(function, arguments) of each call of an atp_ function."""
    text = headers.strip_comments(text)
    for match in re.finditer(r"\b(atp_\w+)\(", text):
        depth, start, arguments, end = 1, match.end(), [], match.end()
        while depth > 0:
            c = text[end]
            depth += (c == "(") - (c == ")")
            if (c == "," and depth == 1) or depth == 0:
                arguments.append(text[start:end].strip())
                start = end + 1
            end += 1
        yield match[1], arguments


def complaints(text, functions):
    covered = {}
    for name, arguments in calls(text):
        covered.setdefault(name, set()).update(k for k, a in enumerate(arguments) if a == "NIL")
    return [f"{f.name}: no row in which {p.name} is NIL"
            for f in functions for k, p in enumerate(f.parameters)
            if p.pointer and p.name != "user" and k not in covered.get(f.name, set())]


source, *paths = sys.argv[1:]
text = pathlib.Path(source).read_text()
functions = headers.all_functions(paths)
pointers = sum(p.pointer and p.name != "user" for f in functions for p in f.parameters)
# Without one of its rows, the check must say so.
planted = complaints(re.sub(r"atp_model_loss\(in.context, NIL,", "atp_model_loss(in.context, in.model,", text), functions)
if planted != ["atp_model_loss: no row in which model is NIL"] + complaints(text, functions):
    sys.exit(f"the check does not see a missing row: {planted}")
if len(complaints("", functions)) != pointers:
    sys.exit("the check does not see an empty file")
found = complaints(text, functions)
print("\n".join(found) or f"{pointers} pointer arguments of {len(functions)} functions have rows")
sys.exit(1 if found else 0)
