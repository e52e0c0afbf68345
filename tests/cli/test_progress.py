#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Progress: JSON lines that can be parsed, a bar, nothing; --quiet; notes above tables."""
import json
import os
import threading
import unittest

from program import Case, main, read_table, run, small_data, start

LEARN = ["learn", "data.h5", "-o", "m.h5", "--optimizer", "sgd", "--epochs", 5, "--truth", "truth.h5", "--test", "data.h5"]


class ProgressModes(Case):
    @classmethod
    def make_inputs(cls):
        small_data(samples=500)

    def test_json(self):
        lines = self.good(*LEARN, "--progress", "json").stderr.splitlines()
        objects = [json.loads(line) for line in lines]
        steps = [o for o in objects if "step" in o]
        self.assertEqual([o["step"] for o in steps], [1, 2, 3, 4, 5])
        for o in steps:
            self.assertEqual((o["task"], o["unit"], o["total"]), ("learn", "epochs", 5))
            for key in ("train_loss", "test_loss", "optimal_loss", "coupling_error", "rate", "seconds"):
                self.assertIsInstance(o[key], float)
        self.assertTrue(all("message" in o for o in objects if "step" not in o))

    def test_json_of_sampling(self):
        lines = self.good("sample", "--model", "truth.h5", "--samples", 4000, "--chains", 16, "-o", "s.h5",
                          "--progress", "json").stderr.splitlines()
        objects = [json.loads(line) for line in lines]
        steps = [o for o in objects if "step" in o]
        self.assertTrue(steps)
        for o in steps:
            self.assertLessEqual(o["step"], o.get("total", o["step"]))

    def test_bar(self):
        text = self.good(*LEARN, "--progress", "bar").stderr
        self.assertIn("learn [", text)
        self.assertIn("left", text)

    def test_nothing_where_stderr_is_no_terminal(self):
        self.assertNotIn("learn [", self.good(*LEARN).stderr)
        self.assertNotIn("learn [", self.good(*LEARN, "--progress", "none").stderr)

    def test_lines(self):
        def steps(text):
            return [line for line in text.splitlines() if line.startswith("learn: ")]

        shown = steps(self.good(*LEARN, "--progress", "lines").stderr)
        self.assertEqual(len(shown), 1)  # the first report; the next one a minute later
        self.assertRegex(shown[0], r"^learn: 1 of 5 epochs \(20%\)  .*/s  loss \d.*  0:\d\d left at most$")
        # Where stderr is no terminal a run of less than a minute shows none, and --quiet keeps longer ones quiet, too.
        self.assertEqual(steps(self.good(*LEARN).stderr), [])

    @unittest.skipUnless("ATP_TEST_SLOW" in os.environ, "takes four minutes: set ATP_TEST_SLOW")
    def test_a_line_a_minute(self):
        long = ["sample", "--model", "truth.h5", "--protocol", "chain", "--samples", 1, "--thin", 1 << 38, "-o", "s.h5"]
        for flags, lines in ((["--quiet"], 0), ([], 2)):
            process = start(*long, *flags)
            timer = threading.Timer(130, process.terminate)
            timer.start()
            text = process.communicate()[1]
            timer.cancel()
            self.assertEqual(len([line for line in text.splitlines() if line.startswith("burn-in: ")]), lines)

    def test_messages_and_quiet(self):
        self.assertIn("training needs", self.good(*LEARN).stderr)
        self.assertEqual(self.good(*LEARN, "--quiet").stderr, "")
        # Errors are said all the same.
        done = run("learn", "absent.h5", "-o", "m.h5", "--quiet")
        self.assertEqual(len(done.stderr.splitlines()), 1)

    def test_report_of_sampling(self):
        text = self.good("sample", "--model", "truth.h5", "--samples", 2000, "--chains", 16, "-o", "s.h5").stderr
        for fragment in ("burn-in", "site updates/s", "mean Hamming distance", "integrated autocorrelation time", "effective sequences", "R-hat of the energy"):
            self.assertIn(fragment, text)

    def test_notes_of_tables(self):
        arguments = ["eval", "truth.h5", "data.h5", "--seed", "42", "--truth", "truth.h5"]
        text = self.good(*arguments).stdout
        notes, columns, rows = read_table(text)
        self.assertEqual(columns, ["sequences", "sites", "loss", "optimal_loss", "coupling_error"])
        self.assertRegex(notes[0], r"^# attopotts \d+\.\d+\.\d+$")
        self.assertEqual(notes[1], "# command: attopotts " + " ".join(arguments))
        self.assertEqual(notes[2], "# seed: 42")
        self.assertEqual(rows[0]["loss"], rows[0]["optimal_loss"])
        self.assertEqual(float(rows[0]["coupling_error"]), 0)
        self.good(*arguments, "--csv", "t.csv")
        with open("t.csv") as file:
            self.assertEqual(read_table(file.read())[1:], (columns, rows))


main()
