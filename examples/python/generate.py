#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""New sequences: learn a family by maximum likelihood, stop and go on, log P, samples, and how they compare. usage: generate.py [PICTURE]"""
import sys

import attopotts

# The family: 4000 samples of a true model, and 1000 more that nothing is learned from. Your own: Alignment.read(path, alphabet="protein").
truth = attopotts.Model.random(sites=10, colors=5, seed=1)
source = attopotts.Sampler(truth, chains=32)
source.sweep(100)
family = attopotts.Alignment(source.sample(4000, thin=10).sequences, colors=5)
held_out = attopotts.Alignment(source.sample(1000, thin=10).sequences, colors=5)

# Boltzmann learning. A callback sees every step, and stops the run where its answer is true; the next run goes on from there.
trainer = attopotts.Trainer(family, family="dense", objective="likelihood", epochs=1000)
last = {}


def look(report):
    last.update(report)
    return report["pearson"] > 0.9


outcome = trainer.run(progress=look)
print(f"{outcome} after {trainer.epochs} steps: chains have Pearson {last['pearson']:.4f}, slope {last['slope']:.4f}")
outcome = trainer.run(progress=last.update)
print(f"{outcome} after {trainer.epochs} steps: in equilibrium {last['pearson_random']:.4f}, {last['slope_random']:.4f} from random starts, "
      f"{last['pearson_natural']:.4f}, {last['slope_natural']:.4f} from the family")
learned = trainer.model()


def mean_log_p(model, log_z):
    return -model.beta * model.energies(held_out.sequences).mean() - log_z


# log P of a sequence: of the model with an estimate of log Z, of the true model by the sum over all 5^10 states.
estimate = attopotts.estimate_log_z(learned)
exact = attopotts.estimate_log_z(truth, method="exact")
independent = -held_out.sites * held_out.independent_loss(family.frequencies())
print(f"log Z {estimate.log_z:.4f}, standard error {estimate.log_z_error:.4f}")
print(f"log P of held-out sequences: {mean_log_p(learned, estimate.log_z):.4f}, true model {mean_log_p(truth, exact.log_z):.4f}, "
      f"independent sites {independent:.4f}")

# New sequences, and their C_ij against those of the family; halves of the family say what independent samples would have.
sampler = attopotts.Sampler(learned, chains=64, seed=2)
sampler.sweep(100)
samples = attopotts.Alignment(sampler.sample(4000, thin=10).sequences, colors=5)
found = attopotts.compare_statistics(family, samples)["covariances"]
parts = attopotts.scores.compare_parts(family, samples.count)[0]["covariances"]
print(f"C_ij of samples: Pearson {found['pearson']:.4f}, slope {found['slope']:.4f}; "
      f"of independent samples {parts['pearson']:.4f}, {parts['slope']:.4f}")
if len(sys.argv) > 1:
    attopotts.scores.plot_covariances(family, samples).figure.savefig(sys.argv[1])
