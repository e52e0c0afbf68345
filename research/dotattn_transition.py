# SPDX-License-Identifier: MIT
"""Where meanings take over from positions, and where attention beats the linear map

State evolution under replica symmetry, sigma = 0.5, lambda = 0.01, A = [[0.6, 0.4], [0.4, 0.6]]. alpha_c: the semantic branch gets the
smaller training loss. alpha_linear: the branch that has it generalises better than the best linear map of positions. Branches are followed
until their order parameter has a share of 1e-4 (*semantic from*, *positional*; inf: above 30). Errors are the largest estimated ones.
"""
import dotattn_data
import lab as tools

OMEGAS = [0.05 * k for k in range(9)]
ALPHAS = [0.5 + 0.25 * k for k in range(7)]
COLUMNS = ("omega", "alpha_c", "alpha_linear", "alpha_semantic", "alpha_positional", "alpha_positional_end", "error_c", "error_linear")
AGREE = {"dotattn_transition.csv": tools.Same(("omega",), ("alpha_c", "alpha_linear", "alpha_semantic", "alpha_positional"),
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


def at(lab, omega):
    return next(r for r in lab.rows("dotattn_transition.csv") if abs(r["omega"] - omega) < 1e-9)


def report(lab):
    rows = lab.rows("dotattn_transition.csv")
    for r in rows:
        r["positional"] = f"{r['alpha_positional']:.4f} to {r['alpha_positional_end']:.4g}"
    text = (f"Largest estimated error of alpha_c {max(r['error_c'] for r in rows):.1e}, of alpha_linear {max(r['error_linear'] for r in rows):.1e}. "
            f"Both rise with omega at each step: {'yes' if all(a[c] < b[c] for a, b in zip(rows, rows[1:]) for c in ('alpha_c', 'alpha_linear')) else 'no'}.\n\n")
    text += tools.markdown({"omega": "omega", "alpha_c": "alpha_c", "alpha_linear": "alpha_linear", "semantic from": "alpha_semantic",
                            "positional": "positional"},
                           rows, dict.fromkeys(("alpha_c", "alpha_linear", "alpha_semantic"), "{:.4f}"))
    shown = [{**r, "order": r[dotattn_data.ORDER[r["branch"]]]} for r in lab.rows("dotattn_branches.csv")]
    return text + "\nomega = 0.3, accuracy 1e-4:\n\n" + tools.markdown(
        {"branch": "branch", "alpha": "alpha", "solution": "solution", "q": "q", "theta or m": "order", "V": "v", "e_g": "eg", "e_t": "et"},
        shown,
        {"q": "{:.6f}", "order": "{:.6f}", "v": "{:.4f}", "eg": "{:.6f}", "et": "{:.6f}"})


def claims(lab):
    row = at(lab, 0.3)
    return [("C2", "semantic attention beats the linear map of positions",
             "holds; no breaking of replica symmetry is seen there at omega = 0.3",
             f"alpha_linear = {row['alpha_linear']:.4f} +- {max(r['error_linear'] for r in lab.rows('dotattn_transition.csv')):.4f} at omega = 0.3")]
