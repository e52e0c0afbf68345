#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A shared library exports what its headers declare, nothing else, and all of it starts with atp_. Under a version node for private use it
may export more: exactly what a second library takes.

usage: check_exports.py LIBRARY USER PLANTED_LIBRARY HEADER...
USER is the library that takes the private symbols, or "none". PLANTED_LIBRARY exports atp_planted_extra and planted_stray beside nothing that
is declared: the check must object to both.
"""
import re
import subprocess
import sys

import headers

PRIVATE = r"ATTOPOTTS_PRIVATE_\d"
# An exception that one library throws and the other catches; the compiler emits them in both.
OF_EXCEPTIONS = re.compile(r"_Z(T[ISV])?NK?3atp5Error.*")


def symbols(library, which):
    """{name: version node, "" for none}"""
    run = subprocess.run(["nm", "-D", which, library], capture_output=True, text=True, check=True)
    names = [line.split()[-1] for line in run.stdout.splitlines() if " A " not in line]
    if not names:
        raise SystemExit(f"{library}: no symbols {which}: that cannot be right")
    return {name.split("@")[0]: name.split("@")[-1] if "@" in name else "" for name in names}


def complaints(found, declared):
    return ([f"{name}: exported, not declared in a header" for name in sorted(found - declared)]
            + [f"{name}: exported without the prefix atp_" for name in sorted(found) if not name.startswith("atp_")]
            + [f"{name}: declared, not exported" for name in sorted(declared - found)])


def private(found):
    """The private ones among symbols; the second name of a constructor counts as the first."""
    return {re.sub("C2E", "C1E", name) for name, node in found.items() if re.match(PRIVATE, node)}


def private_complaints(exported, taken):
    return ([f"{name}: exported for {user}, which does not take it" for name in sorted(exported - taken)
             if not OF_EXCEPTIONS.fullmatch(name)]
            + [f"{name}: taken by {user}, not exported" for name in sorted(taken - exported)])


library, user, planted, *paths = sys.argv[1:]
declared = {f.name for f in headers.all_functions(paths)}
seen = complaints(set(symbols(planted, "--defined-only")), declared)
for fault in ("atp_planted_extra: exported, not declared", "planted_stray: exported without"):
    if not any(text.startswith(fault) for text in seen):
        sys.exit(f"the check does not see a planted fault: {fault}")
if len([text for text in seen if "not exported" in text]) != len(declared):
    sys.exit("the check does not see missing symbols")
if len(private_complaints({"_ZN3atp5extraEv"}, {"_ZN3atp7missingEv"})) != 2:
    sys.exit("the check does not compare private symbols")

exported = symbols(library, "--defined-only")
public = {name for name, node in exported.items() if not re.match(PRIVATE, node)}
taken = set() if user == "none" else private(symbols(user, "--undefined-only"))
if user != "none" and len(taken) < 10:
    sys.exit(f"{user} takes only {len(taken)} private symbols: they are not read rightly")
found = complaints(public, declared) + private_complaints(private(exported), taken)
print("\n".join(found) or f"{len(declared)} functions declared and exported, {len(taken)} private symbols")
sys.exit(1 if found else 0)
