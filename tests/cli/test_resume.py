#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A run that a signal interrupts and --resume goes on with gives the numbers of a run that was left alone."""
import json
import os
import random
import shutil
import signal

from program import Case, main, numbers_of, read_table, run, small_data, start


class Resume(Case):
    @classmethod
    def make_inputs(cls):
        small_data(sites=12, colors=8, samples=4000)

    def learn(self, *extra):
        return ["learn", "data.h5", "--truth", "truth.h5", "--test", "data.h5", "--quiet", *extra]

    def interrupt(self, process, step, number):
        """Send a signal when the run reports this step."""
        for line in process.stderr:
            if json.loads(line).get("step", 0) >= step:
                process.send_signal(number)
                break
        text = [line for line in process.stderr if not line.startswith("{")]
        process.stdout.read()
        process.stdout.close()
        process.stderr.close()
        return process.wait(), text

    def check_optimizer(self, name, epochs, *flags, may_finish=False):
        common = [*flags, "--epochs", epochs]
        whole = run(*self.learn("-o", f"{name}_whole.h5", "--log", f"{name}_whole.csv", *common))
        self.assertIn(whole.returncode, (0, 3), whole.stderr)
        with open(f"{name}_whole.csv") as file:
            made = int(read_table(file.read())[2][-1]["epoch"])
        self.assertGreater(made, 10)
        files = ["-o", f"{name}_part.h5", "--log", f"{name}_part.csv", "--checkpoint", f"{name}.state", "--progress", "json"]
        steps = sorted(self.random.sample(range(1, made - 1), 3))
        for number, step in zip((signal.SIGINT, signal.SIGTERM, signal.SIGINT), steps):
            resume = ["--resume"] if os.path.exists(f"{name}.state") else []
            status, text = self.interrupt(start(*self.learn(*files, *common, *resume)), step, number)
            if may_finish and status == whole.returncode:  # sites are reported a round at a time: the signal came after the last one
                break
            self.assertEqual(status, 130, text)
            self.assertEqual(len(text), 1, text)
            self.assertIn("interrupted", text[0])
            self.assertFalse(os.path.exists(f"{name}_part.h5"))
        rest = run(*self.learn(*files, *common, "--resume"))
        self.assertEqual(rest.returncode, whole.returncode, rest.stderr)
        self.assertEqual(numbers_of(f"{name}_whole.h5"), numbers_of(f"{name}_part.h5"))
        rows = []
        for kind in ("whole", "part"):
            with open(f"{name}_{kind}.csv") as file:
                rows.append([{k: v for k, v in row.items() if k != "seconds"} for row in read_table(file.read())[2]])
        self.assertEqual(rows[0], rows[1])

    def setUp(self):
        self.random = random.Random(20230415)

    def test_sgd(self):
        self.check_optimizer("sgd", 60, "--optimizer", "sgd", "--rate", "0.05")

    def test_lbfgs(self):
        self.check_optimizer("lbfgs", 150, "--tolerance", "1e-9", "--start", "random")

    def test_dense(self):
        self.check_optimizer("dense", 60, "--family", "dense", "--tolerance", "0", "--l2-couplings", "0.01")

    def test_asymmetric(self):
        self.check_optimizer("sites", 30, "--family", "dense", "--asymmetric", "--tolerance", "0", "--l2-couplings", "0.01",
                             "--threads", 1, may_finish=True)

    def test_mlm_adam(self):
        self.check_optimizer("mlm", 150, "--objective", "mlm", "--optimizer", "adam")

    def test_other_options_do_not_fit(self):
        self.good(*self.learn("-o", "a.h5", "--optimizer", "sgd", "--epochs", 3, "--checkpoint", "a.state"))
        self.good(*self.learn("-o", "a.h5", "--optimizer", "sgd", "--epochs", 3, "--checkpoint", "a.state", "--resume"))
        shutil.copy("a.state", "b.state")
        self.wrong(2, ["b.state"], *self.learn("-o", "b.h5", "--optimizer", "adam", "--epochs", 3, "--checkpoint", "b.state", "--resume"))
        self.wrong(2, ["b.state"],
                   *self.learn("-o", "b.h5", "--heads", 2, "--optimizer", "sgd", "--epochs", 3, "--checkpoint", "b.state", "--resume"))
        with open("b.state", "r+b") as file:
            file.seek(-40, os.SEEK_END)
            byte = file.read(1)
            file.seek(-40, os.SEEK_END)
            file.write(bytes([byte[0] ^ 1]))
        self.wrong(2, ["b.state"], *self.learn("-o", "b.h5", "--optimizer", "sgd", "--epochs", 3, "--checkpoint", "b.state", "--resume"))

    def test_sampling_is_interrupted(self):
        process = start("sample", "--sites", 20, "--colors", 20, "--beta", 1, "--protocol", "chain", "--samples", 1000000,
                        "-o", "never.txt", "--progress", "json")
        status, text = self.interrupt(process, 1, signal.SIGINT)
        self.assertEqual(status, 130, text)
        self.assertIn("interrupted", "".join(text))
        self.assertFalse(os.path.exists("never.txt"))


main()
