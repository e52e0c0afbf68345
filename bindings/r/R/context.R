# SPDX-License-Identifier: MIT

atp_context <- function(threads = 0, simd = "auto") {
  context <- .Call(C_context_create)
  if (!identical(as.double(threads), 0)) atp_set_threads(threads, context)
  if (!identical(simd, "auto")) atp_set_simd(simd, context)
  context
}

atp_threads <- function(context = NULL) .Call(C_context_threads, .context(context))
atp_set_threads <- function(threads, context = NULL) invisible(.Call(C_context_set_threads, .context(context), threads))
atp_simd <- function(context = NULL) .Call(C_context_simd, .context(context))
atp_set_simd <- function(simd, context = NULL) invisible(.Call(C_context_set_simd, .context(context), simd))

atp_set_ranks <- function(comm, context = NULL) {
  context <- .context(context)
  invisible(if (is.null(comm)) .Call(C_context_no_ranks, context) else .Call(C_context_set_mpi, context, comm))
}
atp_rank_number <- function(context = NULL) .Call(C_context_rank, .context(context))
atp_rank_count <- function(context = NULL) .Call(C_context_rank_count, .context(context))
atp_rank_fail <- function(text, context = NULL) invisible(.Call(C_context_fail, .context(context), text))
atp_rank_any <- function(flag, context = NULL) .Call(C_context_any, .context(context), flag)
atp_rank_traffic <- function(context = NULL) {
  context <- .context(context)
  stats::setNames(vapply(.atp_traffic, function(what) .Call(C_context_traffic, context, what), 0), tolower(names(.atp_traffic)))
}

atp_memory <- function(context = NULL) {
  stats::setNames(unlist(.Call(C_context_memory, .context(context))), c("allocations", "bytes"))
}
atp_memory_limit <- function(context = NULL) unlist(.Call(C_context_memory_limit, .context(context)))
atp_set_memory_limit <- function(bytes, context = NULL) invisible(.Call(C_context_set_memory_limit, .context(context), bytes))
atp_last_error <- function(context = NULL) .Call(C_context_error, .context(context))
atp_simd_targets <- function() .Call(C_simd_targets)
atp_version <- function() package_version(.Call(C_version_string))
atp_has_feature <- function(name) .Call(C_has_feature, name)
atp_blas_description <- function() .Call(C_blas_description)

atp_option_table <- function() {
  owners <- integer()
  while ((owner <- .Call(C_option_owner_at, length(owners))) >= 0L) owners <- c(owners, owner)
  do.call(rbind, lapply(owners, .options_of_owner))
}

.options_of_owner <- function(owner) {
  keys <- vapply(seq_len(.Call(C_option_count, owner)) - 1, function(k) .Call(C_option_at, owner, k), 0L)
  name <- vapply(keys, function(key) gsub("-", "_", .Call(C_option_name, key), fixed = TRUE), "")
  bounds <- do.call(rbind, lapply(keys, function(key) as.data.frame(.Call(C_option_bounds, owner, key))))
  words <- vapply(.option_words[name], function(known) paste(tolower(names(known)), collapse = " "), "")
  data.frame(of = .Call(C_option_owner_name, owner), name = name,
             stats::setNames(bounds, c("lowest", "highest", "default", "integer")), words = unname(words),
             text = vapply(keys, function(key) .Call(C_option_text, owner, key), ""), stringsAsFactors = FALSE)
}

atp_file_kind <- function(path, context = NULL) .Call(C_file_kind, .context(context), .path(path))

.told.atp_context <- function(x) paste0(atp_threads(x), " threads, ", atp_simd(x))

.onLoad <- function(libname, pkgname) {
  abi <- .Call(C_abi_version)
  if (abi != .atp_abi) {
    stop("the attopotts library that is loaded has binary interface ", abi, ", this package needs ", .atp_abi,
         ": install the package again", call. = FALSE)
  }
}

.onUnload <- function(libpath) {
  # Finalizers run C code: before it goes.
  .state$context <- NULL
  gc()
  library.dynam.unload("attopotts", libpath)
}
