# SPDX-License-Identifier: MIT
"""The parts dotattn_simulation and dotattn_tokens of results.py: gradient descent against the theory of many dimensions."""
import math

PROBLEM = ["--omega", "0.3", "--sigma", "0.5", "--lambda", "0.01"]
ALLOWANCE = 1.5  # times 1 / sqrt(d), of a number


def numbers(text):
    from results import table_rows
    return [{k: v if k in ("branch", "solution") else float(v or "nan") for k, v in row.items()} for row in table_rows(text)]


def deviations(row, names):
    """(name, theory, simulated, error) of a row."""
    return [(name, row[name], row[name + "_sim"], row[name + "_sim_sem"]) for name in names]


def dotattn_simulation(results):
    from results import markdown
    shown, plain, seconds, elsewhere = [], {}, 0.0, ""
    for d, runs, alphas in ((250, 32, "1,1.25,1.5,2"), (500, 12, "1.25,2"), (1000, 12, "0.5,1,1.25,1.5,2"), (2000, 3, "1.25")):
        text, took = results.run("dotattn", *PROBLEM, "--alpha", alphas, "--simulate", d, "--runs", runs, "--accuracy", "1e-3", "--progress", "none",
                                 good=(0, 3))
        seconds += took
        for row in numbers(text):
            row["d"], row["runs"] = d, runs
            if row["solution"] != row["branch"]:
                elsewhere += (f"- alpha = {row['alpha']:g}, d = {d}, where theory has no {row['branch']} branch: descents from there end at theta = "
                              f"{row['theta_sim']:.4f} +- {row['theta_sim_sem']:.4f} and e_t = {row['et_sim']:.5f} +- {row['et_sim_sem']:.5f} "
                              f"(theory: {row['solution']}, e_t = {row['et']:.5f})\n")
                continue
            row["name"] = "theta" if row["branch"] == "semantic" else "m"
            good, all_of_them = 0, deviations(row, (row["name"], "eg", "et", "q"))
            for name, theory, simulated, error in all_of_them:
                good += abs(simulated - theory) <= 3 * error + ALLOWANCE / math.sqrt(d) * abs(theory)
                if row["alpha"] >= 1.25:
                    key = row["branch"], "order" if name == row["name"] else name
                    plain.setdefault(key, {}).setdefault(d, []).append((simulated / theory - 1, error / theory) if theory else (0, 0))
            row["within"] = f"{good} of {len(all_of_them)}"
            text_of = lambda name: f"{row[name + '_sim']:.5f} +- {row[name + '_sim_sem']:.5f}"
            row["order"], row["order_sim"] = row[row["name"]], text_of(row["name"])
            row["eg_text"], row["et_text"], row["q_text"] = text_of("eg"), text_of("et"), text_of("q")
            row["stayed"] = row["semantic_sim"] if row["branch"] == "semantic" else 1 - row["semantic_sim"]
            shown.append(row)
    results.write_csv("dotattn_simulation.csv", ["branch", "solution", "alpha", "d", "runs"] + [n + e for n in ("m", "theta", "eg", "et", "q") for e in
                      ("", "_sim", "_sim_sem")] + ["semantic_sim", "gradient_sim", "steps_sim"], shown, ["omega = 0.3, sigma = 0.5, lambda = 0.01"])
    good = sum(int(r["within"][0]) for r in shown if r["alpha"] >= 1.25)
    count = 4 * sum(r["alpha"] >= 1.25 for r in shown)
    report = f"- alpha >= 1.25: {good} of {count} numbers within 3 standard errors and {ALLOWANCE:g} / sqrt(d) of theory; {seconds:.0f} s\n"
    report += elsewhere
    report += f"- largest |dR/dQ| / sqrt(d) where a descent ended: {max(r['gradient_sim'] for r in shown):.1e}\n\n"
    report += "Mean relative deviation from theory over alpha >= 1.25, with its standard error, in per cent:\n\n"
    table = []
    for (branch, name), by_d in plain.items():
        entry = {"branch": branch, "what": {"order": "theta" if branch == "semantic" else "m"}.get(name, name)}
        for d, pairs in by_d.items():
            entry[f"d = {d}"] = f"{100 * sum(p[0] for p in pairs) / len(pairs):+.1f} +- {100 * sum(p[1] for p in pairs) / len(pairs):.1f}"
        table.append(entry)
    report += markdown({k: k for k in table[0]}, table, {}) + "\nAll points; `stayed` is the fraction of runs that end nearer to where they started:\n\n"
    report += markdown({"branch": "branch", "alpha": "alpha", "d": "d", "runs": "runs", "stayed": "stayed", "theta or m": "order",
                        "simulated": "order_sim", "e_g": "eg", "simulated ": "eg_text", "e_t": "et", "simulated  ": "et_text", "q": "q",
                        "simulated   ": "q_text", "within": "within"}, shown,
                       {"alpha": "{:g}", "stayed": "{:.2f}", "order": "{:.5f}", "eg": "{:.5f}", "et": "{:.5f}", "q": "{:.5f}"})
    results.fill("dotattn_simulation", report)


def dotattn_tokens(results):
    from results import markdown
    three = ["--tokens", "3", "--code", "1,0,-1", "--teacher", "0.5,0.3,0.2,0.25,0.5,0.25,0.2,0.3,0.5"]
    exact = {r["branch"]: r for r in numbers(results.run("dotattn", *PROBLEM, "--alpha", "1.5", "--accuracy", "1e-4")[0])}
    rows = []
    for points in (1024, 8192):
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
        text, _ = results.run("dotattn", *PROBLEM, "--alpha", "1,2", "--points", 4096, *flags, "--simulate", 1000, "--runs", 16, "--optimizer", "lbfgs", "--steps", 1000,
                              "--progress", "none", good=(0, 3))
        for row in numbers(text):
            for name in ("theta", "m", "q", "eg", "et"):
                rows.append({"task": title, "branch": row["branch"], "alpha": row["alpha"], "what": {"eg": "e_g", "et": "e_t"}.get(name, name),
                             "theory": f"{row[name]:.6f} +- {row[name + '_sem']:.6f}", "simulated": f"{row[name + '_sim']:.6f} +- {row[name + '_sim_sem']:.6f}",
                             "ratio": row[name + "_sim"] / row[name] if row[name] else math.nan})
            rows.append({"task": title, "branch": row["branch"], "alpha": row["alpha"], "what": "smaller q", "theory": f"{row['q_least']:.6f}",
                         "simulated": f"{row['q_least_sim']:.6f}", "ratio": row["q_least_sim"] / row["q_least"]})
    report += "\nOther tasks against L-BFGS in 1000 dimensions, 16 runs:\n\n"
    report += markdown({"task": "task", "branch": "branch", "alpha": "alpha", "number": "what", "theory": "theory", "simulation": "simulated",
                        "simulation / theory": "ratio"}, rows, {"alpha": "{:g}", "ratio": "{:.3f}"})
    results.fill("dotattn_tokens", report)
