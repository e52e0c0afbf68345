#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The version stands in meson.build. Package files of other languages must repeat it: they have the same. A release changes all of them."""
import contextlib
import io
import pathlib
import shutil
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tools/ci"), str(ROOT / "tools/release")]
import release_version  # noqa: E402
from tree_version import COPIES, first, version  # noqa: E402


class Version(unittest.TestCase):
    def test_copies(self):
        self.assertRegex(version(), r"^\d+\.\d+\.\d+$")
        self.assertEqual(release_version.problems(ROOT, released=False), [])

    def test_no_other_copy_in_package_files(self):
        # pyproject.toml takes it from __init__.py, the headers from meson.build.
        for name in ["bindings/python/pyproject.toml", *[str(p.relative_to(ROOT)) for p in (ROOT / "include").rglob("*.h*")]]:
            self.assertNotIn(f'"{version()}"', (ROOT / name).read_text(encoding="utf-8"), name)


class Release(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        for name in ["meson.build", *(name for name, _ in COPIES)]:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.root / name)
        log = self.root / "CHANGELOG.md"
        log.write_text("# Changelog\n\n## 0.1.0 (unreleased), ABI 0\n\n- One.\n")
        release_version.set_version(self.root, "0.1.0")

    def run_script(self, *words):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            try:
                status = release_version.main(list(words), self.root)
            except SystemExit as end:
                return 1, str(end)
        return status, out.getvalue().strip()

    def test_a_release_has_a_date(self):
        status, text = self.run_script("check")
        self.assertEqual((status, text.count("has no date")), (1, 1), text)
        self.run_script("date", "2027-01-31")
        self.assertEqual(self.run_script("check"), (0, "0.1.0 can be released"))

    def test_set_writes_every_copy_and_begins_a_section(self):
        self.run_script("date", "2027-01-31")
        self.run_script("set", "1.2.0")
        self.assertEqual({first(*copy, self.root) for copy in COPIES} | {version(self.root)}, {"1.2.0"})
        text = (self.root / "CHANGELOG.md").read_text()
        self.assertIn("## 1.2.0 (unreleased), ABI 0\n\n## 0.1.0 (2027-01-31), ABI 0\n\n- One.\n", text)
        self.assertEqual(self.run_script("notes"), (0, "## 1.2.0 (unreleased), ABI 0"))

    def test_a_copy_that_was_forgotten_is_named(self):
        self.run_script("date", "2027-01-31")
        for name, pattern in COPIES:
            before = (self.root / name).read_text()
            release_version.replace(self.root, name, pattern, "9.9.9")
            status, text = self.run_script("check")
            self.assertEqual(status, 1, name)
            self.assertIn(name, text)
            (self.root / name).write_text(before)

    def test_the_interface_has_the_number_of_the_changelog(self):
        text = (self.root / "meson.build").read_text()
        (self.root / "meson.build").write_text(text.replace("abi_version = '0'", "abi_version = '7'"))
        self.assertIn("says ABI 0, meson.build has 7", self.run_script("check")[1])

    def test_wrong_words(self):
        for words in (["set", "1.2"], ["date", "tomorrow"], ["date", "2027-02-30"]):
            status, text = self.run_script(*words)
            self.assertEqual((status, text.count("\n")), (1, 0), words)
        for words in ([], ["set"], ["publish"]):
            self.assertEqual(self.run_script(*words)[0], 2, words)


if __name__ == "__main__":
    unittest.main()
