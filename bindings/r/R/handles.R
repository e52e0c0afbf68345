# SPDX-License-Identifier: MIT
# Handles, arguments, options.

.state <- new.env(parent = emptyenv())

.kinds <- function(x) paste(class(x), collapse = "/")

.context <- function(context) if (is.null(context)) atp_default_context() else context

atp_default_context <- function() {
  if (is.null(.state$context) || !atp_is_open(.state$context)) .state$context <- atp_context()
  .state$context
}

atp_is_open <- function(x) .Call(C_handle_state, x) == "open"

atp_close <- function(x) invisible(.Call(C_close, x))

.say <- function(...) cat(..., "\n", sep = "")
.span <- function(x, ...) paste(format(range(x), ...), collapse = " to ")

# What print() says of an open handle.
.told <- function(x) UseMethod(".told")
.told.default <- function(x) "open"

print.atp_handle <- function(x, ...) {
  state <- .Call(C_handle_state, x)
  .say("<", class(x)[1L], switch(state, open = paste0(": ", .told(x)), closed = ", closed", ", of another R session"), ">")
  invisible(x)
}

# What utils::str() shows of it.
str.atp_handle <- function(object, ...) print(object)

# What `$` and `[[` give of a handle: functions by name.
.fields <- function(x) UseMethod(".fields")
.fields.default <- function(x) list()

`$.atp_handle` <- function(x, name) {
  fields <- .fields(x)
  if (!name %in% names(fields)) {
    .wrong("E_VALUE", "an ", class(x)[1L], " has no ", name,
           if (length(fields)) paste0(", expected one of ", paste(names(fields), collapse = ", ")))
  }
  fields[[name]](x)
}
`[[.atp_handle` <- function(x, i, ...) {
  if (!is.character(i) || length(i) != 1L || is.na(i)) .whole(x)
  `$.atp_handle`(x, i)
}
# For completion.
.DollarNames.atp_handle <- function(x, pattern = "") grep(pattern, names(.fields(x)), value = TRUE) # nolint

# A handle has no elements or extents to be taken or changed.
.whole <- function(x) {
  .wrong("E_VALUE", "an ", class(x)[1L], " is one object, whose elements are not taken or changed in this way: ",
         "functions of attopotts do that, list() keeps several objects")
}
`[.atp_handle` <- function(x, ...) .whole(x)
`[<-.atp_handle` <- function(x, ..., value) .whole(x)
`[[<-.atp_handle` <- function(x, ..., value) .whole(x)
`$<-.atp_handle` <- function(x, name, value) .whole(x)
`names<-.atp_handle` <- function(x, value) .whole(x)
`length<-.atp_handle` <- function(x, value) .whole(x)
`dim<-.atp_handle` <- function(x, value) .whole(x)
`levels<-.atp_handle` <- function(x, value) .whole(x)
c.atp_handle <- function(...) .whole(..1)
rep.atp_handle <- function(x, ...) .whole(x)
as.list.atp_handle <- function(x, ...) .whole(x)

# What all.equal() compares of an open handle; NULL where only the same object is equal.
.content <- function(x) UseMethod(".content")
.content.default <- function(x) NULL

all.equal.atp_handle <- function(target, current, ...) {
  if (!inherits(current, class(target)[1L])) return(paste0("target is ", class(target)[1L], ", current is ", .kinds(current)))
  if (.Call(C_same_handle, target, current)) return(TRUE)
  for (x in list(target, current)) if (!atp_is_open(x)) return("target or current is closed, or of another R session")
  content <- .content(target)
  if (is.null(content)) return(paste0("target and current are two objects of class ", class(target)[1L]))
  all.equal(content, .content(current), ...)
}

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
  # is.numeric() is FALSE of factors, dates and times.
  if (!is.numeric(x) && !is.logical(x) || inherits(x, "integer64")) .wrong("E_VALUE", name, " is ", .kinds(x), ", expected numbers")
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

.check <- function(x, classes, name = "x") {
  if (!inherits(x, classes)) .wrong("E_VALUE", name, " is ", .kinds(x), ", expected ", paste(classes, collapse = " or "))
}

# Calls an entry point that is chosen at run time: R CMD check looks for those of .Call() when there is none yet.
.call <- .Call

# What the entry point of a handle's kind gives: .tell(x, "sites") of a model calls C_model_sites. x must be of one of the classes.
# Classes of users stand before that of the kind.
.tell <- function(x, what, classes = "atp_handle", ...) {
  .check(x, classes)
  kind <- class(x)[match("atp_handle", class(x)) - 1L]
  .call(get(paste0("C_", sub("^atp_", "", kind), "_", what), envir = topenv()), x, ...)
}

# Several of them in a list.
.info <- function(x, what) sapply(what, function(name) .tell(x, name), simplify = FALSE)

# The same where it changes the handle, which comes back.
.change <- function(x, what, classes, ...) {
  .tell(x, what, classes, ...)
  if (what %in% .lasting) .record(x, what, ...)
  invisible(x)
}

# A sampler, a sampling run or a trainer with what it was made of: from a file of R it is made again, changed again, and gets its state.
.made <- function(handle, maker, ...) {
  attr(handle, "made") <- list2env(list(maker = maker, given = list(...), later = list()), parent = emptyenv())
  handle
}

# What changes later what it is made of: the last of each kind.
.lasting <- c("set_values", "set_order", "set_test", "set_truth", "reintegrate", "restrict", "start_from")
.record <- function(x, what, ...) {
  made <- attr(x, "made")
  if (!is.null(made)) made$later <- c(made$later[names(made$later) != what], stats::setNames(list(list(...)), what))
}

# What the C code calls for a handle whose state came from a file of R or another process: another handle with this state.
.revive <- function(x, state) {
  kind <- sub("^atp_", "", class(x)[match("atp_handle", class(x)) - 1L])
  if (kind %in% c("alignment", "model")) return(.call(get(paste0("C_", kind, "_from_state"), envir = topenv()), .context(NULL), state))
  made <- attr(x, "made")
  if (is.null(made)) .wrong("E_NULL", "this atp_", kind, " lacks its attribute \"made\", without which it cannot be made again")
  # What the library has to say was said when it was made first.
  suppressMessages(suppressWarnings({
    result <- do.call(get(made$maker, envir = topenv()), made$given)
    for (what in names(made$later)) do.call(.tell, c(list(result, what, "atp_handle"), made$later[[what]]))
  }))
  .tell(result, "load_state", "atp_handle", state)
  result
}

.square <- function(x, name) {
  if (!is.matrix(x) || nrow(x) != ncol(x)) {
    .wrong("E_SHAPE", name, " has shape ", paste(if (is.null(dim(x))) length(x) else dim(x), collapse = " x "),
           ", expected a square matrix")
  }
  .to_c(x, dim(x), name)
}

# One sequence may come as a vector.
# For a model without the gap of an alignment, gaps are missing sites.
.rows <- function(x, name = "sequences", model = NULL) {
  if (inherits(x, "atp_alignment")) {
    rows <- atp_sequences(x)
    if (!inherits(model, "atp_model") || ncol(rows) == 0L || atp_colors(x) != atp_colors(model) + 1) return(rows)
    rows[rows == 1L] <- NA
    return(rows - 1L)
  }
  if (inherits(x, "atp_samples")) return(x$sequences)
  if (is.null(dim(x)) && is.numeric(x)) x <- matrix(x, 1L)
  x
}

.string <- function(x, name) {
  if (!is.character(x) || length(x) != 1L) .wrong("E_VALUE", name, " is ", .kinds(x), " of length ", length(x), ", expected one string")
  if (is.na(x)) .wrong("E_VALUE", name, " is NA, expected one string")
  x
}

.path <- function(path) path.expand(.string(path, "path"))

.option <- function(name, value) {
  words <- .option_words[[name]]
  if (!is.null(words)) value <- .member(words, value, name)
  # The C code finds names that are none, whatever their values.
  if (.Call(C_option_from_name, gsub("_", "-", name, fixed = TRUE)) < 0L) return(NA_real_)
  if (!(is.numeric(value) || is.logical(value)) || length(value) != 1L) {
    .wrong("E_OPTION", "option \"", name, "\" is ", .kinds(value), " of length ", length(value), ", expected one number")
  }
  as.double(value)
}

# Options from named arguments: names as the library has them, with _ for -; words where it has words.
.options <- function(...) {
  given <- Filter(Negate(is.null), list(...))
  names <- gsub("-", "_", names(given), fixed = TRUE)
  if (length(given) != length(names) || any(names == "")) .wrong("E_OPTION", "an option without a name")
  if (anyDuplicated(names)) .wrong("E_OPTION", "option \"", names[anyDuplicated(names)], "\" is given twice")
  list(names = gsub("_", "-", names, fixed = TRUE), values = vapply(seq_along(given), function(k) .option(names[k], given[[k]]), 0))
}

.progress_keys <- stats::setNames(.atp_progress_key, tolower(names(.atp_progress_key)))
