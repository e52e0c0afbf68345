// SPDX-License-Identifier: MIT
// Which model or score file of another tool a file is.
#pragma once

#include "base/span.hpp"

namespace atp {

enum class Foreign { none, plmc_model, plmc_couplings, ccmpred_raw, ccmpred_matrix, adabm_letters, adabm_integers };

// From the first bytes of a file (64 KiB, or all that it has) and its size. None for what content_of() knows: HDF5, FASTA, whole numbers.
Foreign foreign_content(Span<const char> head, int64_t size);

// "plmc-model", "plmc-couplings", "ccmpred-raw", "ccmpred-matrix", "adabm" (letters), "bmdca" (integers); "" for none.
const char *foreign_name(Foreign content);

}  // namespace atp
