#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run a program as on a small board: an address space of some megabytes, one processor. usage: on_board.py MEGABYTES PROGRAM [ARGUMENT...]

The last line of the output has the peaks of memory, read every 2 ms: "peak 12.3 MB resident, 20.1 MB of addresses". The status is the
program's."""
import os
import re
import resource
import subprocess
import sys
import time


def limits(megabytes):
    resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def main(arguments):
    if len(arguments) < 2 or not arguments[0].isdigit():
        sys.exit(__doc__)
    run = subprocess.Popen(arguments[1:], preexec_fn=lambda: limits(int(arguments[0])))
    peaks = {"VmHWM": 0, "VmPeak": 0}
    while run.poll() is None:
        with open(f"/proc/{run.pid}/status", encoding="ascii") as status:
            for name, kilobytes in re.findall(r"^(VmHWM|VmPeak):\s*(\d+) kB$", status.read(), re.MULTILINE):
                peaks[name] = int(kilobytes)
        time.sleep(0.002)
    print(f"peak {peaks['VmHWM'] * 1024 / 1e6:.1f} MB resident, {peaks['VmPeak'] * 1024 / 1e6:.1f} MB of addresses")
    return run.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
