#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tools/ci/footprint.py: which builds it compares with the table of docs/footprint.md, and which numbers it finds stale."""
import pathlib
import sys
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/ci"))
import footprint  # noqa: E402

RELEASE = {"profile": "default", "buildtype": "release", "optimization": "3", "debug": False, "b_sanitize": "none", "b_lto": False, "b_coverage": False,
           "one_library": False, "fuzzing": False, "highway": "enabled", "threads": "auto", "linalg": "enabled", "hardening": "auto", "io": "auto",
           "hdf5": "auto", "zlib": "auto", "msgpack": "auto"}
PAGE = """text
<!-- begin footprint -->
| configuration | our libraries, kB | program, kB | shared libraries | resident at start, MB |
|---|---|---|---|---|
| core | 1000 | 15 | 13 | 4.7 |
| `-Dprofile=tiny`, archive | 0 | 290 | 5 | 2.4 |

cc 12, x86_64, 2026-11-22.
<!-- end footprint -->
"""


class Configurations(unittest.TestCase):
    def names(self, **changed):
        options = [{"name": name, "value": value} for name, value in {**RELEASE, **changed}.items()]
        with mock.patch.object(footprint, "introspect", lambda folder, what: options):
            return footprint.configurations_of("build")

    def test_a_build_is_found_in_the_table(self):
        core, files, no_linalg, tiny, static = footprint.CONFIGURATIONS
        self.assertEqual(self.names(), [core, files])
        self.assertEqual(self.names(io="disabled"), [core])
        self.assertEqual(self.names(hdf5="disabled"), [core])
        self.assertEqual(self.names(linalg="disabled"), [])
        self.assertEqual(self.names(linalg="disabled", io="disabled"), [no_linalg])
        self.assertEqual(self.names(profile="tiny"), [tiny, static])
        for name, value in ("threads", "disabled"), ("buildtype", "debug"), ("b_sanitize", "address"), ("b_lto", True), ("one_library", True):
            self.assertEqual(self.names(**{name: value}), [], name)

    def test_every_option_exists(self):
        """An option that has another name would not be asked for."""
        known = (ROOT / "meson_options.txt").read_text()
        for name in [name for names in footprint.FEATURES.values() for name in names] + ["profile"]:
            self.assertIn(f"option('{name}'", known)


class Numbers(unittest.TestCase):
    def test_table(self):
        rows, below = footprint.table_of(PAGE)
        self.assertEqual(rows, {"core": [1000, 15, 13, 4.7], "`-Dprofile=tiny`, archive": [0, 290, 5, 2.4]})
        self.assertEqual(below, "cc 12, x86_64, 2026-11-22.")

    def test_differences(self):
        stored = footprint.table_of(PAGE)[0]["core"]
        self.assertEqual(footprint.differences("core", stored, [1000, 15, 13]), [])
        self.assertEqual(footprint.differences("core", stored, [1090, 16, 12]), [])
        self.assertEqual(footprint.differences("core", stored, [1120, 15, 15]),
                         ["core: our libraries, kB: 1000 in docs/footprint.md, 1120 in this build",
                          "core: shared libraries: 13 in docs/footprint.md, 15 in this build"])
        self.assertEqual(len(footprint.differences("core", stored, [890, 15, 13])), 1)

    def test_the_page(self):
        self.assertEqual(list(footprint.table_of(footprint.PAGE.read_text())[0]), list(footprint.CONFIGURATIONS))


if __name__ == "__main__":
    unittest.main()
