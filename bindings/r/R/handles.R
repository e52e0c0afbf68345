# SPDX-License-Identifier: MIT
# Handles, arguments, options.

.state <- new.env(parent = emptyenv())

.handle <- function(pointer, class, ...) structure(list(pointer = pointer, ...), class = c(class, "atp_handle"))

.kinds <- function(x) paste(class(x), collapse = "/")

.pointer <- function(x, class, name = deparse(substitute(x))) {
  if (!inherits(x, class)) .wrong("E_VALUE", name, " is ", .kinds(x), ", expected ", paste(class, collapse = " or "))
  .subset2(x, "pointer")
}

.context <- function(context) {
  .pointer(if (is.null(context)) atp_default_context() else context, "atp_context", "context")
}

atp_default_context <- function() {
  if (is.null(.state$context) || !atp_is_open(.state$context)) .state$context <- atp_context()
  .state$context
}

atp_is_open <- function(x) .Call(C_is_open, .pointer(x, "atp_handle"))

atp_close <- function(x) invisible(.Call(C_close, .pointer(x, "atp_handle")))

# The place of a word in a named vector of constants, in any case, with - or _.
.member <- function(table, value, name) {
  if (is.character(value) && length(value) == 1L && !is.na(value)) {
    place <- match(gsub("-", "_", toupper(value), fixed = TRUE), names(table))
    if (is.na(place)) {
      .wrong("E_VALUE", name, " is \"", value, "\", expected one of ",
             paste0("\"", tolower(names(table)), "\"", collapse = ", "))
    }
    return(table[[place]])
  }
  if (!is.numeric(value)) .wrong("E_VALUE", name, " is ", .kinds(value), ", expected a word")
  value
}

.numbers <- function(x, name) {
  if (!is.numeric(x) && !is.logical(x)) .wrong("E_VALUE", name, " is ", .kinds(x), ", expected numbers")
  as.double(x)
}

# An array of given sizes (NA: any) as the library wants it: doubles, the extents reversed, the last index fastest.
.to_c <- function(x, sizes, name) {
  if (is.null(x)) return(NULL)
  shape <- if (is.null(dim(x))) length(x) else dim(x)
  if (length(shape) != length(sizes) || any(shape != sizes, na.rm = TRUE)) {
    .wrong("E_SHAPE", name, " has shape ", paste(shape, collapse = " x "), ", expected ",
           paste(ifelse(is.na(sizes), "any", sizes), collapse = " x "))
  }
  values <- .numbers(x, name)
  if (length(shape) < 2L) return(values)
  aperm(array(values, shape))
}

# The way back.
.from_c <- function(x, sizes = rev(dim(x))) if (length(sizes) > 1L) aperm(array(x, rev(sizes))) else x

# The entry point of the kind of a handle: .entry(x, "sites") of a model is C_model_sites.
.entry <- function(x, name) get(paste0("C_", sub("^atp_", "", class(x)[1L]), "_", name), envir = topenv())

# What it gives for a handle, which must be of one of these classes.
.tell <- function(x, what, classes, ...) {
  pointer <- .pointer(x, classes, "x")
  .Call(.entry(x, what), pointer, ...)
}

# The same where it changes the handle, which comes back.
.change <- function(x, what, classes, ...) {
  .tell(x, what, classes, ...)
  invisible(x)
}

.square <- function(x, name) {
  if (!is.matrix(x) || nrow(x) != ncol(x)) {
    .wrong("E_SHAPE", name, " has shape ", paste(if (is.null(dim(x))) length(x) else dim(x), collapse = " x "),
           ", expected a square matrix")
  }
  .to_c(x, dim(x), name)
}

# One sequence may come as a vector.
.rows <- function(x, name = "sequences") {
  if (inherits(x, "atp_alignment")) return(atp_sequences(x))
  if (inherits(x, "atp_samples")) return(x$sequences)
  if (is.null(dim(x)) && is.numeric(x)) x <- matrix(x, 1L)
  x
}

.path <- function(path) {
  if (!is.character(path) || length(path) != 1L || is.na(path)) {
    .wrong("E_VALUE", "path is ", .kinds(path), ", expected one string")
  }
  path.expand(path)
}

# Options from named arguments: names as the library has them, with _ for -; words where it has words. `family` has the
# hundreds of keys that apply, or their names.
.options <- function(family, values) {
  values <- values[!vapply(values, is.null, NA)]
  given <- names(values)
  if (length(values) && (is.null(given) || any(given == ""))) .wrong("E_OPTION", "an option without a name")
  keys <- integer(length(values))
  numbers <- double(length(values))
  for (k in seq_along(values)) {
    name <- given[k]
    key <- .Call(C_option_from_name, gsub("_", "-", name, fixed = TRUE))
    known <- if (is.character(family)) .atp_option[gsub("-", "_", toupper(family), fixed = TRUE)]
             else .atp_option[.atp_option %/% 100L %in% family]
    if (!key %in% known && !(key == .atp_option[["SEED"]] && family[1L] == 2)) {
      .wrong("E_OPTION", "no option \"", name, "\" here, expected one of ",
             paste(tolower(names(known)), collapse = ", "))
    }
    table <- .option_words[[gsub("-", "_", name, fixed = TRUE)]]
    value <- if (is.null(table)) values[[k]] else .member(table, values[[k]], name)
    if (!(is.numeric(value) || is.logical(value)) || length(value) != 1L) {
      .wrong("E_OPTION", "option \"", name, "\" is ", .kinds(value), " of length ", length(value),
             ", expected one number")
    }
    keys[k] <- key
    numbers[k] <- value
  }
  list(keys = keys, values = numbers)
}

.progress_keys <- stats::setNames(.atp_progress_key, tolower(names(.atp_progress_key)))
