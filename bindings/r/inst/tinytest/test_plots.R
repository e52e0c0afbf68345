# SPDX-License-Identifier: MIT
# Pictures: what is on the device is what the objects hold.
library(attopotts)

# The calls of a picture by the name of their entry point, with their arguments.
drawn <- function(code) {
  file <- tempfile(fileext = ".pdf")
  pdf(file)
  dev.control("enable")
  on.exit({
    dev.off()
    unlink(file)
  })
  force(code)
  calls <- recordPlot()[[1]]
  names <- vapply(calls, function(call) {
    symbol <- call[[2]][[1]]
    if (is.list(symbol) && !is.null(symbol$name)) symbol$name else ""
  }, "")
  list(of = function(name) lapply(calls[names == name], function(call) call[[2]][-1]))
}
xy <- function(call) list(x = call[[1]]$x, y = call[[1]]$y)
last <- function(calls) calls[[length(calls)]]
# Lines ("l"), points ("p") or bars ("h"), in the order of the picture; legends have some, too, which come before curves and after contacts.
series <- function(picture, type) Filter(function(call) identical(call[[2]], type), picture$of("C_plotXY"))
titles <- function(picture) unlist(lapply(picture$of("C_title"), function(call) Filter(is.character, call)))

fold <- atp_model_random(12, 4, couplings = "contacts", seed = 2)
atp_set_sites(fold, numbers = c(11:13, 15:23))
atp_set_alphabet(fold, "ABCD")

# ---- theory and simulation: the same colours, points with errors ----
theory <- atp_replica_limit(2.5, c(0.5, 1, 2, 5, 10), lambda = 0.01)
picture <- drawn(plot(theory))
expect_equal(lapply(series(picture, "l"), xy), list(list(x = theory$alpha, y = theory$eg), list(x = theory$alpha, y = theory$et)))
expect_true(all(c("alpha: samples per parameter", "loss") %in% titles(picture)))
expect_true(picture$of("C_plot_window")[[1]][[3]] == "x")
if (atp_has_feature("lapack")) {
  masked <- atp_replica_mask_precision(atp_replica_goe(30, 2.5))
  simulated <- atp_replica_simulate(masked, c(1, 2), lambda = 0.01, realisations = 5)
  picture <- drawn({
    plot(theory, what = "eg")
    plot(simulated, what = "eg", add = TRUE)
  })
  points <- last(series(picture, "p"))
  expect_equal(xy(points), list(x = simulated$alpha, y = simulated$eg))
  expect_identical(points[[5]], series(picture, "l")[[1]][[5]])
  bars <- last(picture$of("C_segments"))
  expect_equal(unname(bars[c(2, 4)]), list(simulated$eg - simulated$eg_sem, simulated$eg + simulated$eg_sem))
}
few <- atp_dotattn_tokens(1, points = 32, shifts = 2)
expect_true("training loss per dimension" %in% titles(drawn(plot(few, "et"))))
# Other columns, and what is not there; a part of a table.
expect_equal(xy(series(drawn(plot(theory, "q", across = "eg")), "l")[[1]]), list(x = theory$eg, y = theory$q))
expect_error(plot(theory, "egg"), "no column \"egg\", expected one of \"?alpha, lambda, eg")
expect_equal(xy(series(drawn(plot(theory[2:3, ], "eg")), "l")[[1]]), list(x = theory$alpha[2:3], y = theory$eg[2:3]))
expect_error(plot(theory[c("m", "v")]), "it is not a curve")

# ---- other tables ----
data <- atp_alignment(atp_sample(atp_sampler(fold, chains = 8), 64), colors = 4)
weights <- atp_scan_weights(data, c(0.1, 0.3))
expect_equal(xy(series(drawn(plot(weights)), "l")[[1]]), list(x = c(0.1, 0.3), y = weights$effective))
path <- atp_select_penalty(data, strengths = 3, folds = 2)
picture <- drawn(plot(path))
expect_equal(last(picture$of("C_segments"))[[4]], path$heldout_loss + path$standard_error)
expect_true("held-out loss, nats per site" %in% titles(picture))
runs <- atp_dotattn_trajectories(c(0, 0.1, 0.2), runs = 2, dimension = 50, test_samples = 10)
expect_equal(lapply(series(drawn(plot(runs, "m")), "l"), function(call) call[[1]]$y), unname(split(runs$m, runs$run)))
# Boltzmann learning has no losses: what its reports say of the chains.
chains <- atp_trainer(data, family = "dense", objective = "likelihood", chains = 64, epochs = 3, target = 1)
seen <- list()
atp_train(chains, progress = function(report) {
  seen[[length(seen) + 1L]] <<- report
  FALSE
})
history <- atp_history(chains)
expect_identical(history$pearson, sapply(seen, `[[`, "pearson"))
expect_identical(history$field_error, sapply(seen, `[[`, "field_error"))
picture <- drawn(plot(chains))
expect_equal(lapply(series(picture, "l"), function(call) call[[1]]$y)[1:2], list(history$pearson, history$slope))
expect_true("C_ij of chains against the family" %in% titles(picture))

# ---- maps ----
picture <- drawn(plot(fold, gap = NULL))
strength <- atp_apc(atp_frobenius(fold))
diag(strength) <- NA
image_of <- function(picture) picture$of("C_image")[[1]]
levels_of <- function(z, limits, n) pmin(floor((z - limits[1]) / diff(limits) * n), n - 1)
found <- image_of(picture)
expect_equal(length(found[[1]]) - 1, 12)
expect_equal(as.vector(found[[3]]), as.vector(levels_of(strength, range(strength, na.rm = TRUE), 64)))
expect_identical(dim(plot(fold, head = 1)), c(12L, 12L))
picture <- drawn(values <- plot(fold, head = 1, part = "values"))
expect_equal(values, atp_values(fold)[1, , ])
expect_true(any(vapply(picture$of("C_axis"), function(call) identical(call[[3]], c("A", "B", "C", "D")), NA)))
expect_error(plot(fold, head = 2), "no head 2, the model has 1")
sequence <- rep(1:4, 3)
sequence[6] <- NA
mutants <- atp_mutants(fold, sequence)
expect_stdout(print(mutants), "energy")
picture <- drawn(plot(mutants))
largest <- max(abs(mutants$energy), na.rm = TRUE)
expect_equal(as.vector(image_of(picture)[[3]]), as.vector(levels_of(-mutants$energy, c(-1, 1) * largest, 11)))
expect_true("#b35806" %in% image_of(picture)[[4]] && length(image_of(picture)[[4]]) == 11)
expect_true("All single mutants" %in% titles(picture))
picture_of_log <- drawn(plot(mutants, "log_pseudolikelihood"))
largest <- max(abs(mutants$log_pseudolikelihood), na.rm = TRUE)
expect_equal(as.vector(image_of(picture_of_log)[[3]]), as.vector(levels_of(mutants$log_pseudolikelihood, c(-1, 1) * largest, 11)))
expect_equal(xy(series(picture, "p")[[1]]), list(x = (1:12)[-6], y = sequence[-6]))
expect_true(all(c("site", "mutated to") %in% titles(picture)))

# ---- contacts: known ones, and which of the predicted ones are among them ----
contacts <- atp_contacts(fold, separation = 2, gap = NULL)
distances <- matrix(12, 12, 12)
place <- function(rows) as.matrix(as.data.frame(contacts)[rows, c("i", "j")])
for (set in list(list(place(1:3), 5), list(place(4:5), 9), list(place(6), NA), list(cbind(1, 12), 7.9))) {
  distances[set[[1]]] <- set[[2]]
  distances[set[[1]][, 2:1, drop = FALSE]] <- set[[2]]
}
picture <- drawn(plot(contacts, 6, distances = distances))
sets <- lapply(series(picture, "p"), function(call) sort(call[[1]]$x * 100 + call[[1]]$y))
key <- function(pairs) sort(c(pairs[, 1] * 100 + pairs[, 2], pairs[, 2] * 100 + pairs[, 1]))
expected <- list(rbind(place(1:3), c(1, 12)), place(1:3), place(4:5), place(6))
expect_equivalent(sets[1:4], lapply(expected, key))
expect_equal(length(series(drawn(plot(contacts, 4)), "p")[[1]][[1]]$x), 8)

# ---- distances of sequences; files ----
# ---- quality of weak samples: limits, independent samples, and samples on both sides of them ----
at <- function(beta, seed) atp_alignment(atp_sample(atp_sampler(fold, chains = 400, beta = beta, seed = seed), 400, thin = 200), colors = 4)
quality <- atp_samples_quality(at(1, 1), at(0.3, 2), runs = 4, triples = 100)
judged <- quality$measures[is.finite(quality$measures$low) | is.finite(quality$measures$high), ]
picture <- drawn(expect_equal(plot(quality)$measure, judged$measure))
dots <- lapply(series(picture, "p"), xy)
expect_equal(dots[[1]], list(x = judged$parts, y = rev(seq_len(nrow(judged)))))
expect_equal(dots[[2]]$x, judged$samples)
fault <- !is.na(judged$verdict) & judged$verdict != 0
expect_true(any(fault) && !all(fault))
expect_equal(series(picture, "p")[[2]][[3]], ifelse(fault, 4L, 19L))
bars <- picture$of("C_rect")[[1]]
expect_equal(bars[[1]][is.finite(judged$low)], judged$low[is.finite(judged$low)])
expect_equal(bars[[3]][is.finite(judged$high)], judged$high[is.finite(judged$high)])
quality$measures$low <- quality$measures$high <- NA_real_
expect_error(plot(quality), "no measure has limits")

histogram <- atp_hamming_histogram(data)
expect_stdout(print(histogram), "2016 pairs")
picture <- drawn(plot(histogram))
expect_equal(xy(series(picture, "h")[[1]]), list(x = 0:12, y = histogram$counts / 2016))
expect_equal(picture$of("C_abline")[[1]][[4]], histogram$mean * 12)
# ---- covariances of samples against those of data ----
constant <- atp_alignment(matrix(1, 4, 12), colors = 4)
picture <- drawn(cells <- atp_plot_covariances(data, constant, bins = 11))
expect_equal(sum(cells$counts), 66 * 16)
expect_equal(sum(cells$counts[, 6]), 66 * 16)
expect_equal(cells$y[6], 0)
expect_true(sum(cells$counts[, 6] > 0) > 5)
expect_true(all(c("C_ij(a, b) of the data", "C_ij(a, b) of the samples") %in% titles(picture)))
drawn(cells <- atp_plot_covariances(data, data, bins = 20))
expect_equal(sum(diag(cells$counts)), 66 * 16)
expect_error(atp_plot_covariances(data, atp_alignment(atp_sequences(data), colors = 5)), "samples have 12 sites and 5 colours, expected 12 and 4")
expect_error(atp_plot_covariances(data, data, bins = 1), "bins is 1, expected 2 or more")
file <- tempfile(fileext = ".png")
png(file)
plot(contacts)
invisible(dev.off())
expect_identical(readBin(file, "raw", 4), as.raw(c(0x89, 0x50, 0x4e, 0x47)))
unlink(file)

# ---- the same by ggplot2 ----
if (requireNamespace("ggplot2", quietly = TRUE)) {
  layer <- function(picture, k = 1) ggplot2::layer_data(picture, k)
  shown <- ggplot2::autoplot(theory)
  expect_equal(layer(shown)$y, c(theory$eg, theory$et))
  expect_identical(c(shown$labels$x, shown$labels$y), c("alpha: samples per parameter", "loss"))
  if (atp_has_feature("lapack")) {
    both <- ggplot2::autoplot(theory, "eg") + ggplot2::autolayer(simulated, "eg")
    expect_equal(layer(both, 2)$y, simulated$eg)
    expect_equal(layer(both, 3)$ymax, simulated$eg + simulated$eg_sem)
    expect_identical(unique(layer(both, 1)$colour), unique(layer(both, 2)$colour))
  }
  found <- layer(ggplot2::autoplot(contacts, 6, distances = distances))
  expect_equal(nrow(found), 2 * (4 + 6))
  expect_equal(sum(found$shape == 4), 4)
  expect_equal(ggplot2::autoplot(fold)$data$value, as.vector(strength))
  expect_equal(ggplot2::autoplot(mutants, "energy")$data$value, -as.vector(mutants$energy))
  tiles <- layer(ggplot2::autoplot(mutants))
  ends <- c(which.max(abs(mutants$energy)), which(is.na(mutants$energy) | mutants$energy == 0)[1])
  expect_true(tolower(tiles$fill[ends[1]]) == if (mutants$energy[ends[1]] < 0) "#08306b" else "#b35806")
  expect_true(tolower(tiles$fill[ends[2]]) %in% c("#ffffff", "white"))
  expect_true(tiles$y[1] < 0)  # the first colour is at the top
  expect_equal(layer(ggplot2::autoplot(mutants), 2)$x, (1:12)[-6])
  expect_equal(layer(ggplot2::autoplot(histogram))$y, histogram$counts / 2016)
  file <- tempfile(fileext = ".png")
  ggplot2::ggsave(file, ggplot2::autoplot(fold, head = 1, part = "values"), width = 4, height = 3, dpi = 50)
  expect_true(file.size(file) > 1000)
  unlink(file)
}
