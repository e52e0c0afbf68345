# SPDX-License-Identifier: MIT
"""The part `alignments` of results.py: pairs of sites from dense couplings and from heads, on alignments of the data folder."""
import csv
import os
import shutil


def rows_of(path):
    with open(path) as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def pairs_of(results, source, *flags):
    """Ranked (i, j, apc) of `contacts`."""
    results.run("contacts", source, *flags, "--csv", "pairs.csv", good=(0, 3))
    return [(int(r["i"]), int(r["j"]), float(r["apc"])) for r in rows_of("pairs.csv")]


def pearson(xs, ys):
    n = len(xs)
    mx, my = sum(xs) / n, sum(ys) / n
    xy = sum((x - mx) * (y - my) for x, y in zip(xs, ys))
    return xy / (sum((x - mx) ** 2 for x in xs) * sum((y - my) ** 2 for y in ys)) ** 0.5


def correlation(one, other, count):
    """Pearson's correlation of two rankings' scores over the best `count` pairs of the first."""
    scores = {(i, j): s for i, j, s in other}
    best = [(s, scores[i, j]) for i, j, s in one[:count]]
    return pearson([x for x, _ in best], [y for _, y in best])


def stems(pairs):
    """How many pairs have a neighbour (i + 1, j - 1) or (i - 1, j + 1) among them: base pairs come in such runs."""
    known = {(i, j) for i, j, _ in pairs}
    return sum((i + 1, j - 1) in known or (i - 1, j + 1) in known for i, j in known)


def statistics(results, data, samples, *flags):
    text, _ = results.run("compare", data, samples, *flags)
    return {r["statistic"]: r for r in csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))}


def chain(results, text):
    """The chain of 60 sites, dense and with one head."""
    shutil.copy(os.path.join(results.data, "potts3.a2m"), "potts3.a2m")
    text.append("| `potts3.a2m` | neighbours among the 59 best pairs | first other pair | weakest neighbour / strongest other |")
    text.append("|---|---|---|---|")
    for name, flags in (("dense couplings", ["--family", "dense"]), ("one head", ["--family", "factored", "--heads", 1])):
        pairs = pairs_of(results, "potts3.a2m", "--alphabet", "_*^", *flags, "--epochs", 500)
        sites = max(j for _, j, _ in pairs)
        neighbours = sum(j - i == 1 for i, j, _ in pairs[:sites - 1])
        first = next(k for k, (i, j, _) in enumerate(pairs) if j - i != 1)
        weakest = min(s for i, j, s in pairs if j - i == 1)
        text.append(f"| {name} | {neighbours} | rank {first + 1} | {weakest / pairs[first][2]:.2f} |")
    text.append("")


def rna(results, text):
    """A riboswitch: pairs in runs along antidiagonals are stems."""
    shutil.copy(os.path.join(results.data, "RF00162.fasta"), "RF00162.fasta")
    common = ["--alphabet", ".ACGU", "--theta", 0.2, "--min-separation", 4]
    results.run("contacts", "RF00162.fasta", *common, "--epochs", results.pick(300, 20), "--picture", "map", "--csv", "rna.csv", good=(0, 3))
    pairs = [(int(r["i"]), int(r["j"]), float(r["apc"])) for r in rows_of("rna.csv")]
    sites = 1 + max(j for _, j, _ in pairs) - min(i for i, _, _ in pairs)
    for name in ("contact_map.csv", "contact_pairs.csv", "contact_map.gp", "contact_map.svg", "contact_map.png"):
        if os.path.exists(os.path.join("map", name)):
            shutil.copy(os.path.join("map", name), os.path.join(results.folder, name))
    text.append(f"`RF00162.fasta`, {sites} columns, alphabet `.ACGU`, weights by `--theta 0.2`, separation of 4 or more:")
    text.append("")
    text.append("| best pairs | in runs (i, j), (i + 1, j - 1) | such runs in as many random pairs |")
    text.append("|---|---|---|")
    for count in (sites // 5, sites // 2, sites):
        # A random pair has two neighbours on its antidiagonal, each chosen with probability count / all.
        text.append(f"| {count} | {stems(pairs[:count])} | {count * 2 * count / len(pairs):.1f} |")
    text.append("")


def protein(results, text):
    """DHFR with the settings of plmc's example."""
    shutil.copy(os.path.join(results.data, "DHFR.a2m"), "DHFR.a2m")
    data = ["--alphabet", "protein", "--unknown", "drop", "--focus", "DYR_ECOLI", "--theta", 0.2]
    epochs, samples = results.pick((100, 5000), (3, 100))
    penalties = ["--gaps", "ignore", "--l2-couplings", 16, "--l2-fields", 0.01]
    models = {}
    text.append("`DHFR.a2m`, focus `DYR_ECOLI`, weights by `--theta 0.2`, gaps missing, "
                f"penalties 16 (couplings) and 0.01 (fields), at most {epochs} iterations (asymmetric: of each site):")
    text.append("")
    text.append("| training | epochs (asymmetric: sites) | outcome |")
    text.append("|---|---|---|")
    for name, flags in (("symmetric", ["--epochs", epochs]), ("asymmetric", ["--asymmetric", "--epochs", epochs])):
        file = name + ".h5"
        made, _, outcome = results.learn("DHFR.a2m", *data, *penalties, "--family", "dense", *flags, "-o", file)
        models[name] = pairs_of(results, file, "--min-separation", 6)
        text.append(f"| {name} | {made} | {outcome} |")
    sites = max(j for _, j, _ in models["symmetric"])
    text.append("")
    count = 2 * sites
    text.append(f"- correlation of scores, symmetric with asymmetric, in the {count} best pairs with a separation of 6 or more: "
                f"{correlation(models['symmetric'], models['asymmetric'], count):.4f}")
    best = ", ".join(f"{i}-{j}" for i, j, _ in models["symmetric"][:10])
    text.append(f"- the ten best pairs by residue numbers of DYR_ECOLI: {best}")
    results.run("sample", "--model", "symmetric.h5", "--protocol", "chain", "--chains", 500, "--burn-in", results.pick(200, 5), "--thin",
                results.pick(20, 1), "--samples", samples, "-o", "samples.h5")
    found = statistics(results, "DHFR.a2m", "samples.h5", *data)
    text.append(f"- statistics of {samples} samples against those of the weighted data: " + ", ".join(
        f"{name} Pearson {float(r['pearson']):.4f}, slope {float(r['slope']):.4f}" for name, r in found.items()))
    text.append("")


def alignments(results):
    text = []
    chain(results, text)
    rna(results, text)
    protein(results, text)
    results.fill("alignments", "\n".join(text))
