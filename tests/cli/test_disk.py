#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A full disk and kill -9 leave the old file whole and no litter that matters."""
import os
import random
import resource
import signal
import subprocess
import time

from program import Case, command, main, must, numbers_of, run, slow, small_data, start


def small_files():
    """As on a full disk: no file may grow beyond this."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))


class Disk(Case):
    @classmethod
    def make_inputs(cls):
        small_data(sites=12, colors=8, samples=3000)

    def test_a_full_disk(self):
        must("convert", "data.h5", "old.txt", "--rows", "0:3")
        must("convert", "data.h5", "old.h5", "--rows", "0:3")
        must("convert", "truth.h5", "old_model.h5")
        model = numbers_of("old_model.h5")
        contents = {}
        for name in ("old.txt", "old.h5", "old_model.h5"):
            with open(name, "rb") as file:
                contents[name] = file.read()
        before = sorted(os.listdir())
        for name, arguments in [
                ("old.txt", ["convert", "data.h5", "old.txt"]),
                ("old.h5", ["convert", "data.h5", "old.h5"]),
                ("old_model.h5", ["convert", "truth.h5", "old_model.h5"]),
        ]:
            self.wrong(1, [name], *arguments, preexec_fn=small_files)
            with open(name, "rb") as file:
                self.assertEqual(file.read(), contents[name], name)
        self.assertEqual(before, sorted(os.listdir()), "temporary files were left")
        self.assertEqual(model, numbers_of("old_model.h5"))
        # The same calls succeed where there is room.
        self.good("convert", "data.h5", "old.txt")
        self.good("convert", "data.h5", "old.h5")

    def test_a_full_standard_output(self):
        with open("/dev/full", "w") as full:
            for arguments in (["convert", "data.h5", "-"], ["energies", "truth.h5", "data.h5"]):
                done = subprocess.run(command(*arguments), stdout=full, stderr=subprocess.PIPE, text=True)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_a_closed_pipe(self):
        process = start("energies", "truth.h5", "data.h5")
        process.stdout.close()
        text = process.stderr.read()
        process.stderr.close()
        self.assertEqual(process.wait(), 1, text)

    @slow
    def test_kill_while_writing(self):
        """With an interval of 0 the checkpoint and the log are written after every epoch: kill -9 mostly hits a write."""
        rng = random.Random(7)
        learn = ["learn", "data.h5", "--optimizer", "sgd", "--epochs", 450, "--quiet"]
        must(*learn, "-o", "whole.h5")
        part = [*learn, "-o", "part.h5", "--log", "part.csv", "--checkpoint", "part.state", "--checkpoint-interval", 0]
        killed = 0
        for _ in range(6):
            process = start(*part, "--progress", "json", *(["--resume"] if os.path.exists("part.state") else []))
            # From its first checkpoint on it writes all the time.
            for line in process.stderr:
                if line.startswith('{"checkpoint"'):
                    break
            time.sleep(rng.uniform(0, 0.02))
            process.send_signal(signal.SIGKILL)
            process.stderr.read()
            process.stderr.close()
            process.stdout.close()
            killed += process.wait() == -signal.SIGKILL
        self.assertEqual(killed, 6)
        self.assertTrue(os.path.exists("part.state"))
        done = run(*part, "--resume")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(numbers_of("whole.h5"), numbers_of("part.h5"))


main()
