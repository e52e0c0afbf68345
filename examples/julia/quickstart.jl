#!/usr/bin/env julia
# SPDX-License-Identifier: MIT
# Sample a random Potts model, learn it back with factored attention, print how far the learned couplings are from the
# true ones.
using AttoPotts, Printf

# The truth, and samples of it: 100 sweeps to forget the start, 10 between samples.
truth = random_model(10, 5; seed = 1)
sampler = Sampler(truth; chains = 32)
sweep!(sampler, 100)
data = Alignment(sample!(sampler, 4000; thin = 10).sequences; colors = 5)

# Learning: one head of free attention, the pseudo-likelihood, L-BFGS.
trainer = Trainer(data; l2_couplings = 1e-4, l2_colors = 1e-4)
outcome = train!(trainer, 200)
learned = Model(trainer)
@printf("%s: loss %.16e, optimal loss %.16e, coupling error %.16e\n", outcome, loss(learned, data), loss(truth, data),
        coupling_error(learned, truth))
