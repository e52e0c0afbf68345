# SPDX-License-Identifier: MIT
"""The dial for couplings of either sign and without signs

At a = 0 the map of [R24] is A = beta J, of either sign: *free*. A softmax has no negative weights, so that a map of one softmax cannot
express couplings of either sign; the layer with a > 0 has a softmax. |J| has the same U, and its beta is
chosen anew for the same distance: signs are the only difference. Rate and momentum are those of the smallest training loss on J number 1,
of the rates 0.01, 0.03, 0.1 and momentum 0 and 0.9; then come 3 starts of 1000 epochs for each of 3 J, of which the best by training loss
counts. L = q = 20, M = 3000, as many test sequences. Errors are standard errors over J.
"""

import lab as tools
import potts_data

MODELS = {"free": "free, a = 0", "softmax": "softmax, a = 0", "dial0.1": "a = 0.1", "dial0.4": "a = 0.4", "dial1": "a = 1"}
LAWS, DISTANCES = {"gaussian": "J", "absolute": "abs(J)"}, (0.3, 0.7, 0.8)
RATES, MOMENTA, EPOCHS = (0.01, 0.03, 0.1), (0, 0.9), 1000
KEY = ("law", "distance", "j_seed", "stage", "architecture", "start_seed", "rate", "momentum", "epochs")
COLUMNS = [*KEY, "beta", "optimal_loss", "cpu_seconds", "train_loss", "test_loss", "outcome"]
AGREE = {"fig2d_runs.csv": tools.Same(KEY, ("beta", "optimal_loss", "train_loss", "test_loss"))}


def compute(lab):
    data = {}

    def run(law, distance, j, stage, model, start, rate, momentum, epochs):
        if (law, distance, j) not in data:
            data.clear()
            data[law, distance, j] = potts_data.draw(lab.potts, law, distance, j, 3000, 3000)
        truth, train, test = data[law, distance, j]
        made = potts_data.learner(lab.potts, train, model, epochs=epochs, rate=rate, momentum=momentum, seed=start)
        row = {"beta": truth.beta, "optimal_loss": truth.loss(test)}
        try:
            row["outcome"], row["cpu_seconds"] = tools.timed(made.run)
        except lab.potts.Error:
            return {**row, "outcome": "diverged"}
        return {**row, "train_loss": made.gradient().loss, "test_loss": made.loss(test)}

    def add(keys):
        lab.complete("fig2d_runs.csv", KEY, COLUMNS, keys, run)

    if lab.quick:
        add([("gaussian", 0.7, 1, "main", "free", 1, 0.1, 0.9, EPOCHS), ("absolute", 0.8, 1, "main", "softmax", 1, 0.1, 0.9, EPOCHS)])
        return
    for law in LAWS:
        for distance in DISTANCES:
            add((law, distance, 1, "tune", model, 1, rate, momentum, EPOCHS) for model in MODELS for rate in RATES for momentum in MOMENTA)
            tried = tools.groups_of([r for r in lab.rows("fig2d_runs.csv") if (r["law"], r["distance"],
                                                                               r["stage"]) == (law, distance, "tune")], "architecture")
            settings = {model: best_of(tried[model,]) for model in MODELS}
            add((law, distance, j, "main", model, start, best["rate"], best["momentum"], EPOCHS) for j in (1, 2, 3)
                for model, best in settings.items() for start in (1, 2, 3))


def best_of(rows):
    """The run with the smallest training loss."""
    return min((r for r in rows if r["outcome"] != "diverged"), key=lambda r: r["train_loss"])


def cells(lab):
    """{(law, distance, model): {J: the best start}}."""
    rows = [r for r in lab.rows("fig2d_runs.csv") if r["stage"] == "main"]
    return {key: {j: best_of(runs) for (j,), runs in tools.groups_of(group, "j_seed").items()}
            for key, group in tools.groups_of(rows, "law", "distance", "architecture").items()}


def excess(best):
    return [r["test_loss"] - r["optimal_loss"] for r in best.values()]


def against_free(known, law, distance):
    """Test losses of a = 1 less those of the free map at a = 0, by J."""
    free, full = known[law, distance, "free"], known[law, distance, "dial1"]
    return [full[j]["test_loss"] - free[j]["test_loss"] for j in free]


def lowest_free(known):
    """"17 of 18": J whose lowest test loss of all models is that of the free map."""
    groups = [(law, distance, j) for law in LAWS for distance in DISTANCES for j in known[law, distance, "free"]]
    won = sum(min(MODELS, key=lambda model: known[law, distance, model][j]["test_loss"]) == "free" for law, distance, j in groups)
    return f"{won} of {len(groups)}"


def report(lab):
    known, table, text = cells(lab), [], ""
    for distance in DISTANCES:
        for law, shown in LAWS.items():
            for model, title in MODELS.items():
                best = known[law, distance, model]
                one = next(iter(best.values()))
                table.append({"law": shown, "distance": distance, "model": title, "setting": f"{one['rate']:g}, {one['momentum']:g}",
                              "beta": tools.mean([r["beta"] for r in best.values()]),
                              "test": tools.mean([r["test_loss"] for r in best.values()]),
                              "above": tools.with_error(excess(best))})
            zero, full = known[law, distance, "softmax"], known[law, distance, "dial1"]
            gains = [zero[j]["test_loss"] - full[j]["test_loss"] for j in zero]
            text += (f"- {shown}, distance {distance:g}: a = 1 less the free map at a = 0, by J: {tools.with_error(against_free(known, law, distance))}; softmax at "
                     f"a = 0 less a = 1: {tools.with_error(gains)}\n")
    text += f"\nThe free map at a = 0 has the lowest test loss for {lowest_free(known)} J, of both laws and all distances.\n"
    return tools.markdown({"couplings": "law", "distance": "distance", "model": "model", "rate, momentum": "setting", "beta": "beta",
                           "test loss": "test",
                           "test - optimal": "above"}, table, {"beta": "{:.2f}", "test": "{:.4f}"}) + "\n" + text


def claims(lab):
    known = cells(lab)
    values = {law: ", ".join(tools.with_error(excess(known[law, 0.8, model])) for model in ("free", "softmax", "dial1")) for law in LAWS}
    return [("R5", "the loss falls as the dial a falls to 0",
             "a = 0 is lowest with the paper's map, A = beta J of either sign; with a softmax at a = 0 only where couplings are not negative",
             f"lowest for {lowest_free(known)} J; above the optimal loss at 0.8, A free at a = 0, softmax at a = 0, a = 1: {values['gaussian']} for J, "
             f"{values['absolute']} for abs(J) (3 J)")]


def draw(lab):
    known = cells(lab)
    figure, (ax,) = tools.figure(size=(9, 4.6))
    for distance, color, shift in zip(DISTANCES, (tools.COLORS[5], tools.COLORS[2], tools.COLORS[1]), (-0.1, 0, 0.1)):
        for law, fill in (("gaussian", color), ("absolute", "white")):
            values = [tools.mean_and_error(excess(known[law, distance, model])) for model in MODELS]
            ax.errorbar([k + shift for k in range(len(MODELS))], [v[0] for v in values], [v[1] for v in values], fmt="o", color=color,
                        mfc=fill, capsize=2,
                        label=f"{LAWS[law]}, distance {distance:g}")
    ax.set_xticks(range(len(MODELS)), MODELS.values())
    ax.set(yscale="log", ylabel="test loss - optimal loss (nats per site)")
    ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return {"fig2d_sign": figure}
