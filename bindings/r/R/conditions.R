# SPDX-License-Identifier: MIT
# Errors, messages and interrupts as conditions. The C code calls .raise() and .log().

.families <- list(
  attopotts_file_error = .atp_status[c("E_OPEN", "E_READ", "E_WRITE")],
  attopotts_memory_error = .atp_status["E_MEMORY"],
  attopotts_rank_error = .atp_status["E_RANK"],
  attopotts_library_error = .atp_status[c("E_STAGE", "E_UNSUPPORTED", "E_CALLBACK", "E_INTERNAL")])

# The call of this package's function that the user made: the outermost one, with nothing but this package's and R's own
# functions in between.
.user_call <- function() {
  found <- NULL
  for (k in rev(seq_len(sys.nframe()))) {
    home <- environment(sys.function(k))
    home <- if (is.null(home)) baseenv() else topenv(home)
    if (identical(home, topenv())) found <- sys.call(k)
    else if (!identical(home, baseenv()) && !identical(home, .BaseNamespaceEnv)) break
  }
  found
}

.raise <- function(status, text) {
  family <- "attopotts_input_error"
  for (name in names(.families)) if (status %in% .families[[name]]) family <- name
  name <- .Call(C_status_name, status)
  call <- .user_call()
  stop(structure(class = c(family, "attopotts_error", "error", "condition"),
                 list(message = paste0(name, ": ", text), call = call, status = name, code = status)))
}

.wrong <- function(status, ...) .raise(.atp_status[[status]], paste0(...))

.log <- function(level, text) {
  warn <- level == .atp_log_level[["WARNING"]]
  call <- if (warn) .user_call()
  condition <- structure(class = c("attopotts_log", if (warn) "warning" else "message", "condition"),
                         list(message = if (warn) text else paste0(text, "\n"), call = call))
  if (warn) warning(condition) else message(condition)
}

# What an interrupted run ends with, when its state is safe: handlers of interrupts first, else to the top level, as
# Ctrl-C does.
.interrupt <- function() {
  call <- .user_call()
  condition <- structure(class = c("attopotts_interrupt", "interrupt", "condition"),
                         list(message = "interrupted between two steps; the state is kept", call = call))
  signalCondition(condition)
  invokeRestart("abort")
}

# The list that a run of the C code gives.
.ended <- function(result) {
  if (result$interrupted) .interrupt()
  result
}
