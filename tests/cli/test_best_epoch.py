#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`learn --test`: the best epoch is printed, --keep best writes it, also after an interruption, and overfitting is said."""
import signal

from gates import Gated
from program import Case, main, numbers_of, read_table, run, small_data


class BestEpoch(Case):
    @classmethod
    def make_inputs(cls):
        small_data(sites=10, colors=6, samples=600, beta=0.5)

    # Few sequences, many heads, no penalty: the test loss rises after a few iterations.
    learn = ["learn", "data.h5", "--rows", "0:60", "--test", "data.h5", "--test-rows", "300:300", "--heads", 6, "--tolerance", 0]

    def best_of(self, path):
        with open(path) as file:
            rows = read_table(file.read())[2]
        best = min(rows, key=lambda row: float(row["test_loss"]))
        return int(best["epoch"]), float(best["test_loss"]), len(rows)

    def test_best(self):
        last = run(*self.learn, "-o", "last.h5", "--epochs", 40, "--log", "last.csv")
        epoch, loss, rows = self.best_of("last.csv")
        self.assertTrue(0 < epoch < rows - 5, epoch)
        self.assertIn(f"lowest test loss {loss:.6f} after epoch {epoch}\n", last.stderr)
        self.assertIn(f"warning: overfitting: since epoch {epoch} the test loss rose from {loss:.6f} to ", last.stderr)
        self.assertIn("--keep best writes the model of the best epoch", last.stderr)
        best = run(*self.learn, "-o", "best.h5", "--epochs", 40, "--keep", "best", "--log", "best.csv")
        self.assertEqual(best.returncode, last.returncode)
        self.assertIn(f"after epoch {epoch}; best.h5 has the model of that epoch", best.stderr)
        self.assertEqual(self.best_of("best.csv"), (epoch, loss, rows))
        self.assertNotEqual(numbers_of("best.h5"), numbers_of("last.h5"))
        done = self.good("eval", "best.h5", "data.h5", "--rows", "300:300")
        self.assertAlmostEqual(float(done.stdout.splitlines()[-1].split(",")[2]), loss, places=5)
        self.assertIn(f"epoch {epoch} of {rows}, the lowest test loss", done.stderr)
        # It is what a run of so many epochs learns.
        run(*self.learn, "-o", "short.h5", "--epochs", epoch)
        self.assertEqual(numbers_of("best.h5"), numbers_of("short.h5"))

    def test_split(self):
        """--test-split learns from the training set that `convert` writes, and has its test loss on the other."""
        split = ["--test-split", "0.5", "--set", "runs=3"]
        self.good("convert", "data.h5", "training.h5", "--test-output", "test.h5", *split, "--theta", "0.2")
        done = self.good("learn", "data.h5", "-o", "split.h5", *split, "--theta", "0.2", "--epochs", 20, "--heads", 1, "--optimizer", "adam")
        self.assertRegex(done.stderr, r"data.h5: --test-split 0.5: \d+ training and \d+ test sequences, \d+ of 600 not used")
        again = self.good("learn", "training.h5", "-o", "again.h5", "--test", "test.h5", "--epochs", 20, "--heads", 1, "--optimizer", "adam")
        self.assertEqual(numbers_of("split.h5"), numbers_of("again.h5"))
        self.assertEqual(*([line for line in x.stderr.splitlines() if line.startswith("test loss")] for x in (done, again)))
        self.wrong(2, ["--test-split is \"0.5\"", "without --test"], "learn", "data.h5", "-o", "m.h5", *split, "--test", "data.h5")
        self.wrong(2, ["--set max-test has no effect here: learn without --test-split"], "learn", "data.h5", "-o", "m.h5", "--set", "max-test=3")

    def test_network_overfits(self):
        """A network writes no model: --keep best is advice only for maps."""
        learn = ["learn", "data.h5", "--rows", "0:60", "--test", "data.h5", "--test-rows", "300:300", "--family", "encoder", "--optimizer", "lbfgs",
                 "--objective", "pseudolikelihood", "--tolerance", 0, "--epochs", 150]
        done = run(*learn)
        self.assertIn("warning: overfitting: ", done.stderr)
        self.assertNotIn("--keep", done.stderr)
        self.assertIn("; --keep best writes the maps of the best epoch", run(*learn, "--truth", "truth.h5", "--maps", "maps.csv").stderr)

    def test_interrupted(self):
        """A checkpoint keeps the best epoch, and --resume goes on with it."""
        run(*self.learn, "-o", "whole.h5", "--epochs", 40, "--keep", "best")
        part = [*self.learn, "-o", "part.h5", "--epochs", 40, "--quiet", "--checkpoint", "part.state", "--keep", "best"]
        gated = Gated(part, 30)
        status, text = gated.send(signal.SIGINT)
        self.assertEqual(status, 130, text)
        self.assertRegex(self.good("eval", "part.h5", "data.h5").stderr,
                         r"training was interrupted after epoch \d+; epoch \d+, the lowest test loss\n")
        run(*part, "--resume")
        self.assertEqual(numbers_of("part.h5"), numbers_of("whole.h5"))

    def test_no_overfitting(self):
        done = run("learn", "data.h5", "-o", "m.h5", "--rows", "0:300", "--test", "data.h5", "--test-rows", "0:300", "--epochs", 10)
        self.assertIn("lowest test loss", done.stderr)
        self.assertNotIn("overfitting", done.stderr)

    def test_flags(self):
        self.wrong(2, ["--keep", "with --test"], "learn", "data.h5", "-o", "m.h5", "--keep", "best")


main()
