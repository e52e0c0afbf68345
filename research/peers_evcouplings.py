#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares attopotts with EVcouplings, which reads our models in the format of plmc: single mutants, energies and scores of pairs.

usage: peers_evcouplings.py PROGRAM [ALIGNMENT]. It needs a Python with EVcouplings: python3 -m venv V && V/bin/pip install evcouplings &&
V/bin/python peers_evcouplings.py PROGRAM. ALIGNMENT is a protein family, its first sequence the focus; default: examples/family.fasta.
Prints a line for each comparison; the status is 1 if one fails, 77 if there is no EVcouplings.
"""
import csv
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
    from evcouplings.couplings import CouplingsModel
except ImportError as error:
    print(f"skipped: no EVcouplings ({error})")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = os.path.abspath(sys.argv[1])
ALIGNMENT = os.path.abspath(sys.argv[2] if len(sys.argv) > 2 else ROOT / "examples/family.fasta")
# plmc's format has numbers of float32: sums of some hundred of them differ by less than this share of the largest.
MOST = 1e-6
failures = 0


def run(*arguments):
    """A CSV table without its notes. A run that has not converged is one, too."""
    done = subprocess.run([PROGRAM, *map(str, arguments), "--quiet"], capture_output=True, text=True)
    if done.returncode not in (0, 3):
        sys.exit(f"{arguments}: {done.stderr}")
    return list(csv.DictReader(line for line in done.stdout.splitlines() if line[:2] != "# "))


def compare(what, ours, theirs):
    global failures
    ours, theirs = np.array(ours), np.array(theirs)
    largest = np.abs(ours - theirs).max()
    good = len(ours) == len(theirs) and largest <= MOST * np.abs(theirs).max() and np.ptp(theirs) > 0
    failures += not good
    print(f"{'ok' if good else 'FAILED'}: {len(ours)} {what}: largest difference {largest:.1e}, largest value {np.abs(theirs).max():.3g}")


def main():
    with open(ALIGNMENT, encoding="utf-8") as file:
        focus = file.readline()[1:].split()[0]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        run("learn", ALIGNMENT, "--alphabet", "protein", "--family", "dense", "--fields", "--epochs", 30, "--focus", focus, "-o", "m.h5")
        run("convert", "m.h5", "m.model", "--alignment", ALIGNMENT, "--alphabet", "protein", "--focus", focus)
        theirs = CouplingsModel("m.model")
        places = {symbol: k for k, symbol in enumerate(theirs.alphabet)}
        mutants = [r for r in run("mutants", "m.h5", ALIGNMENT, "--focus", focus) if r["to"] != "-" and r["from"] != "-"]
        compare("single mutants", [-float(r["energy"]) for r in mutants],
                [theirs.single_mut_mat_full[int(r["site"]), places[r["to"]], 0] for r in mutants])
        energies = run("energies", "m.h5", ALIGNMENT, "--focus", focus)
        run("convert", ALIGNMENT, "sites.fasta", "--alphabet", "protein", "--focus", focus)
        with open("sites.fasta", encoding="utf-8") as file:
            sequences = ["".join(lines) for _, *lines in (record.split("\n") for record in file.read().split(">")[1:])]
        compare("energies", [-float(r["energy"]) for r in energies], theirs.hamiltonians(sequences)[:, 0])
        # EVcouplings leaves the first symbol, the gap, out of its norms, as we do.
        # EVcouplings takes the norms over all symbols.
        pairs = run("contacts", "m.h5", "--norm-gap", "include")
        numbers = {int(n): k for k, n in enumerate(theirs.index_list)}
        compare("corrected norms of pairs", [float(r["apc"]) for r in pairs],
                [theirs.cn_scores[numbers[int(r["i"])], numbers[int(r["j"])]] for r in pairs])
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
