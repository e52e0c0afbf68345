#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Print what ninja has to build for the tests of some suites, or for single tests. usage: test_targets.py [--names] BUILD_DIR NAME...

--names: print the names of the tests instead."""
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
    """Files, relative to the folder, that the tests of these suites or names need; with `installed` also what `meson install` copies."""
    names = {d for t in introspect(folder, "tests") if suites_of(t) & set(suites) or t["name"] in suites for d in t["depends"]}
    root = pathlib.Path(folder).resolve()
    return [os.path.relpath(f, root) for t in introspect(folder, "targets") if t["id"] in names or (installed and t["installed"])
            for f in t["filename"]]


def test_names(folder, suites):
    """The tests of these suites or names."""
    return [t["name"] for t in introspect(folder, "tests") if suites_of(t) & set(suites) or t["name"] in suites]


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--names"]
    if not words:
        sys.exit(__doc__)
    print(*(test_names if "--names" in sys.argv else targets)(words[0], words[1:]), sep="\n")
