#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The runs of the part peak of results.py: factored attention near its interpolation peak, V known and learned, three penalties.

usage: research/results_peak_runs.py DISTANCE MODEL [--program build/cli/attopotts] [--out docs]

Makes the runs of one J and U at one mean Hamming distance. Finished runs stand in OUT/results/peak_runs.csv and are not made again.
"""
import argparse
import csv
import os
import tempfile

from results_common import Results, message, table_rows

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SITES, COLORS, TESTS, TRAINING = 20, 20, 2000, 400
DISTANCES, MODELS = ("0.9", "0.3"), (1, 2, 3, 4, 5)
COUNTS, PENALTIES, KINDS = (3, 5, 7, 10, 14, 19, 28, 38, 57, 76), ("1e-6", "1e-8", "1e-10"), ("fixed", "learned")
EPOCHS = 10000
KEY = ("distance", "model", "values", "penalty", "samples")
COLUMNS = KEY + ("train_loss", "test_loss", "optimal_loss", "epochs", "seconds", "outcome")


def stored(results):
    """{key: row} of the finished runs."""
    path = os.path.join(results.folder, "peak_runs.csv")
    if not os.path.exists(path):
        with open(path, "w") as file:
            file.write("# L = q = 20; training with the penalty times |A|^2, and times |V|^2 where V is learned; tolerance: penalty / 10; "
                       "losses: nats per site\n" + ",".join(COLUMNS) + "\n")
    with open(path) as file:
        return {tuple(row[k] for k in KEY): row for row in csv.DictReader(line for line in file if not line.startswith("#"))}


def sample(results, distance, model):
    """The data of one J and U: data.h5, truth.h5. Rows 0 to TRAINING are for training, the rest for tests."""
    results.run("sample", "--sites", SITES, "--colors", COLORS, "--couplings", "gaussian", "--color-matrix", "gaussian", "--hamming", distance,
                "--samples", TRAINING + TESTS, "--seed", model, "-o", "data.h5", "--model-out", "truth.h5", "--progress", "none")
    return message(results, "beta ")


def train(results, kind, penalty, samples):
    # The tolerance is relative to |A|; the penalty's gradient is 2 penalty |A|.
    flags = ["--colors-from", "truth.h5"] if kind == "fixed" else ["--l2-colors", penalty]
    results.run("learn", "data.h5", "-o", "model.h5", "--rows", f"0:{samples}", "--precision", 64, "--history", 30, "--epochs", EPOCHS,
                "--tolerance", float(penalty) / 10, "--l2-couplings", penalty, *flags, "--log", "log.csv", "--progress", "none", good=(0, 3))
    with open("log.csv") as file:
        text = file.read()
    last = table_rows(text)[-1]
    judged = results.evaluate("model.h5", "data.h5", "--rows", f"{TRAINING}:{TESTS}", "--truth", "truth.h5")
    outcome = next(line.split(": ")[1] for line in text.splitlines() if line.startswith("# outcome"))
    return {"train_loss": last["train_loss"], "test_loss": judged["loss"], "optimal_loss": judged["optimal_loss"], "epochs": last["epoch"],
            "seconds": last["seconds"], "outcome": outcome}


def runs(results, distance, model):
    """Makes what is missing of one J and U."""
    missing = [(kind, penalty, m) for m in results.pick(COUNTS, (3, 14)) for kind in KINDS for penalty in results.pick(PENALTIES, PENALTIES[:1])
               if (distance, str(model), kind, penalty, str(m)) not in stored(results)]
    if not missing:
        return
    print(f"  distance {distance}, J and U {model}: {sample(results, distance, model)}; {len(missing)} runs", flush=True)
    for kind, penalty, samples in missing:
        row = {"distance": distance, "model": model, "values": kind, "penalty": penalty, "samples": samples,
               **train(results, kind, penalty, samples)}
        with open(os.path.join(results.folder, "peak_runs.csv"), "a") as file:
            file.write(",".join(str(row[c]) for c in COLUMNS) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("distance", choices=DISTANCES)
    parser.add_argument("model", type=int)
    parser.add_argument("--program", default=os.path.join(ROOT, "build/cli/attopotts"))
    parser.add_argument("--out", default=os.path.join(ROOT, "docs"))
    arguments = parser.parse_args()
    results = Results(arguments.program, "", arguments.out, 1)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        runs(results, arguments.distance, arguments.model)
        os.chdir("/")


if __name__ == "__main__":
    main()
