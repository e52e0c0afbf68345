# SPDX-License-Identifier: MIT
"""The part `tuning` of results.py: does fresh data lie at the mean Hamming distance that beta was tuned to?"""
import math
import os

from results_common import clustered_mean_and_error, markdown, message, root_mean_square, table_rows

TARGET, MODELS, SEEDS, SAMPLES = 0.3, 4, 2, 15000
COLUMNS = ["model", "seed", "beta", "beta_error", "tuning_error", "distance", "distance_error", "energy_rhat", "overlap_rhat", "off",
           "seconds"]


def numbers(line):
    """The numbers of a message."""
    return [float(word) for word in line.replace("(", " ").replace(")", " ").split() if word.replace(".", "", 1).isdigit()]


def one(results, model, seed):
    """Tune with one seed, sample with another."""
    truth, samples = f"tuning{model}.h5", "tuning_data.h5"
    if not os.path.exists(truth):
        size = results.pick(20, 8)
        results.run("sample", "--sites", size, "--colors", size, "--couplings", "gaussian", "--color-matrix", "gaussian", "--beta", 1,
                    "--protocol", "chain", "--thin", 1, "--samples", 1, "--seed", model, "-o", samples, "--model-out", truth)
    _, seconds = results.run("sample", "--model", truth, "--hamming", TARGET, "--protocol", "chain", "--thin", 1, "--samples", 1,
                             "--seed", seed, "-o", samples)
    beta, beta_error, _, _, tuning_error = numbers(message(results, "beta "))
    results.run("sample", "--model", truth, "--beta", beta, "--samples", results.pick(SAMPLES, 1000), "--seed", 1000 + seed, "-o", samples)
    distance, error = numbers(message(results, "mean Hamming"))
    return {"model": model, "seed": seed, "beta": beta, "beta_error": beta_error, "tuning_error": tuning_error, "distance": distance,
            "distance_error": error, "energy_rhat": numbers(message(results, "split R-hat"))[0],
            "overlap_rhat": numbers(message(results, "R-hat of overlaps"))[0],
            "off": f"{(distance - TARGET) / math.hypot(tuning_error, error):+.2f}", "seconds": f"{seconds:.1f}"}


def tuning(results):
    """Finished rows stand in the CSV file and are not made again."""
    path, rows = os.path.join(results.folder, "tuning.csv"), []
    if os.path.exists(path):
        with open(path) as file:
            rows = table_rows(file.read())
    models, seeds = results.pick((MODELS, SEEDS), (2, 1))
    for model in range(1, models + 1):
        for seed in range(1, seeds + 1):
            if not any((int(r["model"]), int(r["seed"])) == (model, seed) for r in rows):
                rows.append(one(results, model, seed))
                note = f"L = q = 20, Gaussian couplings, target {TARGET}, {SAMPLES} fresh samples"
                results.write_csv("tuning.csv", COLUMNS, rows, [note])
    rows.sort(key=lambda r: (int(r["model"]), int(r["seed"])))
    off = [float(r["off"]) for r in rows]
    mean, error = clustered_mean_and_error([float(r["distance"]) - TARGET for r in rows], [r["model"] for r in rows])
    text = (f"- {sum(abs(x) <= 3 for x in off)} of {len(off)} distances are within 3 errors of {TARGET:g}, the largest deviation is "
            f"{max(off, key=abs):+.1f}, the root mean square {root_mean_square(off):.2f}\n"
            f"- mean deviation {mean:+.4f} +- {error:.4f} (standard error clustered by J, {models} clusters of {seeds} seeds)\n\n")
    results.fill("tuning", text + markdown({"J": "model", "seed": "seed", "beta": "beta", "error": "beta_error",
                                            "error of the distance": "tuning_error", "distance of fresh data": "distance", "error ": "distance_error", "off by": "off",
                                            "R-hat of the energy": "energy_rhat", "R-hat of overlaps": "overlap_rhat",
                                            "seconds, tuning": "seconds"}, rows, {}))
    return sum(float(r["seconds"]) for r in rows)
