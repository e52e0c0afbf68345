#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""[R24 fig. 2d] at three distances: dial, softmax and free maps, for Gaussian J of either sign and for |J|.

usage: research/results_fig2d.py [--program build/cli/attopotts] [--runs docs/results/fig2d-runs.csv] [--work FOLDER] [--minutes N]
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
LAWS = {"gaussian": "J", "absolute": "abs(J)"}
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
            table.append({"law": LAWS[law], "distance": distance, "model": TITLES[model],
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
                    {"beta": "{:.2f}", "train": "{:.4f}", "test": "{:.4f}", "excess": "{:.4f}", "error": "{:.4f}"}).replace(" nan |", "  |")


def paired(rows):
    """Lines: the test loss of softmax at a = 0 less that at a = 1, J by J."""
    text = ""
    for law, distance in CASES:
        best = {}
        for row in rows:
            if row["stage"] == "main" and (row["law"], row["distance"]) == (law, distance):
                best.setdefault((row["architecture"], row["j_seed"]), []).append(row)
        best = {key: float(one["test_loss"]) for key, group in best.items() if (one := best_of(group))}
        gains = [best["softmax", j] - best["dial1", j] for model, j in best if model == "softmax" and ("dial1", j) in best]
        if gains:
            error = f" +- {error_of(gains):.4f}" if len(gains) > 1 else ""
            text += f"- {LAWS[law]}, distance {distance}: softmax at a = 0 less a = 1, by J: {statistics.mean(gains):+.4f}{error} ({len(gains)} J)\n"
    return text


def quick_rows(program, folder):
    """Rows at small sizes: 5 epochs, 1 start, 1 sample of J at distance 0.7."""
    runs = Runs(program, os.path.join(folder, "runs.csv"), folder)
    make(runs, Deadline(1), CASES[2:4], epochs=5, starts=1, couplings=1)
    return runs.rows()


def draw(results):
    """Test loss above the optimal one by model, J and |J| beside each other."""
    plots = ", \\\n     ".join(
        f"'fig2d_sign.csv' using (strcol('law') eq '{law}' && column('distance') == {distance} ? column('place') + {shift} : NaN):'excess':'error'"
        f" with yerrorbars pt {point} ps 1.2 lw 2 lc rgb '{color}' title '{law}, distance {distance}'"
        for distance, color, shift in (("0.3", "#440154", -0.1), ("0.7", "#21918c", 0), ("0.8", "#e6740b", 0.1))
        for law, point in (("J", 7), ("abs(J)", 6)))
    names = ", ".join(f'"{TITLES[model].replace(", ", chr(92) + "n")}" {k}' for k, model in enumerate(MODELS))
    results.picture("fig2d_sign", f"""set ylabel 'test loss - optimal loss (nats per site)'
set xtics ({names})
set xrange [-0.5:{len(MODELS) - 0.5}]
set logscale y
set key outside right
plot {plots}
""", "960,480")


def fig2d_sign(results):
    """The part of results.py: the table and the picture of docs/results.md."""
    if results.quick:
        rows = quick_rows(results.program, os.path.abspath("fig2d"))
    else:
        rows = read_rows(os.path.join(results.folder, "fig2d-runs.csv"))
    table = table_rows(rows)
    for row in table:
        row["place"] = list(TITLES.values()).index(row["model"])
    results.write_csv("fig2d_sign.csv", ["law", "distance", "model", "place", "couplings", "starts", "beta", "train", "test", "excess", "error"],
                      [{**row, "model": '"' + row["model"] + '"', "error": row["error"] if row["couplings"] > 1 else 0} for row in table],
                      ["test loss above the optimal one, best start by training loss, mean and standard error over J"])
    results.fill("fig2d_sign", markdown_table(rows) + "\n" + paired(rows))
    draw(results)
    return sum(float(row["cpu_seconds"]) for row in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.path.join(ROOT, "build/cli/attopotts"))
    parser.add_argument("--runs", default=os.path.join(ROOT, "docs/results/fig2d-runs.csv"))
    parser.add_argument("--work", default=os.path.join(tempfile.gettempdir(), "attopotts-fig2"))
    parser.add_argument("--minutes", type=float, default=1e6)
    parser.add_argument("--quick", action="store_true", help="5 epochs, 1 start, 1 sample of J at distance 0.7, in a folder of its own")
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    if arguments.quick:
        with tempfile.TemporaryDirectory() as folder:
            print(markdown_table(quick_rows(arguments.program, folder)), end="")
        return
    if not arguments.table:
        make(Runs(arguments.program, arguments.runs, arguments.work), Deadline(arguments.minutes))
    print(markdown_table(read_rows(arguments.runs)), end="")


if __name__ == "__main__":
    main()
