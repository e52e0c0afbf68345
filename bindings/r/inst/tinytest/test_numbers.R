# SPDX-License-Identifier: MIT
# Against closed forms, plain R and enumeration.
library(attopotts)

data_of <- function(model, n = 500) {
  sampler <- atp_sampler(model, chains = 16, seed = 5)
  atp_sweep(sampler, 50)
  atp_alignment(atp_sample(sampler, n, thin = 2), colors = 4)
}

# What differences of `value` and the gradient differ by, at every `every`-th parameter.
gradient_error <- function(value, x, gradient, every) {
  places <- seq(1, length(x), every)
  differences <- sapply(places, function(k) {
    step <- replace(numeric(length(x)), k, 1e-5)
    (value(x + step) - value(x - step)) / 2e-5
  })
  max(abs(differences - gradient[places]))
}

# Two runs to their ends, which have the same numbers.
expect_same <- function(one, two) {
  atp_train(one)
  atp_train(two)
  expect_identical(atp_parameters(one), atp_parameters(two))
}

# ---- the numbers of the other languages, bit for bit ----
truth <- atp_model_random(sites = 10, colors = 5, seed = 1)
sampler <- atp_sampler(truth, chains = 32)
atp_sweep(sampler, 100)
data <- atp_alignment(atp_sample(sampler, 4000, thin = 10), colors = 5)
trainer <- atp_trainer(data, l2_couplings = 1e-4, l2_colors = 1e-4)
expect_identical(atp_train(trainer, 200), "converged")
learned <- atp_model(trainer)
line <- sprintf("loss %.16e, optimal loss %.16e, coupling error %.16e", atp_loss(learned, data), atp_loss(truth, data),
                atp_coupling_error(learned, truth))
expect_identical(line, "loss 1.1830280855940123e+00, optimal loss 1.1843830709285941e+00, coupling error 3.8470775228393228e-04")

# ---- autoregressive models ----
order <- c(3, 1, 2)
couplings <- array(0, c(3, 3, 2, 2))
for (k in 2:3) for (l in seq_len(k - 1)) couplings[order[k], order[l], , ] <- sin(k + 3 * l + 1:4)
fields <- matrix(cos(1:6), 3, 2)
model <- atp_model_dense(couplings, fields)
expect_false(atp_is_ordered(model))
expect_error(atp_order(model), "has no order")
expect_error(atp_set_order(model, c(1, 3, 2)), "order has site 1 before site 3")
atp_set_order(model, order)
expect_true(atp_is_ordered(model))
expect_identical(as.numeric(atp_order(model)), order)
states <- as.matrix(expand.grid(1:2, 1:2, 1:2))[, 3:1]
known <- apply(states, 1, function(s) {
  sum(sapply(1:3, function(i) {
    x <- fields[i, ] + sapply(1:2, function(a) sum(sapply(1:3, function(j) couplings[i, j, a, s[j]])))
    x[s[i]] - log(sum(exp(x)))
  }))
})
expect_equal(sum(exp(known)), 1, tolerance = 1e-12)
expect_equal(atp_energies(model, states), -known, tolerance = 1e-12, check.attributes = FALSE)
expect_equal(atp_enumerate(model)$log_z, 0, tolerance = 1e-12)
d <- matrix(known[c(1, 5, 2, 6)], 2)  # sites 1 and 3 of the sequence ?, 1, ?
expect_equal(atp_epistatic_scores(model, c(1, 1, 1), gap = NULL)[1, 3], abs(d[1] - d[2] - d[3] + d[4]) / 2, tolerance = 1e-12)
atp_set_order(model)
expect_false(atp_is_ordered(model))

# ---- energies, conditionals and probabilities from the definition ----
set.seed(1)
couplings <- array(rnorm(81), c(3, 3, 3, 3))
couplings <- (couplings + aperm(couplings, c(2, 1, 4, 3))) / 2
for (i in 1:3) couplings[i, i, , ] <- 0
fields <- matrix(rnorm(9), 3)
model <- atp_model_dense(couplings, fields)
expect_identical(atp_couplings(model), couplings)
expect_identical(atp_fields(model), fields)
# The library's order of states: the last site is the fastest.
states <- as.matrix(expand.grid(3:1, 3:1, 3:1))[27:1, 3:1]
dimnames(states) <- NULL
energy <- apply(states, 1, function(s) {
  pairs <- 0
  for (i in 1:3) for (j in 1:3) if (i != j) pairs <- pairs + couplings[i, j, s[i], s[j]]
  -pairs / 2 - sum(fields[cbind(1:3, s)])
})
expect_equal(atp_energies(model, states), energy, tolerance = 1e-13)
exact <- atp_enumerate(model, pairs = TRUE, probabilities = TRUE)
p <- exp(-energy)
expect_equal(exact$log_z, log(sum(p)), tolerance = 1e-13)
expect_equal(exact$energy, sum(energy * p) / sum(p), tolerance = 1e-13)
expect_equal(exact$probabilities, p / sum(p), tolerance = 1e-13)
expect_equal(exact$marginals[2, 3], sum(p[states[, 2] == 3]) / sum(p), tolerance = 1e-13)
expect_equal(exact$pairs[1, 3, 2, 1], sum(p[states[, 1] == 2 & states[, 3] == 1]) / sum(p), tolerance = 1e-13)
s <- c(2, 1, 3)
rest <- sapply(1:3, function(a) p[states[, 1] == a & states[, 2] == 1 & states[, 3] == 3])
expect_equal(atp_conditionals(model, s)[1, 1, ], rest / sum(rest), tolerance = 1e-13)
logs <- sapply(1:3, function(i) log(atp_conditionals(model, s)[1, i, s[i]]))
expect_equal(atp_log_pseudolikelihoods(model, s), sum(logs), tolerance = 1e-13)
# A missing site enters no sum.
expect_equal(atp_energies(model, c(2, NA, 3)), -couplings[1, 3, 2, 3] - fields[1, 2] - fields[3, 3], tolerance = 1e-13)

# ---- heads ----
truth <- atp_model_random(sites = 6, colors = 4, seed = 3)
maps <- atp_maps(truth)
values <- atp_values(truth)
expect_identical(dim(maps), c(1L, 6L, 6L))
again <- atp_model_heads(maps[1, , ], values[1, , ])
expect_identical(atp_couplings(again)[2, 5, 3, 1], maps[1, 2, 5] * values[1, 3, 1])
expect_true(atp_coupling_error(again, truth) < 1e-28)
two <- atp_model_heads(array(c(maps, maps), c(6, 6, 2))[, , 1, drop = FALSE] |> aperm(c(3, 1, 2)), values)
expect_identical(atp_maps(two), maps)
# An asymmetric map, to see that rows are rows.
a <- matrix(c(0, 2, 3, 4, 0, 6, 7, 8, 0), 3)
v <- matrix(1:4, 2)
one <- atp_model_heads(a, v)
expect_identical(atp_maps(one)[1, , ], a)
expect_identical(atp_couplings(one)[1, 3, 2, 1], 7 * 2)
expect_false(atp_is_symmetric(one))
expect_true(atp_is_symmetric(truth))
expect_false(atp_has_fields(truth))
gauged <- atp_couplings(atp_gauge(truth, "zero_sum"))
expect_true(max(abs(apply(gauged, c(1, 2, 3), sum))) < 1e-12)
copy <- atp_copy(truth)
atp_set_beta(copy, 0.5)
expect_identical(c(atp_beta(truth), atp_beta(copy)), c(1, 0.5))

# ---- alignments ----
data <- data_of(truth)
expect_identical(dim(data), c(500L, 6L))
sequences <- atp_sequences(data)
expect_true(is.integer(sequences) && min(sequences) == 1L && max(sequences) == 4L)
w <- runif(500)
atp_set_weights(data, w)
expect_identical(atp_weights(data), w)
expect_equal(atp_effective_count(data), sum(w))
f <- t(sapply(1:6, function(i) sapply(1:4, function(a) sum(w[sequences[, i] == a]))) / sum(w))
expect_equal(atp_frequencies(data), f, tolerance = 1e-12)
expect_equal(atp_frequencies(data, 0.5), 0.5 * f + 0.125, tolerance = 1e-12)
expect_equal(atp_pair_frequencies(data)[2, 5, 3, 1], sum(w[sequences[, 2] == 3 & sequences[, 5] == 1]) / sum(w), tolerance = 1e-12)
expect_equal(atp_independent_loss(data), -sum(f * log(f)) / 6, tolerance = 1e-12)
expect_identical(atp_sequences(data[seq(3, 100, 7)]), sequences[seq(3, 100, 7), ])
expect_identical(atp_sequences(data[c(3, 4, 9)]), sequences[c(3, 4, 9), ])
expect_identical(atp_sequences(atp_select(data, 499)), sequences[499:500, ])
expect_identical(atp_sequences(atp_alignment(sequences + 0, colors = 4)), sequences)
single <- atp_frequencies(data, 0.1)
expect_equal(atp_covariances(data, 0.1)[2, 5, 3, 1], atp_pair_frequencies(data, 0.1)[2, 5, 3, 1] - single[2, 3] * single[5, 1],
             tolerance = 1e-12)
# Weights from the definition: sequences that differ at most at one of six sites are neighbours.
differ <- as.matrix(dist(sequences, "manhattan")) * 0
for (i in 1:6) differ <- differ + outer(sequences[, i], sequences[, i], "!=")
atp_weigh(data, 0.2)
expect_equal(atp_weights(data), unname(1 / rowSums(differ <= 1)))
atp_weigh(data, 1 / 6, rule = "strict")
expect_equal(atp_weights(data), unname(1 / rowSums(differ == 0)))
scan <- atp_scan_weights(data, c(0, 1 / 6, 0.5))
expect_equal(scan$effective, vapply(c(0, 1, 3), function(most) sum(1 / rowSums(differ <= most)), 0))
identity <- 1 - mean(differ[upper.tri(differ)]) / 6
expect_equal(atp_auto_theta(data), min(0.5, 0.1216 / identity), tolerance = 1e-12)
apart <- atp_split(data, identity = 0.5, identity_test = 1)
expect_true(min(differ[apart$parts == 1, apart$parts == 2]) >= 3)
expect_identical(atp_sequences(apart$test), sequences[apart$parts == 2, ])
expect_identical(nrow(apart$training), sum(apart$parts == 1))
atp_weigh(data, "auto")
kept <- suppressMessages(atp_filter(data, remove_duplicates = TRUE))
expect_identical(nrow(kept), nrow(unique(sequences)))
expect_identical(attr(kept, "left_out"), c(sequences = 0, columns = 0, duplicates = 500 - nrow(kept)))
apart <- atp_sequences(atp_filter_identity(data, 0.5))
residues <- apart > 0
aligned <- residues %*% t(residues)
equal <- Reduce(`+`, lapply(seq_len(ncol(apart)), function(i) outer(apart[, i], apart[, i], "==") * outer(residues[, i], residues[, i])))
expect_true(all(equal[upper.tri(equal)] <= 0.5 * aligned[upper.tri(aligned)]))
expect_true(nrow(apart) > 1 && nrow(atp_filter_identity(data, 1)) == nrow(data))
fasta <- tempfile(fileext = ".fasta")
writeLines(c(">P1/7-9", "AC-D", ">P2", "A--D"), fasta)
read <- suppressWarnings(atp_read_alignment(fasta, alphabet = "-ACD"), "attopotts_log")
expect_identical(c(atp_find(read, "P1"), atp_find(read, "P2")), c(1, 2))
expect_error(atp_find(read, "P3"), "ATP_E_VALUE")
focused <- atp_focus(read, "P1")
expect_identical(atp_sites(focused), data.frame(number = c(7, 8, 9), residue = c("A", "C", "D")))
expect_identical(atp_sequences(focused), rbind(2:4, c(2L, 1L, 4L)))
parts <- lapply(0:1, function(k) atp_read_alignment_part(fasta, k, 2, alphabet = "-ACD"))
expect_identical(do.call(rbind, lapply(parts, atp_sequences)), atp_sequences(read))
expect_error(atp_read_alignment_part(fasta, 2, 2, alphabet = "-ACD"), "ATP_E_VALUE")
unlink(fasta)
renamed <- atp_rename(read, c("one", "two"))
expect_identical(atp_names(renamed), c("one", "two"))
expect_identical(atp_sequences(renamed), atp_sequences(read))
expect_error(atp_rename(read, "one"), "names has 1 lines, must have one for each of the 2 sequences")
atp_set_sites(data, 11:16, "ACDEFG")
expect_identical(atp_sites(data), data.frame(number = as.double(11:16), residue = strsplit("ACDEFG", "")[[1]]))
atp_set_origin(data, "from a test")
expect_identical(atp_origin(data), "from a test")
atp_set_alphabet(data, "ACDE")
expect_identical(atp_alphabet(data), "ACDE")
expect_identical(atp_colors(data), 4)

# ---- samples follow the exact marginals ----
sampler <- atp_sampler(truth, chains = 256, seed = 4)
atp_sweep(sampler, 100)
samples <- atp_sample(sampler, 256 * 40, thin = 5, energies = TRUE)
exact <- atp_enumerate(truth)$marginals
# Binomial errors, times 2 for what is left of correlation; 5 of them: a false alarm in 1e6.
error <- 2 * sqrt(exact * (1 - exact) / nrow(samples$sequences))
expect_true(all(abs(atp_frequencies(atp_alignment(samples, colors = 4)) - exact) < 5 * error + 1e-4))
expect_equal(samples$energies, atp_energies(truth, samples), tolerance = 1e-9)
expect_identical(samples$outcome, "done")

# ---- chains ----
expect_identical(dim(atp_states(sampler)), c(256L, 6L))
expect_equal(atp_state_energies(sampler), atp_energies(truth, atp_states(sampler)), tolerance = 1e-9)
expect_identical(atp_sweeps(sampler), 100 + 40 * 5)
atp_start(sampler, matrix(1L, 1, 6))
expect_true(all(atp_states(sampler) == 1L) && atp_sweeps(sampler) == 0)
allowed <- matrix(TRUE, 6, 4)
allowed[1, -2] <- FALSE
atp_restrict(sampler, allowed)
atp_sweep(sampler, 3)
expect_true(all(atp_states(sampler)[, 1] == 2L) && length(unique(atp_states(sampler)[, 2])) > 1)
allowed[1, 2] <- FALSE
expect_error(atp_restrict(sampler, allowed), "no allowed colour")
walks <- atp_sampling(truth, 300, protocol = "chain", chains = 30, thin = 1, burn_in = 0, max_mutations = 2)
atp_start(walks, matrix(1L, 1, 6))
walked <- atp_sequences(atp_run(walks)$alignment)
expect_equal(atp_trajectory(walks)$mutations, rowSums(walked != 1L))
expect_equal(atp_forgetting(walks, walked)$overlap[1], mean(walked[1:30, ] == 1L))
ladder <- atp_sampler(truth, chains = 4, temperatures = 3, beta_hot = 0.2)
atp_sweep(ladder, 50)
expect_identical(length(atp_swap_rates(ladder)), 2L)
expect_identical(range(atp_betas(ladder)), c(0.2, 1))
atp_set_betas(ladder, c(0.1, 0.5, 1))
expect_identical(atp_betas(ladder), c(0.1, 0.5, 1))
expect_identical(length(atp_state_energies(ladder, 1)), 4L)
expect_error(atp_state_energies(ladder, 0), "indices count from 1")
expect_error(atp_state_energies(ladder, 4), "ATP_E_VALUE")
series <- matrix(rnorm(4000), 1000)
expect_true(abs(atp_autocorrelation_time(series)[["tau"]] - 0.5) < 0.1)
expect_true(abs(atp_split_rhat(series) - 1) < 0.01)
expect_true(atp_split_rhat(sweep(series, 2, 10 * (1:4), "+")) > 2)
mixing <- atp_chain_mixing(series)
expect_identical(mixing$outcome, "converged")
expect_true(mixing$rhat <= mixing$rhat_limit && mixing$bulk_ess > 3000)
stuck <- series
stuck[, 2] <- 0
expect_true(atp_split_rhat(stuck) < 1.01)
expect_identical(atp_chain_mixing(stuck)$outcome, "max_iter")
small <- atp_model_random(5, 3, seed = 2)
rungs <- atp_sampler(small, chains = 16, temperatures = 4)
atp_set_betas(rungs, c(0, 0.4, 0.8, 1.2))
atp_sweep(rungs, 100)
measured <- atp_measure(rungs, 400, thin = 2, reference = c(1, 2, 3, 2, 1))
exact <- atp_enumerate_rungs(small, c(0, 0.4, 0.8, 1.2), reference = c(1, 2, 3, 2, 1))
# 4.5 standard errors of 16 numbers: false alarm 1e-4; the seed is fixed.
for (name in c("energy", "overlap", "reference", "log_z")) {
  expect_true(all(abs(measured$rungs[[name]] - exact[[name]]) <= 4.5 * measured$rungs[[paste0(name, "_error")]] + 1e-9))
}
expect_equal(sum(measured$overlaps$density * measured$overlaps$width), 4)
expect_identical(atp_overlap_rhat(matrix(1:2, 40, 6), 2), Inf)
expect_true(atp_overlap_rhat(matrix(sample(4, 24000, TRUE), 4000), 2) < 1.05)
histogram <- atp_hamming_histogram(rbind(c(1, 1, 2), c(1, 2, 1), c(1, 1, 2)))
expect_identical(unclass(histogram), list(counts = c(1, 0, 2, 0), mean = (2 + 2 + 0) / 9))
tuned <- atp_tune_beta(atp_model_random(12, 6, seed = 2), 0.5, chains = 64)
expect_true(abs(tuned$hamming - 0.5) < 1e-6 && tuned$beta > 0 && tuned$outcome == "converged")
small <- atp_model_random(4, 3, seed = 2)
states <- as.matrix(expand.grid(rep(list(1:3), 4)))
log_z <- log(sum(exp(-atp_energies(small, states))))
exact <- atp_estimate_log_z(small)
expect_true(abs(exact$log_z - log_z) < 1e-9 && exact$method == "exact" && exact$outcome == "converged")
annealed <- atp_estimate_log_z(small, method = "annealing", seed = 2)
expect_true(abs(annealed$log_z - log_z) < 5 * annealed$log_z_error && annealed$method == "annealing")
log_p <- -atp_energies(small, states) - log_z
w <- exp(log_p) / sum(exp(log_p))
mean_log_p <- sum(w * log_p)
expect_equal(atp_mean_log_p(small, atp_alignment(states, weights = exp(log_p)), log_z, 0.5),
             c(log_p = mean_log_p, error = sqrt(sum(w * (log_p - mean_log_p)^2) * sum(w^2) + 0.25)) / 4)
expect_true(atp_sampler_bytes(truth, chains = 100) > atp_sampler_bytes(truth, chains = 10))

# ---- penalties chosen by the data ----
relatives <- data_of(truth, 100)
parts <- atp_select_folds(relatives, folds = 3, fold_distance = 0)
expect_identical(sort(unique(parts$folds)), c(0, 1, 2))
expect_identical(nrow(unique(as.data.frame(parts))), length(unique(parts$clusters)))
path <- atp_select_penalty(relatives, family = "dense", folds = 3, strengths = 3, fold_distance = 0)
expect_identical(sum(path$chosen), 1)
expect_true(all(diff(path$l2_couplings) < 0) && attr(path, "outcome") %in% c("converged", "max_iter"))
expect_equal(path$excess, path$heldout_loss - path$independent_loss, tolerance = 1e-9)
sites <- ncol(atp_sequences(relatives))
listed <- atp_select_penalty(relatives, pairs = t(combn(sites, 2)), folds = 3, strengths = 3, fold_distance = 0)
expect_identical(listed$heldout_loss, path$heldout_loss)
expect_identical(attr(listed, "outcome"), "converged")

# ---- weights of sites ----
half <- atp_weigh_sites(truth, rep(0.5, nrow(atp_fields(atp_gauge(truth)))))
expect_equal(atp_fields(half), atp_fields(atp_gauge(truth)) / 2, tolerance = 1e-12)
expect_equal(atp_couplings(half), atp_couplings(atp_gauge(truth)) / 2, tolerance = 1e-12)

# ---- gradients by differences ----
data <- data_of(truth, 100)
trainer <- atp_trainer(data, precision = 64, fields = TRUE, map = "softmax", l2_couplings = 0.01)
x <- rnorm(length(atp_parameters(trainer)))
objective <- function(x) {
  atp_set_parameters(trainer, x)
  atp_gradient(trainer)$objective
}
atp_set_parameters(trainer, x)
gradient <- atp_gradient(trainer)$gradient
expect_true(gradient_error(objective, x, gradient, 11) < 1e-8)
masked <- rep(1:6, length.out = 100)
atp_set_parameters(trainer, x)
expect_true(is.finite(atp_gradient(trainer, masked)$loss))
expect_error(atp_gradient(trainer, masked - 1), "sites count from 1")
expect_true(atp_trainer_bytes(100, 40, 20) > atp_trainer_bytes(100, 20, 20))

# ---- fixed colours, wide starts ----
fixed <- atp_trainer(data, colors_fixed = TRUE)
expect_error(atp_train(fixed), "ATP_E_STAGE", class = "attopotts_library_error")
atp_set_values(fixed, atp_values(truth))
atp_train(fixed, 5)
expect_identical(atp_values(atp_model(fixed)), atp_values(truth))
wide <- atp_trainer(data)
expect_true(atp_start_wide(wide, 4, 10) %in% c("converged", "max_iter"))
more <- atp_trainer(data, heads = 4, epochs = 10)
atp_train(more)
expect_identical(atp_parameters(atp_start_from(atp_trainer(data), more)), atp_parameters(wide))
chained <- function() atp_trainer(data, family = "dense", objective = "likelihood", chains = 32, random_chains = 0, target = 1)
first <- chained()
atp_train(first, 3)
expect_identical(atp_sequences(atp_chains(atp_start_chains(chained(), atp_chains(first)))), atp_sequences(atp_chains(first)))
expect_error(atp_chains(wide), "only the objective likelihood has chains")

# ---- networks ----
# An encoder by definition, gradients by differences.
n <- nrow(data)
encoder <- function(..., precision = 64) {
  atp_trainer(data, family = "encoder", blocks = 2, width = 6, batch = 50, epochs = 12, precision = precision, seed = 7, ...)
}
network <- encoder()
expect_identical(atp_train(network), "max_iter")
expect_identical(atp_epochs(network), 12)
sequences <- atp_sequences(data)
p <- atp_conditionals(network, data)
expect_identical(dim(p), c(n, 6L, 4L))
expect_equal(apply(p, 1:2, sum), matrix(1, n, 6), tolerance = 1e-13)
losses <- sapply(1:6, function(i) -log(p[cbind(seq_len(n), i, sequences[, i])]))
expect_equal(atp_loss(network, data), mean(losses), tolerance = 1e-12)
expect_equal(atp_conditionals(network, sequences[5, ])[1, , ], p[5, , ], tolerance = 1e-13)
maps <- atp_attention_maps(network, data)
expect_identical(dim(maps), c(2L, 6L, 6L))
expect_equal(apply(maps, 1:2, sum), matrix(1, 2, 6), tolerance = 1e-13)
expect_false(isTRUE(all.equal(maps[1, , ], t(maps[1, , ]))))
whole <- atp_gradient(network)
expect_identical(whole$loss, whole$objective)
expect_equal(whole$loss, mean(losses), tolerance = 1e-12)
expect_equal(atp_gradient(network, rep(3, n))$loss, mean(losses[, 3]), tolerance = 1e-12)
expect_equal(rowMeans(sapply(1:6, function(i) atp_gradient(network, rep(i, n))$gradient)), whole$gradient, tolerance = 1e-12)
x <- atp_parameters(network)
loss_at <- function(x) atp_loss(atp_set_parameters(network, x), data)
expect_true(gradient_error(loss_at, x, whole$gradient, 53) < 1e-7)
expect_identical(atp_epochs(network), 0)
parts <- atp_parts(network)
expect_identical(names(parts)[1:2], c("tokens", "block1.qkv"))
expect_equal(parts[[2]], 31:138)
expect_equal(unlist(parts, use.names = FALSE), seq_along(x))
expect_true(atp_trainer_bytes(n, 6, 4, family = "encoder", width = 8) > atp_trainer_bytes(n, 6, 4, family = "encoder", width = 6))
# A dial at 0 is a model of one head.
dial <- atp_trainer(data, family = "dial", dial = 0, precision = 64, epochs = 20, test = data, truth = truth)
atp_train(dial, 5)
model <- atp_model(dial)
expect_equal(atp_conditionals(model, data), atp_conditionals(dial, data), tolerance = 1e-12)
last <- atp_history(dial)[5, ]
expect_equal(last$optimal_loss, atp_loss(truth, data), tolerance = 1e-12)
expect_equal(last$coupling_error, atp_coupling_error(model, truth), tolerance = 1e-9)
maps <- atp_attention_maps(dial, data)[1, , ]
expect_equal(maps - diag(diag(maps)), atp_maps(model)[1, , ], tolerance = 1e-12)
# A state goes on with the same numbers, and so does a run in two pieces; threads do not matter.
one <- encoder()
two <- encoder()
atp_train(one, 4)
atp_load_state(two, atp_save_state(one))
expect_same(one, two)
expect_identical(atp_parameters(two), x)
expect_same(encoder(precision = 32, context = atp_context(threads = 1)), encoder(precision = 32, context = atp_context(threads = 2)))

# ---- dense couplings ----
dense <- atp_trainer(data, family = "dense", l2_couplings = 1, l2_fields = 0.1)
expect_identical(atp_train(dense), "converged")
model <- atp_model(dense)
expect_true(atp_has_fields(model) && atp_loss(model, data) < atp_independent_loss(data))
gapless <- atp_trainer(data, family = "dense", gaps = "ignore")
atp_train(gapless, 5)
gapless <- atp_model(gapless)
expect_identical(atp_colors(gapless), 3)
# Gaps are missing sites to a model without them.
known <- atp_sequences(data)
known[known == 1L] <- NA
expect_identical(atp_energies(gapless, data), atp_energies(gapless, known - 1L))
expect_identical(atp_log_pseudolikelihoods(gapless, data), atp_log_pseudolikelihoods(gapless, known - 1L))
expect_error(atp_trainer(data, family = "dense", heads = 2), "ATP_E_CONFLICT")

# ---- a state goes on with the same numbers, also through a file ----
one <- atp_sampler(truth, seed = 2)
two <- atp_sampler(truth, seed = 2)
atp_sweep(one, 10)
atp_load_state(two, atp_save_state(one))
expect_identical(atp_sample(one, 20), atp_sample(two, 20))
one <- atp_trainer(data, epochs = 30, l2_couplings = 1e-3)
two <- atp_trainer(data, epochs = 30, l2_couplings = 1e-3)
atp_train(one, 10)
file <- tempfile()
atp_write_state(one, file)
expect_identical(atp_file_kind(file), "state")
atp_read_state(two, file)
expect_same(one, two)
unlink(file)

# ---- threads and SIMD targets do not matter ----
learn <- function(...) {
  context <- atp_context(...)
  sampler <- atp_sampler(truth, chains = 16, seed = 8, context = context)
  samples <- atp_alignment(atp_sample(sampler, 400, thin = 5), colors = 4, context = context)
  trainer <- atp_trainer(samples, context = context)
  atp_train(trainer, 20)
  atp_parameters(trainer)
}
expect_identical(learn(threads = 2), learn(threads = 1))
expect_identical(learn(threads = 2), learn(threads = 1, simd = "scalar"))

# ---- scores ----
couplings <- atp_couplings(truth)
zero_sum <- function(c) sweep(sweep(c, 2, colMeans(c)), 1, rowMeans(sweep(c, 2, colMeans(c))))
norms_of <- function(colors) {
  outer(1:6, 1:6, Vectorize(function(i, j) if (i != j) sqrt(sum(zero_sum(couplings[i, j, , ])[colors, colors]^2)) else 0))
}
norms <- norms_of(1:4)
expect_equal(atp_frobenius(truth), norms, tolerance = 1e-12)
expect_equal(atp_frobenius(truth, gap = 1), norms_of(2:4), tolerance = 1e-12)
row <- rowSums(norms) / 5
corrected <- norms - outer(row, row) / mean(row)
upper <- upper.tri(norms)
expect_equal(atp_apc(norms)[upper], corrected[upper], tolerance = 1e-12)
pairs <- atp_rank(corrected)
expect_true(nrow(pairs) == 15L && !is.unsorted(-corrected[pairs]) && all(pairs[, "i"] < pairs[, "j"]))
expect_identical(atp_overlap(pairs, pairs[c(2, 4), 2:1]), 2 / 15)
expect_identical(unname(atp_rank(corrected, separation = 9, border = 1)[, "i"]), rep(1L, 5))
best <- atp_contacts(truth, 2, separation = 1, gap = NULL)
expect_identical(c(best$i[1], best$j[1]), unname(pairs[1, ]))
# Two spins: the variance of the logit times M is 1 / (p (1 - p)).
if (atp_has_feature("lapack")) {
  logit <- 0.9
  p <- 1 / (1 + exp(-logit))
  couplings <- array(0, c(2, 2, 2, 2))
  couplings[1, 2, , ] <- couplings[2, 1, , ] <- matrix(c(logit, -logit, -logit, logit) / 2, 2)
  spins <- atp_model_dense(couplings, fields = matrix(0, 2, 2))
  cost <- atp_asymptotics(spins, samples = 50)
  expect_equal(cost$excess, 4 / (2 * 2 * 50), tolerance = 1e-9)
  errors <- atp_coupling_errors(spins, samples = 50)
  expect_equal(errors[1, 2, 1, 1], 0.5 / sqrt(50 * p * (1 - p)), tolerance = 1e-9)
  states <- atp_alignment(rbind(c(1, 1), c(1, 2), c(2, 1), c(2, 2)), colors = 2, weights = 25 * c(p, 1 - p, 1 - p, p))
  expect_equal(atp_asymptotics(spins, states)$samples, 50, tolerance = 1e-9)
  both <- atp_score_errors(spins, states, l2_couplings = 1e-6, l2_fields = 1e-6)
  expect_equal(both$fn[1, 2], 2 * errors[1, 2, 1, 1], tolerance = 1e-3)
  expect_true(atp_error_bytes(spins, 4) > 0 && atp_error_bytes(spins, 4, scores = TRUE) > 0)
}
# Without training: the frequencies of R, and the definitions.
sequences <- matrix(c(0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 0, 1, 2, 3, 3, 1, 2, 3, 0, 0, 3, 2, 1, 0, 0, 1, 1, 0, 2, 3), 10)
weights <- c(1, 2, 1, 1, 1, 3, 1, 1, 1, 1)
sequences <- sequences + 1
few <- atp_alignment(sequences, colors = 4, weights = weights)
joint <- function(i, j) tapply(weights / sum(weights), list(factor(sequences[, i], 1:4), factor(sequences[, j], 1:4)), sum, default = 0)
p <- joint(1, 3)
expected <- sum(ifelse(p > 0, p * log(p / outer(rowSums(p), colSums(p))), 0))
expect_equal(atp_mutual_information(few)[1, 3], expected, tolerance = 1e-10)
if (atp_has_feature("lapack")) {
  mean_field <- atp_mean_field(few, pseudocount = 0.8, precision = 64)
  expect_equal(atp_gaussian_scores(few, "fn", precision = 64), atp_frobenius(mean_field), tolerance = 1e-10)
  expect_equal(atp_gaussian_scores(few, gap = 1, precision = 64), atp_frobenius(mean_field, gap = 1), tolerance = 1e-10)
  expect_true(atp_mean_field_bytes(20, 20, 4) < atp_mean_field_bytes(20, 20, 4, precision = 64))
  direct <- atp_direct_information(mean_field, atp_frequencies(few, 0.8))
  expect_true(isSymmetric(direct) && all(direct[upper.tri(direct)] > 0))
  expect_true(all(atp_gaussian_scores(few, "di")[upper.tri(direct)] > 0))
  expect_error(atp_mean_field(few, pseudocount = 0), "must be > 0")
  expect_error(atp_mean_field(few, heads = 2))
}
# With one alphabet after the other; the program's numbers of the same model.
model <- atp_model_random(30, 4, seed = 3)
for (case in list(list("", NULL, 1.75548377), list("-ACD", 1, 1.172985382), list("ACDE", NULL, 1.75548377))) {
  if (nzchar(case[[1]])) atp_set_alphabet(model, case[[1]])
  found <- atp_contacts(model)
  expect_identical(atp_gap_color(model), case[[2]])
  expect_equal(c(nrow(found), found$number_i[1], found$number_j[1]), c(435, 5, 19))
  expect_equal(found$apc[1], case[[3]], tolerance = 1e-8)
}
distances <- matrix(10, 6, 6)
distances[rbind(pairs[1, ], pairs[1, 2:1])] <- 5
expect_equal(atp_precision(best, distances), c(1, 0.5))
expect_equal(atp_precision(pairs[1:4, ], distances), 1 / (1:4))
file <- tempfile()
writeLines(c("# i j d", "1 2 4.5", "1 3 9", "2 9 1"), file)
read <- atp_read_distances(file, 6)
expect_identical(c(read$distances[2, 1], read$pairs, read$used), c(4.5, 3, 2))
expect_true(is.na(read$distances[5, 6]))
unlink(file)
mutants <- atp_mutants(truth, rep(1, 6))
other <- rbind(rep(1, 6), c(1, 1, 4, 1, 1, 1))
expect_equal(mutants$energy[3, 4], diff(atp_energies(truth, other)), tolerance = 1e-12)
expect_equal(mutants$log_pseudolikelihood[3, 4], diff(atp_log_pseudolikelihoods(truth, other)), tolerance = 1e-12)
family <- atp_alignment(rbind(c(1, 2, 3, 4, 2), c(2, 2, 3, 4, 2), c(2, 3, 3, 4, 1)), 4, alphabet = "-ACD")
atp_set_columns(family, c(2, 3, 5, 6, 9), 9)
texts <- atp_model_random(5, 4, seed = 3)
atp_set_alphabet(texts, "-ACD")
wild <- atp_sequences(family)[2, ]
independent <- atp_model_independent(family)
expect_equal(atp_columns(independent), list(columns = c(2, 3, 5, 6, 9), total = 9, border = 0))
complex <- tempfile(fileext = ".a3m")
writeLines(c("#2,3\t1,1", ">a", "-ACDA"), complex)
expect_equal(atp_columns(atp_read_alignment(complex, "-ACD", format = "paired"))$border, 2)
expect_equal(atp_columns(family)$border, 0)
scored <- atp_score_mutations(texts, wild, c("A1D", "A2C/C3-"), independent)
mutated <- rbind(wild, wild, wild)
mutated[2, 1] <- 4
mutated[3, 2:3] <- c(3, 1)
expect_equal(scored$mutations, c(1, 2))
expect_equal(scored$energy, atp_energies(texts, mutated)[-1] - atp_energies(texts, mutated)[1], tolerance = 1e-12)
expect_equal(scored$log_pseudolikelihood,
             atp_log_pseudolikelihoods(texts, mutated)[-1] - atp_log_pseudolikelihoods(texts, mutated)[1], tolerance = 1e-12)
expect_equal(scored$independent, atp_energies(independent, mutated)[1] - atp_energies(independent, mutated)[-1],
             tolerance = 1e-12)
expect_equal(atp_double_mutants(texts, wild, c(2, 3))[1, 3, 1], scored$energy[2], tolerance = 1e-12)
lowest <- atp_best_doubles(texts, wild, 2, gap = NULL)
both <- atp_epistasis(texts, wild, lowest)
alone <- atp_mutants(texts, wild, FALSE)$energy
expect_identical(both$energy, lowest$energy)
expect_equal(both$epistasis, lowest$energy - alone[cbind(lowest$site_i, lowest$color_i)] - alone[cbind(lowest$site_j, lowest$color_j)])
expect_identical(as.numeric(atp_count_within_errors(c(1, 2), c(1.5, 3), c(0.5, 0.25), 2)), 1)
expect_identical(atp_average_mutants(texts, wild, c("A1D", "C3-", "A1D"), c(1, 7, 4)), data.frame(first = c(1, 2, 1), average = c(2.5, 7, 2.5)))
mutated[2, ] <- wild
mutated[2, c(lowest$site_i[1], lowest$site_j[1])] <- c(lowest$color_i[1], lowest$color_j[1])
expect_equal(lowest$energy[1], diff(atp_energies(texts, mutated[1:2, ])), tolerance = 1e-12)
expect_error(atp_score_mutations(texts, wild, "C1A"), "site 1 is A in the sequence, not C")
expect_error(atp_double_mutants(texts, wild[1:4], c(2, 3)))
whole <- atp_alignment(rbind(c(1, 2, 3, 4, 2, 3, 4, 2, 3)), 4, alphabet = "-ACD")
expect_equal(atp_sequences(atp_for_model(whole, independent)), atp_sequences(whole)[, c(2, 3, 5, 6, 9), drop = FALSE])
expect_equal(atp_sequences(atp_match_columns(whole, family)), atp_sequences(whole)[, c(2, 3, 5, 6, 9), drop = FALSE])
agreed <- atp_agreement("spearman", 1:5, c(2, 1, 4, 3, 5), draws = 50)
expect_equal(agreed[["value"]], 0.8)
expect_true(agreed[["low"]] <= agreed[["high"]])
groups <- atp_mutants_agreement(1:24, c(1:12, -(13:24)), rep(1:2, each = 12), draws = 0)
expect_equal(groups$mutations, rep(0:2, each = 4))
expect_equal(groups$value[c(5, 9)], c(1, -1))
few <- atp_alignment(rbind(c(1, 1, 2), c(1, 1, 2), c(1, 3, 2)), 3, alphabet = "-AC")
expect_equal(unname(atp_summary(few))[1:5], c(1, 5 / 9, 1, 2, 2))
expect_equal(atp_residue_frequencies(few)[3, ], c(1, 0))
expect_equal(atp_conservation(few)[c(1, 3)], c(1, 1))
expect_true(is.nan(atp_conservation(few, "ignore")[1]))
atp_weigh(few, 0.2, progress = function(report) TRUE)
expect_equal(atp_weights(few), c(1, 1, 1))
parts <- atp_compare_parts(atp_alignment(rbind(rep(1, 5), c(1, 1, 1, 1, 2)), 2), 3, splits = 2)
expect_equal(parts$mean["sites", "pearson"], 36 / 46)
same <- atp_compare_statistics(data, data)
expect_equal(unname(same["pairs", c("pearson", "slope", "rms")]), c(1, 1, 0))
quality <- atp_samples_quality(data, data, runs = 3, triples = 100)
expect_equal(nrow(quality$measures), 32)
expect_equal(quality$measures$samples[quality$measures$measure == "copies"], 1)
expect_equal(quality$measures$samples[quality$measures$measure == "pairs_pearson"], same[["pairs", "pearson"]])
expect_equal(sum(quality$distances$pairs_data), 1)
components <- atp_principal_components(data, data, 3)
expect_equal(components$data, components$samples)
expect_equal(colSums(components$data^2 * atp_weights(data)) / sum(atp_weights(data)), components$variances)

file <- tempfile()
atp_write_scores(norms, file)
expect_equal(atp_read_scores(file)$scores, norms, tolerance = 1e-15)
atp_write_scores(norms, file, "plmc", numbers = 11:16, residues = "ACDEFG")
read <- atp_read_scores(file)
expect_equal(read$scores, norms, tolerance = 1e-5)
expect_identical(read[-1], list(numbers = as.double(11:16), residues = "ACDEFG"))
atp_write_model(atp_gauge(truth), file, "bmdca")
expect_equal(atp_couplings(atp_read_model(file)), atp_couplings(atp_gauge(truth)), tolerance = 1e-5)
unlink(file)

# ---- learning curves ----
# lambda = 0, alpha > 1: exactly alpha / (z (alpha - 1))
curve <- atp_replica_limit(2.5, c(2, 4), 0)
expect_equal(curve$eg, c(2, 4) / (2.5 * c(1, 3)), tolerance = 1e-12)
expect_identical(attr(curve, "outcome"), "converged")
expect_identical(attr(curve, "units")[names(curve) == "outcome"], "atp_outcome")
expect_identical(attr(curve, "descriptions")[names(curve) == "m"], "w . S w*, the overlap with the teacher")
expect_identical(atp_replica_limit(2.5, c(1, 2), 0)$outcome, c("diverged", "converged"))
# alpha / (alpha - 1) = R at alpha = R / (R - 1); inputs of one variance: noise / |w*|^2 for every alpha
expect_equal(atp_replica_limit(2.5, lambda = 0, targets = c(1.05, 1.2))$alpha, c(21, 6), tolerance = 1e-8)
expect_equal(atp_replica_square(rep(1, 4), rep(0.5, 4), 0.3, c(0.5, 3), best_lambda = TRUE)$lambda, c(0.15, 0.15), tolerance = 1e-5)
pair <- matrix(c(0.25, -0.25, -0.25, 0.25), 2)
expect_equal(atp_replica_color_covariance(matrix(c(0.5, -0.5, -0.5, 0.5), 2)), pair)
glass <- atp_replica_spin_glass(1.2, pair, 100)
expect_equal(c(mean(diag(glass$covariance)), sum(glass$teacher^2)), c(1, 1.44), tolerance = 1e-6)
if (atp_has_feature("lapack")) {
  masked <- atp_replica_mask_precision(atp_replica_goe(60, 2.5, seed = 2))
  spectrum <- atp_replica_spectrum(masked$covariance, masked$teacher)
  expect_equal(spectrum$eigenvalues, rev(eigen(masked$covariance, TRUE, TRUE)$values), tolerance = 1e-10)
  expect_equal(sum(spectrum$eigenvalues * spectrum$projections), c(masked$teacher %*% masked$covariance %*% masked$teacher),
               tolerance = 1e-10)
  inverse <- solve(atp_replica_goe(60, 2.5, seed = 2))
  from_covariance <- atp_replica_mask_covariance((inverse + t(inverse)) / 2, 1)
  expect_equal(from_covariance, masked, tolerance = 1e-9)
  one <- atp_replica_square(spectrum$eigenvalues, spectrum$projections, masked$noise, 2, 0.1)
  two <- atp_replica_square_saddle(spectrum$eigenvalues, spectrum$projections, masked$noise, 2, 0.1)
  expect_equal(one$eg, two$eg, tolerance = 1e-9)
  huber <- atp_replica_convex(spectrum$eigenvalues, spectrum$projections, 2, 0.1, loss = "huber", noise = masked$noise,
                              delta = 1e6)
  expect_equal(huber$eg, one$eg, tolerance = 1e-8)
  expect_true(attr(huber, "optimum") <= huber$eg)
  # Two colours of fields +-u/2 are the logistic loss.
  pair <- matrix(c(0.25, -0.25, -0.25, 0.25), 2)
  logistic <- atp_replica_convex(spectrum$eigenvalues, spectrum$projections, 2, 0.1)
  potts <- atp_replica_potts(spectrum$eigenvalues, spectrum$projections, pair, 2, 0.1, points = 2^14, shifts = 2)
  expect_equal(potts$eg, logistic$eg, tolerance = 1e-8)
  expect_equal(attr(potts, "optimum"), attr(logistic, "optimum"), tolerance = 1e-8)
  drawn <- atp_replica_simulate_potts(masked, pair, 2, 0.1, realisations = 50)
  expect_true(abs(drawn$et - potts$et) < 4 * drawn$et_sem + 0.02 * potts$et)
  simulated <- atp_replica_simulate(masked, 2, 0.1, realisations = 200)
  expect_true(abs(simulated$eg - one$eg) < 4 * simulated$eg_sem + 0.02 * one$eg)
  expect_true(atp_replica_simulate(masked, 2, 0.1, bytes = TRUE) > 0)
}

# ---- dot-product attention ----
alphas <- c(1, 3)
# Three tokens, a code of two columns.
code <- rbind(c(1, 0), c(0, 1), c(-1, -1))
a <- rbind(c(0.6, 0.3, 0.1), c(0.2, 0.5, 0.3), c(0.3, 0.1, 0.6))
# ./check.sh leaves the slowest part to ./check.sh --all.
if (is.na(Sys.getenv("ATP_TEST_QUICK", NA))) {
  # Quadrature, lattices and simulation of the same task.
  theory <- atp_dotattn_curve(alphas, accuracy = 0.05)
  expect_identical(names(theory)[1:4], c("branch", "omega", "alpha", "q"))
  expect_identical(theory$branch, c("semantic", "semantic"))
  expect_identical(theory$outcome, c("converged", "converged"))
  expect_identical(theory$alpha, alphas)
  expect_true(all(theory$m == 0 & theory$theta > 0))
  lattice <- atp_dotattn_tokens(alphas, points = 256, shifts = 4)
  simulated <- atp_dotattn_simulate(alphas, dimension = 200, runs = 6, optimizer = "lbfgs")
  expect_identical(c(attr(lattice, "outcome"), attr(simulated, "outcome")), c("converged", "converged"))
  expect_identical(simulated$samples, c(200, 600))
  # The order parameters of theory, within errors and what 200 dimensions or few points are short of infinitely many.
  near <- function(found, theory, name, errors) {
    expect_true(all(abs(found[[name]] - theory[[name]]) < errors * found[[paste0(name, "_sem")]] + 0.05 * theory[[name]]))
  }
  for (name in c("q", "theta")) {
    near(lattice, theory, name, 6)
    near(simulated, theory, name, 5)
  }
  positional <- atp_dotattn_curve(1, "positional", accuracy = 0.05)
  lattice <- atp_dotattn_tokens(1, start = "positional", points = 256, shifts = 4)
  expect_true(positional$theta == 0 && lattice$theta == 0)
  near(lattice, positional, "m", 6)
  # Three tokens, a code of two columns: rows of tokens that are exchanged together change nothing.
  turned <- c(2, 3, 1)
  tokens <- function(code, a) atp_dotattn_tokens(2, code, a, start = "positional", points = 1024, shifts = 8)
  one <- tokens(code, a)
  two <- tokens(code[turned, ], a[turned, turned])
  expect_true(abs(one$m - two$m) < 6 * (one$m_sem + two$m_sem))
  wrong <- tokens(code[turned, ], a)
  expect_true(abs(one$eg - wrong$eg) > 6 * (one$eg_sem + wrong$eg_sem))
}
few <- atp_dotattn_curve(alphas, "positional", max_iter = 3)
expect_identical(names(few)[1:4], c("branch", "omega", "alpha", "q"))
expect_identical(few$alpha, alphas)
expect_identical(atp_dotattn_tokens(alphas, code, a, points = 64, shifts = 2, max_iter = 3)$points, c(64, 64))
# An A that is not symmetric; its rows sum to one, and not its columns.
skew <- rbind(c(0.7, 0.3), c(0.2, 0.8))
expect_silent(atp_dotattn_curve(1, "positional", teacher = skew, max_iter = 3))
expect_warning(atp_dotattn_curve(1, "positional", teacher = t(skew), max_iter = 3), class = "attopotts_log")
expect_equal(atp_dotattn_linear(omega = 1, teacher = skew), list(map = skew, loss = 0), tolerance = 1e-12)
expect_equal(atp_dotattn_linear()$loss, few$eg_linear[1], tolerance = 1e-6)
# A few iterations of many.
ends <- atp_dotattn_transition(c(0.2, 0.3), max_iter = 10)
expect_identical(ends$omega, c(0.2, 0.3))
expect_identical(ends$outcome, c("max_iter", "max_iter"))
expect_equal(ends$eg_linear[2], few$eg_linear[1], tolerance = 1e-6)
expect_true(all(is.nan(ends$alpha_c)) && all(c("alpha_semantic", "alpha_positional_end") %in% names(ends)))
# Simulations repeat.
draw <- function(threads) atp_dotattn_simulate(alphas, dimension = 30, code = code, teacher = a, optimizer = "adam",
                                               steps = 40, tolerance = 0, test_samples = 50, runs = 3, seed = 4,
                                               context = atp_context(threads = threads))
expect_identical(draw(1), draw(2))
expect_identical(attr(draw(1), "outcome"), "max_iter")
# Against time: the limit of many dimensions, and runs after each other.
path <- atp_dotattn_dynamics(c(0, 2), code, a, start_m = 0.5, points = 64, shifts = 2)
expect_identical(path$outcome, c("converged", "converged"))
expect_identical(path$time, c(0, 2))
expect_equal(path$m[1], 0.5, tolerance = 1e-12)
expect_true(path$eg[2] < path$eg[1])
turned <- c(2, 3, 1)
same <- atp_dotattn_dynamics(c(0, 2), code[turned, ], a[turned, turned], start_m = 0.5, points = 1024, shifts = 4)
expect_true(abs(path$m[2] - same$m[2]) < 8 * (path$m_sem[2] + same$m_sem[2]))
runs <- atp_dotattn_trajectories(c(0, 2), dimension = 30, start_m = 0.5, runs = 3, test_samples = 50)
expect_identical(runs$run, c(0, 0, 1, 1, 2, 2))
expect_identical(runs$steps[1:2], c(0, 60))
bytes <- function(size) atp_dotattn_simulate(alphas, dimension = size, bytes = TRUE)
expect_true(bytes(60) > bytes(30))

# Couplings of a list of pairs.
local({
  data <- atp_alignment(matrix(c(1, 2, 3, 1, 2, 2, 3, 1, 3, 3, 1, 2, 2, 1, 3, 2, 2, 1, 3, 3, 1, 1, 2, 3), 6), colors = 3)
  pairs <- rbind(c(4, 1), c(2, 3))
  trainer <- atp_trainer(data, pairs = pairs, precision = 64)
  expect_equal(length(atp_parameters(trainer)), 4 * 3 + 2 * 9)
  expect_equal(unname(atp_pairs(trainer)), rbind(c(1, 4), c(2, 3)))
  atp_train(trainer, 50)
  model <- atp_model(trainer)
  expect_equal(unname(atp_pairs(model)), rbind(c(1, 4), c(2, 3)))
  norms <- atp_frobenius(model)
  expect_true(norms[1, 4] > 0 && norms[2, 3] > 0 && norms[1, 2] == 0)
  kept <- atp_keep_pairs(model, rbind(c(2, 3)))
  expect_equal(atp_couplings(kept)[2, 3, , ], atp_couplings(model)[2, 3, , ])
  expect_true(all(atp_couplings(kept)[1, 4, , ] == 0))
  again <- atp_model_pairs(4, atp_pairs(model), atp_pair_couplings(model), fields = atp_fields(model))
  expect_equal(atp_couplings(again), atp_couplings(model))
  potts <- atp_model_pairs(5, rbind(c(4, 2), c(1, 2)), c(2, -1), diag(3))
  expect_equal(unname(atp_pairs(potts)), rbind(c(1, 2), c(2, 4)))
  expect_equal(atp_pair_couplings(potts)[2, , ], 2 * diag(3))
  ring <- atp_model_lattice(size_x = 4, size_y = 1, color_matrix = "ising", bonds = "antiferromagnet")
  expect_equal(unname(atp_pairs(ring)), rbind(c(1, 2), c(1, 4), c(2, 3), c(3, 4)))
  expect_equal(atp_pair_couplings(ring)[3, , ], rbind(c(-1, 1), c(1, -1)))
  expect_true(atp_trainer_pairs_bytes(data, pairs) > 0)
  expect_equal(nrow(atp_pairs(atp_trainer(data))), 0)
  expect_error(atp_trainer(data, pairs = rbind(c(1, 5))), "must be a site")
})
