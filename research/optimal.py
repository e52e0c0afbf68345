# SPDX-License-Identifier: MIT
"""The best that any learner can do with a masked site, and what pseudo-likelihood loses

One site of factored attention with V known: labels y ~ softmax(z*), z*_a = sum_j w*_j X_aj / sqrt(n), K = 1, a Gaussian teacher of variance
rho (docs/theory.md, section 20). Bayes-optimal learning predicts with the posterior of w. Theory: its state evolution, with Gauss-Hermite
sums; for q = 20 with Sobol points, whose errors are those of 3 scramblings. Algorithm: approximate message passing (AMP) from w = 0
without damping, step by step beside its state evolution; errors are those over data sets. Pseudo-likelihood: the theory of section 15 at
its best penalty, found by golden section.

Checks that share no code with it: Hamiltonian Monte Carlo of the posterior; the limits of small and large alpha; the binary perceptron,
whose transitions are known (alpha = 1.245 and 1.493). Hard phases: state evolution from no knowledge and from the teacher; where they end
apart, AMP does not reach the optimum. *Width*: that of the Gumbel noise of labels, where w has the variance 1; 0: the label is the colour
of the largest field; 1 / width^2 stands for rho.
"""
import math
import os
import sys

import lab as tools

ALL, FEW = (0.25, 0.5, 1, 2, 3, 5, 10, 20), (0.5, 1, 3, 10)
CURVES = {(2, 2.0): ALL, (3, 2.0): ALL, (3, 8.0): FEW, (3, 0.5): ALL[:-1], (20, 2.0): (1, 3)}  # alphas by colours and rho
POINTS = 512                                                       # of Sobol, for more than three colours
AMP = ((3, 2.0, 1.0, 400, 24), (3, 2.0, 1.0, 4000, 4), (3, 2.0, 3.0, 400, 24), (3, 2.0, 3.0, 4000, 3))
ITERATIONS = 10
LOSSES = ("amp_loss", "amp_loss_sem", "difference", "difference_sem")
CHAINS = ((50, 24),)                                                # n, data sets
PRIORS = (("binary", 2, 0.0), ("binary", 3, 0.0), ("binary", 5, 0.0), ("binary", 2, 0.05), ("binary", 3, 0.05), ("gaussian", 3, 0.0), ("gaussian", 3, 0.1))
AGREE = {"optimal_curves.csv": tools.Same(("colors", "rho", "alpha"), ("overlap", "bayes", "plug"), tolerance=1e-6),
         "optimal_amp.csv": tools.Same(("alpha", "n", "iteration"), ("se",), {"overlap": "overlap_sem", "self": "self_sem"})}


# --- the channel ---------------------------------------------------------------------------------------------------------------------------

def noise_table(np, variance, width):
    """(t, log F, F'/F) of the distribution F of a Gumbel variable of scale `width` plus a normal one: softmax(z)[y] is the probability that
    z_y + Gumbel is the largest, so that its mean over normal z is an integral over one variable."""
    scale = math.sqrt(variance + width**2)
    t = np.linspace(-14 * scale, 36 * scale, 20001)
    if width == 0:
        from scipy.stats import norm
        log_f = norm.logcdf(t / scale)
        return t, log_f, np.exp(norm.logpdf(t / scale) - log_f) / scale
    if variance > width**2:  # a smooth function of the Gumbel variable, else of the normal one
        from scipy.special import ndtr
        nodes, deviation = np.arange(-4.2, 38, 0.35), math.sqrt(variance)
        weights = 0.35 * np.exp(-nodes - np.exp(-nodes))
        places = [(t - width * x) / deviation for x in nodes]
        total = sum(w * ndtr(x) for x, w in zip(places, weights))
        slope = sum(w * np.exp(-x * x / 2) for x, w in zip(places, weights)) / (deviation * math.sqrt(2 * math.pi))
    else:
        nodes, weights = np.polynomial.hermite_e.hermegauss(64)
        total, slope = np.zeros_like(t), np.zeros_like(t)
        for x, w in zip(nodes, weights / weights.sum()):
            e = np.exp(np.minimum(-(t + math.sqrt(variance) * x) / width, 600.0))
            total += w * np.exp(-e)
            slope += w * np.exp(-e) * e / width
    return t, np.log(np.maximum(total, 1e-290)), slope / np.maximum(total, 1e-290)


def channel(np, omega, variance, width=1.0):
    """(Z [N, q], g [N, q, q]): probabilities of labels y of z ~ N(omega, variance), and d log Z_y / d omega_a."""
    table, log_f, ratio = noise_table(np, variance, width)
    scale = math.sqrt(variance + width**2)
    step = 0.35 if width else 0.25
    places = np.arange(-7 if width else -9, 30 if width else 9, step) * scale
    at = (omega.max(1)[:, None] + places)[:, :, None] - omega[:, None, :]                     # [N, T, q]
    product = np.exp(np.interp(at, table, log_f).sum(2)) * (step * scale)
    hazard = np.interp(at, table, ratio)
    z = np.maximum(np.einsum("nt,ntq->nq", product, hazard), 1e-290)
    pairs = np.matmul((product[:, :, None] * hazard).transpose(0, 2, 1), hazard)               # [N, q, q]
    g = -pairs / z[:, :, None]
    index = np.arange(omega.shape[1])
    g[:, index, index] = 0
    g[:, index, index] = -g.sum(2)
    return z / z.sum(1, keepdims=True), g


def normals(np, colors, count, scrambling):
    from scipy.stats import norm, qmc
    return norm.ppf(qmc.Sobol(colors, seed=scrambling).random(count).clip(1e-12, 1 - 1e-12))


def gauss_points(np, colors):
    """Points and weights of Gauss-Hermite sums for two or three normal numbers less their mean, which softmax does not see."""
    x, w = np.polynomial.hermite_e.hermegauss(80 if colors == 2 else 48)
    if colors == 2:
        return np.stack([x, -x], 1) / math.sqrt(2), w / w.sum()
    a, b = np.meshgrid(x, x)
    points = a.reshape(-1, 1) * np.array([1, -1, 0]) / math.sqrt(2) + b.reshape(-1, 1) * np.array([1, 1, -2]) / math.sqrt(6)
    weights = np.outer(w, w).reshape(-1)
    keep = weights > 1e-14 * weights.max()
    return points[keep], weights[keep] / weights.sum()


# --- state evolution -----------------------------------------------------------------------------------------------------------------------

class Evolution:
    """Overlaps q of the posterior mean with the teacher, of the same variance by Nishimori's identity."""

    def __init__(self, np, colors, rho, prior="gaussian", width=1.0, points=4096, scrambling=1):
        self.np, self.rho, self.prior, self.width = np, rho, prior, width
        if width == 1 and colors < 4:
            self.x, self.points = gauss_points(np, colors)
        else:
            self.x, self.points = normals(np, colors, points, scrambling), np.full(points, 1 / points)
        self.nodes, weights = np.polynomial.hermite_e.hermegauss(120)
        self.weights = weights / weights.sum()

    def fields(self, q):
        omega = math.sqrt(max(q, 0.0)) * self.x
        return omega, *channel(self.np, omega, max(self.rho - q, 1e-9), self.width)

    def information(self, q):
        """E |g|^2: what a sample says, per alpha."""
        _, z, g = self.fields(q)
        return float(self.points @ (z * (g**2).sum(2)).sum(1))

    def overlap(self, hat):
        if self.prior == "gaussian":
            return self.rho**2 * hat / (1 + self.rho * hat)
        h = hat * self.rho
        return self.rho * float(self.weights @ self.np.tanh(h + math.sqrt(h) * self.nodes))

    def solve(self, alpha, start=0.0, steps=3000, tolerance=1e-9):
        q = start * self.rho
        for _ in range(steps):
            new = self.overlap(alpha * self.information(q))
            if abs(new - q) < tolerance * self.rho:
                return new
            q = new
        return q

    def losses(self, q):
        """Test loss of the predictive distribution, and of softmax of the posterior mean's fields."""
        np = self.np
        omega, z, _ = self.fields(q)
        return float(-self.points @ (z * np.log(z)).sum(1)), float(self.points @ (np.logaddexp.reduce(omega, 1) - (z * omega).sum(1)))

    def optimum(self):
        np, nu = self.np, math.sqrt(self.rho) * self.x
        p = np.exp(nu - np.logaddexp.reduce(nu, 1)[:, None])
        return float(-self.points @ (p * np.log(p)).sum(1)), float(self.points @ (p * (1 - p)).sum(1))

    def free_entropy(self, alpha, q):
        """Per weight; the largest of two fixed points is the equilibrium."""
        np, hat = self.np, alpha * self.information(q)
        _, z, _ = self.fields(q)
        h = hat * self.rho
        field = h + math.sqrt(h) * self.nodes
        inner = float(self.weights @ (np.logaddexp(field, -field) - math.log(2))) - h / 2
        return inner - q * hat / 2 + alpha * float(self.points @ (z * np.log(z)).sum(1))


def pseudo_likelihood(lab, np, colors, rho, alpha):
    """(best penalty, test loss there, that at 1 / rho, relative error) by the library's state evolution."""
    def at(penalty, points):
        table, _ = lab.potts.replica.potts([1.0], [rho], np.eye(colors), [alpha], penalty, points=points, shifts=4)
        return float(table["eg"][0]), float(table["quadrature"][0])

    low, high, golden = math.log(0.2 / rho), math.log(5 / rho), (math.sqrt(5) - 1) / 2
    a, b = high - golden * (high - low), low + golden * (high - low)
    fa, fb = at(math.exp(a), 1024)[0], at(math.exp(b), 1024)[0]
    while high - low > 0.15:  # the loss is flat at its minimum: 0.07 in log lambda costs less than 1e-4
        if fa < fb:
            high, b, fb = b, a, fa
            a = high - golden * (high - low)
            fa = at(math.exp(a), 1024)[0]
        else:
            low, a, fa = a, b, fb
            b = low + golden * (high - low)
            fb = at(math.exp(b), 1024)[0]
    best, fine = math.exp(a if fa < fb else b), 16384 if colors < 20 else 4096
    return best, *at(best, fine), at(1 / rho, fine)[0]


def curve_row(lab, np, colors, rho, alpha):
    runs = []
    for scrambling in (1, 2, 3) if colors > 3 else (1,):
        evolution = Evolution(np, colors, rho, points=POINTS, scrambling=scrambling)
        q = evolution.solve(alpha, tolerance=1e-7)
        runs.append((q, *evolution.losses(q), *evolution.optimum()))
    mean = [tools.mean_and_error([r[k] for r in runs]) if colors > 3 else (runs[0][k], 0.0) for k in range(5)]
    informed = Evolution(np, colors, rho, points=POINTS).solve(alpha, start=0.99, tolerance=1e-7)
    row = {"overlap": mean[0][0], "overlap_error": mean[0][1], "start_difference": informed - runs[0][0], "bayes": mean[1][0], "plug": mean[2][0],
           "optimum": mean[3][0], "fisher": mean[4][0], "bayes_error": mean[1][1]}
    if not lab.quick:
        row.update(zip(("penalty", "student", "student_error", "student_prior"), pseudo_likelihood(lab, np, colors, rho, alpha)))
        row["student_error"] *= row["student"]
    return row


# --- message passing and two other learners on the same data -------------------------------------------------------------------------------

def draw_data(np, generator, colors, rho, alpha, n):
    """(X [M q, n], y [M], w* [n])."""
    samples = round(alpha * n)
    x = generator.standard_normal((samples * colors, n), dtype=np.float32) / np.float32(math.sqrt(n))
    teacher = math.sqrt(rho) * generator.standard_normal(n)
    z = (x @ teacher.astype(np.float32)).reshape(samples, colors)
    return x, (z + generator.gumbel(size=z.shape)).argmax(1), teacher


def message_passing(np, x, y, rho, iterations, onsager=True, damping=0.0):
    """[(w, variance of a weight)] after each iteration, from w = 0."""
    samples, n = len(y), x.shape[1]
    colors = len(x) // samples
    w, variance, force, found = np.zeros(n), rho, np.zeros((samples, colors)), []
    for _ in range(iterations):
        omega = (x @ w.astype(np.float32)).reshape(samples, colors) - (variance * force if onsager else 0)
        _, g = channel(np, omega, variance)
        force = g[np.arange(samples), y]
        precision = (force**2).sum() / n
        new = (x.T @ force.astype(np.float32).reshape(-1) + precision * w) / (precision + 1 / rho)
        w, variance = (1 - damping) * new + damping * w, 1 / (precision + 1 / rho)
        found.append((w, variance))
    return found


def maximum(np, x, y, colors, penalty):
    """w of the penalised pseudo-likelihood, by L-BFGS."""
    from scipy.optimize import minimize
    x, index = x.astype(float), np.arange(len(y))

    def objective(w):
        z = (x @ w).reshape(-1, colors)
        logs = z - np.logaddexp.reduce(z, 1)[:, None]
        residual = np.exp(logs)
        residual[index, y] -= 1
        return -logs[index, y].sum() + penalty / 2 * w @ w, x.T @ residual.reshape(-1) + penalty * w

    return minimize(objective, np.zeros(x.shape[1]), jac=True, method="L-BFGS-B", options={"ftol": 1e-12, "gtol": 1e-6, "maxiter": 1000}).x


def test_losses(np, pairs, teacher, rho, colors):
    """Test losses of (w, variance), or of softmax where the variance is None, on the same 2048 Sobol points in the plane of w and w*."""
    size, points = teacher @ teacher / len(teacher), normals(np, 2 * colors, 2048, 7)
    nu = math.sqrt(size) * points[:, :colors]
    p = np.exp(nu - np.logaddexp.reduce(nu, 1)[:, None])
    for w, variance in pairs:
        m, q = w @ teacher / len(w), w @ w / len(w)
        omega = m / size * nu + math.sqrt(max(q - m * m / size, 0)) * points[:, colors:]
        logs = omega - np.logaddexp.reduce(omega, 1)[:, None] if variance is None else np.log(channel(np, omega, variance)[0])
        yield float(-(p * logs).sum(1).mean())


def amp_rows(lab, np, colors, rho, alpha, n, count):
    """Overlaps with the teacher and with itself in each iteration, means over data sets, beside state evolution."""
    generator, evolution = np.random.default_rng(n + int(10 * alpha)), Evolution(np, colors, rho)
    runs, plain, losses = [], [], []
    for _ in range(lab.pick(count, 4)):
        x, y, teacher = draw_data(np, generator, colors, rho, alpha, n)
        found = message_passing(np, x, y, rho, ITERATIONS)
        runs.append([(w @ teacher / n, w @ w / n) for w, _ in found])
        if n == 4000 and len(plain) < 2:
            plain.append([w @ teacher / n for w, _ in message_passing(np, x, y, rho, ITERATIONS, onsager=False)])
        if n == 400:
            losses.append(list(test_losses(np, [found[-1], (maximum(np, x, y, colors, 1 / rho), None)], teacher, rho, colors)))
    rows, q = [], 0.0
    for t in range(ITERATIONS):
        q = evolution.overlap(alpha * evolution.information(q))
        row = {"colors": colors, "rho": rho, "alpha": alpha, "n": n, "iteration": t + 1, "data_sets": len(runs), "se": q}
        for name, values in (("overlap", [r[t][0] for r in runs]), ("self", [r[t][1] for r in runs]), ("plain", [r[t] for r in plain])):
            row[name], row[name + "_sem"] = tools.mean_and_error(values) if values else (math.nan, math.nan)
        rows.append(row)
    if losses:
        rows[-1]["amp_loss"], rows[-1]["amp_loss_sem"] = tools.mean_and_error([a for a, _ in losses])
        rows[-1]["difference"], rows[-1]["difference_sem"] = tools.mean_and_error([b - a for a, b in losses])
    return rows


def chain_row(np, n, count, colors=3, rho=2.0, alpha=3.0, steps=1000):
    """Posterior means by two Hamiltonian chains beside message passing, on the same data."""
    generator = np.random.default_rng(n)
    data = [draw_data(np, generator, colors, rho, alpha, n) for _ in range(count)]
    x, y = np.stack([d[0] for d in data]).astype(float), np.stack([d[1] for d in data])
    label = np.eye(colors)[y]

    def slope(w):
        z = np.matmul(x, w[:, :, None])[..., 0].reshape(count, -1, colors)
        logs = z - np.logaddexp.reduce(z, 2)[:, :, None]
        residual = (np.exp(logs) - label).reshape(count, 1, -1)
        return -(label * logs).sum((1, 2)) + (w * w).sum(1) / (2 * rho), np.matmul(residual, x)[:, 0] + w / rho

    means, step = [], 0.6 * n**-0.25
    for _ in range(2):
        w, total, accepted = math.sqrt(rho) * generator.standard_normal((count, n)), 0, 0
        energy, gradient = slope(w)
        for t in range(steps):  # of 6 leapfrog steps
            p = generator.standard_normal(w.shape)
            new, g, h = w, gradient, energy + (p * p).sum(1) / 2
            for _ in range(6):
                p = p - step / 2 * g
                new = new + step * p
                value, g = slope(new)
                p = p - step / 2 * g
            good = np.log(generator.random(count)) < h - value - (p * p).sum(1) / 2
            w, gradient, energy = np.where(good[:, None], new, w), np.where(good[:, None], g, gradient), np.where(good, value, energy)
            if t >= steps // 5:
                total, accepted = total + w, accepted + good.mean()
        means.append(total / (steps - steps // 5))
    amp = np.stack([message_passing(np, a, b, rho, 25)[-1][0] for a, b, _ in data])
    teacher = np.stack([d[2] for d in data])
    row = {"n": n, "data_sets": count, "accepted": accepted / (steps - steps // 5)}
    for name, values in (("difference", ((amp - means[0]) * (amp - means[1])).mean(1)), ("amp_error", ((amp - teacher)**2).mean(1)),
                         ("chain_error", ((means[0] - teacher) * (means[1] - teacher)).mean(1))):
        row[name], row[name + "_sem"] = tools.mean_and_error(values.tolist())
    return row


# --- hard phases ---------------------------------------------------------------------------------------------------------------------------

def hard_row(np, prior, colors, width):
    """Every fixed point q lies at alpha = hat(q) / E|g|^2(q). Where this is not monotonic, two starts end apart; the free entropies of both
    ends are equal at alpha_c."""
    from scipy.optimize import brentq
    evolution = Evolution(np, colors, 1.0, prior, width, points=2048)
    grid = 1 / (1 + np.exp(-np.linspace(-5, 8 if width else 6, 70)))
    hats = [brentq(lambda hat, q=q: evolution.overlap(hat) - q, 1e-9, 1e5) if prior == "binary" else q / (1 - q) for q in grid]
    alphas = np.array([hat / evolution.information(q) for hat, q in zip(hats, grid)])
    row = {"prior": prior, "colors": colors, "width": width, "spinodal": math.nan, "equilibrium": math.nan, "lower": math.nan}
    falls = np.flatnonzero(np.diff(alphas) < -1e-3 * alphas[:-1])
    if len(falls) == 0:
        return row
    top, bottom = falls[0], falls[-1] + 1
    row["spinodal"] = float(alphas[:top + 2].max())
    low = [(alphas[k], evolution.free_entropy(alphas[k], grid[k])) for k in range(0, top + 1)]
    if width == 0:  # the other end is q = 1
        row["equilibrium"] = crossing(np, low, lambda alpha: -math.log(2))
        return row
    row["lower"] = float(alphas[bottom])
    high = [(alphas[k], evolution.free_entropy(alphas[k], grid[k])) for k in range(bottom, len(grid)) if alphas[k] < 2 * alphas[top]]
    row["equilibrium"] = crossing(np, [v for v in low if v[0] > alphas[bottom]], lambda a: np.interp(a, *zip(*high)))
    return row


def crossing(np, low, other):
    gap = [phi - other(alpha) for alpha, phi in low]
    for k in range(1, len(low)):
        if gap[k - 1] > 0 >= gap[k]:
            return float(low[k - 1][0] + (low[k][0] - low[k - 1][0]) * gap[k - 1] / (gap[k - 1] - gap[k]))
    return math.nan


def compute(lab):
    try:
        import numpy as np
        import scipy  # noqa: F401
    except ImportError:
        print("optimal: left out, SciPy is not there (Debian: python3-scipy)", file=sys.stderr)
        return False
    compute_curves(lab, np)
    missing = [name for name in ("amp", "hard", "chains") if not os.path.exists(lab.path(f"optimal_{name}.csv"))]
    if "hard" in missing and not lab.quick:
        rows = [hard_row(np, *prior) for prior in PRIORS]
        lab.write("optimal_hard.csv", rows, ["alpha where AMP jumps, where the equilibrium jumps, and where the informed end begins; empty: no jump"])
    if "chains" in missing and not lab.quick:
        lab.write("optimal_chains.csv", [chain_row(np, *case) for case in CHAINS], ["(w_AMP - w_1).(w_AMP - w_2) / n for two chains, and errors of w"])
    if "amp" in missing:
        rows = [row for case in lab.pick(AMP, AMP[:1]) for row in amp_rows(lab, np, *case)]
        lab.write("optimal_amp.csv", rows, ["means over data sets with standard errors; plain: without the Onsager term"],
                  [*rows[0], *(x for x in LOSSES if x not in rows[0])])
    return True


def compute_curves(lab, np):
    keys = [(colors, rho, alpha) for (colors, rho), alphas in CURVES.items() for alpha in alphas]
    columns = ["colors", "rho", "alpha", "overlap", "overlap_error", "start_difference", "bayes", "plug", "optimum", "fisher", "bayes_error", "penalty",
               "student", "student_error", "student_prior"]
    lab.complete("optimal_curves.csv", columns[:3], columns, lab.pick(keys, [(3, 2.0, 1)]), lambda *key: curve_row(lab, np, *key))


# --- the page ------------------------------------------------------------------------------------------------------------------------------

def loss_gaps(lab):
    """Rows with excesses over the optimum; `lost`: by how much that of pseudo-likelihood at its best penalty is larger, in per cent."""
    rows = lab.rows("optimal_curves.csv")
    for r in rows:
        r["excess"], r["student_excess"] = r["bayes"] - r["optimum"], r["student"] - r["optimum"]
        r["lost"] = 100 * (r["student"] / r["bayes"] - 1)
        r["lost_excess"] = 100 * (r["student_excess"] / r["excess"] - 1)
        r["lost_error"] = 100 * math.hypot(r["student_error"], r["bayes_error"]) / r["excess"]
        r["fisher_ratio"] = 2 * r["alpha"] * r["excess"]
        r["overlap_rho"], r["variance"] = r["overlap"] / r["rho"], r["alpha"] * r["fisher"] * (r["rho"] - r["overlap"])
        r["best_rho"] = r["penalty"] * r["rho"]
    return rows


def amp_deviations(lab):
    """Deviations from state evolution of (AMP, without the Onsager term), in standard errors, by n."""
    found = {}
    for r in lab.rows("optimal_amp.csv"):
        mine = found.setdefault((r["alpha"], r["n"]), ([], []))
        mine[0].extend([(r["overlap"] - r["se"]) / r["overlap_sem"], (r["self"] - r["se"]) / r["self_sem"]])
        if r["iteration"] > 1:
            mine[1].append((r["plain"] - r["se"]) / r["plain_sem"])
    return found


def report(lab):
    text = "Bayes-optimal learning and pseudo-likelihood at its best penalty; excess: over the loss of the teacher:\n\n" + tools.markdown(
        {"q": "colors", "rho": "rho", "alpha": "alpha", "overlap / rho": "overlap_rho", "optimal test loss": "bayes", "excess": "excess",
         "2 alpha excess": "fisher_ratio", "alpha I (rho - overlap)": "variance", "best penalty times rho": "best_rho", "pseudo-likelihood": "student",
         "its excess is larger by, per cent": "lost_excess", "error": "lost_error"}, loss_gaps(lab),
        {**dict.fromkeys(("overlap_rho", "bayes", "excess", "student"), "{:.4f}"),
         **dict.fromkeys(("fisher_ratio", "variance", "best_rho", "lost_excess", "lost_error"), "{:.2f}")})
    apart = max(abs(r["start_difference"]) / r["rho"] for r in lab.rows("optimal_curves.csv"))
    text += "\nNegative numbers are errors of the library's averages, which rows of one rho share: they have the same points."
    text += f" Both limits of alpha -> infinity are 1. With a Gaussian prior both starts end at the same overlap, to {apart:.0e} rho.\n\n"
    text += "Message passing beside state evolution, q = 3, rho = 2:\n\n" + tools.markdown(
        {"alpha": "alpha", "n": "n", "iteration": "iteration", "data sets": "data_sets", "state evolution": "se", "w.w* / n": "overlap", "error": "overlap_sem",
         "w.w / n": "self", "error ": "self_sem", "without Onsager term": "plain"}, lab.rows("optimal_amp.csv"),
        dict.fromkeys(("se", "overlap", "overlap_sem", "self", "self_sem", "plain"), "{:.4f}")) + "\n"
    text += "Steps of one data set depend on each other: each line below is one or two independent numbers.\n\n"
    for (alpha, n), (amp, plain) in amp_deviations(lab).items():
        text += f"- alpha = {alpha:g}, n = {n:.0f}: {tools.within(amp)} numbers within 3 errors, the farthest {max(amp, key=abs):+.1f}"
        text += f"; without the Onsager term up to {max(plain, key=abs):+.1f}.\n" if n == 4000 else ".\n"
    theory = {r["alpha"]: r["student_prior"] - r["bayes"] for r in lab.rows("optimal_curves.csv") if (r["colors"], r["rho"]) == (3, 2)}
    for r in lab.rows("optimal_amp.csv"):
        if not math.isnan(r["difference"]):
            text += (f"- alpha = {r['alpha']:g}, n = {r['n']:.0f}, same data: test loss of AMP {r['amp_loss']:.4f} +- {r['amp_loss_sem']:.4f}; pseudo-likelihood at the "
                     f"penalty 1 / rho is above it by {r['difference']:+.5f} +- {r['difference_sem']:.5f} (theory {theory[r['alpha']]:.5f}).\n")
    text += "\nPosterior means by Hamiltonian chains, q = 3, rho = 2, alpha = 3:\n\n" + tools.markdown(
        {"n": "n", "data sets": "data_sets", "distance^2 from AMP": "difference", "error": "difference_sem", "(w_AMP - w*)^2": "amp_error", "error ": "amp_error_sem",
         "(w_chain - w*)^2": "chain_error", "error  ": "chain_error_sem"}, lab.rows("optimal_chains.csv"),
        {**dict.fromkeys(("difference", "difference_sem"), "{:.1e}"), **dict.fromkeys(("amp_error", "amp_error_sem", "chain_error", "chain_error_sem"), "{:.4f}")})
    return text + "\nHard phases, between the equilibrium's jump and that of AMP; empty where alpha rises with q everywhere:\n\n" + tools.markdown(
        {"prior": "prior", "q": "colors", "width": "width", "equilibrium jumps": "equilibrium", "AMP jumps": "spinodal", "informed end from": "lower"},
        lab.rows("optimal_hard.csv"), dict.fromkeys(("equilibrium", "spinodal", "lower"), "{:.4f}"))


def claims(lab):
    rows = loss_gaps(lab)
    most = max((r for r in rows if r["colors"] < 20), key=lambda r: r["lost_excess"])
    many = " and ".join(f"{r['lost_excess']:.1f} +- {r['lost_error']:.1f} (alpha = {r['alpha']:g})" for r in rows if r["colors"] == 20)
    three = next(r for r in rows if (r["colors"], r["rho"], r["alpha"]) == (3, 2, 3))
    found = amp_deviations(lab)
    off, small = ([x for (_, n), (amp, _) in found.items() if n == size for x in amp] for size in (4000, 400))
    plain = [x for (_, n), (_, without) in found.items() if n == 4000 for x in without]
    hard = {(r["prior"], r["colors"], r["width"]): r for r in lab.rows("optimal_hard.csv")}
    two, q3 = hard["binary", 2, 0], hard["binary", 3, 0]
    return [("more", "pseudo-likelihood at its best penalty is nearly as good as Bayes-optimal learning, V known", "holds for Gaussian couplings",
             f"excess over the teacher's loss larger by {three['lost_excess']:.1f} +- {three['lost_error']:.1f} per cent "
             f"(q = 3, rho = 2, alpha = 3), at most {most['lost_excess']:.1f} +- "
             f"{most['lost_error']:.1f} (q = {most['colors']:.0f}, rho = {most['rho']:g}, alpha = {most['alpha']:g}); q = 20: {many}, errors of averages"),
            ("more", "message passing follows its state evolution to the optimum", "holds; without the Onsager term it does not",
             f"n = 4000, two alphas: the farthest of 10 steps is {max(off, key=abs):+.1f} errors off, "
             f"without the term {max(plain, key=abs):+.1f}; n = 400: {max(small, key=abs):+.1f}"),
            ("more", "Bayes-optimal learning has hard phases", "none for Gaussian couplings; for couplings of one size where labels have little noise",
             f"q = 2, without noise: {two['equilibrium']:.3f} to {two['spinodal']:.3f} (known: 1.245, 1.493); q = 3: {q3['equilibrium']:.3f} to {q3['spinodal']:.3f}")]


def draw(lab):
    figure, (left, right) = tools.figure(1, 2, size=(11, 4.8))
    for ((colors, rho), rows), color in zip(tools.groups_of(loss_gaps(lab), "colors", "rho").items(), tools.COLORS):
        label = f"q = {colors:.0f}, rho = {rho:g}"
        tools.curve(left, rows, "alpha", "excess", color=color, label=label)
        left.plot([r["alpha"] for r in rows], [r["student_excess"] for r in rows], "o", ms=4, mfc="white", color=color)
        right.errorbar([r["alpha"] for r in rows], [r["lost_excess"] for r in rows], [r["lost_error"] for r in rows], fmt="o-", ms=4, lw=1, capsize=2, color=color,
                       label=label)
    left.set(xscale="log", yscale="log", xlabel="samples per weight, alpha", ylabel="excess of the test loss (nats)",
             title="optimal (lines), pseudo-likelihood (circles)")
    right.set(xscale="log", xlabel="samples per weight, alpha", ylabel="excess larger by (per cent)", title="what pseudo-likelihood loses")
    left.legend(fontsize=8)
    return {"optimal": figure}
