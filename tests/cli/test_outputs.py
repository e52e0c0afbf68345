#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Outputs that the program must not replace keep their contents: /dev/stdout, pipes, links."""
import os
import stat
import subprocess
import threading

from program import PROGRAM, Case, main, must, slow, small_data


def content(path):
    with open(path, "rb") as file:
        return file.read()


class Outputs(Case):
    @classmethod
    def make_inputs(cls):
        small_data(samples=50)
        must("convert", "data.h5", "expected.txt")
        cls.expected = content("expected.txt")

    def shell(self, line):
        done = subprocess.run(["bash", "-c", line.replace("attopotts", PROGRAM)], capture_output=True, timeout=120)
        self.assertEqual(done.returncode, 0, (line, done.stderr))
        return done

    def test_standard_output_by_name(self):
        for path in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "/dev/fd/7"):
            if not os.path.exists("/proc/self/fd") and "proc" in path:
                continue
            with open("out", "wb") as file:
                file.write(b"what stood there\n")
            self.shell(f"attopotts convert data.h5 {path} --to integers 7>> out >> out")
            self.assertEqual(content("out"), b"what stood there\n" + self.expected, path)
            self.shell(f"{{ echo before; attopotts convert data.h5 {path} --to integers 7>&1; echo after; }} > out")
            self.assertEqual(content("out"), b"before\n" + self.expected + b"after\n", path)
        self.assertFalse([name for name in os.listdir() if "tmp" in name])

    def test_tables_through_descriptors(self):
        self.shell("{ echo before; attopotts energies truth.h5 data.h5 --csv /dev/stdout; } > out")
        plain = self.good("energies", "truth.h5", "data.h5").stdout.encode()
        rows = [line for line in content("out").splitlines() if not line.startswith(b"# command")]
        self.assertEqual(rows, [b"before"] + [line for line in plain.splitlines() if not line.startswith(b"# command")])

    @slow
    def test_growing_tables_are_written_once(self):
        """A table that is saved as it grows goes to a stream when it is finished."""
        command = "attopotts dotattn --omega 0.3 --alpha 0.5,1 --branch semantic --quiet --csv /dev/stdout"
        self.shell(command + " | cat > out")
        self.assertEqual(sum(line.startswith(b"# attopotts") for line in content("out").splitlines()), 1)

    def test_a_named_pipe(self):
        os.mkfifo("fifo")
        read = []
        reader = threading.Thread(target=lambda: read.append(content("fifo")))
        reader.start()
        self.good("convert", "data.h5", "fifo", "--to", "integers")
        reader.join()
        self.assertEqual(read[0], self.expected)
        self.assertTrue(stat.S_ISFIFO(os.stat("fifo").st_mode))

    def test_links(self):
        with open("one", "wb") as file:
            file.write(b"old")
        os.chmod("one", 0o640)
        os.link("one", "two")
        self.good("convert", "data.h5", "one", "--to", "integers")
        self.assertEqual((content("one"), content("two")), (self.expected, b"old"))
        self.assertEqual(stat.S_IMODE(os.stat("one").st_mode), 0o640)
        os.mkdir("sub")
        os.symlink("sub/target", "dangling")
        self.good("convert", "data.h5", "dangling", "--to", "integers")
        self.assertTrue(os.path.islink("dangling"))
        self.assertEqual(content("sub/target"), self.expected)
        os.symlink("two", "link.csv")
        self.good("energies", "truth.h5", "data.h5", "--csv", "link.csv")
        self.assertTrue(os.path.islink("link.csv"))
        self.assertIn(b"energy", content("two"))

    def test_pictures(self):
        """A picture is checked before the run."""
        learn = ["--epochs", 2, "-o", "drawn.h5", "--picture", "losses.svg"]
        os.mkdir("losses.svg")
        self.wrong(2, ["--picture", "losses.svg", "a directory"], "learn", "data.h5", *learn)
        os.rmdir("losses.svg")
        os.link("data.h5", "losses.svg")
        self.wrong(2, ["--picture", "losses.svg", "DATA"], "learn", "losses.svg", *learn)
        os.remove("losses.svg")
        self.assertFalse(os.path.exists("drawn.h5"))

    def test_a_picture_that_fails_after_training(self):
        """The model is written before."""
        os.mkdir("bin")
        with open("bin/rsvg-convert", "w", encoding="ascii") as file:
            file.write("#!/bin/sh\n[ \"$1\" = --version ]\n")
        os.chmod("bin/rsvg-convert", 0o755)
        line = f"PATH=$PWD/bin:$PATH exec {PROGRAM} learn data.h5 --epochs 2 -o late.h5 --picture late.png"
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 1)
        self.assertIn("late.png: rsvg-convert could not draw the picture", done.stderr)
        self.assertFalse(any(name.startswith("late.png") for name in os.listdir(".")))
        self.good("eval", "late.h5", "data.h5")

    def test_a_full_standard_output(self):
        """One name for it, whoever writes."""
        for words in (["energies", "truth.h5", "data.h5"], ["mutants", "truth.h5", "data.h5", "--doubles"],
                      ["convert", "data.h5", "-", "--to", "integers"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([PROGRAM, *words, "--quiet"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
            self.assertEqual(done.returncode, 1, words)
            self.assertRegex(done.stderr, "^attopotts: standard output: (writing failed: )?No space left on device\n$")

    def test_descriptors_that_cannot_be_written(self):
        with open("data.h5", "rb") as file:
            self.wrong(2, ["OUT is \"/dev/fd/0\""], "convert", "data.h5", "/dev/fd/0", "--to", "integers", stdin=file)
        self.wrong(2, ["OUT is \"/dev/fd/99\""], "convert", "data.h5", "/dev/fd/99", "--to", "integers")


if __name__ == "__main__":
    main()
