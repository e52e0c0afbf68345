# SPDX-License-Identifier: MIT
# Pictures of tables and histograms by R's own graphics.

.palette <- function(n) grDevices::hcl.colors(max(3L, n), "Dark 3")[seq_len(n)]

# The kind of a table; of a part of one, which has lost it, the first kind with these columns.
.kind_of <- function(x) {
  kind <- attr(x, "kind")
  if (is.null(kind)) {
    fits <- vapply(.atp_curves, function(curve) all(c(curve$x, curve$y) %in% names(x)), NA)
    kind <- if (any(fits)) names(.atp_curves)[fits][1L] else ""
    if (kind == "REPLICA_CURVE" && "eg_sem" %in% names(x)) kind <- "REPLICA_SIMULATION"
  }
  if (!kind %in% names(.atp_curves)) .wrong("E_VALUE", "a table ", kind, " has no picture: it is not a curve")
  kind
}

# The first words of the description of a column.
.clause <- function(text) {
  parts <- strsplit(text, "[,;:(] *")[[1L]]
  trimws(parts[nchar(parts) > 2L][1L])
}

.described <- function(x, column, usual) {
  text <- attr(x, "descriptions")[match(column, names(x))]
  if (column %in% usual && length(text) && !is.na(text)) .clause(text) else column
}

.unit <- function(x, column) {
  unit <- attr(x, "units")[match(column, names(x))]
  if (length(unit) && !is.na(unit) && nzchar(unit) && !startsWith(unit, "atp_")) paste0(" (", unit, ")") else ""
}

# What a picture of a table shows: columns, their labels, errors, whether they are points, labels of the axes.
.shown <- function(x, what, across) {
  kind <- .kind_of(x)
  curve <- .atp_curves[[kind]]
  if (kind == "SELECTION" && length(unique(x$heads)) > 1L) curve$x <- "heads"
  if (is.null(across)) across <- curve$x
  asked <- what
  if (is.null(what)) what <- Filter(function(name) any(is.finite(x[[name]])), curve$y)
  for (name in c(what, across)) {
    if (!name %in% names(x)) .wrong("E_VALUE", "no column \"", name, "\", expected one of ", paste(names(x), collapse = ", "))
  }
  if (!length(what)) .wrong("E_STAGE", "nothing to plot: ", paste(curve$y, collapse = ", "), " have no numbers")
  errors <- ifelse(what %in% names(.atp_error_columns), .atp_error_columns[what], paste0(what, "_sem"))
  points <- kind %in% .atp_simulated | kind == "SELECTION" & what %in% names(.atp_error_columns)
  names <- vapply(what, function(name) .described(x, name, c(curve$y, .atp_named)), "")
  finite <- x[[across]][is.finite(x[[across]])]
  together <- if (all(what %in% curve$y)) curve$axis else paste(what, collapse = ", ")
  list(x = x[[across]], what = what, labels = unname(names), points = points, runs = if (is.null(x$run)) rep(0, nrow(x)) else x$run,
       errors = lapply(seq_along(what), function(k) if (points[k]) x[[errors[k]]]), usual = match(what, curve$y, 0L),
       xlab = paste0(if (across %in% c("alpha", "omega", "theta")) paste0(across, ": "),
                     .described(x, across, c(curve$x, .atp_named)), .unit(x, across)),
       ylab = paste0(if (length(what) == 1L) names else together, if (length(what) == 1L || is.null(asked)) .unit(x, what[1L]) else ""),
       log = across == "l2_couplings" || across == "alpha" && length(finite) && min(finite) > 0 && max(finite) >= 10 * min(finite))
}

# One column in a plot that is there: a line for each run, or points with standard errors.
.draw <- function(shown, y, k, color) {
  if (!shown$points[k]) {
    for (run in unique(shown$runs)) graphics::lines(shown$x[shown$runs == run], y[shown$runs == run], col = color, lty = k)
    return(invisible())
  }
  error <- shown$errors[[k]]
  drawn <- which(is.finite(error) & error > 0)
  graphics::points(shown$x, y, pch = 20L, col = color)
  graphics::segments(shown$x[drawn], (y - error)[drawn], shown$x[drawn], (y + error)[drawn], col = color)
}

plot.atp_table <- function(x, what = NULL, across = NULL, add = FALSE, xlab = NULL, ylab = NULL, main = "", log = NULL, ...) {
  shown <- .shown(x, what, across)
  columns <- lapply(shown$what, function(name) ifelse(is.finite(x[[name]]), x[[name]], NA))
  colors <- .palette(max(shown$usual, length(shown$what)))[if (all(shown$usual > 0L)) shown$usual else seq_along(columns)]
  if (!add) {
    extent <- Map(function(y, error) cbind(y, if (!is.null(error)) cbind(y - error, y + error)), columns, shown$errors)
    graphics::matplot(shown$x, do.call(cbind, extent), type = "n", xlab = if (is.null(xlab)) shown$xlab else xlab,
                      ylab = if (is.null(ylab)) shown$ylab else ylab, main = main,
                      log = if (is.null(log)) if (shown$log) "x" else "" else log, ...)
    graphics::legend("topright", legend = shown$labels, col = colors, bty = "n", lty = ifelse(shown$points, 0L, seq_along(columns)),
                     pch = ifelse(shown$points, 20L, NA))
    if (!is.null(x$chosen)) graphics::abline(v = shown$x[which.max(x$chosen)], lty = 3L, col = "grey50")
  }
  for (k in seq_along(columns)) .draw(shown, columns[[k]], k, colors[k])
  invisible(x)
}

plot.atp_hamming <- function(x, xlab = "Hamming distance (sites)", ylab = "fraction of pairs of sequences", main = "", ...) {
  shares <- x$counts / max(1, sum(x$counts))
  distances <- seq_along(shares) - 1
  graphics::plot(distances, shares, type = "h", lwd = 3L, lend = 1L, col = .palette(1L), xlab = xlab, ylab = ylab, main = main, ...)
  graphics::abline(v = x$mean * max(distances), lty = 2L)
  invisible(x)
}

# The measures that have limits: bars, what independent samples would give, and the samples.
plot.atp_quality <- function(x, xlab = "number of the samples, and of parts of the data", ylab = "", main = "", ...) {
  rows <- x$measures[is.finite(x$measures$low) | is.finite(x$measures$high), ]
  if (!nrow(rows)) .wrong("E_STAGE", "nothing to plot: no measure has limits, which need runs = 2 or more")
  ends <- range(0, unlist(rows[c("low", "high", "parts", "samples")]), finite = TRUE)
  ends <- ends + c(-0.03, 0.03) * diff(ends)
  places <- rev(seq_len(nrow(rows)))
  names <- gsub("_", " ", rows$measure, fixed = TRUE)
  margins <- graphics::par("mai")
  margins[2L] <- max(margins[2L], max(graphics::strwidth(names, "inches")) + 0.5)
  before <- graphics::par(mai = margins)
  on.exit(graphics::par(before))
  graphics::plot(NA, type = "n", xlim = ends, ylim = c(0.5, nrow(rows) + 2.5), yaxt = "n", xlab = xlab, ylab = ylab, main = main, xaxs = "i", ...)
  graphics::axis(2L, places, names, las = 1L, tick = FALSE)
  graphics::rect(ifelse(is.finite(rows$low), rows$low, ends[1L]), places - 0.3, ifelse(is.finite(rows$high), rows$high, ends[2L]),
                 places + 0.3, col = "grey88", border = NA)
  graphics::segments(rows$parts - rows$parts_sd, places, rows$parts + rows$parts_sd, places, col = "grey40")
  graphics::points(rows$parts, places, pch = 20L, col = "grey40")
  fault <- !is.na(rows$verdict) & rows$verdict != 0
  graphics::points(rows$samples, places, pch = ifelse(fault, 4L, 19L), lwd = 2, col = ifelse(fault, "#b2182b", "#2166ac"))
  graphics::legend("top", c("within the limits", "independent samples", "samples", "samples, beyond the limits"), ncol = 2L, bty = "n",
                   pch = c(15L, 20L, 19L, 4L), col = c("grey88", "grey40", "#2166ac", "#b2182b"))
  invisible(rows)
}

plot.atp_trainer <- function(x, xlab = "epoch", ylab = NULL, main = "learning curve", log = "", ...) {
  history <- .losses(x)
  colors <- .palette(ncol(history$losses))
  graphics::matplot(history$step, history$losses, type = "l", lty = seq_along(colors), col = colors, xlab = xlab,
                    ylab = if (is.null(ylab)) history$words else ylab, main = main, log = log, ...)
  graphics::legend("topright", legend = colnames(history$losses), lty = seq_along(colors), col = colors, bty = "n")
  invisible(atp_history(x))
}

# The losses of a trainer by epoch, those that it has; of Boltzmann learning, where it has none, the statistics of its chains.
.losses <- function(x) {
  history <- atp_history(x)
  if (!nrow(history)) .wrong("E_STAGE", "nothing to plot: it has not run")
  shown <- c(train_loss = "training", test_loss = "test", optimal_loss = "optimal")
  shown <- shown[vapply(history[names(shown)], function(column) any(is.finite(column)), NA)]
  words <- if (length(shown)) "loss (nats per site)" else "C_ij of chains against the family"
  if (!length(shown)) shown <- c(pearson = "Pearson correlation", slope = "slope")
  losses <- as.matrix(history[names(shown)])
  colnames(losses) <- shown
  list(step = history$step, losses = losses, words = words)
}
