#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Other programs and the library side by side on this machine, as CSV.

usage: peers.py LIBRARY [--data FOLDER] [--only PEER...] > docs/results/peers.csv, then tools/ci/speed_table.py write

LIBRARY is the file libattopotts.so of a release build. Peers are those that this Python, or the path for plmc, has; for all of them:
`python3 -m venv V && V/bin/pip install jax torch adabmDCA structuredca scipy`, and `V/bin/python bench/peers.py LIBRARY`. Those that are
missing stand in the table as not installed. FOLDER (default: ATP_SHARED_DATA) has DHFR.a2m and structuredca/6acv_A_29-94.fasta.

Both sides get the same problem and must agree, which `agreement` says how closely, before they take turns; status 1 if they do not. Numbers
are per second of processor time, of one thread, medians of turns.
"""
import argparse
import contextlib
import csv
import datetime
import io
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time
from importlib import metadata

# Before JAX is loaded.
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ["JAX_PLATFORMS"] = "cpu"
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "bindings/python/src")]
TURNS, SECONDS = 5, 0.3
PROTEIN = "ACDEFGHIKLMNPQRSTVWY"


def seconds_of(call):
    """Processor seconds of a call, of several until SECONDS are over."""
    begin, calls = time.process_time(), 0
    while True:
        call()
        calls += 1
        taken = time.process_time() - begin
        if taken > SECONDS:
            return taken / calls


def race(theirs, ours, work):
    """Units per second of both, each of which makes `work` units a call."""
    theirs(), ours()
    times = [(seconds_of(theirs), seconds_of(ours)) for _ in range(TURNS)]
    return [work / statistics.median(side) for side in zip(*times)]


def agreed(what, difference, most):
    if not difference <= most:
        sys.exit(f"{what}: the two sides differ by {difference:.1e}, at most {most:.0e} is expected")
    return f"{difference:.1e}"


def distance(x, y):
    """Relative distance of two vectors."""
    x, y = np.asarray(x, dtype=float).ravel(), np.asarray(y, dtype=float).ravel()
    return float(np.linalg.norm(x - y) / np.linalg.norm(y))


def jax_gibbs(sites, sweeps, context):
    """Sweeps of 256 chains of a factored model, some in a call; both have the same conditional probabilities. Sums by colour and the
    generator rbg were the fastest of three ways and two generators."""
    import jax
    import jax.numpy as jnp
    jax.config.update("jax_default_prng_impl", "rbg")
    model = attopotts.Model.random(sites=sites, colors=20, seed=1, context=context)
    maps, values = jnp.asarray(np.array(model.maps).reshape(sites, sites)), jnp.asarray(np.array(model.values).reshape(20, 20))

    def logits(states, i):
        return jax.vmap(lambda colors: jax.ops.segment_sum(maps[i], colors, num_segments=20))(states) @ values.T

    @jax.jit
    def sweep(states, key):
        keys = jax.random.split(key, sweeps * sites + 1)

        def step(k, states):
            return states.at[:, k % sites].set(jax.random.categorical(keys[k], logits(states, k % sites)))
        return jax.lax.fori_loop(0, sweeps * sites, step, states), keys[-1]

    sampler = attopotts.Sampler(model, chains=256, seed=1, context=context)
    sampler.sweep(5)
    states = jnp.asarray(np.array(sampler.states()), dtype=jnp.int32)
    own = [jax.nn.log_softmax(logits(states, i))[jnp.arange(256), states[:, i]] for i in range(sites)]
    difference = distance(sum(own), model.log_pseudolikelihoods(np.array(states, dtype=np.uint8)))
    state = [states, jax.random.PRNGKey(1)]

    def theirs():
        state[:] = sweep(*state)
        state[0].block_until_ready()

    rates = race(theirs, lambda: sampler.sweep(sweeps), 256 * sites * sweeps)
    return f"Gibbs sampling, factored, L = {sites}, q = 20, 256 chains", "site updates/s", agreed("Gibbs sampling", difference, 1e-4), *rates


def jax_attention(sites, colors, count, context):
    """Loss and gradient of factored attention over all sites; one product of A with all columns was the fastest of four ways."""
    import jax
    import jax.numpy as jnp
    random = np.random.default_rng(1)
    data = random.integers(0, colors, (count, sites), dtype=np.uint8)
    trainer = attopotts.Trainer(attopotts.Alignment(data, colors=colors, context=context), context=context)
    x = 0.1 * random.normal(size=sites * sites + colors * colors)
    x[:sites * sites].reshape(sites, sites)[range(sites), range(sites)] = 0
    trainer.parameters = x
    columns = jnp.asarray(np.eye(colors, dtype=np.float32)[data.T].reshape(sites, -1))  # [L][N q]
    own, mask = columns.reshape(-1, colors), 1 - jnp.eye(sites)

    def loss(maps, values):
        scores = ((maps * mask) @ columns).reshape(-1, colors) @ values.T
        return -jnp.mean(jnp.sum(jax.nn.log_softmax(scores) * own, -1))

    both = jax.jit(jax.value_and_grad(loss, (0, 1)))
    parts = [jnp.asarray(part, dtype=jnp.float32) for part in (x[:sites * sites].reshape(sites, sites), x[sites * sites:].reshape(colors, colors))]
    found = both(*parts)
    own = trainer.gradient()
    difference = max(distance(np.concatenate([np.ravel(g) for g in found[1]]), own.gradient), abs(float(found[0]) / own.loss - 1))
    rates = race(lambda: both(*parts)[0].block_until_ready(), trainer.gradient, count)
    return f"factored attention, loss and gradient, L = {sites}, q = {colors}", "sequences/s", agreed("attention", difference, 1e-4), *rates


def of_jax(arguments, context):
    yield jax_gibbs(20, 50, context)
    yield jax_gibbs(256, 2, context)
    yield jax_attention(20, 20, 3000, context)
    yield jax_attention(256, 21, 1000, context)


def of_torch(arguments, context):
    """By transformer_torch.py, which compares loss and gradient; the fastest way of each case."""
    text = subprocess.run([sys.executable, str(HERE / "transformer_torch.py"), str(arguments.library), "--repeats", "7"], check=True,
                          capture_output=True, text=True).stdout
    differences = [float(line.rpartition(" ")[2]) for line in text.splitlines() if "relative difference" in line]
    fastest = {}
    for row in csv.DictReader(line for line in text.splitlines() if not line.startswith("#")):
        if float(row["torch_us"]) < float(fastest.get(row["case"], row)["torch_us"]) or row["case"] not in fastest:
            fastest[row["case"]] = row
    names = {"encoder_blocks1": "encoder, 1 block", "encoder_blocks3": "encoder, 3 blocks", "factored_one_site": "factored attention, one masked site",
             "factored_all_sites": "factored attention, all sites"}
    for case, row in fastest.items():
        yield (f"training step, {names[case]}, L = q = d = 20, batch 100 ({row['torch']})", "steps/s", agreed(case, max(differences), 1e-4),
               1e6 / float(row["torch_us"]), 1e6 / float(row["ours_us"]))


def of_adabmdca(arguments, context, sites=100, colors=21, chains=1000):
    """Gibbs sweeps of a dense model; energies agree."""
    import torch
    from adabmDCA.sampling import gibbs_sampling
    from adabmDCA.statmech import compute_energy
    torch.set_num_threads(1)
    random = np.random.default_rng(1)
    couplings = 0.05 * random.normal(size=(sites, colors, sites, colors))
    couplings += couplings.transpose(2, 3, 0, 1)
    couplings[range(sites), :, range(sites), :] = 0
    fields, states = random.normal(size=(sites, colors)), random.integers(0, colors, (chains, sites), dtype=np.uint8)
    model = attopotts.Model.dense(couplings.transpose(0, 2, 1, 3).copy(), fields, context=context)
    params = {"bias": torch.tensor(fields, dtype=torch.float32), "coupling_matrix": torch.tensor(couplings, dtype=torch.float32)}
    one_hot = torch.nn.functional.one_hot(torch.tensor(states, dtype=torch.int64), colors).float()
    difference = distance(compute_energy(one_hot, params).numpy(), model.energies(states))
    sampler = attopotts.Sampler(model, chains=chains, seed=1, context=context)
    rates = race(lambda: gibbs_sampling(one_hot, params, 1), lambda: sampler.sweep(1), chains * sites)
    yield f"Gibbs sampling, dense, L = {sites}, q = {colors}, {chains} chains", "site updates/s", agreed("energies", difference, 1e-4), *rates


def of_structuredca(arguments, context):
    """Dense pseudo-likelihood of 6acv without structure and weights, to the end of each program; energies of single mutants agree."""
    from structuredca import StructureDCA
    path = str(arguments.data / "structuredca/6acv_A_29-94.fasta")
    begin = time.process_time()
    with contextlib.redirect_stdout(io.StringIO()):
        peer = StructureDCA(path, None, distance_cutoff=None, min_seqid=None, weights_seqid=None, lambda_asymptotic=0, num_threads=1, verbose=False)
        theirs = time.process_time() - begin
        target = peer.eval_mutations_table()
    family = attopotts.Alignment.read(path, alphabet="protein", context=context)
    begin = time.process_time()
    trainer = attopotts.Trainer(family, family="dense", gaps="ignore", l2_fields=1, l2_couplings=2, context=context)
    trainer.run(2000)
    own = time.process_time() - begin
    sequence = np.array(family.sequences)[0] - 1  # the model has no gap
    mutants = [row["mutation_fasta"] for row in target]
    states = np.repeat(sequence[None], len(mutants) + 1, 0)
    for k, name in enumerate(mutants):
        states[k, int(name[1:-1]) - 1] = PROTEIN.index(name[-1])
    energies = trainer.model().energies(states)
    scores = np.array([float(row["StructureDCA"]) for row in target])
    difference = distance(energies[:-1] - energies[-1], scores)
    yield ("dense pseudo-likelihood of 6acv to the end, N = 563, L = 66", "fits/s", agreed("energies of mutants", difference, 2e-2), 1 / theirs, 1 / own)


def of_plmc(arguments, context):
    """DHFR to plmc's objective after 100 iterations, by descent.py; processor seconds of two threads."""
    text = subprocess.run([sys.executable, str(HERE / "descent.py"), str(arguments.data / "DHFR.a2m")], check=True, capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}).stdout
    rows = list(csv.DictReader(text.splitlines()))
    ours = next(float(r["processor_seconds"]) for r in rows if r["until"] == "165888")
    theirs = [float(r["processor_seconds"]) for r in rows if r["program"] == "plmc"]
    yield "dense pseudo-likelihood of DHFR to 165 888", "fits/s", "the objective" if theirs else "", 1 / theirs[0] if theirs else None, 1 / ours


PEERS = {"JAX": ("jax", of_jax), "PyTorch": ("torch", of_torch), "adabmDCA": ("adabmDCA", of_adabmdca), "StructureDCA": ("structuredca", of_structuredca),
         "plmc": (None, of_plmc)}


def version(package):
    """Of an installed package, or of plmc, which has none."""
    if package is None:
        return "present" if shutil.which("plmc") else None
    with contextlib.suppress(metadata.PackageNotFoundError):
        return metadata.version(package)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path(os.environ.get("ATP_SHARED_DATA", ".")))
    parser.add_argument("--only", nargs="+", choices=PEERS, default=list(PEERS))
    arguments = parser.parse_args()
    os.environ["ATTOPOTTS_LIBRARY"] = str(arguments.library.resolve())
    subprocess.run([sys.executable, str(HERE.parent / "bindings/generate.py"), "python"], check=True)
    global attopotts, np
    import attopotts
    import numpy as np

    from roofline import processor
    context = attopotts.Context(threads=1)
    print(f"# {datetime.date.today()}, {processor()}, {context.simd}, load {os.getloadavg()[0]:.1f}, attopotts {attopotts.version()}")
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["peer", "version", "job", "unit", "agreement", "peer_rate", "rate", "ratio"])
    for name in arguments.only:
        package, jobs = PEERS[name]
        found = version(package)
        if found is None and name != "plmc":
            out.writerow([name, "not installed", "", "", "", "", "", ""])
            continue
        for job, unit, agreement, theirs, ours in jobs(arguments, context):
            cells = ["", f"{ours:.3g}", ""] if theirs is None else [f"{theirs:.3g}", f"{ours:.3g}", f"{ours / theirs:.1f}"]
            out.writerow([name, found or "not installed", job, unit, agreement, *cells])
            sys.stdout.flush()


if __name__ == "__main__":
    main()
