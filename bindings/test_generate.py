#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""generate.py writes the same files every time, and none of them is in the repository."""
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LANGUAGES = ("fortran", "julia", "python", "r")


def generated(folder, seed):
    for language in LANGUAGES:
        subprocess.run([sys.executable, str(HERE / "generate.py"), language, str(folder / language)], check=True,
                       env={**os.environ, "PYTHONHASHSEED": seed})
    return {path.relative_to(folder): path.read_text() for path in folder.rglob("*") if path.is_file()}


with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
    found = generated(pathlib.Path(first), "1")
    if found != generated(pathlib.Path(second), "2"):
        sys.exit("generate.py does not write the same twice")
for language in LANGUAGES:
    if not any(path.parts[0] == language for path in found):
        sys.exit(f"nothing was written for {language}")
if (HERE.parent / ".git").exists():
    tracked = subprocess.run(["git", "ls-files", "--", *(str(HERE / path) for path in found)], cwd=HERE, capture_output=True, text=True)
    if tracked.stdout:
        sys.exit("generated, but in the repository: " + tracked.stdout)
print(f"{len(found)} files, the same twice")
