# SPDX-License-Identifier: MIT
"""The part dotattn_dynamics of results.py: descents of dot-product attention against time, and the equations of online descent.

Each run that ended is a row of results/dotattn_dynamics_NAME.csv, and is not made again. `make_runs` alone makes those of one kind.
"""
import math
import os

from results_common import markdown, numbers, root_mean_square

PROBLEM = ["--omega", "0.3", "--sigma", "0.5"]
SIGMA = 0.5
ONLINE_RATE, BATCH_RATE = 10, 2
START = ["--start-theta", "0.1", "--start-m", "0.3"]
START_TIMES = (2, 5, 10, 15, 20, 30, 40)
# lambda of random starts: the overlap that grows fastest, the last time, the time between records, a time of small overlaps.
SEARCHES = {0.0: ("theta", 80, 1, 30), 0.01: ("m", 30, 0.5, 15)}
ALPHAS = (1, 1.5, 2)
SEEN, BETWEEN = 3000, 50  # last time of full-batch descents, and from record to record
RUNS = {"start": {250: 64, 500: 32, 1000: 16, 2000: 8, 4000: 4}, "search": {250: 64, 500: 32, 1000: 16, 2000: 8, 4000: 6},
        "batch": {250: 48, 500: 24, 1000: 12, 2000: 4}}
QUICK = {"start": {50: 4, 100: 4}, "search": {40: 4}, "batch": {40: 4, 80: 2}}
COLUMNS = {"start": ["d", "seed", "time", "q", "m", "theta", "eg"],
           "search": ["lambda", "d", "seed", "early", "semantic_at", "positional_at", "q", "m", "theta", "eg"],
           "batch": ["alpha", "d", "seed", "semantic_at", "positional_at", "q", "m", "theta", "eg", "et", "gradient"]}
QUARTILES = (0.3186, 0.6745, 1.1503)  # of |z|, z standard normal
REACHED = 0.5                         # cosine at which a descent counts as on a branch


def stored_rows(results, kind):
    path = os.path.join(results.folder, f"dotattn_dynamics_{kind}.csv")
    if not os.path.exists(path):
        results.write_csv(os.path.basename(path), COLUMNS[kind], [])
    with open(path) as file:
        rows = numbers(file.read())
    # Two jobs may have made a run; its numbers are the same.
    keys = [key for key in ("lambda", "alpha", "d", "seed", "time") if key in COLUMNS[kind]]
    return list({tuple(row[key] for key in keys): row for row in rows}.values())


def add_rows(results, kind, rows):
    with open(os.path.join(results.folder, f"dotattn_dynamics_{kind}.csv"), "a") as file:
        file.write("".join(",".join(str(row[c]) for c in COLUMNS[kind]) + "\n" for row in rows))


def dynamics(results, times, *flags):
    return numbers(results.run("dotattn", "--dynamics", *PROBLEM, "--time", times, "--progress", "none", *flags)[0])


def one_run(results, d, seed, times, *flags):
    """Rows of one run; --threads has no part in its numbers."""
    return dynamics(results, times, "--simulate", d, "--runs", 1, "--seed", seed, *flags)


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
            if before is None:
                return row["time"]
            time, cosine = before
            return time + (row["time"] - time) * (REACHED - cosine) / (now - cosine)
        before = row["time"], now
    return math.inf


def evenly(last, between):
    return f"0:{last}:{round(last / between) + 1}"


def start_run(results, d, seed):
    times = ",".join(map(str, START_TIMES))
    rows = one_run(results, d, seed, times, "--rate", ONLINE_RATE, "--lambda", 0, *START)
    return [{"d": d, "seed": seed, **{k: row[k] for k in ("q", "m", "theta", "eg")}, "time": time} for row, time in zip(rows, START_TIMES)]


def ends(row):
    return {k: row[k] for k in ("q", "m", "theta", "eg")}


def search_run(results, penalty, d, seed):
    """`early` is sqrt(d) times the overlap that grows, at the early time."""
    overlap, last, between, early = SEARCHES[penalty]
    rows = one_run(results, d, seed, evenly(last, between), "--rate", ONLINE_RATE, "--lambda", penalty)
    at = min(rows, key=lambda row: abs(row["time"] - early / 2))
    return [{"lambda": penalty, "d": d, "seed": seed, "early": math.sqrt(d) * at[overlap], "semantic_at": reached_at(rows, 0),
             "positional_at": reached_at(rows, 1), **ends(rows[-1])}]


def batch_run(results, alpha, d, seed):
    rows = one_run(results, d, seed, evenly(SEEN, BETWEEN), "--rate", BATCH_RATE, "--alpha", alpha)
    return [{"alpha": alpha, "d": d, "seed": seed, "semantic_at": reached_at(rows, 0), "positional_at": reached_at(rows, 1),
             **ends(rows[-1]), "et": rows[-1]["et"], "gradient": rows[-1]["gradient"]}]


def make_runs(results, kind, sizes=None):
    """Makes the runs of a kind that are not stored; gives all."""
    cases = {"start": [None], "search": list(SEARCHES), "batch": list(ALPHAS)}[kind]
    key = {"start": None, "search": "lambda", "batch": "alpha"}[kind]
    have = {(row[key] if key else None, row["d"], row["seed"]) for row in stored_rows(results, kind)}
    for d, runs in results.pick(RUNS, QUICK)[kind].items():
        if sizes and d not in sizes:
            continue
        for case in cases:
            for seed in range(1, runs + 1):
                if (case, d, seed) in have:
                    continue
                given = [d, seed] if case is None else [case, d, seed]
                add_rows(results, kind, {"start": start_run, "search": search_run, "batch": batch_run}[kind](results, *given))
    return stored_rows(results, kind)


def theory(results, times, penalty, *flags):
    return dynamics(results, times, "--rate", ONLINE_RATE, "--lambda", penalty, "--points", results.pick(2048, 128), "--shifts", results.pick(4, 2),
                    *flags)


def mean_of(values):
    mean = sum(values) / len(values)
    if len(values) < 2:
        return mean, math.nan
    return mean, math.sqrt(sum((x - mean)**2 for x in values) / (len(values) - 1) / len(values))


def compare_start(results, rows):
    """Means over runs beside theory for each d, and the spread of single runs, with its power of d."""
    lines = {row["time"]: row for row in theory(results, ",".join(map(str, START_TIMES)), 0, *START)}
    sizes = sorted({row["d"] for row in rows})
    table, spread = [], []
    for d in sizes:
        off = []
        entry = {"d": d, "runs": len({row["seed"] for row in rows if row["d"] == d})}
        for name in ("q", "theta", "m"):
            deviations, squares = [], []
            for time in START_TIMES:
                values = [row[name] for row in rows if row["d"] == d and row["time"] == time]
                mean, error = mean_of(values)
                expected = lines[time]
                error = math.hypot(error, expected[name + "_sem"])
                off.append((mean - expected[name]) / error)
                deviations.append(mean - expected[name])
                squares.append(root_mean_square([x - expected[name] for x in values]))
            entry[name] = root_mean_square(deviations)
            entry["single " + name] = root_mean_square(squares)
        entry["within"] = f"{sum(abs(x) <= 3 for x in off)} of {len(off)}"
        entry["rms"] = root_mean_square(off)
        table.append(entry)
    for name in ("q", "theta", "m"):
        xs, ys = [math.log(e["d"]) for e in table], [math.log(e["single " + name]) for e in table]
        x0, y0 = sum(xs) / len(xs), sum(ys) / len(ys)
        spread.append({"overlap": name, "power": sum((x - x0) * (y - y0) for x, y in zip(xs, ys)) / sum((x - x0)**2 for x in xs)})
    return table, spread, lines


def median(values):
    ordered = sorted(values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def predicted(results, penalty, sizes):
    """Of random starts: the growth rate, sqrt(d) times the spread of the overlap at the early time, quartiles of the time for each d.

    Kicks of samples in the search make a start look like one with another cosine: a = |z| A / sqrt(d), z standard normal.
    """
    overlap, last, between, early = SEARCHES[penalty]
    linear = theory(results, f"0,{early / 2},{early}", penalty)
    tiny = 1e-5
    grown = theory(results, f"0,{early}", penalty, f"--start-{overlap}", tiny)[-1][overlap] / tiny
    factor = linear[-1]["spread_" + overlap] / abs(grown)
    times = {}
    for d in sizes:
        times[d] = [reached_at(theory(results, evenly(last, between / 2), penalty, f"--start-{overlap}", min(0.9, z * factor / math.sqrt(d))),
                               0 if overlap == "theta" else 1) for z in QUARTILES]
    return {"rate": linear[-1]["growth_" + overlap], "early": linear[1]["spread_" + overlap], "factor": factor, "times": times}


def compare_search(results, rows):
    table, rates = [], []
    for penalty, (overlap, _, _, _) in SEARCHES.items():
        sizes = sorted({row["d"] for row in rows if row["lambda"] == penalty})
        expected = predicted(results, penalty, sizes)
        mine = "semantic_at" if overlap == "theta" else "positional_at"
        rates.append({"lambda": penalty, "overlap": overlap, "rate": expected["rate"], "factor": expected["factor"]})
        for d in sizes:
            chosen = [row for row in rows if row["d"] == d and row["lambda"] == penalty]
            times = sorted(row[mine] for row in chosen)
            n = len(times)
            # Ranks n/2 -+ sqrt(n)/2: one standard error of a median, for any distribution.
            low, high = times[max(0, math.floor(n / 2 - math.sqrt(n) / 2))], times[min(n - 1, math.floor(n / 2 + math.sqrt(n) / 2))]
            semantic = [row for row in chosen if cosines(row)[0] > cosines(row)[1]]
            first, middle, third = expected["times"][d][2], expected["times"][d][1], expected["times"][d][0]
            share = sum(first <= t <= third for t in times) / n
            early_size = root_mean_square([row["early"] for row in chosen])
            table.append({"lambda": penalty, "d": d, "runs": n, "early": f"{early_size:.3f} +- {early_size / math.sqrt(2 * n):.3f}",
                          "early_theory": expected["early"], "median": median(times), "interval": f"{low:.1f} to {high:.1f}", "theory": middle,
                          "quartiles": f"{share:.2f} +- {math.sqrt(0.25 / n):.2f}",
                          "semantic": share_text(len(semantic), n), "reached": f"{sum(math.isfinite(t) for t in times)} of {n}"})
    return table, rates


def share_text(count, n):
    """A fraction with the half-width of Wilson's interval of one standard error."""
    return f"{count / n:.2f} +- {math.sqrt(count * (n - count) / n + 0.25) / (n + 1):.2f}"


def compare_batch(results, rows):
    branches = {row["alpha"]: {} for row in rows}
    for row in numbers(results.run("dotattn", *PROBLEM, "--lambda", "0.01", "--alpha", ",".join(map(str, ALPHAS)), "--accuracy", "1e-2", "--progress", "none")[0]):
        branches[row["alpha"]][row["branch"]] = row["et"]
    table = []
    for alpha in ALPHAS:
        for d in sorted({row["d"] for row in rows}):
            chosen = [row for row in rows if row["alpha"] == alpha and row["d"] == d]
            if not chosen:
                continue
            n, near = len(chosen), [cosines(row) for row in chosen]
            counts = [sum(pair[k] >= REACHED and pair[k] == max(pair) for pair in near) for k in (0, 1)]
            early = [[row[key] for row in chosen if math.isfinite(row[key])] for key in ("semantic_at", "positional_at")]
            entry = {"alpha": alpha, "d": d, "runs": n, "semantic": share_text(counts[0], n), "positional": share_text(counts[1], n),
                     "semantic_at": f"{median(early[0]):.0f}" if early[0] else "none", "positional_at": f"{median(early[1]):.0f}" if early[1] else "none",
                     "et_theory": min(branches[alpha].values()), "gradient": max(row["gradient"] for row in chosen)}
            for key, values in (("teacher", [c[0] for c in near]), ("code", [c[1] for c in near]), ("et", [row["et"] for row in chosen])):
                mean, error = mean_of(values)
                entry[key] = f"{mean:.5f} +- {error:.5f}" if key == "et" else f"{mean:.3f} +- {error:.3f}"
            table.append(entry)
    return table


def draw(results, rows, lines, searches):
    """theta and m against time, theory and means of the largest d with four runs or more; medians against d."""
    d = max(d for d, runs in results.pick(RUNS, QUICK)["start"].items() if runs >= 4)
    means = [{"time": t, **{n + e: v for n in ("q", "theta", "m") for e, v in zip(("", "_sem"), mean_of(
        [r[n] for r in rows if r["d"] == d and r["time"] == t]))}} for t in START_TIMES]
    names = ["time", "q", "q_sem", "theta", "theta_sem", "m", "m_sem"]
    fine = theory(results, evenly(START_TIMES[-1], 1), 0, *START)
    results.write_csv("dotattn_dynamics_theory.csv", names, fine, [f"online, rate {ONLINE_RATE}, lambda 0, from cosines 0.1 and 0.3"])
    results.write_csv("dotattn_dynamics_means.csv", names, means, [f"means of runs in {d} dimensions"])
    results.write_csv("dotattn_dynamics_medians.csv", ["lambda", "d", "runs", "median", "theory"], searches)
    body = ("set multiplot layout 2,1\nset key outside right\nset xlabel 'samples per dimension t'\nset ylabel 'overlaps'\nplot "
            + ", \\\n  ".join(f"'dotattn_dynamics_theory.csv' using 'time':'{n}' with lines ls {k} title '{shown}', "
                              f"'dotattn_dynamics_means.csv' using 'time':'{n}':'{n}_sem' with yerrorbars ls {k} notitle"
                              for k, (n, shown) in enumerate((("theta", "{/Symbol q}"), ("m", "m"), ("q", "q")), 1))
            + "\nset logscale x\nset xlabel 'dimensions d'\nset ylabel 'median time of the search'\n"
            + f"set xrange [{min(row['d'] for row in searches) / 2}:{2 * max(row['d'] for row in searches)}]\nplot "
            + ", \\\n  ".join(f"'dotattn_dynamics_medians.csv' using 'd':(abs(column('lambda') - {p}) < 1e-9 ? column('theory') : NaN) with lines ls {k} "
                              f"title 'theory, {{/Symbol l}} = {p:g}', 'dotattn_dynamics_medians.csv' using 'd':(abs(column('lambda') - {p}) < 1e-9 ? "
                              f"column('median') : NaN) with points ls {k} notitle" for k, p in enumerate(SEARCHES, 1))
            + "\nunset multiplot\nunset logscale\nset xrange [*:*]\n")
    results.picture("dotattn_dynamics", body, "860,800")


def dotattn_dynamics(results):
    starts, searches, batches = (make_runs(results, kind) for kind in ("start", "search", "batch"))
    table, spread, lines = compare_start(results, starts)
    report = (f"Online descent at rate {ONLINE_RATE}, lambda = 0, from the cosines 0.1 with Q* and 0.3 with the code, at t = "
              f"{', '.join(map(str, START_TIMES))}: root mean square over these times of the mean's deviation from theory, and of that of single runs; numbers "
              "within 3 standard errors, and the root mean square of their distances:\n\n")
    report += markdown({"d": "d", "runs": "runs", "q": "q", "theta": "theta", "m": "m", "single: q": "single q", "theta ": "single theta", "m ": "single m",
                        "within": "within", "rms": "rms"}, table, {"d": "{:g}", "rms": "{:.2f}", **{k + n: "{:.5f}" for k in ("", "single ") for n in (
                            "q", "theta", "m")}})
    report += "\nPowers of d of the spread of single runs (theory: -0.5): " + ", ".join(f"{e['overlap']} {e['power']:.2f}" for e in spread) + ".\n"
    found, rates = compare_search(results, searches)
    for entry in rates:
        report += (f"\n- lambda = {entry['lambda']:g}: {entry['overlap']} grows at the rate {entry['rate']:.4f} per unit of t at t = {SEARCHES[entry['lambda']][3]}; "
                   f"its start counts as one with the cosine {entry['factor']:.3f} |z| / sqrt(d)")
    report += ("\n\nRandom starts. `early`: sqrt(d) times the root mean square of this overlap at half that time; median of the time at which its cosine is "
               f"{REACHED} (theory: z at its median), with the interval of one standard error; share of runs between theory's quartiles (1/2); share of "
               "runs that end nearer to the teacher:\n\n")
    report += markdown({"lambda": "lambda", "d": "d", "runs": "runs", "early": "early", "theory": "early_theory", "median": "median", "one error": "interval",
                        "theory ": "theory", "quartiles": "quartiles", "semantic": "semantic", "there": "reached"}, found,
                       {"lambda": "{:g}", "d": "{:g}", "early_theory": "{:.3f}", "median": "{:.1f}", "theory": "{:.1f}"})
    report += (f"\nAll samples in each step, rate {BATCH_RATE}, lambda = 0.01, to t = {SEEN}: share of random starts that end on a branch, with a cosine of at "
               f"least {REACHED}; median time of those that ever have it; mean cosines with teacher and code at the end; training loss beside theory's lowest:\n\n")
    report += markdown({"alpha": "alpha", "d": "d", "runs": "runs", "semantic": "semantic", "t": "semantic_at", "positional": "positional", "t ": "positional_at",
                        "cosine, teacher": "teacher", "cosine, code": "code", "e_t": "et", "theory": "et_theory", "largest gradient": "gradient"},
                       compare_batch(results, batches), {"alpha": "{:g}", "d": "{:g}", "gradient": "{:.0e}", "et_theory": "{:.5f}"})
    results.fill("dotattn_dynamics", report)
    draw(results, starts, lines, found)
