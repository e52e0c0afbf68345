#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Ctrl-C in `learn` and `contacts`: the model so far is written, marked as interrupted; contacts continues from its checkpoint. In commands
that keep nothing: the end, at once."""
import fcntl
import os
import pty
import random
import signal
import subprocess
import time

from gates import Gated, deadline
from program import SANITIZED, Case, command, main, numbers_of, run, small_data, start

F_SETPIPE_SZ = 1031


class Interrupted(Case):
    @classmethod
    def make_inputs(cls):
        small_data(sites=12, colors=8, samples=1000)

    learn = ["learn", "data.h5", "--start", "random", "--tolerance", 0]

    def marked(self, model, words):
        """The model is read like any other; the mark is printed."""
        done = self.good("eval", model, "data.h5")
        self.assertIn(f"MODEL {model}: attopotts", done.stderr)
        self.assertIn(f"training was interrupted {words}", done.stderr)
        with open(model, "rb") as file:
            data = file.read()
        self.assertIn(b"origin", data)
        self.assertIn(f"training was interrupted {words}".encode(), data)

    def test_learn(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            gated = Gated([*self.learn, "-o", "m.h5", "--epochs", 30, "--checkpoint", "m.state", "--restart", "--quiet"], 4)
            status, text = gated.send(number)
            self.assertEqual((status, len(text)), (130, 1), text)
            self.assertIn("interrupted after epoch 4; m.h5 has the model so far, marked as interrupted; state saved in m.state", text[0])
            self.marked("m.h5", "after epoch 4")
        run(*self.learn, "-o", "four.h5", "--epochs", 4)
        self.assertEqual(numbers_of("m.h5"), numbers_of("four.h5"))
        # A copy keeps the mark; a whole run has none.
        self.good("convert", "m.h5", "copy.h5")
        self.marked("copy.h5", "after epoch 4")
        self.assertNotIn("attopotts", self.good("eval", "four.h5", "data.h5").stderr)

    def test_what_was_there_stays(self):
        run(*self.learn, "-o", "m.h5", "--epochs", 4)
        finished = numbers_of("m.h5")
        for epochs in (2, 3):
            gated = Gated([*self.learn, "-o", "m.h5", "--epochs", 30, "--checkpoint", "m.state", "--restart", "--quiet"], epochs)
            status, text = gated.send(signal.SIGINT)
            self.assertEqual(status, 130, text)
            self.assertIn(f"interrupted after epoch {epochs}; m.h5.interrupted has the model so far, marked as interrupted", text[0])
            self.marked("m.h5.interrupted", f"after epoch {epochs}")
            self.assertEqual(numbers_of("m.h5"), finished)

    def test_wide_start(self):
        gated = Gated(["learn", "data.h5", "-o", "w.h5", "--checkpoint", "w.state", "--tolerance", 0, "--quiet"], 5)
        status, text = gated.send(signal.SIGINT)
        self.assertEqual(status, 130, text)
        self.assertIn("interrupted after iteration ", text[0])
        self.marked("w.h5", "after iteration ")
        self.assertEqual(sum(line.startswith("value,0,") for line in numbers_of("w.h5")), 64)  # one head, as was asked for

    def interrupted_contacts(self, checkpoints, *flags):
        """Interrupt after some checkpoints. The small pipe keeps the run from going far ahead of this test."""
        reader, writer = os.pipe()
        fcntl.fcntl(writer, F_SETPIPE_SZ, 4096)
        process = subprocess.Popen(command("contacts", "data.h5", "--progress", "json", "--checkpoint-interval", 0, *flags), stderr=writer,
                                   stdout=subprocess.PIPE, text=True)
        os.close(writer)
        lines, seen = [], 0
        with deadline("the run does not end"), open(reader, buffering=1) as errors:
            for line in errors:
                lines.append(line.rstrip("\n"))
                if line.startswith('{"checkpoint"'):
                    seen += 1
                    if seen == checkpoints:
                        process.send_signal(signal.SIGINT)
            process.communicate()
        return process.returncode, [line for line in lines if not line.startswith("{")]

    def test_contacts(self):
        for family, flags in (("dense", []), ("factored", ["--heads", 4])):
            learn = ["--family", family, *flags, "--tolerance", 0, "--threads", 1]
            part = [*learn, "--model-out", f"{family}.h5", "--checkpoint", f"{family}.state"]
            status, text = self.interrupted_contacts(3, *part, "--epochs", 100000)
            self.assertEqual((status, len(text)), (130, 1), text)
            self.assertIn(f"{family}.h5 has the model so far, marked as interrupted; state saved in {family}.state", text[0])
            self.marked(f"{family}.h5", "after epoch ")
            epochs = int(text[0].split("after epoch ")[1].split(";")[0]) + 5
            run("contacts", "data.h5", *part, "--epochs", epochs, "--resume")
            run("contacts", "data.h5", *learn, "--model-out", "whole.h5", "--epochs", epochs)
            self.assertEqual(numbers_of(f"{family}.h5"), numbers_of("whole.h5"))
        self.wrong(2, ["dense.state holds an earlier run"], "contacts", "data.h5", "--checkpoint", "dense.state")
        self.wrong(2, ["--checkpoint is given but INPUT truth.h5 is a model"], "contacts", "truth.h5", "--checkpoint", "x.state")

    def family(self, name, sequences, sites):
        draw = random.Random(1)
        with open(name, "w") as file:
            file.write("".join(f">{n}\n{''.join(draw.choices('ACDEFGHIKLMNPQRSTVWY', k=sites))}\n" for n in range(sequences)))

    def wait_for_work(self, process, seconds):
        """Until the process has used so much processor time: its files, of some megabytes, have been read."""
        ticks = 0
        while ticks < seconds * os.sysconf("SC_CLK_TCK"):
            self.assertIsNone(process.poll(), "it has ended too early")
            time.sleep(0.05)
            with open(f"/proc/{process.pid}/stat") as file:
                ticks = int(file.read().rpartition(")")[2].split()[11])

    def test_calls_without_steps(self):
        """One call of the library takes seconds, and has nothing to keep: the process ends in the middle of it."""
        self.family("many.fasta", 60000, 200)
        self.family("wide.fasta", 40, 3000)
        protein = ["--alphabet", "protein"]
        for arguments in (["weights", "many.fasta", *protein], ["contacts", "wide.fasta", *protein, "--method", "mi"],
                          ["compare-methods", "wide.fasta", *protein, "--method", "mi"],
                          ["replica", "--shift", "2.5", "--sites", "3000", "--alpha", "1,2"]):
            process = start(*arguments, "--csv", "none.csv", "--threads", 1)
            reads = arguments[1].endswith(".fasta")
            self.wait_for_work(process, 4 if SANITIZED and reads else 1)
            before = set(os.listdir())
            process.send_signal(signal.SIGINT)
            errors = process.communicate(timeout=100)[1].splitlines()
            self.assertEqual(process.returncode, 130, (arguments, errors))
            self.assertRegex(errors[-1], "^attopotts: interrupted")
            self.assertEqual(set(os.listdir()), before)

    def test_someone_is_told_to_wait(self):
        """On a terminal a line says at once that a run with something to keep ends later."""
        leader, follower = pty.openpty()
        process = subprocess.Popen(command("learn", "data.h5", "-o", "t.h5", "--optimizer", "sgd", "--rate", 0.01, "--epochs", 1000000, "--progress", "none"),
                                   stderr=follower, stdout=subprocess.DEVNULL)
        os.close(follower)
        self.wait_for_work(process, 0.3)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=100), 130)
        text = os.read(leader, 65536).decode()
        os.close(leader)
        self.assertIn("ends at the next state that can be kept; another signal ends it at once", text)
        self.assertIn("interrupted", text.splitlines()[-1])


main()
