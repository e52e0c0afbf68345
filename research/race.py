# SPDX-License-Identifier: MIT
"""Boltzmann learning beside adabmDCA

adabmDCA 1.0.0 (L. Rosset et al., arXiv:2501.18456; PyPI, torch on the CPU) and `learn --family dense --objective likelihood` on the same
sequences and weights, two threads each. adabmDCA has its defaults, 10 000 chains, 10 sweeps, rate 0.01, target 0.95, with its Metropolis
or its Gibbs sampler; attopotts has the same settings (Gibbs, plain gradient), or its own defaults. adabmDCA is stopped after a limited
time. *own chains*: the Pearson correlation of C_ij that a program reads from the chains that it trains with, which is what adabmDCA stops
by. *equilibrium*: Pearson and slope of 4096 fresh chains of the final model after 1000 sweeps of attopotts, from random colours and from
natural sequences. Programs are compared by the seconds of processors, which a busy machine changes less than the time that passes; both
are in the tables. `ATP_ADABM=PYTHON research/run.py race --full` with a Python that has adabmDCA (`pip install adabmDCA==1.0.0`) makes the
tables anew; `ATP_RACE_SECONDS` is the limit of each of its runs, 600 by default.
"""
import functools
import itertools
import os
import subprocess
import tempfile
import time

import lab as tools

FAMILIES = {"RF00162": (("RF00162.fasta",), "rna"), "6acv": (("structuredca", "6acv_A_29-94.fasta"), "protein")}
PEERS = {"adabmDCA": "metropolis", "adabmDCA, Gibbs": "gibbs"}
EQUAL = {"optimizer": "sgd", "rate": 0.01, "schedule": "constant", "chains": 10000, "sweeps": 10, "random_chains": 0, "target": 1,
         "epochs": 4000}
OURS = {"attopotts": {"epochs": 400}, "attopotts, equal settings": EQUAL}
TARGET, CHAINS, SWEEPS = 0.95, 4096, 1000
STEPS = ["family", "program", "step", "pearson", "slope", "seconds", "cpu"]
COLUMNS = ["family", "program", "outcome", "steps", "seconds", "cpu", "pearson", "pearson_random", "slope_random", "pearson_natural",
           "slope_natural", "load"]
AGREE = {}


@functools.lru_cache(None)
def context(lab):
    return lab.potts.Context(threads=2)


def read(lab, family):
    """The sequences that both programs know, with weights."""
    names, alphabet = FAMILIES[family]
    data = lab.potts.Alignment.read(lab.shared(*names), alphabet=alphabet, unknown="drop", context=context(lab))
    data.weigh(0.2)
    return data


def equilibrium(lab, data, model):
    """Pearson and slope of C_ij of fresh chains from both starts; nothing where there is no model."""
    if model is None:
        return {}
    import numpy as np
    picked = np.random.default_rng(3).choice(len(data), CHAINS, p=data.weights / data.weights.sum())
    row, potts = {}, lab.potts
    starts = {"random": None, "natural": np.ascontiguousarray(data.sequences[picked])}
    for seed, (name, start) in enumerate(starts.items(), 5):  # with one seed chains of both starts would meet
        chains = potts.Sampler(model, chains=CHAINS, seed=seed, context=context(lab))
        chains.start(start)
        chains.sweep(SWEEPS)
        found = potts.compare_statistics(data, potts.Alignment(chains.states()[:CHAINS], colors=model.colors))["covariances"]
        row.update({"pearson_" + name: found["pearson"], "slope_" + name: found["slope"]})
    return row


def by_peer(lab, data, family, sampler):
    """(steps, model, outcome) of adabmDCA; the model is that of the last fifth step, None before the first of these."""
    limit = float(os.environ.get("ATP_RACE_SECONDS", 600))
    with tempfile.TemporaryDirectory() as folder:
        fasta = os.path.join(folder, "family.fasta")
        data.write(fasta, format="fasta")
        driver = os.path.join(tools.HERE, "peers_race.py")
        done = subprocess.run([os.environ["ATP_ADABM"], driver, fasta, FAMILIES[family][1], folder, str(limit), sampler], check=True,
                              stdout=subprocess.PIPE, text=True, env={**os.environ, "OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"})
        steps = [dict(zip(STEPS[2:], map(float, line.split()))) for line in done.stdout.splitlines() if line[0].isdigit()]
        path = os.path.join(folder, "params.dat")
        model = lab.potts.Model.read(path, format="adabm", alphabet=data.alphabet, context=context(lab)) if os.path.exists(path) else None
    return steps, model, "converged" if steps[-1]["pearson"] >= TARGET else f"stopped after {limit:g} s"


def by_us(lab, data, options):
    """(steps, model, outcome); with the settings of adabmDCA its own chains decide, as there."""
    steps, begin, used = [], time.monotonic(), time.process_time()

    def progress(report):
        steps.append({"step": report["step"], "pearson": report["pearson"], "slope": report["slope"], "seconds": time.monotonic() - begin,
                      "cpu": time.process_time() - used})
        return options is EQUAL and report["pearson"] >= TARGET

    trainer = lab.potts.Trainer(data, family="dense", objective="likelihood", context=context(lab), **options)
    outcome = trainer.run(progress=progress)
    steps[-1].update(seconds=time.monotonic() - begin, cpu=time.process_time() - used)
    return steps, trainer.model(), "converged" if options is EQUAL and steps[-1]["pearson"] >= TARGET else outcome


def run(lab, family, program):
    """A row of race.csv; the first 20 of its steps and a hundred of the others go to race_steps.csv."""
    data, load = read(lab, family), os.getloadavg()[0]
    steps, model, outcome = by_us(lab, data, OURS[program]) if program in OURS else by_peer(lab, data, family, PEERS[program])
    shown = {s["step"]: s for s in [*steps[:20], *steps[20::max(1, len(steps) // 100)], steps[-1]]}
    lab.complete("race_steps.csv", STEPS[:3], STEPS, ((family, program, step) for step in shown),
                 lambda family, program, step: {key: f"{shown[step][key]:.6g}" for key in STEPS[3:]})
    return {"outcome": outcome, "steps": steps[-1]["step"], "seconds": steps[-1]["seconds"], "cpu": steps[-1]["cpu"],
            "pearson": steps[-1]["pearson"], "load": load, **equilibrium(lab, data, model)}


def compute(lab):
    if lab.quick or "ATP_ADABM" not in os.environ or any(lab.shared(*names) is None for names, _ in FAMILIES.values()):
        print("race: left out, it measures times beside adabmDCA: a Python that has it in ATP_ADABM, the data folder, and --full")
        return False
    keys = [(family, program) for program, family in itertools.product((*PEERS, *OURS), FAMILIES)]
    lab.complete("race.csv", ("family", "program"), COLUMNS, keys, lambda *key: run(lab, *key))
    return True


# --- text ---------------------------------------------------------------------------------------------------------------------------------

def measured(lab, family):
    """{program: row}, with seconds of processors per step after the first, which has what is done once."""
    steps = tools.groups_of([r for r in lab.rows("race_steps.csv") if r["family"] == family], "program")
    return {r["program"]: {**r, "per_step": (r["cpu"] - steps[r["program"],][0]["cpu"]) / (r["steps"] - 1)}
            for r in lab.rows("race.csv") if r["family"] == family}


def two_digits(x):
    return f"{float(f'{x:.2g}'):.0f}"


def needed(rows, program):
    """(seconds of processors of adabmDCA to its target, whether they were measured): where it was stopped, those of as many steps as
    attopotts needs with the same settings."""
    row = rows[program]
    if row["outcome"] == "converged":
        return row["cpu"], True
    return rows["attopotts, equal settings"]["steps"] * row["per_step"], False


def report(lab):
    text = tools.markdown({"family": "family", "program": "program", "outcome": "outcome", "steps": "steps", "seconds of processors": "cpu",
                           "seconds": "seconds", "load before": "load", "own chains": "pearson", "equilibrium, random": "pearson_random",
                           "slope": "slope_random", "natural": "pearson_natural", "its slope": "slope_natural"},
                          sorted(lab.rows("race.csv"), key=lambda r: (r["family"], r["program"])),
                          {"steps": "{:.0f}", **dict.fromkeys(("cpu", "seconds", "load"), "{:.1f}"),
                           **dict.fromkeys(COLUMNS[6:11], "{:.3f}")})
    rows = []
    for family in FAMILIES:
        found = measured(lab, family)
        ours, equal = found["attopotts"], found["attopotts, equal settings"]
        for peer in PEERS:
            seconds, whole = needed(found, peer)
            rows.append({"family": family, "peer": peer, "step": found[peer]["per_step"] / equal["per_step"],
                         "needed": f"{seconds:.0f}" if whole else
                                   f"about {two_digits(seconds)}, of which {found[peer]['cpu']:.0f} were measured",
                         "least": found[peer]["cpu"] / ours["cpu"], "times": two_digits(seconds / ours["cpu"])})
    text += "\nHow many times faster attopotts is, by seconds of processors:\n\n" + tools.markdown(
        {"family": "family", "than": "peer", "a step at equal settings": "step", "seconds of adabmDCA to 0.95 on its chains": "needed",
         "attopotts to the end of its run, at least": "least", "estimated": "times"}, rows, {"step": "{:.0f}", "least": "{:.0f}"})
    text += ("\nWhere adabmDCA was stopped, its seconds to the target are an estimate: the steps that attopotts takes with the same "
             "settings times the seconds of a step. Rows with a load above 2 come from a machine that was busy with other work. Own chains "
             "go the same way as far as adabmDCA came:\n\n")
    programs = (*PEERS, "attopotts, equal settings")
    return text + tools.markdown({"family": "family", "step": "step", **{p: p for p in programs}}, same_steps(lab),
                                 dict.fromkeys(programs, "{:.3f}"))


def same_steps(lab):
    """Pearson on own chains after the same number of steps: the last of each run of adabmDCA."""
    rows = []
    for family in FAMILIES:
        steps = tools.groups_of([r for r in lab.rows("race_steps.csv") if r["family"] == family], "program")
        for peer in PEERS:
            last = steps[peer,][-1]
            nearest = {p: min(steps[p,], key=lambda r: abs(r["step"] - last["step"])) for p in (peer, "attopotts, equal settings")}
            rows.append({"family": family, "step": f"{last['step']:.0f}", **{p: r["pearson"] for p, r in nearest.items()}})
    return rows


def claims(lab):
    texts = []
    for family in FAMILIES:
        found = measured(lab, family)
        seconds, whole = needed(found, "adabmDCA")
        step = found["adabmDCA, Gibbs"]["per_step"] / found["attopotts, equal settings"]["per_step"]
        least = found["adabmDCA"]["cpu"] / found["attopotts"]["cpu"]
        estimate = "" if whole else f" (estimated; adabmDCA was stopped after {least:.0f} times as long)"
        texts.append(f"{family}: a step at equal settings {step:.0f} times, "
                     f"to its target {two_digits(seconds / found['attopotts']['cpu'])} times{estimate}")
    return [("more", "Boltzmann learning is faster than adabmDCA", "a step: holds; the time to its target was not measured to the end",
             "; ".join(texts))]
