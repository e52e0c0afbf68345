#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The stored results of tools/ci/faults.sh are complete, of this version and without findings; the check sees what is not."""
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "tools/ci"))
import faults_results  # noqa: E402


class Stored(unittest.TestCase):
    def test_the_tree(self):
        self.assertEqual(faults_results.problems(faults_results.load(), faults_results.version()), [])

    def test_the_check_can_fail(self):
        rows = [dict(zip(faults_results.COLUMNS, [part, run, "3600 s; a fault", "3", "3", "0", "1.2", "abc", "2026-01-01"]))
                for part, runs in faults_results.PARTS.items() for run in runs]
        self.assertEqual(faults_results.problems(rows, "1.2"), [])
        self.assertEqual(len(faults_results.problems(rows, "1.3")), len(rows))
        for k, row in enumerate(rows):
            without = [*rows[:k], *rows[k + 1:]]
            self.assertEqual(faults_results.problems(without, "1.2"), [f"{row['part']} {row['run']}: no stored result"])
            faults = [("findings", "1"), ("what", "3600 s; malloc (1 call in 7)")]
            faults += [("came", "2")] if row["part"] != "kill" else []
            faults += [("what", "599 s; a fault")] if row["part"] in faults_results.SECONDS else []
            self.assertIn("0 tried", faults_results.problems([{**row, "tried": "0"}, *without], "1.2")[0])
            for column, value in faults:
                self.assertEqual(len(faults_results.problems([{**row, column: value}, *without], "1.2")), 1, (row, column, value))

    def test_lines(self):
        lines = faults_results.lines_of("soak", "seconds,rounds\n61,9,1,1\n# threads 8, rounds 12, digest 0a, notes 3: memory grew\n")
        self.assertEqual(lines, [["soak", "8 threads", "61 s; rounds 12; digest 0a; notes 3", "12", "12", 1]])
        lines = faults_results.lines_of("api", "[ RUN      ] memory\n56 of 56 calls\n[       OK ] memory\n[ RUN      ] x\nbad\n[  FAILED  ] x\n")
        self.assertEqual(lines, [["api", "round", "memory", "56", "56", 0], ["api", "round", "x", 1, 1, 1]])
        self.assertEqual(faults_results.lines_of("kill", "kill,dense,x,50,49,0\nother\n"), [["kill", "dense", "x", "50", "49", "0"]])


if __name__ == "__main__":
    unittest.main()
