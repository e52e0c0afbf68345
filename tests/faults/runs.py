# SPDX-License-Identifier: MIT
"""The runs into which faults are put: small, every way of writing files, and what they may leave."""
import os
import subprocess
import tempfile

import faulted

SAMPLE = ("sample --sites 5 --colors 4 --beta 1 --protocol chain --chains 8 --burn-in 10 --thin 2 --samples 40 --threads 2 --quiet "
          "--alphabet -ACG")
LEARN = "learn data.h5 --truth truth.h5 -o m.h5 --tolerance 0 --threads 2 --log log.csv --checkpoint m.state --checkpoint-interval 0"
DENSE = f"{LEARN} --family dense --epochs 3 --save-weights w.txt --theta 0.2"
FACTORED = f"{LEARN} --optimizer sgd --epochs 4"
SAMPLING = f"{SAMPLE} -o s.fasta --checkpoint s.state --checkpoint-interval 0"
# Files that are there before: inputs, and old outputs.
OLD = {"m.h5": b"an old model", "s.fasta": b">old\nAC\n", "pairs.csv": b"old\n", "m.dat": b"old", "doubles.csv": b"old\n"}


def program():
    return os.environ["ATTOPOTTS"]


def inputs():
    """data.h5, truth.h5 and data.fasta."""
    with tempfile.TemporaryDirectory() as folder:
        for words in (f"{SAMPLE} --model-out truth.h5 -o data.h5", "convert data.h5 data.fasta"):
            subprocess.run([program(), *words.split()], cwd=folder, check=True, capture_output=True)
        return faulted.contents(folder)


def serve(words, files, old=(), keep=None):
    chosen = {name: data for name, data in files.items() if keep is None or name in keep}
    return faulted.Server([program(), *words.split()], {**chosen, **{name: OLD[name] for name in old}})


def table_rows(data):
    return [line for line in data.splitlines(keepends=True) if not line.startswith(b"#")]


class Growing:
    """Contents of a log or a state between the begin and the end of a run."""

    def __init__(self, whole, resume=None, results=()):
        self.whole, self.resume, self.results, self.known = whole, resume, results, {}

    def log(self, data):
        """The first rows of the whole table."""
        rows = table_rows(data) if data is not None else None
        return rows is None or rows == table_rows(self.whole["log.csv"])[:len(rows)]

    def state(self, data):
        """A run that goes on from it ends as the whole one. None: the run had not begun to save."""
        if data is None:
            return True
        if data not in self.known:
            outcome = self.resume.run(files={**self.resume.files, "m.state": data})
            self.known[data] = all(same_result(name, outcome.files.get(name), self.whole[name]) for name in self.results)
        return self.known[data]


def same_result(name, data, whole):
    """Tables tell the command, which is another one with --resume."""
    if data is None or not name.endswith(".csv"):
        return data == whole
    return table_rows(data) == table_rows(whole)


def same_rewritten(name, data, whole):
    """Whether HDF5 files have the same content: where zlib finds no memory HDF5 keeps a chunk as it is."""
    if not name.endswith(".h5"):
        return False
    with tempfile.TemporaryDirectory() as folder:
        for key, content in (("one", data), ("other", whole)):
            with open(f"{folder}/{key}.h5", "wb") as file:
                file.write(content)
            done = subprocess.run([program(), "convert", f"{key}.h5", f"{key}-again.h5", "--quiet"], cwd=folder, capture_output=True, check=False)
            if done.returncode:
                return False
        made = faulted.contents(folder)
        return made["one-again.h5"] == made["other-again.h5"]


class Learn:
    """A run with checkpoints and the run that goes on from one."""

    def __init__(self, words, files, results):
        self.first = serve(f"{words} --restart", files, ["m.h5"])
        self.resumed = serve(f"{words} --resume", files, ["m.h5"])
        whole = self.first.run().files
        grow = Growing(whole, self.resumed, results)
        self.rules = faulted.Rules(self.first, [*results, "m.state"], {"log.csv": grow.log, "m.state": grow.state})
        self.results = results

    def close(self):
        self.first.close()
        self.resumed.close()


def all_runs(files):
    """Name -> a function that gives rules and a function to end."""
    def plain(words, outputs, old=(), keep=("data.h5", "truth.h5", "data.fasta")):
        def make():
            server = serve(words, files, old, keep)
            return faulted.Rules(server, outputs), server.close
        return make

    def learn(words, results):
        def make():
            run = Learn(words, files, results)
            return run.rules, run.close
        return make

    return {
        "sample": plain(f"{SAMPLE} -o s.fasta --model-out t.h5", ["s.fasta", "t.h5"], ["s.fasta"]),
        "learn": learn(DENSE, ["m.h5", "log.csv", "w.txt"]),
        "learn-factored": learn(FACTORED, ["m.h5", "log.csv"]),
        "contacts": plain("contacts data.fasta --alphabet -ACG --csv pairs.csv --model-out c.h5 --epochs 4 --tolerance 0 --threads 2 --quiet",
                          ["pairs.csv", "c.h5"], ["pairs.csv"]),
        "doubles": plain("mutants truth.h5 data.fasta --doubles --csv doubles.csv --quiet", ["doubles.csv"], ["doubles.csv"]),
        "convert": plain("convert truth.h5 m.dat --to adabm --alphabet -ACG --quiet", ["m.dat"], ["m.dat"]),
        "convert-fasta": plain("convert data.fasta d.h5 --alphabet -ACG --quiet", ["d.h5"]),
    }


class Continued:
    """A run that can be killed: how it begins, how it goes on from `state`, and its results."""

    def __init__(self, first, resumed, files, state, results):
        self.first, self.resumed, self.state, self.results = first, resumed, state, results
        self.server, self.files = serve(first, files), files
        self.other = self.server if resumed == first else serve(resumed, files)
        self.whole = self.server.run()
        if any(name not in self.whole.files for name in results):
            raise RuntimeError(f"{first}: {self.whole.stderr}")

    def go_on(self, killed):
        """What is there after the run was started again, where it was killed."""
        other = self.other if self.state in killed.files or self.other is self.server else self.server
        other.prepare(killed.files)
        return other.again()

    def close(self):
        self.server.close()
        if self.other is not self.server:
            self.other.close()


def continued(files):
    """Name -> a function that gives a Continued."""
    def make(words, state, results):
        return lambda: Continued(f"{words} --restart", f"{words} --resume", files, state, results)

    return {
        "dense": make(DENSE, "m.state", ["m.h5", "log.csv", "w.txt"]),
        "factored": make(FACTORED, "m.state", ["m.h5", "log.csv"]),
        "sampling": make(SAMPLING, "s.state", ["s.fasta"]),
    }
