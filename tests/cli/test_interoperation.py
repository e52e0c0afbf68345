#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The commands of docs/interoperation.md, in the order of the page, on a small family and a structure that are made here."""
import os
import pathlib
import random
import subprocess
import sys

from program import PROGRAM, Case, features, main, read_table
from structure_files import pdb_text, write
from test_structures import WHOLE, chain_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/ci"))
from readme_commands import blocks  # noqa: E402

PAGE = ROOT / "docs/interoperation.md"
ENVIRONMENT = dict(os.environ, PATH=os.path.dirname(os.path.abspath(PROGRAM)) + os.pathsep + os.environ["PATH"])


class Interoperation(Case):
    @classmethod
    def make_inputs(cls):
        draw = random.Random(4)
        rows = ["".join(draw.choice(WHOLE) if draw.random() < 0.4 else c for c in WHOLE) for _ in range(60)]
        with open("pair.a3m", "w") as file:
            file.write("\0".join("".join(f">{name}{k}\n{row[part]}\n" for k, row in enumerate(rows)) for name, part in (("a", slice(9)), ("b", slice(9, None)))))
        with open("query.a3m", "w") as file:
            file.write(f">query\n{WHOLE}\n" + "".join(f">{k}\n{row[:7]}{'acd' * (k % 3)}{row[7:]}\n" for k, row in enumerate(rows)))
        write("1abc.pdb", pdb_text(chain_of(WHOLE, "A", 1)[0]))

    def energies(self, model):
        rows = read_table(self.good("energies", model, "query.a3m", "--alphabet", "protein", "--quiet").stdout)[2]
        self.assertEqual(len(rows), 61)
        return [float(r["energy"]) for r in rows]

    def test_page(self):
        there = features()
        if not all(there[name] for name in ("structures", "hdf5", "msgpack")):
            self.skipTest("this build lacks structures, HDF5 or msgpack")
        count = 0
        for line, language, lines, marks in blocks(PAGE.read_text()):
            if language != "sh" or any(mark.startswith("not run: ") for mark in marks):
                continue
            for command in lines:
                done = subprocess.run(["bash", "-euc", command], env=ENVIRONMENT, text=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=170)
                # 3: the limit of iterations came first.
                self.assertIn(done.returncode, (0, 3), f"interoperation.md:{line}: {command}\n{done.stderr[-2000:]}")
                count += 1
        self.assertEqual(count, 17)
        # All models have the energies of the first, up to a constant and the digits of their formats.
        first = self.energies("model.h5")
        self.assertGreater(max(first) - min(first), 1)
        for name, digits in ("plmc.model", 1e-4), ("ccmpred.raw", 1e-6), ("ccmpred.braw", 1e-6), ("gremlin.mrf", 1e-6), ("adabm.dat", 1e-6), ("from-gremlin.h5", 1e-6), \
                ("from-adabm.h5", 1e-6):
            found = self.energies(name)
            shift = found[0] - first[0]
            self.assertLess(max(abs(a - b - shift) for a, b in zip(found, first)), digits, name)
        for name in "energies.csv", "pairs.csv", "best.csv", "scores.mat", "plmc.couplings", "query_CouplingScores.csv":
            self.assertGreater(os.path.getsize(name), 100, name)
        self.assertIn("distance contact, ", pathlib.Path("contacts.pml").read_text())
        self.assertIn("pbond #1/A:", pathlib.Path("contacts.cxc").read_text())
        self.assertEqual(pathlib.Path("query.fasta").read_text().splitlines()[1], WHOLE)


if __name__ == "__main__":
    main()
