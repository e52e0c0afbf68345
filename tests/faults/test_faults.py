#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The program where calls of the C library fail: some of all calls (all of them: tools/ci/faults.sh); planted faults are found."""
import os
import re
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
                            ("chatty", "and more"), ("leak", "keeps 1 blocks instead of 0")):
            found = self.problems(fault)
            self.assertTrue(any(text in line for line in found), f"{fault}: {found}")

    def test_branches(self):
        server = faulted.Server([os.environ["ATP_PLANTED"], "memory"], {"in": b"abcdefgh", "out": b"old"})
        try:
            *_, found = faulted.in_branches(faulted.Rules(server, ["out"]), "malloc", "own", faulted.ENOMEM, range(1, 2))
            self.assertIn("status -6", "".join(found))
        finally:
            server.close()


def lasting(streams):
    """What was written, without the memory that the machine had free just then."""
    return [re.sub(rb" \([0-9.]+ [kMG]?B available\)", b"", text) for text in streams]


class Program(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.runs = runs.all_runs(runs.inputs())

    def sweep(self, name):
        rules, end = self.runs[name]()
        try:
            tried, fired, found = faulted.of_malloc(rules, MEMORY)
            others = list(faulted.sweep(rules, OTHERS, but=[("malloc", "own")]))
        finally:
            end()
        self.assertGreater(tried, 5)
        self.assertEqual(tried, fired)
        self.assertGreater(sum(fired for *_, fired, _ in others), 5)
        self.assertEqual(found + [text for *_, problems in others for text in problems], [])

    def test_begin_of_streamed_table(self):
        """Memory fails between the calls that open the file of a table and write its head: no part stays."""
        rules, end = self.runs["doubles"]()
        try:
            begin = rules.whole.untouched + 1
            *_, found = faulted.at_moments(rules, "malloc", "own", faulted.ENOMEM, range(begin, min(begin + 600, rules.whole.seen["malloc", "own"])))
        finally:
            end()
        self.assertEqual(found, [])

    def test_branches(self):
        """A branch of a run ends as a run of its own does."""
        rules, end = self.runs["learn"]()
        try:
            self.assertGreater(rules.whole.untouched, 5 * MEMORY)
            places = range(3, rules.whole.untouched, MEMORY)
            *branches, whole = rules.server.branches("malloc", "own", places, faulted.ENOMEM)
            alone = [rules.server.run("malloc", "own", at, faulted.ENOMEM) for at in places]
        finally:
            end()
        for one, other in zip(branches, alone, strict=True):
            self.assertEqual((one.status, one.fired, lasting(one.streams), one.files, one.seen),
                             (other.status, other.fired, lasting(other.streams), other.files, other.seen))
        self.assertEqual((whole.status, lasting(whole.streams), whole.seen), (rules.whole.status, lasting(rules.whole.streams), rules.whole.seen))


for _name in ("sample", "learn", "contacts", "doubles", "convert", "convert-fasta"):
    setattr(Program, "test_" + _name.replace("-", "_"), lambda self, name=_name: self.sweep(name))

if __name__ == "__main__":
    unittest.main()
