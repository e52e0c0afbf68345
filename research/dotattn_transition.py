# SPDX-License-Identifier: MIT
"""Where meanings take over from positions, and where attention beats the linear map

State evolution under replica symmetry, sigma = 0.5, lambda = 0.01, A = [[0.6, 0.4], [0.4, 0.6]]. alpha_c: the semantic branch gets the
smaller training loss. alpha_linear: the branch that has it generalises better than the best linear map of positions. Branches are followed
until their order parameter has a share of 1e-4 (*semantic from, RS*, *positional, RS*; inf: above 30): these are ends of the symmetric
equations. Errors are the largest estimated ones. Another table has descents beyond the end of the positional branch, from (1, ..., 1) /
sqrt(d), 12 runs with a teacher and data of their own: gradient descent as in [C24], 5000 steps at rate 0.15, and L-BFGS to a gradient of
1e-7. *positional*: runs that end nearer to the code than to the teacher; means and standard errors are over these. *noise*: mean |theta| of a
student without semantic overlap, sigma sqrt(2 q / (pi d)). *published*: m in results that the authors of [C24] give with their code, d = 1000.
"""
import math

import dotattn_data
import lab as tools

OMEGAS = [0.05 * k for k in range(9)]
ALPHAS = [0.5 + 0.25 * k for k in range(7)]
COLUMNS = ("omega", "alpha_c", "alpha_linear", "alpha_semantic", "alpha_positional", "alpha_positional_end", "error_c", "error_linear")
# Beyond the ends of the positional branch: optimiser, omega, alpha, d.
ENDS = [("gd", omega, alpha, 1000) for omega, alpha in ((0.1, 1.5), (0.1, 2.0), (0.2, 2.0))] + \
    [("lbfgs", omega, 2.0, d) for omega in (0.1, 0.2) for d in (500, 1000, 2000)]
ENDS_KEY, ENDS_NUMBERS = ("optimizer", "omega", "alpha", "d", "seed"), ("et", "q", "m", "theta", "semantic", "gradient")
# github.com/SPOC-group/positional-and-semantic-attention, empirics/results_mean_standardA.csv, columns attention_mag_mean and informed = False.
PUBLISHED = {(0.1, 2.0): 0.2141, (0.2, 2.0): 0.2396}
AGREE = {"dotattn_ends_runs.csv": tools.Same(ENDS_KEY, ("q", "m", "theta", "semantic"), tolerance=1e-4),
         "dotattn_transition.csv": tools.Same(("omega",), ("alpha_c", "alpha_linear", "alpha_semantic", "alpha_positional"),
                                              tolerance=3e-4),
         "dotattn_branches.csv": tools.Same(("branch", "alpha"), ("solution", "q", "m", "theta", "v", "eg", "et"))}


def compute(lab):
    omegas = lab.pick(OMEGAS, OMEGAS[8:])
    table = lab.potts.dotattn.transition(omegas, sigma=0.5, penalty=0.01)
    lab.write("dotattn_transition.csv", [{c: omega if c == "omega" else table[c][k] for c in COLUMNS} for k, omega in enumerate(omegas)],
              ["sigma = 0.5, lambda = 0.01, A = [[0.6, 0.4], [0.4, 0.6]]"])
    rows = [r for name in ("semantic", "positional") for r in dotattn_data.branch(lab.potts, name, lab.pick(ALPHAS, [1.5, 2]),
                                                                                  accuracy=1e-4)]
    lab.write("dotattn_branches.csv", rows, ["omega = 0.3, accuracy 1e-4"],
              ["branch", "alpha", "solution", "q", "m", "theta", "v", "eg", "et", "eg_linear",
                                                                              "quadrature", "residual"])
    beyond_ends(lab)


def beyond_ends(lab):
    def run(optimizer, omega, alpha, d, seed):
        settings = {"optimizer": "lbfgs", "tolerance": 1e-7} if optimizer == "lbfgs" else {"rate": 0.15}
        table, seconds = tools.timed(lambda: lab.potts.dotattn.simulate(
            [alpha], dimension=d, start="positional", start_scale=1 / math.sqrt(d), runs=1, seed=seed, steps=5000, test_samples=100,
            **settings, **{**dotattn_data.PROBLEM, "omega": omega}))
        return {**{name: f"{float(table[name][0]):.7g}" for name in ENDS_NUMBERS}, "seconds": round(seconds, 2)}

    keys = [(*case, seed) for case in ENDS for seed in range(1, 13)]
    lab.complete("dotattn_ends_runs.csv", ENDS_KEY, [*ENDS_KEY, *ENDS_NUMBERS, "seconds"],
                 lab.pick(keys, [k for k in keys if k[3] == 500 and k[4] == 1]), run, "sigma = 0.5, lambda = 0.01; one row a run")


def ends(lab):
    """A row per optimiser, omega, alpha and d beyond the end of the positional branch in the symmetric theory."""
    table = []
    for (optimizer, omega, alpha, d), group in tools.groups_of(lab.rows("dotattn_ends_runs.csv"), "optimizer", "omega", "alpha", "d").items():
        stayed = [r for r in group if r["semantic"] == 0]
        q = tools.mean([r["q"] for r in stayed])
        table.append({"descent": {"gd": "gradient descent", "lbfgs": "L-BFGS"}[optimizer], "omega": omega, "alpha": alpha, "d": d,
                      "stayed": f"{len(stayed)} of {len(group)}", "left": len(group) - len(stayed), "runs": len(group),
                      "mean": tools.mean([abs(r["m"]) for r in stayed]), **{c: tools.with_error([abs(r[c]) for r in stayed]) for c in ("m", "theta")},
                      "noise": 0.5 * math.sqrt(2 * q / math.pi / d), "gradient": max(r["gradient"] for r in stayed),
                      "published": PUBLISHED.get((omega, alpha), math.nan) if optimizer == "gd" else math.nan})
    return table


def at(lab, omega):
    return next(r for r in lab.rows("dotattn_transition.csv") if abs(r["omega"] - omega) < 1e-9)


def report(lab):
    rows = lab.rows("dotattn_transition.csv")
    for r in rows:
        r["positional"] = f"{r['alpha_positional']:.4f} to {r['alpha_positional_end']:.4g}"
    text = (f"Largest estimated error of alpha_c {max(r['error_c'] for r in rows):.1e}, of alpha_linear {max(r['error_linear'] for r in rows):.1e}. "
            f"Both rise with omega at each step: {'yes' if all(a[c] < b[c] for a, b in zip(rows, rows[1:]) for c in ('alpha_c', 'alpha_linear')) else 'no'}.\n\n")
    table = ends(lab)
    minima = [r for r in table if r["descent"] == "L-BFGS"]
    beyond = (f"beyond them {sum(r['left'] for r in table)} of {sum(r['runs'] for r in table)} runs leave the branch. Minima (L-BFGS) have m from "
              f"{min(r['mean'] for r in minima):.3f} to {max(r['mean'] for r in minima):.3f}, which does not fall with d. "
              "Gradient descent has not converged after 5000 steps.\n\n")
    text += tools.markdown({"omega": "omega", "alpha_c": "alpha_c", "alpha_linear": "alpha_linear", "semantic from, RS": "alpha_semantic",
                            "positional, RS": "positional"},
                           rows, dict.fromkeys(("alpha_c", "alpha_linear", "alpha_semantic"), "{:.4f}"))
    shown = [{**r, "order": r[dotattn_data.ORDER[r["branch"]]]} for r in lab.rows("dotattn_branches.csv")]
    text += "\nDescents do not see the ends of the positional branch at omega = 0.1 and 0.2: " + beyond
    text += tools.markdown({"descent": "descent", "omega": "omega", "alpha": "alpha", "d": "d", "positional": "stayed", "m": "m", "abs(theta)": "theta",
                            "noise": "noise", "largest gradient": "gradient", "m, published": "published"}, table,
                           {"noise": "{:.4f}", "gradient": "{:.0e}", "published": "{:.4f}"})
    return text + "\nomega = 0.3, accuracy 1e-4:\n\n" + tools.markdown(
        {"branch": "branch", "alpha": "alpha", "solution": "solution", "q": "q", "theta or m": "order", "V": "v", "e_g": "eg", "e_t": "et"},
        shown,
        {"q": "{:.6f}", "order": "{:.6f}", "v": "{:.4f}", "eg": "{:.6f}", "et": "{:.6f}"})


def claims(lab):
    row = at(lab, 0.3)
    jumps = next(r["jumps"] for r in lab.rows("dotattn_breaking.csv") if (r["branch"], r["omega"], r["alpha"]) == ("semantic", 0.3, 1.5))
    return [("C2", "semantic attention beats the linear map of positions",
             "holds with replica symmetry, which is unstable there too; its jumps are too rare to compute a step of breaking",
             f"jumps {jumps:.1e} at alpha = 1.5; alpha_linear = {row['alpha_linear']:.4f} +- "
             f"{max(r['error_linear'] for r in lab.rows('dotattn_transition.csv')):.4f} at omega = 0.3")]
