#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs commands of the program and compares hashes of their results with stored ones: what a redesign must not change.

usage: golden.py [--program build/cli/attopotts] [--write] [--only NAME,...] [--targets scalar,avx2,avx512] [--stored FILE]

Every command runs once for each SIMD target of this processor, with one and with two threads in turn. Hashed are the columns of CSV
tables without those of time, the datasets of HDF5 files, and text. Stored is one row for each result: command, result, part, hash.
Targets with fused multiply-add have the same hashes; sse4 and scalar are compared by their own rows where they differ. The status is 1
if a hash differs, a result is missing or a command ends with another status.
"""
import argparse
import csv
import hashlib
import io
import os
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Columns that tell the time, and notes that name files.
TIMES = {"seconds", "total_seconds", "updates_per_second", "seconds_per_iteration"}
FAMILY = "family.fasta --alphabet protein"
SMALL = "--epochs 20 --batch 50"
SAMPLED = "sampled.h5 --rows 0:400 --test sampled.h5 --test-rows 400:200 --truth truth.h5"
FIG3 = "--shift 2.5 --alpha 0.5:3:4"

# name: (arguments, results, status). A result "-" is standard output. Commands run in this order in one folder.
COMMANDS = {
    # Samples.
    "sample-equilibrium": ("sample --sites 12 --colors 5 --hamming 0.5 --samples 600 --chains 16 -o sampled.h5 --model-out truth.h5",
                           ["sampled.h5", "truth.h5"], 0),
    "sample-chain": ("sample --sites 20 --colors 20 --beta 1 --protocol chain --samples 50 --chains 16 --thin 20 --burn-in 50 -o chain.h5",
                     ["chain.h5"], 0),
    "sample-first-chain": ("sample --sites 8 --colors 4 --beta 1 --protocol chain --samples 20 --chains 4 --set first-chain=16 --thin 5 -o -",
                           ["-"], 0),
    "sample-contacts": ("sample --sites 30 --colors 4 --couplings contacts --color-matrix identity --beta 1 --protocol chain --samples 64 "
                        "--chains 32 --thin 10 -o contacts.txt", ["contacts.txt"], 0),
    "sample-model": ("sample --model truth.h5 --beta 0.7 --protocol chain --samples 40 --chains 8 --thin 7 -o resampled.txt",
                     ["resampled.txt"], 0),
    "sample-temperatures": ("sample --model truth.h5 --set temperatures=5 --set beta-hot=0.3 --burn-in 200 --thin 5 --samples 100 -o ladder.txt",
                            ["ladder.txt"], 0),
    "sample-alphabet": ("sample --sites 15 --colors 21 --alphabet protein --beta 0.8 --protocol chain --samples 60 --thin 3 -o -", ["-"], 0),
    # Factored attention.
    **{f"learn-{name}": (f"learn {SAMPLED} {flags} -o {name}.h5 --log {name}.csv", [f"{name}.h5", f"{name}.csv"], status)
       for name, flags, status in [
           ("factored", "--epochs 40", 3), ("wide", "--start wide --epochs 30", 3), ("random", "--start random --epochs 30", 3),
           ("heads", "--heads 3 --fields --epochs 25", 3), ("softmax", "--map softmax --heads 2 --epochs 25", 3),
           ("lowrank", "--map lowrank --rank 4 --heads 2 --fields --epochs 25", 3), ("fixed", "--colors-from truth.h5 --epochs 40", None),
           ("sgd", f"--optimizer sgd --set momentum=0.5 {SMALL}", 0), ("adam", f"--optimizer adam {SMALL} --set schedule=constant", 0),
           ("mlm", f"--objective mlm {SMALL}", 0), ("mlm-mask", f"--objective mlm --set mask-probability=0.3 --optimizer adam {SMALL}", 0),
           ("double", "--precision 64 --epochs 20", 3), ("penalties", "--l2-couplings 0.1 --set l2-colors=0.05 --set l2-pairs=0.01 --epochs 20", 3),
           ("norms", "--set norm-pairs=0.1 --set norm-fields=0.1 --fields --epochs 20", 3), ("symmetric", "--set symmetrized=1 --epochs 20", 3),
           ("xavier", "--set initial=xavier --map lowrank --rank 3 --set diagonal=after --set scores-scaled=plain --epochs 20", 3),
           ("best", f"--optimizer adam --rate 0.05 --keep best {SMALL}", 0)]},
    "learn-attentiondca": (f"learn {FAMILY} --like attentiondca --heads 4 --rank 3 --epochs 10 -o adca.h5 --log adca.csv",
                           ["adca.h5", "adca.csv"], None),
    "learn-mogwai": (f"learn {FAMILY} --like mogwai --heads 4 --rank 3 --epochs 5 -o mogwai.h5", ["mogwai.h5"], None),
    "learn-heads-auto": ("learn sampled.h5 --rows 0:200 --heads auto --epochs 10 -o auto-heads.h5", ["auto-heads.h5"], None),
    # Dense couplings.
    **{f"dense-{name}": (f"learn {FAMILY} --family dense {flags} -o dense-{name}.h5 --log dense-{name}.csv",
                         [f"dense-{name}.h5", f"dense-{name}.csv"], status)
       for name, flags, status in [
           ("plain", "--theta 0.2 --epochs 15", None), ("converged", "--theta 0.2 --max-gaps-column 0.5", 0),
           ("double", "--precision 64 --epochs 10", 3), ("gaps", "--gaps ignore --theta 0.2 --epochs 15", 3),
           ("pairs-top", "--pairs 1 --epochs 15", None), ("distances", "--pairs-from distances.txt --epochs 15", None),
           ("adam", f"--optimizer adam {SMALL}", 0), ("scaled", "--set l2-scale=sites --l2-couplings 0.1 --epochs 10", 3),
           ("weights", "--weights 0.3 --weight-rule strict --save-weights w.txt --epochs 10", 3),
           ("plmc", "--like plmc --epochs 10", 3), ("ccmpred", "--like ccmpred --epochs 10", 3), ("gremlin", "--like gremlin --epochs 10", 3),
           ("evcouplings", "--like evcouplings --epochs 10", 3), ("plmdca", "--like plmdca --epochs 10", None)]},
    "dense-asymmetric": (f"learn {FAMILY} --family dense --asymmetric --theta 0.2 --epochs 20 -o asymmetric.h5", ["asymmetric.h5"], None),
    "dense-auto": (f"learn {FAMILY} --family dense --l2-couplings auto --set folds=3 --path path.csv --epochs 10 -o auto.h5",
                   ["auto.h5", "path.csv"], None),
    "dense-auto-mutations": ("learn sampled.h5 --family dense --l2-couplings auto --set criterion=mutations --set folds=2 --epochs 10 -o autom.h5",
                             ["autom.h5"], None),
    # The encoder and the layer with a dial.
    **{f"network-{name}": (f"learn {SAMPLED} --epochs 8 {flags} --maps net-{name}.csv --log net-{name}-log.csv",
                           [f"net-{name}.csv", f"net-{name}-log.csv"], None)
       for name, flags in [
           ("factored", "--objective mlm --rate 0.1 -o net-factored.h5"), ("free", "--family dial --map free --set momentum=0.9"),
           ("softmax", "--family dial --map softmax --polish 20"), ("encoder", "--family encoder --rate 0.03"),
           ("encoder3", "--family encoder --set blocks=3 --rate 0.03 --set momentum=0.9"), ("encoder64", "--family encoder --precision 64"),
           ("dial", "--family dial --set dial=0.5"), ("dial1", "--family dial --set dial=1 --precision 64")]},
    # What one asks of a model.
    "eval": ("eval factored.h5 sampled.h5 --rows 400:200 --truth truth.h5 --independent sampled.h5 --csv eval.csv", ["eval.csv"], 0),
    "energies": ("energies dense-plain.h5 family.fasta --alphabet protein --csv energies.csv", ["energies.csv"], 0),
    "mutants": ("mutants dense-plain.h5 family.fasta --row 0 --csv mutants.csv --matrix mutants.txt", ["mutants.csv", "mutants.txt"], 0),
    "scans": ("scans reference.csv --theta 0.2 --gaps ignore --epochs 20 --csv scans.csv", ["scans.csv"], None),
    "mutants-doubles": ("mutants truth.h5 sampled.h5 --row 1 --doubles --csv doubles.csv", ["doubles.csv"], 0),
    "compare": ("compare sampled.h5 ladder.txt --csv compare.csv", ["compare.csv"], None),
    "weights": (f"weights {FAMILY} --csv weights.csv", ["weights.csv"], 0),
    "verdict": (f"verdict {FAMILY}", ["-"], 0),
    "compare-methods": (f"compare-methods {FAMILY} --theta 0.2 --epochs 10 --distances distances.txt --csv methods.csv", ["methods.csv"], None),
    # Contacts.
    "contacts-model": ("contacts dense-plain.h5 --min-separation 4 --distances distances.txt --ppv ppv.csv --matrix scores.txt --csv c0.csv",
                       ["c0.csv", "ppv.csv", "scores.txt"], 0),
    **{f"contacts-{name}": (f"contacts {FAMILY} --min-separation 4 {flags} --csv c-{name}.csv", [f"c-{name}.csv"], None)
       for name, flags in [
           ("plm", "--theta 0.2 --epochs 10"), ("asymmetric", "--method asymmetric --epochs 10"), ("factored", "--method factored --epochs 10"),
           ("mean-field", "--method mean-field --theta 0.2"), ("di", "--method mean-field --score di"),
           ("gaussian", "--method gaussian --theta 0.2"), ("mi", "--method mi"), ("raw", "--epochs 5 --gauge raw --sort fn"),
           ("gap", "--epochs 5 --norm-gap include --sort fn --top 50")]},
    # Files.
    "convert-csv": ("convert dense-plain.h5 model.csv", ["model.csv"], 0),
    "convert-plmc": ("convert dense-plain.h5 plmc.model --alignment family.fasta --theta 0.2", ["plmc.model"], 0),
    "convert-plmc-back": ("convert plmc.model back.h5", ["back.h5"], 0),
    "convert-raw": ("convert dense-plain.h5 model.raw --gauge zero-sum", ["model.raw"], 0),
    "convert-adabm": ("convert dense-plain.h5 model.dat --to adabm", ["model.dat"], 0),
    "convert-integers": (f"convert {FAMILY} family.txt --max-gaps-sequence 0.5 --remove-duplicates", ["family.txt"], 0),
    # Theory.
    **{f"replica-{name}": (f"replica {flags} --csv r-{name}.csv", [f"r-{name}.csv"], None)
       for name, flags in [
           ("limit", FIG3), ("sites", f"{FIG3} --sites 60 --details"), ("saddle", f"{FIG3} --sites 40 --equations saddle"),
           ("simulate", f"{FIG3} --sites 40 --simulate 4"), ("optimal", f"{FIG3} --sites 40 --lambda optimal"),
           ("target", "--shift 2.5 --sites 60 --lambda optimal --target 1.1"), ("huber", f"{FIG3} --sites 40 --loss huber --lambda 0.1"),
           ("logistic", "--beta 0.3 --loss logistic --alpha 1:3:3 --lambda 0.1 --details"),
           ("temperature", f"{FIG3} --set temperature=0.5 --lambda 0.1"),
           ("potts", "--loss potts --colors 3 --teacher 2 --lambda 0.1 --alpha 1:3:3"),
           ("potts-simulate", "--loss potts --colors 3 --teacher 2 --lambda 0.1 --alpha 1:2:2 --sites 30 --simulate 3")]},
    **{f"dotattn-{name}": (f"dotattn {flags} --csv d-{name}.csv", [f"d-{name}.csv"], None)
       for name, flags in [
           ("curve", "--alpha 0.5:2:3"), ("details", "--alpha 1 --details --branch semantic"), ("breaking", "--alpha 1.5 --set breaking=1"),
           ("transition", "--omega 0.3 --transition --set accuracy=0.01"), ("simulate", "--alpha 1 --simulate 60 --runs 2 --set steps=300"),
           ("lbfgs", "--alpha 1 --simulate 60 --runs 2 --optimizer lbfgs --set restarts=2"), ("teacher", "--alpha 1 --teacher 0.3,0.7,0.8,0.2"),
           ("tokens", "--alpha 1 --tokens 3 --code 1,0,-1 --teacher 0.6,0.2,0.2,0.2,0.6,0.2,0.2,0.2,0.6 --set points=256 --set shifts=2"),
           ("rank2", "--alpha 1 --rank 2 --set points=256 --set shifts=2"), ("dynamics", "--time 1:5:3 --set start-theta=0.1 --rate 0.2"),
           ("flow", "--set flow=1 --time 1:5:3 --set start-theta=0.1")]},
}


def digest(data):
    return hashlib.sha256(data).hexdigest()[:16]


def table_parts(text):
    """The hash of each column without those of time; of text that is no table the hash of its lines without notes."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    rows = list(csv.reader(io.StringIO("\n".join(lines))))
    if len(rows) < 2 or len(rows[0]) < 2 or any(len(row) != len(rows[0]) for row in rows):
        return {"text": digest("\n".join(lines).encode())}
    return {name: digest("\n".join(row[k] for row in rows[1:]).encode()) for k, name in enumerate(rows[0]) if name not in TIMES}


def hdf5_parts(path):
    parts = {}

    def visit(name, item):
        if isinstance(item, h5py.Dataset):
            values = item[()]
            if isinstance(values, numpy.ndarray) and values.dtype.kind == "O":
                values = numpy.array([bytes(v) for v in values.ravel()])
            parts[name] = digest(str(numpy.shape(values)).encode() + numpy.asarray(values).tobytes())

    with h5py.File(path, "r") as file:
        file.visititems(visit)
    return parts


def parts_of(path, output):
    if path == "-":
        return table_parts(output.decode(errors="replace"))
    data = pathlib.Path(path).read_bytes()
    if data.startswith(b"\x89HDF"):
        return hdf5_parts(path)
    if b"\0" in data:
        return {"bytes": digest(data)}
    return table_parts(data.decode(errors="replace"))


def run(name, program, target, threads):
    """Gives (status, {(result, part): hash})."""
    arguments, results, _ = COMMANDS[name]
    environment = {**os.environ, "ATP_SIMD": target}
    done = subprocess.run([program, *arguments.split(), "--threads", str(threads), "--mpi", "off"], capture_output=True, env=environment)
    hashes = {}
    for result in results:
        if result != "-" and not pathlib.Path(result).exists():
            continue
        for part, value in parts_of(result, done.stdout).items():
            hashes[result, part] = value
    if done.returncode not in (0, 3):
        print(f"{name}: status {done.returncode}: {done.stderr.decode(errors='replace').strip()[-300:]}", file=sys.stderr)
    return done.returncode, hashes


def supported(targets):
    flags = pathlib.Path("/proc/cpuinfo").read_text().split()
    have = {"scalar": True, "avx2": "avx2" in flags and "fma" in flags, "avx512": "avx512vl" in flags and "avx512bw" in flags}
    return [t for t in targets if have.get(t, False)]


def read_stored(path):
    with open(path, newline="") as file:
        return {(row["command"], row["result"], row["part"]): row["hash"] for row in csv.DictReader(file)}


def write_stored(path, found):
    with open(path, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["command", "result", "part", "hash"])
        out.writerows([*key, value] for key, value in found.items())


def write_assay():
    """The table of `scans`: one assay of the example family, with made-up effects of mutants of its first sequence."""
    residues = [c for c in pathlib.Path("family.fasta").read_text().split("\n")[1] if c != "-"]
    effects = [f"{c}{k}{to},{7 * k * (n + 2) % 31}" for k, c in enumerate(residues, 1) for n, to in enumerate("ADKV") if to != c]
    pathlib.Path("assay.csv").write_text("mutant,DMS_score\n" + "\n".join(effects) + "\n")
    pathlib.Path("reference.csv").write_text("DMS_id,DMS_filename,MSA_filename\nassay,assay.csv,family.fasta\n")


def all_runs(program, names, targets):
    """Gives {(command, result, part): hash} and the differences between targets and numbers of threads."""
    found, differences = {}, []
    variants = [(target, 1 + k % 2) for k, target in enumerate(targets)] + [(targets[-1], 2 if len(targets) % 2 else 1)]
    for target, threads in variants:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            for example in ("family.fasta", "distances.txt"):
                os.symlink(ROOT / "examples" / example, example)
            write_assay()
            for name in names:
                status, hashes = run(name, program, target, threads)
                for key, value in {("status", ""): str(status), **hashes}.items():
                    if found.setdefault((name, *key), value) != value:
                        differences.append((target, threads, name, *key))
            os.chdir(ROOT)
        print(f"{target}, {threads} threads: done", file=sys.stderr)
    return found, differences


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/cli/attopotts")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--targets", default="scalar,avx2,avx512")
    parser.add_argument("--stored", default=str(pathlib.Path(__file__).with_name("golden.csv")))
    given = parser.parse_args()
    names = [n for n in COMMANDS if not given.only or n in given.only.split(",")]
    found, differences = all_runs(str(pathlib.Path(given.program).resolve()), names, supported(given.targets.split(",")))
    for row in differences:
        print("differs between targets or threads:", *row)
    if given.write:
        write_stored(given.stored, found)
        print(f"{len(names)} commands, {len(found)} hashes stored")
        return bool(differences)
    stored = {key: value for key, value in read_stored(given.stored).items() if key[0] in names}
    changed = [key for key, value in stored.items() if found.get(key) != value] + [key for key in found if key not in stored]
    for key in changed:
        print("changed:", *key)
    print(f"{len(names)} commands, {len(stored)} hashes stored, {len(changed)} changed")
    return bool(changed or differences)


if __name__ == "__main__":
    sys.exit(main())
