#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Print what ninja has to build for the tests of some suites. usage: test_targets.py BUILD_DIR SUITE..."""
import json
import os
import pathlib
import subprocess
import sys


def introspect(folder, what):
    return json.loads(subprocess.run(["meson", "introspect", folder, f"--{what}"], capture_output=True, check=True).stdout)


def suites_of(test):
    return {suite.split(":")[-1] for suite in test["suite"]}


def targets(folder, suites, installed=False):
    """Files, relative to the folder, that the tests of these suites need; with `installed` also what `meson install` copies."""
    names = {d for t in introspect(folder, "tests") if suites_of(t) & set(suites) for d in t["depends"]}
    root = pathlib.Path(folder).resolve()
    return [os.path.relpath(f, root) for t in introspect(folder, "targets") if t["id"] in names or (installed and t["installed"])
            for f in t["filename"]]


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    print(*targets(sys.argv[1], sys.argv[2:]), sep="\n")
