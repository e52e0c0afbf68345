# SPDX-License-Identifier: MIT
"""Where SGD ends, and where L-BFGS ends that continues it

2000 epochs at the rate and momentum that [figure 2a](fig2a_effort.md) has found for each architecture, for each of 5 J at two distances,
continued by L-BFGS on the pseudo-likelihood to a tolerance of 1e-6 (encoders: 300 and 60 iterations). Factored attention has 8 starts,
encoders one; the best start of a J is that with the smallest training loss of the same end. *left*: the share of the square of beta J that
the best affine function of the map leaves (three blocks: of the mean of the last two maps). For J number 1 the best start is also continued
with penalties on map and V, and to other tolerances.
"""
import lab as tools
import potts_data

RATES = {"factored": 0.1, "encoder1": 0.03, "encoder3": 0.03}
ITERATIONS = {"factored": 5000, "encoder1": 300, "encoder3": 60}
TOLERANCE, TOLERANCES, PENALTIES = 1e-6, (1e-4, 1e-5, 3e-6, 3e-7), (1e-6, 1e-5, 1e-4, 1e-3)
KEY = ("distance", "j_seed", "stage", "architecture", "start_seed", "rate", "momentum", "epochs", "l2")
ENDS = ("train_loss", "test_loss", "coupling_error")
COLUMNS = [*KEY, "beta", "optimal_loss", *ENDS, "outcome", *("polished_" + end for end in ENDS), "polished_iterations", "polished_outcome",
           "unexplained_sgd", "r_sgd", "unexplained_lbfgs", "r_lbfgs"]
AGREE = {"fig2c_runs.csv": tools.Same(KEY, ("beta", "optimal_loss", *ENDS, "unexplained_sgd", "polished_train_loss", "polished_test_loss"),
                                      tolerance=1e-5)}


def fit(truth, learned):
    """(share of the square of `truth` that the best affine function of `learned` leaves, correlation)."""
    import numpy as np
    x, y = learned - learned.mean(), truth - truth.mean()
    return float((y @ y - (x @ y)**2 / (x @ x)) / (truth @ truth)), float(x @ y / np.sqrt((x @ x) * (y @ y)))


def measured(made, data, end, architecture):
    """Losses, coupling error and the fit of the map where `made` is now."""
    import numpy as np
    truth, _, test = data
    others = ~np.eye(potts_data.SITES, dtype=bool)
    prefix = "" if end == "sgd" else "polished_"
    row = {prefix + "train_loss": made.gradient().loss, prefix + "test_loss": made.loss(test)}
    if architecture == "factored":
        model = made.model()
        row[prefix + "coupling_error"] = model.coupling_error(truth)
        j, a = potts_data.compared_maps(truth, model)
    else:
        j, a = truth.beta * truth.maps[0], potts_data.attention_map(made, test)
    row[f"unexplained_{end}"], row[f"r_{end}"] = fit(j[others], a[others])
    return row


def compute(lab):
    data = {}

    def run(distance, j, stage, architecture, start, rate, momentum, epochs, l2):
        if (distance, j) not in data:
            data.clear()
            data[distance, j] = potts_data.draw(lab.potts, "gaussian", distance, j, 3000, 3000)
        truth, train, test = data[distance, j]
        penalties = {"l2_maps": l2, "l2_colors": l2} if l2 else {}
        made = potts_data.learner(lab.potts, train, architecture, epochs=epochs, rate=rate, momentum=momentum, seed=start)
        row = {"beta": truth.beta, "optimal_loss": truth.loss(test), "outcome": made.run()}
        row.update(measured(made, data[distance, j], "sgd", architecture))
        if architecture == "factored":
            tolerance = TOLERANCE if stage == "main" else float(stage.split()[1])
            more = lab.potts.Trainer(train, epochs=ITERATIONS[architecture], tolerance=tolerance, **penalties)
        else:
            more = lab.potts.Trainer(train, family="encoder", blocks=potts_data.BLOCKS[architecture], optimizer="lbfgs",
                                     objective="pseudolikelihood",
                                     epochs=ITERATIONS[architecture], tolerance=TOLERANCE)
        more.parameters = made.parameters
        row["polished_outcome"] = more.run()
        return {**row, **measured(more, data[distance, j], "lbfgs", architecture), "polished_iterations": more.epochs}

    def add(distance, j, architecture, start, l2=0.0, stage="main"):
        lab.complete("fig2c_runs.csv", KEY, COLUMNS, [(distance, j, stage, architecture, start, RATES[architecture], 0.9, 2000, l2)], run)

    if lab.quick:
        add(0.7, 2, "factored", 1)
        return
    for distance in (0.3, 0.7):
        for j in range(1, 6):
            for architecture in RATES:
                for start in range(1, 9 if architecture == "factored" else 2):
                    add(distance, j, architecture, start)
        best = best_of(main_rows(lab, distance, "factored", 1), "")["start_seed"]
        for l2 in PENALTIES:
            add(distance, 1, "factored", best, l2)
        for tolerance in TOLERANCES:
            add(distance, 1, "factored", best, stage=f"tolerance {tolerance:.0e}".replace("e-0", "e-"))


def main_rows(lab, distance, architecture, j=None):
    return [r for r in lab.rows("fig2c_runs.csv") if (r["l2"], r["stage"], r["distance"],
                                                      r["architecture"]) == (0, "main", distance, architecture)
            and j in (None, r["j_seed"])]


def best_of(rows, prefix):
    return min((r for r in rows if r["outcome"] != "diverged"), key=lambda r: r[prefix + "train_loss"])


def report(lab):
    table, other = [], []
    for distance in (0.7, 0.3):
        for architecture in RATES:
            for end, prefix in (("SGD", ""), ("L-BFGS", "polished_")):
                best = [best_of(group, prefix) for group in tools.groups_of(main_rows(lab, distance, architecture), "j_seed").values()]
                name = end.lower().replace("-", "")
                row = {"distance": distance, "model": potts_data.TITLES[architecture], "end": end, "j": len(best),
                       "test": tools.with_error([r[prefix + "test_loss"] - r["optimal_loss"] for r in best]),
                       "left": tools.with_error([r[f"unexplained_{name}"] for r in best], 3),
                       "r": tools.mean([r[f"r_{name}"] for r in best])}
                if architecture == "factored":
                    row["error"] = tools.with_error([r[prefix + "coupling_error"] for r in best])
                table.append(row)
        start = best_of(main_rows(lab, distance, "factored", 1), "")["start_seed"]
        for r in lab.rows("fig2c_runs.csv"):
            if (r["distance"], r["architecture"], r["j_seed"], r["start_seed"]) == (distance, "factored", 1, start):
                other.append({**r, "tolerance": f"{TOLERANCE:g}" if r["stage"] == "main" else r["stage"].split()[1],
                              "above": r["polished_test_loss"] - r["optimal_loss"]})
    other.sort(key=lambda r: (-r["distance"], r["l2"], -float(r["tolerance"])))
    return tools.markdown({"distance": "distance", "model": "model", "end of": "end", "J": "j", "test - optimal": "test",
                           "coupling error": "error", "left": "left",
                           "correlation": "r"}, table, {"r": "{:.3f}"}) + "\nJ number 1, the best start:\n\n" + tools.markdown(
        {"distance": "distance", "penalty": "l2", "tolerance": "tolerance", "iterations": "polished_iterations", "test - optimal": "above",
         "coupling error": "polished_coupling_error"}, other, {"above": "{:.5f}", "polished_coupling_error": "{:.4f}"})
