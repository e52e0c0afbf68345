#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files that can be read but once - <(...), named pipes, sockets, standard input - give what regular files give, to the byte."""
import os
import random
import shlex
import socket
import subprocess
import threading

from program import PROGRAM, Case, main, must, run, small_data

ROWS, SITES = 4096, 63


def as_fifo(path, name):
    """A named pipe into which a thread writes a file."""
    if os.path.exists(name):
        os.remove(name)
    os.mkfifo(name)

    def feed():
        with open(path, "rb") as source, open(name, "wb") as pipe:
            try:
                pipe.write(source.read())
            except BrokenPipeError:
                pass

    threading.Thread(target=feed, daemon=True).start()
    return name


def send(end, content):
    end.sendall(content)
    end.close()


class Pipes(Case):
    @classmethod
    def make_inputs(cls):
        rng = random.Random(1)
        with open("a.aln", "w") as file:
            for _ in range(ROWS):
                file.write("".join(rng.choice("-ACGU") for _ in range(SITES)) + "\n")
        small_data(samples=4000)
        must("convert", "data.h5", "a.fasta", "--to", "fasta")
        run("learn", "data.h5", "-o", "learned.h5", "--epochs", 5, "--quiet")
        must("convert", "truth.h5", "truth.bmdca", "--to", "bmdca", "--gauge", "zero-sum")
        must("convert", "truth.h5", "truth.model", "--alignment", "data.h5")
        must("convert", "truth.h5", "truth.mat")
        must("convert", "truth.h5", "truth.couplings")
        with open("weights.txt", "w") as file:
            file.write("\n".join(str(rng.uniform(0.5, 1)) for _ in range(4000)))
        with open("distances.txt", "w") as file:
            file.write("".join(f"{i} {j} {i + j}\n" for i in range(1, 7) for j in range(i + 1, 7)))
        with open("matrix.txt", "w") as file:
            file.write("".join(" ".join("0" if i == j else "0.5" for j in range(6)) + "\n" for i in range(6)))

    def shell(self, text, **options):
        """A line of bash, PROGRAM for the program; its standard output and status 0."""
        line = text.replace("attopotts", shlex.quote(PROGRAM), 1)
        done = subprocess.run(["bash", "-c", line], capture_output=True, timeout=120, **options)
        self.assertEqual(done.returncode, 0, (text, done.stderr))
        return done.stdout

    def rows(self, stdout):
        return [line for line in stdout.splitlines() if not line.startswith(b"#")]

    # Every subcommand that takes files; @ stands before a name that is piped.
    LINES = [
        "convert @a.aln out --alphabet rna --to integers",
        "convert @a.fasta out --alphabet ABCD --to integers",
        "convert @data.h5 out --to integers",
        "convert @truth.h5 out --to csv",
        "convert @truth.bmdca out --to csv",
        "convert @truth.model out --to csv",
        "convert @truth.mat out --to plmc-couplings",
        "convert @truth.couplings out --to ccmpred-matrix",
        "convert truth.h5 out --to plmc --alignment @data.h5",
        "contacts @a.fasta --alphabet ABCD --epochs 3 --csv out --quiet || test $? = 3",
        "contacts @truth.h5 --csv out",
        "contacts @truth.bmdca --distances @distances.txt --csv out",
        "contacts @data.h5 --weights @weights.txt --epochs 3 --csv out --quiet || test $? = 3",
        "eval @learned.h5 @data.h5 --truth @truth.h5 --independent @data.h5 --csv out",
        "energies @truth.h5 @a.fasta --alphabet ABCD --csv out",
        "mutants @truth.model @data.h5 --row 3 --csv out",
        "compare @data.h5 @a.fasta --gaps state --csv out",
        "learn @data.h5 --test @data.h5 --truth @truth.h5 --epochs 3 -o model.h5 --quiet --log log.csv || test $? = 3 && "
        "attopotts convert model.h5 out --to csv",
        "sample --model @truth.h5 --samples 20 --protocol chain --burn-in 10 -o out --to integers",
        "sample --couplings @matrix.txt --colors 3 --beta 1 --samples 20 --protocol chain --burn-in 10 -o out --to integers",
    ]

    def result(self, line):
        if os.path.exists("out"):
            os.remove("out")
        self.shell("attopotts " + line.replace("&& attopotts", "&& " + shlex.quote(PROGRAM)))
        with open("out", "rb") as file:
            return self.rows(file.read())

    def test_process_substitution(self):
        for line in self.LINES:
            words = line.split(" ")
            self.assertTrue(any(word.startswith("@") for word in words))
            plain = self.result(line.replace("@", ""))
            piped = self.result(" ".join(f"<(cat {word[1:]})" if word.startswith("@") else word for word in words))
            self.assertTrue(len(plain) > 1, line)
            self.assertEqual(plain, piped, line)

    def test_the_numbers_of_rows(self):
        out = self.result("convert <(cat a.aln) out --alphabet rna --to integers")
        self.assertEqual((len(out), len(out[0].split())), (ROWS, SITES))

    def test_named_pipes(self):
        for name, arguments in [("a.aln", ["--alphabet", "rna", "--to", "integers"]), ("data.h5", ["--to", "integers"]),
                                ("truth.h5", ["--to", "csv"]), ("truth.model", ["--to", "csv"])]:
            self.good("convert", name, "plain", *arguments)
            self.good("convert", as_fifo(name, "fifo"), "piped", *arguments)
            with open("plain", "rb") as plain, open("piped", "rb") as piped:
                self.assertEqual(self.rows(plain.read()), self.rows(piped.read()), name)

    def test_standard_input(self):
        """The kind of sequences, models and scores is detected in a pipe, a file and a socket."""
        for name, arguments in [("a.aln", ["--alphabet", "rna", "--to", "integers"]), ("data.h5", ["--to", "integers"]),
                                ("truth.bmdca", ["--to", "csv"]), ("truth.mat", ["--to", "plmc-couplings"])]:
            self.good("convert", name, "plain", *arguments)
            with open("plain", "rb") as plain:
                expected = self.rows(plain.read())
            with open(name, "rb") as file:
                content = file.read()
            here, there = socket.socketpair()
            threading.Thread(target=send, args=(there, content), daemon=True).start()
            with open(name, "rb") as file, here:
                for options in ({"stdin": file}, {"input": content}, {"stdin": here}):
                    done = subprocess.run([PROGRAM, "convert", "-", "piped", *arguments], capture_output=True, timeout=120, **options)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    with open("piped", "rb") as piped:
                        self.assertEqual(expected, self.rows(piped.read()), (name, list(options)))

    def test_standard_input_is_read_once(self):
        with open("data.h5", "rb") as file:
            self.wrong(2, ["SAMPLES is -, standard input, which DATA has read already"], "compare", "-", "-", stdin=file)

    def test_contacts_from_standard_input(self):
        plain = self.result("contacts truth.h5 --csv out")
        piped = self.result("contacts - --csv out < truth.h5")
        self.assertEqual(plain, piped)


if __name__ == "__main__":
    main()
