# SPDX-License-Identifier: MIT
"""The interpolation peak of factored attention with V known

Figure 3 right of [R24] has V learned: see [the peak with V learned](peak.md). Here V is known, which the theory below needs.
L = q = 20, Gaussian J and U, V = U is given and A is learned: pseudo-likelihood by L-BFGS in float64 with a penalty times |A|^2, to a
tolerance of a tenth of the penalty (the slope of the penalty is 2 penalty |A|: a larger tolerance ends on the way to the minimum). All
sites of M sequences are predicted; alpha = M / (L - 1), and alpha = 0 is A = 0 with a loss of ln q. At a mean Hamming distance of 0.9 ten
J and U with three data sets each, at 0.3 three with ten: data sets of one J share J, U, beta and the 2000 test sequences, so that errors
are those of means over J. Training sets of a data set are nested.

*theory* is the replica theory of docs/theory.md, section 15, for many sites and the first three J at 0.9; K, the spectrum of S and the
teacher's variance are measured on the test sequences and the true J. *its model* are 30 realisations of the same model, normal fields, at
L = 20. No number is fitted. Two assumptions of the theory do not hold: given the label, the means of the fields depend on it, and the
covariance of V(a, s_j) and V(b, s_k) is not a product K_ab S_jk.
"""
import math

import lab as tools
import potts_data
from peak import TESTS, color_covariance, fit, mean_spectrum

SITES = 20
COUNTS = (1, 2, 3, 4, 5, 7, 10, 14, 19, 28, 38, 57, 76, 114, 152, 228, 304)
PENALTIES = ("1e-6", "1e-4")
MODELS_AND_SETS = {0.9: (10, 3), 0.3: (3, 10)}
THEORY = {"models": 3, "points": 1024, "realisations": 30}
AGREE = {"fig3_right.csv": tools.Same(("samples",), ("theory_loss_0.9_1e-4", "theory_train_loss_0.9_1e-4", "normal_loss_0.9_1e-4"),
                                      {f"test_loss_0.9_{p}": f"error_0.9_{p}" for p in PENALTIES}, tolerance=1e-5)}


def theory_of(replica, truth, test, samples, penalty):
    """(test loss, training loss of the theory, mean test loss of its model drawn at L = 20)."""
    import numpy as np
    sequences, values = test.sequences, truth.values[0]
    colors = color_covariance(sequences, values)
    eigenvalues, projections = mean_spectrum(sequences, values, truth.beta * truth.maps[0])
    alpha, strength = [samples / (SITES - 1)], 2 * samples * SITES * float(penalty) / (SITES - 1)
    table, _ = replica.potts(eigenvalues, projections, colors, alpha, strength, points=THEORY["points"], shifts=2)
    solved = table.outcome == "converged"
    masked = replica.Masked(np.diag(eigenvalues), np.sqrt(projections), 0.0)
    drawn = replica.simulate_potts(masked, colors, alpha, strength, realisations=THEORY["realisations"])
    return (float(table["eg"][0]), float(table["et"][0])) if solved else (math.nan, math.nan), float(drawn["eg"][0])


def measure(lab, distance, counts):
    """{(M, penalty): [(J, test loss, training loss)]}, {(M, penalty): [theory]}, optimal losses."""
    losses, theories, optima = {}, {}, []
    models, sets = MODELS_AND_SETS[distance]
    for m in range(lab.pick(models, 3)):
        truth, train, test = potts_data.draw(lab.potts, "gaussian", distance, potts_data.seed_of_run(m), sets * COUNTS[-1], TESTS)
        optima.append(truth.loss(test))
        for k in range(sets):
            for samples in counts:
                part = train[k * COUNTS[-1]:k * COUNTS[-1] + samples]
                for penalty in PENALTIES:
                    trainer, _ = fit(lab.potts, part, penalty, truth.values, epochs=5000)
                    losses.setdefault((samples, penalty), []).append((m, trainer.loss(test), trainer.gradient().loss))
        for samples, penalty in lab.pick([(s, p) for s in counts for p in PENALTIES], [(19, "1e-4")]):
            if distance == 0.9 and m < THEORY["models"]:
                theories.setdefault((samples, penalty), []).append(theory_of(lab.potts.replica, truth, test, samples, penalty))
    return losses, theories, optima


def compute(lab):
    counts = lab.pick(COUNTS, (3, 7, 19, 57))
    rows = {samples: {"samples": samples, "alpha": samples / (SITES - 1)} for samples in counts}
    for distance in lab.pick((0.9, 0.3), (0.9,)):
        losses, theories, optima = measure(lab, distance, counts)
        for (samples, penalty), found in losses.items():
            means = [tools.mean([x[1] for x in group]) for group in tools.groups_of([dict(enumerate(x)) for x in found], 0).values()]
            m, error = tools.mean_and_error(means)
            end = f"{distance:g}_{penalty}"
            rows[samples].update({f"test_loss_{end}": m, f"error_{end}": error, f"train_loss_{end}": tools.mean([x[2] for x in found]),
                                  f"optimal_loss_{distance:g}": tools.mean(optima)})
            if solved := [t for t in theories.get((samples, penalty), []) if t[0][0] == t[0][0]]:
                rows[samples].update({f"theory_loss_{end}": tools.mean([t[0][0] for t in solved]),
                                      f"theory_train_loss_{end}": tools.mean([t[0][1] for t in solved]),
                                      f"normal_loss_{end}": tools.mean([t[1] for t in theories[samples, penalty]])})
    lab.write("fig3_right.csv", list(rows.values()), ["what_distance_penalty: means and standard errors over J, nats per site"],
              columns_of(list(rows.values())))


def columns_of(rows):
    wanted = ["samples", "alpha"]
    for distance in (0.9, 0.3):
        wanted += [f"{what}_{distance:g}_{p}" for p in PENALTIES for what in ("test_loss", "error",
                                                                              "train_loss")] + [f"optimal_loss_{distance:g}"]
        wanted += [f"{what}_{distance:g}_{p}" for p in PENALTIES for what in ("theory_loss", "theory_train_loss", "normal_loss")]
    known = {column for row in rows for column in row}
    return [column for column in wanted if column in known or column.startswith(("theory", "normal")) and "0.9" in column]


def peak_of(rows, end):
    return max(rows, key=lambda r: r[f"test_loss_{end}"])


def report(lab):
    rows, headings = lab.rows("fig3_right.csv"), {"M": "samples", "alpha": "alpha"}
    for r in rows:
        for distance in MODELS_AND_SETS:
            for p in PENALTIES:
                end = f"{distance:g}_{p}"
                headings[f"distance {distance:g}, {p}"] = f"text_{end}"
                r[f"text_{end}"] = f"{r['test_loss_' + end]:.2f} +- {r['error_' + end]:.2f}"
    for p in PENALTIES:
        headings.update({f"theory at 0.9, {p}": f"theory_loss_0.9_{p}", f"its model, {p}": f"normal_loss_0.9_{p}"})
    text = tools.markdown(headings, rows, {"alpha": "{:.3f}",
                                           **{key: "{:.2f}" for key in headings.values() if key.startswith(("theory", "normal"))}})
    for p in PENALTIES:
        top = peak_of(rows, f"0.9_{p}")
        text += (f"\nPenalty {p}: the peak at distance 0.9 is {top['text_0.9_' + p]} at alpha = {top['alpha']:.3f}, where the training loss has just left "
                 f"zero ({top[f'train_loss_0.9_{p}']:.3f}); theory has {top[f'theory_loss_0.9_{p}']:.1f} there.")
    last = rows[-1]
    return text + (f" At alpha = {last['alpha']:g} the loss is {last['text_0.9_1e-6']}, theory has {last['theory_loss_0.9_1e-6']:.2f} and the true model "
                   f"{last['optimal_loss_0.9']:.2f}. At distance 0.3 sequences resemble each other, and the loss falls from the first one on.\n")


def claims(lab):
    rows = lab.rows("fig3_right.csv")
    top = peak_of(rows, "0.9_1e-6")
    return [("more", "with V known the loss rises to a peak without an initial decay", "holds at distance 0.9, not at 0.3",
             f"peak of {top['test_loss_0.9_1e-6']:.1f} +- {top['error_0.9_1e-6']:.1f} at alpha = {top['alpha']:.3f} "
             f"(ln q = {math.log(SITES):.1f}; 10 J and U); at 0.3 {rows[1]['test_loss_0.3_1e-6']:.2f} after the first sequence")]


def draw(lab):
    rows = [r for r in lab.rows("fig3_right.csv") if r["alpha"] > 0]
    figure, (ax,) = tools.figure(size=(9, 5.2))
    for distance, color in zip(MODELS_AND_SETS, tools.COLORS):
        for p, style in zip(PENALTIES, ("o-", "s--")):
            tools.points(ax, rows, "alpha", f"test_loss_{distance:g}_{p}", f"error_{distance:g}_{p}", fmt=style, color=color, lw=1,
                         label=f"distance {distance:g}, penalty {p}")
        ax.axhline(rows[0][f"optimal_loss_{distance:g}"], color=color, ls=":", lw=1)
    for p, style in zip(PENALTIES, ("-", "--")):
        tools.curve(ax, rows, "alpha", f"theory_loss_0.9_{p}", color=tools.COLORS[2], ls=style, lw=2, label=f"theory, many sites, {p}")
        tools.curve(ax, rows, "alpha", f"normal_loss_0.9_{p}", color=tools.COLORS[3], ls=style, marker=".", lw=1,
                    label=f"its model at L = 20, {p}")
    ax.axhline(math.log(SITES), color="#777777", ls="-.", lw=1, label="no data: ln q")
    ax.set(xscale="log", yscale="log", xlabel="sequences per parameter of a site, alpha = M / (L - 1)", ylabel="test loss (nats per site)")
    ax.legend(fontsize=8)
    return {"fig3_right": figure}
