#!/usr/bin/env Rscript
# SPDX-License-Identifier: MIT
# A learning curve by random rows of an alignment, a bootstrap sample, and a trainer that goes on from a file, as in another session.
library(attopotts)

truth <- atp_model_random(sites = 10, colors = 5, seed = 1)
sampler <- atp_sampler(truth, chains = 32)
atp_sweep(sampler, 100)
data <- atp_alignment(atp_sample(sampler, 2000, thin = 10), colors = 5)
learner <- function(alignment) atp_trainer(alignment, l2_couplings = 1e-4, l2_colors = 1e-4)

# With one seed, a smaller sample is a part of a larger one.
for (count in c(100, 500, 2000)) {
  trainer <- learner(atp_sample_rows(data, count, seed = 1))
  atp_train(trainer, 100)
  cat(sprintf("%d sequences: coupling error %.16e\n", as.integer(count), atp_coupling_error(trainer$model, truth)))
}

# As many as there are, each drawn from all: how much the loss depends on the sequences that were drawn.
cat(sprintf("bootstrap: loss %.16e\n", atp_loss(truth, atp_sample_rows(data, length(data), replace = TRUE, seed = 1))))

# The trainer with its data in a file: what comes back goes on with the same numbers.
trainer <- learner(data)
atp_train(trainer, 5)
file <- tempfile(fileext = ".rds")
saveRDS(trainer, file)
again <- readRDS(file)
unlink(file)
atp_train(again, 5)
cat(sprintf("it goes on: loss %.16e\n", atp_loss(again$model, data)))
