#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run the tests of a binding in its language, against an install in a temporary prefix.

usage: run_binding.py BUILD_DIR LANGUAGE
Status 77, which Meson counts as skipped, where the language is not there."""
import os
import pathlib
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent / "tests/support"))
from installed_tree import install  # noqa: E402

build, language = sys.argv[1:]
with tempfile.TemporaryDirectory() as name:
    _, pc, libraries = install(build, pathlib.Path(name))
    env = {**os.environ, "PKG_CONFIG_PATH": str(pc), "LD_LIBRARY_PATH": str(libraries)}
    for variable in ("CC", "CXX", "FC", "CFLAGS", "CXXFLAGS", "LDFLAGS", "DESTDIR", "ATTOPOTTS_LIBRARY", "ATP_SIMD"):
        env.pop(variable, None)
    # In a folder of its own: Meson 1.0 makes ninja clean up where it is called.
    status = subprocess.run([str(here / language / "run_tests.sh")], cwd=name, env=env).returncode
sys.exit(status)
