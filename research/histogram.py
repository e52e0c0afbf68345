# SPDX-License-Identifier: MIT
"""The histogram task: positional and semantic solutions of one block of attention

The example in the introduction of [C24]: for each token of a sequence, how often does it occur? L = 10 tokens, uniform of T = 15; a class for
each count. The network is NumPy, not the library, whose encoder predicts masked tokens:

    x_i = E(s_i) + P_i,   z_ij = (Q x_i) . (K x_j) / d^1/2,   u_i = x_i + sum_j softmax_j(z_ij) V x_j,   logits_i = W2 max(0, W1 u_i + b1) + b2,

d = 32, hidden width 30; tokens E and positions P are learned. Adam (rate 0.005, cosine annealing, batches of 32 new sequences, 2000 steps), 20
starts from normal numbers each, E of variance 1. The settings are ours, not those of the figure of [C24].

*random*: all of this from P of standard deviation *scale*. *positions*: scores z see positions alone, q_i = Q P_i, k_j = K P_j, as long as the
network is restricted; then *released*, it is trained again as a whole. *tokens*: the same with q_i = Q E(s_i), k_j = K E(s_j). *both*: trained
twice as a whole, the control of *released*.

Losses are nats per token, of 2000 new sequences. *ratio*: mean attention to another site with the same token over that to a site with another
one. A run is *semantic* where the ratio is above 2 or below 1/2, *positional* otherwise. *no tokens*: the loss with z_ij, less its mean over j,
replaced by the mean of that over sequences at (i, j); *no positions*: by its mean over positions at (s_i, s_j), i = j apart (the mean over j
depends on the other tokens, so that this changes scores of tokens alone, too).
"""
import math

import lab as tools

SITES, TOKENS, WIDTH, HIDDEN, BATCH, STEPS, RATE, STARTS, TESTS = 10, 15, 32, 30, 32, 2000, 0.005, 20, 2000
CASES = (("random", 1.0), ("positions", 1.0), ("tokens", 1.0), ("random", 2.0), ("random", 1.5), ("random", 3.0), ("both", 1.0))
KEY = ("begin", "scale", "stage", "steps", "start")
COLUMNS = [*KEY, "loss", "accuracy", "no_tokens", "no_positions", "ratio", "seconds"]
AGREE = {"histogram_runs.csv": tools.Same(KEY, ("loss", ), tolerance=1e-3)}
SHORT = 40  # steps of --quick


def counts_of(sequences):
    """Occurrences less 1 of each token [n, L]."""
    return (sequences[:, :, None] == sequences[:, None, :]).sum(2) - 1


def initial(scale, starts):
    """Parameters of all starts, each array [starts, ...]; every start has a seed of its own."""
    import numpy as np
    shapes = {"E": (TOKENS, WIDTH), "P": (SITES, WIDTH), "Q": (WIDTH, WIDTH), "K": (WIDTH, WIDTH), "V": (WIDTH, WIDTH), "W1": (WIDTH, HIDDEN),
              "b1": (1, HIDDEN), "W2": (HIDDEN, SITES), "b2": (1, SITES)}
    scales = {"E": 1, "P": scale, "b1": 0, "b2": 0}
    made = []
    for start in starts:
        random = np.random.default_rng(start)
        made.append({name: scales.get(name, 1 / math.sqrt(shape[0])) * random.normal(size=shape) for name, shape in shapes.items()})
    return {name: np.stack([p[name] for p in made]).astype(np.float32) for name in shapes}


def attention(z):
    import numpy as np
    a = np.exp(z - z.max(-1, keepdims=True))
    return a / a.sum(-1, keepdims=True)


def forward(p, sequences, sees="both", scores=None):
    """Logits [r, n, L, L] and what the gradient needs; `scores` [r, n, L, L] replace z."""
    import numpy as np
    e = p["E"][:, sequences]
    x = e + p["P"][:, None]
    seen = {"both": x, "tokens": e, "positions": np.broadcast_to(p["P"][:, None], e.shape)}[sees]
    q, k, v = seen @ p["Q"][:, None], seen @ p["K"][:, None], x @ p["V"][:, None]
    z = q @ k.swapaxes(-1, -2) / np.float32(math.sqrt(x.shape[-1])) if scores is None else scores
    a = attention(z)
    u = x + a @ v
    h = u @ p["W1"][:, None] + p["b1"][:, None]
    return np.maximum(h, 0) @ p["W2"][:, None] + p["b2"][:, None], (x, seen, q, k, v, z, a, u, h)


def losses(logits, counts):
    """-log p of the right count [r, n, L]."""
    import numpy as np
    top = logits.max(-1, keepdims=True)
    log = np.log(np.exp(logits - top).sum(-1)) + top[..., 0]
    return log - np.take_along_axis(logits, np.broadcast_to(counts, log.shape)[..., None], -1)[..., 0]


def gradient(p, sequences, sees="both"):
    """Derivatives of the mean loss of each start."""
    import numpy as np
    counts, (logits, (x, seen, q, k, v, _, a, u, h)) = counts_of(sequences), forward(p, sequences, sees)

    def summed(left, right):
        """sum over sequences and sites of the outer products [r, ., .]."""
        r = left.shape[0]
        return left.reshape(r, -1, left.shape[-1]).swapaxes(1, 2) @ right.reshape(r, -1, right.shape[-1])

    g = attention(logits)
    np.put_along_axis(g, np.broadcast_to(counts, g.shape[:-1])[..., None], np.take_along_axis(
        g, np.broadcast_to(counts, g.shape[:-1])[..., None], -1) - 1, -1)
    g /= np.float32(sequences.size)
    slope = {"W2": summed(np.maximum(h, 0), g), "b2": g.sum((1, 2))[:, None]}
    g = (g @ p["W2"].swapaxes(1, 2)[:, None]) * (h > 0)
    slope.update(W1=summed(u, g), b1=g.sum((1, 2))[:, None])
    du = g @ p["W1"].swapaxes(1, 2)[:, None]
    da, dv = du @ v.swapaxes(-1, -2), a.swapaxes(-1, -2) @ du
    dz = a * (da - (a * da).sum(-1, keepdims=True)) / np.float32(math.sqrt(x.shape[-1]))
    dq, dk = dz @ k, dz.swapaxes(-1, -2) @ q
    slope.update(Q=summed(seen, dq), K=summed(seen, dk), V=summed(x, dv))
    dx = du + dv @ p["V"].swapaxes(1, 2)[:, None]
    dseen = dq @ p["Q"].swapaxes(1, 2)[:, None] + dk @ p["K"].swapaxes(1, 2)[:, None]
    onehot = np.eye(TOKENS, dtype=dx.dtype)[sequences].reshape(-1, TOKENS)
    de, dp = (dx + dseen if sees in ("both", name) else dx for name in ("tokens", "positions"))
    slope["E"], slope["P"] = onehot.T @ de.reshape(de.shape[0], -1, WIDTH), dp.sum(1)
    return slope


def train(p, steps, sees="both"):
    """Adam on new sequences, the same for all starts."""
    import numpy as np
    random = np.random.default_rng(1)
    first, second = ({name: np.zeros_like(part) for name, part in p.items()} for _ in range(2))
    for step in range(1, steps + 1):
        slope, now = gradient(p, random.integers(TOKENS, size=(BATCH, SITES)), sees), RATE * (1 + math.cos(math.pi * step / steps)) / 2
        for name, g in slope.items():
            first[name] += 0.1 * (g - first[name])
            second[name] += 0.001 * (g * g - second[name])
            p[name] -= (now / (1 - 0.9**step) * first[name] / (np.sqrt(second[name] / (1 - 0.999**step)) + 1e-8)).astype(np.float32)


def measure(p, sequences, sees="both"):
    """Numbers of one start, p with arrays [1, ...]."""
    import numpy as np
    counts, (logits, inner) = counts_of(sequences), forward(p, sequences, sees)
    z, a = inner[5] - inner[5].mean(-1, keepdims=True), inner[6][0]
    by_site = np.broadcast_to(z.mean(1, keepdims=True), z.shape)
    diagonal = np.eye(SITES, dtype=int) * TOKENS**2
    pair = sequences[:, :, None] * TOKENS + sequences[:, None, :] + diagonal
    number = np.bincount(pair.ravel(), minlength=2 * TOKENS**2)
    by_token = (np.bincount(pair.ravel(), z[0].ravel(), 2 * TOKENS**2) / np.maximum(number, 1))[pair][None].astype(np.float32)
    same = sequences[:, :, None] == sequences[:, None, :]
    return {"loss": float(losses(logits, counts).mean()), "accuracy": float((logits[0].argmax(-1) == counts).mean()),
            "no_tokens": float(losses(forward(p, sequences, scores=by_site)[0], counts).mean()),
            "no_positions": float(losses(forward(p, sequences, scores=by_token)[0], counts).mean()),
            "ratio": float(a[same & (diagonal == 0)].mean() / a[~same].mean())}


def compute(lab):
    import numpy as np
    tests, made = np.random.default_rng(2).integers(TOKENS, size=(TESTS, SITES)), {}

    def run(begin, scale, stage, steps, start):
        if (begin, scale, steps) not in made:
            made.clear()
            p = initial(scale, [1] if steps == SHORT else range(1, STARTS + 1))
            for name in ("restricted", "released") if begin != "random" else ("released", ):
                sees = begin if name == "restricted" else "both"
                seconds = tools.timed(lambda: train(p, steps, sees))[1] / len(p["E"])
                made.setdefault((begin, scale, steps), {})[name] = {key: part.copy() for key, part in p.items()}, sees, seconds
        p, sees, seconds = made[begin, scale, steps][stage]
        return {**measure({name: part[start - 1:start] for name, part in p.items()}, tests, sees), "seconds": f"{seconds:.2f}"}

    cases = [("random", 1.0, "released", SHORT, 1)]
    if not lab.quick:
        cases += [(begin, scale, stage, STEPS, start) for begin, scale in CASES for stage in ("restricted", "released")[begin == "random":]
                  for start in range(1, STARTS + 1)]
    lab.complete("histogram_runs.csv", KEY, COLUMNS, cases, run)


def is_semantic(r):
    return not 0.5 <= r["ratio"] <= 2


def groups(lab):
    """{(begin, scale, stage): rows}, of whole trainings."""
    return tools.groups_of([r for r in lab.rows("histogram_runs.csv") if r["steps"] == STEPS], "begin", "scale", "stage")


def entropy():
    """Of the count of a token, nats: the loss without attention, 1 + binomial of L - 1 other sites."""
    p = [math.comb(SITES - 1, k) * (1 / TOKENS)**k * (1 - 1 / TOKENS)**(SITES - 1 - k) for k in range(SITES)]
    return -sum(x * math.log(x) for x in p)


def report(lab):
    table = []
    for (begin, scale, stage), rows in sorted(groups(lab).items()):
        ratios = sorted(r["ratio"] for r in rows)
        table.append({"begin": begin, "scale": f"{scale:g}", "stage": stage, "semantic": f"{sum(map(is_semantic, rows))} of {len(rows)}",
                      **{n: tools.with_error([r[n] for r in rows], 3) for n in ("loss", "accuracy", "no_tokens", "no_positions")},
                      "ratio": f"{ratios[0]:.2f}, {tools.median(ratios):.2f}, {ratios[-1]:.2f}"})
    return tools.markdown({"start": "begin", "scale of P": "scale", "network": "stage", "semantic": "semantic", "loss": "loss", "accuracy": "accuracy",
                           "no tokens": "no_tokens", "no positions": "no_positions", "ratio: least, median, largest": "ratio"}, table) + \
        f"\nEntropy of a count, the loss of a network without attention: {entropy():.3f}.\n\n" + findings(groups(lab))


def findings(known):
    """What the table says."""
    def told(key, column="loss"):
        return tools.with_error([r[column] for r in known[key]], 3)

    alone, free = ("positions", 1.0, "restricted"), ("positions", 1.0, "released")
    ratios = sorted(r["ratio"] for r in known[free])
    text = (f"- Attention by positions alone learns to count: loss {told(alone)}, accuracy {told(alone, 'accuracy')}. The network behind it picks its token out "
            "of the mean of the values.\n"
            f"- Released, none of the {len(ratios)} runs stays there: attention to the same token becomes {ratios[0]:.1f} to {ratios[-1]:.1f} times that to another, "
            f"and the loss {told(free)}. At these settings the positional solution is no minimum of the whole network, or one that Adam leaves.\n")
    if ("both", 1.0, "released") in known:
        others = sorted(r["ratio"] for r in known["both", 1.0, "released"])
        text += (f"- Trained twice as a whole, the control with as many steps, runs end at {told(('both', 1.0, 'released'))}, by tokens first at "
                 f"{told(('tokens', 1.0, 'released'))}. Losses of released and control agree within errors; ratios of the control are {others[0]:.1f} to "
                 f"{others[-1]:.1f}: solutions differ, and remember the restriction.\n")
    scales = sorted(scale for begin, scale, _ in known if begin == "random")
    for s in scales:
        rows = known["random", s, "released"]
        text += (f"- P of scale {s:g} at the start: {sum(map(is_semantic, rows))} of {len(rows)} runs are semantic, loss {told(('random', s, 'released'))}; "
                 f"positional ones " + (tools.with_error([r["loss"] for r in rows if not is_semantic(r)], 3) if not all(map(is_semantic, rows)) else "none") + ".\n")
    return text + ("- Positional runs from wide P are at the entropy or a little below: their softmax picks few sites and sees no counts. They are unfinished, not "
                   "solutions; longer training was not tried.\n")


def fraction(rows):
    """Semantic fraction and the standard error of a binomial with one success and one failure more (no error of 0 at the ends)."""
    count, hits = len(rows), sum(map(is_semantic, rows))
    p = (hits + 1) / (count + 2)
    return hits / count, math.sqrt(p * (1 - p) / (count + 3))


def claims(lab):
    known = groups(lab)

    def told(key):
        value, error = fraction(known[key])
        return f"{value:.2f} +- {error:.2f}"

    scales = sorted(scale for begin, scale, _ in known if begin == "random")
    alone, released, control = (tools.with_error([r["loss"] for r in known.get(key, [{"loss": math.nan}])], 3) for key in (
        ("positions", 1.0, "restricted"), ("positions", 1.0, "released"), ("both", 1.0, "released")))
    return [("more", "on the histogram task starts decide between positional and semantic attention", verdict(known),
             "semantic fraction of 20 starts: " + ", ".join(f"{told(('random', s, 'released'))} (P of scale {s:g})" for s in scales) +
             f"; trained by positions alone {told(('positions', 1.0, 'restricted'))} (loss {alone}), then released "
             f"{told(('positions', 1.0, 'released'))} (loss {released}; trained twice as a whole {control})")]


def verdict(known):
    ends = [fraction(rows)[0] for (begin, _, stage), rows in known.items() if begin == "random"]
    return "holds in the time of the training" if max(ends) > 0.9 and min(ends) < 0.1 else "not seen at these settings"


def draw(lab):
    known = groups(lab)
    figure, axes = tools.figure(1, 2, size=(11.5, 4.4))
    scales = sorted(scale for begin, scale, _ in known if begin == "random")
    values = [fraction(known["random", s, "released"]) for s in scales]
    axes[0].errorbar(scales, [v for v, _ in values], [e for _, e in values], fmt="o-", capsize=2, label="semantic")
    axes[0].errorbar(scales, [1 - v for v, _ in values], [e for _, e in values], fmt="s--", capsize=2, label="positional")
    axes[0].set(xlabel="standard deviation of positions at the start", ylabel="fraction of 20 starts", ylim=(-0.1, 1.1))
    axes[0].legend()
    styles = {("positions", "restricted"): ("s", "white", 1), ("positions", "released"): ("s", None, 1), ("tokens", "restricted"): ("^", "white", 2),
              ("tokens", "released"): ("^", None, 2), ("both", "released"): ("D", None, 0)}
    for (begin, stage), (marker, face, color) in styles.items():
        rows = known.get((begin, 1.0, stage), [])
        axes[1].plot([r["ratio"] for r in rows], [r["loss"] for r in rows], marker, ms=5, color=tools.COLORS[color], mfc=face or tools.COLORS[color],
                     ls="none", label=f"by {begin} alone" if stage == "restricted" else "random, trained twice" if begin == "both" else f"{begin}, released")
    for k, s in enumerate(scales):
        rows = known["random", s, "released"]
        axes[1].plot([r["ratio"] for r in rows], [r["loss"] for r in rows], "o", ms=4, color=tools.COLORS[(0, 3, 4, 5)[k]], ls="none", label=f"random, P of scale {s:g}")
    axes[1].axhline(entropy(), color="#777777", ls=":")
    axes[1].set(xscale="log", yscale="log", xlabel="attention to the same token / to another", ylabel="loss (nats per token)")
    axes[1].legend(fontsize=8)
    return {"histogram": figure}
