# SPDX-License-Identifier: MIT
# Pictures of matrices and contacts by R's own graphics.

# Round places of sites.
.site_ticks <- function(numbers) {
  at <- pretty(seq_along(numbers))
  at[at >= 1 & at <= length(numbers) & at == trunc(at)]
}

.site_axis <- function(side, numbers, pos = 0.5) {
  at <- .site_ticks(numbers)
  graphics::axis(side, at = at, labels = numbers[at], pos = pos)
}

# The frame of a map, which may be smaller than the region of the plot.
.frame <- function(rows, columns) graphics::rect(0.5, 0.5, rows + 0.5, columns + 0.5, xpd = NA)

# A matrix with its first row at the left and its first column at the bottom; diverging: colours that are symmetric about 0.
.image <- function(z, xlab, ylab, main, diverging = FALSE, ..., colors = NULL,
                   zlim = if (diverging) .limits(z) else range(z, na.rm = TRUE)) {
  if (is.null(colors)) colors <- grDevices::hcl.colors(64L + diverging, if (diverging) "RdBu" else "Blues", rev = TRUE)
  graphics::image(seq_len(nrow(z)), seq_len(ncol(z)), z, xlab = xlab, ylab = ylab, main = main, axes = FALSE, col = colors,
                  zlim = zlim, ...)
  .frame(nrow(z), ncol(z))
}

.limits <- function(z) c(-1, 1) * max(abs(z), 1e-300, na.rm = TRUE)

.site_image <- function(z, numbers, xlab, ylab, main, ...) {
  .image(z, xlab, ylab, main, asp = 1, ...)
  for (side in 1:2) .site_axis(side, numbers)
}

# What the colours mean, above the picture.
.key <- function(z, words, diverging = FALSE, names = if (diverging) c("blue", "red") else c("light", "dark")) {
  ends <- formatC(if (diverging) .limits(z) else range(z, na.rm = TRUE), digits = 3L)
  graphics::mtext(words, cex = 0.8, line = 1.1)
  graphics::mtext(paste0(ends, " (", names, ")", collapse = " to "), cex = 0.8, line = 0.2)
}

# What plot() and autoplot() draw of a model: a matrix and what it is.
.matrix_of <- function(x, correct, gap, head, part) {
  if (is.null(head)) {
    scores <- atp_frobenius(x, gap = gap)
    if (correct) scores <- atp_apc(scores)
    diag(scores) <- NA
    words <- paste0("coupling strength: Frobenius norm", if (correct) ", corrected (APC)")
    return(list(z = scores, words = words, diverging = FALSE, sites = TRUE))
  }
  part <- match.arg(part, c("map", "values"))
  heads <- .tell(x, "heads")
  if (!isTRUE(head %in% seq_len(heads))) .wrong("E_VALUE", "no head ", head, ", the model has ", heads)
  if (part == "values") {
    return(list(z = atp_values(x)[head, , ], words = paste("values V of head", head), diverging = TRUE, sites = FALSE))
  }
  z <- atp_maps(x)[head, , ]
  diag(z) <- NA
  list(z = z, words = paste("map A of head", head), diverging = TRUE, sites = TRUE)
}

plot.atp_model <- function(x, correct = TRUE, gap = NULL, head = NULL, part = "map", xlab = NULL, ylab = xlab, main = "", ...) {
  shown <- .matrix_of(x, correct, gap, head, part)
  if (shown$sites) {
    if (is.null(xlab)) xlab <- "site"
    .site_image(shown$z, atp_sites(x)$number, xlab, ylab, main, diverging = shown$diverging, ...)
  } else {
    if (is.null(xlab)) xlab <- "colour"
    .image(shown$z, xlab, ylab, main, diverging = TRUE, asp = 1, ...)
    for (side in 1:2) graphics::axis(side, at = seq_len(nrow(shown$z)), labels = .color_names(atp_alphabet(x), nrow(shown$z)), pos = 0.5)
  }
  .key(shown$z, shown$words, shown$diverging)
  invisible(shown$z)
}

.color_names <- function(alphabet, colors) if (nzchar(alphabet)) strsplit(alphabet, "")[[1L]] else seq_len(colors)

# The best pairs and the known contacts as places of sites, in both triangles, and what each of them is.
.contact_pairs <- function(x, count, distances, cutoff) {
  sites <- length(attr(x, "numbers"))
  best <- x[seq_len(max(0, min(count, nrow(x)))), ]
  what <- rep("predicted", nrow(best))
  known <- matrix(0L, 0L, 2L)
  if (!is.null(distances)) {
    if (inherits(distances, "list")) distances <- distances$distances
    .to_c(distances, c(sites, sites), "distances")
    near <- distances[cbind(best$i, best$j)] < cutoff
    what <- ifelse(is.na(near), "predicted, distance not known", ifelse(near, "predicted, contact", "predicted, no contact"))
    known <- which(upper.tri(distances) & !is.na(distances) & distances < cutoff, arr.ind = TRUE)
  }
  pairs <- data.frame(i = c(known[, 1L], best$i), j = c(known[, 2L], best$j), what = c(rep("contact", nrow(known)), what),
                      stringsAsFactors = FALSE)
  rbind(pairs, data.frame(i = pairs$j, j = pairs$i, what = pairs$what, stringsAsFactors = FALSE))
}

# How each of them looks.
.contact_styles <- data.frame(
  what = c("contact", "predicted", "predicted, contact", "predicted, no contact", "predicted, distance not known"),
  pch = c(15L, 20L, 20L, 4L, 2L), col = c("grey80", "firebrick", "steelblue", "firebrick", "darkorange"), stringsAsFactors = FALSE)

plot.atp_contacts <- function(x, count = min(nrow(x), length(attr(x, "numbers"))), distances = NULL, cutoff = 8, xlab = "site",
                              ylab = "site", main = "contact map", ...) {
  numbers <- attr(x, "numbers")
  pairs <- .contact_pairs(x, count, distances, cutoff)
  background <- attr(x, "scores")
  if (is.null(distances)) {
    diag(background) <- NA
    .site_image(background, numbers, xlab, ylab, main, ...)
  } else {
    ends <- c(0.5, length(numbers) + 0.5)
    graphics::plot(ends, ends, type = "n", xlab = xlab, ylab = ylab, main = main, axes = FALSE, asp = 1, ...)
    for (side in 1:2) .site_axis(side, numbers)
    .frame(length(numbers), length(numbers))
  }
  styles <- .contact_styles[.contact_styles$what %in% pairs$what, ]
  for (k in seq_len(nrow(styles))) {
    of_kind <- pairs[pairs$what == styles$what[k], ]
    graphics::points(of_kind$i, of_kind$j, pch = styles$pch[k], col = styles$col[k])
  }
  if (!is.null(distances)) {
    graphics::legend(graphics::grconvertX(0.02, "nfc"), graphics::grconvertY(0.99, "nfc"), xpd = NA, bty = "n", cex = 0.7,
                     legend = styles$what, pch = styles$pch, col = styles$col)
  }
  invisible(x[seq_len(max(0, min(count, nrow(x)))), ])
}

# How many points of x and y fall into each of bins x bins cells of equal size.
.cells <- function(x, y, bins) {
  if (!is.numeric(bins) || !isTRUE(bins >= 2)) .wrong("E_VALUE", "bins is ", format(bins), ", expected 2 or more")
  place <- function(values, ends) pmin(bins, 1 + floor((values - ends[1L]) / diff(ends) * bins))
  ends <- lapply(list(x, y), function(values) if (diff(range(values)) > 0) range(values) else range(values) + c(-1, 1))
  counts <- tabulate(place(x, ends[[1L]]) + bins * (place(y, ends[[2L]]) - 1), bins^2)
  middles <- lapply(ends, function(range) range[1L] + (seq_len(bins) - 0.5) / bins * diff(range))
  list(x = middles[[1L]], y = middles[[2L]], counts = matrix(counts, bins))
}

atp_plot_covariances <- function(data, samples, bins = 100, xlab = "C_ij(a, b) of the data", ylab = "C_ij(a, b) of the samples",
                                 main = "", ...) {
  above <- function(alignment) {
    all <- atp_covariances(alignment)
    sites <- dim(all)[1L]
    list(shape = dim(all), values = as.vector(matrix(all, sites^2)[which(upper.tri(diag(sites))), ]))
  }
  x <- above(data)
  y <- above(samples)
  if (!identical(x$shape, y$shape)) {
    .wrong("E_SHAPE", "samples have ", y$shape[1L], " sites and ", y$shape[3L], " colours, expected ", x$shape[1L], " and ", x$shape[3L],
           " as in data")
  }
  cells <- .cells(x$values, y$values, bins)
  shown <- log10(ifelse(cells$counts > 0, cells$counts, NA))
  graphics::image(cells$x, cells$y, shown, xlab = xlab, ylab = ylab, main = main, col = grDevices::hcl.colors(64L, "viridis", rev = TRUE),
                  ...)
  graphics::abline(0, 1, lty = 2L)
  graphics::mtext(paste0("1 (light) to ", max(cells$counts), " (dark) pairs of sites and colours"), cex = 0.8, line = 0.2)
  invisible(cells)
}

# The colours of the program's maps of mutants, from less to more probable: the letters d of cli/report/svg.cpp.
.program_colors <- c("#b35806", "#cc761d", "#e59434", "#f4b566", "#f9dab3", "#ffffff",
                     "#b7d3e9", "#6ea6d3", "#3d7db5", "#225690", "#08306b")

# The scores of mutants that are asked for, positive for more probable ones, and what they are.
.mutants_of <- function(x, score) {
  words <- c(energy = "score -(H(mutant) - H(sequence))", log_pseudolikelihood = "change of the log pseudo-likelihood, nats")
  score <- match.arg(score, names(x))
  z <- if (score == "energy") -x$energy else x[[score]]
  own <- attr(x, "sequence")
  list(z = z, words = words[[score]], own = data.frame(i = seq_along(own), a = own)[!is.na(own), ], numbers = attr(x, "numbers"),
       colors = if (is.null(colnames(z))) seq_len(ncol(z)) else colnames(z))
}

plot.atp_mutants <- function(x, score = "energy", xlab = "site", ylab = "mutated to", main = "All single mutants", ...) {
  shown <- .mutants_of(x, score)
  bottom <- length(shown$colors) + 0.5
  .image(shown$z, xlab, ylab, "", diverging = TRUE, ylim = c(bottom, 0.5), colors = .program_colors, ...)
  graphics::title(main, line = 2.2)  # above the key
  .site_axis(1L, shown$numbers, bottom)
  graphics::axis(2L, at = seq_along(shown$colors), labels = shown$colors, las = 1L, pos = 0.5)
  graphics::points(shown$own$i, shown$own$a, pch = 20L, cex = 0.6)
  .key(shown$z, shown$words, TRUE, c("orange", "blue"))
  invisible(x)
}
