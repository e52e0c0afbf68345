#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Flags from a file, and a file of the flags: --config and --save-config."""
import json
import os
import stat
import subprocess
import threading

import tomllib

from program import Case, children_seconds, command, main, numbers_of, run, small_data

# Names of files that quoting, escaping or comments could change, beside plain ones.
PARTS = ['"', "\\", "#", "'", "\n", "\t", "\r", "\x01", "\x1b", "\x7f", " ", "\u00e9", "\u2028", "\U0001d11e", "%", "{", "}", "[", "]", "=", ",", ";", "$HOME",
         "`", "\\n", "\\u0041", '"""', "\'\'\'", "-", "--csv", "\x85"]
NAMES = ([f"a{part}b.csv" for part in PARTS] + [f"{part}b.csv" for part in PARTS if part not in ("-", "--csv")] +
         ["[a,b].csv]", "true", "3", "1e3", "inf", "1979-05-27", "0x10", 'a = "b"', "[weights]", "a\nweights = \"none\"", "\ufeffx.csv", '\\"', 'x"\\'])


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
        self.assertEqual(text.splitlines()[1:], ["[learn]", 'epochs = "30"', 'family = "dense"', 'l2-fields = "0.1"', 'output = "f.h5"', "quiet = true",
                                                 'test = "data.h5"'])
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

    def test_names_come_back(self):
        """A value of the command line is in the saved file as Python reads it, and in effect again with --config."""
        self.assertGreaterEqual(len(set(NAMES)), 49)
        table = ["weights", "few.txt", "--thetas", "0.5"]
        with open("few.txt", "w") as file:
            file.write("0 1 1\n1 0 1\n")
        for name in NAMES:
            self.good(*table, "--quiet", f"--csv={name}", "--save-config", "saved.toml")
            os.remove(name)
            with open("saved.toml", "rb") as file:
                self.assertEqual(tomllib.load(file), {"weights": {"csv": name, "quiet": True, "thetas": "0.5"}})
            before = set(os.listdir())
            self.good("weights", "few.txt", "--config", "saved.toml")
            self.assertEqual(set(os.listdir()) - before, {name})
            os.remove(name)
        done = subprocess.run([*map(os.fsencode, command(*table, "--save-config", "saved.toml")), b"--csv=a\xffb"], capture_output=True)
        self.assertEqual((done.returncode, done.stderr.count(b"\n")), (2, 1), done.stderr)
        self.assertIn(b"--save-config: --csv is no UTF-8", done.stderr)
        self.assertFalse(os.path.exists(b"a\xffb"))

    def test_values_of_toml(self):
        """Integers, real numbers, switches, both kinds of text and arrays; a byte order mark, CR LF, and a pipe."""
        with open("few.txt", "w") as file:
            file.write("0 1 1\n1 0 1\n")
        self.write('\ufeffthreads = 0x1\r\nquiet = true\r\n[weights]\r\nthetas = \'0.25\'\r\n"max-gaps-column" = 5e-1\r\n')
        self.good("weights", "few.txt", "--config", "flags.toml", "--save-config", "saved.toml")
        with open("saved.toml", "rb") as file:
            self.assertEqual(tomllib.load(file), {"weights": {"thetas": "0.25", "max-gaps-column": "0.5", "threads": "1", "quiet": True}})
        os.mkfifo("pipe.toml")
        writer = threading.Thread(target=self.fill, args=("pipe.toml", "json = true\n"))
        writer.start()
        by_pipe = self.good("info", "--config", "pipe.toml").stdout
        writer.join()
        self.assertIn("simd_targets", json.loads(by_pipe))

    @staticmethod
    def fill(path, text):
        with open(path, "w") as file:
            file.write(text)

    def test_large_files(self):
        """A megabyte of flags takes no longer than its bytes: the reader's time is linear."""
        self.write("".join(f"# {'x' * 96}\n" for _ in range(10000)) + "quiet = true\n")
        self.assertGreater(os.stat("flags.toml")[stat.ST_SIZE], 900000)
        begin = children_seconds()
        self.good("info", "--config", "flags.toml")
        self.assertLess(children_seconds() - begin, 5)
        with open("flags.toml", "wb") as file:
            file.truncate(1 << 25)
        self.wrong(2, ["is larger than"], "info", "--config", "flags.toml")

    def test_bad_files(self):
        for text, expected in [("epoch = 3\n", ["\"epoch\" is not a flag of learn", "did you mean --epochs?"]),
                               ("epochs = -3\n", ["--epochs is \"-3\""]),
                               ("fields = 3\n", ["fields is \"3\", expected true or false"]),
                               ("[lern]\nepochs = 3\n", ["[lern] is not a subcommand", "did you mean learn?"]),
                               ("config = \"other.toml\"\n", ["\"config\" is not a flag of learn"]),
                               ("heads = 2\noutput = \"\"\n", ["line 2: output is empty, expected a value"]),
                               ("output = [\"a\", \"\"]\n", ["line 1: output is empty"]),
                               ("heads = []\n", ["line 1: heads has no value"]),
                               ("heads = [[2]]\n", ["line 1: heads is a value of TOML's type array"]),
                               ("heads = {a = 1}\n", ["[heads] is not a subcommand"]),
                               ("[learn]\nheads = 1979-05-27\n", ["line 2: heads is a value of TOML's type date", "expected text in quotes"]),
                               ("[learn]\nheads = 07:32:00\n", ["line 2: heads is a value of TOML's type time"]),
                               ("[learn.more]\nheads = 2\n", ["\"more\" is not a flag of learn"]),
                               ("\nheads = 2\nheads = 3\n", ["line 3", "expected TOML"]),
                               ("family = dense\n", ["line 1", "expected TOML: key = 3, key = true or key = \"text\""]),
                               ("output = \"a\n", ["line 1", "expected TOML"]),
                               ("output = \"a\\u0000b\"\n", ["line 1: output has a character 0"])]:
            self.write(text)
            self.wrong(2, ["--config flags.toml" if "-3" not in text else "--epochs", *expected], "learn", "data.h5", "-o", "h.h5", "--config", "flags.toml")
        self.wrong(2, ["--config missing.toml cannot be read"], "learn", "data.h5", "-o", "h.h5", "--config", "missing.toml")
        self.wrong(2, ["--config has no value"], "learn", "data.h5", "-o", "h.h5", "--config")
        self.wrong(2, ["--config is given twice"], "info", "--config", "flags.toml", "--config=flags.toml")
        for name in (".", "/proc/self/mem"):
            self.wrong(2, [f"--config {name} cannot be read: "], "learn", "data.h5", "-o", "h.h5", "--config", name)
        with open("flags.toml", "wb") as file:
            file.write(b'output = "a\xff"\n')
        self.wrong(2, ["--config flags.toml line 1"], "learn", "data.h5", "-o", "h.h5", "--config", "flags.toml")
        self.assertFalse(os.path.exists("h.h5"))


main()
