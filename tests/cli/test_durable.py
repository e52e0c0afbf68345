#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files survive a power failure: every file is flushed before it is renamed, its folder after that, and both before success is reported.

A library that is preloaded notes the calls. ATP_INTERPOSE names it; programs with sanitizers cannot be preloaded.
"""
import os
import sys

from program import SANITIZED, Case, main, read_table, run, small_data

LIBRARY = os.environ.get("ATP_INTERPOSE", "")


class Order(Exception):
    pass


def check_order(lines):
    """The names of the files that were put in place; raises Order where one of them could be lost or cut."""
    opened, flushed, written, waiting, done = {}, {}, {}, {}, []
    for number, line in enumerate(lines):
        word, *rest = line.split(" ")
        if word in ("create", "open"):
            opened[rest[0]] = rest[1]
        elif word == "write":
            written[opened[rest[0]]] = number
        elif word == "fsync":
            name = opened[rest[0]]
            flushed[name] = number
            for target, folder in list(waiting.items()):
                if os.path.realpath(name) == folder:
                    del waiting[target]
                    done.append(target)
        elif word == "rename":
            source, target = rest
            if source not in flushed or flushed[source] < written.get(source, -1):
                raise Order(f"{target} was renamed before its bytes were flushed")
            waiting[target] = os.path.realpath(os.path.dirname(target) or ".")
    if waiting:
        raise Order(f"the folder was not flushed after the rename of {', '.join(waiting)}")
    return done


class Durable(Case):
    @classmethod
    def make_inputs(cls):
        small_data(sites=6, colors=4, samples=200)
        os.mkdir("folder")

    def put_in_place(self, *arguments, status=(0, )):
        if os.path.exists("calls"):
            os.remove("calls")
        done = run(*arguments, env={**os.environ, "LD_PRELOAD": LIBRARY, "ATP_CALLS": os.path.abspath("calls")})
        self.assertIn(done.returncode, status, f"{arguments}: {done.stderr}")
        with open("calls") as file:
            lines = file.read().splitlines()
        created = [line.split(" ")[2] for line in lines if line.startswith("create ")]
        placed = check_order(lines)
        # Nothing else stays that was written by another way.
        renamed = {line.split(" ")[1] for line in lines if line.startswith("rename ")}
        removed = {line.split(" ")[1] for line in lines if line.startswith("unlink ")}
        self.assertEqual([name for name in created if name not in renamed | removed and not name.endswith("/calls")], [], arguments)
        return {os.path.relpath(name) for name in placed}

    def test_the_check_can_fail(self):
        good = ["create 3 d/t", "write 3", "fsync 3", "close 3", "rename d/t d/x", "open 3 d", "fsync 3", "close 3"]
        self.assertEqual(check_order(good), ["d/x"])
        for left_out in (2, 6):
            self.assertRaises(Order, check_order, good[:left_out] + good[left_out + 1:])
        self.assertRaises(Order, check_order, good[:2] + ["close 3", "rename d/t d/x", "open 3 d/x", "fsync 3", "open 4 d", "fsync 4"])
        self.assertRaises(Order, check_order, ["create 3 d/t", "fsync 3", "write 3", *good[3:]])
        self.assertRaises(Order, check_order, ["open 4 d", "fsync 4", *good[:5]])

    def test_learn(self):
        learn = ["learn", "data.h5", "-o", "folder/m.h5", "--log", "folder/log.csv", "--checkpoint", "folder/c", "--epochs", 3, "--tolerance", 0,
                 "--checkpoint-interval", 0, "--save-weights", "weights.txt", "--theta", "0.2"]
        self.assertEqual(self.put_in_place(*learn, status=(3, )), {"folder/m.h5", "folder/log.csv", "folder/c", "weights.txt"})
        # The same where files are there, and through a link.
        os.symlink("folder/m.h5", "link.h5")
        learn[3] = "link.h5"
        self.assertEqual(self.put_in_place(*learn, "--resume", status=(3, )), {"folder/m.h5", "folder/log.csv", "folder/c", "weights.txt"})

    def test_sequences_models_and_scores(self):
        self.assertEqual(
            self.put_in_place("sample", "--sites", 5, "--colors", 3, "--beta", 1, "--protocol", "chain", "--burn-in", 1, "--thin", 1, "--samples",
                              20, "-o", "s.h5", "--model-out", "t.h5"), {"s.h5", "t.h5"})
        for arguments, names in (
                (["convert", "data.h5", "c.fasta"], {"c.fasta"}),
                (["convert", "data.h5", "c.txt"], {"c.txt"}),
                (["convert", "data.h5", "c.h5"], {"c.h5"}),
                (["convert", "truth.h5", "m.dat", "--to", "adabm"], {"m.dat"}),
                (["convert", "truth.h5", "m.eij", "--to", "plmc", "--alignment", "data.h5"], {"m.eij"}),
                (["contacts", "truth.h5", "--csv", "pairs.csv"], {"pairs.csv"}),
        ):
            self.assertEqual(self.put_in_place(*arguments), names)

    def test_tables(self):
        self.assertEqual(self.put_in_place("replica", "--shift", "2.5", "--alpha", "1.5,2", "--lambda", "0.1", "--csv", "r.csv"), {"r.csv"})
        growing = ["dotattn", "--omega", "0.3", "--alpha", "0.5,0.6", "--branch", "positional", "--set", "accuracy=0.1", "--csv", "folder/d.csv"]
        self.assertEqual(self.put_in_place(*growing), {"folder/d.csv"})
        with open("folder/d.csv") as file:
            self.assertEqual(len(read_table(file.read())[2]), 2)


if SANITIZED or not LIBRARY:
    print("skipped: a library cannot be preloaded here")
    sys.exit(77)
main()
