# SPDX-License-Identifier: MIT
"""The part dotattn_breaking of results.py: stability of replica symmetry in dot-product attention, and one step beyond it."""
import math
import os

from results_common import ROOT, markdown, table_rows

PROBLEM = ["--sigma", "0.5", "--lambda", "0.01"]
KEYS = ("branch", "omega", "alpha")
COLUMNS = [*KEYS, "solution", "replicon", "jumps", "q", "m", "theta", "eg", "et", "et_broken", "eg_broken", "q1", "q0", "m_broken",
           "theta_broken", "mu", "error_broken", "outcome_broken"]
ACCURACY = ("1e-4", "1e-2")  # the second of --quick
SIDE = 0.02  # relative distance of the alphas that give the slope of the training losses


class Rows:
    """Rows of the program in a table; those that are there are not computed again."""

    def __init__(self, results, name):
        self.results, self.name, self.rows = results, name, {}
        path = os.path.join(results.folder, name)
        if os.path.exists(path):
            with open(path) as file:
                for row in table_rows(file.read()):
                    self.rows[tuple(row[key] for key in KEYS)] = row

    def row(self, branch, omega, alpha):
        key = branch, f"{omega:g}", f"{alpha:.6g}"
        if key not in self.rows:
            text, _ = self.results.run("dotattn", "--omega", key[1], "--alpha", key[2], "--branch", branch, "--breaking", *PROBLEM, "--accuracy",
                                       self.results.pick(*ACCURACY))
            self.rows[key] = {**{name: table_rows(text)[0][name] for name in COLUMNS}, "omega": key[1], "alpha": key[2]}
            keys = sorted(self.rows, key=lambda k: (k[0], float(k[1]), float(k[2])))
            self.results.write_csv(self.name, COLUMNS, [self.rows[k] for k in keys], ["sigma = 0.5, lambda = 0.01, A = [[0.6, 0.4], [0.4, 0.6]], accuracy 1e-4"])
        words = ("branch", "solution", "outcome_broken")
        return {name: value if name in words else number(value) for name, value in self.rows[key].items()}


def number(text):
    return float(text) if text else math.nan


def shift(row):
    """Of e_t by one step of breaking; 0 where jumps are too rare to compute it."""
    return row["et_broken"] - row["et"] if row["outcome_broken"] == "converged" else 0.0 if row["outcome_broken"] == "none" else math.nan


def losses(results, omega, alpha):
    """Training losses of both branches, replica-symmetric."""
    text, _ = results.run("dotattn", "--omega", f"{omega:g}", "--alpha", f"{alpha:.8g}", *PROBLEM, "--accuracy", results.pick(*ACCURACY))
    return {row["branch"]: float(row["et"]) for row in table_rows(text)}


def moved_transition(results, rows, omega, alpha):
    """The change of alpha_c: the shifts of both training losses over the slope of their difference."""
    pair = {branch: rows.row(branch, omega, alpha) for branch in ("semantic", "positional")}
    below, above = (losses(results, omega, alpha * (1 + side)) for side in (-SIDE, SIDE))
    steep = sum(sign * (each["positional"] - each["semantic"]) for sign, each in ((-1, below), (1, above))) / (2 * SIDE * alpha)
    shifts = {branch: shift(row) for branch, row in pair.items()}
    out = {"omega": omega, "alpha_c": alpha, "change": -(shifts["positional"] - shifts["semantic"]) / steep}
    for branch, row in pair.items():
        out.update({f"{what}_{branch}": row[what] for what in ("replicon", "jumps")})
        out[f"shift_{branch}"] = f"{100 * shifts[branch] / row['et']:.4f}" if row["outcome_broken"] == "converged" else "-"
    out["broken"] = alpha + out["change"]
    return out


def shown(rows):
    table = []
    for row in rows:
        order, broken = ("theta", "theta_broken") if row["branch"] == "semantic" else ("m", "m_broken")
        done = row["outcome_broken"] == "converged"
        percent = (lambda new, old: f"{100 * (new / old - 1):+.3f}" if old else "0") if done else (lambda new, old: "-")
        table.append({**row, "shift": percent(row["et_broken"], row["et"]), "order": percent(row[broken], row[order]),
                      "q_shift": percent(row["q1"], row["q"]), "eg_shift": percent(row["eg_broken"], row["eg"]),
                      "gap": f"{1 - row['q0'] / row['q1']:.4f}" if done else "-"})
    return markdown({"branch": "branch", "alpha": "alpha", "solution": "solution", "replicon": "replicon", "jumps": "jumps", "e_t": "shift",
                     "e_g": "eg_shift", "q1": "q_shift", "theta or m": "order", "1 - q0 / q1": "gap"}, table,
                    {"alpha": "{:g}", "replicon": "{:.3f}", "jumps": "{:.1e}"})


def stability(results, omegas, alphas):
    """Replicon and jumps over the phase diagram, without breaking."""
    lists = [",".join(f"{x:g}" for x in numbers) for numbers in (omegas, alphas)]
    text, _ = results.run("dotattn", "--omega", lists[0], "--alpha", lists[1], *PROBLEM, "--accuracy", results.pick("1e-3", "1e-2"), good=(0, 3))
    rows = [row for row in table_rows(text) if row["outcome"] == "converged"]
    draw(results, rows, omegas)
    report, table = "", []
    for row in rows:
        row["less"] = any(other["omega"] == row["omega"] and other["alpha"] == row["alpha"] and float(other["et"]) < float(row["et"]) for other in rows)
    real = [row for row in rows if row["solution"] == row["branch"]]
    for name, chosen in (("solution of smallest e_t", [row for row in rows if not row["less"]]),
                         ("semantic branch", [row for row in real if row["branch"] == "semantic"]),
                         ("positional branch", [row for row in real if row["branch"] == "positional"]),
                         ("uninformed solution", [row for row in rows if row["solution"] == "uninformed"])):
        jumps = sorted(float(row["jumps"]) for row in chosen)
        if chosen:
            table.append({"name": name, "rows": len(chosen), "replicon": min(float(row["replicon"]) for row in chosen), "least": jumps[0],
                          "median": jumps[len(jumps) // 2], "most": jumps[-1], "zero": sum(x < 1e-6 for x in jumps)})
    report += f"Over omega = {omegas[0]:g} to {omegas[-1]:g} and alpha = {alphas[0]:g} to {alphas[-1]:g}, {len(rows)} rows:\n\n"
    return report + markdown({"solutions": "name", "rows": "rows", "smallest replicon": "replicon", "jumps: least": "least", "median": "median", "largest": "most",
                              "rows below 1e-6": "zero"}, table,
                             {"replicon": "{:.3f}", "least": "{:.1e}", "median": "{:.1e}", "most": "{:.1e}"}) + grid(rows)


def grid(rows):
    """Replicon and jumps of the solution of smallest e_t: a line per omega, a column per alpha."""
    alphas, lines = sorted({float(row["alpha"]) for row in rows}), []
    for omega in sorted({float(row["omega"]) for row in rows}):
        line = {"omega": f"{omega:g}"}
        for alpha in alphas:
            found = [row for row in rows if (float(row["omega"]), float(row["alpha"])) == (omega, alpha)]
            best = min(found, key=lambda row: float(row["et"]), default=None)
            line[f"alpha = {alpha:g}"] = f"{best['solution'][0]} {float(best['replicon']):.2f}, {float(best['jumps']):.0e}" if best else "-"
        lines.append(line)
    return ("\nReplicon, jumps of the solution of smallest e_t (s: semantic, p: positional, u: uninformed):\n\n" +
            markdown({key: key for key in lines[0]}, lines, {}))


def draw(results, rows, omegas):
    """Jumps against alpha by omega, for both branches."""
    names = {"semantic": "semantic branch", "positional": "positional branch"}
    rows = [row for row in rows if row["solution"] == row["branch"]]
    columns = ["branch", "omega", "alpha", "solution", "replicon", "jumps", "et"]
    results.write_csv("dotattn_stability.csv", columns, rows, ["sigma = 0.5, lambda = 0.01"])
    colors = ("#440154", "#3b528b", "#21918c", "#5ec962", "#e6740b")
    panels = "".join(f"set title '{title}'\n" + "plot " + ", ".join(
        f"'dotattn_stability.csv' using (strcol('branch') eq '{branch}' && abs(column('omega') - {omega:g}) < 1e-6 ? column('alpha') : NaN):'jumps'"
        f" with linespoints lw 2 pt 7 ps 0.8 lc rgb '{color}' title 'omega = {omega:g}'" for omega, color in zip(omegas, colors)) + "\n"
        for branch, title in names.items())
    results.picture("dotattn_stability", f"""set multiplot layout 1,2
set xlabel 'alpha'
set ylabel 'jumps'
set logscale y
set yrange [1e-9:10]
set key bottom left
{panels}unset multiplot
""", "1180,520")


def dotattn_breaking(results):
    # The table of the part dotattn, of the tree where there is no other.
    path = os.path.join(results.folder, "dotattn_transition.csv")
    with open(path if os.path.exists(path) else os.path.join(ROOT, "docs/results/dotattn_transition.csv")) as file:
        transition = {round(float(row["omega"]), 6): float(row["alpha_c"]) for row in table_rows(file.read())}
    rows = Rows(results, "dotattn_breaking.csv")
    # Jumps are frequent at omega = 0, which makes its averages quick.
    omegas = results.pick([0.3, 0, 0.1, 0.2, 0.4], [0])
    moved = [moved_transition(results, rows, omega, transition[omega]) for omega in omegas]
    moved.sort(key=lambda row: row["omega"])
    report = "At alpha_c, changes of e_t in per cent (-: jumps are too rare to compute it, below 0.001):\n\n"
    report += markdown({"omega": "omega", "alpha_c, symmetric": "alpha_c", "one step": "broken", "change": "change", "replicon, semantic": "replicon_semantic",
                        "jumps": "jumps_semantic", "e_t": "shift_semantic", "replicon, positional": "replicon_positional", "jumps ": "jumps_positional",
                        "e_t ": "shift_positional"}, moved,
                       {"alpha_c": "{:.5f}", "broken": "{:.5f}", "change": "{:+.5f}", "replicon_semantic": "{:.3f}", "replicon_positional": "{:.3f}",
                        "jumps_semantic": "{:.1e}", "jumps_positional": "{:.1e}"})
    if not results.quick:
        alphas = (0.5, 0.75, 1, 1.25, 1.5, 1.75, 2)
        branches = [rows.row(branch, 0.3, alpha) for branch in ("positional", "semantic") for alpha in alphas]
        report += "\nomega = 0.3; changes by one step of breaking in per cent:\n\n" + shown(branches)
    report += "\n" + stability(results, results.pick([0, 0.1, 0.2, 0.3, 0.4], [0]), results.pick([0.5, 0.75, 1, 1.5, 2, 3], [0.75, 1.5]))
    errors = [row["error_broken"] for row in (rows.row(*key[:1], float(key[1]), float(key[2])) for key in list(rows.rows)) if row["error_broken"] > 0]
    report += f"\n- largest change of e_t in the last refinement of the nested averages: {max(errors):.1e} of e_t, in {len(errors)} rows\n"
    results.fill("dotattn_breaking", report)
