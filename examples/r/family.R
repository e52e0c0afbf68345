#!/usr/bin/env Rscript
# SPDX-License-Identifier: MIT
# The best pairs of a protein family: read an alignment, learn dense couplings, rank the pairs of sites.
# usage: family.R ALIGNMENT
library(attopotts)

family <- atp_read_alignment(commandArgs(TRUE)[1], "protein")
atp_weigh(family, 0.2)
trainer <- atp_trainer(family, family = "dense")
atp_train(trainer, 200)
pairs <- atp_contacts(atp_model(trainer), count = 10, separation = 6)
cat(sprintf("%d %d %.6f\n", pairs$number_i, pairs$number_j, pairs$apc), sep = "")
