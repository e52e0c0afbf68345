# SPDX-License-Identifier: MIT
"""The command `attopotts` of a wheel: the program that the wheel carries takes the place of this process."""
import os
import sys


def main():
    bundled = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_bundled")
    program = os.path.join(bundled, "bin", "attopotts")
    if folders := os.environ.get("LD_LIBRARY_PATH"):  # which may have another library
        os.environ["LD_LIBRARY_PATH"] = os.path.join(bundled, "lib") + ":" + folders
    try:
        os.execv(program, ["attopotts", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"attopotts: {program} cannot be started: {error.strerror}")
