// SPDX-License-Identifier: MIT
// Couplings in a .npy file as a model.
#include "io/npy.hpp"
#include "io/owner.hpp"
#include "potts/model.hpp"

#include <cmath>

namespace atp {

namespace {

void check_couplings(const Model &model, const char *label) {
  const int64_t L = model.sites(), q = model.colors();
  for (int64_t n = 0; n < model.couplings.size(); ++n) {
    const double x = model.couplings[n];
    const int64_t i = n / (q * q) / L, j = n / (q * q) % L, a = n / q % q, b = n % q;
    const auto refuse = [&](atp_status status, const char *expected) {
      fail(status, "%s: C[%lld, %lld, %lld, %lld] is %g, must be %s", label, static_cast<long long>(i), static_cast<long long>(j),
           static_cast<long long>(a), static_cast<long long>(b), x, expected);
    };
    if (!std::isfinite(x)) refuse(ATP_E_NOT_FINITE, "finite");
    if (std::fabs(x) > kLargestModelNumber) refuse(ATP_E_FORMAT, "at most 1e100 in magnitude");
    if (i == j && x != 0) refuse(ATP_E_FORMAT, "0: no site couples to itself");
  }
}

}  // namespace

Model *model_from_npy(Context &context, const Text &file, int64_t size) {
  const NpyArray array(file, size);
  if (array.dimensions() != 4 || array.extent(0) != array.extent(1) || array.extent(2) != array.extent(3))
    fail(ATP_E_FORMAT, "%s: a NumPy array of %s, expected a model: couplings C[L, L, q, q] of L sites and q colours", file.label,
         array.shape_text().text);
  const ModelShape shape{array.extent(0), array.extent(2), 0, false};
  if (shape.sites < 2 || shape.sites > kMaxSites || shape.colors < 2 || shape.colors > kMaxColors)
    fail(ATP_E_FORMAT, "%s: a NumPy array of %s, expected couplings C[L, L, q, q] of 2..%lld sites and 2..%lld colours", file.label,
         array.shape_text().text, static_cast<long long>(kMaxSites), static_cast<long long>(kMaxColors));
  Owner<Model> model(make_model(context, shape));
  array.read(model->couplings.data());
  check_couplings(*model, file.label);
  warn_of_triangle(context, file.label, model->couplings.data(), 1, shape.sites, shape.colors * shape.colors);
  return model.release();
}

}  // namespace atp
