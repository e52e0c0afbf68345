// SPDX-License-Identifier: MIT
// What CCMpred's two formats of models hold: the fields of 20 residues and couplings of 21 symbols, in its order.
#pragma once

#include "io/state_order.hpp"
#include "io/symmetric.hpp"

namespace atp {

constexpr char kCcmpredSymbols[] = "ARNDCQEGHILKMFPSTWYV-";
constexpr int64_t kCcmpredStates = 21, kCcmpredFields = 20;  // the gap has no field

// The numbers that are written of a model: at each site the field of the gap is subtracted from all. Of a model without a gap those of
// the gap are 0.
class CcmpredNumbers {
 public:
  // Throws ATP_E_CONFLICT if the symbols are not those of proteins; logs a warning if the couplings are not symmetric.
  CcmpredNumbers(const Context &context, const Model &model, const char *path);
  int64_t sites() const { return view_.sites(); }
  double field(int64_t i, int64_t s) const { return view_.field(i, order_.color[s]) - gap_field(i); }
  double coupling(int64_t i, int64_t j, int64_t s, int64_t t) const {
    const int64_t a = order_.color[s], b = order_.color[t];
    return a < 0 || b < 0 ? 0 : view_.coupling(i, j, a, b);
  }
  // Logs a warning where the numbers are not the model's; after the file was written.
  void report(const Context &context, const char *path) const;

 private:
  double gap_field(int64_t i) const { return gap() < 0 ? 0 : view_.field(i, gap()); }
  int64_t gap() const { return order_.color[kCcmpredFields]; }
  SymmetricView view_;
  StateOrder order_;
};

}  // namespace atp
