# SPDX-License-Identifier: MIT
"""Gradient descent of dot-product attention beside the state evolution

omega = 0.3, sigma = 0.5, lambda = 0.01. Full-batch gradient descent with rate 0.15, at most 10000 steps, stops at a small gradient; each run
has a teacher and data of its own. Runs of one d draw the same teachers for both branches, and nested data for all alphas: several deviations
of one sign may have one cause. Losses are less the known part, code in the values (docs/theory.md, section 14): 2 to 3 per cent at 250
dimensions. 2000 dimensions have only three runs. [Many runs](dotattn_positional.md) decide what these leave open.
"""
import dotattn_data
import lab as tools

SIZES = ((250, 32, (1, 1.25, 1.5, 2)), (500, 12, (1.25, 2)), (1000, 12, (0.5, 1, 1.25, 1.5, 2)), (2000, 3, (1.25,)))  # d, runs, alphas
NAMES = ("m", "theta", "eg", "et", "q")
COLUMNS = ["branch", "solution", "alpha", "d", "runs", *(n + e for n in NAMES for e in ("", "_sim", "_sim_sem")), "semantic_sim",
           "gradient_sim", "steps_sim"]
AGREE = {"dotattn_simulation.csv": tools.Same(("branch", "alpha", "d"), ("solution", *NAMES),
                                              {n + "_sim": n + "_sim_sem" for n in ("eg", "et", "q")}, 1e-5)}


def compute(lab):
    rows = []
    for d, runs, alphas in lab.pick(SIZES, ((250, 6, (1.25, 2)),)):
        for name in ("semantic", "positional"):
            theory = dotattn_data.branch(lab.potts, name, alphas, accuracy=1e-3)
            table = lab.potts.dotattn.simulate(alphas, dimension=d, runs=runs, start=name, **dotattn_data.PROBLEM)
            for k, row in enumerate(theory):
                drawn = {n + e: table[n + s][k] for n in NAMES for e, s in (("_sim", ""), ("_sim_sem", "_sem"))}
                rows.append({**row, "d": d, "runs": runs, **drawn, **{n + "_sim": table[n][k] for n in ("semantic", "gradient", "steps")}})
    lab.write("dotattn_simulation.csv", rows, ["omega = 0.3, sigma = 0.5, lambda = 0.01"], COLUMNS)


def compared(lab):
    """Rows whose branch theory has, with the order parameter and the deviations in standard errors."""
    table = []
    for r in lab.rows("dotattn_simulation.csv"):
        if r["solution"] != r["branch"]:
            continue
        row, name = dotattn_data.with_code(r), dotattn_data.ORDER[r["branch"]]
        known = {"eg": row["code"] / r["d"], "et": r["alpha"] * row["code"] / r["d"]}
        for key, column in (("order", name), ("eg", "eg"), ("et", "et"), ("q", "q")):
            value, error = r[column + "_sim"] - known.get(key, 0), r[column + "_sim_sem"]
            row.update({f"{key}_off": (value - r[column]) / error, f"{key}_relative": 100 * (value / r[column] - 1),
                        f"{key}_error": 100 * error / r[column]})
        table.append(row)
    return table


def report(lab):
    rows, mean, near = compared(lab), [], []
    sizes = sorted({r["d"] for r in rows})
    for name in ("semantic", "positional"):
        for key in ("order", "eg", "et", "q"):
            row = {"branch": name, "number": dotattn_data.ORDER[name] if key == "order" else key}
            for d in sizes:
                mine = [r for r in rows if (r["branch"], r["d"]) == (name, d) and r["alpha"] >= 1.25]
                row[f"d = {d:g}"] = f"{tools.mean([r[key + '_relative'] for r in mine]):+.1f} +- {tools.mean([r[key + '_error'] for r in mine]):.1f}"
            mean.append(row)
    for d in sizes:
        row = {"d": d}
        for name in ("semantic", "positional"):
            off = [r[key + "_off"] for r in rows if (r["branch"], r["d"]) == (name,
                                                                              d) and r["alpha"] >= 1 for key in ("order", "eg", "et", "q")]
            row[name], row[name + "_rms"] = tools.within(off), tools.root_mean_square(off)
        near.append(row)
    return ("Mean relative deviation from theory over alpha >= 1.25, in per cent, and the largest standard error that it can have, whatever the correlation of "
            "the alphas:\n\n") + tools.markdown({k: k for k in mean[0]},
                                                mean) + "\nNumbers of alpha >= 1 within 3 standard errors, and the root mean square:\n\n" + \
        tools.markdown({"d": "d", "semantic": "semantic", "rms": "semantic_rms", "positional": "positional", "rms ": "positional_rms"},
                       near,
                       {"semantic_rms": "{:.1f}", "positional_rms": "{:.1f}"})
