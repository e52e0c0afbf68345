#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The interface is compatible with the recorded one, unless the soversion is new. Planted breaks are seen, additions accepted.

usage: check_abi.py"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

# What, header, text or pattern that is there once, replacement.
BREAKS = [
    ("a function that is gone", "context.h", r"ATP_API atp_status atp_context_set_threads\([^;]*;", ""),
    ("a parameter of another type", "context.h", r"(ATP_API atp_status atp_context_set_threads\([^;]*?)int64_t", r"\1int"),
    ("a parameter more", "context.h", r"(ATP_API atp_status atp_context_set_threads\([^;)]*)\)", r"\1, int64_t more)"),
    ("a result of another type", "context.h", r"ATP_API atp_status (atp_context_set_threads)", r"ATP_API int64_t \1"),
    ("a member of another type", "ranks.h", r"int64_t rank; ", "int rank; "),
    ("a member in the middle", "ranks.h", r"int64_t rank; ", "int64_t before; int64_t rank; "),
    ("a constant of another value", "status.h", r"\bATP_E_MEMORY = -?\d+", "ATP_E_MEMORY = 77"),
    ("a constant that is gone", "status.h", r"\bATP_E_MEMORY = -?\d+,", ""),
    ("a callback with another parameter", "context.h", r"(typedef [^;]*\batp_alloc_fn\)\()", r"\1int more, "),
]
ADDITIONS = [
    ("a function", "context.h", r"(ATP_API atp_status atp_context_set_threads\()",
     r"ATP_API atp_status atp_context_new(atp_context *context) ATP_NOEXCEPT;\n\1"),
    ("a constant", "status.h", r"\b(ATP_E_MEMORY = -?\d+),", r"\1, ATP_E_NEW = 78,"),
    ("a member at the end", "ranks.h", r"\} atp_ranks;", "int64_t more; } atp_ranks;"),
]


def check(headers=None, *more):
    words = [] if headers is None else ["--headers", headers]
    done = subprocess.run([sys.executable, ROOT / "tools/ci/abi.py", "--check", *words, *more], capture_output=True, text=True,
                          env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    return done.returncode, done.stdout + done.stderr


def change(folder, case):
    """A copy of the headers with one change."""
    what, header, pattern, replacement = case
    copy = folder / re.sub(r"\W", "-", what)
    shutil.copytree(ROOT / "include", copy)
    path = copy / "attopotts" / header
    text, times = re.subn(pattern, replacement, path.read_text(), flags=re.S)
    if times != 1:
        sys.exit(f"{what}: {pattern} is {times} times in {header}")
    path.write_text(text)
    return copy


status, text = check()
print(text)
if status != 0:
    sys.exit(status)
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    for case in BREAKS:
        status, text = check(change(folder, case))
        if status != 1 or "is broken" not in text:
            sys.exit(f"the check does not see {case[0]}: status {status}\n{text}")
    status, text = check(folder / "a-function-that-is-gone", "--soversion", "1")
    if status != 0 or "is new" not in text:
        sys.exit(f"a break with a new soversion is refused: status {status}\n{text}")
    for case in ADDITIONS:
        status, text = check(change(folder, case))
        if status != 0:
            sys.exit(f"{case[0]} more is taken for a break: status {status}\n{text}")
print(f"{len(BREAKS)} planted breaks seen, {len(ADDITIONS)} additions accepted")
