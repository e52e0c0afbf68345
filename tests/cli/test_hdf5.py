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


def pythons_with_h5py():
    """Commands and environments of every Python with h5py: this one, Debian's, and with the folder ATP_H5PY, into which
    `pip install --target FOLDER h5py` put the newest."""
    found = []
    candidates = [(sys.executable, {}), ("/usr/bin/python3", {})]
    if os.environ.get("ATP_H5PY"):
        candidates.append((sys.executable, {"PYTHONPATH": os.environ["ATP_H5PY"]}))
    for program, more in candidates:
        environment = {**os.environ, **more}
        if os.path.exists(program) and subprocess.run([program, "-c", "import h5py"], capture_output=True, env=environment).returncode == 0:
            found.append((program, environment))
    return found


PYTHONS = pythons_with_h5py()


def works(*command):
    try:
        return subprocess.run(command, capture_output=True, timeout=100).returncode == 0
    except FileNotFoundError:
        return False


def needs_h5py(test):
    return unittest.skipUnless(PYTHONS, "no Python with h5py")(test)


def python(*arguments, of=None):
    program, environment = of or PYTHONS[0]
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def example(language):
    """The example of docs/formats.md in this language."""
    found = re.findall(rf"```{language}\n(.*?)```", (ROOT / "docs" / "formats.md").read_text(), re.DOTALL)
    assert len(found) == 1, language
    return found[0]


class Hdf5(Case):
    def fasta(self, path, *flags, **options):
        return self.good("convert", path, "-", "--to", "fasta", *flags, **options).stdout

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
        for of in PYTHONS:
            python(ROOT / "tests" / "hdf5" / "make_files.py", ".", of=of)
            for name in pathlib.Path(".").glob("alignment*.h5"):
                self.assertEqual(self.fasta(name), FASTA, name)
            for name in pathlib.Path(".").glob("model*.h5"):
                self.assertEqual(numbers_of(name), numbers_of(FILES / "h5py-3.7-model.h5"), name)

    @needs_h5py
    def test_every_version_and_filter(self):
        """Every libver that this h5py knows, with every filter that is read, and one that is not."""
        code = """
import h5py, itertools
filters = dict(plain={}, gzip=dict(compression="gzip"), all=dict(compression=9, shuffle=True, fletcher32=True), sums=dict(fletcher32=True),
               growing=dict(compression="gzip", maxshape=(None, None)), lzf=dict(compression="lzf"))
versions = ["earliest", "latest", "v108", "v110", "v112", "v114", "v200"]
for version, (name, flags) in itertools.product(versions, filters.items()):
    try:
        f = h5py.File(f"of-{version}-{name}.h5", "w", libver=version)
    except (ValueError, KeyError):
        continue
    with f:
        f.attrs.update(format="attopotts", format_version=1, kind="alignment", index_base=0, colors=5, alphabet="-ACGU")
        f.create_dataset("sequences", data=[[1, 2, 3, 4], [1, 2, 0, 4]], **flags)
        f.create_dataset("names", data=["one", "two"], dtype=h5py.string_dtype(), **(dict(compression="gzip") if name == "all" else {}))
"""
        for of in PYTHONS:
            python("-c", code, of=of)
            names = sorted(pathlib.Path(".").glob("of-*.h5"))
            self.assertGreaterEqual(len(names), 18)
            for name in names:
                if "lzf" in name.name:
                    self.wrong(2, ["dataset 'sequences' has the filter 32000", "compression=\"gzip\""], "convert", name, "-")
                else:
                    self.assertEqual(self.fasta(name), ">one\nACGU\n>two\nAC-U\n", name)
                name.unlink()

    def check_example(self):
        self.assertEqual(self.fasta("alignment.h5"), ">one\nACGU\n>two\nAC-U\n")
        lines = self.good("convert", "model.h5", "-", "--to", "bmdca").stdout.splitlines()
        self.assertIn("J 0 1 0 0 1", lines)
        self.assertIn("J 0 1 0 1 -1", lines)
        self.assertIn("h 0 0 0.5", lines)
        self.assertIn("h 1 0 0", lines)

    @needs_h5py
    def test_example(self):
        pathlib.Path("example.py").write_text(example("python"))
        for of in PYTHONS:
            python("example.py", of=of)
            self.check_example()

    @unittest.skipUnless(works("Rscript", "-e", "library(hdf5r)"), "no R with hdf5r")
    def test_example_in_r(self):
        pathlib.Path("example.R").write_text(example("r"))
        done = subprocess.run(["Rscript", "example.R"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_example()

    @unittest.skipUnless(works("julia", "--startup-file=no", "-e", "using HDF5"), "no Julia with HDF5.jl")
    def test_example_in_julia(self):
        pathlib.Path("example.jl").write_text(example("julia"))
        done = subprocess.run(["julia", "--startup-file=no", "example.jl"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_example()

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
    def test_plain_sequences(self):
        """A dataset of integers from any program, as docs/tasks.md has it."""
        code = """
import h5py
for name, kind in dict(a="u1", b="<i8", c=">i4").items():
    with h5py.File(f"plain-{name}.h5", "w") as f:
        f.create_dataset("sequences", data=[[1, 2, 3], [0, 2, 3]], dtype=kind, compression="gzip")
with h5py.File("links.h5", "w") as f:
    f["sequences"], f["w"] = [[1, 2, 3], [0, 2, 3]], [1.0, 2.0]
    f["weights"] = h5py.SoftLink("/w")
"""
        python("-c", code)
        for name in ("plain-a.h5", "plain-b.h5", "plain-c.h5"):
            self.assertEqual(self.good("convert", name, "-", "--to", "integers").stdout, "1 2 3\n0 2 3\n")
            with open(name, "rb") as file:
                self.assertEqual(self.good("convert", "-", "-", "--to", "integers", stdin=file).stdout, "1 2 3\n0 2 3\n")
            symbols = self.fasta(name, "--colors", 5, "--alphabet", "rna")
            self.assertEqual(symbols, ">sequence0\nACG\n>sequence1\n-CG\n")
        self.wrong(2, ["links.h5: 'weights' is a soft link"], "convert", "links.h5", "-", "--to", "integers")

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
            self.wrong(2, ["element 1 of dataset 'names': byte 1 has the code", "one line"], "convert", name + ".h5", "-", "--to", "fasta")

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
