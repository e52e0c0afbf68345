# SPDX-License-Identifier: MIT
"""HDF5 files of other programs through the program: h5py's own, the example of docs/formats.md, names that would be records, and damage."""
import os
import pathlib
import random
import re
import subprocess
import sys
import unittest

from program import Case, main, numbers_of, run

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = ROOT / "tests" / "hdf5" / "files"
FASTA = ">one\n-ACG\n>two/1-4\nGCA-\n>drei ä\nAAAA\n"


def python_with_h5py():
    for python in (sys.executable, "/usr/bin/python3"):
        if os.path.exists(python) and subprocess.run([python, "-c", "import h5py"], capture_output=True).returncode == 0:
            return python
    return None


PYTHON = python_with_h5py()


def needs_h5py(test):
    return unittest.skipUnless(PYTHON, "no Python with h5py")(test)


def python(*arguments):
    done = subprocess.run([PYTHON, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


class Hdf5(Case):
    def fasta(self, path, **options):
        return self.good("convert", path, "-", "--format", "fasta", **options).stdout

    def test_kept_files(self):
        names = sorted(FILES.glob("*.h5"))
        self.assertGreater(len(names), 15)
        models = []
        for name in names:
            if "alignment" in name.name:
                self.assertEqual(self.fasta(name), FASTA, name)
                if "latest" not in name.name:
                    with open(name, "rb") as file:
                        self.assertEqual(self.fasta("-", stdin=file), FASTA, name)
            else:
                models.append(numbers_of(name))
        for model in models:
            self.assertEqual(model, models[0])
        self.assertEqual(len(models[0]), 2 + 3 * 2 * 4 + 3 * 2)  # the columns, beta, couplings, fields

    @needs_h5py
    def test_fresh_files(self):
        python(ROOT / "tests" / "hdf5" / "make_files.py", ".")
        for name in pathlib.Path(".").glob("alignment*.h5"):
            self.assertEqual(self.fasta(name), FASTA, name)
        for name in pathlib.Path(".").glob("model*.h5"):
            self.assertEqual(numbers_of(name), numbers_of(FILES / "h5py-3.7-model.h5"), name)

    @needs_h5py
    def test_example(self):
        text = (ROOT / "docs" / "formats.md").read_text()
        examples = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
        self.assertEqual(len(examples), 1)
        pathlib.Path("example.py").write_text(examples[0])
        python("example.py")
        self.assertEqual(self.fasta("alignment.h5"), ">one\nACGU\n>two\nAC-U\n")
        lines = self.good("convert", "model.h5", "-", "--to", "bmdca").stdout.splitlines()
        self.assertIn("J 0 1 0 0 1", lines)
        self.assertIn("h 0 0 0.5", lines)

    @needs_h5py
    def test_names_in_any_order(self):
        """Strings of variable length that were written one by one lie anywhere in the heap."""
        code = """
import h5py, random
r = random.Random(3)
with h5py.File("order.h5", "w") as f:
    f.attrs.update(format="attopotts", format_version=1, kind="alignment", index_base=0, colors=5, alphabet="-ACGU")
    f["sequences"] = [[1, 2]] * 3000
    names = f.create_dataset("names", 3000, dtype=h5py.string_dtype(), chunks=100, maxshape=None)
    for k in r.sample(range(3000), 3000):
        names[k] = f"n{k}" + "x" * r.choice([0, 1, 5, 30])
"""
        python("-c", code)
        names = [line.rstrip("x") for line in self.fasta("order.h5").splitlines()[::2]]
        self.assertEqual(names, [f">n{k}" for k in range(3000)])

    @needs_h5py
    def test_names_are_no_records(self):
        code = """
import h5py
for name, bad in dict(a="x\\n>y", b="x\\ry", c="x\\ty").items():
    with h5py.File(name + ".h5", "w") as f:
        f.attrs.update(format="attopotts", format_version=1, kind="alignment", index_base=0, colors=5, alphabet="-ACGU")
        f["sequences"] = [[1, 2], [1, 3]]
        f["names"] = ["good", bad]
"""
        python("-c", code)
        for name in "abc":
            self.wrong(2, ["element 1 of dataset 'names': byte 1 has the code", "one line"], "convert", name + ".h5", "-", "--format", "fasta")

    def test_damage(self):
        """A damaged file is read or refused with one line, and nothing is printed at the end of the process."""
        rng = random.Random(13)
        statuses = []
        for name in ("h5py-3.7-alignment.h5", "h5py-3.7-alignment-latest.h5", "h5py-3.7-model.h5"):
            whole = (FILES / name).read_bytes()
            for k in range(12):
                data = bytearray(whole)
                for _ in range(4):  # most of what counts is near the beginning
                    data[rng.randrange(len(data) // (1 + k % 4))] = rng.choice([0, 1, 255, rng.randrange(256)])
                pathlib.Path("damaged.h5").write_bytes(data)
                done = run("convert", "damaged.h5", "-")
                statuses.append(done.returncode)
                self.assertIn(done.returncode, (0, 2), done.stderr)
                self.assertLessEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn(2, statuses)


if __name__ == "__main__":
    main()
