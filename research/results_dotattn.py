# SPDX-License-Identifier: MIT
"""The part dotattn of results.py: the transition of dot-product attention over omega, and branches at one omega."""
from results_common import markdown, numbers


def dotattn(results):
    problem = ["--sigma", "0.5", "--lambda", "0.01"]
    text, _ = results.run("dotattn", "--omega", results.pick("0:0.4:9", "0.3"), "--transition", *problem)
    transitions = numbers(text)
    columns = ["omega", "alpha_c", "alpha_linear", "alpha_semantic", "alpha_positional", "alpha_positional_end", "error_c", "error_linear"]
    results.write_csv("dotattn_transition.csv", columns, transitions, ["sigma = 0.5, lambda = 0.01, A = [[0.6, 0.4], [0.4, 0.6]]"])
    rising = {name: all(a[name] < b[name] for a, b in zip(transitions, transitions[1:])) for name in ("alpha_c", "alpha_linear")}
    report = "".join(f"- {name} rises with omega at each of these steps: {'yes' if rising[name] else 'no'}\n" for name in rising if transitions[1:])
    report += f"- largest estimated error of alpha_c {max(r['error_c'] for r in transitions):.1e}, of alpha_linear "
    report += f"{max(r['error_linear'] for r in transitions):.1e}\n\n"
    for row in transitions:
        row["positional"] = f"{row['alpha_positional']:.4f} to {row['alpha_positional_end']:.4g}"
    report += markdown({"omega": "omega", "alpha_c": "alpha_c", "alpha_linear": "alpha_linear", "semantic from": "alpha_semantic",
                        "positional": "positional", "e_g of the linear map": "eg_linear"}, transitions,
                       {"omega": "{:g}", "alpha_c": "{:.4f}", "alpha_linear": "{:.4f}", "alpha_semantic": "{:.4f}", "eg_linear": "{:.6f}"})

    accuracy = results.pick("1e-4", "1e-2")
    text, _ = results.run("dotattn", "--omega", "0.3", "--alpha", results.pick("0.5:2:7", "1.5"), "--accuracy", accuracy, *problem)
    rows = numbers(text)
    for row in rows:
        row["order"] = row["theta"] if row["branch"] == "semantic" else row["m"]
    report += f"\nomega = 0.3, accuracy {accuracy}:\n\n"
    report += markdown({"branch": "branch", "alpha": "alpha", "solution": "solution", "q": "q", "theta or m": "order", "V": "v", "e_g": "eg", "e_t": "et",
                        "quadrature": "quadrature", "residual": "residual"}, rows,
                       {"alpha": "{:g}", "q": "{:.6f}", "order": "{:.6f}", "v": "{:.4f}", "eg": "{:.6f}", "et": "{:.6f}", "quadrature": "{:.0e}",
                        "residual": "{:.0e}"})
    results.fill("dotattn", report)
