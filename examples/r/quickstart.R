#!/usr/bin/env Rscript
# SPDX-License-Identifier: MIT
# Sample a random Potts model, learn it back with factored attention, print how far the learned couplings are from the
# true ones.
library(attopotts)

# The truth, and samples of it: 100 sweeps to forget the start, 10 between samples.
truth <- atp_model_random(sites = 10, colors = 5, seed = 1)
sampler <- atp_sampler(truth, chains = 32)
atp_sweep(sampler, 100)
data <- atp_alignment(atp_sample(sampler, 4000, thin = 10), colors = 5)

# Learning: one head of free attention, the pseudo-likelihood, L-BFGS.
trainer <- atp_trainer(data, l2_couplings = 1e-4, l2_colors = 1e-4)
outcome <- atp_train(trainer, 200)
learned <- atp_model(trainer)
cat(sprintf("%s: loss %.16e, optimal loss %.16e, coupling error %.16e\n", outcome, atp_loss(learned, data),
            atp_loss(truth, data),
            atp_coupling_error(learned, truth)))
