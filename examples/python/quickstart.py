#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sample a random Potts model, learn it back with factored attention, print how far the learned couplings are from the true ones."""
import attopotts

# The truth, and samples of it: 100 sweeps to forget the start, 10 between samples.
truth = attopotts.Model.random(sites=10, colors=5, seed=1)
sampler = attopotts.Sampler(truth, chains=32)
sampler.sweep(100)
data = attopotts.Alignment(sampler.sample(4000, thin=10).sequences, colors=5)

# Learning: one head of free attention, the pseudo-likelihood, L-BFGS.
trainer = attopotts.Trainer(data, l2_couplings=1e-4, l2_colors=1e-4)
outcome = trainer.run(200)
learned = trainer.model()
print(f"{outcome}: loss {learned.loss(data):.16e}, optimal loss {truth.loss(data):.16e}, "
      f"coupling error {learned.coupling_error(truth):.16e}")
