#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The part `dhfr_sampling` of docs/results.md: are samples of a pseudo-likelihood model of DHFR too cold, trapped, or is the model biased?

usage: research/results_dhfr_sampling.py [--program build/cli/attopotts] [--data ../shared/data] [--out docs] [--work DIR] [--threads N]
       [--quick]

Learns dense couplings (gap as a colour, default penalties) from DHFR.a2m in the columns of DYR_ECOLI, then samples the model twice: from
natural and from random sequences, by single chains and by replica exchange. Needs NumPy and calls the library by the Python binding.
Finished runs are kept in DIR and not made again. --quick is a small version in less than a minute that only prints its table.
"""
import argparse
import importlib
import os
import subprocess
import sys
import tempfile

import numpy as np

from results_common import Results, markdown

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DATA = ["--alphabet", "protein", "--unknown", "drop", "--focus", "DYR_ECOLI", "--theta", 0.2]
STARTS = ("natural", "random")
FULL = {"name": "full", "epochs": 400, "ladders": 8, "hot": 0.3, "step": 1.4, "burn_in": 1500, "reads": 60, "thin": 40,
        "coldest": 1.5, "chains": 32, "chain_burn_in": 1500, "chain_betas": (0.8, 1.0, 1.25)}
QUICK = {**FULL, "name": "quick", "epochs": 10, "ladders": 4, "burn_in": 20, "reads": 12, "thin": 4, "coldest": 1.1, "chains": 8,
         "chain_burn_in": 20, "chain_betas": (0.8, 1.0), "step": 2.4}
# Of couplings: the default 0.2 (L - 1), and one that is 30 times weaker.
PENALTIES = {"default": 31.6, "weak": 1.0}
SHOWN = (0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5)


def load_binding(program):
    """The Python binding of the tree with the library beside the program."""
    subprocess.run([sys.executable, os.path.join(ROOT, "bindings/generate.py"), "python"], check=True)
    os.environ["ATTOPOTTS_LIBRARY"] = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(program))), "libattopotts.so.0")
    sys.path.insert(0, os.path.join(ROOT, "bindings/python/src"))
    return importlib.import_module("attopotts")


def kept(work, name, make):
    """The arrays of a finished run: read from the working folder, or made and stored."""
    path = os.path.join(work, name + ".npz")
    if not os.path.exists(path):
        np.savez_compressed(path[:-4] + ".part.npz", **make())
        os.replace(path[:-4] + ".part.npz", path)
    with np.load(path) as file:
        return dict(file)


def learn(results, work, settings):
    """The focused and weighted alignment, and the model; gives their files and what the training said."""
    model, data, said = (os.path.join(work, f"{settings['name']}.{end}") for end in ("model.h5", "data.h5", "learn.txt"))
    if not os.path.exists(said):
        source = os.path.join(results.data, "DHFR.a2m")
        results.run("convert", source, data, *DATA)
        epochs, _, outcome = results.learn(data, "--family", "dense", "--l2-couplings", settings["penalty"], "--epochs", settings["epochs"],
                                       "-o", model)
        with open(said, "w") as file:
            file.write(f"{outcome} after {epochs} iterations")
    with open(said) as file:
        return model, data, file.read()


def lay_ladder(ap, model, settings):
    """Betas from hot to 1 and on to the coldest, `step` of the energy's standard deviation times the difference of betas apart."""
    grid = np.linspace(settings["hot"], settings["coldest"], 13)
    spreads = []
    for beta in grid:
        chains = ap.Sampler(model, chains=16, beta=beta, seed=11)
        chains.sweep(settings["burn_in"] // 10)
        spreads.append(np.std(chains.sample(16 * 10, thin=5, energies=True).energies))
    length = np.concatenate([[0], np.cumsum(np.diff(grid) * (np.array(spreads[1:]) + spreads[:-1]) / 2)])
    at_one = np.interp(1, grid, length)
    parts = [np.linspace(a, b, int(np.ceil((b - a) / settings["step"])) + 1) for a, b in ((0, at_one), (at_one, length[-1]))]
    return np.interp(np.concatenate([parts[0], parts[1][1:]]), length, grid)


def exchange(ap, model, betas, start, settings, seed):
    """Replica exchange: states [reads, rungs, ladders, L], energies [reads, rungs, ladders], exchange rates."""
    ladders = ap.Sampler(model, chains=settings["ladders"], temperatures=len(betas), beta=betas[-1], seed=seed)
    ladders.betas = betas
    ladders.start(start)
    ladders.sweep(settings["burn_in"])
    states, energies = [], []
    for _ in range(settings["reads"]):
        ladders.sweep(settings["thin"])
        states.append([ladders.states(k) for k in range(len(betas))])
        energies.append([ladders.energies(k) for k in range(len(betas))])
    return {"states": np.array(states), "energies": np.array(energies), "rates": np.array(ladders.swap_rates)}


def single_chains(ap, model, beta, start, settings, seed):
    """Chains at one beta without exchanges, as exchange() gives one rung."""
    chains = ap.Sampler(model, chains=settings["chains"], beta=beta, seed=seed)
    chains.start(start)
    chains.sweep(settings["chain_burn_in"])
    drawn = chains.sample(settings["chains"] * settings["reads"], thin=settings["thin"], energies=True)
    shape = settings["reads"], settings["chains"]
    return {"states": drawn.sequences.reshape(*shape, -1), "energies": drawn.energies.reshape(shape)}


def mean_with_error(energies):
    """Mean of energies [reads, chains] and its standard error from the scatter of the chains."""
    means = energies.mean(axis=0)
    return means.mean(), means.std(ddof=1) / np.sqrt(len(means))


def measure(ap, data, runs, beta):
    """One row of the table from the runs of both starts: {start: (states [reads, chains, L], energies [reads, chains])}."""
    row = {"beta": f"{beta:.3g}"}
    for start, (states, energies) in runs.items():
        mean, error = mean_with_error(energies)
        row[start] = f"{mean:.1f} +- {error:.1f}"
        row["distance_" + start] = ap.hamming_histogram(np.ascontiguousarray(states.reshape(-1, states.shape[-1])[::7]))[1]
        row["mean_" + start], row["error_" + start] = mean, error
    states = np.concatenate([states for states, _ in runs.values()], axis=1)
    energies = np.concatenate([energies for _, energies in runs.values()], axis=1)
    row["spread"] = energies.std()
    row["rhat"] = ap.split_rhat(np.ascontiguousarray(energies.T))
    flat = np.ascontiguousarray(states.reshape(-1, states.shape[-1]))
    row["overlap_rhat"] = ap.overlap_rhat(flat, states.shape[1])
    pooled = ap.Alignment(flat, colors=21)
    found = ap.compare_statistics(data, pooled)
    row["f_i"], row["c_ij"], row["slope"] = (found[a][b] for a, b in (("sites", "pearson"), ("covariances", "pearson"),
                                                                      ("covariances", "slope")))
    halves = [ap.Alignment(np.ascontiguousarray(s.reshape(-1, s.shape[-1])), colors=21) for s, _ in runs.values()]
    row["between"] = ap.compare_statistics(*halves)["covariances"]["pearson"]
    return row


def naturals(model, data):
    """Energies of the natural sequences: weighted mean, standard deviation, and their weighted mean distance."""
    weights = np.asarray(data.weights) / np.sum(data.weights)
    energies = model.energies(data.sequences)
    mean = weights @ energies
    same = 0.0
    for site in np.asarray(data.sequences).T:
        same += np.sum(np.bincount(site, weights=weights, minlength=21) ** 2)
    return energies, weights, mean, np.sqrt(weights @ (energies - mean) ** 2), 1 - same / data.sequences.shape[1]


def all_runs(ap, model, data, work, settings):
    """Rows of replica exchange and of single chains, and the energies at beta = 1 for the picture."""
    generator = np.random.default_rng(1)
    sequences = np.asarray(data.sequences)
    picked = generator.choice(len(sequences), settings["chains"], replace=False, p=np.asarray(data.weights) / np.sum(data.weights))
    starts = {"natural": np.ascontiguousarray(sequences[picked]), "random": None}
    name = settings["name"]
    betas = kept(work, name + ".ladder", lambda: {"betas": lay_ladder(ap, model, settings)})["betas"]
    pairs = {start: kept(work, f"{name}.exchange.{start}",
                         lambda s=start, k=k: exchange(ap, model, betas, starts[s], settings, 21 + k))
             for k, start in enumerate(STARTS)}
    rungs = sorted({int(np.argmin(abs(betas - b))) for b in SHOWN if b <= settings["coldest"]})
    exchanged = [measure(ap, data, {s: (r["states"][:, k], r["energies"][:, k]) for s, r in pairs.items()}, betas[k]) for k in rungs]
    plain, chains = [], {}
    for beta in settings["chain_betas"]:
        runs = {start: kept(work, f"{name}.chains.{start}.{beta:g}",
                            lambda s=start, k=k, b=beta: single_chains(ap, model, b, starts[s], settings, 31 + k))
                for k, start in enumerate(STARTS)}
        plain.append(measure(ap, data, {s: (r["states"], r["energies"]) for s, r in runs.items()}, beta))
        if beta == 1:
            chains = {s: r["energies"].ravel() for s, r in runs.items()}
    one = int(np.argmin(abs(betas - 1)))
    shown = {"exchange, natural starts": pairs["natural"]["energies"][:, one].ravel(),
             "exchange, random starts": pairs["random"]["energies"][:, one].ravel(),
             "chains, natural starts": chains["natural"], "chains, random starts": chains["random"]}
    rates = min(r["rates"].min() for r in pairs.values())
    return exchanged, plain, shown, f"{len(betas)} betas from {betas[0]:.2f} to {betas[-1]:.2f}, smallest exchange rate {rates:.2f}"


def verdict(exchanged, mean, distance):
    """Which of the three explanations the numbers at beta = 1 leave."""
    row = min(exchanged, key=lambda r: abs(float(r["beta"]) - 1))
    difference = row["mean_natural"] - row["mean_random"]
    error = np.hypot(row["error_natural"], row["error_random"])
    away = (mean - (row["mean_natural"] + row["mean_random"]) / 2) / row["spread"]
    agree = abs(difference) <= 3 * error and row["overlap_rhat"] < 1.1
    text = (f"- replica exchange at beta = 1: the mean energies of the two starts differ by {difference:.2f} +- {error:.2f}, R-hat of "
            f"overlaps is {row['overlap_rhat']:.3f}: the runs {'agree' if agree else 'do not agree'}\n"
            f"- the mean energy of the natural sequences is {away:+.1f} standard deviations of the model's energy from the model's mean; "
            f"their mean distance is {distance:.3f}, the model's {row['distance_natural']:.3f}\n")
    best = max(exchanged, key=lambda r: r["c_ij"])
    steep = min(exchanged, key=lambda r: abs(r["slope"] - 1))
    text += (f"- C_ij of samples is closest to that of the data at beta = {best['beta']} (Pearson {best['c_ij']:.3f}, slope "
             f"{best['slope']:.2f}); the slope is nearest to 1 at beta = {steep['beta']} ({steep['slope']:.2f})\n")
    return text


def draw_picture(results, energies, weights, shown, distance):
    """Histograms of energies at beta = 1, and the scan of temperatures."""
    everything = np.concatenate([energies, *shown.values()])
    edges = np.linspace(np.quantile(everything, 0.001), np.quantile(everything, 0.999), 61)
    columns = {"natural sequences": np.histogram(energies, edges, weights=weights, density=True)[0],
               **{k: np.histogram(v, edges, density=True)[0] for k, v in shown.items()}}
    rows = [{"energy": f"{(edges[k] + edges[k + 1]) / 2:.4f}", **{c: f"{v[k]:.6g}" for c, v in columns.items()}} for k in range(60)]
    results.write_csv("dhfr_sampling_energies.csv", ["energy"] + [f'"{c}"' for c in columns],
                      [{"energy": r["energy"], **{f'"{c}"': r[c] for c in columns}} for r in rows], ["densities of H at beta = 1"])
    body = """set multiplot layout 1,2
set title 'Energies at beta = 1'
set yrange [0:0.04]
set xtics 40
set xlabel 'energy H'
set ylabel 'density'
set key top right font ',11'
plot """ + ", \\\n     ".join(
        f"'dhfr_sampling_energies.csv' using 1:{k + 2} with lines lw 2 dt {1 + (k > 2)} lc rgb '{c}' title '{name}'"
        for k, (name, c) in enumerate(zip(columns, ("#000000", "#08306b", "#e6740b", "#08306b", "#e6740b"))))
    body += f"""
set title 'Samples of replica exchange and the data'
set xlabel 'inverse temperature beta'
set ylabel 'no unit'
set key top right
set yrange [0:1.2]
set xtics 0.2
plot 'dhfr_sampling_default.csv' using 'beta':'c_ij' with linespoints ls 1 title 'C_{{ij}}: Pearson', \\
     '' using 'beta':'slope' with linespoints ls 2 title 'C_{{ij}}: slope', \\
     '' using 'beta':'distance_natural' with linespoints lc rgb '#21918c' lw 2 pt 9 title 'mean distance', \\
     {distance:.4f} with lines ls 3 title 'mean distance, data'
unset multiplot
"""
    results.picture("dhfr_sampling", body, "1180,520")


HEADINGS = {"beta": "beta", "energy, natural starts": "natural", "energy, random starts": "random", "R-hat of the energy": "rhat",
            "R-hat of overlaps": "overlap_rhat", "distance, natural starts": "distance_natural",
            "distance, random starts": "distance_random", "f_i": "f_i", "C_ij": "c_ij", "slope of C_ij": "slope",
            "C_ij of both starts": "between"}
FORMATS = {k: "{:.3f}" for k in ("rhat", "overlap_rhat", "distance_natural", "distance_random", "f_i", "c_ij", "slope", "between")}


def one_penalty(results, ap, work, settings, name):
    """The text of one model. The full version also writes its tables, and the picture of the default penalty."""
    model_file, data_file, said = learn(results, work, settings)
    model, data = ap.Model.read(model_file), ap.Alignment.read(data_file)
    energies, weights, mean, spread, distance = naturals(model, data)
    exchanged, plain, shown, ladder = all_runs(ap, model, data, work, settings)
    text = (f"Penalty of couplings {settings['penalty']:g} ({name}):\n\n- training: {said}; {len(energies)} natural sequences, effective "
            f"number {np.sum(data.weights):.0f}: mean energy {mean:.1f}, standard deviation {spread:.1f}, mean distance {distance:.3f} "
            "(weighted)\n" +
            verdict(exchanged, mean, distance) +
            f"\nReplica exchange, {settings['ladders']} ladders from each start, {ladder}; burn-in {settings['burn_in']} sweeps, "
            f"{settings['reads']} states of each, {settings['thin']} sweeps apart:\n\n" + markdown(HEADINGS, exchanged, FORMATS) +
            f"\nSingle chains, {settings['chains']} from each start, burn-in {settings['chain_burn_in']} sweeps, as many states:\n\n" +
            markdown(HEADINGS, plain, FORMATS))
    if settings["full"]:
        columns = list(HEADINGS.values()) + ["mean_natural", "error_natural", "mean_random", "error_random", "spread"]
        notes = [f"penalty {settings['penalty']:g}", f"natural sequences: mean energy {mean:.4f}, standard deviation {spread:.4f}, mean "
                 f"distance {distance:.4f}"]
        results.write_csv(f"dhfr_sampling_{name}.csv", columns, exchanged, ["replica exchange", *notes])
        results.write_csv(f"dhfr_sampling_{name}_chains.csv", columns, plain, ["single chains", *notes])
        if name == "default":
            draw_picture(results, energies, weights, shown, distance)
    return text


def dhfr_sampling(results, work, quick):
    ap = load_binding(results.program)
    if results.threads:
        importlib.import_module("attopotts._handle").default_context().threads = results.threads
    parts = []
    for name, penalty in list(PENALTIES.items())[:1 if quick else None]:
        settings = {**(QUICK if quick else FULL), "penalty": penalty, "full": not quick}
        parts.append(one_penalty(results, ap, work, {**settings, "name": f"{settings['name']}.{name}"}, name))
        print(parts[-1], flush=True)
    if not quick:
        results.fill("dhfr_sampling", "\n".join(parts))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.path.join(ROOT, "build/cli/attopotts"))
    parser.add_argument("--data", default=os.path.join(ROOT, "../shared/data"))
    parser.add_argument("--out", default=os.path.join(ROOT, "docs"))
    parser.add_argument("--work")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    results = Results(arguments.program, arguments.data, arguments.out, arguments.threads)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        work = os.path.abspath(arguments.work or folder)
        os.makedirs(work, exist_ok=True)
        dhfr_sampling(results, work, arguments.quick)
        os.chdir("/")


if __name__ == "__main__":
    main()
