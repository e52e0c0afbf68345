#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Flags from a file, and a file of the flags: --config and --save-config."""
from program import Case, main, numbers_of, run, small_data


class Config(Case):
    @classmethod
    def make_inputs(cls):
        small_data()

    def write(self, text):
        with open("flags.toml", "w") as file:
            file.write(text)

    def test_the_same_as_by_hand(self):
        """Numbers, words, switches, units and lists; sections of other subcommands do not count."""
        self.write('quiet = true\nmemory = "1G"\n[learn]\nfamily = "dense"\nl2-couplings = 0.5\nepochs = 30\n[sample]\nsites = 5\n')
        by_file = run("learn", "data.h5", "--config", "flags.toml", "-o", "a.h5")
        by_hand = run("learn", "data.h5", "--family", "dense", "--l2-couplings", "0.5", "--epochs", "30", "--quiet", "-o", "b.h5")
        self.assertEqual(by_file.returncode, by_hand.returncode)
        self.assertEqual(by_file.stderr, "")
        self.assertEqual(numbers_of("a.h5"), numbers_of("b.h5"))

    def test_the_command_line_wins(self):
        self.write("epochs = 3\nheads = 2\noutput = \"c.h5\"\nfields = true\n")
        run("learn", "data.h5", "--config=flags.toml", "--epochs", "30", "-o", "d.h5")
        run("learn", "data.h5", "--heads", "2", "--fields", "--epochs", "30", "-o", "e.h5")
        self.assertEqual(numbers_of("d.h5"), numbers_of("e.h5"))

    def test_saved_flags_come_back(self):
        """A file that --save-config wrote makes the same model; it holds what was given alone."""
        run("learn", "data.h5", "--family", "dense", "--epochs", "30", "--l2-fields", "0.1", "--test", "data.h5", "--quiet", "--save-config", "saved.toml",
            "-o", "f.h5")
        with open("saved.toml") as file:
            text = file.read()
        self.assertEqual(text.splitlines()[1:], ["[learn]", "quiet = true", 'output = "f.h5"', 'family = "dense"', 'test = "data.h5"', 'epochs = "30"',
                                                 'l2-fields = "0.1"'])
        run("learn", "data.h5", "--config", "saved.toml", "-o", "g.h5")
        self.assertEqual(numbers_of("f.h5"), numbers_of("g.h5"))
        # Tables name the flags in effect.
        run("learn", "data.h5", "--config", "saved.toml", "-o", "g.h5", "--log", "log.csv")
        with open("log.csv") as file:
            self.assertIn("--family=dense", file.read())

    def test_times_and_sizes_have_units(self):
        for text, seconds in [("30", "30"), ("500ms", "0.5"), ("90s", "90"), ("10min", "600"), ("10m", "600"), ("1.5h", "5400"), ("2d", "172800")]:
            said = self.good("learn", "data.h5", "-o", "t.h5", "--checkpoint-interval", text, "--memory", "2G", "--save-config", "-").stdout
            self.assertIn(f'checkpoint-interval = "{seconds}"\n', said)
            self.assertIn('memory = "2000000000"\n', said)
        for text in ["-1", "h", "3 weeks", "1e99", "5hs", ""]:
            self.wrong(2, [f"--checkpoint-interval is \"{text}\", expected a time", "10min"], "learn", "data.h5", "-o", "t.h5", "--checkpoint-interval", text)

    def test_bad_files(self):
        for text, expected in [("epoch = 3\n", ["\"epoch\" is not a flag of learn", "did you mean --epochs?"]),
                               ("epochs = -3\n", ["--epochs is \"-3\""]),
                               ("fields = 3\n", ["fields is \"3\", expected true or false"]),
                               ("[lern]\nepochs = 3\n", ["[lern] is not a subcommand", "did you mean learn?"]),
                               ("config = \"other.toml\"\n", ["\"config\" is not a flag of learn"])]:
            self.write(text)
            self.wrong(2, ["--config flags.toml" if "-3" not in text else "--epochs", *expected], "learn", "data.h5", "-o", "h.h5", "--config", "flags.toml")
        self.wrong(2, ["--config missing.toml cannot be read"], "learn", "data.h5", "-o", "h.h5", "--config", "missing.toml")
        self.wrong(2, ["--config has no value"], "learn", "data.h5", "-o", "h.h5", "--config")


main()
