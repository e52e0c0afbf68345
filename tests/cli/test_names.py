#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Names of files: no output over another or over an input, locks beside other people's files, names with shell and terminal commands."""
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import time
import unittest

from pictures import CONVERTER, is_png
from program import PROGRAM, Case, main, must, run, small_data, start, subcommands


def content(path):
    return pathlib.Path(path).read_bytes()


def small_files(size=8192):
    """As much as 8 kB can be written, as on a disk that is full after it."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


class Names(Case):
    @classmethod
    def make_inputs(cls):
        small_data()
        must("convert", "data.h5", "data.fasta")

    def kept(self, path, fragments, *arguments):
        """The command is refused and leaves this file as it was."""
        before = content(path)
        self.wrong(2, fragments, *arguments)
        self.assertEqual(content(path), before)

    def test_two_outputs(self):
        learn = ["learn", "data.h5", "--family", "dense", "--epochs", 2]
        os.symlink("later.h5", "to_later.h5")
        for fragments, arguments in [
                (["--model-out and --output are both", "d.h5"], ["sample", "--model", "truth.h5", "--samples", 5, "-o", "d.h5", "--model-out", "d.h5"]),
                (["--output and --log are both"], [*learn, "-o", "t.h5", "--log", "./t.h5"]),
                (["--output", "--checkpoint"], [*learn, "-o", "f.h5", "--checkpoint", "f.h5"]),
                (["--output", "--log", "to_later.h5"], [*learn, "-o", "later.h5", "--log", "to_later.h5"]),
                (["--output", "lock"], [*learn, "-o", "c.lock", "--checkpoint", "c"]),
                (["--csv and --model-out are both"], ["contacts", "data.h5", "--csv", "same", "--model-out", "same"]),
                (["--matrix and --csv are both"], ["contacts", "truth.h5", "--csv", "same", "--matrix", "same"]),
        ]:
            self.wrong(2, fragments, *arguments)
            for name in "d.h5", "t.h5", "f.h5", "later.h5", "c.lock", "same":
                self.assertFalse(os.path.exists(name), name)
        self.good("contacts", "truth.h5", "--csv", "/dev/null", "--matrix", "/dev/null")

    def test_outputs_over_inputs(self):
        os.symlink("data.fasta", "link.fasta")
        learn = ["learn", "data.fasta", "--alphabet", "ABCD", "--epochs", 2]
        self.kept("data.fasta", ["--log", "data.fasta"], *learn, "-o", "m.h5", "--log", "data.fasta")
        self.kept("data.fasta", ["--output", "DATA reads"], *learn, "-o", "link.fasta")
        self.kept("data.fasta", ["--save-weights"], *learn, "-o", "m.h5", "--save-weights", "data.fasta", "--theta", "0.2")
        self.kept("truth.h5", ["--csv", "INPUT reads"], "contacts", "truth.h5", "--csv", "truth.h5")
        self.kept("data.fasta", ["OUT is \"data.fasta\", which IN reads"], "convert", "data.fasta", "data.fasta", "--alphabet", "ABCD")
        self.kept("truth.h5", ["OUT is \"truth.h5\", which IN reads"], "convert", "truth.h5", "truth.h5", "--gauge", "zero-sum")

    def flags_of(self, command):
        """The positionals and flags of a subcommand, with what the help has in place of their values, and those that are required."""
        values, required = {}, []
        for line in run(command, "--help-all").stdout.splitlines():
            found = re.match(r"  ((?:-\w,)?--[\w-]+)(?:,--[\w-]+)?(?: ([A-Z]+))?(?:=\S*)?( REQUIRED)?( |$)|  ([A-Z]+) TEXT( REQUIRED)?", line)
            if found is None:
                continue
            name = found[5] or found[1].split(",")[-1]
            text = line[34:] if len(line) > 34 else ""
            values[name] = "FILE" if found[2] == "WHAT" and "a file with" in text else found[2] or ("POSITIONAL" if found[5] else "")
            if found[3] or found[6] or found[5]:
                required.append(name)
        return values, required

    def test_every_flag(self):
        """Each argument that names a file, once with --save-config for the same file, is refused, whether it reads or writes it; the list
        comes from the help and from what completes files in zsh, and both agree."""
        commands = subcommands()
        self.assertGreater(len(commands), 15)
        completion = run("help", "--completion", "zsh").stdout
        dummies = {"WHAT": "presets", "WORD": "sample"}
        files = tried = 0
        for command in commands:
            values, required = self.flags_of(command)
            part = completion.split(f"\n    {command})\n")[1].split(";;")[0]
            completed = set(re.findall(r"'(--[\w-]+)\[.*:_files'", part))
            named = {name for name, value in values.items() if value in ("FILE", "DATA", "MODEL", "DIR") and name.startswith("--")}
            self.assertEqual(named, completed, command)
            self.assertLessEqual({"--config", "--save-config"}, named, command)
            for name, value in values.items():
                if name in dummies or value not in ("FILE", "DATA", "MODEL", "POSITIONAL"):
                    continue
                files += 1
                pathlib.Path("precious").write_text("# mine\n")
                words = [command]
                for other in required:
                    place = "precious" if other == name else dummies.get(other, "absent-" + other.strip("-"))
                    words += [place] if not other.startswith("--") else [other, place]
                if name not in required and name != "--save-config":
                    words += [name, "precious"] if name.startswith("--") else ["precious"]
                if name == "--save-config":
                    words += ["--config", "precious"]
                with self.subTest(words=words):
                    self.kept("precious", ["--save-config", name, "precious"], *words, "--save-config", "precious")
                tried += 1
        self.assertEqual(tried, files)
        self.assertGreaterEqual(files, 120)
        print(f"{files} arguments of {len(commands)} subcommands name files, {tried} tried")

    def test_pictures_over_inputs(self):
        """Pictures are outputs, and so are the files in the folder of the demo."""
        os.makedirs("folder", exist_ok=True)
        for path, words in [("one.svg", ["contacts", "truth.h5", "--picture"]), ("two.svg", ["mutants", "truth.h5", "data.h5", "--picture"]),
                            ("three.svg", ["learn", "data.h5", "-o", "p.h5", "--epochs", 1, "--picture"]),
                            ("four.svg", ["weights", "data.h5", "--picture"]), ("folder/loss_sgd.csv", ["demo", "--output"]),
                            ("folder/maps.svg", ["demo", "--output"]), ("five.svg", ["dotattn", "--omega", 0.3, "--alpha", 1, "--picture"])]:
            pathlib.Path(path).write_text("# flags of mine\n")
            self.kept(path, [path, "--config"], *words, "folder" if words[0] == "demo" else path, "--config", path)

    def test_saved_flags_replace_flags_alone(self):
        self.kept("data.fasta", ["--save-config is \"data.fasta\"", "something else than flags"], "info", "--save-config", "data.fasta")
        for _ in range(2):
            self.good("info", "--save-config", "flags.toml")
        self.assertTrue(content("flags.toml").startswith(b"# attopotts info"))
        # Flags that the command refuses are not saved.
        self.wrong(2, ["--chains"], "sample", "--sites", 3, "--colors", 2, "--beta", 1, "--hamming", 0.3, "--chains", "no", "-o", "x.txt",
                   "--save-config", "refused.toml")
        self.wrong(2, ["--heads"], "learn", "data.h5", "--family", "dense", "--heads", 2, "-o", "m.h5", "--save-config", "refused.toml")
        self.assertFalse(os.path.exists("refused.toml"))
        # OUT may be IN, and no other input.
        shutil.copy("data.fasta", "other.fasta")
        self.kept("other.fasta", ["OUT is \"other.fasta\", which --alignment reads"], "convert", "truth.h5", "other.fasta", "--to", "plmc",
                  "--alignment", "other.fasta")

    def test_locks_of_other_people(self):
        learn = ["learn", "data.h5", "--family", "dense", "--epochs", 2, "-o", "locked.h5"]
        for name, text in ("run", "versions I need\n"), ("numbers", "12\n13\n"), ("digits", "1" * 30 + "\n"), ("open", "7"):
            pathlib.Path(name + ".lock").write_text(text)
            self.kept(name + ".lock", ["--checkpoint", name + ".lock"], *learn, "--checkpoint", name)
        pathlib.Path("t.csv.lock").write_text("keep\n")
        self.kept("t.csv.lock", ["--csv", "t.csv.lock"], "dotattn", "--omega", 0.3, "--alpha", "0.5:1:2", "--csv", "t.csv")
        os.mkfifo("pipe.lock")
        os.symlink("data.fasta", "link.lock")
        for name in "pipe", "link":
            self.kept("data.fasta", ["--checkpoint", name], *learn, "--checkpoint", name)
            self.assertTrue(os.path.lexists(name + ".lock"))
        # What a run that was killed leaves.
        for text in "", "4711\n":
            pathlib.Path("free.lock").write_text(text)
            self.assertEqual(run(*learn, "--checkpoint", "free", "--restart").returncode, 3)
            self.assertFalse(os.path.exists("free.lock"))

    def test_one_lock_of_a_dangling_link(self):
        os.mkdir("scratch")
        os.symlink("scratch/real.st", "link.st")
        flags = ["learn", "data.h5", "--epochs", 1000000, "--tolerance", "1e-30", "--optimizer", "adam", "--checkpoint-interval", 0.05]
        first = start(*flags, "-o", "first.h5", "--checkpoint", "link.st")
        try:
            deadline = time.monotonic() + 60
            while not os.path.exists("scratch/real.st") and time.monotonic() < deadline:
                time.sleep(0.02)
            for name in "link.st", "scratch/real.st":
                self.wrong(2, ["another run"], *flags, "-o", "second.h5", "--checkpoint", name, "--resume")
        finally:
            first.send_signal(signal.SIGTERM)
            first.communicate()

    @unittest.skipUnless(CONVERTER, "there is no rsvg-convert")
    def test_names_that_are_commands(self):
        name = "`touch pwned`.h5"
        shutil.copy("truth.h5", name)
        for picture in "p.png", "it's.png", "back\\slash.png", "-dash.png", "$(touch pwned).png":
            self.good("contacts", name, f"--picture={picture}", "--csv", "/dev/null")
            self.assertTrue(is_png(picture), picture)
        self.assertEqual([*pathlib.Path(".").rglob("pwned")], [])

    @unittest.skipUnless(CONVERTER, "there is no rsvg-convert")
    def test_pictures_on_a_full_disk(self):
        for name in "pic.svg", "pic.png":
            words = ["contacts", "truth.h5", "--picture", name, "--csv", "/dev/null"]
            self.good(*words)
            before = content(name)
            self.assertGreater(len(before), 4096)
            done = run(*words, preexec_fn=lambda: small_files(4096))
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(name, done.stderr)
            self.assertEqual(content(name), before)
            self.assertEqual([path for path in os.listdir(".") if ".part" in path], [])

    def test_terminal_commands(self):
        name = os.fsencode("e\x1b[31m") + b"\xff\xc3\xa4.h5"
        done = subprocess.run([PROGRAM, "contacts", name], capture_output=True)
        self.assertEqual(done.returncode, 2)
        self.assertNotIn(b"\x1b", done.stderr)
        flags = ["learn", "data.h5", "--epochs", "2", "-o", "j.h5", "--progress", "json", "--checkpoint"]
        done = subprocess.run([PROGRAM, *flags, name], capture_output=True)
        lines = [json.loads(line.decode()) for line in done.stderr.splitlines() if line.startswith(b"{")]
        self.assertTrue(any("e\x1b[31m\ufffdä.h5" == line.get("checkpoint") for line in lines), done.stderr)

    def test_small_things(self):
        self.wrong(2, ["--memory", "0.5"], "learn", "data.h5", "-o", "o.h5", "--memory", "0.5")
        for arguments in (["--help"], ["learn", "--help"], ["--version"]):
            with open("/dev/full", "w") as full:
                done = subprocess.run([PROGRAM, *arguments], stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn("standard output", done.stderr)
        # A sampling run ends with its state: --resume gives the samples again, --restart replaces the state.
        sample = ["sample", "--model", "truth.h5", "--protocol", "chain", "--samples", 10, "--thin", 3, "--checkpoint", "s.st"]
        self.good(*sample, "--seed", 1, "-o", "one.h5")
        first = content("s.st")
        self.good(*sample, "--seed", 1, "-o", "again.h5", "--resume")
        self.assertEqual(must("convert", "again.h5", "-").stdout, must("convert", "one.h5", "-").stdout)
        self.good(*sample, "--seed", 2, "-o", "two.h5", "--restart")
        self.assertNotEqual(content("s.st"), first)


if __name__ == "__main__":
    main()
