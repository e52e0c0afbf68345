#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Scores of the mutants of 6acv by StructureDCA, for research/mutation_effects.py.

usage: peers_structuredca.py [DATA] [TABLE]. It needs a Python with StructureDCA: python3 -m venv V && V/bin/pip install structuredca==1.1.1
&& V/bin/python peers_structuredca.py. DATA has the folder structuredca (default: ATP_SHARED_DATA); TABLE is written, by default
research/results/mutation_effects_structuredca.csv: a row for each mutant with both modes, dE, larger is worse. Status 77 without StructureDCA.
"""
import csv
import gzip
import os
import shutil
import sys
import tempfile

try:
    from importlib.metadata import version

    from structuredca import StructureDCA
except ImportError as error:
    print(f"skipped: no StructureDCA ({error})")
    sys.exit(77)

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("ATP_SHARED_DATA", os.path.join(HERE, "../../shared/data"))
TABLE = os.path.abspath(sys.argv[2] if len(sys.argv) > 2 else os.path.join(HERE, "results/mutation_effects_structuredca.csv"))


def main():
    stem = os.path.join(os.path.abspath(DATA), "structuredca", "6acv_A_29-94")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        shutil.copy(stem + ".fasta", "family.fasta")
        with gzip.open(stem + ".pdb.gz", "rb") as packed, open("structure.pdb", "wb") as plain:
            shutil.copyfileobj(packed, plain)
        with open(stem + ".csv") as file:
            mutants = list(dict.fromkeys(row["mutation"] for row in csv.DictReader(file)))
        model = StructureDCA("family.fasta", "structure.pdb", "A", num_threads=1, verbose=False)
        scores = model.eval_mutations_table(mutants)
    with open(TABLE, "w", newline="") as file:
        file.write(f"# StructureDCA {version('structuredca')}, defaults: {model.N} sequences, N_eff {model.dca_model.Neff:.1f}\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["mutant", "structuredca", "structuredca_rsa"])
        writer.writerows([name, f"{row['StructureDCA']:.6g}", f"{row['RSA*StructureDCA']:.6g}"] for name, row in zip(mutants, scores))
    print(f"{len(mutants)} mutants written to {TABLE}")


main()
