# SPDX-License-Identifier: MIT
"""The part dotattn_onset of results.py: the beginning of the semantic branch in stored descents from Q*, beside theory."""
import math

from results_common import markdown, mean_and_error, numbers, stored_runs
from results_dimensions import code_loss

SHOWN = (0.5, 0.7, 0.75, 0.8, 1)  # alphas of the table; the picture has all
PROBLEM = ["--omega", "0.3", "--sigma", "0.5", "--lambda", "0.01"]


def theory_of(results, alphas):
    text, _ = results.run("dotattn", *PROBLEM, "--alpha", ",".join(f"{a:g}" for a in alphas), "--branch", "semantic", "--accuracy",
                          results.pick("1e-3", "1e-2"), "--progress", "none", good=(0, 3))
    return {row["alpha"]: row for row in numbers(text)}


def ratio_with_error(thetas):
    """<theta^4> / <theta^2>^2 and its jackknife error: 1 for a theta of fixed size, 3 for a normal one of mean 0."""
    second, fourth, n = sum(t**2 for t in thetas), sum(t**4 for t in thetas), len(thetas)
    parts = [(fourth - t**4) / (n - 1) / ((second - t**2) / (n - 1))**2 for t in thetas]
    mean = sum(parts) / n
    return fourth / n / (second / n)**2, math.sqrt((n - 1) / n * sum((p - mean)**2 for p in parts))


def point(alpha, d, restarts, group, theory):
    """One alpha and d: size of theta, its ratio, and the training loss less what the code adds to it, relative to theory."""
    kept = [r for r in group if r["semantic"] == 1]
    mean, error = mean_and_error([abs(r["theta"]) for r in kept])
    loss, loss_error = mean_and_error([r["et"] for r in kept])
    q, m = (sum(abs(r[name]) for r in kept) / len(kept) for name in ("q", "m"))
    loss -= alpha * code_loss(q, m) / d
    ratio, ratio_error = ratio_with_error([r["theta"] for r in kept])
    return {"alpha": alpha, "d": d, "restarts": restarts, "runs": len(group), "semantic": len(kept) / len(group), "theta": mean, "theta_error": error,
            "scaled": mean * d**0.25, "noise": math.sqrt(2 / math.pi * q / d) * 0.5,
            "ratio": f"{ratio:.2f} +- {ratio_error:.2f}", "theory": theory["theta"], "excess": 100 * (loss / theory["et"] - 1),
            "excess_error": 100 * loss_error / theory["et"]}


def dotattn_onset(results):
    runs = stored_runs(results, "dotattn-onset.csv", "results_onset_runs.py")
    if not runs:
        return None
    theory = theory_of(results, sorted({r["alpha"] for r in runs}))
    table = []
    for key in sorted({(r["restarts"], r["alpha"], r["d"]) for r in runs}):
        group = [r for r in runs if (r["restarts"], r["alpha"], r["d"]) == key]
        if sum(r["semantic"] == 1 for r in group) > 2:
            table.append(point(key[1], key[2], key[0], group, theory[key[1]]))
    results.write_csv("dotattn_onset.csv", ["alpha", "d", "restarts", "runs", "semantic", "theta", "theta_error", "scaled", "theory", "excess", "excess_error"],
                      table, ["omega = 0.3, sigma = 0.5, lambda = 0.01; theta: mean |theta| of runs that end nearer to Q*"])
    results.write_csv("dotattn_onset_theory.csv", ["alpha", "theta", "et", "solution"], list(theory.values()), ["the semantic branch of theory"])
    for row in table:
        row["theta_text"] = f"{row['theta']:.4f} +- {row['theta_error']:.4f}"
        row["excess_text"] = f"{row['excess']:+.1f} +- {row['excess_error']:.1f}"
    shown = {"restarts": "restarts", "alpha": "alpha", "d": "d", "runs": "runs", "semantic": "semantic", "mean |theta|": "theta_text", "theory": "theory",
             "noise": "noise", "<theta^4> / <theta^2>^2": "ratio", "e_t above theory, per cent": "excess_text"}
    some = [row for row in table if results.quick or row["alpha"] in SHOWN]
    results.fill("dotattn_onset", markdown(shown, some, {"alpha": "{:g}", "d": "{:g}", "restarts": "{:g}", "semantic": "{:.2f}", "theory": "{:.4f}",
                                                          "noise": "{:.4f}"}))
    picture(results, sorted({row["d"] for row in table if not row["restarts"]}))
    return sum(r["seconds"] for r in runs)


def picture(results, dimensions):
    colors = ("#440154", "#3b528b", "#21918c", "#5ec962", "#e6740b")
    pick = "(column('restarts') == 0 && column('d') == {d:g} ? column('{name}') : 1/0)"

    def lines(name, error=""):
        style = "yerrorlines" if error else "linespoints"
        return ", \\\n     ".join(f"'dotattn_onset.csv' using 'alpha':{pick.format(d=d, name=name)}{':' + repr(error) if error else ''} with {style} lw 2 pt 7 "
                                  f"ps 0.8 lc rgb '{color}' title 'd = {d:g}'" for d, color in zip(dimensions, colors))
    results.picture("dotattn_onset", f"""set multiplot layout 1,2
set xlabel 'alpha'
set key bottom right
set title 'mean |theta| of descents from Q*'
plot {lines('theta', 'theta_error')}, \\
     'dotattn_onset_theory.csv' using 'alpha':'theta' with lines lw 2 dt 2 lc rgb '#000000' title 'theory'
set title 'training loss above theory, per cent'
set key top right
plot {lines('excess', 'excess_error')}
unset multiplot
""", "1180,520")
