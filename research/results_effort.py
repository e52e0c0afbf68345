# SPDX-License-Identifier: MIT
"""The part fig2a_effort of results.py: architectures with equal effort, from the trainings that results_fig2a.py has stored."""
import math

from results_common import markdown, mean_and_error, stored_runs

NAMES = {"factored": "factored attention", "encoder1": "encoder, 1 block", "encoder3": "encoder, 3 blocks"}
KINDS = {"equilibrium": "equilibrium", "chain": "one chain"}


def best_starts(rows):
    """{J: the start with the smallest training loss, all starts} of one architecture and one kind of data, at the setting that has most starts."""
    settings = [(r["rate"], r["momentum"]) for r in rows]
    chosen = max(sorted(set(settings)), key=settings.count)
    mine = [r for r in rows if (r["rate"], r["momentum"]) == chosen]
    return chosen, {j: sorted((r for r in mine if r["j"] == j), key=lambda r: r["train_loss"]) for j in sorted({r["j"] for r in mine})}


def with_error(values, digits=4):
    """Mean and standard error over J; a single J has no error."""
    if len(values) == 1:
        return f"{values[0]:.{digits}f} (one J)"
    mean, error = mean_and_error(values)
    return f"{mean:.{digits}f} +- {error:.{digits}f}"


def row_of(distance, kind, architecture, rows):
    (rate, momentum), starts = best_starts(rows)
    best = [runs[0] for runs in starts.values()]
    counts = sorted({len(runs) for runs in starts.values()})
    row = {"distance": distance, "data": KINDS[kind], "model": NAMES[architecture], "architecture": architecture, "setting": f"{rate:g}, {momentum:g}", "j": len(starts),
           "starts": "-".join(f"{n}" for n in sorted({counts[0], counts[-1]})),
           "train": with_error([r["train_loss"] - r["optimal_train"] for r in best]),
           "test": with_error([r["test_loss"] - r["optimal_test"] for r in best]),
           "test_excess": sum(r["test_loss"] - r["optimal_test"] for r in best) / len(best),
           "spread": with_error([runs[-1]["train_loss"] - runs[0]["train_loss"] for runs in starts.values()], 3) if counts[0] > 1 else "-",
           "map_r": with_error([r["map_r"] for r in best], 2), "measured": with_error([r["measured_distance"] for r in best], 3),
           "seconds": sum(r["seconds"] for r in rows) / len(rows),
           "parameters": int(best[0]["parameters"])}
    row["test_error"] = mean_and_error([r["test_loss"] - r["optimal_test"] for r in best])[1] if len(best) > 1 else 0
    return row


def continued_rows(groups):
    """What L-BFGS finds where SGD ended, for the best start of each J."""
    table = []
    for (distance, kind, architecture), rows in groups.items():
        if architecture != "factored":
            continue
        best = [runs[0] for runs in best_starts(rows)[1].values()]
        table.append({"distance": distance, "data": KINDS[kind], "j": len(best),
                      **{f"{end}_{what}": with_error([r[column] - (r[optimal] if optimal else 0) for r in best], 5 if optimal else 4)
                         for end, names in (("sgd", ("train_loss", "test_loss", "coupling_error")), ("lbfgs", ("lbfgs_train", "lbfgs_test", "lbfgs_error")))
                         for what, column, optimal in zip(("train", "test", "error"), names, ("optimal_train", "optimal_test", None))},
                      "converged": f"{sum(r['lbfgs_outcome'] == 'converged' for r in best)} of {len(best)}"})
    return table


def paired(groups):
    """Lines: the excess of one block less that of three, J by J."""
    text = ""
    for (distance, kind, architecture), rows in groups.items():
        other = groups.get((distance, kind, "encoder3"))
        if architecture != "encoder1" or not other:
            continue
        one, three = (best_starts(found)[1] for found in (rows, other))
        shared = sorted(set(one) & set(three))
        for what in ("training", "test"):
            column = {"training": "train_loss", "test": "test_loss"}[what]
            gains = [one[j][0][column] - three[j][0][column] for j in shared]
            text += f"- distance {distance:g}, {KINDS[kind]}: {what} loss of one block less that of three, by J: {with_error(gains)} ({len(shared)} J)\n"
    return text


def fewer_starts(groups):
    """Lines: how much the test loss falls with more starts, J by J; the best is always that of the smallest training loss."""
    text = ""
    for (distance, kind, architecture), rows in groups.items():
        starts = best_starts(rows)[1]
        most = min(map(len, starts.values()))
        if most < 4:
            continue
        gains = {few: [min((r for r in runs if r["start"] <= few), key=lambda r: r["train_loss"])["test_loss"] - runs[0]["test_loss"]
                       for runs in starts.values()] for few in (1, 4) if few < most}
        text += f"- distance {distance:g}, {KINDS[kind]}, {NAMES[architecture]}: test loss above that of the best start of {most}: " + ", ".join(
            f"{with_error(values)} with {few}" for few, values in gains.items()) + "\n"
    return text


def fig2a_effort(results):
    groups = {}
    rows = stored_runs(results, "fig2a-runs.csv", "results_fig2a.py", "--distances", "0.7")
    for row in rows or ():
        if math.isfinite(row["train_loss"]):
            groups.setdefault((row["distance"], row["kind"], row["architecture"]), []).append(row)
    if not groups:
        return None
    order = sorted(groups, key=lambda g: (-g[0], g[1] == "chain", list(NAMES).index(g[2])))
    groups = {key: groups[key] for key in order}
    rows = [row_of(*key, found) for key, found in groups.items()]
    text = markdown({"distance": "distance", "data": "data", "measured": "measured", "model": "model", "rate, momentum": "setting", "J": "j", "starts": "starts",
                     "training loss - optimal": "train", "test loss - optimal": "test", "spread of starts": "spread", "R with J": "map_r",
                     "seconds": "seconds", "parameters": "parameters"}, rows, {"seconds": "{:.1f}"})
    text += "\n" + paired(groups) + "\nOf fewer starts (the first ones):\n\n" + fewer_starts(groups)
    text += "\nFactored attention, continued by L-BFGS from where SGD ended:\n\n"
    text += markdown({"distance": "distance", "data": "data", "J": "j", "training, SGD": "sgd_train", "L-BFGS": "lbfgs_train",
                      "test, SGD": "sgd_test", "L-BFGS ": "lbfgs_test", "coupling error, SGD": "sgd_error", "L-BFGS  ": "lbfgs_error",
                      "converged": "converged"}, continued_rows(groups), {})
    results.fill("fig2a_effort", text)
    results.write_csv("fig2a_effort.csv", ["distance", "data", "architecture", "j", "test_excess", "test_error"], rows,
                      ["test loss above the optimal one, best start by training loss, mean and standard error over J"])
    draw(results, rows)
    return sum(row["seconds"] for found in groups.values() for row in found)


def draw(results, rows):
    cases = list(dict.fromkeys((r["distance"], r["data"]) for r in rows))
    plots = ", \\\n     ".join(
        f"'fig2a_effort.csv' using (strcol('architecture') eq '{name}' ? place(column('distance'), strcol('data')) + {0.2 * (k - 1)} : NaN)"
        f":'test_excess':'test_error' with yerrorbars ls {k + 1} ps 1.3 title '{title}'" for k, (name, title) in enumerate(NAMES.items()))
    place = " : ".join(f"d == {d:g} && s eq '{s}' ? {k}" for k, (d, s) in enumerate(cases)) + " : NaN"
    labels = ", ".join(f"'distance {d:g},\\n{s}' {k}" for k, (d, s) in enumerate(cases))
    results.picture("fig2a_effort", f"""set title "Test loss above the optimal one, equal effort\\nL = q = 20, M = 3000, 2000 epochs"
place(d, s) = {place}
set logscale y
set ylabel 'test loss - optimal loss (nats per site)'
set xrange [-0.5:{len(cases) - 0.5}]
set xtics ({labels.replace(chr(39), chr(34))})
set yrange [0.002:1]
set bmargin 4
set key outside right
plot {plots}
""", "860,480")
