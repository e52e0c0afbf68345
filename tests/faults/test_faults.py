#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The program where calls of the C library fail: some of all calls (all of them: scripts/faults.sh); planted faults are found."""
import os
import unittest

import faulted
import runs

# One call in so many of malloc and of the others. A prime: other moments of each run.
MEMORY, OTHERS = 4001, 13


class Planted(unittest.TestCase):
    """The rules see what they are for."""

    def problems(self, fault):
        server = faulted.Server([os.environ["ATP_PLANTED"], fault], {"in": b"abcdefgh", "out": b"old"})
        try:
            rules = faulted.Rules(server, ["out"])
            return [text for *_, problems in faulted.sweep(rules, 1) for text in problems]
        finally:
            server.close()

    def test_none(self):
        self.assertEqual(self.problems("none"), [])

    def test_each(self):
        for fault, text in (("write", "success, but out is not the new one"), ("fsync", "the failure could cost bytes"),
                            ("close", "the failure could cost bytes"), ("rename", "success, but out is not the new one"),
                            ("short", "success, but out is not the new one"), ("direct", "out is half written"),
                            ("litter", "left out.tmp"), ("memory", "status -6"), ("status", "status 7"), ("silent", "says ''"),
                            ("chatty", "and more")):
            found = self.problems(fault)
            self.assertTrue(any(text in line for line in found), f"{fault}: {found}")


class Program(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.runs = runs.all_runs(runs.inputs())

    def sweep(self, name):
        rules, end = self.runs[name]()
        try:
            memory = list(faulted.sweep(rules, MEMORY, calls=["malloc"]))
            others = list(faulted.sweep(rules, OTHERS, calls=faulted.CALLS[1:]))
        finally:
            end()
        self.assertGreater(sum(fired for *_, fired, _ in others), 5)
        self.assertEqual([text for *_, problems in memory + others for text in problems], [])


for _name in ("sample", "learn", "contacts", "doubles", "convert", "convert-fasta"):
    setattr(Program, "test_" + _name.replace("-", "_"), lambda self, name=_name: self.sweep(name))

if __name__ == "__main__":
    unittest.main()
