#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A function that is marked with ATP_DEPRECATED gives a warning with its text where it is used, in C and in C++, and none where it is not.

usage: check_deprecated.py "CC" "CXX" INCLUDE_DIRECTORY
"""
import pathlib
import subprocess
import sys
import tempfile

SOURCE = """
#include <attopotts/visibility.h>
#ifdef __cplusplus
extern "C" {
#endif
ATP_DEPRECATED("use atp_new() instead") ATP_API int atp_old(void) ATP_NOEXCEPT;
ATP_API int atp_new(void) ATP_NOEXCEPT;
#ifdef __cplusplus
}
#endif
int used(void);
int used(void) { return CALL(); }
"""


def warnings(compiler, name, call):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / name
        path.write_text(SOURCE)
        run = subprocess.run([*compiler, "-Wall", "-Wextra", "-pedantic", f"-DCALL={call}", f"-I{include}", "-fsyntax-only", str(path)],
                             capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{name} does not compile: {run.stderr}")
    return run.stderr


cc, cxx, include = sys.argv[1:]
for compiler, name in (([*cc.split(), "-std=c11"], "use.c"), ([*cxx.split(), "-std=c++17"], "use.cpp")):
    old, new = warnings(compiler, name, "atp_old"), warnings(compiler, name, "atp_new")
    if "use atp_new() instead" not in old or "deprecated" not in old:
        sys.exit(f"{name}: no warning of the deprecated function: {old!r}")
    if new:
        sys.exit(f"{name}: a warning without a deprecated function: {new}")
print("ATP_DEPRECATED warns")
