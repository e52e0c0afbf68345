#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tools/ci/watched.py, tools/ci/check.py and check.sh: progress is shown, a signal ends everything that was started, --only chooses steps,
a missing second compiler counts as skipped, wrong options are told."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/ci"))
import check  # noqa: E402

PROGRAM = f"""
import sys
sys.path.insert(0, {str(ROOT / "tools/ci")!r})
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
# tools/ci/check.py with other steps: programs alone, and a configuration that only shows with which options it would be built.
STEPS = f"""
import os, pathlib, sys
sys.path.insert(0, {str(ROOT / "tools/ci")!r})
import check
check.PLAIN = [("quick", "build-quick", check.QUICK, [])]
check.ALL = [("first", "build-first", ["unit"], ["-Dx=1"]), ("second", "build-clang", ["unit"], ["-Dx=2", check.CLANG])]
check.PROGRAMS = [(name, name, ["/bin/sh", "-c", "echo " + name + "; exit " + status], "some") for name, status in (("good", "0"), ("bad", "1"), ("long", "0"))]
check.BY_NAME = {{"long"}}
check.BESIDE = {{"good"}}
check.MINUTES = {{"first": 10, "bad": 15}}
def show(steps, folder, suites, options, jobs):
    steps.begin(folder, "steps")
    print("built", folder, *options)
    print("quick:", os.environ.get("ATP_TEST_QUICK", "no"))
    check.record(pathlib.Path(folder), folder, "OK", "", "unit")
    steps.begin("testing " + folder, "tests")
    return ["unit"]
check.check = show
sys.exit(check.main())
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


class Only(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def check(self, *arguments, tools=("clang-14", "clang++-14")):
        for tool in tools:
            (self.folder / tool).symlink_to("/bin/true")
        run = subprocess.run([sys.executable, "-c", STEPS, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=60,
                             env={**os.environ, "PATH": str(self.folder), "ATP_TEST_QUICK": "2"})
        return run.returncode, run.stdout + run.stderr

    def test_all(self):
        status, out = self.check("--all")
        self.assertEqual(status, 1)
        for text in ("[6/6] bad", "built build-first -Dx=1\n", "built build-clang -Dx=2 --native-file=config/clang.ini\n",
                     "3 passed, 1 failed, 0 skipped"):
            self.assertIn(text, out)

    def test_by_name(self):
        """A step that is too long for --all runs where it is named."""
        out = self.check("--all")[1]
        self.assertIn("[6/6] bad", out)
        self.assertNotIn("long", out)
        self.assertLessEqual(check.BY_NAME, {entry[0] for entry in check.PROGRAMS})
        status, out = self.check("--only", "long", tools=())
        self.assertEqual(status, 0, out)
        self.assertIn("[1/1] long", out)

    def test_slow_parts(self):
        """Tests are told to leave them out, whatever the environment says, but not with --all."""
        for arguments, expected in ((), "quick: 1\n"), (("--only", "first"), "quick: no\n"):
            status, out = self.check(*arguments, tools=())
            self.assertEqual(status, 0, out)
            self.assertIn(expected, out)

    def test_beside(self):
        """A program that runs beside the others begins before them, and is followed and counted in its turn."""
        status, out = self.check("--all")
        self.assertEqual(status, 1)
        self.assertEqual((self.folder / "build-good-beside.log").read_text(), "good\n")
        self.assertEqual((self.folder / "build-good.log").read_text(), "good\n")
        self.assertFalse((self.folder / "build-bad-beside.log").exists())
        self.assertLess(out.index("built build-clang"), out.index("[5/6] good"))

    def test_no_time(self):
        """Steps that would not end in time are left out and count as skipped."""
        status, out = self.check("--all", "--minutes", "12")
        self.assertEqual(status, 0, out)
        self.assertIn("== SKIPPED bad takes about 15 minutes, and 0 of 12 are over", out)
        self.assertTrue(out.endswith("\n3 passed, 0 failed, 1 skipped\n"), out)

    def test_one_program(self):
        status, out = self.check("--only", "good")
        self.assertEqual(status, 0, out)
        self.assertIn("[1/1] good", out)
        self.assertTrue(out.endswith("\n1 passed, 0 failed, 0 skipped\n"), out)

    def test_several_in_their_order(self):
        status, out = self.check("--only=bad,first")
        self.assertEqual(status, 1)
        self.assertIn("[1/3] build-first", out)
        self.assertIn("[3/3] bad", out)
        self.assertTrue(out.endswith("\n1 passed, 1 failed, 0 skipped\n"), out)

    def test_wrong_name(self):
        status, out = self.check("--only", "good,fast")
        self.assertEqual(status, 2)
        self.assertIn("there is no step 'fast', expected first, second, good, bad", out)

    def test_without_clang(self):
        status, out = self.check("--only", "first,second", tools=())
        self.assertEqual(status, 0, out)
        for text in ("SKIPPED the second compiler: clang-14 is not installed", "built build-second -Dx=2\n",
                     "SKIPPED clang: second compiler: clang-14 is not installed"):
            self.assertIn(text, out)
        self.assertTrue(out.endswith("\n2 passed, 0 failed, 1 skipped\n"), out)
        # Steps of g++ alone do not miss it.
        status, out = self.check("--only", "first", tools=())
        self.assertNotIn("clang", out)

    def test_without_mpich(self):
        code = f"""
import sys
sys.path.insert(0, {str(ROOT / "tools/ci")!r})
import check
first = ("first", "build-first", ["unit"], [])
print(check.without_mpich([first]), check.without_mpich([first, ("second", "build-mpich", ["mpi"], [check.MPICH])]))
"""
        for there in (True, False):
            (self.folder / "mpicc.mpich").unlink(missing_ok=True)
            if there:
                (self.folder / "mpicc.mpich").symlink_to("/bin/true")
            run = subprocess.run([sys.executable, "-c", code], cwd=self.folder, capture_output=True, text=True, timeout=60,
                                 env={**os.environ, "PATH": str(self.folder)})
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual("SKIPPED the second MPI: mpicc.mpich is not installed" in run.stdout, not there)
            self.assertEqual("build-mpich:mpich" in run.stdout, not there)
            self.assertEqual(run.stdout.count("build-first"), 2)
            self.assertEqual("mpi_package" in run.stdout, there)


class Options(unittest.TestCase):
    def test_help_and_wrong_options(self):
        run = subprocess.run([ROOT / "check.sh", "--help"], capture_output=True, text=True, timeout=60)
        self.assertEqual(run.returncode, 0)
        # The steps are those of tools/ci/check.py.
        self.assertIn(", ".join(entry[0] for entry in check.ALL + check.PROGRAMS), run.stdout)
        for word in "--all", "--only", "--jobs", "N passed, M failed, K skipped":
            self.assertIn(word, run.stdout)
        for wrong in (["--al"], ["fast"], ["--all", "--job"]):
            run = subprocess.run([ROOT / "check.sh", *wrong], capture_output=True, text=True, timeout=60)
            self.assertEqual((run.returncode, run.stdout), (2, ""))
            self.assertIn(f"unknown argument '{wrong[-1]}'", run.stderr)


if __name__ == "__main__":
    unittest.main()
