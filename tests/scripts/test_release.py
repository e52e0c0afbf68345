#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tools/release/release.sh without packages, which have tests of their own: what it makes, twice the same bytes, and what it refuses."""
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools/ci"))
from tree_version import version  # noqa: E402


def git(*words, cwd):
    settings = ["-c", "user.name=test", "-c", "user.email=test@example.org"]
    return subprocess.run(["git", *settings, *words], cwd=cwd, check=True, capture_output=True, text=True).stdout


class Release(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.out = self.folder / "out"
        self.tree = self.folder / "tree"
        subprocess.run([ROOT / "tools/release/export-tree.sh", self.tree], check=True)
        for words in (["init", "-q"], ["add", "--all"], ["commit", "-q", "-m", "the tree as it is"]):
            git(*words, cwd=self.tree)

    def release(self, *words, **environment):
        run = subprocess.run([self.tree / "tools/release/release.sh", *words], capture_output=True, text=True, env={**os.environ, **environment})
        return run.returncode, run.stdout + run.stderr

    def test_what_it_makes(self):
        status, text = self.release("--snapshot", "--twice", "--only", "none", "--url", "https://example.org/here", self.out)
        self.assertEqual(status, 0, text)
        self.assertIn("the same bytes twice", text)
        name = f"attopotts-{version()}"
        sums = dict(reversed(line.split("  ")) for line in (self.out / "SHA256SUMS").read_text().splitlines())
        files = {str(path.relative_to(self.out)) for path in self.out.rglob("*") if path.is_file()} - {"SHA256SUMS"}
        self.assertEqual(set(sums), files)
        for file, value in sums.items():
            self.assertEqual(hashlib.sha256((self.out / file).read_bytes()).hexdigest(), value, file)
        with tarfile.open(self.out / f"{name}.tar.gz") as tarball:
            inside = {info.name for info in tarball if info.isfile()}
        self.assertEqual(inside, {f"{name}/{file}" for file in git("ls-files", cwd=self.tree).splitlines()})
        wrap = (self.out / "attopotts.wrap").read_text()
        self.assertIn(f"source_url = https://example.org/here/{name}.tar.gz\n", wrap)
        self.assertIn(f"source_hash = {sums[name + '.tar.gz']}\n", wrap)
        self.assertIn(sums[name + ".tar.gz"], (self.out / "recipes/conda-forge/recipe.yaml").read_text())
        self.assertTrue((self.out / "notes.md").read_text().startswith(f"## {version()} "))

    def test_a_release_needs_a_date_and_a_commit(self):
        log = self.tree / "CHANGELOG.md"
        log.write_text(re.sub(r"^(## \S+) \(\S+\)", r"\1 (unreleased)", log.read_text(), count=1, flags=re.MULTILINE))
        status, text = self.release("--only", "none", self.out)
        self.assertEqual(status, 2, text)
        self.assertIn("has no date", text)
        log.write_text(log.read_text().replace("(unreleased)", "(2027-01-31)", 1))
        status, text = self.release("--only", "none", self.out)
        self.assertEqual(status, 2, text)
        self.assertIn("files are changed: commit first", text)
        git("commit", "-q", "-a", "-m", "dated", cwd=self.tree)
        status, text = self.release("--only", "none", self.out)
        self.assertEqual(status, 0, text)

    def test_what_debian_packages_lack_is_said_first(self):
        tool = self.folder / "bin/dpkg-checkbuilddeps"
        tool.parent.mkdir()
        tool.write_text("#!/bin/sh\necho Unmet build dependencies: debhelper >&2\nexit 1\n")
        tool.chmod(0o755)
        status, text = self.release("--snapshot", "--only", "r,deb", self.out, PATH=f"{tool.parent}:{os.environ['PATH']}")
        self.assertEqual((status, text), (2, "Unmet build dependencies: debhelper\nrelease.sh: the Debian packages cannot be built here: "
                                             "run tools/machines/install-deps.sh --packages\n"))
        self.assertEqual(list(self.out.iterdir()), [])

    def test_bad_words(self):
        self.out.mkdir()
        (self.out / "file").touch()
        for words, message in (([], "expected a folder"), (["--snapshot", self.out], "is not empty"), (["--only", "rpm", self.out], "no part 'rpm'"),
                               (["--fast"], "unknown argument '--fast'"), ([self.out, "b"], "'b' is a second folder")):
            status, text = self.release(*words)
            self.assertEqual((status, text.count("\n")), (2, 1), text)
            self.assertIn(message, text)
        self.assertEqual(self.release("--help")[0], 0)


if __name__ == "__main__":
    if shutil.which("git") is None:
        print("skipped: git is not installed")
        sys.exit(77)
    unittest.main()
