// SPDX-License-Identifier: MIT
// Every number is a function of the seed and of its place in the matrix. Gaussian laws: [R24] sec. III.
#include "potts/random_model.hpp"

#include "base/philox.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

// Arrays of Stream::model. Reproducibility depends on the values.
enum Array : uint64_t { kSiteCouplings = 0, kColorMatrix = 1, kHairpins = 2 };

void set_pair(double *matrix, int64_t n, int64_t i, int64_t j, double x) { matrix[i * n + j] = matrix[j * n + i] = x; }

// Symmetric Gaussian matrix of standard deviation `scale`. The diagonal is drawn only if requested.
void gaussian(const RandomView &random, double *matrix, int64_t n, double scale, bool diagonal) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = diagonal ? i : i + 1; j < n; ++j) set_pair(matrix, n, i, j, scale * random.normal(static_cast<uint64_t>(i * n + j)));
}

// Chain neighbours and hairpins: a hairpin of length m with its turn after site t pairs t - k with t + 4 + k, k = 0..m-1.
void contacts(uint64_t seed, double *matrix, int64_t sites) {
  constexpr int64_t kLoop = 4, kShortest = 2, kLongest = 8, kSitesPerHairpin = 20;
  const RandomView strengths(seed, Stream::model, 0, kSiteCouplings), places(seed, Stream::model, 0, kHairpins);
  const auto join = [&](int64_t i, int64_t j) {
    set_pair(matrix, sites, i, j, 0.5 + strengths.uniform(static_cast<uint64_t>(i * sites + j)));
  };
  for (int64_t i = 0; i + 1 < sites; ++i) join(i, i + 1);
  const int64_t longest = std::min(kLongest, (sites - kLoop + 1) / 2);
  if (longest < kShortest) return;
  const int64_t hairpins = std::max<int64_t>(1, sites / kSitesPerHairpin);
  for (int64_t h = 0; h < hairpins; ++h) {
    const uint64_t k = static_cast<uint64_t>(h);
    const int64_t length = kShortest + places.below(2 * k, static_cast<uint32_t>(longest - kShortest + 1));
    const int64_t turns = sites - kLoop - 2 * (length - 1);  // places that leave room for the whole hairpin
    const int64_t turn = length - 1 + places.below(2 * k + 1, static_cast<uint32_t>(turns));
    for (int64_t m = 0; m < length; ++m) join(turn - m, turn + kLoop + m);
  }
}

}  // namespace

void fill_random(Model &model, atp_couplings couplings, atp_color_matrix color_matrix, uint64_t seed) {
  const int64_t L = model.sites(), q = model.colors();
  if (couplings == ATP_COUPLINGS_GAUSSIAN)
    gaussian(RandomView(seed, Stream::model, 0, kSiteCouplings), model.maps.data(), L, 1 / std::sqrt(static_cast<double>(L)), false);
  else
    contacts(seed, model.maps.data(), L);
  if (color_matrix == ATP_COLOR_MATRIX_GAUSSIAN)
    gaussian(RandomView(seed, Stream::model, 0, kColorMatrix), model.values.data(), q, 1, true);
  else
    for (int64_t a = 0; a < q; ++a) model.values[a * q + a] = 1;
}

}  // namespace atp
