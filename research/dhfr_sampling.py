# SPDX-License-Identifier: MIT
"""Samples of a protein model: too cold, trapped, or biased?

Dense couplings of DHFR (columns of DYR_ECOLI, gap as a colour, weights at theta 0.2), with the default penalty on couplings, 31.6, and one that
is 30 times weaker, are sampled from natural and from random sequences: by replica exchange, 8 ladders from each start over betas from 0.3 to
1.5, and by 32 single chains; burn-in 1500 sweeps, then 60 states, 40 sweeps apart. If samples are trapped, the two starts disagree. If the
temperature is wrong, another beta has energies, distances and covariances of the data at once. If both fail, the model is biased. *C_ij*:
Pearson's correlation of the covariances of samples with those of the weighted data, *slope* that of the samples' on the data's; *both starts*:
the correlation of one start's samples with the other's, which shows their noise. Errors are over ladders or chains.
"""
import lab as tools

STARTS, PENALTIES = ("natural", "random"), {"default": 31.6, "weak": 1.0}
FULL = {"epochs": 400, "ladders": 8, "hot": 0.3, "coldest": 1.5, "step": 1.4, "chains": 32, "burn_in": 1500, "reads": 60, "thin": 40,
        "betas": (0.8, 1.0, 1.25)}
SMALL = {**FULL, "epochs": 5, "chains": 8, "burn_in": 20, "reads": 6, "thin": 2, "betas": (1.0,)}  # of --quick, which no page shows
SHOWN = (0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5)
COLUMNS = ["beta", *STARTS, "rhat", "overlap_rhat", "distance_natural", "distance_random", "f_i", "c_ij", "slope", "between",
           "mean_natural", "error_natural",
           "mean_random", "error_random", "spread"]
AGREE = {"dhfr_sampling_small.csv": tools.Same(("beta",), ("mean_natural", "mean_random", "rhat", "c_ij", "slope"), tolerance=1e-5)}


def family(lab):
    data = lab.potts.Alignment.read(lab.shared("DHFR.a2m"), alphabet="protein", unknown="drop").focus("DYR_ECOLI")
    data.weigh(0.2)
    return data


def learn(potts, data, penalty, epochs):
    trainer = potts.Trainer(data, family="dense", l2_couplings=penalty, epochs=epochs)
    trainer.run()
    return trainer.model()


def lay_ladder(potts, model, plan):
    """Betas from hot to 1 and on to the coldest, `step` of the energy's standard deviation times the difference of betas apart."""
    import numpy as np
    grid, spreads = np.linspace(plan["hot"], plan["coldest"], 13), []
    for beta in grid:
        chains = potts.Sampler(model, chains=16, beta=beta, seed=11)
        chains.sweep(plan["burn_in"] // 10)
        spreads.append(np.std(chains.sample(160, thin=5, energies=True).energies))
    length = np.concatenate([[0], np.cumsum(np.diff(grid) * (np.array(spreads[1:]) + spreads[:-1]) / 2)])
    at_one = np.interp(1, grid, length)
    parts = [np.linspace(a, b, int(np.ceil((b - a) / plan["step"])) + 1) for a, b in ((0, at_one), (at_one, length[-1]))]
    return np.interp(np.concatenate([parts[0], parts[1][1:]]), length, grid)


def exchange(potts, model, betas, start, plan, seed):
    """{rung: (states [reads, ladders, L], energies [reads, ladders])}."""
    import numpy as np
    ladders = potts.Sampler(model, chains=plan["ladders"], temperatures=len(betas), beta=betas[-1], seed=seed)
    ladders.betas = betas
    ladders.start(start)
    ladders.sweep(plan["burn_in"])
    found = {k: ([], []) for k in range(len(betas))}
    for _ in range(plan["reads"]):
        ladders.sweep(plan["thin"])
        for k, (states, energies) in found.items():
            states.append(ladders.states(k))
            energies.append(ladders.energies(k))
    return {k: (np.array(states), np.array(energies)) for k, (states, energies) in found.items()}


def single_chains(potts, model, beta, start, plan, seed):
    chains = potts.Sampler(model, chains=plan["chains"], beta=beta, seed=seed)
    chains.start(start)
    chains.sweep(plan["burn_in"])
    drawn = chains.sample(plan["chains"] * plan["reads"], thin=plan["thin"], energies=True)
    shape = plan["reads"], plan["chains"]
    return drawn.sequences.reshape(*shape, -1), drawn.energies.reshape(shape)


def measure(potts, data, runs, beta):
    """One row from the runs of both starts: {start: (states, energies)}."""
    import numpy as np
    row, flat = {"beta": f"{beta:.3g}"}, {start: np.ascontiguousarray(states.reshape(-1, states.shape[-1]))
                                          for start, (states, _) in runs.items()}
    for start, (_, energies) in runs.items():
        m, error = tools.mean_and_error(list(energies.mean(axis=0)))
        row.update({start: f"{m:.1f} +- {error:.1f}",
                    "distance_" + start: potts.hamming_histogram(np.ascontiguousarray(flat[start][::7]))[1],
                    "mean_" + start: m, "error_" + start: error})
    energies = np.concatenate([e for _, e in runs.values()], axis=1)
    pooled = np.ascontiguousarray(np.concatenate([s for s, _ in runs.values()], axis=1).reshape(-1, data.sites))
    found = potts.compare_statistics(data, potts.Alignment(pooled, colors=21))
    halves = [potts.Alignment(sequences, colors=21) for sequences in flat.values()]
    return {**row, "spread": energies.std(), "rhat": potts.split_rhat(np.ascontiguousarray(energies.T)),
            "overlap_rhat": potts.overlap_rhat(pooled, energies.shape[1]),
            "f_i": found["sites"]["pearson"], "c_ij": found["covariances"]["pearson"], "slope": found["covariances"]["slope"],
            "between": potts.compare_statistics(*halves)["covariances"]["pearson"]}


def of_chains(lab, data, model, starts, plan):
    return [measure(lab.potts, data, {s: single_chains(lab.potts, model, beta, starts[s], plan, 31 + k) for k, s in enumerate(STARTS)},
                    beta) for beta in plan["betas"]]


def compute(lab):
    import numpy as np
    if lab.shared("DHFR.a2m") is None:
        print("dhfr_sampling: left out, DHFR.a2m is not in the data folder")
        return False
    data, plan = family(lab), SMALL if lab.quick else FULL
    picked = np.random.default_rng(1).choice(len(data), plan["chains"], replace=False, p=data.weights / data.weights.sum())
    starts = {"natural": np.ascontiguousarray(data.sequences[picked]), "random": None}
    if lab.quick:
        model = learn(lab.potts, data, PENALTIES["default"], plan["epochs"])
        lab.write("dhfr_sampling_small.csv", of_chains(lab, data, model, starts, plan), ["the small version of --quick"], COLUMNS)
        return True
    for name, penalty in PENALTIES.items():
        model = learn(lab.potts, data, penalty, plan["epochs"])
        energies, weights = model.energies(data.sequences), data.weights / data.weights.sum()
        m = weights @ energies
        same = sum(np.sum(np.bincount(site, weights=weights, minlength=21)**2) for site in data.sequences.T)
        notes = [f"penalty {penalty:g}", f"natural sequences: mean energy {m:.4f}, standard deviation {np.sqrt(weights @ (energies - m)**2):.4f}, mean distance "
                 f"{1 - same / data.sites:.4f}"]
        betas = lay_ladder(lab.potts, model, plan)
        pairs = {s: exchange(lab.potts, model, betas, starts[s], plan, 21 + k) for k, s in enumerate(STARTS)}
        rungs = sorted({int(np.argmin(abs(betas - b))) for b in SHOWN})
        lab.write(f"dhfr_sampling_{name}.csv", [measure(lab.potts, data, {s: r[k] for s, r in pairs.items()}, betas[k]) for k in rungs],
                  ["replica exchange", *notes], COLUMNS)
        lab.write(f"dhfr_sampling_{name}_chains.csv", of_chains(lab, data, model, starts, plan), ["single chains", *notes], COLUMNS)
    return True


def report(lab):
    columns = {"beta": "beta", "energy, natural starts": "natural", "energy, random starts": "random", "R-hat of the energy": "rhat",
               "R-hat of overlaps": "overlap_rhat",
               "distance, natural starts": "distance_natural", "f_i": "f_i", "C_ij": "c_ij", "slope": "slope", "both starts": "between"}
    text = ("The model is biased. The samples are not trapped: at the default penalty ladders and single chains from both starts agree at every temperature. They are "
            "not too cold or too hot either: a colder model has the energy of the data, a hotter one their distance, and covariances are too weak at every beta.\n")
    for name, penalty in PENALTIES.items():
        with open(lab.path(f"dhfr_sampling_{name}.csv")) as file:
            natural = next(line for line in file if line.startswith("# natural")).strip("# \n")
        for end, kind in (("", "replica exchange"), ("_chains", "single chains")):
            text += f"\nPenalty {penalty:g}, {kind}; {natural}:\n\n" + tools.markdown(columns, lab.rows(f"dhfr_sampling_{name}{end}.csv"),
                                                                                     dict.fromkeys(list(columns.values())[3:], "{:.3f}"))
    return text


def claims(lab):
    row = next(r for r in lab.rows("dhfr_sampling_default.csv") if r["beta"] == 1)
    return [("more", "samples of a model of DHFR are those of the data",
             "does not hold: the model is biased; samples are neither trapped nor too cold",
             f"slope of C_ij {row['slope']:.2f}, R-hat of overlaps {row['overlap_rhat']:.3f} at beta = 1")]


def draw(lab):
    rows = lab.rows("dhfr_sampling_default.csv")
    figure, (ax,) = tools.figure(size=(7, 4.5))
    for column, label in (("c_ij", "C_ij: Pearson"), ("slope", "C_ij: slope"), ("distance_natural", "mean distance")):
        tools.curve(ax, rows, "beta", column, marker="o", ms=4, label=label)
    ax.set(xlabel="inverse temperature beta", ylabel="no unit", ylim=(0, 1.2))
    ax.legend()
    return {"dhfr_sampling": figure}
