#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Python and shell as ruff (config/ruff.toml) and shellcheck like them, where they are installed: Debian 12 has the latter alone."""
import pathlib
import shutil
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def sources():
    """What git knows of; without git, everything but build folders."""
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode == 0:
        names = listed.stdout.splitlines()
    else:
        names = [str(p.relative_to(ROOT)) for p in ROOT.rglob("*") if not p.relative_to(ROOT).parts[0].startswith("build")]
    return [name for name in names if (ROOT / name).is_file()]


class Lint(unittest.TestCase):
    def clean(self, command, names):
        if shutil.which(command[0]) is None:
            self.skipTest(f"{command[0]} is not installed")
        self.assertGreater(len(names), 3)
        found = subprocess.run([*command, *names], cwd=ROOT, capture_output=True, text=True)
        self.assertEqual(found.returncode, 0, found.stdout + found.stderr)

    def test_python(self):
        self.clean(["ruff", "check", "--no-cache", "--quiet", "--config", "config/ruff.toml"], [n for n in sources() if n.endswith(".py")])

    def test_shell(self):
        self.clean(["shellcheck", "--severity=warning"], [n for n in sources() if n.endswith(".sh") or n == ".ci/run"])


if __name__ == "__main__":
    program = unittest.main(exit=False)
    for test, reason in program.result.skipped:
        print(f"[  SKIPPED ] {test.id()}: {reason}")
    raise SystemExit(not program.result.wasSuccessful())
