# SPDX-License-Identifier: MIT
"""Which version and which commit the tree is, for results that are stored in it, and the files that repeat the version."""
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE = ("meson.build", r"^  version: '(.*)',$")
ABI = ("meson.build", r"^abi_version = '(.*)'$")
# Package files of other languages must repeat the version of meson.build: file, pattern with the version as its only group.
COPIES = [
    ("CITATION.cff", r"^version: (\S+)$"),
    ("CHANGELOG.md", r"^## (\d\S*)"),  # the newest
    ("bindings/fortran/fpm.toml", r'^version = "(.*)"$'),
    ("bindings/julia/Project.toml", r'^version = "(.*)"$'),
    ("bindings/python/src/attopotts/__init__.py", r'^__version__ = "(.*)"$'),
    ("bindings/r/DESCRIPTION", r"^Version: (\S+)$"),
]


def first(name, pattern, root=ROOT):
    """The group of the pattern's first match in a file of the tree."""
    found = re.search(pattern, (root / name).read_text(encoding="utf-8"), re.MULTILINE)
    if found is None:
        raise SystemExit(f"{name}: there is no line {pattern}")
    return found[1]


def version(root=ROOT):
    return first(*SOURCE, root)


def commit():
    run = subprocess.run(["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=10", "--exclude=*"], capture_output=True,
                         text=True)
    return run.stdout.strip() or "unknown"
