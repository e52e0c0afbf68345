#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""[R24 fig. 2d] at three distances: dial, softmax and free maps, for Gaussian J of either sign and for |J|.

usage: scripts/results_fig2d.py [--program build/cli/attopotts] [--runs docs/results/fig2d-runs.csv] [--work FOLDER] [--minutes N]
                                [--quick] [--table]

|J| has the same U. Its beta is chosen anew for the same distance, so that sign is the only difference. Rate and momentum are chosen for
each law, distance and model on J of seed 1, as for figure 2a; then come 3 starts of 1000 epochs for each of 3 samples of J. Runs resume.
"""
import argparse
import os
import statistics
import tempfile

from potts_runs import MOMENTA, RATES, ROOT, Deadline, Runs, best_of, converged, error_of, read_rows, training

MODELS = ("free", "softmax", "dial0.1", "dial0.4", "dial1")
TITLES = {"free": "free, a = 0", "softmax": "softmax, a = 0", "dial0.1": "a = 0.1", "dial0.4": "a = 0.4", "dial1": "a = 1"}
CASES = (("gaussian", "0.3"), ("absolute", "0.3"), ("gaussian", "0.7"), ("absolute", "0.7"), ("gaussian", "0.8"), ("absolute", "0.8"))
EPOCHS, STARTS, COUPLINGS = 1000, 3, 3


def tuning(law, distance, model, epochs):
    return [training(law=law, distance=distance, j_seed=1, stage="tune", architecture=model, start_seed=1, rate=rate, momentum=momentum,
                     epochs=epochs) for rate in RATES for momentum in MOMENTA]


def make(runs, deadline, cases=CASES, epochs=EPOCHS, starts=STARTS, couplings=COUPLINGS):
    settings = {}
    for j_seed in range(1, couplings + 1):
        for law, distance in cases:
            for model in MODELS:
                if (law, distance, model) not in settings:
                    tried = []
                    for wanted in tuning(law, distance, model, epochs):
                        if deadline.passed():
                            return
                        tried.append(runs.train(wanted))
                    settings[law, distance, model] = best_of(tried)
                best = settings[law, distance, model]
                if best is None:  # all diverged
                    continue
                for start in range(1, starts + 1):
                    if deadline.passed():
                        return
                    runs.train(training(law=law, distance=distance, j_seed=j_seed, architecture=model, start_seed=start,
                                        rate=best["rate"], momentum=best["momentum"], epochs=epochs))


def table_rows(rows):
    """A row for each law, distance and model: the best starts by training loss, means and errors over J."""
    table = []
    for law, distance in CASES:
        for model in MODELS:
            by_j = {}
            for row in rows:
                if row["stage"] == "main" and (row["law"], row["distance"], row["architecture"]) == (law, distance, model):
                    by_j.setdefault(row["j_seed"], []).append(row)
            best = [one for group in by_j.values() if (one := best_of(group))]
            if not best:
                continue
            excess = [float(row["test_loss"]) - float(row["optimal_loss"]) for row in best]
            table.append({"law": {"gaussian": "J", "absolute": "abs(J)"}[law], "distance": distance, "model": TITLES[model],
                          "rate": best[0]["rate"], "momentum": best[0]["momentum"], "couplings": len(best),
                          "starts": min(map(len, by_j.values())), "diverged": sum(not converged(r) for g in by_j.values() for r in g),
                          "beta": statistics.mean(float(row["beta"]) for row in best),
                          "train": statistics.mean(float(row["train_loss"]) for row in best),
                          "test": statistics.mean(float(row["test_loss"]) for row in best),
                          "excess": statistics.mean(excess), "error": error_of(excess)})
    return table


def markdown_table(rows):
    from results_common import markdown
    return markdown({"couplings": "law", "distance": "distance", "model": "model", "rate": "rate", "momentum": "momentum",
                     "samples of J": "couplings", "starts": "starts", "beta": "beta", "training": "train", "test": "test",
                     "test - optimal": "excess", "error over J": "error"}, table_rows(rows),
                    {"beta": "{:.2f}", "train": "{:.4f}", "test": "{:.4f}", "excess": "{:.4f}", "error": "{:.4f}"})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.path.join(ROOT, "build/cli/attopotts"))
    parser.add_argument("--runs", default=os.path.join(ROOT, "docs/results/fig2d-runs.csv"))
    parser.add_argument("--work", default=os.path.join(tempfile.gettempdir(), "attopotts-fig2"))
    parser.add_argument("--minutes", type=float, default=1e6)
    parser.add_argument("--quick", action="store_true", help="20 epochs, 1 start, 1 sample of J at distance 0.7, in a folder of its own")
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    if arguments.quick:
        with tempfile.TemporaryDirectory() as folder:
            runs = Runs(arguments.program, os.path.join(folder, "runs.csv"), folder)
            make(runs, Deadline(1), CASES[2:4], epochs=20, starts=1, couplings=1)
            print(markdown_table(runs.rows()), end="")
        return
    if not arguments.table:
        make(Runs(arguments.program, arguments.runs, arguments.work), Deadline(arguments.minutes))
    print(markdown_table(read_rows(arguments.runs)), end="")


if __name__ == "__main__":
    main()
