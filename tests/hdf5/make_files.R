# SPDX-License-Identifier: MIT
# The same as make_files.py with hdf5r. usage: Rscript make_files.R FOLDER. In R the first index is the fastest: arrays are transposed.
library(hdf5r)
folder <- commandArgs(TRUE)[1]

header <- function(file, kind, colors) {
  h5attr(file, "format") <- "attopotts"
  h5attr(file, "format_version") <- 1L
  h5attr(file, "kind") <- kind
  h5attr(file, "index_base") <- 0L
  h5attr(file, "colors") <- colors
}

file <- H5File$new(file.path(folder, "alignment.h5"), mode = "w")
header(file, "alignment", 4L)
h5attr(file, "alphabet") <- "-ACG"
h5attr(file, "origin") <- "a test"
file[["sequences"]] <- matrix(c(0L, 1L, 2L, 3L, 3L, 2L, 1L, 0L, 1L, 1L, 1L, 1L), nrow = 4)
file[["weights"]] <- c(1, 0.5, 0.25)
file[["names"]] <- c("one", "two/1-4", "drei \u00e4")
file[["site_numbers"]] <- c(5L, 6L, 7L, 9L)
file[["site_residues"]] <- c("A", "C", "G", "A")
file$close_all()

file <- H5File$new(file.path(folder, "model.h5"), mode = "w")
header(file, "model", 2L)
h5attr(file, "beta") <- 1.5
couplings <- array((0:35) / 8, c(2, 2, 3, 3))
for (i in 1:3) couplings[, , i, i] <- 0
file[["couplings"]] <- couplings
file[["fields"]] <- matrix(as.numeric(0:5), nrow = 2)
file$close_all()
