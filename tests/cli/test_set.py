#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--set KEY=VALUE: options of the library that have no flag of their own, on the command line and in --config files."""
import re

import tomllib

from program import Case, main, numbers_of, run, small_data

LISTED = re.compile(r"^  ([a-z0-9-]+)=VALUE +.*; default (\S+).*\)$", re.M)


class Set(Case):
    @classmethod
    def make_inputs(cls):
        small_data()

    def learn(self, model, *arguments):
        done = run("learn", "data.h5", "-o", model, "--epochs", "8", "--start", "random", "--quiet", *arguments)
        self.assertIn(done.returncode, (0, 3), done.stderr)
        return numbers_of(model)

    def write(self, text):
        with open("set.toml", "w") as file:
            file.write(text)

    def test_sets(self):
        """A value has an effect, the default has none."""
        default = self.learn("a.h5")
        self.assertEqual(self.learn("b.h5", "--set", "init-scale=0.1"), default)
        self.assertNotEqual(self.learn("b.h5", "--set=init-scale=0.3"), default)

    def test_a_start_that_stays(self):
        """Where all parameters are zero the gradient is, too, but for maps beside V that is not; then training goes on."""
        for flags in ([], ["--map", "lowrank"], ["--colors-from", "truth.h5", "--map", "lowrank"]):
            self.wrong(2, ["--set init-scale is 0, expected a number above 0"], "learn", "data.h5", "-o", "never.h5", "--set", "init-scale=0", *flags)
        for name in "contacts", "compare-methods":
            self.wrong(2, ["--set init-scale is 0"], name, "data.h5", "--method", "factored", "--set", "init-scale=0")
        for flags in (["--map", "softmax"], ["--colors-from", "truth.h5"], ["--set", "initial=xavier"]):
            done = run("learn", "data.h5", "-o", "z.h5", "--epochs", "3", "--start", "random", "--set", "init-scale=0", *flags)
            self.assertIn("after 3 epochs", done.stderr)

    def test_sizes(self):
        """Options in bytes take the units of --memory."""
        self.assertEqual(self.learn("a.h5", "--set", "max-unpacked=4G"), self.learn("b.h5", "--set", "max-unpacked=4e9"))
        for text, part in [("4X", "expected a size like 500M, 2G"), ("-1G", "expected a size"), ("90000T", "expected a whole number in 0.."), ("-1", ">= 0")]:
            self.wrong(2, [f"--set is \"max-unpacked={text}\"", part], "learn", "data.h5", "-o", "never.h5", "--set", f"max-unpacked={text}")

    def test_words(self):
        """The words of an enum, and their numbers."""
        chosen = ["contacts", "data.h5", "--l2-couplings", "auto", "--epochs", "5", "--set", "strengths=3", "--set"]
        said = [next(line for line in run(*chosen, f"selection-rule={value}").stderr.splitlines() if line.startswith("chosen by the data"))
                for value in ("minimum", "1")]
        self.assertEqual(said[0], said[1])

    def test_unused_word(self):
        """One warning for both trainings, that of the wide start and the run's own, with the word."""
        done = run("learn", "data.h5", "-o", "u.h5", "--epochs", "2", "--start", "wide", "--set", "schedule=constant")
        self.assertEqual(done.stderr.count("has no effect"), 1, done.stderr)
        self.assertIn("warning: option schedule is constant and has no effect: optimizer is lbfgs", done.stderr)

    def test_lists(self):
        """--help-all lists the options; each takes the default that it shows."""
        for name in ("learn", "contacts", "compare-methods", "sample", "replica", "dotattn"):
            listed = LISTED.findall(self.good(name, "--help-all").stdout.partition("Options of --set:\n")[2])
            self.assertGreater(len(listed), 0, name)
            words = [word for key, value in listed for word in ("--set", f"{key}={value}")]
            self.assertNotIn("--set is", run(name, *words).stderr, name)
            page = self.good("help", "--man", name).stdout
            for key, _ in listed:
                self.assertIn("\\fB" + key.replace("-", "\\-") + "\\fR=", page)
            self.assertNotIn("Options of --set", self.good(name, "--help").stdout)

    def test_bad_values(self):
        learn = ["learn", "data.h5", "-o", "never.h5"]
        for text, parts in [("init-scal=1", ["expected an option of learn", "did you mean init-scale?"]), ("init-scale", ["expected KEY=VALUE"]),
                            ("init-scale=", ["expected KEY=VALUE"]), ("=1", ["expected KEY=VALUE"]), ("init-scale=-1", ["a number in 0..1000"]),
                            ("init-scale=nan", ["a number in 0..1000"]), ("positions=x", ["expected none or sinusoidal"]),
                            ("heads=2", ["expected the flag --heads 2"]), ("qqqqqqqqq=1", ["init-scale, "])]:
            self.wrong(2, [f"--set is \"{text}\"", *parts], *learn, "--set", text)
        self.wrong(2, ["--init-scale is not a flag of learn; use --set init-scale=VALUE"], *learn, "--init-scale", "1")
        self.wrong(2, ["--set init-scale is given twice"], *learn, "--set", "init-scale=1", "--set", "init-scale=2")
        self.wrong(2, ["--set fold-distance has no effect here: learn without --l2-couplings auto or --heads auto does not use it"], *learn, "--set", "fold-distance=0.1")
        for words, told in [("contacts data.h5 --method mean-field --set history=3", "contacts --method mean-field"),
                            ("contacts truth.h5 --set history=3", "contacts of a model"),
                            ("contacts data.h5 --set folds=3", "contacts without --l2-couplings auto or --heads auto"),
                            ("compare-methods data.h5 --set criterion=mutations", "compare-methods without --l2-couplings auto"),
                            ("replica --alpha 1 --set test-samples=3", "replica without --covariance, --sites and --beta"),
                            ("replica --alpha 1 --sites 10 --set test-samples=3", "replica --equations kappa without --simulate"),
                            ("dotattn --transition --set points=64", "dotattn --transition"),
                            ("dotattn --alpha 1 --rank 1 --set steps=64", "dotattn with --tokens, --code or --rank without --simulate"),
                            ("dotattn --time 1 --set steps=64", "dotattn --time without --simulate")]:
            key = words.rpartition("--set ")[2].partition("=")[0]
            self.wrong(2, [f"--set {key} has no effect here: {told} does not use it"], *words.split())
        self.wrong(2, ["--set is not a flag of check"], "check", "--set", "init-scale=1")

    def test_config(self):
        """A table of a file, for all subcommands or for one; the command line wins for each option; --save-config writes one."""
        by_hand = self.learn("a.h5", "--set", "init-scale=0.3")
        for text in ("[set]\ninit-scale = 0.3\n", "[learn.set]\ninit-scale = \"0.3\"\n[sample.set]\nswap-interval = 2\n", "set = [\"init-scale=0.3\"]\n"):
            self.write(text)
            self.assertEqual(self.learn("b.h5", "--config", "set.toml"), by_hand)
        self.write("[learn]\nquiet = true\n[learn.set]\ninit-scale = 0.7\nl2-pairs = 0\n")
        done = run("learn", "data.h5", "-o", "c.h5", "--epochs", "8", "--start", "random", "--set", "init-scale=0.3", "--config", "set.toml",
                   "--save-config", "saved.toml")
        self.assertIn(done.returncode, (0, 3), done.stderr)
        self.assertEqual(numbers_of("c.h5"), by_hand)
        with open("saved.toml", "rb") as file:
            self.assertEqual(tomllib.load(file)["learn"]["set"], {"init-scale": "0.3", "l2-pairs": "0"})
        self.assertEqual(self.learn("d.h5", "--config", "saved.toml"), by_hand)
        for text, part in [("init-scale = 1\n", "use --set init-scale=VALUE"), ("[learn.set]\ninit-scale = [1]\n", "line 2"),
                           ("[set]\nlearning = 1\n", "expected an option of learn")]:
            self.write(text)
            self.wrong(2, [part], "learn", "data.h5", "-o", "never.h5", "--config", "set.toml")
        self.write("[set]\nwidth = 1\n")
        self.wrong(2, ["info takes no options of the library"], "info", "--config", "set.toml")


main()
