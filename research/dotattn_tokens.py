# SPDX-License-Identifier: MIT
"""More tokens, and students of rank two

The theory of [C24] by shifted lattices (docs/theory.md, section 14), alpha = 1 and 2, omega = 0.3, sigma = 0.5, lambda = 0.01. A student of
rank two has a solution with both overlaps: it learns positions with one vector and meanings with the other. Three tokens have the code
(1, 0, -1) and the teacher [[0.5, 0.3, 0.2], [0.25, 0.5, 0.25], [0.2, 0.3, 0.5]]. Beside it L-BFGS in 1000 dimensions, 16 runs, which draw the
same teachers and data at both alphas. Code in the values, which is not subtracted, makes 0.4 to 0.8 per cent of the losses.
"""
import dotattn_data
import lab as tools

THREE = {"code": [1, 0, -1], "teacher": [[0.5, 0.3, 0.2], [0.25, 0.5, 0.25], [0.2, 0.3, 0.5]]}
TASKS = {"2 tokens, rank 2": ("mixed", {"rank": 2}), "3 tokens, rank 1": ("semantic", THREE),
         "3 tokens, rank 2": ("mixed", {"rank": 2, **THREE})}
NUMBERS = ("theta", "m", "q", "eg", "et", "q_least")
AGREE = {"dotattn_tokens.csv": tools.Same(("task", "alpha"), (), {n: n + "_sem" for n in ("theta", "q", "eg", "et")})}


def compute(lab):
    rows = []
    for title, (solution, options) in lab.pick(TASKS, dict(list(TASKS.items())[1:2])).items():
        theory = lab.potts.dotattn.tokens([1, 2], solution=solution, points=lab.pick(4096, 512), **dotattn_data.PROBLEM, **options)
        drawn = lab.potts.dotattn.simulate([1, 2], start=solution, dimension=lab.pick(1000, 100), runs=lab.pick(16, 2), optimizer="lbfgs",
                                           steps=1000,
                                           **dotattn_data.PROBLEM, **options)
        rows += [{"task": title, "alpha": alpha, **{n + e: theory[n + e][k] for n in NUMBERS for e in ("", "_sem")},
                  **{f"{n}_sim{e}": drawn[n + e][k] for n in NUMBERS for e in ("", "_sem")}} for k, alpha in enumerate((1, 2))]
    lab.write("dotattn_tokens.csv", rows, ["lattices of 4096 points, 8 shifts; L-BFGS in 1000 dimensions, 16 runs"])


def report(lab):
    rows = []
    for r in lab.rows("dotattn_tokens.csv"):
        for n in NUMBERS:
            if r[n]:
                rows.append({"task": r["task"], "alpha": r["alpha"], "number": {"q_least": "smaller q"}.get(n, n),
                             "theory": f"{r[n]:.6f} +- {r[n + '_sem']:.6f}",
                             "simulated": f"{r[n + '_sim']:.6f} +- {r[n + '_sim_sem']:.6f}", "ratio": r[n + "_sim"] / r[n]})
    return tools.markdown({"task": "task", "alpha": "alpha", "number": "number", "theory": "theory", "simulation": "simulated",
                           "ratio": "ratio"}, rows, {"ratio": "{:.3f}"})


def claims(lab):
    ratios = [r[x + "_sim"] / r[x] for r in lab.rows("dotattn_tokens.csv") for x in ("eg", "et")]
    return [("more", "the theory holds for three tokens and rank two", "holds",
             f"losses of the simulation over theory: {min(ratios):.3f} to {max(ratios):.3f}")]
