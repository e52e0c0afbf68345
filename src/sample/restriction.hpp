// SPDX-License-Identifier: MIT
// The states that chains may visit: allowed colours of each site, a colour that stays where the start has it, and at most so many
// differences from the start. See attopotts/sampler.h.
#pragma once

#include "base/arena.hpp"
#include "potts/model.hpp"
#include "simd/gibbs.hpp"

namespace atp {

class Restriction {
 public:
  // kept: that colour, or -1; most: the number of differences, or 0 for any.
  Restriction(const ModelShape &model, int64_t kept, int64_t most);
  void lay_out(Arena &arena);
  // Allows the colours of a mask [L][q] of 0 and 1, all of them if that is NULL. The lists of the kernels have the order of the model.
  // Throws ATP_E_VALUE (another number, a site without a colour) or ATP_E_CONFLICT (an autoregressive model whose conditionals would
  // change).
  void allow(const uint8_t *mask, const Model &model);
  void copy(const Restriction &other, const Model &model) { allow(other.masked_ ? other.mask_.data() : nullptr, model); }

  bool any() const { return masked_ || limits_.kept >= 0 || limits_.most >= 0; }
  bool near() const { return limits_.most >= 0; }  // bounds the differences from the start
  bool of_start() const { return near() || limits_.kept >= 0; }
  const GibbsLimits *limits() const { return any() ? &limits_ : nullptr; }
  bool allows(int64_t site, uint8_t color) const { return mask_[site * colors_ + color] != 0; }
  // Throws ATP_E_VALUE if one of the sequences [n][L] is not allowed; `name` is that of the argument.
  void check(const uint8_t *sequences, int64_t n, const char *name) const;
  uint64_t checksum(uint64_t before) const;

 private:
  void list(int64_t place, int64_t site);
  void check_mask(const uint8_t *mask, const Model &model) const;

  int64_t sites_, colors_;
  bool masked_ = false;
  GibbsLimits limits_;
  Span<uint8_t> mask_;                    // [L][q]
  Span<uint8_t> lists_, counts_, opens_;  // of GibbsLimits
};

}  // namespace atp
