# SPDX-License-Identifier: MIT
"""The part dotattn_positional of results.py: stored descents in d dimensions against the theory of many, extrapolated in 1/d."""
import math

from results_common import markdown, mean_and_error, numbers, stored_runs

WHAT = {"order": "m or theta", "q": "q", "eg": "e_g", "et": "e_t"}


def code_loss(q, m):
    """E |S code|^2 / 2 for S = softmax(w w^T), w = m (1, -1) + sqrt(q) z, z normal: what the code in the values adds to d times the loss."""
    step, total, weight = 0.2, 0.0, 0.0
    grid = [step * k for k in range(-30, 31)]
    for z1 in grid:
        for z2 in grid:
            w1, w2, p = m + math.sqrt(q) * z1, -m + math.sqrt(q) * z2, math.exp(-(z1 * z1 + z2 * z2) / 2)
            first, second = math.tanh(w1 * (w1 - w2) / 2), math.tanh(w2 * (w2 - w1) / 2)  # 2 S_11 - 1, 2 S_22 - 1
            total, weight = total + p * (first**2 + second**2) / 2, weight + p
    return total / weight


def theory_of(results, alphas):
    """{(branch, alpha): numbers}; the order parameter of a branch is called order."""
    text, _ = results.run("dotattn", "--omega", 0.3, "--sigma", 0.5, "--lambda", 0.01, "--alpha", ",".join(map(str, alphas)), "--accuracy",
                          results.pick("1e-4", "1e-3"))
    return {(r["branch"], r["alpha"]): {**r, "order": r["theta" if r["branch"] == "semantic" else "m"], "code": code_loss(r["q"], r["m"])}
            for r in numbers(text)}


def line(points):
    """(a, its error, b, chi^2) of y = a + b / d through (d, y, error), weighted least squares."""
    s = sx = sxx = sy = sxy = 0.0
    for d, y, error in points:
        w, x = 1 / error**2, 1 / d
        s, sx, sxx, sy, sxy = s + w, sx + w * x, sxx + w * x * x, sy + w * y, sxy + w * x * y
    det = s * sxx - sx * sx
    a, b = (sxx * sy - sx * sxy) / det, (s * sxy - sx * sy) / det
    return a, math.sqrt(sxx / det), b, sum(((y - a - b / d) / error)**2 for d, y, error in points)


def deviations(group, theory):
    """{d: (mean, standard error)} of number / theory - 1 for each number, in per cent."""
    found = {}
    for d in sorted({r["d"] for r in group}):
        runs = [r for r in group if r["d"] == d and r["stays"]]
        if len(runs) > 2:
            # Of e_t with S at w instead of x: the term is half a per cent of it at 250 dimensions.
            extra = {"eg": theory["code"] / d, "et": theory["alpha"] * theory["code"] / d}
            found[d] = {what: mean_and_error([100 * ((r[what] - extra.get(what, 0)) / theory[what] - 1) for r in runs]) for what in WHAT}
    return found


def extrapolated(groups, theories):
    table = []
    for (start, scale, alpha, restarts, size), group in groups.items():
        if restarts == 0 or size != 0.3:
            continue
        found = deviations(group, theories[start, alpha])
        if len(found) < 2:
            continue
        for what, shown in WHAT.items():
            row = {"start": start, "scale": scale if isinstance(scale, str) else f"{scale:g}", "alpha": alpha,
                   "what": {"order": "theta" if start == "semantic" else "m"}.get(what, shown)}
            for d, values in found.items():
                row[f"d = {d:g}"] = "{:+.2f} +- {:.2f}".format(*values[what])
            a, error, b, chi = line([(d, *values[what]) for d, values in found.items()])
            row.update({"limit": f"{a:+.2f} +- {error:.2f}", "slope": f"{b:+.0f}", "chi": f"{chi:.1f} ({len(found) - 2})", "off": a / error})
            table.append(row)
    return table


def lowest_of_all(groups, start):
    """{alpha: runs}: of each teacher and data set the lowest minimum on the branch, whatever the start and the perturbation."""
    best = {}
    for (name, _, alpha, restarts, _), group in groups.items():
        if name != start or restarts == 0:
            continue
        for r in group:
            place = (alpha, r["d"], r["seed"])
            if r["stays"] and (place not in best or r["et"] < best[place]["et"]):
                best[place] = r
    return {alpha: [r for (a, _, _), r in best.items() if a == alpha] for alpha in sorted({place[0] for place in best})}


def unlike_minima(groups):
    """How far overlaps of minima of one teacher and data set differ whose e_t agree to a part in a thousand: the largest differences."""
    minima = {}
    for (start, _, alpha, _, _), group in groups.items():
        for r in group:
            if start == "positional" and r["stays"]:
                minima.setdefault((alpha, r["d"], r["seed"]), []).append(r)
    most = {"order": 0.0, "q": 0.0}
    for runs in minima.values():
        best = min(runs, key=lambda r: r["et"])
        for r in runs:
            if r["et"] < best["et"] * 1.001:
                most = {what: max(most[what], abs(r[what] / best[what] - 1)) for what in most}
    return (f"Minima of one teacher and data set whose e_t agree to 0.1 per cent differ by up to {100 * most['order']:.1f} per cent in m and "
            f"{100 * most['q']:.1f} in q.\n")


def restarted(groups):
    """What restarts find below the first minimum."""
    table = []
    for (start, scale, alpha, restarts, size), group in groups.items():
        if restarts == 0:
            continue
        first = {(r["d"], r["seed"]): r for r in groups.get((start, 1.0, alpha, 0.0, 0.3), [])}
        for d in sorted({r["d"] for r in group}):
            pairs = [(r, first[d, r["seed"]]) for r in group if r["d"] == d and (d, r["seed"]) in first]
            if not pairs:
                continue
            gains = [1 - r["et"] / f["et"] for r, f in pairs]
            table.append({"start": start, "scale": scale if isinstance(scale, str) else f"{scale:g}", "alpha": alpha, "size": size, "d": d,
                          "runs": len(pairs), "same": sum(abs(g) < 1e-5 for g in gains), "lower": sum(g >= 1e-5 for g in gains),
                          "higher": sum(g <= -1e-5 for g in gains), "most": f"{100 * max(gains):.4f}",
                          "left": sum(r["semantic"] != f["semantic"] for r, f in pairs)})
    return table


def dotattn_positional(results):
    groups = {}
    for r in stored_runs(results, "dotattn-runs.csv", "results_positional.py") or ():
        r["order"] = abs(r["theta" if r["start"] == "semantic" else "m"])
        # A perturbed descent may end on the other branch.
        r["stays"] = (r["semantic"] == 1) == (r["start"] == "semantic")
        groups.setdefault((r["start"], r["scale"], r["alpha"], r["restarts"], r["perturbation"]), []).append(r)
    if not groups:
        return None
    alphas = sorted({key[2] for key in groups})
    shown = {key: group for key, group in groups.items() if key[0] == "semantic"}
    for alpha, runs in lowest_of_all(groups, "positional").items():
        shown["positional", "lowest", alpha, 5.0, 0.3] = runs
    shown.update({key: group for key, group in groups.items() if key[0] != "semantic"})
    table = extrapolated(shown, theory_of(results, alphas))
    sizes = sorted({r["d"] for group in groups.values() for r in group})
    headings = {key: key for key in ("start", "scale", "alpha")}
    headings["number"] = "what"
    headings.update({f"d = {d:g}": f"d = {d:g}" for d in sizes if any(f"d = {d:g}" in row for row in table)})
    table = [{**dict.fromkeys(headings.values(), ""), **row} for row in table]
    headings.update({"d to infinity": "limit", "slope": "slope", "chi^2 (degrees)": "chi"})
    text = ("Deviation from theory in per cent, mean and standard error over runs that stay on their branch; the limit and the slope are those "
            "of a straight line in 1/d. Losses are less |S code|^2 / 2d (theory.md, section 14). `lowest` has the lowest minimum of each teacher and "
            "data set over all starts and perturbations:\n\n") + markdown(headings, table, {})
    inside = sum(abs(r["off"]) <= 3 for r in table)
    text += f"\n{inside} of {len(table)} limits are within 3 standard errors of theory.\n\nMinima after 5 restarts beside the first minimum of the same run:\n\n"
    text += markdown({"start": "start", "scale": "scale", "alpha": "alpha", "perturbation": "size", "d": "d", "runs": "runs",
                      "the same e_t": "same", "lower": "lower", "higher": "higher", "largest gain, per cent": "most", "on the other branch": "left"},
                     restarted(groups), {"d": "{:g}", "size": "{:g}"})
    text += "\n" + unlike_minima(groups)
    results.fill("dotattn_positional", text)
    return sum(r["seconds"] for group in groups.values() for r in group)
