# SPDX-License-Identifier: MIT
"""Models that one can sample from: four families, six models

Dense couplings and factored attention (32 heads, fields), each by pseudo-likelihood, by maximum likelihood (Boltzmann learning with its
defaults, at most 400 steps, or 200 on DHFR and 100 on B1, where a step takes up to 64 sweeps) and as an autoregressive model, at the
default penalties on couplings of dense ones; factored ones have at most 400 iterations. The families are RF00162 (RNA, 107 sites), DHFR
(columns of DYR_ECOLI), 6acv and B1 beta-lactamases, weights at theta = 0.2.
Test sequences are at most 70 per cent identical to any training sequence (RF00162: 80), and 80 to each other. *log P*: per site of the test
sequences, in nats, with log Z by annealed importance sampling; autoregressive ones are exact. Weights of annealing on B1 (factored,
likelihood) are worth 9 of 1024 chains: that error is too small. *C_ij*: Pearson and slope of the covariances
of samples against those of the training set: 6 states of 2048 fresh chains after *burn-in* sweeps from random colours and from training
sequences, a twentieth of that apart; burn-in is 1000, or twice the sweeps after which the last verification of Boltzmann learning found its
starts forgotten, where that is more; the two starts of a good model agree. Autoregressive samples are exact. *P@L*: precision of the L best
of the pairs that count in [structures](structures.md). *Spearman*: energies of 1152 single and 1072 double mutants of 6acv with their
measured stabilities. Errors in brackets are over test sequences and log Z, of two halves of the chains, and over 200 bootstrap samples of
the mutants. The picture has sequences and random-start samples of dense models along the two principal components of the one-hot training
sequences.
"""
import csv
import itertools
import math
import os

import lab as tools
from selection import correlations
from structures import measured

FAMILIES = {"RF00162": (("RF00162.fasta",), "rna", 0.8), "6acv": (("structuredca", "6acv_A_29-94.fasta"), "protein", 0.7),
            "B1": (("structuredca", "B1-beta-lactamases_msa.fasta.gz"), "protein", 0.7), "DHFR": (("DHFR.a2m",), "protein", 0.7)}
STRUCTURES = {"6acv": "6acv", "B1": "B1 beta-lactamases"}
OBJECTIVES = ("pseudolikelihood", "likelihood", "autoregressive")
KINDS = ("dense", "factored")
CHAINS, READS, SWEEPS, BOOTSTRAPS = 2048, 6, 1000, 200
STEPS = {("B1", "likelihood"): 100, ("DHFR", "likelihood"): 200}  # else 400
SHOWN, PLANE = 120, ["family", "points", "number", "first", "second"]
COLUMNS = ["family", "kind", "objective", "outcome", "steps", "burn_in", "sites", "training", "test", "log_p", "log_p_error",
           "pearson_random", "slope_random", "pearson_natural", "slope_natural", "pearson_error", "slope_error", "precision", "single",
           "single_error", "double", "double_error", "seconds"]
AGREE = {"generation.csv": tools.Same(("family", "kind", "objective"), ("log_p", "pearson_random", "slope_random", "precision", "single"),
                                      tolerance=2e-3)}


def read(lab, family):
    """Training and test sequences, weighted."""
    names, alphabet, identity = FAMILIES[family]
    data = lab.potts.Alignment.read(lab.shared(*names), alphabet=alphabet, unknown="drop")
    if family == "DHFR":
        data = data.focus("DYR_ECOLI")
    training, test, _ = data.split(identity=identity, identity_test=0.8)
    for part in training, test:
        part.weigh(0.2)
    return training, test


def learn(potts, data, kind, objective, steps=400):
    """(model, outcome, steps, sweeps of burn-in, seconds of a processor)"""
    options = {"family": kind, "objective": objective, "epochs": steps}
    if kind == "factored":
        options.update(heads=32, fields=1)
        if objective == "pseudolikelihood":
            options["symmetrized"] = 1
        if objective != "likelihood":  # the automatic penalty of dense couplings, for a mean over sites and both copies of a pair
            options["l2_pairs"] = 0.1 / data.effective_count if objective == "pseudolikelihood" else 0.01 / data.sites
    trainer = potts.Trainer(data, **options)
    last = {}
    outcome, seconds = tools.timed(lambda: trainer.run(progress=last.update))
    mixing = last.get("mixing_sweeps", math.nan)
    model = trainer.model()
    if kind == "factored" and not model.is_ordered:
        model = model.gauge("zero_sum")  # dense: its sweeps cost less than those of 32 heads
    burn_in = 1 if model.is_ordered else max(SWEEPS, 0 if math.isnan(mixing) else int(2 * mixing))
    return model, outcome, trainer.epochs, burn_in, seconds


def log_p(potts, model, test):
    """Mean and standard error of log P of the test sequences per site."""
    log_z, log_z_error = 0.0, 0.0
    if not model.is_ordered:
        found = potts.estimate_log_z(model)
        log_z, log_z_error = found.log_z, found.log_z_error
    return dict(zip(("log_p", "log_p_error"), model.mean_log_p(test, log_z, log_z_error)))


def plane(data):
    """(mean [L q], the two principal directions [L q, 2]) of the weighted one-hot sequences."""
    import numpy as np
    x = one_hot(data.sequences, data.colors)
    weights = data.weights / data.weights.sum()
    m = weights @ x
    values, vectors = np.linalg.eigh(((x - m).T * weights) @ (x - m))
    directions = vectors[:, -1:-3:-1]
    return m, directions * np.sign(directions[np.argmax(abs(directions), axis=0), [0, 1]])  # the largest component is positive


def one_hot(sequences, colors):
    import numpy as np
    return np.eye(colors)[sequences].reshape(len(sequences), -1)


def points(lab, data, states, family, kind, objective):
    """Rows of generation_plane.csv: SHOWN samples, and as many sequences of the family drawn by their weights."""
    import numpy as np
    m, directions = plane(data)
    picked = np.random.default_rng(2).choice(len(data), SHOWN, p=data.weights / data.weights.sum())
    for name, sequences in ("family", data.sequences[picked]), (f"{kind}, {objective}", states[:SHOWN]):
        found = (one_hot(sequences, data.colors) - m) @ directions
        lab.complete("generation_plane.csv", PLANE[:3], PLANE, ((family, name, k) for k in range(SHOWN)),
                     lambda family, name, k: {"first": f"{found[k, 0]:.3f}", "second": f"{found[k, 1]:.3f}"})


def covariances(potts, model, data, burn_in):
    """(Pearson and slope of samples from both starts, their errors from the two halves of the chains; states from random starts)"""
    import numpy as np
    picked = np.random.default_rng(1).choice(len(data), CHAINS, p=data.weights / data.weights.sum())
    row, halves = {}, {"pearson": [], "slope": []}
    starts = {"random": None, "natural": np.ascontiguousarray(data.sequences[picked])}
    for seed, (name, start) in enumerate(starts.items(), 7):  # with one seed chains of both starts would meet
        chains = potts.Sampler(model, chains=CHAINS, seed=seed)
        chains.start(start)
        chains.sweep(burn_in)
        states = chains.sample(READS * CHAINS, thin=max(1, burn_in // 20)).sequences
        found = potts.compare_statistics(data, potts.Alignment(states, colors=model.colors))["covariances"]
        parts = [potts.compare_statistics(data, potts.Alignment(half.reshape(-1, data.sites), colors=model.colors))["covariances"]
                 for half in np.split(states.reshape(READS, CHAINS, -1), 2, axis=1)]
        for number in "pearson", "slope":
            row[f"{number}_{name}"] = found[number]
            halves[number].append(abs(parts[0][number] - parts[1][number]) / 2)
        if start is None:
            drawn = states
    return {**row, **{f"{number}_error": tools.root_mean_square(values) for number, values in halves.items()}}, drawn


def residues(program, lab, family):
    """Flags of the sequence of the structure: of 6acv the first of the family."""
    if family != "6acv":
        return ()
    with open(lab.shared(*FAMILIES[family][0])) as file, open(os.path.join(program.folder, "first.fasta"), "w") as first:
        first.writelines(itertools.islice(file, 2))
    return "--sequence", "first.fasta"


def effects(program, lab, path):
    """Spearman's correlations with the measured mutants of 6acv, and their standard deviations over bootstrap samples."""
    import numpy as np
    with open(lab.shared("structuredca", "6acv_A_29-94.csv")) as file:
        groups = tools.groups_of(csv.DictReader(file), "mutation")
    mutations = [(name, tools.mean([float(row["DDG"]) for row in group])) for (name,), group in groups.items()]
    with open(os.path.join(program.folder, "mutations.txt"), "w") as file:
        file.write("".join(f"{name}\n" for name, _ in mutations))
    program.run("mutants", path, lab.shared("structuredca", "6acv_A_29-94.fasta"), "--alphabet", "protein", "--mutations", "mutations.txt",
                "--csv", "mutants.csv")
    energies = [float(row["energy"]) for row in program.read("mutants.csv")[1]]
    found, generator, drawn = correlations(energies, mutations), np.random.default_rng(1), []
    for _ in range(BOOTSTRAPS):
        picked = generator.integers(0, len(energies), len(energies))
        drawn.append(correlations([energies[k] for k in picked], [mutations[k] for k in picked]))
    spread = {name: float(np.std([d[name] for d in drawn])) for name in found}
    return {"single": found["spearman"], "single_error": spread["spearman"], "double": found["doubles"], "double_error": spread["doubles"]}


def run(lab, program, family, kind, objective):
    training, test = read(lab, family)
    model, outcome, steps, burn_in, seconds = learn(lab.potts, training, kind, objective, STEPS.get((family, objective), 400))
    path = os.path.join(program.folder, "model.h5")
    model.write(path)
    of_samples, states = covariances(lab.potts, model, training, burn_in)
    points(lab, training, states, family, kind, objective)
    row = {"outcome": outcome, "steps": steps, "burn_in": burn_in, "sites": training.sites, "training": len(training), "test": len(test),
           "seconds": f"{seconds:.1f}", **log_p(lab.potts, model, test), **of_samples}
    if family in STRUCTURES:
        row["precision"] = measured(program, lab, STRUCTURES[family], *residues(program, lab, family), model=path)[0]["all"]
    if family == "6acv":
        row.update(effects(program, lab, path))
    return row


def compute(lab):
    if any(lab.shared(*names) is None for names, _, _ in FAMILIES.values()):
        print("generation: left out, a family is not in the data folder")
        return False
    program = tools.Program(lab)
    keys = lab.pick(itertools.product(FAMILIES, KINDS, OBJECTIVES), [("6acv", "dense", "autoregressive")])
    lab.complete("generation.csv", ("family", "kind", "objective"), COLUMNS, keys, lambda *key: run(lab, program, *key))
    return True


# --- text ---------------------------------------------------------------------------------------------------------------------------------

def cell(row, column, error=None, digits=3):
    if row[column] != row[column]:
        return ""
    return f"{row[column]:.{digits}f}" + (f" ({row[error]:.{digits}f})" if error else "")


def report(lab):
    text = ""
    for (family,), rows in tools.groups_of(lab.rows("generation.csv"), "family").items():
        rows.sort(key=lambda r: (KINDS.index(r["kind"]), OBJECTIVES.index(r["objective"])))
        first = rows[0]
        text += f"\n{family}: {first['sites']:.0f} sites, {first['training']:.0f} training, {first['test']:.0f} test sequences\n\n"
        shown = [{"model": f"{r['kind']}, {r['objective']}", "end": f"{r['outcome']} ({r['steps']:.0f})",
                  "burn-in": r["burn_in"],
                  "log P": cell(r, "log_p", "log_p_error"),
                  "random": cell(r, "pearson_random", "pearson_error"), "its slope": cell(r, "slope_random", "slope_error"),
                  "natural": cell(r, "pearson_natural", "pearson_error"), "slope": cell(r, "slope_natural", "slope_error"),
                  "precision": cell(r, "precision"), "single": cell(r, "single", "single_error"),
                  "double": cell(r, "double", "double_error"), "seconds": r["seconds"]} for r in rows]
        columns = {"model": "model", "end (steps)": "end", "log P per site": "log P", "burn-in": "burn-in", "C_ij, random start": "random",
                   "slope": "its slope", "C_ij, natural start": "natural", "slope, natural": "slope"}
        if family in STRUCTURES:
            columns["P@L"] = "precision"
        if family == "6acv":
            columns.update({"Spearman, single": "single", "Spearman, double": "double"})
        text += tools.markdown({**columns, "seconds": "seconds"}, shown, {"seconds": "{:.0f}", "burn-in": "{:.0f}"})
    known = {(r["family"], r["kind"], r["objective"]) for r in lab.rows("generation.csv")}
    missing = [f"{f} ({', '.join(left)})" for f in FAMILIES
               if (left := [f"{k} {o}" for k in KINDS for o in OBJECTIVES if (f, k, o) not in known])]
    return text + (f"\nNot computed yet: {'; '.join(missing)}.\n" if missing else "")


def draw(lab):
    """Of each family a row: its sequences and samples of the dense models in the plane of its principal components."""
    found = tools.groups_of(lab.rows("generation_plane.csv"), "family", "points")
    families = [f for f in FAMILIES if (f, "family") in found]
    figure, axes = tools.figure(len(families), len(OBJECTIVES), (10, 3 * len(families)))
    for k, (family, objective) in enumerate(itertools.product(families, OBJECTIVES)):
        for name, label, color in ("family", "family", tools.COLORS[4]), (f"dense, {objective}", "samples", tools.COLORS[0]):
            rows = found.get((family, name), [])
            axes[k].plot([r["first"] for r in rows], [r["second"] for r in rows], "o", ms=2.5, alpha=0.6, color=color, label=label)
        axes[k].set_title(f"{family}, {objective}", fontsize=10)
    axes[0].legend(fontsize=8)
    return {"generation": figure}


def claims(lab):
    rows = {(r["family"], r["kind"], r["objective"]): r for r in lab.rows("generation.csv")}
    slopes = {family: [rows[family, "dense", o]["slope_random"] for o in OBJECTIVES if (family, "dense", o) in rows] for family in FAMILIES}
    texts = [f"{family} " + ", ".join(f"{s:.2f}" for s in found) for family, found in slopes.items() if len(found) == len(OBJECTIVES)]
    return [("more", "models by pseudo-likelihood generate sequences", "does not hold; use maximum likelihood or an autoregressive model",
             "slope of C_ij from random starts, dense, by pseudo-likelihood, likelihood, autoregressive: " + "; ".join(texts))]
