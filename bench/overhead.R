#!/usr/bin/env Rscript
# SPDX-License-Identifier: MIT
# Sampling in calls of 100 sweeps, L = 20, q = 20, 64 chains, one thread: site updates per second, the best of five
# rounds.
library(attopotts)
context <- atp_context(threads = 1)
sampler <- atp_sampler(atp_model_random(20, 20, seed = 1, context = context), chains = 64, context = context)
calls <- 200
best <- 0
for (round in 1:5) {
  begin <- proc.time()[["elapsed"]]
  for (k in seq_len(calls)) atp_sweep(sampler, 100)
  best <- max(best, calls * 100 * 64 * 20 / (proc.time()[["elapsed"]] - begin))
}
cat(sprintf("%.2f million site updates per second\n", best / 1e6))
