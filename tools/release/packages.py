#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The step `packages` of ./check.sh (--only release,packages): the tests that build a package and install it, a few minutes each."""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path, help="the release build whose tests run")
    parser.add_argument("results", type=pathlib.Path, help="the folder for their log")
    arguments = parser.parse_args()
    if not (arguments.build / "build.ninja").exists():
        print(f"skipped: {arguments.build} has not been built (./check.sh --only release,packages)")
        return 77
    tests = ["meson", "test", "-C", str(arguments.build), "--no-rebuild", "--suite", "packages", "--num-processes=1", "--timeout-multiplier=4",
             "--logbase=packages"]
    status = subprocess.run(tests, env={**os.environ, "ATP_TEST_SLOW": "1"}, check=False).returncode
    logs = arguments.results / "meson-logs"
    logs.mkdir(parents=True, exist_ok=True)
    shutil.move(arguments.build / "meson-logs/packages.json", logs / "testlog.json")
    return int(status != 0)


if __name__ == "__main__":
    sys.exit(main())
