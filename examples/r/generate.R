#!/usr/bin/env Rscript
# SPDX-License-Identifier: MIT
# New sequences: learn a family by maximum likelihood, stop and go on, log P, samples, and how they compare.
# usage: generate.R [PICTURE.png]
library(attopotts)

# The family: 4000 samples of a true model, and 1000 more that nothing is learned from. Your own: atp_read_alignment(path, "protein").
truth <- atp_model_random(sites = 10, colors = 5, seed = 1)
source <- atp_sampler(truth, chains = 32)
atp_sweep(source, 100)
family <- atp_alignment(atp_sample(source, 4000, thin = 10), colors = 5)
held_out <- atp_alignment(atp_sample(source, 1000, thin = 10), colors = 5)

# Boltzmann learning. A callback sees every step, and stops the run where its answer is TRUE; the next run goes on from there.
trainer <- atp_trainer(family, family = "dense", objective = "likelihood", epochs = 1000)
outcome <- atp_train(trainer, progress = function(report) report$pearson > 0.9)
last <- tail(atp_history(trainer), 1)
cat(sprintf("%s after %d steps: chains have Pearson %.4f, slope %.4f\n", outcome, atp_epochs(trainer), last$pearson, last$slope))
outcome <- atp_train(trainer)
last <- tail(atp_history(trainer), 1)
cat(sprintf("%s after %d steps: in equilibrium %.4f, %.4f from random starts, %.4f, %.4f from the family\n", outcome, atp_epochs(trainer),
            last$pearson_random, last$slope_random, last$pearson_natural, last$slope_natural))
learned <- atp_model(trainer)

mean_log_p <- function(model, log_z) -atp_beta(model) * mean(atp_energies(model, atp_sequences(held_out))) - log_z

# log P of a sequence: of the model with an estimate of log Z, of the true model by the sum over all 5^10 states.
estimate <- atp_estimate_log_z(learned)
exact <- atp_estimate_log_z(truth, method = "exact")
independent <- -10 * atp_independent_loss(held_out, atp_frequencies(family))
cat(sprintf("log Z %.4f, standard error %.4f\n", estimate$log_z, estimate$log_z_error))
cat(sprintf("log P of held-out sequences: %.4f, true model %.4f, independent sites %.4f\n", mean_log_p(learned, estimate$log_z),
            mean_log_p(truth, exact$log_z), independent))

# New sequences, and their C_ij against those of the family; parts of the family say what independent samples would have.
sampler <- atp_sampler(learned, chains = 64, seed = 2)
atp_sweep(sampler, 100)
samples <- atp_alignment(atp_sample(sampler, 4000, thin = 10), colors = 5)
found <- atp_compare_statistics(family, samples)["covariances", ]
parts <- atp_compare_parts(family, 4000)$mean["covariances", ]
cat(sprintf("C_ij of samples: Pearson %.4f, slope %.4f; of independent samples %.4f, %.4f\n", found[["pearson"]], found[["slope"]],
            parts[["pearson"]], parts[["slope"]]))
if (length(commandArgs(TRUE))) {
  png(commandArgs(TRUE)[1])
  atp_plot_covariances(family, samples)
  invisible(dev.off())
}
