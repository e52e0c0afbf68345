#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every prototype has a comment that says whether it allocates, which threads may call it, since when it exists, and what it returns.

usage: check_docs.py HEADER...
"""
import collections
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
/** Another documented one: a getter. Allocates: no. Threads: any. Since: 0.1. */
ATP_API int64_t atp_planted_getter(const atp_planted *planted) ATP_NOEXCEPT;
/* The comment above is not this one's. */
ATP_API int64_t atp_planted_plain(const atp_planted *planted) ATP_NOEXCEPT;
/** Says nothing. Allocates: Threads: any.
 *  Threads: one. Since: 0.1. */
ATP_API const double *atp_planted_empty_view(const atp_planted *planted) ATP_NOEXCEPT;
/** No status is named. @return yes or no. Allocates: no. Threads: any. Since: 0.1. */
ATP_API atp_status atp_planted_return(void) ATP_NOEXCEPT;
/** Allocates: no. Threads: always safe. Since: 0.1. */
ATP_API int64_t atp_planted_threads(const atp_planted *planted) ATP_NOEXCEPT;
/** Allocates: no. Threads: one per context, parallel. Since: 0.1. */
ATP_API int64_t atp_planted_parallel(const atp_planted *planted) ATP_NOEXCEPT;
/** Allocates: no. Threads: one per context; collective; parallel. Since: 0.1. */
ATP_API int64_t atp_planted_collective(const atp_planted *planted) ATP_NOEXCEPT;
"""
WORDS = ("Allocates", "Threads", "Since")
# The legend in context.h; collective: ranks.h.
THREADS = (r"\bThreads: (any(; each has its own text|; parallel)?|"
           r"(one per handle|one per context|no other call)(; collective[\w ]*)?(, parallel|; parallel)?|within the callback)\.")
EXPECTED = {
    "atp_planted_no_since": 2,  # the word and the version
    "atp_planted_bare": 5,      # and @return
    "atp_planted_plain": 4,
    "atp_planted_empty_view": 2,
    "atp_planted_threads": 1,
    "atp_planted_return": 1,
}


def complaints(functions):
    found = []
    for f in functions:
        text = re.sub(r"\s*\n\s*\*?\s*", " ", f.comment)
        for word in WORDS:
            said = re.findall(rf"\b{word}: *(?=(.{{0,12}}))", text)
            if len(said) != 1:
                found.append(f"{f.name}: '{word}:' {len(said)} times, expected once")
            elif not re.match(r"\w", said[0]) or re.match("|".join(WORDS), said[0]):
                found.append(f"{f.name}: nothing after '{word}:'")
        if len(re.findall(r"\bThreads: *\w", text)) == 1 and not re.search(THREADS, text):
            found.append(f"{f.name}: 'Threads:' is not one of the legend in context.h")
        if not re.search(r"Since: \d+\.\d+", text):
            found.append(f"{f.name}: no version after 'Since:'")
        # "The same ..." refers to the prototype above; setters of the alphabet refer to their twin.
        if f.returns == "atp_status" and not re.search(r"@return (ATP_OK|as atp_)|The same|as in atp_", text):
            found.append(f"{f.name}: no '@return' with statuses")
    return found


with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "planted.h"
    path.write_text(PLANTED)
    seen = complaints(headers.functions(path))
    if collections.Counter(text.split(":")[0] for text in seen) != EXPECTED:
        sys.exit(f"the check does not see what was planted: {seen}")
functions = headers.all_functions(sys.argv[1:])
found = complaints(functions)
print("\n".join(found) or f"{len(functions)} prototypes are documented")
sys.exit(1 if found or not functions else 0)
