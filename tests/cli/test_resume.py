#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A run that a signal or kill -9 interrupts and --resume goes on with gives the numbers of a run that was left alone, every family and optimizer."""
import os
import signal

from gates import Gated
from program import Case, main, numbers_of, read_table, run, small_data


def rows_of(path):
    with open(path) as file:
        return [{k: v for k, v in row.items() if k != "seconds"} for row in read_table(file.read())[2]]


class Resume(Case):
    @classmethod
    def make_inputs(cls):
        small_data(sites=12, colors=8, samples=1000)

    def check(self, name, gates, *flags, phases=("training",)):
        """Interrupt at each of these gates, in one run after the other: by SIGINT, SIGTERM, SIGHUP and kill -9 in turn."""
        learn = ["learn", "data.h5", "--truth", "truth.h5", "--test", "data.h5", "--quiet", "--threads", 2, *flags]
        whole = run(*learn, "-o", f"{name}_whole.h5", "--log", f"{name}_whole.csv")
        self.assertIn(whole.returncode, (0, 3), whole.stderr)
        files = [*learn, "-o", f"{name}_part.h5", "--checkpoint", f"{name}.state"]
        seen = set()
        for k, gate in enumerate(gates):
            gated = Gated([*files, *(["--resume"] if k > 0 else [])], gate)
            with open(f"{name}.state", "rb") as file:
                seen.update(line[6:] for line in file.read()[-1000:].decode("latin-1").splitlines() if line.startswith("phase "))
            number = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)[k % 4]
            status, text = gated.send(number)
            if number == signal.SIGKILL:
                self.assertEqual(status, -signal.SIGKILL, text)
            else:
                self.assertEqual(status, 130, text)
                self.assertEqual(len(text), 1, text)
                self.assertIn("interrupted after ", text[0])
                self.assertIn(f"state saved in {name}.state, continue with --resume", text[0])
                self.assertIn(f"{name}_part.h5 has the model so far", text[0])  # and it was not over already
                os.remove(f"{name}_part.h5")
            self.assertFalse(os.path.exists(f"{name}_part.h5"), "it was over already")
        self.assertEqual(seen, set(phases))
        rest = run(*files, "--log", f"{name}_part.csv", "--resume")
        self.assertEqual(rest.returncode, whole.returncode, rest.stderr)
        self.assertEqual(numbers_of(f"{name}_whole.h5"), numbers_of(f"{name}_part.h5"))
        self.assertEqual(rows_of(f"{name}_whole.csv"), rows_of(f"{name}_part.csv"))
        self.assertGreater(len(rows_of(f"{name}_part.csv")), 1)

    def test_sgd(self):
        self.check("sgd", (1, 4, 9, 3, 2, 1), "--optimizer", "sgd", "--rate", "0.05", "--epochs", 30)

    def test_adam_on_masked_sites(self):
        self.check("adam", (2, 7, 1, 3), "--objective", "mlm", "--optimizer", "adam", "--epochs", 30)

    def test_lbfgs(self):
        self.check("lbfgs", (3, 1, 12, 5), "--tolerance", "1e-9", "--start", "random", "--epochs", 40)

    def test_softmax_and_fields(self):
        self.check("softmax", (3, 4), "--map", "softmax", "--fields", "--heads", 2, "--tolerance", "1e-9", "--epochs", 20)

    def test_wide_start(self):
        """Iterations of the wide start first, 100 of them: gates 1 to 100 are there, gate 101 repeats the last."""
        self.check("wide", (1, 30, 40, 25, 12, 2, 3), "--tolerance", "0", "--epochs", 30, phases=("wide start", "training"))

    def test_wide_start_of_adam(self):
        self.check("wide_adam", (40, 65, 3, 2), "--start", "wide", "--optimizer", "adam", "--fields", "--tolerance", 0, "--epochs", 20,
                   phases=("wide start", "training"))

    def test_dense(self):
        self.check("dense", (1, 5, 3, 8), "--family", "dense", "--tolerance", "0", "--l2-couplings", "0.01", "--epochs", 30)

    def test_dense_asymmetric(self):
        """Sites in rounds of 8: a gate after the first, another after the second."""
        self.check("sites", (1,), "--family", "dense", "--asymmetric", "--tolerance", "0", "--l2-couplings", "0.01", "--epochs", 30)

    def test_dense_asymmetric_killed(self):
        flags = ["--family", "dense", "--asymmetric", "--tolerance", "0", "--l2-couplings", "0.01", "--epochs", 30]
        learn = ["learn", "data.h5", "--quiet", "--threads", 2, *flags]
        whole = run(*learn, "-o", "sites_whole.h5")
        gated = Gated([*learn, "-o", "sites_part.h5", "--checkpoint", "killed.state"], 1)
        self.assertEqual(gated.kill(), -signal.SIGKILL)
        rest = run(*learn, "-o", "sites_part.h5", "--checkpoint", "killed.state", "--resume")
        self.assertEqual(rest.returncode, whole.returncode, rest.stderr)
        self.assertEqual(numbers_of("sites_whole.h5"), numbers_of("sites_part.h5"))


main()
