# SPDX-License-Identifier: MIT
"""The positional branch along alpha: symmetric, with one step of breaking, and as descents see it

sigma = 0.5, lambda = 0.01, A = [[0.6, 0.4], [0.4, 0.6]] as in [C24]. *One step* is followed along its own branch, beyond the end of the
symmetric one (include/attopotts/dotattn.h, breaking = 2). *Theory of descents* (include/attopotts/dotattn_dynamics.h, limit = 2): gradient
descent in the limit of many dimensions from (1, ..., 1) at a rate of 1, in samples of trajectories; theta is held at 0, where it stays in the
limit. Time is rate times steps: the descents of [C24] end at 750. *Minima*: L-BFGS to a gradient of 1e-6 from (1, ..., 1), d = 1000. *Gradient
descent*: 5000 steps at rate 0.15 from (1, ..., 1) / sqrt(d). Runs that end nearer to Q* than to the code are left out. Errors are standard
errors over seeds. *Published*: m of results that the authors of [C24] give with their code, d = 1000.
"""
import math

import dotattn_data
import lab as tools
from dotattn_transition import PUBLISHED

CURVES = {0.1: (1, 1.25, 1.5, 1.75, 2, 2.1, 2.2), 0.2: (0.5, 1, 1.25, 1.5, 1.75, 2, 2.5, 2.75, 3, 4),
          0.3: (0.5, 1, 1.5, 2, 2.5, 3, 4)}
CURVE_KEY = ("omega", "alpha")
CURVE_NUMBERS = ("q", "m", "v", "et", "et_broken", "q1", "q0", "v_broken", "m_broken", "mu", "error_broken")
TIMES = (250, 750, 3000)
OVER_TIME = [c + str(time) for c in ("m", "q") for time in TIMES]
# (omega, alpha, samples, rate, length of the start): seeds
LIMITS = {**{(omega, 2.0, 6000, 1.0, 1.0): 6 for omega in (0.1, 0.2)}, **{(omega, 2.0, 3000, 1.0, 1.0): 8 for omega in (0.1, 0.2)},
          **{(omega, 2.0, 4000, 0.15, 0.0316): 4 for omega in (0.1, 0.2)},
          **{(omega, alpha, 4000, 1.0, 1.0): 3 for omega in (0.2, 0.3) for alpha in (1.0, 1.5, 3.0)},
          **{(omega, alpha, 4000, 1.0, 1.0): 3 for omega, alpha in ((0.3, 2.0), (0.1, 1.0), (0.1, 1.5))}}
LIMIT_KEY = ("omega", "alpha", "samples", "rate", "scale", "seed")
MINIMA, MINIMA_SEEDS = {0.1: (1, 1.5, 2), 0.2: (0.5, 1, 1.5, 2, 3, 4), 0.3: (0.5, 1, 1.5, 2, 3, 4)}, 12
RUN_KEY, RUN_NUMBERS = ("optimizer", "omega", "alpha", "d", "seed"), ("et", "q", "m", "theta", "semantic", "gradient")
DESCENTS = {(0.1, 2.0, 500): 24, (0.2, 2.0, 500): 24, (0.1, 2.0, 2000): 6, (0.2, 2.0, 2000): 6}
AGREE = {"dotattn_descents_curve.csv": tools.Same(CURVE_KEY, ("m", "et", "m_broken", "q1", "q0", "v_broken"), tolerance=1e-5),
         "dotattn_descents_limit.csv": tools.Same(LIMIT_KEY, ("m250", "q250"), tolerance=1e-5),
         "dotattn_descents_runs.csv": tools.Same(RUN_KEY, ("q", "m", "theta", "semantic"), tolerance=1e-4)}


def compute(lab):
    made = {}

    def curve(omega, alpha):
        """Rows are the same in every list of alphas; in one list they share the way along the branch."""
        if (omega, alpha) not in made:
            alphas = [alpha] if lab.quick else [a for a in CURVES[omega] if a >= alpha]
            table = lab.potts.dotattn.curve(alphas, branch="positional", breaking=2, accuracy=1e-3, **{**dotattn_data.PROBLEM, "omega": omega})
            for k, a in enumerate(alphas):
                made[omega, a] = {"solution": dotattn_data.SOLUTIONS[int(table["branch"][k])], **{c: f"{float(table[c][k]):.8g}" for c in CURVE_NUMBERS}}
        return made[omega, alpha]

    def limit(omega, alpha, samples, rate, scale, seed):
        times = TIMES[:2] if rate < 1 or lab.quick else TIMES
        table, seconds = tools.timed(lambda: lab.potts.dotattn.trajectories(
            [alpha * round(time / rate) for time in times], alpha=alpha, dimension=round(samples / alpha), limit=2, start_m=1, start_scale=scale,
            rate=rate, runs=1, seed=seed, test_samples=100, **{**dotattn_data.PROBLEM, "omega": omega}))
        return {**{f"{c}{time}": f"{float(table[c][k]):.8g}" for c in ("m", "q") for k, time in enumerate(times)},
                "v": f"{float(table['v'][-1]):.6g}", "outcome": int(table["outcome"][-1]), "seconds": round(seconds, 2)}

    def run(optimizer, omega, alpha, d, seed):
        given = {"optimizer": "lbfgs", "tolerance": 1e-6, "start_scale": 1} if optimizer == "lbfgs" else {"rate": 0.15, "start_scale": d ** -0.5}
        table, seconds = tools.timed(lambda: lab.potts.dotattn.simulate(
            [alpha], dimension=d, start="positional", runs=1, seed=seed, steps=5000, test_samples=100,
            **given, **{**dotattn_data.PROBLEM, "omega": omega}))
        return {**{c: f"{float(table[c][0]):.7g}" for c in RUN_NUMBERS}, "seconds": round(seconds, 2)}

    keys = [(omega, alpha) for omega in CURVES for alpha in CURVES[omega]]
    lab.complete("dotattn_descents_curve.csv", CURVE_KEY, [*CURVE_KEY, "solution", *CURVE_NUMBERS], lab.pick(keys, [(0.3, 3)]), curve,
                 "the positional branch, accuracy 1e-3")
    keys = [(*case, seed) for seed in range(1, 1 + max(LIMITS.values())) for case in LIMITS if seed <= LIMITS[case]]
    lab.complete("dotattn_descents_limit.csv", LIMIT_KEY, [*LIMIT_KEY, *OVER_TIME, "v", "outcome", "seconds"],
                 lab.pick(keys, [(0.1, 2.0, 3000, 1.0, 1.0, 1)]), limit, "descents in the limit with theta held at 0; v at the last time")
    keys = [("lbfgs", omega, alpha, 1000, seed) for seed in range(1, 1 + MINIMA_SEEDS) for omega in MINIMA for alpha in MINIMA[omega]]
    keys += [("gd", *case, seed) for seed in range(1, 1 + max(DESCENTS.values())) for case in DESCENTS if seed <= DESCENTS[case]]
    lab.complete("dotattn_descents_runs.csv", RUN_KEY, [*RUN_KEY, *RUN_NUMBERS, "seconds"],
                 lab.pick(keys, [("lbfgs", 0.3, 0.5, 1000, 1)]), run, "one row a run")


def found(values):
    """(mean, standard error) of |m| and the like; NaN without values."""
    values = [abs(v) for v in values]
    return tools.mean_and_error(values) if values else (math.nan, math.nan)


def shown(pair, digits=4):
    return "" if math.isnan(pair[0]) else f"{pair[0]:.{digits}f}" if math.isnan(pair[1]) else f"{pair[0]:.{digits}f} +- {pair[1]:.{digits}f}"


def curve_rows(lab):
    """Rows of the branch; NaN where a theory has no positional solution."""
    rows = []
    for r in sorted(lab.rows("dotattn_descents_curve.csv"), key=lambda r: (r["omega"], r["alpha"])):
        symmetric, one = r["solution"] == "positional", r["m_broken"] > 0
        rows.append({**r, **{c: r[c] if symmetric else math.nan for c in ("m", "q", "v")},
                     **{c: r[c] if one else math.nan for c in ("m_broken", "q1", "v_broken")}})
    return rows


def minima(lab, omega, alpha, number="m"):
    return found([r[number] for r in lab.rows("dotattn_descents_runs.csv")
                  if (r["optimizer"], r["omega"], r["alpha"]) == ("lbfgs", omega, alpha) and r["semantic"] == 0])


def stayed(lab, omega, alpha):
    runs = [r["semantic"] == 0 for r in lab.rows("dotattn_descents_runs.csv") if (r["optimizer"], r["omega"], r["alpha"]) == ("lbfgs", omega, alpha)]
    return f"{sum(runs)} of {len(runs)}" if runs else ""


def limits(lab, omega, alpha, column, samples=None, rate=1):
    return found([r[column] for r in lab.rows("dotattn_descents_limit.csv") if (r["omega"], r["alpha"], r["rate"]) == (omega, alpha, rate)
                  and samples in (None, r["samples"]) and r["outcome"] == 1])


def at_limit(pairs):
    """The limit 1/size -> 0 through {size: (mean, error)}."""
    return tools.line([1 / size for size in pairs], [v[0] for v in pairs.values()], [v[1] for v in pairs.values()])[:2]


def theory_limit(lab, omega, column):
    return at_limit({n: limits(lab, omega, 2, column, n) for n in (3000, 6000)})


def descents(lab, omega):
    """{d: m of gradient descent after 5000 steps at rate 0.15, alpha = 2}."""
    rows = [r for name in ("dotattn_descents_runs.csv", "dotattn_ends_runs.csv") for r in lab.rows(name)
            if (r["optimizer"], r["omega"], r["alpha"]) == ("gd", omega, 2) and r["semantic"] == 0]
    return {int(d): found([r["m"] for r in group]) for (d,), group in sorted(tools.groups_of(rows, "d").items())}


def end(lab, omega):
    """(last alpha of the table with m > 0 in one step, alpha where the line through its last two m^2 against log alpha is 0)."""
    points = [(math.log(r["alpha"]), r["m_broken"] ** 2, r["alpha"]) for r in curve_rows(lab) if r["omega"] == omega and not math.isnan(r["m_broken"])]
    (x0, y0, _), (x1, y1, last) = points[-2:]
    return last, math.exp(x1 + y1 * (x1 - x0) / (y0 - y1))


def report(lab):
    return along(lab) + over_time(lab)


def along(lab):
    table = []
    for r in curve_rows(lab):
        row = {c: f"{r[c]:g}" for c in CURVE_KEY}
        row.update({c: shown((r[c], math.nan)) for c in ("m", "m_broken")})
        row.update({c: shown((r[c], math.nan), 2) for c in ("v", "v_broken")})
        row.update({c + str(t): shown(limits(lab, r["omega"], r["alpha"], c + str(t))) for c in ("m",) for t in (750, 3000)})
        row.update({"v_limit": shown(limits(lab, r["omega"], r["alpha"], "v"), 2), "minima": shown(minima(lab, r["omega"], r["alpha"])),
                    "stayed": stayed(lab, r["omega"], r["alpha"])})
        table.append(row)
    return ("## Along alpha\n\nEmpty cells of theory: no positional solution was found (omega = 0.1 and 0.2), or jumps are too rare to compute a step of "
            "breaking (omega = 0.3). Theory of descents at times 750 and 3000, all numbers of samples together; V at the last time. "
            "Theory of descents and minima have corrections of 1/n and 1/d, which lower m (next table).\n\n") + tools.markdown(
        {"omega": "omega", "alpha": "alpha", "m, symmetric": "m", "one step": "m_broken", "descents, 750": "m750", "descents, 3000": "m3000",
         "minima": "minima", "stayed": "stayed", "V, symmetric": "v", "V, one step": "v_broken", "V, descents": "v_limit"},
        table) + "\n" + END_TEXT.format(*end(lab, 0.1), *end(lab, 0.2))


END_TEXT = """The symmetric branch ends at alpha = 1.285 (omega = 0.1) and 1.765 (omega = 0.2), and goes on at omega = 0.3. The branch with one step goes on to
{0:g} and {2:g} in this table; there m^2 falls about in proportion to log alpha, and the line through its last two values is 0 at alpha = {1:.2f} and
{3:.2f}: it ends without a jump. At omega = 0.1 and 0.2 descents have a larger m than one step, which is about the lowest minima. They are not at
rest where the branch with one step is near its end: m of their theory still falls between times 750 and 3000. That it goes on to that of one step is a hypothesis.

"""


def over_time(lab):
    table = []
    for omega in (0.1, 0.2):
        for t in TIMES:
            row = {"omega": f"{omega:g}", "time": str(t), **{f"n{n}": shown(limits(lab, omega, 2, f"m{t}", n)) for n in (3000, 6000)},
                   "limit": shown(theory_limit(lab, omega, f"m{t}"))}
            if t == 750:
                simulated = descents(lab, omega)
                row.update({f"d{d}": shown(pair) for d, pair in simulated.items()})
                row.update({"d0": shown(at_limit(simulated)), "slow": shown(limits(lab, omega, 2, "m750", 4000, 0.15)),
                            "published": f"{PUBLISHED[omega, 2.0]:.4f}"})
            table.append(row)
    return ("## Against time at alpha = 2\n\nm; n: sampled trajectories; rate 0.15: theory from (1, ..., 1) / sqrt(1000) with 4000 samples.\n\n") + \
        tools.markdown({"omega": "omega", "time": "time", "theory, n = 3000": "n3000", "n = 6000": "n6000", "1/n to 0": "limit", "rate 0.15": "slow",
                        "descents, d = 500": "d500", "d = 1000": "d1000", "d = 2000": "d2000", "1/d to 0": "d0", "published": "published"}, table)


def claims(lab):
    text = []
    for omega in (0.1, 0.2):
        text.append(f"omega = {omega:g}: theory {shown(limits(lab, omega, 2, 'm750', 6000))}, descents {shown(descents(lab, omega)[1000])} (d = 1000), "
                    f"published {PUBLISHED[omega, 2.0]:.4f}")
    return [("more", "the theory of descents holds beyond the end of the symmetric positional branch", "holds at the time of the published runs",
             f"m at alpha = 2, time 750: {'; '.join(text)}")]


def draw(lab):
    figure, axes = tools.figure(1, 3, (13, 4.4))
    rows = curve_rows(lab)
    for ax, omega in zip(axes, CURVES):
        here = [r for r in rows if r["omega"] == omega]
        tools.curve(ax, here, "alpha", "m", marker="s", ms=4, label="symmetric")
        tools.curve(ax, here, "alpha", "m_broken", marker="D", ms=4, label="one step")
        for t, color in ((750, tools.COLORS[2]), (3000, tools.COLORS[5])):
            points = [dict(zip(("alpha", "m", "e"), (r["alpha"], *limits(lab, omega, r["alpha"], f"m{t}")))) for r in here]
            tools.points(ax, points, "alpha", "m", "e", color=color, label=f"theory of descents, time {t}")
        points = [dict(zip(("alpha", "m", "e"), (r["alpha"], *minima(lab, omega, r["alpha"])))) for r in here]
        tools.points(ax, points, "alpha", "m", "e", color="#777777", fmt="x", label="minima, d = 1000")
        if (omega, 2.0) in PUBLISHED:
            ax.plot([2], [PUBLISHED[omega, 2.0]], "*", color="black", ms=9, label="published")
        ax.set(xlabel="alpha", ylabel="m", title=f"omega = {omega:g}", ylim=(0, 0.3))
    axes[1].legend(fontsize=9)
    return {"dotattn_descents": figure}
