#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""[R24 fig. 2b, 2c]: couplings of all models in one gauge, where SGD ends and where L-BFGS ends that continues it.

usage: research/results_fig2c.py [--program build/cli/attopotts] [--runs docs/results/fig2c-runs.csv] [--work FOLDER] [--minutes N]
                                [--only NAME,...] [--quick] [--table]

2000 epochs at the rate and momentum that figure 2a has found for each architecture, for each of 5 samples of J and two distances; every start
is continued by L-BFGS on the pseudo-likelihood to a tolerance of 1e-6. Factored attention has 8 starts. Its best start for J of seed 1 is also
continued with penalties 1e-6..1e-3 on map and V, and to other tolerances. Encoders have one start for each J, and an end of L-BFGS after
ITERATIONS. Their attention is compared by the affine function of it that is closest to beta J. Runs resume, with the comparison of their maps
in --runs.
"""
import argparse
import csv
import math
import os
import statistics
import tempfile

from potts_runs import COLUMNS, COUPLINGS, ROOT, STARTS, Deadline, Runs, best_of, error_of, read_rows, training

PENALTIES = ("1e-6", "1e-5", "1e-4", "1e-3")
DISTANCES = ("0.3", "0.7")
ITERATIONS = {"factored": 5000, "encoder1": 300, "encoder3": 60}
# Those of results_fig2a.py, at both distances; the momentum is 0.9 for all.
RATES = {"factored": "0.1", "encoder1": "0.03", "encoder3": "0.03"}
TOLERANCE = "1e-6"
TOLERANCES = ("1e-4", "1e-5", "3e-6", "3e-7")
MEASURES = [f"{name}_{end}" for end in ("sgd", "lbfgs") for name in ("unexplained", "r", "r_apart")]


def fit(truth, learned):
    """Best affine fit of `learned` to `truth`: share of the square of `truth` that it leaves, and the correlation."""
    n = len(truth)
    x0, y0 = sum(learned) / n, sum(truth) / n
    xx, yy = sum((x - x0)**2 for x in learned), sum((y - y0)**2 for y in truth)
    xy = sum((x - x0) * (y - y0) for x, y in zip(learned, truth))
    if xx == 0 or yy == 0:
        return float("nan"), float("nan")
    return (yy - xy * xy / xx) / sum(y * y for y in truth), xy / math.sqrt(xx * yy)


def measures(name):
    """Of a table of maps: factored attention as it is, in the gauge of J; the attention of encoders; three blocks: mean of the last two."""
    with open(name) as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    found = {}
    for end in ("sgd", "lbfgs"):
        columns = sorted(column for column in rows[0] if column.startswith(end + "_"))[-2:]
        if not columns:
            continue
        truth = [float(row["coupling"]) for row in rows]
        learned = [sum(float(row[c]) for c in columns) / len(columns) for row in rows]
        apart = [abs(int(row["i"]) - int(row["j"])) > 1 for row in rows]
        left, r = fit(truth, learned)
        found[f"unexplained_{end}"], found[f"r_{end}"] = f"{left:.6f}", f"{r:.6f}"
        found[f"r_apart_{end}"] = f"{fit([t for t, a in zip(truth, apart) if a], [x for x, a in zip(learned, apart) if a])[1]:.6f}"
    return found


class MapRuns(Runs):
    """Rows have the measures of the maps, too."""

    def add(self, row):
        super().add({**row, **{name: "" for name in MEASURES}, **measures(self.maps_name(row))})


def make(runs, architectures, deadline, epochs=2000, couplings=COUPLINGS, starts=STARTS, distances=DISTANCES):
    def one(architecture, distance, j_seed, start, penalty="0", tolerance=TOLERANCE):
        if deadline.passed():
            return False
        runs.train(training(distance=distance, j_seed=j_seed, architecture=architecture, start_seed=start,
                            rate=RATES[architecture], momentum="0.9", epochs=epochs, polish=ITERATIONS[architecture], l2=penalty,
                            stage="main" if tolerance == TOLERANCE else f"tolerance {tolerance}"), ["--polish-tolerance", tolerance])
        return True
    for j_seed in range(1, couplings + 1):
        for distance in distances:
            for architecture in architectures:
                last = starts if architecture == "factored" else 1
                if not all(one(architecture, distance, j_seed, start) for start in range(1, last + 1)):
                    return
                if architecture == "factored" and j_seed == 1:
                    best = best_start(runs.rows(), distance)["start_seed"]
                    if not all(one(architecture, distance, j_seed, best, penalty) for penalty in PENALTIES) or not all(
                            one(architecture, distance, j_seed, best, "0", tolerance) for tolerance in TOLERANCES):
                        return


def best_start(rows, distance):
    """The start with the smallest training loss of SGD, of factored attention on J of seed 1 without a penalty."""
    return best_of(row for row in of_model(rows, distance, "factored") if row["j_seed"] == "1")


def of_model(rows, distance, architecture):
    """The trainings of a model without a penalty, to the usual tolerance."""
    return [row for row in rows
            if (row["l2"], row["stage"], row["distance"], row["architecture"]) == ("0", "main", distance, architecture)]


def ends_table(rows):
    """For each distance and model the best starts by the training loss of each end, means and errors over J."""
    table = []
    for distance in DISTANCES:
        for architecture in ITERATIONS:
            mine = of_model(rows, distance, architecture)
            for end, prefix in (("sgd", ""), ("lbfgs", "polished_")):
                by_j = {}
                for row in mine:
                    by_j.setdefault(row["j_seed"], []).append({**row, "train_loss": row[prefix + "train_loss"],
                                                               "outcome": row[prefix + "outcome"]})
                # Fewer starts would make another model of it: J whose starts are not all there are left out.
                by_j = {j: group for j, group in by_j.items() if len(group) >= (STARTS if architecture == "factored" else 1)} or by_j
                best = [one for group in by_j.values() if (one := best_of(group))]
                if not best:
                    continue
                mean = {name: [float(row[key] or "nan") for row in best] for name, key in
                        (("train", "train_loss"), ("test", prefix + "test_loss"), ("error", prefix + "coupling_error"),
                         ("unexplained", f"unexplained_{end}"), ("r", f"r_{end}"), ("r_apart", f"r_apart_{end}"))}
                excess = [float(row[prefix + "test_loss"]) - float(row["optimal_loss"]) for row in best]
                table.append({"distance": distance, "model": architecture, "end": end, "couplings": len(best),
                              "starts": min(map(len, by_j.values())), **{name: statistics.mean(v) for name, v in mean.items()},
                              "excess": statistics.mean(excess), "excess_error": error_of(excess), "error_error": error_of(mean["error"]),
                              "unexplained_error": error_of(mean["unexplained"]),
                              "converged": sum(row["outcome"] == "converged" for row in best)})
    return table


def tolerance_of(row):
    return float(TOLERANCE if row["stage"] == "main" else row["stage"].split()[1])


def penalty_table(rows):
    """J of seed 1: where L-BFGS ends with each tolerance, and with each penalty."""
    table = []
    for distance in DISTANCES:
        mine = [row for row in rows if row["distance"] == distance and row["architecture"] == "factored" and row["j_seed"] == "1"]
        best = best_start(rows, distance)
        if best is None:
            continue
        common = {"distance": distance, "optimal": float(best["optimal_loss"])}
        table.append({**common, "end": "SGD", "l2": "0", "tolerance": "", "iterations": best["iterations"],
                      "train": float(best["train_loss"]), "test": float(best["test_loss"]), "error": float(best["coupling_error"])})
        for row in sorted((r for r in mine if r["start_seed"] == best["start_seed"]), key=lambda r: (float(r["l2"]), -tolerance_of(r))):
            table.append({**common, "end": "L-BFGS", "l2": row["l2"], "tolerance": f"{tolerance_of(row):g}",
                          "iterations": row["polished_iterations"], "train": float(row["polished_train_loss"]),
                          "test": float(row["polished_test_loss"]), "error": float(row["polished_coupling_error"])})
    return table


def tables_text(rows):
    from results_common import markdown
    text = markdown({"distance": "distance", "model": "model", "end of": "end", "J": "couplings", "starts": "starts",
                     "training": "train", "test": "test", "test - optimal": "excess", "error ": "excess_error", "coupling error": "error",
                     "error  ": "error_error", "left by the affine fit": "unexplained", "error   ": "unexplained_error",
                     "correlation": "r", "off the chain": "r_apart", "converged": "converged"}, ends_table(rows),
                    {"train": "{:.4f}", "test": "{:.4f}", "excess": "{:.4f}", "excess_error": "{:.4f}", "error": "{:.4f}",
                     "error_error": "{:.4f}", "unexplained": "{:.3f}", "unexplained_error": "{:.3f}", "r": "{:.3f}", "r_apart": "{:.3f}"})
    # No error over a single J, and no coupling error of an encoder.
    text = text.replace(" nan ", " ")
    return text + "\n" + markdown({"distance": "distance", "end of": "end", "penalty": "l2", "tolerance": "tolerance",
                                   "iterations": "iterations", "training": "train", "test": "test",
                                   "optimal": "optimal", "coupling error": "error"}, penalty_table(rows),
                                  {"train": "{:.5f}", "test": "{:.5f}", "optimal": "{:.5f}", "error": "{:.4f}"})


def quick_rows(program, folder):
    """Rows at small sizes: 5 epochs, 1 start, 1 sample of J at distance 0.7."""
    runs = MapRuns(program, os.path.join(folder, "runs.csv"), folder, COLUMNS + MEASURES)
    make(runs, ["factored", "encoder1"], Deadline(10), epochs=5, couplings=1, starts=1, distances=DISTANCES[1:])
    return runs.rows()


def fig2c_effort(results):
    """For results.py: the tables of the runs that are there."""
    rows = quick_rows(results.program, os.path.abspath("fig2c")) if results.quick else read_rows(os.path.join(results.folder, "fig2c-runs.csv"))
    results.fill("fig2c_effort", tables_text(rows))
    return sum(float(row["cpu_seconds"]) for row in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.path.join(ROOT, "build/cli/attopotts"))
    parser.add_argument("--runs", default=os.path.join(ROOT, "docs/results/fig2c-runs.csv"))
    parser.add_argument("--work", default=os.path.join(tempfile.gettempdir(), "attopotts-fig2"))
    parser.add_argument("--minutes", type=float, default=1e6)
    parser.add_argument("--only", default=",".join(ITERATIONS))
    parser.add_argument("--quick", action="store_true", help="5 epochs, 1 start, 1 sample of J at distance 0.7, in a folder of its own")
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    if arguments.quick:
        with tempfile.TemporaryDirectory() as folder:
            print(tables_text(quick_rows(arguments.program, folder)), end="")
        return
    if not arguments.table:
        make(MapRuns(arguments.program, arguments.runs, arguments.work, COLUMNS + MEASURES), arguments.only.split(","), Deadline(arguments.minutes))
    print(tables_text(read_rows(arguments.runs)), end="")


if __name__ == "__main__":
    main()
