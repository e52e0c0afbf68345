#!/bin/sh
# SPDX-License-Identifier: MIT
# Are the tests able to fail? Plant one-line faults into a copy of the tree, one at a time, and see that a test catches each.
# usage: tools/ci/mutants.sh [--jobs N] [--folder DIR] [--list] [NUMBER ...]      see tools/ci/mutants.py
exec python3 "$(dirname "$0")/mutants.py" "$@"
