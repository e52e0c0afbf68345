#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Make a C header with a list macro for each enum of the public headers, so that tests cannot miss a constant.

usage: list_constants.py OUTPUT HEADER...
    #define LIST_atp_outcome(X) X(ATP_OUTCOME_NONE, 0) X(ATP_OUTCOME_CONVERGED, 1) ...
"""
import sys

import headers

output, *paths = sys.argv[1:]
enums = headers.all_enums(paths)
if len(enums) < 5:
    sys.exit(f"only {len(enums)} enums found")
with open(output, "w") as file:
    file.write("/* Made by list_constants.py from the public headers; do not edit. */\n")
    for enum in enums:
        file.write(f"#define LIST_{enum.name}(X) " + " ".join(f"X({name}, {value})" for name, value in enum.constants.items()) + "\n")
