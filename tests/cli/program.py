# SPDX-License-Identifier: MIT
"""Shared by the tests of the program: run it in a folder of its own, look at status, stdout and stderr.

The environment variable ATTOPOTTS names the program. Tests that need HDF5 skip in a build without it.
"""
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.environ["ATTOPOTTS"]
SANITIZED = os.environ.get("ATP_SANITIZE", "none") != "none"
# Under nohup it is ignored, which programs inherit.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
# ./check.sh leaves these to ./check.sh --all.
slow = unittest.skipIf("ATP_TEST_QUICK" in os.environ, "left to ./check.sh --all (ATP_TEST_QUICK is set)")


def command(*arguments):
    return [PROGRAM, *map(str, arguments)]


def start(*arguments, **options):
    return subprocess.Popen(command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def run(*arguments, **options):
    return subprocess.run(command(*arguments), capture_output=True, text=True, **{"timeout": 120, **options})


def children_seconds():
    """Processor time of all programs that have ended: the load of the machine hardly changes it."""
    return sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


def subcommands():
    """All of them, by what completes them in bash."""
    return re.findall(r"^    ([\w-]+)\) flags=", run("help", "--completion", "bash").stdout, re.M)


def features():
    return json.loads(run("info", "--json").stdout)["features"]


class Case(unittest.TestCase):
    """A test in a fresh folder that is also the working directory."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        os.chdir(cls.folder.name)
        cls.make_inputs()

    @classmethod
    def tearDownClass(cls):
        os.chdir("/")
        cls.folder.cleanup()

    @classmethod
    def make_inputs(cls):
        pass

    def good(self, *arguments, **options):
        """Run; the status must be 0. Gives the completed process."""
        done = run(*arguments, **options)
        self.assertEqual(done.returncode, 0, f"{arguments}: {done.stderr}")
        return done

    def wrong(self, status, fragments, *arguments, **options):
        """Run; the status and one line on stderr with these fragments must come."""
        done = run(*arguments, **options)
        self.assertEqual(done.returncode, status, f"{arguments}: {done.stdout[:300]} {done.stderr}")
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 1, f"{arguments}: {done.stderr}")
        for fragment in fragments:
            self.assertIn(fragment, lines[0], f"{arguments}")
        return done


def must(*arguments):
    """A step of the preparation."""
    done = run(*arguments)
    if done.returncode != 0:
        raise SystemExit(f"{arguments} gave {done.returncode}: {done.stderr}")
    return done


def read_table(text):
    """`#` lines, the columns and the rows as dictionaries."""
    lines = text.splitlines()
    notes = [line for line in lines if line.startswith("#")]
    header, *rows = [line for line in lines if not line.startswith("#")]
    columns = header.split(",")
    return notes, columns, [dict(zip(columns, row.split(","))) for row in rows]


def numbers_of(model):
    """All numbers of a model file, as text with all digits."""
    return [line for line in must("convert", model, "-").stdout.splitlines() if not line.startswith("#")]


def small_data(name="data.h5", model="truth.h5", sites=6, colors=4, samples=400, beta=1, seed=1):
    must("sample", "--sites", sites, "--colors", colors, "--beta", beta, "--protocol", "chain", "--chains", 40, "--burn-in", 100,
         "--thin", 20, "--samples", samples, "--seed", seed, "--model-out", model, "-o", name,
         "--alphabet", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[:colors])


def main(needs_hdf5=True):
    if needs_hdf5 and not features()["hdf5"]:
        print("skipped: this build has no HDF5")
        sys.exit(77)
    program = unittest.main(verbosity=1, exit=False)
    # As cmocka writes them: tools/ci/count_tests.py counts them and shows the reasons.
    for test, reason in program.result.skipped:
        print(f"[  SKIPPED ] {test.id()}: {reason}")
    sys.exit(0 if program.result.wasSuccessful() and program.result.testsRun > 0 else 1)
