#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a test that takes minutes where ATP_TEST_SLOW is set, else skips it. usage: only_slow.py COMMAND..."""
import os
import sys

if not os.access(sys.argv[1], os.X_OK):
    sys.exit(f"{sys.argv[1]} cannot be run: it is missing or not executable")
if "ATP_TEST_SLOW" not in os.environ:
    print("skipped: takes minutes (./check.sh --only release,packages, or ATP_TEST_SLOW=1)")
    sys.exit(77)
os.execv(sys.argv[1], sys.argv[1:])
