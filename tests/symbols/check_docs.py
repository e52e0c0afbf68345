#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every prototype has a comment that says whether it allocates, which threads may call it, since when it exists, and what it returns.

usage: check_docs.py HEADER...
"""
import pathlib
import re
import sys
import tempfile

import headers

PLANTED = """
/** A documented one. @return ATP_OK. Allocates: no. Threads: any. Since: 0.1. */
ATP_API atp_status atp_planted_good(int64_t x) ATP_NOEXCEPT;
/** Allocates: no. Threads: any. */
ATP_API void atp_planted_no_since(void) ATP_NOEXCEPT;
ATP_API atp_status atp_planted_bare(const double *x,
                                    int64_t n) ATP_NOEXCEPT;
"""


def complaints(functions):
    found = []
    for f in functions:
        for word in ("Allocates:", "Threads:", "Since:"):
            if word not in f.comment:
                found.append(f"{f.name}: no '{word}'")
        if not re.search(r"Since: \d+\.\d+", f.comment):
            found.append(f"{f.name}: no version after 'Since:'")
        # "The same ..." refers to the prototype above; setters of the alphabet refer to their twin.
        if f.returns == "atp_status" and "@return" not in f.comment and not re.search(r"The same|as in atp_", f.comment):
            found.append(f"{f.name}: no '@return'")
    return found


with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "planted.h"
    path.write_text(PLANTED)
    seen = complaints(headers.functions(path))
    if {text.split(":")[0] for text in seen} != {"atp_planted_no_since", "atp_planted_bare"} or len(seen) != 7:
        sys.exit(f"the check does not see what was planted: {seen}")
functions = headers.all_functions(sys.argv[1:])
found = complaints(functions)
print("\n".join(found) or f"{len(functions)} prototypes are documented")
sys.exit(1 if found or not functions else 0)
