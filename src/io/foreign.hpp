// SPDX-License-Identifier: MIT
// Detects model and score files of other tools.
#pragma once

#include "base/span.hpp"

namespace atp {

enum class Foreign {
  none,
  plmc_model,
  plmc_couplings,
  ccmpred_raw,
  ccmpred_braw,
  ccmpred_matrix,
  adabm_letters,
  adabm_integers,
  gremlin,
  evcouplings
};

// The format, from the first bytes of a file (64 KiB, or all of it) and its size. None for formats that
// content_of() detects: HDF5, FASTA, whole numbers.
Foreign foreign_content(Span<const char> head, int64_t size);

// "plmc-model", "plmc-couplings", "ccmpred-raw", "ccmpred-braw", "ccmpred-matrix", "adabm" (letters), "bmdca" (integers),
// "gremlin-mrf", "evcouplings-scores"; "" for none.
const char *foreign_name(Foreign content);

}  // namespace atp
