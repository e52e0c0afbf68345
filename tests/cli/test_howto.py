#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The commands of docs/howto.md, in the order of the page, on a small family and a structure that are made here."""
import gzip
import math
import os
import pathlib
import re
import subprocess
import sys

from program import PROGRAM, Case, features, main, must
from structure_files import KINDS, atom, cif_text

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/ci"))
from readme_commands import blocks  # noqa: E402

PAGE = ROOT / "docs/howto.md"
ENVIRONMENT = dict(os.environ, PATH=os.path.dirname(os.path.abspath(PROGRAM)) + os.pathsep + os.environ["PATH"])


def helix(sequence):
    """CA and CB of each residue of chain A."""
    atoms = []
    for k, letter in enumerate(sequence):
        for name, radius in (("CA", 2.3), ("CB", 3.3)):
            if name == "CA" or letter != "G":
                atoms.append(atom(name, KINDS[letter], "A", k + 1, (radius * math.cos(1.745 * k), radius * math.sin(1.745 * k), 1.5 * k)))
    return atoms


def with_relatives(text):
    """An alignment, and after each sequence a relative of it: three residues are those of the sequence before."""
    records = [(name, "".join(lines)) for name, *lines in (record.split("\n") for record in text.split(">")[1:])]
    out = []
    for k, (name, sequence) in enumerate(records):
        relative = list(sequence)
        for place in (k % 10, k % 10 + 10, k % 10 + 20):
            relative[place] = records[k - 1][1][place]
        out += [f">{name}\n{sequence}\n", f">relative of {k}\n{''.join(relative)}\n"]
    return "".join(out)


def commands(lines):
    """The commands of a block; one that ends with a backslash goes on in the next line."""
    return re.sub(r"\\\n\s*", "", "\n".join(lines)).splitlines()


class Pfam(Case):
    def test_insert_columns_are_left_out(self):
        """The page's line of awk makes A2M of a Stockholm file."""
        line = re.search(r"`(awk '[^`]*)`", PAGE.read_text())[1]
        pathlib.Path("family.sto").write_text("# STOCKHOLM 1.0\n#=GF ID X\na/1-5  AcC-U\n#=GR a/1-5 SS  .<..>\nb/2-6  A.CGU\n//\n")
        self.assertEqual(self.good("convert", "family.sto", "sites.txt", "--alphabet", "rna").returncode, 0)
        subprocess.run(["sh", "-c", line], check=True)
        self.good("convert", "family.a2m", "match.txt", "--alphabet", "rna")
        read = {name: [row.split() for row in pathlib.Path(name).read_text().splitlines() if not row.startswith("#")] for name in ("sites.txt", "match.txt")}
        self.assertEqual(read["sites.txt"], [["1", "2", "2", "0", "4"], ["1", "0", "2", "3", "4"]])
        self.assertEqual(read["match.txt"], [["1", "2", "0", "4"], ["1", "2", "3", "4"]])
        told = pathlib.Path("family.sto").read_text().replace("//", "#=GC RF  x.xxx\n//")
        pathlib.Path("family.sto").write_text(told)
        self.assertEqual(self.good("convert", "family.sto", "-", "--to", "integers", "--alphabet", "rna").stdout, "1 2 0 4\n1 2 3 4\n")


class Howto(Case):
    @classmethod
    def make_inputs(cls):
        subprocess.run(["sh", ROOT / "tools/machines/walk_data.sh"], env=ENVIRONMENT, check=True, capture_output=True)
        family = pathlib.Path("DHFR.a2m").read_text().replace("DYR_ECOLI", "NAME")
        pathlib.Path("family.a2m").write_text(family)
        alignment = pathlib.Path("family.fasta")
        alignment.write_text(with_relatives(alignment.read_text()))
        sequence = "".join(re.search(r">NAME\n([^>]*)", family)[1].split())
        with gzip.open("1abc.cif.gz", "wt") as file:
            file.write(cif_text(helix(sequence), {"A": [(KINDS[letter], k + 1, "") for k, letter in enumerate(sequence)]}))
        must("sample", "--sites", 8, "--colors", 4, "--couplings", "gaussian", "--beta", 1, "--protocol", "chain", "--samples", 100, "-o", "data.h5")

    def test_page(self):
        if not features()["structures"] or not features()["hdf5"]:
            self.skipTest("this build lacks structures or HDF5")
        count = 0
        for line, language, lines, marks in blocks(PAGE.read_text()):
            # Tests of the bindings run those of their languages.
            if language not in ("sh", "toml") or any(mark.startswith("not run: ") for mark in marks):
                continue
            if language == "toml":
                pathlib.Path("flags.toml").write_text("\n".join(lines) + "\n")
                lines = ["attopotts learn data.h5 -o by-file.h5 --config flags.toml"]
            for command in commands(lines):
                done = subprocess.run(["bash", "-euc", command], env=ENVIRONMENT, text=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=600)
                # 3: the limit of iterations came first, as the page says.
                self.assertIn(done.returncode, (0, 3), f"howto.md:{line}: {command}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
                count += 1
        self.assertGreater(count, 9)
        for name in ("pairs.csv", "model.h5", "precision.csv", "distances.txt", "scan.csv", "path.csv", "run.state", "by-file.h5"):
            self.assertTrue(os.path.getsize(name), name)


main()
