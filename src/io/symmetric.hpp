// SPDX-License-Identifier: MIT
// The part of a model that formats with couplings of pairs i < j and no temperature can store.
#pragma once

#include "alignment/text.hpp"
#include "potts/model.hpp"

namespace atp {

// Parameters with the same P(s) at beta = 1 and symmetric couplings, C_ij(a, b) = C_ji(b, a):
//     J_ij(a, b) = beta (C_ij(a, b) + C_ji(b, a)) / 2,    h_i(a) = beta b_i(a).
class SymmetricView {
 public:
  explicit SymmetricView(const Model &model) : model_(model) {}
  int64_t sites() const { return model_.sites(); }
  int64_t colors() const { return model_.colors(); }
  double field(int64_t i, int64_t a) const { return model_.fields.empty() ? 0 : model_.beta * model_.fields[i * colors() + a]; }
  double coupling(int64_t i, int64_t j, int64_t a, int64_t b) const {
    return model_.beta * (0.5 * model_.coupling(i, j, a, b) + 0.5 * model_.coupling(j, i, b, a));
  }

 private:
  const Model &model_;
};

// Logs a warning if the couplings of a model that is written to `path` are not symmetric, so that its
// conditionals change.
void warn_asymmetric(const Context &context, const Model &model, const char *path);

// Throws ATP_E_TOO_LARGE if a small text, in which couplings may be missing, would make a huge model.
void check_proportion(const Text &file, int64_t L, int64_t q);

// Sets C_ij(a, b) and C_ji(b, a) of a dense model.
inline void set_symmetric(Model &model, int64_t i, int64_t j, int64_t a, int64_t b, double value) {
  const int64_t L = model.sites(), q = model.colors();
  model.couplings[((i * L + j) * q + a) * q + b] = value;
  model.couplings[((j * L + i) * q + b) * q + a] = value;
}

}  // namespace atp
