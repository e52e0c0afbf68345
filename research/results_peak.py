# SPDX-License-Identifier: MIT
"""The part peak of results.py: the interpolation peak of factored attention for several penalties, V known and learned, beside theory."""
import csv
import os

from results_common import markdown, mean_and_error, table_rows
from results_peak_runs import COUNTS, DISTANCES, EPOCHS, KINDS, MODELS, PENALTIES, SITES, TRAINING, runs, sample, stored

# Theory: V known, the first J and U and the largest penalty. Averages of so many points and shifts; realisations of its model at L sites.
THEORY_DISTANCE = "0.9"
THEORY_MODELS, THEORY_PENALTY, POINTS, SHIFTS, MOST_THEORY, REALISATIONS = (1, 2, 3), "1e-6", 512, 2, 28, 40
INPUTS = ("normal", "cavity")
THEORY_KEY = ("distance", "model", "inputs", "penalty", "samples")
THEORY_COLUMNS = THEORY_KEY + ("test_loss", "train_loss", "quadrature", "outcome", "test_drawn", "test_drawn_sem", "train_drawn")


def read_data(results, np):
    """Sequences [n, L], V [q, q] and beta J [L, L] of data.h5 and truth.h5."""
    text, _ = results.run("convert", "data.h5", "-")
    sequences = np.array([[int(x) for x in line.split()] for line in text.splitlines()])
    maps, values, beta = results.model("truth.h5")
    colors = 1 + max(a for _, a, _ in values)
    v = np.array([[values[0, a, b] for b in range(colors)] for a in range(colors)])
    couplings = np.array([[beta * maps.get((0, i, j), 0.0) for j in range(SITES)] for i in range(SITES)])
    return sequences, v, couplings


def color_covariance(np, sequences, v):
    """K: the covariance of V(a, s_j) over sequences, a mean over sites j."""
    total = 0
    for j in range(SITES):
        fields = v[:, sequences[:, j]]
        fields = fields - fields.mean(1, keepdims=True)
        total = total + fields @ fields.T / fields.shape[1]
    return total / SITES


def site_covariance(np, sequences, v, site=None):
    """S [L, L]: the covariance of V(a, s_j) less its mean over a, a mean over colours a; of all sequences, or given the colour of a site."""
    fields = (v - v.mean(0))[:, sequences].transpose(1, 2, 0)  # [n, L, q]
    fields = fields - fields.mean(0)
    scale = np.einsum("nja,nja->", fields, fields) / SITES
    if site is not None:
        classes = sequences[:, site]
        for c in np.unique(classes):
            rows = classes == c
            fields[rows] -= fields[rows].mean(0)
        # Each class takes one degree of freedom.
        scale *= 1 - len(np.unique(classes)) / len(sequences)
    return np.einsum("nja,nka->jk", fields, fields) / scale


def mean_spectrum(np, sequences, v, couplings, given):
    """Eigenvalues and projections of the teacher, means over masked sites of the sorted ones."""
    whole = site_covariance(np, sequences, v)
    values, projections = 0, 0
    for i in range(SITES):
        others = [j for j in range(SITES) if j != i]
        s = (site_covariance(np, sequences, v, i) if given else whole)[np.ix_(others, others)]
        e, u = np.linalg.eigh(s)
        values, projections = values + e / SITES, projections + (u.T @ couplings[i, others])**2 / SITES
    return np.maximum(values, 1e-9), projections


def theory_files(results, np, distance, model, tests):
    """Writes what the theory takes of the test sequences."""
    sample(results, distance, model)
    sequences, v, couplings = read_data(results, np)
    sequences = sequences[TRAINING:TRAINING + tests]
    np.savetxt("colors.txt", color_covariance(np, sequences, v))
    for inputs in INPUTS:
        values, projections = mean_spectrum(np, sequences, v, couplings, inputs == "cavity")
        np.savetxt(f"covariance-{inputs}.txt", np.diag(values))
        np.savetxt(f"teacher-{inputs}.txt", np.sqrt(projections))


def stored_theory(results):
    path = os.path.join(results.folder, "peak_theory.csv")
    if not os.path.exists(path):
        with open(path, "w") as file:
            file.write("# replica theory, V known, with the measured covariances; empty where its equations were not solved; drawn: its model, "
                       f"{REALISATIONS} realisations at L = {SITES}\n" +
                       ",".join(THEORY_COLUMNS) + "\n")
    with open(path) as file:
        return {tuple(row[k] for k in THEORY_KEY): row for row in csv.DictReader(line for line in file if not line.startswith("#"))}


def theory_row(results, inputs, penalty, samples):
    text, _ = results.run("replica", "--loss", "potts", "--covariance", f"covariance-{inputs}.txt", "--teacher", f"teacher-{inputs}.txt",
                          "--color-covariance", "colors.txt", "--inputs", inputs, "--alpha", samples / (SITES - 1), "--lambda",
                          2 * samples * SITES * float(penalty) / (SITES - 1), "--points", results.pick(POINTS, 64),
                          "--shifts", SHIFTS, "--simulate", results.pick(REALISATIONS, 2),
                          "--details", good=(0, 3))
    row = table_rows(text)[0]
    solved = row["outcome"] == "converged"
    return {"test_loss": row["eg"] if solved else "", "train_loss": row["et"] if solved else "", "quadrature": row["quadrature"],
            "outcome": row["outcome"], "test_drawn": row["eg_sim"], "test_drawn_sem": row["eg_sim_sem"], "train_drawn": row["et_sim"]}


def theory(results, distance, model):
    """Makes the missing rows of one J and U, around the peak of V known."""
    try:
        import numpy
    except ImportError:
        print("peak: no theory, as NumPy is not there (Debian: python3-numpy)")
        return
    done = stored_theory(results)
    missing = [(inputs, THEORY_PENALTY, m) for m in COUNTS for inputs in INPUTS
               if m <= results.pick(MOST_THEORY, COUNTS[0]) and (distance, str(model), inputs, THEORY_PENALTY, str(m)) not in done]
    if not missing:
        return
    theory_files(results, numpy, distance, model, 2000)
    for inputs, penalty, samples in missing:
        row = {"distance": distance, "model": model, "inputs": inputs, "penalty": penalty, "samples": samples,
               **theory_row(results, inputs, penalty, samples)}
        with open(os.path.join(results.folder, "peak_theory.csv"), "a") as file:
            file.write(",".join(str(row[c]) for c in THEORY_COLUMNS) + "\n")


# --- table and picture --------------------------------------------------------------------------------------------------------------------

def models_of(rows):
    return sorted({r["model"] for r in rows}, key=int)


def over_models(rows, column):
    """Mean over J with its standard error: each J has one data set, so that rows of one J are not independent and are never averaged."""
    values = [float(r[column]) for r in rows if r[column]]
    if len(values) < 2:
        return (values[0], float("nan")) if values else (float("nan"), float("nan"))
    return mean_and_error(values)


def summary(done, theories):
    rows = []
    for distance in DISTANCES:
        # J and U with fewer runs than the others are not finished.
        finished = {m: sum(r["distance"] == distance and r["model"] == m for r in done) for m in models_of(done)}
        complete = [m for m, number in finished.items() if number == max(finished.values())]
        for kind in KINDS:
            for penalty in PENALTIES:
                for samples in COUNTS:
                    mine = [r for r in done if r["model"] in complete and (r["distance"], r["values"], r["penalty"], r["samples"]) ==
                            (distance, kind, penalty, str(samples))]
                    if not mine:
                        continue
                    row = {"distance": distance, "values": kind, "penalty": penalty, "samples": samples, "alpha": samples / (SITES - 1),
                           "models": len(mine), "unfinished": sum(r["outcome"] != "converged" for r in mine)}
                    for what in ("test_loss", "train_loss", "optimal_loss"):
                        row[what], row[what + "_sem"] = over_models(mine, what)
                    for inputs in INPUTS:
                        own = [t for t in theories if (t["distance"], t["inputs"], t["penalty"], t["samples"]) ==
                               (distance, inputs, penalty, str(samples)) and kind == "fixed"]
                        row["theory_" + inputs], row["theory_models"] = over_models(own, "test_loss")[0], len(own)
                        row["drawn_" + inputs] = over_models(own, "test_drawn")[0]
                    rows.append(row)
    return rows


def wide(rows, distance):
    """A row for each M, with the losses of all penalties and of V known and learned."""
    table = []
    for samples in COUNTS:
        row = {"samples": samples, "alpha": f"{samples / (SITES - 1):.2f}"}
        for kind in KINDS:
            for penalty in PENALTIES:
                found = [r for r in rows if (r["distance"], r["values"], r["penalty"], r["samples"]) == (distance, kind, penalty, samples)]
                for r in found:
                    error = f" +- {r['test_loss_sem']:.2f}" if r["models"] > 1 else ""
                    row[f"{kind} {penalty}"] = f"{r['test_loss']:.2f}{error}" + ("*" if r["unfinished"] else "")
        for inputs in INPUTS:
            r = next((r for r in rows if (r["distance"], r["values"], r["penalty"], r["samples"]) ==
                      (distance, "fixed", THEORY_PENALTY, samples)), {})
            for what in ("theory", "drawn"):
                value = r.get(f"{what}_{inputs}", float("nan"))
                row[f"{what} {inputs}"] = "" if value != value else f"{value:.2f}"
        table.append(row)
    columns = {"M": "samples", "alpha": "alpha"}
    columns.update({f"V {'known' if k == 'fixed' else 'learned'}, {p}": f"{k} {p}" for k in KINDS for p in PENALTIES})
    if any(row["theory normal"] or row["drawn normal"] for row in table):
        columns.update({f"{'theory' if w == 'theory' else 'its model, L = 20'}, {i}": f"{w} {i}" for i in INPUTS for w in ("theory", "drawn")})
    return markdown(columns, [{c: row.get(c, "") for c in columns.values()} for row in table], {})


def draw(results, rows):
    plot, made = [], {(r["distance"], r["values"], r["penalty"]) for r in rows}
    for distance, shade in (("0.9", 1), ("0.3", 2)):
        for k, penalty in enumerate(PENALTIES):
            for kind in (kind for kind in KINDS if (distance, kind, penalty) in made):
                plot.append(f"'< grep -E \"^distance|^{distance},{kind},{penalty},\" peak.csv' using 'alpha':'test_loss' with linespoints "
                            f"lc rgb '{'#08306b' if shade == 1 else '#e6740b'}' dt {k + 1} pt {5 if kind == 'fixed' else 6} title "
                            f"'{distance}, {penalty}, V {'known' if kind == 'fixed' else 'learned'}'")
    results.picture("peak", """set title "Factored attention near its interpolation peak, L = q = 20, L-BFGS\\nmean Hamming distance, penalty, V"
set logscale xy
set xlabel 'sequences per parameter of a site, alpha = M / (L - 1)'
set ylabel 'test loss (nats per site)'
set key outside right top Left reverse samplen 3 font ',11'
plot """ + ", \\\n     ".join(plot) + "\n", "1100,560")


def peak(results):
    for distance in results.pick(DISTANCES, DISTANCES[:1]):
        for model in results.pick(MODELS, MODELS[:2]):
            runs(results, distance, model)
    for model in results.pick(THEORY_MODELS, THEORY_MODELS[:1]):
        theory(results, THEORY_DISTANCE, model)
    peak_table(results)
    return sum(float(row["seconds"]) for row in stored(results).values())


def peak_table(results):
    """From the finished runs alone."""
    rows = summary(list(stored(results).values()), list(stored_theory(results).values()))
    results.write_csv("peak.csv", list(rows[0]), rows, ["means over J and U, one data set each, with standard errors; theory: V known"])
    draw(results, rows)
    text = ""
    for distance in DISTANCES:
        mine = [r for r in rows if r["distance"] == distance]
        if mine:
            text += (f"Mean Hamming distance {distance}, {mine[0]['models']} J and U, optimal loss {mine[0]['optimal_loss']:.3f}. A star: not all "
                     f"runs converged in {EPOCHS} iterations.\n\n{wide(rows, distance)}\n")
    results.fill("peak", text)
