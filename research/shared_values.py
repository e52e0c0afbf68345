# SPDX-License-Identifier: MIT
"""Several protein families with one V

Factored attention with 8 heads, fields and free maps, couplings symmetrised and a penalty of 0.01 / L on them, gaps neither predicted nor
seen, on four families: 6acv, B1 beta-lactamases, ParE-ParD (two proteins), DHFR. *separate*: each family has its own V. *joint*: maps and
fields of each family, one V; the objective is the sum over families of L times that of a family, the mean over its sequences of the
pseudo-likelihood summed over sites. *transfer*: V learned jointly on the three others, then fixed. All are minimised by L-BFGS (80
iterations) from normal numbers and fields of independent sites, with losses and gradients of the library.

Sequences have weights at theta = 0.2. One fold of four, of whole clusters, is held out (*test*); up to N random sequences of the other folds
are learned. A contact is a pair of columns 6 apart or more whose heavy atoms come nearer than 8 Angstrom, in ParE-ParD of one protein. *draws*
from 1 on are bootstrap samples of the learned sequences, of which errors are standard deviations.

What V learns is measured on couplings, as V has the gauge V_h -> sum_k M_hk V_k: D_ij(a, b) = (f_a f_b)^1/2 C_ij(a, b), with the mean frequencies
f of the amino acids and C_ij without means over a and b by f. *share*: the part of sum_ij |D_ij|^2 along (f_a f_b)^1/2 t_a t_b of a property t, less
its mean; *null*: the same for 400 permutations of the 20 amino acids, with their standard deviation. *leading*: the largest correlation of that
matrix with one of the 10 first eigenvectors of sum_ij D_ij D_ij^T (D_ij as 400 numbers). Hydropathy: J. Kyte, R. Doolittle, J. Mol. Biol. 157, 105
(1982); volume: A. A. Zamyatnin, Prog. Biophys. Mol. Biol. 24, 107 (1972); charge: K, R +1, D, E -1.
"""
import math

import lab as tools
from structures import FAMILIES as STRUCTURES
from structures import arguments_of

FAMILIES = ("6acv", "B1", "ParE-ParD", "DHFR")
WHERE = {"6acv": "6acv", "B1": "B1 beta-lactamases", "ParE-ParD": "ParE-ParD"}
FOCUS = {"ParE-ParD": "ParD3-ParE3", "DHFR": "DYR_ECOLI"}
DRAWS, HEADS, ITERATIONS, PENALTY = {150: 3, 600: 2}, 8, 80, 0.01
LETTERS = "ACDEFGHIKLMNPQRSTVWY"
HYDROPATHY = dict(zip("ARNDCQEGHILKMFPSTWYV", (1.8, -4.5, -3.5, -3.5, 2.5, -3.5, -3.5, -0.4, -3.2, 4.5, 3.8, -3.9, 1.9, 2.8, -1.6, -0.8, -0.7,
                                               -0.9, -1.3, 4.2)))
VOLUME = dict(zip("ARNDCQEGHILKMFPSTWYV", (88.6, 173.4, 114.1, 111.1, 108.5, 143.8, 138.4, 60.1, 153.2, 166.7, 166.7, 168.6, 162.9, 189.9,
                                           112.7, 89.0, 116.1, 227.8, 193.6, 140.0)))
CHARGE = {letter: 1.0 if letter in "KR" else -1.0 if letter in "DE" else 0.0 for letter in LETTERS}
PROPERTIES = {"hydropathy": HYDROPATHY, "charge": CHARGE, "volume": VOLUME}
KEY = ("how", "family", "sequences", "draw", "iterations")
COLUMNS = [*KEY, "objective", "train_loss", "test_loss", "independent_loss", "precision_L", "precision_L5", "seconds"]
V_COLUMNS = [*KEY, *(f"{what}_{p}" for p in PROPERTIES for what in ("share", "null", "spread", "above", "leading"))]
AGREE = {"shared_values_runs.csv": tools.Same(KEY, ("objective", "train_loss", "test_loss", "independent_loss"), tolerance=1e-3)}
SHORT = (150, 0, 10)  # sequences, draw and iterations of --quick


class Family:
    """Training and test sequences of a family, and the distances of its structure."""

    def __init__(self, lab, name, sequences, draw):
        potts, self.name = lab.potts, name
        if name == "DHFR":
            path, reading = lab.shared("DHFR.a2m"), {"unknown": "drop"}
        else:
            path, reading = lab.shared("structuredca", STRUCTURES[WHERE[name]][0]), {"unknown": "drop"}
        data = potts.Alignment.read(path, alphabet="protein", **reading)
        if name in FOCUS:
            data = data.focus(FOCUS[name])
        data.weigh(0.2)
        fold, _ = potts.select_folds(data, folds=4)
        import numpy as np
        rest = data[np.flatnonzero(fold != 0)]
        self.test = data[np.flatnonzero(fold == 0)]
        self.train = rest.sample(min(sequences, len(rest)), seed=1)
        if draw:
            self.train = self.train.sample(len(self.train), True, seed=draw)
        self.sites = data.sites
        self.independent = potts.Model.independent(self.train, gaps="ignore").loss(self.test)
        self.start(potts)

    def start(self, potts, values=None):
        import numpy as np
        fixed = {} if values is None else {"colors_fixed": True}
        self.trainer = potts.Trainer(self.train, heads=HEADS, fields=True, gaps="ignore", symmetrized=True, l2_pairs=PENALTY / self.sites,
                                     epochs=1, **fixed)
        if values is not None:
            self.trainer.set_values(values)
        parts, self.begin = dict(self.trainer.parts), np.array(self.trainer.parameters)
        self.values = parts.pop("values", None)
        frequencies = np.array(self.train.frequencies(1 / (1 + len(self.train))))[:, 1:]
        self.begin[parts["fields"]] = np.log(frequencies / frequencies.sum(1, keepdims=True)).ravel()

    def evaluate(self, parameters):
        """L times objective and gradient."""
        self.trainer.parameters = parameters
        found = self.trainer.gradient()
        return self.sites * found.objective, self.sites * found.gradient


def lbfgs(function, x, iterations, history=10):
    """(x, value) after so many steps of L-BFGS; steps are halved until the value falls."""
    import numpy as np
    value, slope = function(x)
    kept = []
    for _ in range(iterations):
        direction, factors = -slope, []
        for s, y, sy in reversed(kept):
            factors.append(s @ direction / sy)
            direction -= factors[-1] * y
        direction *= kept[-1][2] / (kept[-1][1] @ kept[-1][1]) if kept else 1 / np.linalg.norm(slope)
        for (s, y, sy), factor in zip(kept, reversed(factors)):
            direction += (factor - y @ direction / sy) * s
        step, fall = 1.0, slope @ direction
        while True:
            new = x + step * direction
            new_value, new_slope = function(new)
            if new_value <= value + 1e-4 * step * fall:
                break
            step /= 2
            if step < 1e-6:
                return x, value
        s, y = new - x, new_slope - slope
        if s @ y > 1e-10 * (y @ y):
            kept = [*kept, (s, y, s @ y)][-history:]
        x, value, slope = new, new_value, new_slope
    return x, value


def minimise(families, iterations):
    """Joint L-BFGS of maps and fields of each family and one V, where V is not fixed; leaves the trainers at the minimum."""
    import numpy as np
    own = [np.setdiff1d(np.arange(len(f.begin)), [] if f.values is None else np.arange(len(f.begin))[f.values]) for f in families]
    first = families[0]
    values = np.zeros(0) if first.values is None else first.begin[first.values]
    ends = np.cumsum([len(values), *map(len, own)])

    def whole(f, k, x):
        parameters = np.empty(len(f.begin))
        parameters[own[k]] = x[ends[k]:ends[k + 1]]
        if f.values is not None:
            parameters[f.values] = x[:ends[0]]
        return parameters

    def objective(x):
        total, slope = 0.0, np.zeros(len(x))
        for k, f in enumerate(families):
            value, gradient = f.evaluate(whole(f, k, x))
            total += value
            slope[ends[k]:ends[k + 1]] = gradient[own[k]]
            if f.values is not None:
                slope[:ends[0]] += gradient[f.values]
        return total, slope

    start = np.concatenate([values, *(f.begin[mine] for f, mine in zip(families, own))])
    x, value = lbfgs(objective, start, iterations)
    for k, f in enumerate(families):
        f.trainer.parameters = whole(f, k, x)
    return value


DISTANCES = {}  # of distances(), once they are read


def distances(lab, name):
    """{(i, j): True for a contact} of pairs that count, by numbers of sites; empty without a structure."""
    if name not in WHERE:
        return {}
    if name not in DISTANCES:
        rows = tools.Program(lab).rows("contacts", *arguments_of(lab, WHERE[name]), "--epochs", 1)  # the distances are those of any model
        DISTANCES[name] = {(int(r["i"]), int(r["j"])): float(r["distance"]) < 8 for r in rows if r["distance"] and r.get("proteins") != "1-2"}
    return DISTANCES[name]


def precision(lab, f):
    """Precision of the best L and L/5 pairs with a distance."""
    known = distances(lab, f.name)
    ranked = [known[c.i, c.j] for c in lab.potts.scores.contacts(f.trainer.model(), separation=1) if (c.i, c.j) in known]
    return {f"precision_{n}": tools.mean(ranked[:count]) for n, count in (("L", f.sites), ("L5", f.sites // 5))} if known else {}


def second_moment(f, frequencies):
    """sum over pairs i != j of D_ij D_ij^T [q^2, q^2], with trace 1; D_ij(a, b) = (f_a f_b)^1/2 C_ij(a, b), C without means over a and b."""
    import numpy as np
    c = np.array(f.trainer.model().couplings())
    c -= np.einsum("b,ijab->ija", frequencies, c)[..., None]
    c -= np.einsum("a,ijab->ijb", frequencies, c)[:, :, None]
    c *= np.sqrt(np.outer(frequencies, frequencies))
    i, j = np.nonzero(~np.eye(f.sites, dtype=bool))
    c = c[i, j].reshape(len(i), -1)
    moment = c.T @ c
    return moment / np.trace(moment)


def background(families):
    """Frequencies of the amino acids, mean over families."""
    total = sum(f.train.frequencies(0.01)[:, 1:].sum(0) / f.train.frequencies(0.01)[:, 1:].sum() for f in families)
    return total / len(families)


def properties(moment, frequencies):
    """Of each property: its share, mean and standard deviation of that for 400 permutations of the amino acids, the leading eigenvector."""
    import numpy as np
    random, row = np.random.default_rng(1), {}
    _, vectors = np.linalg.eigh(moment)

    def direction(t):
        t = (t - frequencies @ t) * np.sqrt(frequencies)
        return np.outer(t, t).ravel() / (t @ t)

    for name, table in PROPERTIES.items():
        t = np.array([table[letter] for letter in LETTERS])
        others = np.array([direction(random.permutation(t)) for _ in range(400)])
        null, d = ((others @ moment) * others).sum(1), direction(t)
        row.update({f"share_{name}": float(d @ moment @ d), f"null_{name}": float(null.mean()), f"spread_{name}": float(null.std()),
                    f"above_{name}": float(np.mean(null >= d @ moment @ d)), f"leading_{name}": float(np.abs(d @ vectors[:, -10:]).max())})
    return row


class Runs:
    """Rows of both tables, one training at a time."""

    def __init__(self, lab):
        self.lab, self.made = lab, {}

    def fit(self, how, name, sequences, draw, iterations):
        """The families of a training, learned."""
        key = (how, name if how != "joint" else "all", sequences, draw, iterations)
        if key in self.made:
            return self.made[key]
        lab = self.lab

        def load(names):
            return [Family(lab, n, sequences, draw) for n in names]

        def learn():
            if how == "joint":
                families = load(FAMILIES)
                return families, minimise(families, iterations)
            families = load([name])
            if how == "separate":
                return families, minimise(families, iterations)
            others = load([n for n in FAMILIES if n != name])
            minimise(others, iterations)
            families[0].start(lab.potts, others[0].trainer.parameters[others[0].values].reshape(HEADS, 20, 20))
            return families, minimise(families, iterations)

        (families, objective), seconds = tools.timed(learn)
        self.made.clear()
        self.made[key] = {f.name: f for f in families}, objective, seconds
        return self.made[key]

    def run(self, how, name, *rest):
        families, objective, seconds = self.fit(how, name, *rest)
        f = families[name]
        contacts = precision(self.lab, f) if rest[-1] != SHORT[2] else {}
        return {"objective": objective, "train_loss": f.trainer.gradient().loss, "test_loss": f.trainer.loss(f.test),
                "independent_loss": f.independent, **contacts, "seconds": f"{seconds:.1f}"}

    def values(self, how, name, *rest):
        families, _, _ = self.fit(how, name, *rest)
        chosen = families.values() if name == "all" else [families[name]]
        frequencies = background(families.values())
        return properties(sum(second_moment(f, frequencies) for f in chosen) / len(chosen), frequencies)


def compute(lab):
    if lab.shared("DHFR.a2m") is None or lab.shared("structuredca") is None:
        print("shared_values: left out, the families are not in the data folder")
        return False
    runs = Runs(lab)
    jobs = [("joint", *SHORT), ("separate", *SHORT)]
    if not lab.quick:
        jobs += [(how, size, 0, ITERATIONS) for size in DRAWS for how in ("joint", "separate")] + [("transfer", 150, 0, ITERATIONS)]
        jobs += [(how, size, draw, ITERATIONS) for size, last in DRAWS.items() for draw in range(1, last + 1) for how in ("joint", "separate")]
        jobs += [("joint", min(DRAWS), 0, 2 * ITERATIONS)]
    for how, *rest in jobs:
        names = FAMILIES[:1] if lab.quick and how == "separate" else FAMILIES
        for name in names:
            lab.complete("shared_values_runs.csv", KEY, COLUMNS, [(how, name, *rest)], runs.run)
            if how == "separate" and rest[2] == ITERATIONS:
                lab.complete("shared_values_properties.csv", KEY, V_COLUMNS, [(how, name, *rest)], runs.values)
        if how == "joint" and rest[2] == ITERATIONS:
            for name in ("all", *FAMILIES):
                lab.complete("shared_values_properties.csv", KEY, V_COLUMNS, [(how, name, *rest)], runs.values)
    return True


def by_draw(lab, columns):
    """{(how, family, sequences): {draw: row}} of a table, of whole trainings."""
    found = {}
    for r in lab.rows(columns):
        if r["iterations"] == ITERATIONS:
            found.setdefault((r["how"], r["family"], int(r["sequences"])), {})[int(r["draw"])] = r
    return found


def spread(rows, column):
    """Standard deviation over bootstrap samples; NaN with fewer than two."""
    values = [r[column] for draw, r in rows.items() if draw]
    return math.sqrt(sum((v - tools.mean(values))**2 for v in values) / (len(values) - 1)) if len(values) > 1 else math.nan


def text_of(rows, column, digits=3):
    if rows is None or rows.get(0) is None or math.isnan(rows[0][column]):
        return ""
    error = spread(rows, column)
    return f"{rows[0][column]:.{digits}f}" + ("" if math.isnan(error) else f" ({error:.{digits}f})")


def difference(known, family, sequences, column, one="joint", other="separate"):
    """(value, standard deviation) of joint less separate on the same samples. The deviation is pooled over families, for there are few samples."""
    variances, value = [], math.nan
    for name in FAMILIES:
        a, b = known.get((one, name, sequences), {}), known.get((other, name, sequences), {})
        rows = {draw: {column: a[draw][column] - b[draw][column]} for draw in sorted(set(a) & set(b))}
        if name == family and 0 in rows:
            value = rows[0][column]
        error = spread(rows, column)
        if not math.isnan(error):
            variances.append(error**2)
    return value, math.sqrt(tools.mean(variances)) if variances else math.nan


def report(lab):
    known, values, table, text = by_draw(lab, "shared_values_runs.csv"), by_draw(lab, "shared_values_properties.csv"), [], ""
    for size in DRAWS:
        for family in FAMILIES:
            for how in ("separate", "joint", "transfer"):
                rows = known.get((how, family, size))
                if rows:
                    table.append({"N": size, "family": family, "how": how, "train": text_of(rows, "train_loss"), "test": text_of(rows, "test_loss"),
                                  "independent": text_of({0: rows[0]}, "independent_loss"), "L": text_of(rows, "precision_L", 2),
                                  "L5": text_of(rows, "precision_L5", 2)})
    text += "In brackets: standard deviations over bootstrap samples, of which there are 3 with 150 sequences and 2 with 600.\n\n" + tools.markdown(
        {"N": "N", "family": "family", "V": "how", "training": "train", "test": "test", "independent sites": "independent", "precision at L": "L",
         "at L/5": "L5"}, table)
    text += "\nJoint less separate, on the same samples, with errors that are pooled over families:\n\n"
    rows = []
    for size in DRAWS:
        for family in FAMILIES:
            row = {"N": size, "family": family}
            for column in ("test_loss", "precision_L"):
                value, error = difference(known, family, size, column)
                row[column] = "" if math.isnan(value) else f"{value:+.3f}" + ("" if math.isnan(error) else f" +- {error:.3f}")
            rows.append(row)
    text += tools.markdown({"N": "N", "family": "family", "test loss": "test_loss", "precision at L": "precision_L"}, rows)
    rows = []
    for (how, family, size), found in values.items():
        row = {"V": how, "family": family, "N": size}
        for name in PROPERTIES:
            row[name] = f"{text_of(found, 'share_' + name, 4)}; {found[0]['null_' + name]:.4f} ({found[0]['spread_' + name]:.4f})"
            row["leading " + name] = text_of(found, "leading_" + name, 2)
        rows.append(row)
    text += "\nWhat V learns: share (bootstrap error); null (standard deviation over permutations). Where V is shared *all* has the mean over families:\n\n"
    text += tools.markdown({"V": "V", "family": "family", "N": "N", **{p: p for p in PROPERTIES}, **{f"leading, {p}": f"leading {p}" for p in PROPERTIES}}, rows)
    return text + "\n" + findings(lab, known, values)


def findings(lab, known, values):
    """What the tables say."""
    many, few = max(DRAWS), min(DRAWS)

    def told(size, column="test_loss", one="joint"):
        found = {f: difference(known, f, size, column, one) for f in FAMILIES if column == "test_loss" or f in WHERE}
        return ", ".join(f"{f} {value:+.3f}" + ("" if math.isnan(error) else f" +- {error:.3f}") for f, (value, error) in found.items())

    longer = {r["family"]: r for r in lab.rows("shared_values_runs.csv") if r["how"] == "joint" and r["iterations"] == 2 * ITERATIONS}
    twice = ", ".join(f"{f} {r['test_loss'] - known['joint', f, few][0]['test_loss']:+.3f}" for f, r in longer.items())
    total = sum(known["separate", f, many][0]["objective"] for f in FAMILIES)
    one = {size: known["joint", FAMILIES[0], size][0]["objective"] for size in DRAWS}
    charge = values["joint", "all", many][0]
    return (f"- {many} sequences: held-out losses with one V are higher in all families, {told(many)}. {few} sequences: {told(few)}.\n"
            f"- Objective with {many} sequences: {total:.0f} with a V of each family, {one[many]:.0f} with one V." +
            (f" {few} sequences, one V: {one[few]:.1f}, after twice as many iterations {longer[FAMILIES[0]]['objective']:.1f}; test losses {twice}.\n"
             if longer else " Whether 80 iterations suffice was not tested with one V.\n") +
            f"- V of the three other families, {few} sequences: test losses higher than with V of their own, {told(few, one='transfer')}.\n"
            f"- V learns charge: of permuted amino acids {100 * charge['above_charge']:.1f} per cent have such a share (joint, {many} sequences). Shares of "
            f"hydropathy and volume are those of permuted amino acids or below ({100 * charge['above_hydropathy']:.0f} and "
            f"{100 * charge['above_volume']:.0f} per cent are above).\n"
            "- A pair is 0.005 to 0.015 of a precision at L: errors of it from two samples, with 600 sequences, are too small; those with 150 are better.\n"
            "- With one V all families have nearly the same shares: 8 matrices hold all couplings. More heads for the joint V, softmax maps and other penalties "
            "were not tried. A training has one start.\n")


def claims(lab):
    known, values = by_draw(lab, "shared_values_runs.csv"), by_draw(lab, "shared_values_properties.csv")
    size, parts = max(DRAWS), {"test_loss": [], "precision_L": []}
    for column, names in (("test_loss", FAMILIES), ("precision_L", WHERE)):
        for family in names:
            value, error = difference(known, family, size, column)
            error = "" if math.isnan(error) or column != "test_loss" else f" +- {error:.3f}"
            parts[column].append(f"{value:+.3f}{error} ({family})")
    charge = values["joint", "all", size]
    worse = sum(difference(known, f, size, "test_loss")[0] > 0 for f in FAMILIES)
    return [("more", "protein families can share one V", f"with 8 heads it costs: held-out losses are higher in {worse} of {len(FAMILIES)} families",
             f"{size} sequences, joint less separate: test loss {', '.join(parts['test_loss'])}; precision at L {', '.join(parts['precision_L'])}, "
             f"with errors of about {difference(known, '6acv', min(DRAWS), 'precision_L')[1]:.2f} (those of {min(DRAWS)} sequences)"),
            ("more", "V learns the chemistry of amino acids", "holds for charge, not for hydropathy and volume",
             f"share of the couplings along charge {charge[0]['share_charge']:.4f} +- {spread(charge, 'share_charge'):.4f}, of permuted amino acids "
             f"{charge[0]['null_charge']:.4f} +- {charge[0]['spread_charge']:.4f}; hydropathy {charge[0]['share_hydropathy']:.4f}, volume "
             f"{charge[0]['share_volume']:.4f}")]


def draw(lab):
    known, values = by_draw(lab, "shared_values_runs.csv"), by_draw(lab, "shared_values_properties.csv")
    figure, axes = tools.figure(1, 3, size=(13, 4.2))
    size, styles = max(DRAWS), {"separate": "o", "joint": "s"}
    for ax, column, title in ((axes[0], "precision_L", "precision at L"), (axes[1], "test_loss", "test loss (nats per site)")):
        names = [f for f in FAMILIES if column == "test_loss" or f in WHERE]
        for k, (how, marker) in enumerate(styles.items()):
            found = [(x + 0.15 * (k - 1), known[how, f, size]) for x, f in enumerate(names) if (how, f, size) in known]
            ax.errorbar([x for x, _ in found], [r[0][column] for _, r in found], [0 if math.isnan(spread(r, column)) else spread(r, column) for _, r in found],
                        fmt=marker, capsize=2, label=f"{how}")
        ax.set_xticks(range(len(names)), names)
        ax.set(ylabel=title, title=f"{size} sequences")
        ax.legend()
    for k, (n, color) in enumerate(zip(DRAWS, tools.COLORS)):
        rows = values.get(("joint", "all", n))
        if rows:
            for x, name in enumerate(PROPERTIES):
                error = spread(rows, "share_" + name)
                axes[2].errorbar([x + 0.2 * k], [rows[0]["share_" + name]], [0 if math.isnan(error) else error], fmt="s", color=color, capsize=2,
                                 label=f"joint, {n} sequences" if x == 0 else None)
                axes[2].errorbar([x + 0.2 * k + 0.08], [rows[0]["null_" + name]], [rows[0]["spread_" + name]], fmt="_", color="#777777", capsize=2,
                                 label="permuted" if x == 0 and k == 0 else None)
    axes[2].set_xticks(range(len(PROPERTIES)), list(PROPERTIES))
    axes[2].set(ylabel="share of the couplings", ylim=(0, 0.028))
    axes[2].legend(loc="upper left")
    return {"shared_values": figure}
