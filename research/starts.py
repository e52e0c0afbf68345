# SPDX-License-Identifier: MIT
"""Starts and optimisers of Boltzmann learning

Dense couplings by maximum likelihood with defaults, at most 400 steps, from several starts (6acv: the default alone): *independent sites*,
the default; *mean field* couplings; the model of *pseudo-likelihood*; an *autoregressive* model, as the Potts model of its expansion, which
is what the library makes of it, or *as it is*: its couplings and fields, without their part of the normalisation. *start* is what the start
takes, *seconds* what the steps take, of a processor; *mixing* the sweeps in which chains of the last verification forgot their starts;
Pearson and slope of C_ij are those of that verification, from random colours and from training sequences.

Factored attention (16 heads, fields) on RF00162 from the model of pseudo-likelihood, or from random parameters (32 heads), by optimiser and
rate: Pearson of C_ij of the chains after so many steps; 61 of them, before the last of which fresh chains are verified. *scaled* is the
default: couplings' steps in centred variables, projected on the heads. Sequences are weighted at theta = 0.2.
"""
import itertools

import lab as tools

FAMILIES = {"RF00162": (("RF00162.fasta",), "rna"), "6acv": (("structuredca", "6acv_A_29-94.fasta"), "protein")}
STARTS = ("independent sites", "mean field", "pseudo-likelihood", "autoregressive", "autoregressive, as it is")
RATES = {"pseudo-likelihood": {"adam": (0.01, 0.003, 0.001, 0.0003), "sgd": (0.05, 0.5), "scaled": (0.1,)},
         "random": {"adam": (0.01, 0.03), "sgd": (0.05, 0.5), "scaled": (0.1,)}}
EPOCHS, HEADS, STEPS, SHOWN = 400, {"pseudo-likelihood": 16, "random": 32}, 61, (1, 5, 20, 60)
VERIFIED = ["pearson_random", "slope_random", "pearson_natural", "slope_natural"]
COLUMNS = ["family", "start", "outcome", "steps", "mixing", *VERIFIED, "start_seconds", "seconds"]
OPTIMIZERS = ["start", "optimizer", "rate", "outcome", *(f"pearson_{n}" for n in SHOWN), *VERIFIED]
AGREE = {"starts.csv": tools.Same(("family", "start"), ("outcome", "steps", "pearson_random"), tolerance=1e-4)}


def read(lab, family):
    names, alphabet = FAMILIES[family]
    data = lab.potts.Alignment.read(lab.shared(*names), alphabet=alphabet, unknown="drop")
    data.weigh(0.2)
    return data


def trained(lab, data, **options):
    trainer = lab.potts.Trainer(data, family="dense", **options)
    trainer.run()
    return trainer.model()


def as_it_is(lab, model):
    """The Potts model of the couplings C_ij, j before i, and fields of an autoregressive model."""
    couplings = model.couplings()
    return lab.potts.Model.dense(couplings + couplings.transpose(1, 0, 3, 2), model.fields)


def model_of(lab, data, start):
    """None: independent sites."""
    if start == "mean field":
        return lab.potts.scores.mean_field(data)
    if start == "pseudo-likelihood":
        return trained(lab, data)
    if start == "independent sites":
        return None
    model = trained(lab, data, objective="autoregressive")
    return as_it_is(lab, model) if start.endswith("as it is") else model


def learn(lab, data, model, **options):
    """(outcome, reports by step); the last numbers of a verification are in each later report."""
    reports, last = {}, {}

    def progress(report):
        last.update({key: value for key, value in report.items() if value == value})
        reports[int(report["step"])] = dict(last)

    trainer = lab.potts.Trainer(data, objective="likelihood", **options)
    if model is not None:
        trainer.start_model(model)
    return trainer.run(progress=progress), reports


def run_start(lab, family, start):
    data = read(lab, family)
    model, start_seconds = tools.timed(lambda: model_of(lab, data, start))
    (outcome, reports), seconds = tools.timed(lambda: learn(lab, data, model, family="dense", epochs=EPOCHS))
    steps = max(reports)
    return {"outcome": outcome, "steps": steps, "mixing": reports[steps].get("mixing_sweeps", ""), "start_seconds": f"{start_seconds:.2f}",
            "seconds": f"{seconds:.2f}", **{key: f"{reports[steps][key]:.6f}" for key in VERIFIED}}


def run_optimizer(lab, start, optimizer, rate):
    data = read(lab, "RF00162")
    model = None if start == "random" else model_of(lab, data, start)
    outcome, reports = learn(lab, data, model, family="factored", heads=HEADS[start], fields=1, optimizer=optimizer, rate=rate, target=0.999,
                             epochs=STEPS)
    return {"outcome": outcome, **{f"pearson_{n}": f"{reports[n]['pearson']:.6f}" for n in SHOWN if n in reports},
            **{key: f"{reports[max(reports)][key]:.6f}" for key in VERIFIED if key in reports[max(reports)]}}


def compute(lab):
    if any(lab.shared(*names) is None for names, _ in FAMILIES.values()):
        print("starts: left out, a family is not in the data folder")
        return False
    keys = lab.pick([*itertools.product(("RF00162",), STARTS), ("6acv", STARTS[0])], [("RF00162", "autoregressive")])
    lab.complete("starts.csv", ("family", "start"), COLUMNS, keys, lambda *key: run_start(lab, *key))
    if not lab.quick:
        keys = [(start, optimizer, rate) for start, optimizers in RATES.items() for optimizer, rates in optimizers.items() for rate in rates]
        lab.complete("starts_optimizers.csv", OPTIMIZERS[:3], OPTIMIZERS, keys, lambda *key: run_optimizer(lab, *key))
    return True


# --- text ---------------------------------------------------------------------------------------------------------------------------------

HEADINGS = {"random": "pearson_random", "slope": "slope_random", "natural": "pearson_natural", "its slope": "slope_natural"}
FORMATS = {**dict.fromkeys(VERIFIED, "{:.3f}"), **{f"pearson_{n}": "{:.2f}" for n in SHOWN}, "steps": "{:.0f}", "mixing": "{:.0f}",
           "seconds": "{:.1f}", "start_seconds": "{:.1f}"}


def report(lab):
    rows = sorted(lab.rows("starts.csv"), key=lambda r: (list(FAMILIES).index(r["family"]), STARTS.index(r["start"])))
    text = tools.markdown({"family": "family", "start of dense couplings": "start", "outcome": "outcome", "steps": "steps",
                           "mixing": "mixing", **HEADINGS, "start": "start_seconds", "seconds": "seconds"}, rows, FORMATS)
    return text + "\n" + tools.markdown({"start of heads": "start", "optimiser": "optimizer", "rate": "rate", "outcome": "outcome",
                                         **{f"after {n}": f"pearson_{n}" for n in SHOWN}, **HEADINGS},
                                        sorted(lab.rows("starts_optimizers.csv"), key=lambda r: (r["start"], r["optimizer"], -r["rate"])), FORMATS)
