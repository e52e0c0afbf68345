# SPDX-License-Identifier: MIT
"""The command `attopotts` of a wheel: the program that the wheel carries takes the place of this process."""
import os
import sys


def main():
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_bundled", "bin", "attopotts")
    try:
        os.execv(program, ["attopotts", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"attopotts: {program} cannot be started: {error.strerror}")
