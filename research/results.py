#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Make the tables and pictures of docs/results.md: every number in that file comes from here.

usage: research/results.py [--program build/cli/attopotts] [--data ../shared/data] [--out docs] [--only NAME,...] [--threads N] [--quick]

Runs the program, and for the part ising a program of the tests; needs nothing but the standard library, and gnuplot for
pictures. Writes OUT/results/*.csv, *.gp, *.svg, *.png
and replaces the tables between `<!-- begin NAME -->` and `<!-- end NAME -->` in OUT/results.md. Parts are the names of PARTS below,
and figures by their names (fig2a, say). Those that
read alignments from the data folder are left out, with a message, where it is not there; separability takes its linear programming from SciPy (Debian:
python3-scipy) and leaves that column empty without it.

The table of minutes has the time of each part's last run. --quick takes small sizes, under a minute for a part: the same code and tables,
numbers that say little. It writes to a copy of the page, in --out or a temporary folder, never to docs.
"""
import argparse
import json
import math
import os
import random
import resource
import shutil
import sys
import tempfile
import time

from results_alignments import alignments
from results_breaking import dotattn_breaking
from results_common import ROOT, Results, markdown, mean_and_error, message, root_mean_square, slope, table_rows
from results_crossing import dotattn_crossing
from results_dimensions import dotattn_positional
from results_dotattn import dotattn
from results_dotattn_dynamics import dotattn_dynamics
from results_dotattn_simulation import dotattn_simulation, dotattn_tokens
from results_effort import fig2a_effort
from results_fig2c import fig2c_effort
from results_fig2d import fig2d_sign
from results_figures import FIGURES, figure, figures
from results_ising import ising, ising_limit
from results_methods import methods
from results_mogwai import mogwai
from results_onset import dotattn_onset
from results_peak import peak
from results_peak_sites import peak_sites
from results_potts import potts
from results_selection import selection
from results_separability import separability
from results_slices import dotattn_slices
from results_spread import consistency_spread
from results_structures import PARTS as STRUCTURES
from results_structures import structures
from results_tuning import tuning

# --- the main job -------------------------------------------------------------------------------------------------------------------------

def main_job(results):
    """Sample at the paper's sizes and mean Hamming distance, learn from M sequences, compare on 3000 others."""
    counts, tests = results.pick([750, 1500, 3000, 6000, 12000], [750, 1500]), results.pick(3000, 1000)
    total = counts[-1] + tests
    _, seconds = results.run("sample", "--sites", 20, "--colors", 20, "--couplings", "gaussian", "--color-matrix", "gaussian",
                             "--hamming", 0.3, "--samples", total, "--chains", 64, "-o", "data.h5", "--model-out", "truth.h5")
    tuned, ladder, burn_in = (message(results, start) for start in ("beta ", "replica exchange", "burn-in"))
    hamming, rhat, overlaps = (message(results, start) for start in ("mean Hamming", "split R-hat", "R-hat of overlaps"))
    beta = results.model("truth.h5")[2]
    rows = []
    for m in counts:
        epochs, learn_seconds, outcome = results.learn("data.h5", "-o", "model.h5", "--rows", f"0:{m}", "--epochs", 2000)
        r = results.evaluate("model.h5", "data.h5", "--rows", f"{counts[-1]}:{tests}", "--truth", "truth.h5", "--independent", "data.h5",
                             "--independent-rows", f"0:{m}")
        loss, optimal, error = (float(r[k]) for k in ("loss", "optimal_loss", "coupling_error"))
        rows.append({"samples": m, "test_loss": loss, "optimal_loss": optimal, "difference": loss - optimal,
                     "independent_loss": float(r["independent_loss"]), "coupling_error": error, "error_times_samples": error * m,
                     "epochs": epochs, "seconds": learn_seconds, "outcome": outcome})
    columns = ["samples", "test_loss", "optimal_loss", "difference", "independent_loss", "coupling_error", "error_times_samples", "epochs",
               "seconds", "outcome"]
    results.write_csv("main.csv", columns, rows,
                      [f"beta {beta:.6f}", "L = q = 20, mean Hamming distance 0.3, 3000 held-out sequences, L-BFGS"])
    sizes = f"L = q = 20, mean Hamming distance 0.3 (beta = {beta:.2f}), L-BFGS"
    results.picture("main", f"""set title "Coupling error and held-out loss of factored attention\\n{sizes}"
set logscale x
set logscale y
set xlabel 'training sequences M'
set ylabel 'coupling error (no unit);  loss (nats per site)'
set format y '10^{{%L}}'
set key top right
set xrange [600:15000]
set xtics (750, 1500, 3000, 6000, 12000)
plot 'main.csv' using 'samples':'coupling_error' with linespoints ls 1 title 'sum_{{ij}} (beta J_{{ij}} - A_{{ij}})^2 / L^2', \\
     '' using 'samples':'difference' with linespoints ls 2 title 'test loss - optimal loss', \\
     {rows[-1]["error_times_samples"]:.6g} / x with lines ls 3 title 'slope -1'
""", "760,520")
    text = "\n".join(f"- {line}" for line in (tuned, ladder, burn_in, hamming, rhat, overlaps) if line)
    text += f"\n- sampling, tuning of beta included, took {seconds:.1f} s\n\n"
    text += markdown({"M": "samples", "test loss": "test_loss", "optimal loss": "optimal_loss", "difference": "difference",
                      "site-independent": "independent_loss", "coupling error": "coupling_error", "error x M": "error_times_samples",
                      "iterations": "epochs", "seconds": "seconds", "outcome": "outcome"}, rows,
                     {"test_loss": "{:.4f}", "optimal_loss": "{:.4f}", "difference": "{:.4f}", "independent_loss": "{:.4f}",
                      "coupling_error": "{:.5f}", "error_times_samples": "{:.1f}", "seconds": "{:.2f}"})
    results.fill("main", text)


# --- consistency --------------------------------------------------------------------------------------------------------------------------

def solve_trace(matrix):
    """Trace of the inverse of a symmetric positive matrix, by Cholesky."""
    n = len(matrix)
    lower = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            x = matrix[i][j] - sum(lower[i][k] * lower[j][k] for k in range(j))
            lower[i][j] = math.sqrt(x) if i == j else x / lower[j][j]
    # tr(A^-1) = |L^-1|_F^2.
    trace = 0.0
    for c in range(n):
        column = [0.0] * n
        for i in range(c, n):
            column[i] = ((1.0 if i == c else 0.0) - sum(lower[i][k] * column[k] for k in range(c, i))) / lower[i][i]
            trace += column[i] * column[i]
    return trace


def sampling_limit(maps, values, beta, sequences):
    """M times the asymptotic coupling error of the pseudo-likelihood with V known.

    Row i of A is a logistic regression of s_i on the others, with Fisher information
    F_jk = < Cov_{a ~ p_i}( V(a, s_j), V(a, s_k) ) > per sequence; its estimate has covariance F^-1 / M, so that
    M error = sum_i tr F_i^-1 / L^2.
    """
    sites, colors = len(sequences[0]), 1 + max(a for _, a, _ in values)
    total = 0.0
    for i in range(sites):
        others = [j for j in range(sites) if j != i]
        fisher = [[0.0] * len(others) for _ in others]
        for s in sequences:
            vectors = [[values[0, a, s[j]] for j in others] for a in range(colors)]
            logits = [beta * sum(maps[0, i, j] * v for j, v in zip(others, vectors[a])) for a in range(colors)]
            top = max(logits)
            weights = [math.exp(x - top) for x in logits]
            scale = 1 / sum(weights)
            p = [w * scale for w in weights]
            mean = [sum(p[a] * vectors[a][k] for a in range(colors)) for k in range(len(others))]
            for a in range(colors):
                centred = [v - m for v, m in zip(vectors[a], mean)]
                for row, x in zip(fisher, centred):
                    y = p[a] * x
                    for k, z in enumerate(centred):
                        row[k] += y * z
        total += solve_trace([[x / len(sequences) for x in row] for row in fisher])
    return total / sites**2


def consistency(results):
    """Many samples at a mild beta: the coupling error against its limit."""
    counts, beta = results.pick([12500, 25000, 50000, 100000, 200000], [5000, 10000]), 1.0
    _, seconds = results.run("sample", "--sites", 20, "--colors", 20, "--beta", beta, "--samples", counts[-1], "--chains", 256,
                             "-o", "mild.h5", "--model-out", "mild_truth.h5")
    maps, values, stored = results.model("mild_truth.h5")
    text, _ = results.run("convert", "mild.h5", "-", "--rows", f"0:{results.pick(400, 40)}")
    sequences = [[int(x) for x in line.split()] for line in text.splitlines()]
    limit = sampling_limit(maps, values, stored, sequences)
    rows = []
    for m in counts:
        row = {"samples": m, "limit": limit / m}
        for kind, flags in (("known", ["--colors-from", "mild_truth.h5"]), ("learned", [])):
            epochs, learn_seconds, outcome = results.learn("mild.h5", "-o", "mild_model.h5", "--rows", f"0:{m}", "--epochs", 1000, *flags)
            r = results.evaluate("mild_model.h5", "mild.h5", "--rows", f"0:{m}", "--truth", "mild_truth.h5")
            row.update({f"error_v_{kind}": float(r["coupling_error"]), f"ratio_v_{kind}": float(r["coupling_error"]) / (limit / m),
                        f"seconds_v_{kind}": learn_seconds, f"epochs_v_{kind}": epochs, f"outcome_v_{kind}": outcome})
        rows.append(row)
    measured = ("error", "ratio", "epochs", "seconds", "outcome")
    columns = ["samples", "limit"] + [f"{what}_v_{kind}" for kind in ("known", "learned") for what in measured]
    results.write_csv("consistency.csv", columns, rows, [f"beta {beta}", "L = q = 20, L-BFGS; limit: sum_i tr F_i^-1 / (M L^2)"])
    sizes = f"L = q = 20, beta = {beta:g}, L-BFGS"
    results.picture("consistency", f"""set title "Coupling error of one realisation beside the sampling limit\\n{sizes}"
set logscale xy
set xlabel 'training sequences M'
set ylabel 'sum_{{ij}} (beta J_{{ij}} - A_{{ij}})^2 / L^2'
set format y '10^{{%L}}'
set key top right
set xrange [10000:250000]
set xtics (12500, 25000, 50000, 100000, 200000)
plot 'consistency.csv' using 'samples':'limit' with lines ls 3 title 'limit, V known: sum_i tr F_i^{{-1}} / (M L^2)', \\
     '' using 'samples':'error_v_known' with points ls 1 title 'learned, V known', \\
     '' using 'samples':'error_v_learned' with points ls 2 title 'learned, V learned'
""", "760,520")
    text = f"- {message_of_count(counts[-1])} sampled in {seconds:.1f} s\n- limit: M x error = {limit:.3f}\n\n"
    text += markdown({"M": "samples", "limit": "limit", "error, V known": "error_v_known", "error / limit": "ratio_v_known",
                      "error, V learned": "error_v_learned", "error / limit ": "ratio_v_learned", "seconds, V learned": "seconds_v_learned",
                      "outcome": "outcome_v_learned"}, rows,
                     {"limit": "{:.3e}", "error_v_known": "{:.3e}", "error_v_learned": "{:.3e}", "ratio_v_known": "{:.3f}",
                      "ratio_v_learned": "{:.3f}", "seconds_v_learned": "{:.2f}"})
    results.fill("consistency", text)


def message_of_count(count):
    return f"{count} sequences by replica exchange"


# --- learning curves --------------------------------------------------------------------------------------------------------------------

def replica(results):
    """Masked Gaussian modelling: theory of one random system, simulation and the limit of many sites; how the first goes to the last."""
    shift, penalty, sites, realisations = 2.5, 1e-8, results.pick(400, 100), results.pick(30, 5)
    flags = ["replica", "--shift", shift, "--lambda", penalty]
    text, seconds = results.run(*flags, "--alpha", "0.1:4:40", "--sites", sites, "--simulate", realisations, "--details")
    rows = table_rows(text)
    limit = table_rows(results.run(*flags, "--alpha", "0.01:4:400")[0])
    away = [(float(r["eg_sim"]) - float(r["eg"])) / float(r["eg_sim_sem"]) for r in rows]
    away_training = [(float(r["et_sim"]) - float(r["et"])) / float(r["et_sim_sem"]) for r in rows]
    peak = max(limit, key=lambda r: float(r["eg"]))
    many = [10**(2 + k / 10) for k in range(21)]
    tail = table_rows(results.run(*flags, "--alpha", ",".join(f"{x:.6g}" for x in many))[0])
    exponent = slope([math.log(float(r["alpha"])) for r in tail], [math.log(float(r["eg"]) - 1 / shift) for r in tail])
    start = table_rows(results.run(*flags, "--alpha", "1e-9")[0])[0]
    results.write_csv("replica.csv", ["alpha", "eg", "et", "eg_sim", "eg_sim_sem", "et_sim", "et_sim_sem"], rows,
                      [f"z = {shift}, lambda = {penalty}, L = {sites}, {realisations} realisations, seed 1"])
    results.write_csv("replica_limit.csv", ["alpha", "eg", "et"], limit, [f"z = {shift}, lambda = {penalty}, L -> infinity"])
    title = f"Learning curve of masked Gaussian modelling\\nz = {shift}, lambda = 10^{{-8}}, {realisations} realisations"
    results.picture("replica", f"""set title "{title}"
set logscale y
set xlabel 'samples per parameter alpha'
set ylabel 'loss E (x_i - w . x)^2'
set yrange [0.01:5000]
set xrange [0:4.1]
set format y '10^{{%L}}'
set key top right
plot 'replica_limit.csv' using 'alpha':'eg' with lines ls 1 title 'test loss, L -> infinity', \\
     'replica.csv' using 'alpha':'eg_sim':'eg_sim_sem' with yerrorbars ls 1 title 'simulation, L = {sites}', \\
     'replica_limit.csv' using 'alpha':'et' with lines ls 2 title 'training loss, L -> infinity', \\
     'replica.csv' using 'alpha':'et_sim':'et_sim_sem' with yerrorbars ls 2 title 'simulation, L = {sites}', \\
     {1 / shift:.10g} with lines ls 3 title 'best loss 1/z'
""", "760,520")
    text = (f"- L = {sites}, {realisations} realisations: {sum(abs(x) <= 3 for x in away)} of {len(rows)} test losses and "
            f"{sum(abs(x) <= 3 for x in away_training)} training losses within 3 standard errors of theory; root mean square "
            f"{root_mean_square(away):.2f} and {root_mean_square(away_training):.2f} standard errors; {seconds:.1f} s\n"
            f"- limit: peak at alpha = {float(peak['alpha']):.4g}; loss without data {float(start['eg']):.8f}, "
            f"rho = {float(start['rho']):.8f}\n"
            f"- excess over 1/z for alpha from 100 to 10000: exponent {exponent:.4f}\n\n")

    # One system at a time: what is left after L times the difference is its spread from system to system.
    alphas, penalty = [0.5, 1, 1.25, 2], 1e-4
    flags = ["replica", "--shift", shift, "--lambda", penalty, "--alpha", ",".join(map(str, alphas))]
    exact = [float(r["eg"]) for r in table_rows(results.run(*flags)[0])]
    table = []
    for sites, systems in results.pick(((100, 64), (200, 64), (400, 32), (800, 16), (1600, 12), (3000, 8)), ((100, 4), (200, 4))):
        differences = [[] for _ in alphas]
        for seed in range(1, systems + 1):
            for k, r in enumerate(table_rows(results.run(*flags, "--sites", sites, "--seed", seed)[0])):
                differences[k].append(float(r["eg"]) / exact[k] - 1)
        row = {"sites": sites, "systems": systems, "rms": root_mean_square(differences[0]),
               "rms_scaled": math.sqrt(sites) * root_mean_square(differences[0])}
        for k in range(1, len(alphas)):
            mean, error = mean_and_error(differences[k])
            row.update({f"difference_{alphas[k]}": f"{mean:.3e}", f"scaled_{alphas[k]}": f"{sites * mean:.3g} +- {sites * error:.1g}"})
        table.append(row)
    columns = ["sites", "systems"] + [f"{what}_{a}" for a in alphas[1:] for what in ("difference", "scaled")] + ["rms", "rms_scaled"]
    results.write_csv("replica_sites.csv", columns, table, [f"z = {shift}, lambda = {penalty}: e_g(L) / e_g(infinity) - 1, and L times it"])
    headings = {"L": "sites", "systems": "systems"}
    for a in alphas[1:]:
        headings.update({f"alpha = {a}": f"difference_{a}", f"times L{' ' * len(headings)}": f"scaled_{a}"})
    headings.update({"alpha = 0.5, rms": "rms", "times L^(1/2)": "rms_scaled"})
    text += markdown(headings, table, {"rms": "{:.3e}", "rms_scaled": "{:.3f}"})
    results.fill("replica", text)


# --- real alignments ----------------------------------------------------------------------------------------------------------------------

def chain(results):
    """A chain with nearest-neighbour couplings: the largest |A_ij| are the neighbours."""
    shutil.copy(os.path.join(results.data, "potts3.a2m"), "potts3.a2m")
    epochs, seconds, outcome = results.learn("potts3.a2m", "--alphabet", "_*^", "-o", "chain.h5", "--epochs", 1000)
    maps, _, _ = results.model("chain.h5")
    sites = 1 + max(i for _, i, _ in maps)
    pairs = sorted(((abs(maps[0, i, j] + maps[0, j, i]) / 2, i, j) for i in range(sites) for j in range(i + 1, sites)), reverse=True)
    neighbours = sum(j - i == 1 for _, i, j in pairs[:sites - 1])
    first_other = next(k for k, (_, i, j) in enumerate(pairs) if j - i != 1)
    weakest = min(a for a, i, j in pairs if j - i == 1)
    strongest_other = pairs[first_other][0]
    results.write_csv("chain.csv", ["i", "j", "strength"], [{"i": i, "j": j, "strength": f"{abs(maps.get((0, i, j), 0)):.6g}"}
                                                            for i in range(sites) for j in range(sites)], ["|A_ij| of potts3.a2m"])
    results.picture("chain", f"""set title "|A_{{ij}}| learned from 500 sequences of a chain\\nL = {sites}, q = 3, one head, L-BFGS"
unset grid
set border 15
set size ratio 1
set xlabel 'site j'
set ylabel 'site i'
set cblabel '|A_{{ij}}| (units of 1 / |V|)'
set xrange [-0.5:{sites - 0.5}]
set yrange [{sites - 0.5}:-0.5]
plot 'chain.csv' using 'j':'i':'strength' with image notitle
""", "640,560")
    text = (f"- {outcome} after {epochs} iterations, {seconds:.2f} s\n"
            f"- of the {sites - 1} largest |A_ij| (symmetric part) {neighbours} are neighbours on the chain; the first other pair has rank "
            f"{first_other + 1}\n"
            f"- weakest neighbour {weakest:.4g}, strongest other pair {strongest_other:.4g}\n")
    results.fill("chain", text)


def dhfr(results):
    """A protein family: 1 and 8 heads with fields, against the site-independent model on held-out sequences."""
    with open(os.path.join(results.data, "DHFR.a2m")) as file:
        entries = file.read().split(">")[1:]
    # Alignments are sorted by similarity: mix them before they are split.
    random.Random(1).shuffle(entries)
    with open("dhfr.fasta", "w") as file:
        file.write("".join(">" + entry for entry in entries))
    train = results.pick(2900, 600)
    tests = results.pick(len(entries) - train, 200)
    l2 = {"--l2-couplings": "3e-4", "--l2-colors": "3e-4", "--l2-fields": "1e-5"}
    penalties = [x for pair in l2.items() for x in pair]
    rows = []
    for heads in (1, 8):
        epochs, seconds, outcome = results.learn("dhfr.fasta", "--alphabet", "protein", "--fields", "--heads", heads, *penalties,
                                                 "-o", "dhfr.h5", "--rows", f"0:{train}", "--epochs", results.pick(3000, 20))
        r = results.evaluate("dhfr.h5", "dhfr.fasta", "--rows", f"{train}:{tests}", "--independent", "dhfr.fasta",
                             "--independent-rows", f"0:{train}")
        t = results.evaluate("dhfr.h5", "dhfr.fasta", "--rows", f"0:{train}")
        rows.append({"heads": heads, "train_loss": float(t["loss"]), "test_loss": float(r["loss"]),
                     "independent_loss": float(r["independent_loss"]), "epochs": epochs, "seconds_per_epoch": seconds / epochs,
                     "seconds": seconds, "outcome": outcome})
    columns = ["heads", "train_loss", "test_loss", "independent_loss", "epochs", "seconds_per_epoch", "seconds", "outcome"]
    results.write_csv("dhfr.csv", columns, rows,
                      [f"DHFR.a2m: {train} sequences to learn, {tests} held out, L = {r['sites']}, q = 21, fields",
                       "penalties: " + ", ".join(f"{k[2:]} {v}" for k, v in l2.items())])
    text = f"- {train} sequences to learn from, {tests} held out, L = {r['sites']}, q = 21; penalties " + \
        ", ".join(f"`{k} {v}`" for k, v in l2.items()) + "\n\n"
    text += markdown({"heads": "heads", "training loss": "train_loss", "held-out loss": "test_loss", "site-independent": "independent_loss",
                      "iterations": "epochs", "seconds per iteration": "seconds_per_epoch", "seconds": "seconds", "outcome": "outcome"},
                     rows, {"train_loss": "{:.4f}", "test_loss": "{:.4f}", "independent_loss": "{:.4f}", "seconds_per_epoch": "{:.3f}",
                            "seconds": "{:.1f}"})
    results.fill("dhfr", text)


def heads(results):
    """Factored attention in the convention of AttentionDCA.jl on a protein family, and its best pairs beside those of dense couplings."""
    data = [os.path.join(results.data, "DHFR.a2m"), "--alphabet", "protein", "--focus", "DYR_ECOLI", "--theta", 0.2]

    def best(model, *flags):
        text, _ = results.run("contacts", model, "--min-separation", 6, "--top", 159, *flags)
        return [(int(row["i"]), int(row["j"])) for row in table_rows(text)]

    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    iterations, rows = results.pick(250, 5), []
    results.learn(*data, "--family", "dense", "--gaps", "ignore", "--epochs", iterations, "-o", "dense.h5")
    dense = best("dense.h5")
    for name, d in (("attentiondca", 23),):
        before = used()
        epochs, _, outcome = results.learn(*data, "--attention-convention", name, "--epochs", iterations, "--tolerance",
                                           1e-7, "-o", "heads.h5")
        seconds = used() - before
        with open("log.csv") as file:
            loss = float(table_rows(file.read())[-1]["train_loss"])
        pairs = best("heads.h5")
        common = [len(set(pairs[:n]) & set(dense[:n])) / n for n in (159 // 5, 159 // 2, 159)]
        rows.append({"convention": name, "heads": 32, "d": d, "loss": loss, "iterations": epochs,
                     "cpu_seconds_per_iteration": seconds / epochs, "outcome": outcome,
                     "common_fifth": common[0], "common_half": common[1], "common_all": common[2],
                     "best": " ".join(f"{i}-{j}" for i, j in pairs[:8])})
    columns = list(rows[0])
    results.write_csv("heads.csv", columns, rows, ["DHFR.a2m, focus DYR_ECOLI, weights at theta 0.2; common: share of the best L/5, L/2 and L pairs, "
                                                   "sites 6 apart or more, that dense couplings have among as many"])
    results.fill("heads", markdown({"convention": "convention", "H": "heads", "d": "d", "training loss": "loss", "iterations": "iterations",
                                    "CPU seconds per iteration": "cpu_seconds_per_iteration", "outcome": "outcome", "common L/5": "common_fifth",
                                    "common L/2": "common_half", "common L": "common_all", "best pairs": "best"}, rows,
                                   {"loss": "{:.4f}", "cpu_seconds_per_iteration": "{:.2f}", "common_fifth": "{:.2f}", "common_half": "{:.2f}",
                                    "common_all": "{:.2f}"}))


PARTS = {"fig2c_effort": (fig2c_effort, None),
         "heads": (heads, "DHFR.a2m"), "main": (main_job, None), "tuning": (tuning, None), "consistency": (consistency, None),
         "consistency_spread": (consistency_spread, None), "separability": (separability, None), "potts": (potts, None), "peak": (peak, None),
         "peak_sites": (peak_sites, None), "replica": (replica, None), "ising": (ising, None),
         "ising_limit": (ising_limit, None),
         "dotattn": (dotattn, None), "dotattn_breaking": (dotattn_breaking, None),
         "dotattn_simulation": (dotattn_simulation, None), "dotattn_tokens": (dotattn_tokens, None), "dotattn_dynamics": (dotattn_dynamics, None),
         "chain": (chain, "potts3.a2m"), "dhfr": (dhfr, "DHFR.a2m"),
         "alignments": (alignments, "DHFR.a2m"), "methods": (methods, "structuredca/6acv_A_29-94.fasta"),
         "mogwai": (mogwai, "structuredca/6acv_A_29-94.fasta"),
         "selection": (selection, "structuredca/6acv_A_29-94.fasta"),
         "figures": (figures, None), "fig2a_effort": (fig2a_effort, None), "dotattn_positional": (dotattn_positional, None),
         "dotattn_crossing": (dotattn_crossing, None), "dotattn_slices": (dotattn_slices, None),
         "dotattn_onset": (dotattn_onset, None), "fig2d_sign": (fig2d_sign, None),
         **{name: (lambda results, family=family: structures(results, family), "structuredca") for name, family in STRUCTURES.items()}}


def record_minutes(results, name, seconds):
    """The time of a part goes to results/minutes.csv and to the table of all parts."""
    path = os.path.join(results.folder, "minutes.csv")
    known = {}
    if os.path.exists(path):
        with open(path) as file:
            known = {row["part"]: row for row in table_rows(file.read())}
    known[name] = {"part": name, "minutes": f"{seconds / 60:.2g}", "threads": results.threads or os.cpu_count()}
    rows = [known[part] for part in sorted(known)]
    results.write_csv("minutes.csv", ["part", "minutes", "threads"], rows)
    results.fill("minutes", markdown({"part": "part", "minutes": "minutes", "threads": "threads"}, rows, {}))


def run_parts(results, parts, names):
    info = json.loads(results.run("info", "--json")[0])
    for name in names:
        job, needed = parts[name]
        if needed and not os.path.exists(os.path.join(results.data, needed)):
            print(f"{name}: left out, {os.path.join(results.data, needed)} is not there", file=sys.stderr)
            continue
        print(f"{name}:", flush=True)
        begin = time.monotonic()
        # Of runs that were made before, a part tells the time.
        seconds = job(results)
        if seconds is not False:  # for want of a program: left out
            record_minutes(results, name, time.monotonic() - begin if seconds is None else seconds)
    results.fill("machine", f"attopotts {info['version']}, SIMD target {info['simd']}, {info['threads']} threads, {info['blas']}.\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.path.join(ROOT, "build/cli/attopotts"))
    parser.add_argument("--data", default=os.path.join(ROOT, "../shared/data"))
    parser.add_argument("--out", help="folder of the page, docs without --quick")
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    names = arguments.only.split(",")
    parts = {**PARTS, **{name: (lambda results, name=name: figure(results, name), None) for name in FIGURES}}
    if unknown := set(names) - set(parts):
        raise SystemExit(f"--only is \"{arguments.only}\": {', '.join(sorted(unknown))} not known, expected {', '.join(PARTS)}")
    docs = os.path.join(ROOT, "docs")
    if arguments.quick and arguments.out and os.path.realpath(arguments.out) == docs:
        raise SystemExit("--quick does not write to docs: its numbers say little")
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.abspath(arguments.out or (os.path.join(folder, "page") if arguments.quick else docs))
        if arguments.quick:
            os.makedirs(out, exist_ok=True)
            shutil.copy(os.path.join(docs, "results.md"), out)
        results = Results(arguments.program, arguments.data, out, arguments.threads, arguments.quick)
        os.chdir(folder)
        run_parts(results, parts, names)
        os.chdir("/")


if __name__ == "__main__":
    main()
