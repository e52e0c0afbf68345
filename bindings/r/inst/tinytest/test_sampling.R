# SPDX-License-Identifier: MIT
# Equilibrium samples by one call against enumeration; runs that stop, go on, do not agree or are refused.
library(attopotts)

truth <- atp_model_random(sites = 6, colors = 3, seed = 3)
result <- atp_sample_equilibrium(truth, 4096, seed = 7)
expect_identical(result[c("difference", "outcome")], list(difference = "", outcome = "converged"))
expect_true(result$numbers[["rhat"]] < 1.05)
s <- atp_sequences(result$alignment)
exact <- atp_enumerate(truth)
# Sequence m is of ladder m mod 64: errors are from the scatter of ladders.
ladders <- rowsum(cbind(s == 1, s == 2, s == 3, atp_energies(truth, s)), rep(1:64, 64)) / 64
error <- apply(ladders, 2, sd) / 8
# 5 errors of Student's t with 63 degrees of freedom, 19 numbers: a false alarm in 1e4.
expect_true(all(abs(colMeans(ladders) - c(exact$marginals, exact$energy)) < 5 * error) && all(error < 0.2))
again <- atp_sample_equilibrium(truth, 4096, seed = 7, context = atp_context(threads = 1))
expect_identical(atp_sequences(again$alignment), s)

run <- atp_sampling(truth, 100, chains = 8, seed = 2)
# The pilot runs have 1500 sweeps, the first burn-in 512.
expect_identical(atp_run(run, function(report) report$total < 1500)$outcome, "cancelled")
other <- atp_sampling(truth, 100, chains = 8, seed = 2)
atp_load_state(other, atp_save_state(run))
expected <- atp_sequences(atp_sample_equilibrium(truth, 100, chains = 8, seed = 2)$alignment)
for (one in list(run, other)) expect_identical(atp_sequences(atp_run(one)$alignment), expected)
expect_identical(atp_sample_equilibrium(truth, 50, protocol = "chain", thin = 5)$outcome, "done")
glass <- atp_model_random(20, 20, seed = 1)
expect_warning(result <- atp_sample_equilibrium(glass, 64, chains = 16, beta = 5, burn_in = 64, thin = 1,
                                                temperatures = 2, beta_hot = 4.5),
               "not equilibrated: .*two runs differ", class = "attopotts_log")
expect_true(result$outcome == "max_iter" && grepl("two runs differ", result$difference))
expect_error(atp_sample_equilibrium(truth, 10, chains = 2), "chains is 2, must be at least 4")
expect_error(atp_sample_equilibrium(truth, 10, protocol = "warm"), "protocol is \"warm\"")
