# SPDX-License-Identifier: MIT
"""Which branch do descents reach, and when?

Online descent of dot-product attention: a fresh sample in each step, rate 10, omega = 0.3, sigma = 0.5; time t is samples per dimension.
*start*: lambda = 0, from the cosines 0.1 with Q* and 0.3 with the code. *search*: random starts, where theory's start counts as one with the
cosine |z| A / sqrt(d), z standard normal; the time of the search is that at which the cosine of the overlap that grows first is 0.5. *batch*:
all samples in each step, rate 2, lambda = 0.01, to t = 3000. Errors are standard errors over runs, those of shares binomial (Wilson).
"""
import math

import lab as tools
from dotattn_data import PROBLEM

SIGMA, REACHED, TIMES = 0.5, 0.5, (2, 5, 10, 15, 20, 30, 40)
START = {"start_theta": 0.1, "start_m": 0.3}
SEARCHES = {0.0: ("theta", 80, 1, 30), 0.01: ("m", 30, 0.5,
                                              15)}  # lambda: the overlap that grows, last time, between records, a time of small overlaps
ALPHAS, SEEN, BETWEEN = (1, 1.5, 2), 3000, 50
RUNS = {"start": {(250,): 64, (500,): 32, (1000,): 16}, "search": {(0.0, 250): 79, (0.0, 500): 30, (0.01, 250): 64},
        "batch": {(1, 250): 48, (1.5, 250): 48, (2, 250): 48, (1, 500): 24, (1.5, 500): 15}}  # by lambda or alpha and d
QUARTILES = (0.3186, 0.6745, 1.1503)  # of |z|
ENDS = ("q", "m", "theta", "eg")
AGREE = {"dotattn_dynamics_start.csv": tools.Same(("d", "seed", "time"), ENDS),
         "dotattn_dynamics_search.csv": tools.Same(("lambda", "d", "seed"), ("early", *ENDS)),
         "dotattn_dynamics_theory.csv": tools.Same(("time",), ("q", "theta", "m"), tolerance=1e-5)}


def evenly(last, between):
    count = round(last / between)
    return [last * k / count for k in range(count + 1)]


def cosines(row):
    """With the teacher and with the code."""
    size = math.sqrt(row["q"])
    return abs(row["theta"]) / (SIGMA * size), abs(row["m"]) * SIGMA / size


def reached_at(rows, which):
    """When a cosine first is REACHED, on a line between two records; infinity: never."""
    before = None
    for row in rows:
        now = cosines(row)[which]
        if now >= REACHED:
            return row["time"] if before is None else before[0] + (row["time"] - before[0]) * (REACHED - before[1]) / (now - before[1])
        before = row["time"], now
    return math.inf


def one_run(potts, d, seed, times, **options):
    options = {"rate": 10, "test_samples": 500, **options}
    table = potts.dotattn.trajectories(times, dimension=d, runs=1, seed=seed, **{**PROBLEM, **options})
    return [{name: float(values[k]) for name, values in table.items()} for k in range(len(times))]


def theory(lab, times, penalty, **options):
    table = lab.potts.dotattn.dynamics(times, rate=10, points=2048, shifts=4, **{**PROBLEM, "penalty": penalty}, **options)
    return [{name: float(values[k]) for name, values in table.items()} for k in range(len(times))]


def compute(lab):
    made = {}

    def start(d, seed, time):
        if (d, seed) not in made:
            made[d, seed] = dict(zip(TIMES, one_run(lab.potts, d, seed, TIMES, penalty=0.0, **START)))
        return {n: made[d, seed][time][n] for n in ENDS}

    def search(penalty, d, seed):
        overlap, last, between, early = SEARCHES[penalty]
        rows = one_run(lab.potts, d, seed, evenly(last, between), penalty=penalty)
        at = min(rows, key=lambda row: abs(row["time"] - early / 2))
        return {"early": math.sqrt(d) * at[overlap], "semantic_at": reached_at(rows, 0), "positional_at": reached_at(rows, 1),
                **{n: rows[-1][n] for n in ENDS}}

    def batch(alpha, d, seed):
        rows = one_run(lab.potts, d, seed, evenly(SEEN, BETWEEN), rate=2, alpha=alpha)
        return {"semantic_at": reached_at(rows, 0), "positional_at": reached_at(rows, 1),
                **{n: rows[-1][n] for n in (*ENDS, "et", "gradient")}}

    def seeds(kind):
        return [(*case, seed) for case, runs in RUNS[kind].items() for seed in range(1, runs + 1)]

    name = "dotattn_dynamics_{}.csv".format
    lab.complete(name("start"), ("d", "seed", "time"), ["d", "seed", "time", *ENDS],
                 [(*k, time) for k in lab.pick(seeds("start"), [(250, 1), (250, 2)]) for time in TIMES], start)
    lab.complete(name("search"), ("lambda", "d", "seed"), ["lambda", "d", "seed", "early", "semantic_at", "positional_at", *ENDS],
                 lab.pick(seeds("search"), [(0.01, 250, 1)]), search)
    fine = theory(lab, lab.pick(evenly(TIMES[-1], 1), evenly(TIMES[-1], 1)[:4]), 0.0, **START)
    lab.write(name("theory"), fine, ["online, rate 10, lambda 0, from cosines 0.1 and 0.3"],
              ["time", "q", "q_sem", "theta", "theta_sem", "m", "m_sem"])
    if lab.quick:
        return
    lab.complete(name("batch"), ("alpha", "d", "seed"), ["alpha", "d", "seed", "semantic_at", "positional_at", *ENDS, "et", "gradient"],
                 seeds("batch"), batch)
    lab.write(name("medians"), [r for penalty in SEARCHES for r in predicted(lab, penalty)], ["theory of random starts"])
    lab.write(name("branches"), [{"alpha": a,
                                  "et": min(lab.potts.dotattn.curve([a], branch=b, accuracy=1e-2,
                                                                    **PROBLEM)["et"][0] for b in ("semantic", "positional"))}
                                 for a in ALPHAS], ["training loss of the lower branch"])


def predicted(lab, penalty):
    """Of random starts, for each d: sqrt(d) times the spread of the overlap at half the early time, quartiles of the time of the search."""
    overlap, last, between, early = SEARCHES[penalty]
    linear, tiny = theory(lab, [0, early / 2, early], penalty), 1e-5
    grown = theory(lab, [0, early], penalty, **{f"start_{overlap}": tiny})[-1][overlap] / tiny
    factor = linear[-1]["spread_" + overlap] / abs(grown)
    for d in [d for known, d in RUNS["search"] if known == penalty]:
        times = [reached_at(theory(lab, evenly(last, between / 2), penalty, **{f"start_{overlap}": min(0.9, z * factor / math.sqrt(d))}),
                            0 if overlap == "theta" else 1) for z in QUARTILES]
        yield {"lambda": penalty, "d": d, "early": linear[1]["spread_" + overlap], "factor": factor,
               "rate": linear[-1]["growth_" + overlap],
               "last": times[0], "theory": times[1], "first": times[2]}


def share(count, n):
    """A fraction with the half-width of Wilson's interval of one standard error."""
    return f"{count / n:.2f} +- {math.sqrt(count * (n - count) / n + 0.25) / (n + 1):.2f}"


def searches(lab):
    theories, table = {(r["lambda"], r["d"]): r for r in lab.rows("dotattn_dynamics_medians.csv")}, []
    for (penalty, d), rows in sorted(tools.groups_of(lab.rows("dotattn_dynamics_search.csv"), "lambda", "d").items()):
        expected, mine, n = theories.get((penalty, d)), "semantic_at" if SEARCHES[penalty][0] == "theta" else "positional_at", len(rows)
        if expected is None:
            continue
        times, early = sorted(r[mine] for r in rows), tools.root_mean_square([r["early"] for r in rows])
        # Ranks n/2 -+ sqrt(n)/2: one standard error of a median, for any distribution.
        low, high = (times[min(n - 1, max(0, math.floor(n / 2 + s * math.sqrt(n) / 2)))] for s in (-1, 1))
        table.append({"lambda": penalty, "d": d, "runs": n, "early": f"{early:.3f} +- {early / math.sqrt(2 * n):.3f}",
                      "early_theory": expected["early"],
                      "median": tools.median(times), "interval": f"{low:.1f} to {high:.1f}", "theory": expected["theory"],
                      "quartiles": share(sum(expected["first"] <= t <= expected["last"] for t in times), n),
                      "semantic": share(sum(cosines(r)[0] > cosines(r)[1] for r in rows), n),
                      "reached": f"{sum(map(math.isfinite, times))} of {n}"})
    return table


def starts(lab):
    """(a row for each d, deviations of all means in standard errors)."""
    lines, table, all_off = {r["time"]: r for r in lab.rows("dotattn_dynamics_theory.csv")}, [], []
    for (d,), rows in sorted(tools.groups_of(lab.rows("dotattn_dynamics_start.csv"), "d").items()):
        row, off = {"d": d, "runs": len({r["seed"] for r in rows})}, []
        for name in ("q", "theta", "m"):
            single = []
            for time in TIMES:
                values, expected = [r[name] for r in rows if r["time"] == time], lines[time]
                m, error = tools.mean_and_error(values)
                off.append((m - expected[name]) / math.hypot(error, expected[name + "_sem"]))
                single += [x - expected[name] for x in values]
            row[name] = tools.root_mean_square(single)
        table.append({**row, "within": tools.within(off), "rms": tools.root_mean_square(off)})
        all_off += off
    return table, all_off


def batches(lab):
    lower, table = {r["alpha"]: r["et"] for r in lab.rows("dotattn_dynamics_branches.csv")}, []
    for (alpha, d), rows in sorted(tools.groups_of(lab.rows("dotattn_dynamics_batch.csv"), "alpha", "d").items()):
        near, n = [cosines(r) for r in rows], len(rows)
        counts = [sum(pair[k] >= REACHED and pair[k] == max(pair) for pair in near) for k in (0, 1)]
        table.append({"alpha": alpha, "d": d, "runs": n, "semantic": share(counts[0], n), "positional": share(counts[1], n),
                      "teacher": tools.with_error([c[0] for c in near], 3), "code": tools.with_error([c[1] for c in near], 3),
                      "et": tools.with_error([r["et"] for r in rows], 5), "theory": lower[alpha]})
    return table


def report(lab):
    table, off = starts(lab)
    five = dict.fromkeys(("q", "theta", "m", "theory"), "{:.5f}")
    return (f"From given overlaps {tools.within(off)} means lie within 3 standard errors of theory (means at the seven times share their runs). Spread of single "
            "runs:\n\n") + tools.markdown({"d": "d", "runs": "runs", "q": "q", "theta": "theta", "m": "m", "within": "within",
                                           "rms": "rms"}, table,
                                         {**five, "rms": "{:.2f}"}) + \
        ("\nRandom starts reach the branch whose overlap grows faster: the semantic one at lambda = 0, the positional one at 0.01, where the penalty shrinks the "
         "student before theta has grown. *early*: sqrt(d) times the root mean square of this overlap at half that time; *quartiles*: runs between theory's (1/2); "
         "*semantic*: runs that end nearer to the teacher:\n\n") + tools.markdown(
        {"lambda": "lambda", "d": "d", "runs": "runs", "early": "early", "theory": "early_theory", "median time": "median",
         "one error": "interval", "theory ": "theory",
         "quartiles": "quartiles", "semantic": "semantic", "there": "reached"}, searches(lab),
             {"early_theory": "{:.3f}", "median": "{:.1f}", "theory": "{:.1f}"}) + \
        ("\nAll samples in each step: most random starts at alpha = 1 and 1.5 reach neither branch. Shares that end on a branch, with a cosine of at least 0.5; e_t "
         "beside that of theory's lower branch:\n\n") + tools.markdown(
        {"alpha": "alpha", "d": "d", "runs": "runs", "semantic": "semantic", "positional": "positional", "cosine, teacher": "teacher",
         "cosine, code": "code", "e_t": "et",
         "theory": "theory"}, batches(lab), five)


def claims(lab):
    return [("more", "the equations of online descent hold", "holds with a fresh sample in each step",
             f"{tools.within(starts(lab)[1])} means within 3 standard errors")]


def draw(lab):
    figure, axes = tools.figure(2, 1, (8, 7.5))
    rows = tools.groups_of(lab.rows("dotattn_dynamics_start.csv"), "d")
    d = max(key[0] for key, group in rows.items() if len({r["seed"] for r in group}) >= 4)
    for name, color in zip(("theta", "m", "q"), tools.COLORS):
        tools.curve(axes[0], lab.rows("dotattn_dynamics_theory.csv"), "time", name, color=color, label=name)
        values = [tools.mean_and_error([r[name] for r in rows[d,] if r["time"] == t]) for t in TIMES]
        axes[0].errorbar(TIMES, [v[0] for v in values], [v[1] for v in values], fmt="o", ms=4, color=color)
    axes[0].set(xlabel="samples per dimension t", ylabel="overlaps", title=f"points: means in {d:g} dimensions")
    axes[0].legend()
    for penalty, color in zip(SEARCHES, tools.COLORS):
        mine = [r for r in searches(lab) if r["lambda"] == penalty]
        tools.curve(axes[1], mine, "d", "theory", color=color, marker="x", label=f"theory, lambda = {penalty:g}")
        tools.points(axes[1], mine, "d", "median", color=color, label=f"median of runs, lambda = {penalty:g}")
    axes[1].set(xscale="log", xlabel="dimensions d", ylabel="time of the search")
    dimensions = sorted({r["d"] for r in searches(lab)})
    axes[1].set_xticks(dimensions, [f"{d:g}" for d in dimensions])
    axes[1].minorticks_off()
    axes[1].legend()
    return {"dotattn_dynamics": figure}
