# SPDX-License-Identifier: MIT
"""Do fresh data lie at the mean Hamming distance that beta was tuned to?

L = q = 20, Gaussian couplings, a target of 0.3. beta is tuned with one seed; 15000 samples of another seed are drawn at this beta, to six
digits, by replica exchange. *off*: the distance less the target over both errors.
"""
import math

import lab as tools

TARGET, SAMPLES, KEY = 0.3, 15000, ("model", "seed")
COLUMNS = [*KEY, "beta", "beta_error", "tuning_error", "distance", "distance_error", "energy_rhat", "overlap_rhat", "off", "seconds"]
AGREE = {"tuning.csv": tools.Same(KEY, ("beta", "distance", "energy_rhat", "overlap_rhat"), tolerance=2e-4)}


def compute(lab):
    def run(model, seed):
        truth = lab.potts.Model.random(sites=20, colors=20, color_matrix="gaussian", seed=model)
        tuned, seconds = tools.timed(lambda: lab.potts.tune_beta(truth, TARGET, seed=seed))
        truth.beta = float(f"{tuned.beta:.6g}")
        found = lab.potts.sample_equilibrium(truth, SAMPLES, seed=1000 + seed, chains=64).numbers
        off = (found["hamming"] - TARGET) / math.hypot(tuned.hamming_error, found["hamming_error"])
        return {"beta": f"{tuned.beta:.6g}", "beta_error": f"{tuned.beta_error:.4g}", "tuning_error": f"{tuned.hamming_error:.4f}",
                "distance": f"{found['hamming']:.4f}", "distance_error": f"{found['hamming_error']:.4f}",
                "energy_rhat": f"{found['rhat']:.4f}",
                "overlap_rhat": f"{found['overlap_rhat']:.4f}", "off": f"{off:+.2f}", "seconds": f"{seconds:.1f}"}

    keys = [(model, seed) for model in (1, 2, 3, 4) for seed in (1, 2)]
    lab.complete("tuning.csv", KEY, COLUMNS, lab.pick(keys, [(3, 2)]), run,
                 f"L = q = 20, Gaussian couplings, target {TARGET}, {SAMPLES} fresh samples")


def report(lab):
    rows = lab.rows("tuning.csv")
    off = [r["off"] for r in rows]
    m, error = tools.clustered_mean_and_error([r["distance"] - TARGET for r in rows], [r["model"] for r in rows])
    return (f"- {tools.within(off)} distances are within 3 errors of {TARGET:g}, the largest deviation is {max(off, key=abs):+.1f}, the root mean square "
            f"{tools.root_mean_square(off):.2f}\n- mean deviation {m:+.4f} +- {error:.4f} (standard error clustered by J)\n\n") + tools.markdown(
        {"J": "model", "seed": "seed", "beta": "beta", "error": "beta_error", "distance": "distance", "error ": "distance_error",
         "off by": "off",
         "R-hat of the energy": "energy_rhat", "R-hat of overlaps": "overlap_rhat"}, rows, {"off": "{:+.2f}"})


def claims(lab):
    rows = lab.rows("tuning.csv")
    off = [r["off"] for r in rows]
    m, error = tools.clustered_mean_and_error([r["distance"] - TARGET for r in rows], [r["model"] for r in rows])
    return [("more", "fresh data lie at the distance that beta was tuned to",
             "holds" if max(map(abs, off)) <= 3 else f"holds in {tools.within(off)} runs within 3 errors",
             f"deviation {m:+.4f} +- {error:.4f} (4 J), the largest {max(off, key=abs):+.1f} errors")]
