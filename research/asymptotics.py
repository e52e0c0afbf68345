# SPDX-License-Identifier: MIT
"""What pseudo-likelihood costs

With H the curvature of the loss and J the covariance of a sequence's scores, the expected excess of the test loss is tr(H^-1 J) / (2 M)
per sequence for M training sequences, and sqrt(M) times the error of the estimate has the covariance H^-1 J H^-1 (docs/theory.md). Of the
likelihood H = J. Averages are over all states of small models, over samples of larger ones.

*Constants at L = q = 20*: M times the excess per site of factored attention, Gaussian J and U, seed 1, distance 0.7. Measured: the
divergence of the learned conditionals from the true ones, averaged over 4000 new sequences. The autoregressive limit is learned from all
training sequences, and its excess is a difference of losses. Predictions are averages over 6000 samples; their errors from two halves.

*Masks*: each site is masked with a probability, masked sites do not see each other, and scores are averages over all masks. L = 5, q = 3,
V known; each data set is learned to the minimum of its loss over all masks by Newton steps in NumPy. The limit is another model than the
truth: the column beyond is the pseudo-likelihood that it lacks.

*Efficiency*: the excess of the pseudo-likelihood after maximum likelihood over that after pseudo-likelihood, dense couplings and fields,
exact sums. SK models of Ising spins lose 2 (L - 2) sum_i e_3(K_ik^2) of the trace in leading order, K = beta J, which is beta^6 / 3 of the
excess for many spins.

*Coverage*: how often a true coupling is within 1.96 standard errors of the learned one, errors from the alignment it was learned from.

*Contacts of 6acv*: sequences of at most 80 per cent identity (each that is no relative of those before it), dense couplings at default
penalties; standard errors of the scores with average product correction. Two random halves are learned apart, three times: z is the
difference of their scores over its standard error, pairs with |i - j| > 4.
"""
import math

import lab as tools
import potts_data

SITES = COLORS = 20
KINDS = {"V known": {"colors_fixed": True}, "V learned": {}, "autoregressive": {"objective": "autoregressive"}}
SIZES = {1000: 16, 2000: 16, 4000: 16, 8000: 8}
BETAS = (0.125, 0.25, 0.375, 0.5, 0.75, 1, 1.5, 2, 3)
CELLS = {"gaussian": ((4, 2), (7, 2), (4, 4), (7, 4)), "sk": ((4, 2), (7, 2), (10, 2), (13, 2))}
RATES = (0.1, 0.3, 0.5, 0.8)
FAMILY, IDENTITY, SPLITS, SHOWN = ("structuredca", "6acv_A_29-94.fasta"), 0.8, 3, 12
AGREE = {"asymptotics_efficiency.csv": tools.Same(("model", "sites", "colors", "beta"), ("pseudo", "likely"), tolerance=1e-6),
         "asymptotics_masks.csv": tools.Same(("rate",), ("predicted", "beyond"), {"measured": "error"}, 1e-6),
         "asymptotics_coverage.csv": tools.Same(("run",), ("rms", "couplings"), tolerance=1e-3)}


# --- constants at L = q = 20 ---

def divergence(np, truth, model, sequences):
    """Mean over sequences and sites of the divergence of the model's conditionals from the true ones."""
    p, r = truth.conditionals(sequences), model.conditionals(sequences)
    return float(np.sum(p * (np.log(p) - np.log(r)))) / len(sequences) / sequences.shape[1]


def learned(potts, train, kind, truth):
    options = {**KINDS[kind], **({"order": "natural"} if kind == "autoregressive" else {})}
    trainer = potts.Trainer(train, epochs=3000, **options)
    if kind == "V known":
        trainer.set_values(truth.values)
    elif kind == "V learned":
        trainer.start_wide(4)
    trainer.run()
    return trainer.model()


def predicted(potts, model, kind, samples):
    """M times the excess per site, and its error from two halves."""
    parts = [potts.scores.asymptotics(model, part, samples=1, family="factored", **KINDS[kind])["excess"]
             for part in (samples[:len(samples) // 2], samples[len(samples) // 2:])]
    return tools.mean_and_error(parts)


def constants(lab):
    import numpy as np
    potts, runs = lab.potts, max(m * n for m, n in SIZES.items())
    truth, train, test = potts_data.draw(potts, "gaussian", 0.7, 1, runs, 6000)
    made = {}

    def limit_of(kind):
        if kind not in made:
            limit = learned(potts, train, kind, truth) if kind == "autoregressive" else truth
            made[kind] = limit, *predicted(potts, limit, kind, test)
        return made[kind]

    def run(kind, samples):
        limit, value, error = limit_of(kind)
        samples, found = int(samples), []
        for first in range(0, SIZES[samples] * samples, samples):
            model = learned(potts, train[first:first + samples], kind, truth)
            if kind == "autoregressive":
                found.append((model.loss(test) - limit.loss(test)) / (1 / samples - 1 / runs))
            else:
                found.append(divergence(np, truth, model, test.sequences[:4000]) * samples)
        measured, spread = tools.mean_and_error(found)
        return {"runs": len(found), "measured": measured, "error": spread, "predicted": value, "predicted_error": error}

    lab.complete("asymptotics_constants.csv", ("kind", "samples"),
                 ["kind", "samples", "runs", "measured", "error", "predicted", "predicted_error"],
                 [(kind, samples) for kind in KINDS for samples in SIZES], run,
                 "L = q = 20, distance 0.7, seed 1; M times the excess per site, nats")


# --- masks ---

def mask_problem(np, truth):
    """(states, their probabilities, for each site: inputs V(a, s_j) [states, masks, a, j] where j is shown) of a small model."""
    L, q = truth.sites, truth.colors
    states = np.array(np.unravel_index(np.arange(q**L), (q, ) * L)).T.astype(np.uint8)
    shown = 1 - np.array(np.unravel_index(np.arange(2**(L - 1)), (2, ) * (L - 1))).T
    inputs = []
    for i in range(L):
        others = [j for j in range(L) if j != i]
        seen = truth.values[0][:, states[:, others]]                        # [a, states, j]
        inputs.append(np.einsum("asj,mj->smaj", seen, shown))
    return states, truth.enumerate(probabilities=True)["probabilities"], inputs, shown


def fit_masks(np, problem, weights, rate):
    """A [L, L - 1] at the minimum of the mean masked loss over weighted states."""
    states, _, inputs, shown = problem
    of_mask = rate * rate**np.sum(shown == 0, 1) * (1 - rate)**np.sum(shown, 1)
    rows = []
    for i, x in enumerate(inputs):
        a, w = np.zeros(x.shape[3]), weights[:, None] * of_mask
        for _ in range(30):
            z = x @ a
            p = np.exp(z - z.max(2, keepdims=True))
            p /= p.sum(2, keepdims=True)
            mean = np.einsum("sma,smaj->smj", p, x)
            chosen = x[np.arange(len(states)), :, states[:, i]]
            gradient = np.einsum("sm,smj->j", w, mean - chosen)
            second = np.einsum("sm,sma,smaj,smak->jk", w, p, x, x) - np.einsum("sm,smj,smk->jk", w, mean, mean)
            step = np.linalg.solve(second, gradient)
            a = a - step
            if abs(step).max() < 1e-10:
                break
        rows.append(a)
    return np.array(rows)


def mask_loss(np, problem, rate, a):
    """The mean masked loss per masked site."""
    states, weights, inputs, shown = problem
    of_mask = rate**np.sum(shown == 0, 1) * (1 - rate)**np.sum(shown, 1)
    total = 0
    for i, x in enumerate(inputs):
        z = x @ a[i]
        log_p = z - z.max(2, keepdims=True)
        log_p -= np.log(np.exp(log_p).sum(2, keepdims=True))
        total -= np.einsum("s,m,sm->", weights, of_mask, log_p[np.arange(len(states)), :, states[:, i]])
    return total / len(inputs)


def with_maps(np, potts, truth, a):
    maps = np.zeros((1, truth.sites, truth.sites))
    for i, row in enumerate(a):
        maps[0, i, [j for j in range(truth.sites) if j != i]] = row
    return potts.Model.heads(maps, truth.values)


def masks(lab):
    import numpy as np
    potts, samples, runs = lab.potts, 4000, lab.pick(200, 40)
    truth = potts.Model.random(sites=5, colors=3, color_matrix="gaussian", seed=2)
    truth.beta = 1.0
    problem = mask_problem(np, truth)
    everything = potts.Alignment(problem[0], 3, weights=problem[1])
    rows = []
    for rate in lab.pick(RATES, RATES[1:2]):
        best = fit_masks(np, problem, problem[1], rate)
        limit, random = with_maps(np, potts, truth, best), np.random.default_rng(7)
        found = potts.scores.asymptotics(limit, everything, samples=1, family="factored", colors_fixed=1, objective="mlm",
                                         mask_probability=rate)
        least, gains = mask_loss(np, problem, rate, best), []
        for _ in range(runs):
            counts = random.multinomial(samples, problem[1]) / samples
            gains.append(samples * (mask_loss(np, problem, rate, fit_masks(np, problem, counts, rate)) - least))
        measured, error = tools.mean_and_error(gains)
        rows.append({"rate": rate, "runs": runs, "predicted": found["excess"], "measured": measured, "error": error,
                     "beyond": limit.loss(everything) - truth.loss(everything), "pseudo": found["excess_pseudolikelihood"]})
    lab.write("asymptotics_masks.csv", rows, ["L = 5, q = 3, V known; 4000 times the excess of the masked loss per masked site, nats"])


# --- efficiency ---

def efficiency(lab):
    import numpy as np
    potts = lab.potts

    def made(model, sites, colors, beta, seed):
        truth = potts.Model.random(sites=int(sites), colors=int(colors), color_matrix="gaussian", seed=seed)
        if model == "sk":
            truth = potts.Model.heads(truth.maps, np.array([[[1.0, -1.0], [-1.0, 1.0]]]))
        truth.beta = beta
        return truth

    def leading(truth, excess):
        """The cost of the couplings of this J in leading order."""
        e = np.zeros((4, truth.sites))  # elementary symmetric polynomials of K_ik^2 over k
        e[0] = 1
        for column in (truth.beta * truth.maps[0].T)**2:
            for k in (3, 2, 1):
                e[k] += column * e[k - 1]
        return (truth.sites - 2) * e[3].sum() / (truth.sites * excess)

    def run(model, sites, colors, beta):
        pseudo, likely, first = [], [], []
        for seed in (1, 2, 3):
            truth = made(model, sites, colors, beta, seed)
            pseudo.append(potts.scores.asymptotics(truth, family="dense")["excess"])
            likely.append(potts.scores.asymptotics(truth, family="dense", objective="likelihood")["excess_pseudolikelihood"])
            first.append(leading(truth, likely[-1]) if model == "sk" else math.nan)
        return {"pseudo": tools.mean(pseudo), "likely": tools.mean(likely),
                "efficiency": tools.mean([b / a for a, b in zip(pseudo, likely)]),
                "cost": tools.mean([a / b - 1 for a, b in zip(pseudo, likely)]),
                "leading": "" if model != "sk" else tools.mean(first)}

    keys = [(model, *cell, beta) for model, cells in CELLS.items() for cell in cells for beta in BETAS]
    lab.complete("asymptotics_efficiency.csv", ("model", "sites", "colors", "beta"),
                 ["model", "sites", "colors", "beta", "pseudo", "likely", "efficiency", "cost", "leading"],
                 lab.pick(keys, [k for k in keys if k[1] == 4]), run,
                 "M times the excess of the pseudo-likelihood per site; means over 3 J")


# --- coverage ---

def coverage(lab):
    import numpy as np
    potts = lab.potts
    truth = potts.Model.random(sites=6, colors=4, color_matrix="gaussian", seed=1)
    truth.beta = 1.0
    states = np.array(np.unravel_index(np.arange(4**6), (4, ) * 6)).T.astype(np.uint8)
    p = truth.enumerate(probabilities=True)["probabilities"]
    true = truth.beta * potts.Model.dense(truth.couplings()).gauge("zero_sum").couplings()

    def run(seed):
        counts = np.random.default_rng(int(seed)).multinomial(4000, p)
        data = potts.Alignment(states[counts > 0], 4, weights=counts[counts > 0].astype(float))
        trainer = potts.Trainer(data, family="dense", l2_couplings=0, l2_fields=0, precision=64, tolerance=1e-7, epochs=3000)
        trainer.run()
        model = trainer.model().gauge("zero_sum")
        errors = potts.scores.coupling_errors(model, data)
        upper = np.array([[i < j for j in range(6)] for i in range(6)])
        z = (model.couplings() - true)[upper] / errors[upper]
        return {"within": int(np.sum(abs(z) < 1.96)), "couplings": z.size, "rms": math.sqrt(np.mean(z**2))}

    lab.complete("asymptotics_coverage.csv", ("run", ), ["run", "within", "couplings", "rms"],
                 [(k, ) for k in lab.pick(range(1, 26), (1, 2))], run, "L = 6, q = 4, 4000 sequences, dense couplings without penalties")


# --- contacts ---

def representatives(np, data):
    kept = []
    for n, s in enumerate(data.sequences):
        if not kept or np.mean(data.sequences[kept] == s, 1).max() <= IDENTITY:
            kept.append(n)
    return data[np.array(kept)]


def scored(potts, data):
    """Scores with average product correction, and their errors."""
    trainer = potts.Trainer(data, family="dense", epochs=1000, precision=64)
    trainer.run()
    model = trainer.model()
    errors = potts.scores.score_errors(model, data, l2_couplings=0.2 * (data.sites - 1), l2_fields=0.01)[1]
    return potts.scores.apc(model.frobenius(gap=model.gap_color)), errors


def contacts(lab):
    import numpy as np
    potts, path = lab.potts, lab.shared(*FAMILY)
    if path is None:
        return
    data = representatives(np, potts.Alignment.read(path, alphabet="protein"))
    i, j = np.triu_indices(data.sites, 5)
    rows, numbers = [], np.random.default_rng(1)
    scores, errors = scored(potts, data)
    best = np.argsort(-scores[i, j])[:data.sites]
    lab.write("asymptotics_contacts.csv", [{"i": int(a) + 1, "j": int(b) + 1, "apc": scores[a, b], "error": errors[a, b],
                                            "z": scores[a, b] / errors[a, b]} for a, b in zip(i[best], j[best])],
              [f"6acv, {len(data)} sequences of at most 80 per cent identity; numbers of columns from 1"])
    for split in range(SPLITS):
        order = numbers.permutation(len(data))
        (one, of_one), (other, of_other) = (scored(potts, data[np.sort(part)]) for part in np.array_split(order, 2))
        z = ((one - other) / np.hypot(of_one, of_other))[i, j]
        strong = np.argsort(-(one + other)[i, j])[:data.sites]
        rows.append({"split": split, "sequences": len(data) // 2, "rms": math.sqrt(np.mean(z**2)), "within": np.mean(abs(z) < 1.96),
                     "rms_best": math.sqrt(np.mean(z[strong]**2)), "within_best": np.mean(abs(z[strong]) < 1.96)})
    lab.write("asymptotics_halves.csv", rows, ["6acv; differences of scores of two halves in units of their standard errors"])


def compute(lab):
    efficiency(lab)
    masks(lab)
    coverage(lab)
    if not lab.quick:
        contacts(lab)
        constants(lab)


# --- page ---

def covered(lab):
    rows = lab.rows("asymptotics_coverage.csv")
    return tools.mean_and_error([r["within"] / r["couplings"] for r in rows])


def sk_costs(lab):
    """{L: cost in units of the leading order} at weak couplings."""
    return {int(r["sites"]): r["cost"] / r["leading"] for r in lab.rows("asymptotics_efficiency.csv")
            if r["model"] == "sk" and r["beta"] == BETAS[0]}


def report(lab):
    constants_rows = lab.rows("asymptotics_constants.csv")
    text = "M times the excess per site at L = q = 20:\n\n" + tools.markdown(
        {"learned": "kind", "M": "samples", "runs": "runs", "measured": "measured", "error": "error", "predicted": "predicted",
         "error ": "predicted_error"}, constants_rows,
        {"samples": "{:.0f}", "runs": "{:.0f}", **{key: "{:.2f}" for key in ("measured", "error", "predicted", "predicted_error")}})
    text += ("\nWith V known each row of A is a regression of its own with the true conditionals: 380 / (2 L) = 9.5 exactly. With V "
             "learned 759 / (2 L) = 19.0 would be the answer if the scores of different sites were independent; they share V, and are not. "
             "Terms of higher order are 46 and 12 per cent with 1000 and 2000 sequences. "
             "Autoregressive attention with 4000 sequences lies 2.5 standard errors above its prediction. Asymmetric dense couplings have "
             "137 560 unknowns and cost 3439 / M. Masked losses at L = 5, q = 3, M = 4000, all rates on the same data sets:\n\n")
    text += tools.markdown({"masked": "rate", "runs": "runs", "measured": "measured", "error": "error", "predicted": "predicted",
                            "beyond": "beyond", "M x excess of the pseudo-likelihood": "pseudo"}, lab.rows("asymptotics_masks.csv"),
                           {"rate": "{:g}", "runs": "{:.0f}", "measured": "{:.3f}", "error": "{:.3f}", "predicted": "{:.3f}",
                            "beyond": "{:.2e}", "pseudo": "{:.3f}"})
    text += "\nEfficiency of pseudo-likelihood, means over three J:\n\n" + tools.markdown(
        {"model": "model", "L": "sites", "q": "colors", "beta": "beta", "M x excess": "pseudo", "after maximum likelihood": "likely",
         "efficiency": "efficiency"},
        [r for r in lab.rows("asymptotics_efficiency.csv") if r["beta"] in (0.25, 1, 3)],
        {"sites": "{:.0f}", "colors": "{:.0f}", "pseudo": "{:.3f}", "likely": "{:.3f}", "efficiency": "{:.5f}"})
    share, error = covered(lab)
    text += (f"\nThe cost of SK models at beta = {BETAS[0]} in units of its leading order: " +
             ", ".join(f"{x:.2f} (L = {n})" for n, x in sk_costs(lab).items()) +
             f".\n\nCoverage of 95 per cent intervals: {share:.4f} +- {error:.4f}, over 25 data sets of 4000 sequences.\n\n"
             "Contacts of 6acv, the best pairs with |i - j| > 4:\n\n")
    text += tools.markdown({"i": "i", "j": "j", "apc": "apc", "error": "error", "z": "z"}, lab.rows("asymptotics_contacts.csv")[:SHOWN],
                           {"i": "{:.0f}", "j": "{:.0f}", "apc": "{:.3f}", "error": "{:.3f}", "z": "{:.1f}"})
    halves = lab.rows("asymptotics_halves.csv")
    text += ("\nDifferences of two halves: errors are too small by a fifth, because residuals of the sequences that were learned from are "
             "too small where sequences are few, and by more for the best pairs, which are chosen by both halves.\n\n")
    return text + tools.markdown(
        {"split": "split", "sequences": "sequences", "rms z": "rms", "within 1.96": "within", "rms z, best 66": "rms_best",
         "within 1.96, best 66": "within_best"}, halves,
        {"split": "{:.0f}", "sequences": "{:.0f}", "rms": "{:.2f}", "within": "{:.3f}", "rms_best": "{:.2f}", "within_best": "{:.3f}"})


def claims(lab):
    largest = {r["kind"]: r for r in lab.rows("asymptotics_constants.csv") if r["samples"] == max(SIZES)}
    known, learned_v = largest["V known"], largest["V learned"]
    share, error = covered(lab)
    worst = min(lab.rows("asymptotics_efficiency.csv"), key=lambda r: r["efficiency"])
    apart = tools.mean([r["rms"] for r in lab.rows("asymptotics_halves.csv")])
    return [("more", "M times the excess of the loss tends to tr(H^-1 J) / 2 L", "holds",
             f"V known {known['measured']:.2f} +- {known['error']:.2f} (9.50), V learned {learned_v['measured']:.2f} +- "
             f"{learned_v['error']:.2f} ({learned_v['predicted']:.2f}; unknowns / 2 L is 18.98)"),
            ("more", "pseudo-likelihood is nearly as good as maximum likelihood", "holds",
             f"efficiency at least {worst['efficiency']:.3f} (L = {worst['sites']:.0f}, q = {worst['colors']:.0f}, "
             f"beta = {worst['beta']:g})"),
            ("more", "intervals of couplings cover the truth", "holds", f"{share:.3f} +- {error:.3f} of 95 per cent intervals"),
            ("more", "scores of two halves of 6acv differ by their errors", "errors are a fifth too small",
             f"rms {apart:.2f} of them, {SPLITS} splits")]


def draw(lab):
    figure, axes = tools.figure(1, 2, size=(10, 4.2))
    groups = tools.groups_of(lab.rows("asymptotics_efficiency.csv"), "model", "sites", "colors")
    for (model, sites, colors), rows in groups.items():
        if model == "gaussian":
            tools.curve(axes[0], rows, "beta", "efficiency", marker="o", ms=3, label=f"L = {sites:.0f}, q = {colors:.0f}")
        else:
            tools.curve(axes[1], rows, "beta", "cost", marker="o", ms=3, label=f"L = {sites:.0f}")
    axes[0].set(xscale="log", xlabel="beta (1 / energy)", ylabel="efficiency (no unit)", title="Gaussian J and U")
    betas = [b for b in BETAS if b <= 1]
    axes[1].plot(betas, [b**6 / 3 for b in betas], color="black", ls="--", label="beta^6 / 3")
    axes[1].set(xscale="log", yscale="log", xlabel="beta (1 / energy)", ylabel="cost of pseudo-likelihood (no unit)",
                title="Sherrington-Kirkpatrick")
    for ax in axes:
        ax.legend()
    return {"asymptotics": figure}
