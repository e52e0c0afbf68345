# SPDX-License-Identifier: MIT
"""The part dotattn_slices of results.py: stored descents for other widths, penalties, teachers, ranks and optimisers beside theory."""
import math

from results_common import markdown, mean_and_error, numbers, root_mean_square, stored_runs
from results_dimensions import code_loss
from results_slices_runs import VALUES

BASE = {"omega": 0.3, "sigma": 0.5, "lambda": 0.01}
SKEW = ["--teacher", "0.3,0.7,0.8,0.2"]
WHAT = ("order", "q", "eg", "et")


def flags_of(name, value):
    problem = {**BASE, **({name: value} if name in BASE else {"omega": value} if name == "skew" else {})}
    return [text for key, number in problem.items() for text in (f"--{key}", number)] + (SKEW if name == "skew" else [])


def theory_of(results, name, value):
    """Rows of both branches over alpha; alphas of the runs among them."""
    alphas = results.pick("0.5,0.75,1,1.5,2,3", "1,2")
    text, _ = results.run("dotattn", *flags_of(name, value), "--alpha", alphas, "--accuracy", results.pick("1e-3", "1e-1"), "--progress", "none", good=(0, 3))
    rows = numbers(text)
    if any(math.isnan(r["q"]) for r in rows):
        text, _ = results.run("dotattn", *flags_of(name, value), "--alpha", "1,2", "--points", results.pick(1024, 128), "--progress", "none", good=(0, 3))
        lattice = {(r["branch"], r["alpha"]): with_solution(r) for r in numbers(text)}
        rows = [r if not math.isnan(r["q"]) else lattice.get((r["branch"], r["alpha"])) for r in rows]
    rows = [{**r, "slice": name, "value": value, "order": max(r["theta"], abs(r["m"])), "code": code_loss(r["q"], r["m"])} for r in rows if r]
    return {(r["branch"], r["alpha"]): r for r in rows}


def with_solution(row):
    """A row of lattices, where quadrature stalls, with the kind of solution: zero where the student shrinks to nothing."""
    if row["q"] < 1e-7:
        return {**row, "q": 0.0, "m": 0.0, "theta": 0.0, "solution": "zero"}
    order = "theta" if row["branch"] == "semantic" else "m"
    return {**row, "solution": row["branch"] if abs(row[order]) > 5 * row[order + "_sem"] else "uninformed"}


def compared(name, value, theory, runs):
    """A row per start and alpha: where the runs end, and their numbers beside the solution that theory has for that branch."""
    table = []
    for start, alpha in sorted({(r["start"], r["alpha"]) for r in runs if r["start"] in ("semantic", "positional")}, reverse=True):
        group = [r for r in runs if (r["start"], r["alpha"]) == (start, alpha)]
        stayed = [r for r in group if (r["semantic"] == 1) == (start == "semantic")]
        exact = theory.get((start, alpha))
        row = {"slice": name, "value": value, "branch": start, "alpha": alpha, "solution": exact["solution"] if exact else "none", "d": group[0]["d"],
               "stayed": f"{len(stayed)} of {len(group)}", "off": []}
        # Where theory has no such branch, descents end elsewhere: no comparison.
        like = exact is not None and exact["solution"] == start and len(stayed) > 2
        for what in WHAT:
            row[what] = f"{exact[what]:.5f}" if exact else ""
            row[what + "_sim"] = row[what + "_text"] = ""
            if not like:
                continue
            extra = {"eg": exact["code"] / group[0]["d"], "et": alpha * exact["code"] / group[0]["d"]}.get(what, 0)
            number = "theta" if start == "semantic" else "m"
            mean, error = mean_and_error([abs(r[number]) if what == "order" else r[what] - extra for r in stayed])
            row[what + "_sim"], row[what + "_text"] = mean, f"{mean:.5f} +- {error:.5f}"
            row["off"].append((mean - exact[what]) / error)
        table.append(row)
    return table


def skewed(runs):
    """Both overlaps of the asymmetric teacher, by start: |m| of order 1/sqrt(d) is none."""
    table = []
    for key in sorted({(r["value"], r["alpha"], r["start"]) for r in runs}):
        group = [r for r in runs if (r["value"], r["alpha"], r["start"]) == key]
        row = dict(zip(("omega", "alpha", "start"), key))
        for name in ("m", "theta", "q", "et"):
            values = [r[name] if name in ("q", "et") else abs(r[name]) for r in group]
            row[name] = "{:.4f} +- {:.4f}".format(*mean_and_error(values))
        row["noise"] = math.sqrt(2 / math.pi * mean_and_error([r["q"] for r in group])[0]) / 0.5 / math.sqrt(group[0]["d"])
        table.append(row)
    return table


def random_starts(runs):
    """How often descents from random starts reach the minimum of the mixed start, or the lowest that any descent of the same run found."""
    table = []
    lowest = {}
    for r in runs:
        key = (r["slice"], r["alpha"], r["d"], r["seed"])
        lowest[key] = min(lowest.get(key, math.inf), r["et"])
    for key in sorted({(r["slice"], str(r["value"]), r["start"], r["alpha"], r["d"]) for r in runs}):
        group = [r for r in runs if (r["slice"], str(r["value"]), r["start"], r["alpha"], r["d"]) == key]
        excess = [r["et"] / lowest[r["slice"], r["alpha"], r["d"], r["seed"]] - 1 for r in group]
        row = {"student": "rank 2, L-BFGS" if key[0] == "rank" else f"rank 1, {key[1]}", "start": key[2], "alpha": key[3], "d": f"{key[4]:g}", "runs": len(group),
               "lowest": sum(x < 1e-3 for x in excess), "semantic": sum(r["semantic"] == 1 for r in group), "steps": round(sum(r["steps"] for r in group) / len(group))}
        for name in ("m", "theta", "q", "eg", "et"):
            row[name] = "{:.5f} +- {:.5f}".format(*mean_and_error([abs(r[name]) if name in ("m", "theta") else r[name] for r in group]))
        table.append(row)
    return table


def rank_two(results):
    text, _ = results.run("dotattn", *flags_of("rank", 2), "--alpha", "1,2", "--rank", 2, "--branch", "mixed", "--points", results.pick(4096, 128), "--progress",
                          "none", good=(0, 3))
    rows = []
    for r in numbers(text):
        row = {"student": "rank 2, theory", "start": "mixed", "alpha": r["alpha"], "d": "infinite", "runs": "", "lowest": "", "semantic": "", "steps": ""}
        rows.append({**row, **{name: f"{r[name]:.5f} +- {r[name + '_sem']:.5f}" for name in ("m", "theta", "q", "eg", "et")}})
    return rows


def picture(results, chosen, size="1100,800"):
    body = "set multiplot layout 2,2\nset key top right font ',11' samplen 1.5\nset xlabel 'alpha'\nset ylabel 'e_g of the lower branch' enhanced\nset logscale y\n"
    file, colors = "dotattn_slices", ("#440154", "#3b528b", "#21918c", "#5ec962", "#e6740b")
    for name, values in chosen.items():
        body += f"set title '{'asymmetric teacher, omega' if name == 'skew' else name}'\n"
        parts = []
        for value, color in zip(values, colors):
            mine = f"(strcol('slice') eq '{name}' && column('value') == {value} ? column('%s') : 1/0)"
            parts += [f"'{file}_theory.csv' using 'alpha':{mine % 'eg'} with lines lw 2 lc rgb '{color}' title '{value:g}'",
                      f"'{file}.csv' using 'alpha':{mine % 'eg_sim'} with points pt 7 ps 0.9 lc rgb '{color}' notitle"]
        body += "plot " + ", \\\n  ".join(parts) + "\n"
    results.picture(file, body + "unset multiplot\n", size)


def dotattn_slices(results):
    runs, table, lower = stored_runs(results, "dotattn-slices.csv", "results_slices_runs.py"), [], []
    if not runs:
        return None
    chosen = results.pick(VALUES, {"omega": (0.5,), "skew": (0.3,)})
    for name, values in chosen.items():
        for value in values:
            theory = theory_of(results, name, value)
            table += compared(name, value, theory, [r for r in runs if (r["slice"], r["value"]) == (name, value)])
            for alpha in sorted({alpha for _, alpha in theory}):
                lower.append(min((r for (_, a), r in theory.items() if a == alpha), key=lambda r: r["et"]))
    columns = ["slice", "value", "branch", "alpha", "d", "solution", "stayed"] + [what + end for what in WHAT for end in ("", "_sim", "_text")]
    results.write_csv("dotattn_slices.csv", columns, table, ["losses of the simulation are less |S code|^2 / 2d"])
    results.write_csv("dotattn_slices_theory.csv", ["slice", "value", "alpha", "branch", "solution", "q", "m", "theta", "eg", "et"], lower,
                      ["the branch with the smaller e_t"])
    picture(results, chosen)
    results.fill("dotattn_slices", report_of(runs, table, rank_two(results)))
    return sum(r["seconds"] for r in runs)


def report_of(runs, table, theory):
    off = [x for row in table for x in row["off"]]
    text = f"{sum(abs(x) <= 3 for x in off)} of {len(off)} numbers are within 3 standard errors of theory, root mean square {root_mean_square(off):.1f}.\n\n"
    text += markdown({"slice": "slice", "value": "value", "branch": "branch", "alpha": "alpha", "in theory": "solution", "d": "d", "stayed": "stayed",
                      "theta or m": "order", "simulated": "order_text", "q": "q", "simulated ": "q_text", "e_g": "eg", "simulated  ": "eg_text", "e_t": "et",
                      "simulated   ": "et_text"}, table, {"alpha": "{:g}", "value": "{:g}", "d": "{:g}"})
    text += "\nThe asymmetric teacher, all starts; `noise` is the mean |m| of a student without positional overlap:\n\n"
    text += markdown({"omega": "omega", "alpha": "alpha", "start": "start", "m": "m", "noise": "noise", "theta": "theta", "q": "q", "e_t": "et"},
                     skewed([r for r in runs if r["slice"] == "skew"]), {"alpha": "{:g}", "noise": "{:.4f}"})
    text += ("\nRandom starts. `lowest`: runs that end within a thousandth of the smallest e_t that any of these descents found for the same data; `semantic`: "
             "runs that end nearer to Q* than to the code. Losses are as simulated:\n\n")
    chosen = random_starts([r for r in runs if r["slice"] in ("rank", "optimizer")]) + theory
    return text + markdown({"student": "student", "start": "start", "alpha": "alpha", "d": "d", "runs": "runs", "lowest": "lowest", "semantic": "semantic",
                            "steps": "steps", "m": "m", "theta": "theta", "q": "q", "e_g": "eg", "e_t": "et"}, chosen,
                           {"alpha": "{:g}"})
