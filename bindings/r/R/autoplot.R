# SPDX-License-Identifier: MIT
# The same pictures by ggplot2, where it is installed. The methods are registered when it is loaded.

# Aesthetics from names of columns.
.aes <- function(...) {
  columns <- lapply(list(...), as.name)
  ggplot2::aes(!!!columns)
}

# A table in long form: a row for each number that is drawn.
.long <- function(x, what, across) {
  shown <- .shown(x, what, across)
  parts <- lapply(seq_along(shown$what), function(k) {
    value <- ifelse(is.finite(x[[shown$what[k]]]), x[[shown$what[k]]], NA)
    error <- shown$errors[[k]]
    data.frame(x = shown$x, value = value, error = if (is.null(error)) NA_real_ else error, column = shown$labels[k],
               run = paste(shown$what[k], shown$runs), points = shown$points[k], stringsAsFactors = FALSE)
  })
  data <- do.call(rbind, parts)
  data$low <- data$value - data$error
  data$high <- data$value + data$error
  data$column <- factor(data$column, unique(shown$labels))
  list(data = data, shown = shown)
}

autolayer.atp_table <- function(object, what = NULL, across = NULL, ...) {
  data <- .long(object, what, across)$data
  lines <- data[!data$points, ]
  points <- data[data$points, ]
  c(if (nrow(lines)) ggplot2::geom_line(.aes(x = "x", y = "value", colour = "column", group = "run"), lines, na.rm = TRUE, ...),
    if (nrow(points)) ggplot2::geom_point(.aes(x = "x", y = "value", colour = "column"), points, na.rm = TRUE, ...),
    if (any(is.finite(points$error))) {
      ggplot2::geom_errorbar(.aes(x = "x", ymin = "low", ymax = "high", colour = "column"), points, width = 0, na.rm = TRUE, ...)
    })
}

autoplot.atp_table <- function(object, what = NULL, across = NULL, ...) {
  shown <- .shown(object, what, across)
  ggplot2::ggplot() + autolayer.atp_table(object, what, across, ...) + (if (shown$log) ggplot2::scale_x_log10()) +
    ggplot2::labs(x = shown$xlab, y = shown$ylab, colour = NULL)
}

autoplot.atp_trainer <- function(object, ...) {
  history <- .losses(object)
  data <- data.frame(epoch = rep(history$step, ncol(history$losses)), loss = as.vector(history$losses),
                     sequences = factor(rep(colnames(history$losses), each = nrow(history$losses)), colnames(history$losses)))
  ggplot2::ggplot(data, .aes(x = "epoch", y = "loss", colour = "sequences")) + ggplot2::geom_line(na.rm = TRUE, ...) +
    ggplot2::labs(x = "epoch", y = history$words, colour = NULL)
}

# Tiles of a matrix, rows along x. colors: instead of those from blue to red.
.tiles <- function(z, words, diverging, colors = NULL) {
  data <- data.frame(x = as.vector(row(z)), y = as.vector(col(z)), value = as.vector(z))
  fill <- if (!is.null(colors)) {
    ggplot2::scale_fill_gradientn(colours = colors, limits = .limits(z), na.value = "white")
  } else if (diverging) {
    ggplot2::scale_fill_gradient2(low = "#2166ac", high = "#b2182b", limits = .limits(z), na.value = "white")
  } else {
    ggplot2::scale_fill_viridis_c(na.value = "white")
  }
  ggplot2::ggplot(data, .aes(x = "x", y = "y")) + ggplot2::geom_tile(.aes(fill = "value")) + fill +
    ggplot2::labs(fill = paste(strwrap(words, 22L), collapse = "\n"))
}

# Numbers of sites at round places of an axis.
.site_scale <- function(scale, numbers) {
  at <- .site_ticks(numbers)
  scale(breaks = at, labels = numbers[at], expand = c(0, 0.5))
}

autoplot.atp_model <- function(object, correct = TRUE, gap = NULL, head = NULL, part = "map", ...) {
  shown <- .matrix_of(object, correct, gap, head, part)
  picture <- .tiles(shown$z, shown$words, shown$diverging) + ggplot2::coord_fixed()
  if (!shown$sites) {
    colors <- seq_len(nrow(shown$z))
    labels <- .color_names(atp_alphabet(object), nrow(shown$z))
    return(picture + ggplot2::scale_x_continuous("colour", colors, labels = labels) +
             ggplot2::scale_y_continuous("colour", colors, labels = labels))
  }
  numbers <- atp_sites(object)$number
  picture + .site_scale(ggplot2::scale_x_continuous, numbers) + .site_scale(ggplot2::scale_y_continuous, numbers) +
    ggplot2::labs(x = "site", y = "site")
}

autoplot.atp_mutants <- function(object, score = "energy", ...) {
  shown <- .mutants_of(object, score)
  .tiles(shown$z, shown$words, TRUE, .program_colors) +
    ggplot2::geom_point(.aes(x = "i", y = "a"), shown$own, size = 0.5) +
    .site_scale(ggplot2::scale_x_continuous, shown$numbers) +
    ggplot2::scale_y_reverse("mutated to", breaks = seq_along(shown$colors), labels = shown$colors) +
    ggplot2::labs(x = "site", title = "All single mutants")
}

autoplot.atp_contacts <- function(object, count = min(nrow(object), length(attr(object, "numbers"))), distances = NULL, cutoff = 8, ...) {
  numbers <- attr(object, "numbers")
  pairs <- .contact_pairs(object, count, distances, cutoff)
  styles <- .contact_styles[.contact_styles$what %in% pairs$what, ]
  pairs$what <- factor(pairs$what, styles$what)
  ggplot2::ggplot(pairs[order(pairs$what), ], .aes(x = "i", y = "j", colour = "what", shape = "what")) + ggplot2::geom_point(...) +
    ggplot2::scale_colour_manual(values = styles$col) + ggplot2::scale_shape_manual(values = styles$pch) + ggplot2::coord_fixed() +
    .site_scale(ggplot2::scale_x_continuous, numbers) + .site_scale(ggplot2::scale_y_continuous, numbers) +
    ggplot2::labs(x = "site", y = "site", colour = NULL, shape = NULL)
}

autoplot.atp_hamming <- function(object, ...) {
  data <- data.frame(distance = seq_along(object$counts) - 1, share = object$counts / max(1, sum(object$counts)))
  ggplot2::ggplot(data, .aes(x = "distance", y = "share")) + ggplot2::geom_col(width = 1, ...) +
    ggplot2::geom_vline(xintercept = object$mean * max(data$distance), linetype = "dashed") +
    ggplot2::labs(x = "Hamming distance (sites)", y = "fraction of pairs of sequences")
}
