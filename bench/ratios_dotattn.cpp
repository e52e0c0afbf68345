// SPDX-License-Identifier: MIT
// Dot-product attention: fixed points per second through the public API, vectors against the library's own scalar reference.
#include "ratios.hpp"

namespace ratios {

namespace {

// The uninformed solution at alpha = 1 on the two coarsest quadratures: about twenty averages over 50000 minimisations.
class FixedPoint : public Case {
 public:
  explicit FixedPoint(atp_context *context) : context_(context), simd_(atp_context_simd(context)) {}
  double ours() override { return solve(simd_.c_str()); }
  double reference() override { return solve("scalar"); }

 private:
  double solve(const char *target) {
    const double map[4] = {0.6, 0.4, 0.4, 0.6}, alpha = 1;
    double row[ATP_DOTATTN_COLUMNS];
    check(atp_context_set_simd(context_, target));
    const atp_status status = atp_dotattn_curve(context_, map, 4, 0.3, 0.5, 0.01, ATP_DOTATTN_UNINFORMED, &alpha, 1, 1e-2, 1000, nullptr, nullptr,
                                                row, ATP_DOTATTN_COLUMNS, nullptr);
    check(atp_context_set_simd(context_, simd_.c_str()));
    check(status);
    return 1;
  }

  atp_context *context_;
  std::string simd_;
};

std::unique_ptr<Case> make(atp_context *context) { return std::make_unique<FixedPoint>(context); }

}  // namespace

std::vector<Entry> dotattn_cases() { return {{"dotattn_uninformed", "fixed points/s", true, &make}}; }

}  // namespace ratios
