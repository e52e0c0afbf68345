#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The shared library exports what the headers declare, nothing else, and all of it starts with atp_.

usage: check_exports.py LIBRARY PLANTED_LIBRARY HEADER...
PLANTED_LIBRARY exports atp_planted_extra and planted_stray beside nothing that is declared: the check must object to both.
"""
import subprocess
import sys

import headers


def exported(library):
    run = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True)
    names = [line.split()[-1].split("@")[0] for line in run.stdout.splitlines()]
    if not names:
        raise SystemExit(f"{library} exports nothing: that cannot be right")
    return set(names)


def complaints(symbols, declared):
    return ([f"{name}: exported, not declared in a header" for name in sorted(symbols - declared)]
            + [f"{name}: exported without the prefix atp_" for name in sorted(symbols) if not name.startswith("atp_")]
            + [f"{name}: declared, not exported" for name in sorted(declared - symbols)])


library, planted, *paths = sys.argv[1:]
declared = {f.name for f in headers.all_functions(paths)}
seen = complaints(exported(planted), declared)
for fault in ("atp_planted_extra: exported, not declared", "planted_stray: exported without"):
    if not any(text.startswith(fault) for text in seen):
        sys.exit(f"the check does not see a planted fault: {fault}")
if len([text for text in seen if "not exported" in text]) != len(declared):
    sys.exit("the check does not see missing symbols")
found = complaints(exported(library), declared)
print("\n".join(found) or f"{len(declared)} functions declared and exported")
sys.exit(1 if found else 0)
