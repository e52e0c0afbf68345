#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Build the Debian packages, check them with lintian, install them in a bare Debian root and run the quickstarts of docs/installing.md and the
packages' own tests there.

usage: run_debian.py SOURCE_DIR
ATP_DEBS names a folder with packages that have been built, ATP_WHEELS one with a wheel, which is then installed in a root, too.
Skipped where a tool, a dependency of the build or the rights of root are missing."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


def missing(root):
    """Why nothing can be done here, in one line; empty if nothing is missing."""
    absent = [tool for tool in ("dpkg-buildpackage", "dh", "lintian", "debootstrap", "git") if shutil.which(tool) is None]
    if absent:
        return f"{', '.join(absent)}: not installed (tools/machines/install-deps.sh --packages)"
    if os.geteuid() != 0:
        return "a bare root needs root privileges"
    needs = subprocess.run(["dpkg-checkbuilddeps", root / "packaging/debian/control"], capture_output=True, text=True)
    return needs.stderr.strip()


def main(root):
    reason = missing(root)
    if reason:
        print(f"skipped: {reason}")
        return 77
    env = {name: value for name, value in os.environ.items() if name not in ("CFLAGS", "CXXFLAGS", "LDFLAGS", "DESTDIR", "LD_LIBRARY_PATH", "PKG_CONFIG_PATH")}
    with tempfile.TemporaryDirectory() as name:
        packages = pathlib.Path(os.environ.get("ATP_DEBS", f"{name}/packages"))
        if "ATP_DEBS" not in os.environ and subprocess.run([root / "packaging/deb.sh", packages, "--check", "-b"], env=env, check=False).returncode:
            print("the packages were not built, or lintian has found something")
            return 1
        walk = [root / "tools/machines/fresh-machine.sh", "--packages", packages, "--results", f"{name}/results"]
        if "ATP_WHEELS" in os.environ:
            walk += ["--wheel", os.environ["ATP_WHEELS"]]
        return subprocess.run(walk, env=env, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
