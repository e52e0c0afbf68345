#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares attopotts with adabmDCA (Python): parameters and chains both ways to all digits, energies, samples of one model, and training
that one begins and the other goes on with.

usage: peers_adabm.py PROGRAM. It needs a Python with adabmDCA: python3 -m venv V && V/bin/pip install adabmDCA && V/bin/python peers_adabm.py
PROGRAM. Prints a line for each comparison; the status is 1 if one fails, 77 if there is no adabmDCA.
"""
import csv
import itertools
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import torch
    from adabmDCA.api.training import train_model
    from adabmDCA.io import load_chains, load_params, save_chains, save_params
    from adabmDCA.sampling import gibbs_sampling
    from adabmDCA.statmech import compute_energy
except ImportError as error:
    print(f"skipped: no adabmDCA ({error})")
    sys.exit(77)

PROGRAM = os.path.abspath(sys.argv[1])
CHAINS = 2048  # of training
TOKENS, SITES, SAMPLES = "-ACGU", 6, 4000
CPU = torch.device("cpu")
# 31 means of 4000 independent samples for each program: correct ones fail for a share of 62 * 5.7e-7 = 4e-5 of all seeds.
MOST_ERRORS = 5
failures = 0


def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments), "--quiet"], check=True, capture_output=True, text=True).stdout


def report(what, good, found):
    global failures
    failures += not good
    print(f"{'ok' if good else 'FAILED'}: {what}: {found}")


def text_of(path):
    with open(path, encoding="ascii") as file:
        return file.read()


def random_params(seed, dtype):
    rng = np.random.default_rng(seed)
    q = len(TOKENS)
    couplings = 0.25 * rng.standard_normal((SITES, q, SITES, q))
    couplings += couplings.transpose(2, 3, 0, 1)
    for i in range(SITES):
        couplings[i, :, i, :] = 0
    return {"bias": torch.tensor(rng.standard_normal((SITES, q)), dtype=dtype), "coupling_matrix": torch.tensor(couplings, dtype=dtype)}


def one_hot(states):
    return torch.nn.functional.one_hot(torch.tensor(states), len(TOKENS)).to(torch.float64)


def values_in(path):
    """The numbers of a parameter file by their names, as doubles; a second line of a name would be lost, so lines are counted, too."""
    lines = [line.split() for line in text_of(path).splitlines()]
    return {tuple(words[:-1]): float(words[-1]) for words in lines}, len(lines)


def compare_parameters(dtype, name):
    """Theirs, ours from theirs, theirs from ours: all numbers are the same."""
    params = random_params(3, dtype)
    save_params("theirs.dat", params, "rna")
    run("convert", "theirs.dat", "model.h5", "--alphabet", "rna")
    run("convert", "model.h5", "ours.dat", "--to", "adabm")
    report(f"parameters in {name}, read and written by attopotts", values_in("theirs.dat") == values_in("ours.dat"),
           f"{len(values_in('ours.dat')[0])} numbers")
    back = load_params("ours.dat", "rna", CPU, dtype)
    equal = all(torch.equal(back[key], params[key]) for key in params)
    report(f"the same, read by adabmDCA in {name}", equal, f"{sum(p.numel() for p in params.values())} numbers")
    return back


def compare_energies(params):
    states = np.random.default_rng(4).integers(0, len(TOKENS), (500, SITES))
    save_chains("asked.fasta", states, "rna")
    table = [line.split(",") for line in run("energies", "model.h5", "asked.fasta").splitlines() if not line.startswith("#")]
    column = table[0].index("energy")
    ours = np.array([float(row[column]) for row in table[1:]])
    theirs = compute_energy(one_hot(states), params).numpy()
    worst = np.abs(ours - theirs).max() / np.abs(theirs).max()
    report("energies of 500 sequences in float64", len(ours) == 500 and worst < 1e-9, f"largest relative difference {worst:.1e}")


def compare_chains():
    """Chains of ours in adabmDCA, and back; the sequences are those of the text."""
    run("sample", "--model", "model.h5", "--samples", SAMPLES, "--seed", 11, "-o", "ours.fasta")
    chains, = load_chains("ours.fasta", TOKENS)
    states = chains.argmax(-1).numpy()
    rows = [line for line in text_of("ours.fasta").splitlines() if not line.startswith(">")]
    report("chains of attopotts, read by adabmDCA", ["".join(TOKENS[a] for a in row) for row in states] == rows, f"{len(rows)} sequences")
    save_chains("theirs.fasta", states, "rna")
    run("convert", "theirs.fasta", "back.txt", "--alphabet", "rna")
    back = np.loadtxt("back.txt", dtype=int)
    report("chains of adabmDCA, read by attopotts", np.array_equal(back, states), f"{len(back)} sequences")
    return states


def exact_moments(params):
    """Means of the energy and of all frequencies over all states, and their standard deviations."""
    states = np.array(list(itertools.product(range(len(TOKENS)), repeat=SITES)))
    energies = compute_energy(one_hot(states), params).numpy()
    p = np.exp(energies.min() - energies)
    p /= p.sum()
    numbers = np.column_stack([energies, one_hot(states).numpy().reshape(len(states), -1)])
    mean = p @ numbers
    return mean, np.sqrt(p @ (numbers - mean)**2)


def compare_samples(params, ours):
    mean, deviation = exact_moments(params)
    torch.manual_seed(5)
    start = one_hot(np.random.default_rng(6).integers(0, len(TOKENS), (SAMPLES, SITES)))
    theirs = gibbs_sampling(start, params, 60).argmax(-1).numpy()
    for name, states in ("adabmDCA", theirs), ("attopotts", ours):
        numbers = np.column_stack([compute_energy(one_hot(states), params).numpy(), one_hot(states).numpy().reshape(len(states), -1)])
        errors = np.abs(numbers.mean(0) - mean) / (deviation / np.sqrt(len(states)))
        report(f"mean energy and frequencies of {len(states)} samples of {name} against all {len(TOKENS)**SITES} states",
               errors.max() < MOST_ERRORS, f"at most {errors.max():.2f} standard errors")


def trained_there(folder, **start):
    """Pearson correlations of the steps of 60 steps of adabmDCA on family.fasta."""
    found = []
    train_model("family.fasta", output_dir=folder, alphabet="rna", sampler="gibbs", n_chains=CHAINS, learning_rate=0.05, pseudocount=0.01,
                max_gradient_steps=60, target_pearson=0.999999, device="cpu", progress=lambda event: found.append(event.metrics["Pearson"]), **start)
    return found


def trained_here(name, *start):
    """The same of attopotts."""
    run("learn", "family.fasta", "-o", name + ".h5", "--alphabet", "rna", "--theta", 0.2, "--family", "dense", "--objective", "likelihood",
        "--optimizer", "sgd", "--rate", 0.05, "--set", "schedule=constant", "--set", f"chains={CHAINS}", "--set", "random-chains=0",
        "--set", "pseudocount=0.01", "--sweeps", 10, "--epochs", 60, "--target", 1, "--log", name + ".csv", "--chains-out", name + ".fasta", *start)
    with open(name + ".csv", encoding="ascii") as file:
        return [float(row["pearson"]) for row in csv.DictReader(line for line in file if line[0] != "#")]


def compare_training(states):
    """The first step after a change of programs is as good as the last one before; a run from the start is far below. What attopotts
    writes is the mean of its last steps, which is better than the last one."""
    save_chains("family.fasta", np.unique(states, axis=0)[:1000], "rna")
    theirs = trained_there("theirs")
    ours = trained_here("ours", "--start-model", "theirs/params.dat", "--start-chains", "theirs/chains.fasta")
    fresh = trained_here("fresh")
    report("training of adabmDCA, gone on with by attopotts", abs(ours[0] - theirs[-1]) < 0.05 and fresh[0] < theirs[-1] - 0.1,
           f"Pearson {theirs[-1]:.3f} before, {ours[0]:.3f} after the first step, {fresh[0]:.3f} from the start")
    run("convert", "ours.h5", "ours.dat", "--to", "adabm")
    back = trained_there("back", initial_params_path="ours.dat", initial_chains_path="ours.fasta")
    report("training of attopotts, gone on with by adabmDCA", back[0] > ours[-1] - 0.05 and theirs[0] < ours[-1] - 0.1,
           f"Pearson {ours[-1]:.3f} before, {back[0]:.3f} after the first step, {theirs[0]:.3f} from the start")


def main():
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        compare_parameters(torch.float32, "float32")
        params = compare_parameters(torch.float64, "float64")
        compare_energies(params)
        states = compare_chains()
        compare_samples(params, states)
        compare_training(states)
        os.chdir("/")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
