#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sampling that is interrupted and resumed gives the bytes of a run that was left alone, in both protocols."""
import fcntl
import os
import signal

from program import SANITIZED, Case, main, slow, start

F_SETPIPE_SZ = 1031
# Sweeps must take so long that a signal comes before they end; with sanitizers they take several times as long.
SWEEPS = 16000 if SANITIZED else 160000


def bytes_of(path):
    with open(path, "rb") as file:
        return file.read()


class SampleResume(Case):
    def interrupt(self, arguments, saves, number):
        """Send a signal after so many checkpoints. The run cannot go far in the meantime: nobody reads what it reports."""
        process = start(*arguments, "--checkpoint-interval", 0, "--progress", "json")
        fcntl.fcntl(process.stderr, F_SETPIPE_SZ, 4096)
        for line in process.stderr:
            saves -= line.startswith('{"checkpoint"')
            if saves == 0:
                break
        process.send_signal(number)
        text = [line for line in process.stderr if not line.startswith("{")]
        process.stdout.close()
        process.stderr.close()
        return process.wait(), text

    def check(self, name, *flags):
        sample = ["sample", "--sites", 20, "--colors", 10, "--beta", 1, "--threads", 2, "--quiet", *flags]
        self.good(*sample, "-o", f"{name}_whole.txt")
        part = [*sample, "-o", f"{name}_part.txt", "--checkpoint", f"{name}.state"]
        for k, number in enumerate((signal.SIGINT, signal.SIGKILL, signal.SIGHUP, signal.SIGTERM)):
            status, text = self.interrupt([*part, *(["--resume"] if k > 0 else [])], 1, number)
            if number == signal.SIGKILL:
                self.assertEqual(status, -signal.SIGKILL, text)
            else:
                self.assertEqual(status, 130, text)
                self.assertIn(f"interrupted; state saved in {name}.state, continue with --resume", text[0])
            self.assertFalse(os.path.exists(f"{name}_part.txt"))
        self.good(*part, "--resume")
        self.assertEqual(bytes_of(f"{name}_part.txt"), bytes_of(f"{name}_whole.txt"))
        return part

    def test_chains(self):
        part = self.check("chains", "--protocol", "chain", "--chains", 8, "--burn-in", SWEEPS, "--thin", SWEEPS, "--samples", 80)
        self.wrong(2, ["chains.state holds an earlier run", "--resume", "--restart"], *part)
        self.wrong(2, ["chains.state was made with", "seed 1", "seed 2"], *part, "--resume", "--seed", 2)
        self.wrong(2, ["chains.state was made with", "with energies"], *part, "--resume", "--couplings", "contacts")

    @slow
    def test_equilibrium(self):
        self.check("ladders", "--protocol", "equilibrium", "--chains", 8, "--set", "temperatures=6", "--burn-in", SWEEPS // 3, "--thin", SWEEPS // 3,
                   "--samples", 96)

    def test_a_checkpoint_of_another_command(self):
        self.good("sample", "--sites", 5, "--colors", 3, "--beta", 1, "--samples", 64, "--quiet", "-o", "data.h5", "--protocol", "chain")
        self.good("learn", "data.h5", "-o", "m.h5", "--epochs", 3, "--optimizer", "sgd", "--checkpoint", "learn.state", "--quiet")
        self.wrong(2, ["attopotts learn", "attopotts sample"], "sample", "--sites", 5, "--colors", 3, "--beta", 1, "-o", "n.txt", "--checkpoint",
                   "learn.state", "--resume")


main()
