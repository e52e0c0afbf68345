#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The version stands in meson.build. Package files of other languages must repeat it: they have the same."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
COPIES = [
    ("CITATION.cff", r"^version: (\S+)$"),
    ("CHANGELOG.md", r"^## (\d\S*)"),  # the newest
    ("bindings/fortran/fpm.toml", r'^version = "(.*)"$'),
    ("bindings/julia/Project.toml", r'^version = "(.*)"$'),
    ("bindings/python/src/attopotts/__init__.py", r'^__version__ = "(.*)"$'),
    ("bindings/r/DESCRIPTION", r"^Version: (\S+)$"),
]


def first(name, pattern):
    return re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)[1]


class Version(unittest.TestCase):
    def test_copies(self):
        version = first("meson.build", r"version: '(.*)',$")
        self.assertRegex(version, r"^\d+\.\d+\.\d+$")
        for name, pattern in COPIES:
            self.assertEqual(first(name, pattern), version, name)

    def test_no_other_copy_in_package_files(self):
        # pyproject.toml takes it from __init__.py, the headers from meson.build.
        version = first("meson.build", r"version: '(.*)',$")
        for name in ["bindings/python/pyproject.toml", *[str(p.relative_to(ROOT)) for p in (ROOT / "include").rglob("*.h*")]]:
            self.assertNotIn(f'"{version}"', (ROOT / name).read_text(encoding="utf-8"), name)


if __name__ == "__main__":
    unittest.main()
