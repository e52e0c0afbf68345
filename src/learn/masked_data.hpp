// SPDX-License-Identifier: MIT
// The sequences of an evaluation, and which of their sites it predicts.
#pragma once

#include <cstdint>

namespace atp {

struct MaskedData {
  const uint8_t *sequences = nullptr;  // [count of the whole alignment][L]
  const double *weights = nullptr;     // of the whole alignment
  int64_t count = 0;                   // sequences in this evaluation
  const int64_t *rows = nullptr;       // [count], which sequences; NULL: 0..count-1
  const int64_t *masked = nullptr;     // [count], the one predicted site of each; NULL: all sites
  // With `masked`: [whole alignment][L], 1 for sites that contribute nothing; NULL: none. Rows may repeat: a sequence with several masked
  // sites is an item for each of them.
  const uint8_t *hidden = nullptr;

  int64_t row(int64_t n) const { return rows == nullptr ? n : rows[n]; }
  double weight(int64_t n) const { return weights[row(n)]; }
  const uint8_t *hidden_sites(int64_t n, int64_t sites) const { return hidden == nullptr ? nullptr : hidden + row(n) * sites; }
  double total_weight() const {
    double sum = 0;
    for (int64_t n = 0; n < count; ++n) sum += weight(n);
    return sum;
  }
  // The weight of what is predicted, in units of a sequence: the total weight, or less where sites of colour 0 are not.
  double predicted_weight(int64_t sites, bool without_gaps) const;
  int64_t predicted(int64_t sites) const { return masked != nullptr ? count : count * sites; }
};

}  // namespace atp
