#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The gates of the other tests: a run that has looked its pipe up, and opens it after the test has put another there, gets through once."""
import errno
import os
import subprocess
import sys

from gates import Gated, deadline
from program import Case, main

# Looks the pipe up at once and opens what it found later, as a process does that has to wait in between; then opens the next gate.
LATE = """
import os, sys, time
found = os.open("gate", os.O_PATH)
print("found", flush=True)
time.sleep(0.3)
pipe = os.open(f"/proc/self/fd/{found}", os.O_WRONLY)
os.write(pipe, b"x")
os.close(pipe)
print("through", flush=True)
sys.stdin.readline()
os.open("gate", os.O_WRONLY)
"""


class Gates(Case):
    def test_late(self):
        os.mkfifo("gate")
        late = subprocess.Popen([sys.executable, "-c", LATE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        gated = Gated.__new__(Gated)
        gated.pipe = "gate"
        try:
            self.assertEqual(late.stdout.readline(), "found\n")
            with deadline("the gate does not open", seconds=20):
                gated.open_gate()
            self.assertEqual(late.stdout.readline(), "through\n")
            late.stdin.write("\n")
            late.stdin.flush()
            # The next gate is closed: nobody reads there.
            with self.assertRaises(OSError) as refused:
                os.open("gate", os.O_WRONLY | os.O_NONBLOCK)
            self.assertEqual(refused.exception.errno, errno.ENXIO)
            self.assertIsNone(late.poll())
        finally:
            late.kill()
            late.communicate()


main(needs_hdf5=False)
