#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scripts/watched.py and check.sh: progress is shown, a signal ends everything that was started, wrong options are told."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = f"""
import sys
sys.path.insert(0, {str(ROOT / "scripts")!r})
import watched
watched.BETWEEN_LINES = 0.0
steps = watched.Steps(2)
steps.begin("building x", "steps")
status = steps.run(["sh", "-c", "echo '[1/3] a'; echo noise; echo 'x FAIL y'; echo '[3/3] b'; exit 3"], "log", r"\\[(\\d+)/(\\d+)\\]", (" FAIL ",))
print("status", status)
steps.begin("sleeping", "steps")
steps.run(["sh", "-c", sys.argv[1]], "log2")
steps.end()
"""


def alive(mark):
    """Processes with this word in their arguments."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0") if entry.name.isdigit() else []
            if mark.encode() in words and (entry / "stat").read_text().rpartition(")")[2].split()[0] != "Z":
                found.append(int(entry.name))
        except OSError:
            pass
    return found


class Watched(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def start(self, command):
        return subprocess.Popen([sys.executable, "-c", PROGRAM, command], cwd=self.folder, stdout=subprocess.PIPE, text=True)

    def test_progress_in_lines(self):
        out = self.start("true").communicate(timeout=60)[0].splitlines()
        self.assertEqual(out[0], "[1/2] building x")
        self.assertRegex(out[1], r"^\[1/2\] building x \.\.\. 1 of 3 steps, \d+ s$")
        self.assertEqual(out[2], "x FAIL y")
        self.assertRegex(out[3], r"^\[1/2\] building x \.\.\. 3 of 3 steps, ")
        self.assertEqual(out[4], "status 3")
        self.assertRegex(out[5], r"^\[1/2\] building x: 3 of 3 steps, \d+ s \(\d+ s of processor time\)$")
        self.assertEqual(pathlib.Path(self.folder, "log").read_text().splitlines(), ["[1/3] a", "noise", "x FAIL y", "[3/3] b"])

    def test_signals_end_everything(self):
        for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
            # Words that no other process has; one process leaves its session and its parent.
            marks = [f"10{number}.{os.getpid()}{k}" for k in (1, 2)]
            process = self.start(f"(setsid sleep {marks[0]} &); sleep {marks[1]}")
            until = time.monotonic() + 60
            while not all(alive(m) for m in marks):
                self.assertLess(time.monotonic(), until, "the sleepers do not start")
                time.sleep(0.05)
            process.send_signal(number)
            out = process.communicate(timeout=60)[0]
            self.assertEqual(process.returncode, 128 + number)
            self.assertIn(f"stopped by {number.name} at step 2 of 2: sleeping", out)
            self.assertEqual([p for m in marks for p in alive(m)], [])


class Options(unittest.TestCase):
    def test_help_and_wrong_options(self):
        run = subprocess.run([ROOT / "check.sh", "--help"], capture_output=True, text=True, timeout=60)
        self.assertEqual(run.returncode, 0)
        for word in "--all", "--jobs", "N passed, M failed, K skipped":
            self.assertIn(word, run.stdout)
        for wrong in (["--al"], ["fast"], ["--all", "--job"]):
            run = subprocess.run([ROOT / "check.sh", *wrong], capture_output=True, text=True, timeout=60)
            self.assertEqual((run.returncode, run.stdout), (2, ""))
            self.assertIn(f"unknown argument '{wrong[-1]}'", run.stderr)


if __name__ == "__main__":
    unittest.main()
