# SPDX-License-Identifier: MIT
"""Where the semantic branch begins: are descents from Q* stuck?

omega = 0.3, sigma = 0.5, lambda = 0.01. Theory's semantic branch begins continuously at alpha = 0.719. If that were so for descents from Q*,
theta at fixed alpha below it would vanish with d, and <theta^4> / <theta^2>^2 would cross at one alpha for all d: 1 above, 3 below. L-BFGS to
a gradient of 1e-6, each run with a teacher and data of its own for its d, the same ones for all alphas. Runs with restarts go on 100 times
from their lowest minimum, perturbed by as much as its norm. Errors are standard errors over runs that end nearer to Q* (*semantic*: their
share). *noise* is |theta| of a student without semantic overlap. The known part of the loss, code in the values, is subtracted.
"""
import math

import dotattn_data
import lab as tools

ALPHAS = (0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 1.0)
RUNS = {0: {100: 256, 200: 192, 400: 128, 800: 128, 1600: 64}, 100: {100: 64, 200: 64, 400: 64}}  # runs by restarts and d
KEY, NUMBERS = ("alpha", "d", "restarts", "seed"), ("et", "q", "m", "theta", "semantic", "gradient")
AGREE = {"dotattn_onset_runs.csv": tools.Same(KEY, ("et", "q", "theta", "semantic"), tolerance=1e-4),
         "dotattn_onset_theory.csv": tools.Same(("alpha",), ("theta", "et", "solution"), tolerance=1e-5)}


def compute(lab):
    def run(alpha, d, restarts, seed):
        more = {"restarts": restarts, "perturbation": 1.0} if restarts else {}
        table, seconds = tools.timed(lambda: lab.potts.dotattn.simulate(
            [alpha], dimension=d, start="semantic", runs=1, seed=seed, tolerance=1e-6, test_samples=100, optimizer="lbfgs", steps=5000,
            **more,
            **dotattn_data.PROBLEM))
        return {**{name: f"{float(table[name][0]):.7g}" for name in NUMBERS}, "seconds": round(seconds, 3)}

    keys = [(alpha, d, restarts, seed) for restarts, sizes in RUNS.items()
            for d, runs in sizes.items() for seed in range(1, runs + 1) for alpha in ALPHAS]
    lab.complete("dotattn_onset_runs.csv", KEY, [*KEY, *NUMBERS, "seconds"],
                 lab.pick(keys, [k for k in keys if k[1] == 200 and k[2] == 0 and k[3] < 9]), run,
                 "one row a run")
    lab.write("dotattn_onset_theory.csv", dotattn_data.branch(lab.potts, "semantic", lab.pick(ALPHAS, (0.8, 1.0)), accuracy=1e-3),
              ["the semantic branch of theory"], ["alpha", "theta", "et", "solution"])


def ratio_with_error(thetas):
    """<theta^4> / <theta^2>^2 and its jackknife error: 1 for a theta of fixed size, 3 for a normal one of mean 0."""
    second, fourth, n = sum(t**2 for t in thetas), sum(t**4 for t in thetas), len(thetas)
    parts = [(fourth - t**4) / (n - 1) / ((second - t**2) / (n - 1))**2 for t in thetas]
    m = tools.mean(parts)
    return fourth / n / (second / n)**2, math.sqrt((n - 1) / n * sum((p - m)**2 for p in parts))


def cells(lab):
    theory, table = {r["alpha"]: r for r in lab.rows("dotattn_onset_theory.csv")}, []
    for (restarts, alpha, d), group in sorted(tools.groups_of(lab.rows("dotattn_onset_runs.csv"), "restarts", "alpha", "d").items()):
        kept = [r for r in group if r["semantic"] == 1]
        if len(kept) < 3:
            continue
        theta, error = tools.mean_and_error([abs(r["theta"]) for r in kept])
        loss, loss_error = tools.mean_and_error([r["et"] for r in kept])
        q, m = (tools.mean([abs(r[name]) for r in kept]) for name in ("q", "m"))
        table.append({"restarts": restarts, "alpha": alpha, "d": d, "runs": len(group), "semantic": len(kept) / len(group), "theta": theta,
                      "theta_error": error,
                      "noise": math.sqrt(2 / math.pi * q / d) * 0.5,
                      "ratio": "{:.2f} +- {:.2f}".format(*ratio_with_error([r["theta"] for r in kept])),
                      "theory": theory[alpha]["theta"],
                      "excess": 100 * ((loss - alpha * dotattn_data.code_loss(q, m) / d) / theory[alpha]["et"] - 1),
                      "excess_error": 100 * loss_error / theory[alpha]["et"]})
    return table


def report(lab):
    table = [{**r, "text": f"{r['theta']:.4f} +- {r['theta_error']:.4f}",
              "above": f"{r['excess']:+.1f} +- {r['excess_error']:.1f}"} for r in cells(lab)
             if r["alpha"] in (0.5, 0.7, 0.75, 0.8, 1)]
    return ("It does neither: from d = 100 to 1600 theta does not fall by more than its spread over d, and the ratio goes to 1 at every alpha. Finite size is "
            "therefore refuted. Stuck descents are supported, not proved: all starts point along Q*; below alpha = 0.75 the training loss is above theory's, "
            "and from 0.8 on it is not, within errors. That minima of nearly the same loss have many values of theta, of which descents from Q* find the "
            "nearest, is a hypothesis here. [One step of breaking](dotattn_breaking.md), which counts such minima, moves theta in the same direction. On the "
            "[positional branch](dotattn_positional.md) an independent check shows that descents are stuck.\n\n") + tools.markdown(
        {"restarts": "restarts", "alpha": "alpha", "d": "d", "runs": "runs", "semantic": "semantic", "mean abs(theta)": "text",
         "theory": "theory", "noise": "noise",
         "<theta^4> / <theta^2>^2": "ratio", "e_t above theory, per cent": "above"}, table,
                {"semantic": "{:.2f}", "theory": "{:.4f}", "noise": "{:.4f}"})


def claims(lab):
    low = [r for r in cells(lab) if r["alpha"] == 0.5 and r["restarts"] == 0]
    return [("more", "descents find the semantic branch where theory has none", "holds at every d; that they are stuck is supported, not proved",
             "mean theta at alpha = 0.5: " + ", ".join(f"{r['theta']:.3f} +- {r['theta_error']:.3f} (d = {r['d']:.0f})" for r in (low[0], low[-1])))]


def draw(lab):
    rows = [r for r in cells(lab) if r["restarts"] == 0]
    figure, axes = tools.figure(1, 2, (11, 4.6))
    for d, color in zip(RUNS[0], tools.COLORS):
        mine = [r for r in rows if r["d"] == d]
        tools.points(axes[0], mine, "alpha", "theta", "theta_error", fmt="o-", color=color, label=f"d = {d}")
        tools.points(axes[1], mine, "alpha", "excess", "excess_error", fmt="o-", color=color, label=f"d = {d}")
    tools.curve(axes[0], lab.rows("dotattn_onset_theory.csv"), "alpha", "theta", color="black", ls="--", label="theory")
    axes[0].set(xlabel="alpha", ylabel="mean |theta| of descents from Q*")
    axes[1].set(xlabel="alpha", ylabel="training loss above theory, per cent")
    axes[0].legend()
    return {"dotattn_onset": figure}
