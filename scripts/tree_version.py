# SPDX-License-Identifier: MIT
"""Which version and which commit the tree is, for results that are stored in it."""
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


def version():
    return re.search(r"version: '(.*)',$", (ROOT / "meson.build").read_text(encoding="utf-8"), re.MULTILINE)[1]


def commit():
    run = subprocess.run(["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=10", "--exclude=*"], capture_output=True,
                         text=True)
    return run.stdout.strip() or "unknown"
