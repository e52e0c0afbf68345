#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files of the program read by other programs, and theirs read by it: NumPy, h5py, Biopython and gemmi, as far as a Python has them."""
import json
import os
import subprocess
import sys
import unittest

from program import Case, main, read_table

NAMES = ["one", "two/1-6", "three"]
SEQUENCES = ["ACD-EF", "ACDG-F", "GCDGEF"]
SYMBOLS = "-ACDEFGHIKLMNPQRSTVWY"


def pythons():
    """This Python, Debian's, and the one that ATP_PEER_PYTHON names."""
    return [program for program in (os.environ.get("ATP_PEER_PYTHON", ""), sys.executable, "/usr/bin/python3") if os.path.exists(program)]


def peer(*modules):
    """A Python that has these modules, or None."""
    code = "import " + ", ".join(modules)
    return next((program for program in pythons() if subprocess.run([program, "-c", code], capture_output=True).returncode == 0), None)


def other(modules, code, *arguments):
    """Runs code of another program's module and returns what it printed as JSON."""
    program = peer(*modules)
    if program is None:
        raise unittest.SkipTest("no Python with " + " and ".join(modules))
    run = subprocess.run([program, "-W", "ignore", "-c", "import json, sys\n" + code, *arguments], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout or "null")


class OtherReaders(Case):
    @classmethod
    def make_inputs(cls):
        with open("in.fasta", "w", encoding="ascii") as file:
            file.write("".join(f">{name}\n{letters}\n" for name, letters in zip(NAMES, SEQUENCES)))

    def sequences(self, path, *flags):
        """Names and sequences of a file, by way of FASTA."""
        self.good("convert", path, "again.fasta", "--alphabet", "protein", "--quiet", *flags)
        with open("again.fasta", encoding="ascii") as file:
            records = [record.split("\n", 1) for record in file.read().split(">")[1:]]
        return [name.split()[0] for name, _ in records], ["".join(letters.split()) for _, letters in records]

    def test_biopython_reads_fasta(self):
        self.good("convert", "in.fasta", "out.fasta", "--alphabet", "protein", "--quiet")
        found = other(["Bio"], "from Bio import AlignIO\na = AlignIO.read('out.fasta', 'fasta')\n"
                               "print(json.dumps([[r.id for r in a], [str(r.seq) for r in a]]))")
        self.assertEqual(found, [NAMES, SEQUENCES])

    def test_biopython_writes(self):
        for form in ("fasta", "fasta-2line", "stockholm"):
            other(["Bio"], "from Bio import AlignIO\nAlignIO.convert('in.fasta', 'fasta', 'bio.out', sys.argv[1])", form)
            self.assertEqual(self.sequences("bio.out"), (NAMES, SEQUENCES), form)

    def test_gemmi_reads_fasta(self):
        self.good("convert", "in.fasta", "out.fasta", "--alphabet", "protein", "--quiet")
        found = other(["gemmi"], "import gemmi\nread = getattr(gemmi, 'read_pir_or_fasta', lambda text: None)\n"
                                 "r = read(open('out.fasta').read())\n"
                                 "print(json.dumps(r and [[s.header for s in r], [s.seq for s in r]]))")
        if found is None:
            self.skipTest("this gemmi (Debian's 0.5.7 is one) reads no FASTA")
        self.assertEqual(found, [NAMES, SEQUENCES])

    def test_numpy_integers_and_weights(self):
        self.good("convert", "in.fasta", "out.txt", "--alphabet", "protein", "--quiet", "--theta", "0.4", "--save-weights", "weights.txt")
        found = other(["numpy"], "import numpy as np\ns = np.loadtxt('out.txt', dtype=int)\nw = np.loadtxt('weights.txt')\n"
                                 "np.savetxt('numpy.txt', s, fmt='%d')\nnp.savetxt('numpy-weights.txt', w)\n"
                                 "print(json.dumps([s.tolist(), w.tolist()]))")
        self.assertEqual(found[0], [[SYMBOLS.index(c) for c in letters] for letters in SEQUENCES])
        # At most 0.4 * 6 differing columns: all three are neighbours of two, who differ from each other in two columns.
        expected = [1 / sum(sum(a != b for a, b in zip(x, y)) <= 2.4 for y in SEQUENCES) for x in SEQUENCES]
        for one, two in zip(found[1], expected):
            self.assertAlmostEqual(one, two, places=12)
        self.good("convert", "numpy.txt", "again.txt", "--colors", "21", "--weights", "numpy-weights.txt", "--save-weights", "last.txt", "--quiet")
        with open("again.txt", encoding="ascii") as file:
            self.assertEqual([[int(word) for word in line.split()] for line in file if line[0] != "#"], found[0])
        with open("last.txt", encoding="ascii") as file:
            for line, weight in zip(file.read().split(), expected):
                self.assertAlmostEqual(float(line), weight, places=12)

    def test_h5py_both_ways(self):
        if peer("h5py", "numpy") is None:
            self.skipTest("no Python with h5py")
        self.good("convert", "in.fasta", "out.h5", "--alphabet", "protein", "--quiet")
        found = other(["h5py", "numpy"], "import h5py\nwith h5py.File('out.h5') as f: s = f['sequences'][:].tolist()\n"
                                         "with h5py.File('h5py.h5', 'w') as f:\n"
                                         " f.create_dataset('sequences', data=s, dtype='u1')\n"
                                         " for key, value in h5py.File('out.h5').attrs.items(): f.attrs[key] = value\n"
                                         "print(json.dumps(s))")
        self.assertEqual(found, [[SYMBOLS.index(c) for c in letters] for letters in SEQUENCES])
        self.assertEqual(self.sequences("h5py.h5")[1], SEQUENCES)

    def test_numpy_model(self):
        """Couplings C[L, L, q, q] of NumPy, energies of NumPy against those of the program."""
        energies = other(["numpy"], "import numpy as np\nr = np.random.default_rng(1)\nc = r.normal(size=(4, 4, 3, 3))\n"
                                    "c = c + c.transpose(1, 0, 3, 2)\nc[range(4), range(4)] = 0\nnp.save('c.npy', c)\n"
                                    "s = r.integers(0, 3, (5, 4))\nnp.savetxt('s.txt', s, fmt='%d')\n"
                                    "e = [-sum(c[i, j, x[i], x[j]] for i in range(4) for j in range(i + 1, 4)) for x in s]\n"
                                    "print(json.dumps(e))")
        table = read_table(self.good("energies", "c.npy", "s.txt", "--colors", "3", "--quiet").stdout)
        found = [float(row["energy"]) for row in table[2]]
        self.assertEqual(len(found), len(energies))
        for one, two in zip(found, energies):
            self.assertAlmostEqual(one, two, places=7)


if __name__ == "__main__":
    main()
