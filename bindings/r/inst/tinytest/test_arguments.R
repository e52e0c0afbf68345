# SPDX-License-Identifier: MIT
# Arguments: options of others, numbers that are none, places in messages, sequences as strings.
library(attopotts)

truth <- atp_model_random(sites = 6, colors = 4, seed = 3)
data <- atp_alignment(atp_sample(atp_sampler(truth, chains = 16), 200, thin = 2), colors = 4)
refused <- function(pattern, ...) {
  home <- parent.frame()
  for (call in eval(substitute(alist(...)))) expect_error(eval(call, home), pattern, info = deparse(call)[1])
}

# ---- every function refuses options that it does not have, and doubled ones ----
unread <- function(option) paste0("ATP_E_OPTION: .* has no option ", option, ": .* has it")
refused(unread("beta"), atp_trainer(data, beta = 3), atp_trainer_bytes(200, 6, 4, beta = 3), atp_select_penalty(data, beta = 3))
refused(unread("blocks"),
        atp_sampler(truth, blocks = 3), atp_sample_equilibrium(truth, 10, blocks = 3), atp_tune_beta(truth, blocks = 3),
        atp_mean_field(data, blocks = 3), atp_gaussian_scores(data, blocks = 3), atp_filter(data, blocks = 3),
        atp_dotattn_curve(1, blocks = 3), atp_replica_limit(2.5, 1, 0.1, blocks = 3))
refused(unread("folds"), atp_trainer(data, folds = 5), atp_trainer_bytes(200, 6, 4, folds = 5))
refused(unread("heads"), atp_select_folds(data, heads = 2))
refused(unread("protocol"), atp_sampler(truth, chains = 2, protocol = "chain"))
refused("option \"heads\" is given twice", atp_trainer(data, heads = 2, heads = 3))
refused("option \"l2_couplings\" is given twice", atp_trainer(data, "l2-couplings" = 2, l2_couplings = 3))
refused("option \"noise\" is given twice", atp_replica_simulate(list(covariance = diag(2), teacher = 1:2, noise = 1), 1, 0.1, noise = 2))
refused("no option \"head\" here, expected one of .*heads", atp_trainer(data, head = 2))
# The list is of what is read here: no option of others.
listed <- sub(".*expected one of ", "", conditionMessage(tryCatch(atp_sampler(truth, chain = 2), error = identity)))
listed <- strsplit(listed, ", ")[[1]]
expect_true(all(c("seed", "chains", "beta", "temperatures") %in% listed))
expect_false(any(c("heads", "blocks", "folds", "epochs", "theta") %in% listed))
expect_inherits(atp_trainer(data, heads = NULL, seed = 2), "atp_trainer")

# ---- numbers that are none of R's plain ones ----
date <- as.Date("2020-01-01")
refused("sites is a factor of length 1", atp_model_random(factor(10), 5))
refused("sites is a Date of length 1", atp_model_random(date, 5))
refused("sites is a POSIXct of length 1", atp_model_random(as.POSIXct(date), 5))
refused("sites is a difftime of length 1", atp_model_random(date - date + 10, 5))
refused("sites is a complex of length 1", atp_model_random(10 + 0i, 5))
refused("sites is a logical of length 1", atp_model_random(TRUE, 5))
refused("sites is a integer64 of length 1", atp_model_random(structure(5e-323, class = "integer64"), 5))
refused("sites is NA", atp_model_random(NA_integer_, 5), atp_model_random(NA_real_, 5))
refused("sites is NaN", atp_model_random(NaN, 5))
refused("sites is 1.0000000000000001e\\+300", atp_model_random(1e300, 5))
refused("theta is a factor", atp_weigh(data, theta = factor(1)))
refused("weights is Date", atp_set_weights(data, rep(date, 200)))
refused("weights is factor", atp_set_weights(data, factor(rep(1, 200))))
refused("weights is complex", atp_set_weights(data, rep(1i, 200)))
refused("weights is integer64", atp_set_weights(data, structure(rep(1, 200), class = "integer64")))
refused("option \"heads\" is factor", atp_trainer(data, heads = factor(1)))
refused("map is factor, expected a word", atp_trainer(data, map = factor("softmax")))
refused("sequences is factor", atp_alignment(structure(rep(1:2, 4), dim = c(2L, 4L), levels = c("a", "b"), class = "factor")))
refused("sequences is complex", atp_alignment(matrix(1i, 2, 2)))
refused("pairs is a logical of length 1, expected TRUE or FALSE", atp_enumerate(truth, pairs = NA))
refused("pseudolikelihood is a double of length 1", atp_mutants(truth, rep(1, 6), pseudolikelihood = 1))
refused("flag is a logical", atp_rank_any(NA))
refused("comm is 1.5", atp_set_ranks(1.5))
refused("gap is 7, expected 1..4", atp_frobenius(truth, gap = 7), atp_gaussian_scores(data, gap = 7),
        atp_best_doubles(truth, rep(1, 6), 3, gap = 7))
refused("an extent of 8589934593 is too large", atp_best_doubles(truth, rep(1, 6), 2^33 + 1))
refused("k is -3, must be in 1..", atp_best_doubles(truth, rep(1, 6), -3))
refused("gap is 0, expected 1..4", atp_frobenius(truth, gap = 0))

# ---- places in messages are those of R's arrays, from 1 ----
pairs <- rbind(c(1, 2), c(3, 4))
put <- function(x, value, ...) `[<-`(x, ..., value = value)
refused("pairs\\[2, 1\\] is 7, must be a site in 1..6", atp_keep_pairs(truth, put(pairs, 7, 2, 1)),
        atp_trainer(data, pairs = put(pairs, 7, 2, 1)))
refused("pairs\\[2, 1\\] is 7, must be in 1..6", atp_double_mutants(truth, rep(1, 6), put(pairs, 7, 2, 1)),
        atp_precision(put(pairs, 7, 2, 1), matrix(5, 6, 6)))
refused("pairs\\[2, 1\\] is 1.5", atp_keep_pairs(truth, put(pairs, 1.5, 2, 1)), atp_precision(put(pairs, 1.5, 2, 1), matrix(5, 6, 6)))
refused("pairs\\[1, 2\\] is NA", atp_keep_pairs(truth, put(pairs, NA, 1, 2)))
refused("pairs\\[2, 1\\] is 0: sites count from 1", atp_keep_pairs(truth, put(pairs, 0, 2, 1)))
refused("pairs\\[2\\] is the pair of site 4 with itself", atp_keep_pairs(truth, put(pairs, 4, 2, 1)))
refused("the pair of sites 1 and 2 twice", atp_keep_pairs(truth, rbind(c(1, 2), c(2, 1))))
refused("couplings\\[1, 2, 3, 1\\] is nan", atp_model_dense(put(array(0, c(2, 2, 3, 3)), NaN, 1, 2, 3, 1)))
refused("fields\\[2, 3\\] is inf", atp_model_dense(array(0, c(2, 2, 3, 3)), put(matrix(0, 2, 3), Inf, 2, 3)))
refused("maps\\[1, 2, 3\\] is nan", atp_model_heads(put(matrix(0, 3, 3), NaN, 2, 3), matrix(0, 2, 2)))
refused("values\\[1, 2, 3\\] is nan", atp_set_values(atp_trainer(data), put(array(1, c(1, 4, 4)), NaN, 1, 2, 3)))
refused("frequencies\\[2, 3\\] is nan", atp_independent_loss(data, put(matrix(0.25, 6, 4), NaN, 2, 3)))
refused("frequencies\\[2, 3\\] is 2", atp_direct_information(truth, put(matrix(0.25, 6, 4), 2, 2, 3)))
refused("scores\\[2, 4\\] is nan", atp_apc(put(put(matrix(0, 5, 5), NaN, 2, 4), NaN, 4, 2)),
        atp_write_scores(put(matrix(0, 5, 5), NaN, 2, 4), tempfile()))
refused("teacher\\[2, 1\\] is nan", atp_dotattn_curve(1, teacher = put(diag(2), NaN, 2, 1)))
refused("code\\[3, 2\\] is nan", atp_dotattn_tokens(1, code = put(matrix(0, 3, 2), NaN, 3, 2), teacher = diag(3)))
refused("weights\\[3\\] is nan", atp_set_weights(data, put(rep(1, 200), NaN, 3)))
refused("betas\\[3\\] is 0.4, must be above betas\\[2\\], which is 0.5",
        atp_set_betas(atp_sampler(truth, temperatures = 3), c(0.1, 0.5, 0.4)))
refused("times\\[2\\] is 0.5 after 1", atp_dotattn_dynamics(c(1, 0.5)))
refused("theta.*\\[2\\] is 3", atp_scan_weights(data, c(0.1, 3)))
refused("columns\\[4\\] is 3, must be in 1..6", atp_set_columns(atp_copy(truth), c(1, 2, 3, 3, 5, 6), 6))
refused("numbers\\[6\\] is", atp_set_sites(truth, numbers = c(1:5, 2^60)))
refused("masked_sites\\[1\\] is 9, must be in 1..6", atp_gradient(atp_trainer(data), rep(9, 200)))
refused("site is 9, must be in 1..2", atp_replica_mask_precision(diag(2), 9))
refused("rung is 9, must be in 1..1", atp_states(atp_sampler(truth), rung = 9))
refused("first is 500, must be in 1..200", atp_select(data, 500, 2))
context <- atp_context(threads = 1)
try(atp_keep_pairs(atp_model_random(6, 4, context = context), put(pairs, 7, 2, 1)), silent = TRUE)
expect_true(grepl("pairs[2, 1] is 7, must be a site in 1..6", atp_last_error(context), fixed = TRUE))

# ---- a triangle or another asymmetric matrix is no matrix of scores or distances ----
full <- matrix(c(0, 1, 2, 1, 0, 3, 2, 3, 0), 3)
triangle <- full * upper.tri(full)
refused("ATP_E_SYMMETRY.*\\[1, 2\\]|ATP_E_SYMMETRY.*\\[2, 1\\]", atp_apc(triangle), atp_apc(t(triangle)), atp_rank(triangle),
        atp_rank(t(triangle)),
        atp_precision(rbind(1:2), triangle), atp_write_scores(triangle, tempfile()))
expect_identical(atp_rank(full), structure(c(2L, 1L, 1L, 3L, 3L, 2L), dim = 3:2, dimnames = list(NULL, c("i", "j"))))

# ---- sequences as strings ----
text <- c(one = "-ACD", "two/1-4" = "EAC-")
strings <- atp_alignment(text, alphabet = "-ACDE")
expect_identical(atp_names(strings), names(text))
expect_identical(atp_sequences(strings), rbind(c(1L, 2L, 3L, 4L), c(5L, 2L, 3L, 1L)))
expect_identical(c(atp_colors(strings), atp_alphabet(strings)), c("5", "-ACDE"))
bare <- atp_alignment(unname(text), alphabet = "-ACDE", weights = c(2, 0.5))
expect_identical(atp_sequences(bare), atp_sequences(strings))
expect_identical(atp_weights(bare), c(2, 0.5))
expect_identical(dim(atp_alignment(c("ACDEF", "acdef"), alphabet = "protein")), c(2L, 5L))
refused("ATP_E_CONFLICT.*alphabet", atp_alignment(text))
refused("colors is 7, the alphabet has 5 symbols", atp_alignment(text, alphabet = "-ACDE", colors = 7))
refused("sequences\\[2\\] is \"A>C\"", atp_alignment(c("ACD", "A>C"), alphabet = "-ACDE"))
refused("sequences\\[1\\] is \"A\\\\nCD\"", atp_alignment(c("A\nCD", "ACD"), alphabet = "-ACDE"))
refused("sequences\\[2\\] is NA", atp_alignment(c("ACD", NA), alphabet = "-ACDE"))
refused("sequences\\[1\\] is \"\"", atp_alignment(c("", "ACD"), alphabet = "-ACDE"))
refused("names\\(sequences\\)\\[2\\] is \"a.*b\", expected no blanks", atp_alignment(c(c = "ACD", "a\nb" = "ACD"), alphabet = "-ACDE"),
        atp_alignment(c(c = "ACD", "a b" = "ACD"), alphabet = "-ACDE"), atp_alignment(c(c = "ACD", "a\tb" = "ACD"), alphabet = "-ACDE"))
refused("names\\(sequences\\)\\[1\\] is NA", atp_alignment(stats::setNames(c("ACD", "ACD"), c(NA, "b")), alphabet = "-ACDE"))
expect_equal(atp_names(atp_alignment(c(c = "ACD", "ACD"), alphabet = "-ACDE")), c("c", ""))
refused("colors is factor, expected numbers", atp_alignment("ACD", colors = factor(5), alphabet = "-ACDE"))
for (sequences in list("ACD", matrix(1:4, 2))) {
  refused("alphabet is character of length 2, expected one string", atp_alignment(sequences, alphabet = c("rna", "dna")))
  refused("alphabet is NA, expected one string", atp_alignment(sequences, alphabet = NA_character_))
  refused("alphabet is factor of length 1, expected one string", atp_alignment(sequences, alphabet = factor("rna")))
}
refused("2 symbols, expected 3", atp_alignment(c("ACD", "AC"), alphabet = "-ACDE"))
refused("ATP_E_ALPHABET.*X", atp_alignment(c("ACD", "AXD"), alphabet = "-ACDE", unknown = "error"))
refused("options of the reader are for strings", atp_alignment(rbind(1:2), unknown = "error"))

# ---- decimal points where R's locale has commas ----
set_numeric <- function(locale) suppressWarnings(Sys.setlocale("LC_NUMERIC", locale))
comma <- set_numeric("de_DE.UTF-8")
if (!nzchar(comma) && nzchar(Sys.which("localedef"))) {
  # Where the machine has none it is compiled.
  folder <- tempfile("locales")
  dir.create(folder)
  system2("localedef", c("-i", "de_DE", "-f", "UTF-8", file.path(folder, "de_DE.UTF-8")), stdout = FALSE, stderr = FALSE)
  Sys.setenv(LOCPATH = folder)
  comma <- set_numeric("de_DE.UTF-8")
}
if (nzchar(comma)) {
  refused("sites is 2\\.5, expected a whole number", atp_model_random(2.5, 5))
  refused("sequences\\[1, 1\\] is 1\\.5", atp_alignment(rbind(c(1.5, 2))))
  refused("option heads is 1\\.5, must be a whole number", atp_trainer(data, heads = 1.5))
  refused("weights\\[3\\] is -0\\.5", atp_set_weights(data, put(rep(1, 200), -0.5, 3)))
  set_numeric("C")
}
