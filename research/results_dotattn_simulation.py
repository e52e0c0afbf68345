# SPDX-License-Identifier: MIT
"""The parts dotattn_simulation and dotattn_tokens of results.py: descent against the theory of many dimensions."""

from results_common import markdown, numbers, root_mean_square
from results_dimensions import code_loss

# Dimensions, runs, alphas.
SIZES = ((250, 32, "1,1.25,1.5,2"), (500, 12, "1.25,2"), (1000, 12, "0.5,1,1.25,1.5,2"), (2000, 3, "1.25"))
PROBLEM = ["--omega", "0.3", "--sigma", "0.5", "--lambda", "0.01"]


def simulated(results):
    """Rows of theory and simulation. Runs of one d draw the same teachers and data for both branches, and for larger alphas more of the same data."""
    rows = []
    for d, runs, alphas in results.pick(SIZES, ((100, 3, "1.25,2"),)):
        text, _ = results.run("dotattn", *PROBLEM, "--alpha", alphas, "--simulate", d, "--runs", runs, "--accuracy", "1e-3", "--progress", "none",
                              good=(0, 3))
        rows += [{**row, "d": d, "runs": runs} for row in numbers(text)]
    results.write_csv("dotattn_simulation.csv", ["branch", "solution", "alpha", "d", "runs"] + [n + e for n in ("m", "theta", "eg", "et", "q") for e in
                      ("", "_sim", "_sim_sem")] + ["semantic_sim", "gradient_sim", "steps_sim"], rows, ["omega = 0.3, sigma = 0.5, lambda = 0.01"])
    return rows


def compare(row):
    """Adds the columns of the tables: order (theta or m), eg, et and q beside theory. Losses are less |S code|^2 / 2d."""
    code = code_loss(row["q"], row["m"]) / row["d"]
    known = {"eg": code, "et": row["alpha"] * code}
    name = "theta" if row["branch"] == "semantic" else "m"
    row["stayed"] = row["semantic_sim"] if row["branch"] == "semantic" else 1 - row["semantic_sim"]
    for key, column in (("order", name), ("eg", "eg"), ("et", "et"), ("q", "q")):
        value, error = row[column + "_sim"] - known.get(key, 0), row[column + "_sim_sem"]
        row[key + "_theory"], row[key + "_off"] = row[column], (value - row[column]) / error
        row[key + "_text"] = f"{value:.5f} +- {error:.5f} ({row[key + '_off']:+.1f})"
        row[key + "_relative"], row[key + "_relative_error"] = value / row[column] - 1, error / row[column]


def mean_deviations(rows, sizes):
    """A row per number: the mean over alpha >= 1.25 for each d. The mean of correlated numbers has at most the mean of their errors."""
    table = []
    for branch in ("semantic", "positional"):
        for key, shown in (("order", "theta" if branch == "semantic" else "m"), ("eg", "e_g"), ("et", "e_t"), ("q", "q")):
            entry = {"branch": branch, "what": shown}
            for d in sizes:
                chosen = [r for r in rows if r["branch"] == branch and r["d"] == d and r["alpha"] >= 1.25]
                mean = sum(r[key + "_relative"] for r in chosen) / len(chosen)
                error = sum(r[key + "_relative_error"] for r in chosen) / len(chosen)
                entry[f"d = {d:g}"] = f"{100 * mean:+.1f} +- {100 * error:.1f}"
            table.append(entry)
    return table


def distances(rows, sizes):
    """How many numbers of alpha >= 1 are within 3 standard errors, and the root mean square."""
    table = []
    for d in sizes:
        entry = {"d": d}
        for branch in ("semantic", "positional"):
            off = [r[key + "_off"] for r in rows if r["d"] == d and r["branch"] == branch and r["alpha"] >= 1 for key in ("order", "eg", "et", "q")]
            entry[branch] = f"{sum(abs(x) <= 3 for x in off)} of {len(off)}"
            entry["root mean square" + " " * (branch == "positional")] = f"{root_mean_square(off):.1f}"
        table.append(entry)
    return table


def dotattn_simulation(results):
    results.fill("dotattn_simulation", report_of(simulated(results)))


def report_of(rows):
    report = ""
    for row in rows:
        if row["solution"] != row["branch"]:
            report += (f"- alpha = {row['alpha']:g}, d = {row['d']:g}, where theory has no {row['branch']} branch: descents from there end at theta = "
                       f"{row['theta_sim']:.4f} +- {row['theta_sim_sem']:.4f} and e_t = {row['et_sim']:.5f} +- {row['et_sim_sem']:.5f} "
                       f"(theory: {row['solution']}, e_t = {row['et']:.5f})\n")
    report += f"- largest |dR/dQ| / sqrt(d) where a descent ended: {max(r['gradient_sim'] for r in rows):.1e}\n\n"
    rows = [r for r in rows if r["solution"] == r["branch"]]
    for row in rows:
        compare(row)
    sizes = sorted({r["d"] for r in rows})
    table = mean_deviations(rows, sizes)
    report += ("Mean relative deviation from theory over alpha >= 1.25, in per cent, and the largest standard error that it can have, whatever the correlation of "
               "the alphas:\n\n") + markdown({k: k for k in table[0]}, table, {})
    table = distances(rows, sizes)
    report += "\nNumbers of alpha >= 1 within 3 standard errors of theory, and the root mean square of their distances in standard errors:\n\n"
    report += markdown({k: k for k in table[0]}, table, {"d": "{:g}"})
    report += ("\nAll points, simulated with standard error and, in brackets, the distance from theory in standard errors; `stayed` is the fraction of runs "
               "that end nearer to where they started:\n\n")
    report += markdown({"branch": "branch", "alpha": "alpha", "d": "d", "runs": "runs", "stayed": "stayed", "theta or m": "order_theory",
                        "simulated": "order_text", "e_g": "eg_theory", "simulated ": "eg_text", "e_t": "et_theory", "simulated  ": "et_text", "q": "q_theory",
                        "simulated   ": "q_text"}, rows,
                       {"alpha": "{:g}", "d": "{:g}", "runs": "{:g}", "stayed": "{:.2f}", "order_theory": "{:.5f}", "eg_theory": "{:.5f}", "et_theory": "{:.5f}",
                        "q_theory": "{:.5f}"})
    return report


def dotattn_tokens(results):
    three = ["--tokens", "3", "--code", "1,0,-1", "--teacher", "0.5,0.3,0.2,0.25,0.5,0.25,0.2,0.3,0.5"]
    exact = {r["branch"]: r for r in numbers(results.run("dotattn", *PROBLEM, "--alpha", "1.5", "--accuracy", results.pick("1e-4", "1e-3"))[0])}
    rows = []
    for points in results.pick((1024, 8192), (256,)):
        text, seconds = results.run("dotattn", *PROBLEM, "--alpha", "1.5", "--points", points)
        for row in numbers(text):
            order = "theta" if row["branch"] == "semantic" else "m"
            entry = {"branch": row["branch"], "points": points, "seconds": seconds}
            for name in ("q", "v", order, "eg", "et"):
                entry["order" if name == order else name] = f"{row[name]:.6g} +- {row[name + '_sem']:.1g} ({exact[row['branch']][name]:.6g})"
            rows.append(entry)
    report = "Two tokens, rank one, alpha = 1.5: lattices, and in brackets quadrature.\n\n"
    report += markdown({"branch": "branch", "points": "points", "q": "q", "V": "v", "theta or m": "order", "e_g": "eg", "e_t": "et", "seconds, both": "seconds"},
                       rows, {"seconds": "{:.1f}"})
    rows = []
    for title, flags in (("2 tokens, rank 2", ["--rank", "2", "--branch", "mixed"]), ("3 tokens, rank 1", three + ["--branch", "semantic"]),
                         ("3 tokens, rank 2", three + ["--rank", "2", "--branch", "mixed"])):
        text, _ = results.run("dotattn", *PROBLEM, "--alpha", "1,2", "--points", results.pick(4096, 256), *flags, "--simulate",
                              results.pick(1000, 100), "--runs", results.pick(16, 3), "--optimizer", "lbfgs", "--steps", 1000,
                              "--progress", "none", good=(0, 3))
        for row in numbers(text):
            for name in ("theta", "m", "q", "eg", "et"):
                rows.append({"task": title, "branch": row["branch"], "alpha": row["alpha"], "what": {"eg": "e_g", "et": "e_t"}.get(name, name),
                             "theory": f"{row[name]:.6f} +- {row[name + '_sem']:.6f}", "simulated": f"{row[name + '_sim']:.6f} +- {row[name + '_sim_sem']:.6f}",
                             "ratio": f"{row[name + '_sim'] / row[name]:.3f}" if row[name] else "-"})
            rows.append({"task": title, "branch": row["branch"], "alpha": row["alpha"], "what": "smaller q", "theory": f"{row['q_least']:.6f}",
                         "simulated": f"{row['q_least_sim']:.6f}", "ratio": f"{row['q_least_sim'] / row['q_least']:.3f}"})
    report += "\nOther tasks against L-BFGS in 1000 dimensions, 16 runs:\n\n"
    report += markdown({"task": "task", "branch": "branch", "alpha": "alpha", "number": "what", "theory": "theory", "simulation": "simulated",
                        "simulation / theory": "ratio"}, rows, {"alpha": "{:g}"})
    results.fill("dotattn_tokens", report)
