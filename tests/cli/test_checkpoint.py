#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checkpoints: what is overwritten, who may write, saves that fail, signals that come early, twice or not at all."""
import fcntl
import os
import re
import resource
import shutil
import signal
import subprocess
import time

from gates import Gated
from program import Case, main, numbers_of, read_table, small_data, start


def bytes_of(path):
    with open(path, "rb") as file:
        return file.read()


def without_trailer(data):
    """The bare state in a checkpoint, as earlier versions wrote it."""
    trailer = int(re.search(rb"trailer (\d{10})\n\Z", data).group(1))
    size = int(re.search(rb"^part state (\d+)$", data[-trailer:], re.M).group(1))
    return data[:size]


class Checkpoint(Case):
    @classmethod
    def make_inputs(cls):
        small_data(sites=12, colors=8, samples=1000)

    sgd = ["learn", "data.h5", "--optimizer", "sgd", "--epochs", 12, "--quiet"]

    def rows(self, path):
        with open(path) as file:
            return [{k: v for k, v in row.items() if k != "seconds"} for row in read_table(file.read())[2]]

    def test_an_earlier_run_is_not_overwritten(self):
        learn = [*self.sgd, "-o", "a.h5", "--checkpoint", "a.state"]
        self.good(*learn)
        before = bytes_of("a.state")
        self.wrong(2, ["a.state holds an earlier run", "--resume", "--restart"], *learn)
        self.assertEqual(bytes_of("a.state"), before)
        self.good(*learn, "--resume")
        self.good(*learn, "--restart", "--seed", 2)
        self.assertNotEqual(bytes_of("a.state"), before)
        self.wrong(2, ["--resume and --restart", "only one"], *learn, "--resume", "--restart")
        self.wrong(2, ["--restart", "--checkpoint"], *self.sgd, "-o", "b.h5", "--restart")
        # Whatever is no checkpoint is left alone, with --restart, too.
        model = bytes_of("truth.h5")
        for flags in ([], ["--restart"]):
            self.wrong(2, ["truth.h5", "no checkpoint"], *self.sgd, "-o", "b.h5", "--checkpoint", "truth.h5", *flags)
        self.assertEqual(bytes_of("truth.h5"), model)
        # An empty file, as mktemp makes it, holds nothing.
        open("empty.state", "w").close()
        self.good(*self.sgd, "-o", "b.h5", "--checkpoint", "empty.state")
        self.wrong(2, ["absent.state is not there"], *self.sgd, "-o", "b.h5", "--checkpoint", "absent.state", "--resume")
        self.assertFalse(os.path.exists("a.state.lock"))

    def test_other_options_do_not_fit(self):
        self.good(*self.sgd, "-o", "o.h5", "--checkpoint", "o.state")
        resume = ["--checkpoint", "o.state", "--resume"]
        self.wrong(2, ["o.state", "optimizer"], "learn", "data.h5", "-o", "b.h5", "--optimizer", "adam", "--epochs", 12, "--quiet", *resume)
        self.wrong(2, ["o.state", "heads 1"], *self.sgd, "-o", "b.h5", "--heads", 2, *resume)
        data = bytes_of("o.state")
        for place, texts in ((100, ["damaged"]), (len(data) - 30, ["o.state"]), (len(data) - 3, ["o.state"])):
            with open("o.state", "wb") as file:
                file.write(data[:place] + bytes([data[place] ^ 1]) + data[place + 1:])
            self.wrong(2, texts, *self.sgd, "-o", "b.h5", *resume)
        with open("o.state", "wb") as file:
            file.write(data[:-100])
        self.wrong(2, ["o.state"], *self.sgd, "-o", "b.h5", *resume)

    def test_a_bare_state_is_resumed(self):
        """As versions without parts wrote it, beside its log."""
        learn = [*self.sgd, "--truth", "truth.h5"]
        self.good(*learn, "-o", "w.h5", "--log", "w.csv")
        part = [*learn, "-o", "p.h5", "--checkpoint", "p.state"]
        gated = Gated(part, 5)
        self.assertEqual(gated.send(signal.SIGINT)[0], 130)
        state = without_trailer(bytes_of("p.state"))
        with open("p.state", "wb") as file:
            file.write(state)
        with open("w.csv") as file:
            lines = file.read().splitlines()
        with open("p.csv", "w") as file:  # more rows than the state knows
            file.write("\n".join(lines[:-2]) + "\n")
        self.good(*part, "--log", "p.csv", "--resume")
        self.assertEqual(numbers_of("w.h5"), numbers_of("p.h5"))
        self.assertEqual(self.rows("w.csv"), self.rows("p.csv"))

    def test_two_writers(self):
        part = [*self.sgd, "-o", "t.h5", "--checkpoint", "t.state"]
        gated = Gated(part, 2)
        for name in ("t.state", "./t.state"):
            for flags in (["--resume"], ["--restart"], []):
                self.wrong(2, ["t.state", f"another run (process {gated.process.pid})"], *self.sgd, "-o", "u.h5", "--checkpoint", name, *flags)
        # The lock ends with its process, however that ends, and outlives the renames of the file.
        self.assertEqual(gated.kill(), -signal.SIGKILL)
        self.assertTrue(os.path.exists("t.state.lock"))
        self.good(*part, "--resume")
        self.assertFalse(os.path.exists("t.state.lock"))

    def test_a_dying_writer(self):
        """kill -9 returns before the system has closed the files of the process, which may be large: its lock is waited for. One whose process
        runs is refused, with its number."""
        part = [*self.sgd, "-o", "d.h5", "--checkpoint", "d.state"]
        self.assertEqual(Gated(part, 2).kill(), -signal.SIGKILL)
        ended = subprocess.Popen(["true"])
        ended.wait()
        for owner, released in ((ended.pid, True), (os.getpid(), False)):
            with open("d.state.lock", "w") as lock:
                lock.write(f"{owner}\n")
                lock.flush()
                fcntl.flock(lock, fcntl.LOCK_EX)
                process = start(*part, "--resume")
                time.sleep(1.5)
                self.assertEqual(process.poll() is None, released)
                if not released:
                    self.assertIn(f"another run (process {owner})", process.communicate()[1])
            if released:
                self.assertEqual((process.communicate()[1].count("another run"), process.returncode), (0, 0))
                self.assertFalse(os.path.exists("d.state.lock"))
                os.remove("d.state")
                self.assertEqual(Gated(part, 2).kill(), -signal.SIGKILL)
        for _ in range(5 if "ATP_TEST_QUICK" in os.environ else 30):
            killed = start(*self.sgd, "-o", "d.h5", "--checkpoint", "d.state", "--resume", "--checkpoint-interval", 0)
            while not os.path.exists("d.state.lock"):
                time.sleep(0.001)
            killed.send_signal(signal.SIGKILL)
            self.good(*part, "--resume")  # nobody has waited for the other one
            killed.communicate()

    def test_a_log_behind_or_ahead_of_the_state(self):
        """Killed between the two writes; rows that the state does not have go, rows that the file does not have come back."""
        self.good(*self.sgd, "-o", "whole.h5", "--log", "whole.csv")
        part = [*self.sgd, "-o", "l.h5", "--checkpoint", "l.state"]
        self.assertEqual(Gated(part, 6).kill(), -signal.SIGKILL)
        with open("whole.csv") as file:
            lines = file.read().splitlines()
        header = next(k for k, line in enumerate(lines) if not line.startswith("#"))
        shutil.copy("l.state", "kept.state")
        for rows in (0, 3, 5, 6, 7, 12):
            shutil.copy("kept.state", "l.state")
            with open("l.csv", "w") as file:
                file.write("\n".join(lines[:header + 1 + rows]) + "\n")
            self.good(*part, "--log", "l.csv", "--resume")
            self.assertEqual(self.rows("l.csv"), self.rows("whole.csv"), rows)
        # They agree before the first epoch is done, too.
        shutil.copy("kept.state", "l.state")
        process = start(*part, "--resume", "--log", "l.csv", "--checkpoint-interval", 1000, "--progress", "json")
        process.stderr.readline()
        process.stderr.readline()
        self.assertGreaterEqual(len(self.rows("l.csv")), 6)
        process.communicate()

    def limit_files(self, process, size):
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    def test_saves_that_fail_for_a_while(self):
        """As on a disk that is full and then is not: the run goes on, the numbers are the same, the status is that of success."""
        self.good(*self.sgd, "-o", "whole.h5")
        gated = Gated([a for a in self.sgd if a != "--quiet"] + ["-o", "f.h5", "--checkpoint", "f.state"], 2)
        kept = bytes_of("f.state")
        self.limit_files(gated.process, 100)
        for _ in range(3):
            gated.next()
        self.assertEqual(bytes_of("f.state"), kept)
        self.limit_files(gated.process, resource.RLIM_INFINITY)
        status, text = gated.send()
        self.assertEqual((status, text), (0, []))
        warnings = [line for line in gated.lines if "warning: checkpoint not saved: f.state" in line]
        self.assertGreaterEqual(len(warnings), 3, gated.lines)
        self.assertNotEqual(bytes_of("f.state"), kept)
        self.assertEqual(numbers_of("whole.h5"), numbers_of("f.h5"))

    def test_the_last_save_fails(self):
        gated = Gated([a for a in self.sgd if a != "--quiet"] + ["-o", "g.h5", "--checkpoint", "g.state"], 3)
        kept = bytes_of("g.state")
        self.limit_files(gated.process, 100)
        gated.next()
        gated.next()
        status, text = gated.send(signal.SIGINT)
        self.assertEqual(status, 1, text)
        self.assertEqual(len(text), 1, text)
        for part in ("interrupted after epoch ", "the state could not be saved", "g.state has the state after epoch 3"):
            self.assertIn(part, text[0])
        self.assertEqual(bytes_of("g.state"), kept)
        # A log that cannot be written; the model can.
        os.mkdir("closed")
        learn = [*self.sgd, "-o", "h.h5", "--log", "closed/log.csv", "--checkpoint", "h.state"]
        process = start(*learn, "--checkpoint-interval", 0, "--progress", "json")
        self.assertIn("checkpoint", "".join(process.stderr.readline() for _ in range(2)))
        # In one step: the program may write into it at any time.
        os.rename("closed", "moved")
        errors = process.communicate()[1].splitlines()
        if os.path.exists("closed"):
            self.fail("the folder came back")
        self.assertEqual(process.returncode, 1, errors[-1])
        self.assertIn("h.h5 was written, but --log could not be", errors[-1])
        self.assertTrue(os.path.exists("h.h5"))

    def test_interrupted_before_anything_is_there(self):
        """While a pipe gives no data there is nothing to keep: the signal ends the program at once and says so."""
        for flags, text in (([], "interrupted before training began; nothing was kept"),
                            (["--checkpoint", "early.state"], "interrupted before training began; nothing was kept")):
            process = start("learn", "-", "--alphabet", "protein", "-o", "never.h5", *flags, stdin=subprocess.PIPE)
            if flags:
                for _ in range(1000):
                    if os.path.exists("early.state.lock"):
                        break
                    time.sleep(0.01)
            # Handlers are there once the program waits for the data: it does not read this at all before.
            process.stdin.write(">a\n" + "A" * (1 << 20))
            process.stdin.flush()
            process.send_signal(signal.SIGINT)
            errors = process.communicate()[1]
            self.assertEqual(process.returncode, 130, errors)
            self.assertEqual(errors, f"attopotts: {text}\n")
            self.assertFalse(os.path.exists("early.state.lock"))
        process = start("energies", "truth.h5", "-", "--alphabet", "ABCDEFGH", stdin=subprocess.PIPE)
        process.stdin.write(">a\n" + "A" * (1 << 20))
        process.stdin.flush()
        process.send_signal(signal.SIGTERM)
        errors = process.communicate()[1]
        self.assertEqual((process.returncode, errors), (130, "attopotts: interrupted while reading -; nothing was kept\n"))

    def test_a_signal_that_comes_twice(self):
        """timeout(1) sends its signal to the process and to its group; a terminal that closes does as much."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            part = [*self.sgd, "-o", "2.h5", "--checkpoint", "2.state", "--restart"]
            gated = Gated(part, 2)
            status, text = gated.send(number, number, number)
            self.assertEqual(status, 130, text)
            self.assertIn("state saved in 2.state", text[0])
        # Much later it is meant: the program waits at its pipe and ends at once.
        gated = Gated(part, 2)
        gated.process.send_signal(signal.SIGINT)
        time.sleep(1.5)
        self.assertEqual(gated.send(signal.SIGINT)[0], -signal.SIGINT)

    def test_nohup(self):
        whole = [*self.sgd, "-o", "n.h5", "--checkpoint", "n.state"]
        gated = Gated(whole, 2, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        status, text = gated.send(signal.SIGHUP)
        self.assertEqual(status, 0, text)
        self.assertTrue(os.path.exists("n.h5"))


main()
