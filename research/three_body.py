# SPDX-License-Identifier: MIT
"""Three-body couplings: what one layer of factored attention misses, and how many layers recover it

Potts models with log P(s) = g sum_t K_t U(s_i, s_j, s_k) + const over triples t of sites; K normal with mean square 1, U symmetric, without
sums over any colour (U has no pairwise part), mean square 1. The loss is that of masked tokens, nats per site; *excess*: over that of the true
conditionals. One layer of factored attention is a pairwise model, whatever its heads: its excess is at least the divergence to the best
pairwise model, min 1/L sum_i <KL(p(s_i | rest) || pairwise)>.

*Enumeration*: L = 6, q = 3, 6 triples; all 729 sequences with weights P(s). *dense*: dense couplings of the library without penalty; *NumPy*: the
same minimum by SciPy's L-BFGS on code of its own; *heads*: factored attention, best of 3 starts; *second order*: g^2 3 sum_t K_t^2 / 2 L, the
excess for small g.

*Sampling*: L = 20, q = 4, 20 random triples (each site in 3 on average), g = 0.5; sequences from independent Gibbs chains in NumPy after 100
sweeps from random colours; 20000 to learn from, 5000 tests. Errors are standard errors over 3 draws of triples, K and U. *one layer*: factored
attention with fields, and dense couplings, by L-BFGS. *layers*: two layers of factored
attention with a square in between (Adam, NumPy),

    x_j = sum_k A1_jk V1 e(s_k),   logits_i = sum_j A2_ij V2 (x_j * x_j) + sum_j A0_ij V0 e(s_j)   (site i masked: e = 0; sums over heads).

*encoder*: that of the library (Adam, the better of the rates 0.001 and 0.003 on the first draw), of 1 to 3 blocks, with widths so that all have
about 7000 parameters. Epochs of encoders and steps of layers are those of 10 to 25 seconds of a processor, as in the column *seconds*.
"""
import itertools
import math

import lab as tools

STRENGTHS, HEADS_SMALL = (0.125, 0.25, 0.5, 1.0, 2.0), (1, 2, 4, 8)
SITES, COLORS, TRIPLES, STRENGTH, TRAIN, TESTS, SWEEPS, SEEDS = 20, 4, 20, 0.5, 20000, 5000, 100, (1, 2, 3)
LONG = ("encoder 1", "encoder 3")  # these are trained LONGER times as long on the first draw, too
FOR_QUICK = 0  # the seed of a smaller data set, for --quick
BLOCKS = {1: (28, 56, 420), 2: (20, 40, 56), 3: (16, 32, 46)}  # width, hidden width, epochs
STEPS, WIDTH, RATES, RATE, LONGER = {2: 7500, 8: 2500}, 8, (0.003, 0.001), 0.01, 5
LEARNERS = ["dense", "heads 1", "heads 16", *(f"layers {h}" for h in STEPS), *(f"encoder {b}" for b in BLOCKS)]
TITLES = {"dense": "one layer, any couplings", "heads 1": "one layer, 1 head", "heads 16": "one layer, 16 heads", "layers 2": "two layers, 2 heads",
          "layers 8": "two layers, 8 heads", "encoder 1": "encoder, 1 block", "encoder 2": "encoder, 2 blocks",
          "encoder 3": "encoder, 3 blocks"}
KEY = ("seed", "learner", "rate", "effort")
COLUMNS = [*KEY, "parameters", "train_loss", "test_loss", "optimal_train", "optimal_test", "seconds"]
SMALL = ["strength", "seed", "optimal", "dense", "numpy", "numpy_asymmetric", "second_order", *(f"heads_{h}" for h in HEADS_SMALL)]
AGREE = {"three_body_exact.csv": tools.Same(("strength", "seed"), ("optimal", "dense", "numpy", "numpy_asymmetric", "second_order", "heads_4"), tolerance=1e-5),
         "three_body_runs.csv": tools.Same(KEY, ("train_loss", "test_loss", "optimal_train", "optimal_test"), tolerance=1e-4)}


class ThreeBody:
    """A random model with three-body couplings."""

    def __init__(self, sites, colors, triples, strength, seed):
        import numpy as np
        random = np.random.default_rng(seed)
        every = list(itertools.combinations(range(sites), 3))
        self.sites, self.colors = sites, colors
        self.triples = [every[k] for k in sorted(random.choice(len(every), triples, replace=False))]
        weights = random.normal(size=triples)
        self.weights = strength * weights / math.sqrt(np.mean(weights**2))
        u = random.normal(size=(colors, ) * 3)
        u = sum(u.transpose(p) for p in itertools.permutations(range(3)))
        for axis in range(3):
            u = u - u.mean(axis, keepdims=True)
        self.tensor = u / math.sqrt(np.mean(u**2))
        self.of_site = [[(w, *(k for k in t if k != i)) for w, t in zip(self.weights, self.triples) if i in t] for i in range(sites)]

    def fields(self, sequences, i):
        """Logits of site i given the others [n, q]."""
        import numpy as np
        total = np.zeros((len(sequences), self.colors))
        for weight, j, k in self.of_site[i]:
            total += weight * self.tensor[sequences[:, j], sequences[:, k]]
        return total

    def energies(self, sequences):
        return sum(w * self.tensor[tuple(sequences[:, k] for k in t)] for w, t in zip(self.weights, self.triples))

    def loss(self, sequences, weights=None):
        import numpy as np
        total = 0
        for i in range(self.sites):
            total += np.average(minus_log(self.fields(sequences, i), sequences[:, i]), weights=weights)
        return float(total / self.sites)

    def sample(self, count, sweeps, seed):
        """Gibbs sampling of independent chains, all at once: after cyclic sweeps from random colours [count, L]."""
        import numpy as np
        random = np.random.default_rng(seed)
        s = random.integers(self.colors, size=(count, self.sites))
        for _ in range(sweeps):
            for i in range(self.sites):
                # The largest of logits and Gumbel numbers is a draw from the softmax.
                s[:, i] = np.argmax(self.fields(s, i) + random.gumbel(size=(count, self.colors)), axis=1)
        return s.astype(np.uint8)


def minus_log(logits, colors):
    """-log softmax(logits)[colors] [n]."""
    import numpy as np
    top = logits.max(axis=1, keepdims=True)
    return np.log(np.exp(logits - top).sum(axis=1)) + top[:, 0] - logits[np.arange(len(colors)), colors]


# --- enumeration --------------------------------------------------------------------------------------------------------------------------

def best_pairwise(sequences, weights, colors, symmetric=True):
    """The smallest mean loss of pairwise couplings and fields, C_ij(a, b) = C_ji(b, a) or not: shares no code with the library."""
    import numpy as np
    try:
        from scipy.optimize import minimize
    except ImportError:
        return math.nan
    count, sites = sequences.shape
    onehot = np.eye(colors)[sequences].reshape(count, -1)
    block = np.kron(1 - np.eye(sites), np.ones((colors, colors)))

    def objective(x):
        fields, half = x[:sites * colors], x[sites * colors:].reshape(sites * colors, -1)
        couplings = (half + half.T if symmetric else half) * block
        logits = (onehot @ couplings + fields).reshape(count, sites, colors)
        p = np.exp(logits - logits.max(2, keepdims=True))
        p /= p.sum(2, keepdims=True)
        p = p.reshape(count, -1)
        value = -weights @ np.log((p * onehot).reshape(count, sites, colors).sum(2)).sum(1) / sites
        rest = (p - onehot) * weights[:, None] / sites
        slope = (onehot.T @ rest) * block
        return value, np.concatenate([rest.sum(0), (slope + slope.T if symmetric else slope).ravel()])

    size = sites * colors
    found = minimize(objective, np.zeros(size + size * size), jac=True, method="L-BFGS-B",
                     options={"maxiter": 5000, "maxfun": 10000, "maxcor": 30, "ftol": 1e-15, "gtol": 1e-9})
    return found.fun


def enumerated(lab, strength, seed):
    """Excess losses of pairwise models on all sequences."""
    import numpy as np
    truth = ThreeBody(6, 3, 6, strength, seed)
    sequences = np.array(list(itertools.product(range(3), repeat=6)), dtype=np.uint8)
    p = np.exp(truth.energies(sequences))
    p /= p.sum()
    data, optimal = lab.potts.Alignment(sequences, colors=3, weights=p * len(p)), truth.loss(sequences, p)
    dense = lab.potts.Trainer(data, family="dense", l2_couplings=0, l2_fields=0, epochs=3000, precision=64, tolerance=1e-9)
    dense.run()
    row = {"optimal": optimal, "dense": dense.gradient().loss - optimal, "numpy": best_pairwise(sequences, p, 3) - optimal,
           "numpy_asymmetric": best_pairwise(sequences, p, 3, False) - optimal,
           "second_order": 3 * float(np.sum(truth.weights**2)) / (2 * truth.sites)}
    for heads in HEADS_SMALL:
        losses = []
        for start in (1, 2, 3):
            made = lab.potts.Trainer(data, heads=heads, fields=True, epochs=2000, precision=64, tolerance=1e-8, seed=start)
            made.run()
            losses.append(made.gradient().loss)
        row[f"heads_{heads}"] = min(losses) - optimal
    return row


def sampler_check():
    """(chi^2 per degree of freedom of all sequences, Pearson's: sampled against enumerated; largest deviation of a gradient) of small models."""
    import numpy as np
    truth = ThreeBody(5, 3, 5, STRENGTH, 1)
    sequences = np.array(list(itertools.product(range(3), repeat=5)))
    p = np.exp(truth.energies(sequences))
    p /= p.sum()
    drawn = truth.sample(40000, SWEEPS, 1) @ (3**np.arange(4, -1, -1))
    counts = np.bincount(drawn, minlength=len(p))
    common = 40000 * p >= 5                                     # the others count as one state
    seen, expected = (np.append(v[common], v[~common].sum()) for v in (counts, 40000 * p))
    chi = float(np.sum((seen - expected)**2 / expected) / (len(seen) - 1))
    layers = Layers(5, 3, 2, 4, 1)
    _, slope = layers.gradient(sequences[:50], np.arange(50) % 5)
    worst = 0
    for name, array in layers.parts.items():
        index = tuple(n // 2 for n in array.shape)
        ends = []
        for step in (1e-5, -1e-5):
            array[index] += step
            ends.append(layers.gradient(sequences[:50], np.arange(50) % 5)[0])
            array[index] -= step
        worst = max(worst, abs((ends[0] - ends[1]) / 2e-5 - slope[name][index]))
    return {"chi2": chi, "states": len(seen), "gradient": worst}


# --- two layers of factored attention -----------------------------------------------------------------------------------------------------

class Layers:
    """Two layers of factored attention with a square in between, and one layer beside them; learned by Adam on masked tokens."""

    def __init__(self, sites, colors, heads, width, seed):
        import numpy as np
        random = np.random.default_rng(seed)
        self.colors = colors
        shapes = {"A1": (heads, sites, sites), "V1": (heads, colors, width), "A2": (heads, sites, sites), "V2": (heads, width, colors),
                  "A0": (sites, sites), "V0": (colors, colors)}
        scales = {"A1": 1 / math.sqrt(sites), "V1": 1.0, "A2": 0.3 / math.sqrt(sites), "V2": 1 / math.sqrt(width), "A0": 0.1, "V0": 0.1}
        self.parts = {name: scales[name] * random.normal(size=shape) for name, shape in shapes.items()}
        self.size = sum(part.size for part in self.parts.values())

    def forward(self, sequences, masked):
        import numpy as np
        p, rows = self.parts, np.arange(len(sequences))
        onehot = np.eye(self.colors)[sequences]
        onehot[rows, masked] = 0
        values = np.einsum("nkb,hbd->hnkd", onehot, p["V1"], optimize=True)
        x = p["A1"][:, None] @ values
        second = p["A2"][:, masked]                             # [h, n, L]
        c = (second[:, :, None, :] @ (x * x))[:, :, 0]          # [h, n, d]
        plain = (p["A0"][masked][:, None, :] @ onehot)[:, 0]    # [n, q]
        logits = (c @ p["V2"]).sum(0) + plain @ p["V0"]
        return logits, (onehot, values, x, second, c, plain)

    def gradient(self, sequences, masked):
        import numpy as np
        p, rows = self.parts, np.arange(len(sequences))
        logits, (onehot, values, x, second, c, plain) = self.forward(sequences, masked)
        colors = sequences[rows, masked]
        loss = float(minus_log(logits, colors).mean())
        r = np.exp(logits - logits.max(1, keepdims=True))
        r /= r.sum(1, keepdims=True)
        r[rows, colors] -= 1
        r /= len(rows)
        slope = {"V0": plain.T @ r, "A0": np.zeros_like(p["A0"]), "V2": c.transpose(0, 2, 1) @ r, "A2": np.zeros_like(p["A2"])}
        np.add.at(slope["A0"], masked, (onehot @ (r @ p["V0"].T)[:, :, None])[:, :, 0])
        dc = r @ p["V2"].transpose(0, 2, 1)                     # [h, n, d]
        da = ((x * x) @ dc[..., None])[..., 0]                  # [h, n, L]
        for h, found in enumerate(da):
            np.add.at(slope["A2"][h], masked, found)
        dx = 2 * x * second[..., None] * dc[:, :, None, :]      # [h, n, L, d]
        slope["A1"] = np.einsum("hnjd,hnkd->hjk", dx, values, optimize=True)
        dvalues = p["A1"].transpose(0, 2, 1)[:, None] @ dx
        slope["V1"] = np.einsum("nkb,hnkd->hbd", onehot, dvalues, optimize=True)
        return loss, slope

    def train(self, sequences, steps, rate, seed, batch=100):
        """Adam with cosine annealing, one random masked site per sequence."""
        import numpy as np
        random = np.random.default_rng(seed)
        first = {name: np.zeros_like(part) for name, part in self.parts.items()}
        second = {name: np.zeros_like(part) for name, part in self.parts.items()}
        for step in range(1, steps + 1):
            chosen = sequences[random.integers(len(sequences), size=batch)]
            _, slope = self.gradient(chosen, random.integers(sequences.shape[1], size=batch))
            now = rate * (1 + math.cos(math.pi * step / steps)) / 2
            for name, g in slope.items():
                first[name] += 0.1 * (g - first[name])
                second[name] += 0.001 * (g * g - second[name])
                self.parts[name] -= now * first[name] / (1 - 0.9**step) / (np.sqrt(second[name] / (1 - 0.999**step)) + 1e-8)

    def loss(self, sequences):
        import numpy as np
        total = 0
        for i in range(sequences.shape[1]):
            masked = np.full(len(sequences), i)
            for part in np.array_split(np.arange(len(sequences)), max(1, len(sequences) // 2500)):
                total += minus_log(self.forward(sequences[part], masked[part])[0], sequences[part, i]).sum()
        return float(total / sequences.size)


# --- runs ---------------------------------------------------------------------------------------------------------------------------------

def efforts(learner, rate):
    kind, _, number = learner.partition(" ")
    return {"dense": 200, "heads": 400}.get(kind) or (STEPS[int(number)] if kind == "layers" else BLOCKS[int(number)][2])


def learn(lab, train, test, seed, learner, rate, effort):
    """(parameters, training loss, test loss)."""
    potts, (kind, _, number) = lab.potts, learner.partition(" ")
    if kind == "layers":
        made = Layers(SITES, COLORS, int(number), WIDTH, seed)
        made.train(train, int(effort), rate, seed)
        return made.size, made.loss(train[:TESTS]), made.loss(test)
    options = {"dense": {"family": "dense", "l2_couplings": 0.01, "l2_fields": 0.01}, "heads": {"heads": int(number or 1), "fields": True}}.get(kind)
    if kind == "encoder":
        width, hidden, _ = BLOCKS[int(number)]
        options = {"family": "encoder", "blocks": int(number), "width": width, "hidden": hidden, "optimizer": "adam", "rate": rate}
    data = [potts.Alignment(s, colors=COLORS) for s in (train, train[:TESTS], test)]
    made = potts.Trainer(data[0], epochs=int(effort), seed=seed, **options)
    made.run()
    return len(made.parameters), made.loss(data[1]), made.loss(data[2])


def compute(lab):
    data = {}

    def draw(seed):
        if seed not in data:
            data.clear()
            truth = ThreeBody(SITES, COLORS, TRIPLES, STRENGTH, seed)
            train, tests = (TRAIN // 20, TESTS // 20) if seed == FOR_QUICK else (TRAIN, TESTS)
            both = truth.sample(train + tests, SWEEPS, seed)
            parts = both[:train], both[train:]
            data[seed] = *parts, truth.loss(parts[0][:TESTS]), truth.loss(parts[1])
        return data[seed]

    def run(seed, learner, rate, effort):
        train, test, optimal_train, optimal_test = draw(seed)
        (size, *losses), seconds = tools.timed(lambda: learn(lab, train, test, seed, learner, rate, effort))
        return {"parameters": size, "train_loss": losses[0], "test_loss": losses[1], "optimal_train": optimal_train, "optimal_test": optimal_test,
                "seconds": f"{seconds:.1f}"}

    seeds, strengths = lab.pick(SEEDS, (1,)), lab.pick(STRENGTHS, (0.5,))
    small = [(FOR_QUICK, "dense", 0, 200), (FOR_QUICK, "layers 2", RATE, 50), (FOR_QUICK, "encoder 1", RATES[0], 2)]
    lab.complete("three_body_exact.csv", ("strength", "seed"), SMALL, itertools.product(strengths, seeds), lambda *key: enumerated(lab, *key))
    if lab.quick:
        lab.complete("three_body_runs.csv", KEY, COLUMNS, small, run)
        return
    lab.write("three_body_check.csv", [sampler_check()])
    lab.complete("three_body_runs.csv", KEY, COLUMNS, small, run)
    for seed in seeds:
        for learner in LEARNERS:
            rates = {"dense": (0,), "heads": (0,), "layers": (RATE,)}.get(learner.split()[0]) or RATES
            if seed > 1 and len(rates) > 1:
                rates = [chosen(lab.rows("three_body_runs.csv"), learner)]
            lab.complete("three_body_runs.csv", KEY, COLUMNS, [(seed, learner, rate, efforts(learner, rate)) for rate in rates], run)
    for learner in LONG:
        rate = chosen(lab.rows("three_body_runs.csv"), learner)
        lab.complete("three_body_runs.csv", KEY, COLUMNS, [(1, learner, rate, LONGER * efforts(learner, rate))], run)


def chosen(rows, learner):
    """The rate of the smallest training loss on the first draw."""
    return min((r for r in rows if r["seed"] == 1 and r["learner"] == learner and r["effort"] == efforts(learner, 0)), key=lambda r: r["train_loss"])["rate"]


def of_learners(lab):
    """{learner: rows of the draws, at its effort and its rate}."""
    rows, found = lab.rows("three_body_runs.csv"), {}
    for learner in LEARNERS:
        mine = [r for r in rows if r["seed"] in SEEDS and r["learner"] == learner and r["effort"] == efforts(learner, 0)]
        if mine:
            rate = chosen(rows, learner)
            found[learner] = [r for r in mine if r["rate"] == rate]
    return found


def excess(rows, what="test"):
    return [r[f"{what}_loss"] - r[f"optimal_{what}"] for r in rows]


def seconds(rows):
    return f"{tools.mean([r['seconds'] for r in rows]):.0f}"


def report(lab):
    check, exact = lab.rows("three_body_check.csv")[0], tools.groups_of(lab.rows("three_body_exact.csv"), "strength")
    text = (f"Sampler: {check['chi2']:.2f} is chi^2 per degree of freedom of 40000 samples of L = 5, q = 3 against enumeration ({check['states']:g} states; "
            f"standard deviation {math.sqrt(2 / (check['states'] - 1)):.2f}). Gradient of two layers: within {check['gradient']:.0e} of finite differences.\n\n"
            "Excess of pairwise models, enumeration, means over 3 draws:\n\n")
    names = ["optimal", "dense", "numpy", "numpy_asymmetric", *(f"heads_{h}" for h in HEADS_SMALL), "second_order"]
    table = [{"g": g, **{n: tools.with_error([r[n] for r in rows]) for n in names}} for (g, ), rows in sorted(exact.items())]
    text += tools.markdown({"g": "g", "optimal loss": "optimal", "dense": "dense", "NumPy": "numpy", "NumPy, C_ij, C_ji apart": "numpy_asymmetric",
                            **{f"{h} heads": f"heads_{h}" for h in HEADS_SMALL}, "second order": "second_order"}, table)
    worst = max(abs(r["dense"] - r["numpy"]) for rows in exact.values() for r in rows)
    text += (f"\nLibrary and NumPy agree on the best pairwise model within {worst:.0e} nats. Maps need not be symmetric, so that enough heads reach the minimum "
             "over couplings with C_ij and C_ji apart, which is a little lower: conditionals that belong to no distribution.\n\nSampling:\n\n")
    table = []
    for learner, rows in of_learners(lab).items():
        table.append({"learner": TITLES[learner], "parameters": int(rows[0]["parameters"]), "rate": f"{rows[0]['rate']:g}" if rows[0]["rate"] else "",
                      "train": tools.with_error(excess(rows, "train")), "test": tools.with_error(excess(rows)),
                      "seconds": seconds(rows), "draws": len(rows)})
    known = of_learners(lab)
    text += tools.markdown({"learner": "learner", "parameters": "parameters", "rate": "rate", "training - optimal": "train", "test - optimal": "test",
                            "seconds": "seconds", "draws": "draws"}, table)
    longer = [r for r in lab.rows("three_body_runs.csv") if r["learner"].startswith("encoder") and r["effort"] == LONGER * efforts(r["learner"], 0)]
    text += f"\nEncoders, {LONGER} times as many epochs, the first draw:\n\n" + tools.markdown(
        {"learner": "learner", "training - optimal": "train", "test - optimal": "test", "seconds": "seconds"},
        [{"learner": TITLES[r["learner"]], "train": f"{excess([r], 'train')[0]:.4f}", "test": f"{excess([r])[0]:.4f}", "seconds": f"{r['seconds']:.0f}"} for r in longer])
    lost = [math.log(COLORS) - r["optimal_test"] for r in known["dense"]]
    return text + f"\nln q less the optimal loss, which is all that three-body couplings say: {tools.with_error(lost)}.\n"


def claims(lab):
    known = of_learners(lab)
    exact = {(r["strength"], r["seed"]): r for r in lab.rows("three_body_exact.csv")}
    worst = max(abs(r["heads_8"] - r["numpy_asymmetric"]) for r in exact.values())
    layers = min((name for name in known if name.startswith("layers")), key=lambda name: tools.mean(excess(known[name])))
    blocks = ", ".join(f"{n.split()[1]} block{'s' * (n[-1] != '1')} {tools.with_error(excess(rows))} ({seconds(rows)} s)" for n, rows in known.items() if
                       n.startswith("encoder"))
    longer = ", ".join(f"{r['learner'].split()[1]} block{'s' * (r['learner'][-1] != '1')} {excess([r])[0]:.3f}" for r in
                       lab.rows("three_body_runs.csv") if r["learner"] in LONG and r["effort"] == LONGER * efforts(r["learner"], 0))
    return [("more", "what one layer of factored attention misses of three-body couplings is the divergence to the best pairwise model", "holds",
             f"8 heads against it, enumeration of L = 6, q = 3: within {worst:.0e} nats (15 models)"),
            ("more", "two layers of factored attention with a square recover three-body couplings", "holds",
             f"L = 20: above the optimal loss by {tools.with_error(excess(known[layers]))} nats ({seconds(known[layers])} s), "
             f"one layer {tools.with_error(excess(known['dense']))}; "
             f"encoders of 7000 parameters: {blocks} ({len(known['dense'])} draws); {LONGER} times as long {longer} (1 draw)")]


def draw(lab):
    figure, axes = tools.figure(1, 2, size=(11.5, 4.4))
    rows = sorted(tools.groups_of(lab.rows("three_body_exact.csv"), "strength").items())
    for (name, title), marker in zip((("heads_1", "1 head"), ("heads_8", "8 heads"), ("numpy", "best pairwise model")), "os^"):
        axes[0].plot([g for (g, ), _ in rows], [tools.mean([r[name] for r in found]) for _, found in rows], marker + "-", ms=4, label=title)
    axes[0].plot([g for (g, ), _ in rows if g <= 0.5], [tools.mean([r["second_order"] for r in found]) for (g, ), found in rows if g <= 0.5], ":",
                 color="#777777", label="second order in g")
    axes[0].set(xscale="log", yscale="log", xlabel="strength g of three-body couplings", ylabel="loss - optimal loss (nats per site)", title="L = 6, q = 3, enumeration")
    axes[0].legend()
    known = of_learners(lab)
    for k, found in enumerate(known.values()):
        mean, error = tools.mean_and_error(excess(found))
        axes[1].errorbar([k], [mean], [0 if math.isnan(error) else error], fmt="o", capsize=2, color=tools.COLORS[0])
    axes[1].set_xticks(range(len(known)), [TITLES[n].replace(", ", ",\n") for n in known], rotation=60, fontsize=8)
    axes[1].set(yscale="log", ylabel="test loss - optimal loss (nats per site)", title=f"L = 20, q = 4, g = {STRENGTH:g}")
    return {"three_body": figure}
