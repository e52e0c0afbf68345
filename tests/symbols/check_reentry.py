#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every function that may change a handle that runs is called by api_reentry.c within its run. usage: check_reentry.py API_REENTRY.C HEADER...

A handle runs if one of its functions takes a callback of progress. Its functions without `const` before it may change it; those that destroy
it or ask it to stop are exempt. The callbacks that call them are called disturb_NAME.
"""
import pathlib
import re
import sys

import headers


def changing(functions):
    runs = {f.parameters[0].type for f in functions if any(p.type == "atp_progress_fn" for p in f.parameters)} - {"atp_context *"}
    runs = {handle for handle in runs if not handle.startswith("const ")}  # a run reads those
    return [f.name for f in functions if f.parameters and f.parameters[0].type in runs and not re.search("_(destroy|request_stop)$", f.name)]


def complaints(text, names):
    within = "".join(re.findall(r"^static int disturb_\w+\(.*?^}", headers.strip_comments(text), flags=re.S | re.M))
    return [f"{name}: no callback in api_reentry.c calls it" for name in names if not re.search(rf"\b{name}\(", within)]


source, *paths = sys.argv[1:]
text = pathlib.Path(source).read_text()
names = changing(headers.all_functions(paths))
# Without one of its calls, the check must say so.
lost = "atp_trainer_set_truth"
if complaints(text.replace(f"{lost}(n->", "other(n->"), names) != [f"{lost}: no callback in api_reentry.c calls it", *complaints(text, names)]:
    sys.exit("the check does not see a missing call")
if len(complaints("", names)) != len(names):
    sys.exit("the check does not see an empty file")
found = complaints(text, names)
print("\n".join(found) or f"{len(names)} functions are called within runs")
sys.exit(1 if found else 0)
