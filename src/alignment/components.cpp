// SPDX-License-Identifier: MIT
// The covariance matrix C of the one-hot sequences is never made: C v is one sum over the sites of each sequence, and one over the
// sequences for each site and colour. Sums run in one order, so that the bits do not depend on the threads.
#include "alignment/components.hpp"

#include "alignment/frequencies.hpp"

#include <algorithm>

namespace atp {

namespace {

constexpr int64_t kMost = Components::kMost;
constexpr int64_t kSequences = 256;  // of a task
constexpr double kAccuracy = 1e-6;   // of the eigenvectors, of the largest eigenvalue

// f_i(a) among the sequences that have site i, [sites][q]; 0 where none has.
void find_frequencies(const Colored &data, double *out) {
  for (int64_t i = 0; i < data.alignment.sites(); ++i, out += data.q()) {
    count_colors(data.alignment, i, data.missing, data.q(), out);
    double total = 0;
    for (int64_t a = 0; a < data.q(); ++a) total += out[a];
    for (int64_t a = 0; a < data.q(); ++a) out[a] = total > 0 ? out[a] / total : 0;
  }
}

// vectors [sites][q][kMost]: v_k(i, a) - sum_b f_i(b) v_k(i, b) of the `count` rows of x, 0 of the others.
void centre(const double *x, int64_t count, Span<const double> f, int64_t q, double *vectors) {
  std::fill_n(vectors, f.size() * kMost, 0.0);
  for (int64_t k = 0; k < count; ++k)
    for (int64_t i = 0; i < f.size() / q; ++i) {
      const double *v = x + k * f.size() + i * q;
      double mean = 0;
      for (int64_t b = 0; b < q; ++b) mean += f[i * q + b] * v[b];
      for (int64_t a = 0; a < q; ++a) vectors[(i * q + a) * kMost + k] = v[a] - mean;
    }
}

// coordinates [n][kMost]: y_k = sum_i v_k(i, s_i) over the sites that a sequence has.
void sum_over_sites(const Colored &data, const double *vectors, Threads threads, double *coordinates) {
  const int64_t n = data.alignment.count(), sites = data.alignment.sites(), q = data.q();
  parallel_for(threads, (n + kSequences - 1) / kSequences, [&](int64_t task, int) {
    for (int64_t m = task * kSequences; m < std::min(n, (task + 1) * kSequences); ++m) {
      const uint8_t *s = data.alignment.sequence(m);
      double y[kMost] = {};
      for (int64_t i = 0; i < sites; ++i) {
        if (s[i] < data.missing) continue;
        const double *v = vectors + (i * q + s[i] - data.missing) * kMost;
        for (int64_t k = 0; k < kMost; ++k) y[k] += v[k];
      }
      std::copy_n(y, kMost, coordinates + m * kMost);
    }
  });
}

}  // namespace

struct Components::Product {
  Components &of;
  Colored data;
  Threads threads;
  double weight;

  // out [count][sites][q]: sum_n w_n y_kn (1[s_i = a] - f_i(a)) / sum_n w_n over the sequences that have site i.
  void sum_over_sequences(int64_t count, double *out) const {
    const int64_t n = data.alignment.count(), sites = of.sites_, q = of.q_;
    parallel_for(threads, sites, [&](int64_t i, int) {
      double sums[256][kMost] = {}, total[kMost] = {};
      for (int64_t m = 0; m < n; ++m) {
        const int64_t a = data.alignment.sequence(m)[i] - data.missing;
        if (a < 0) continue;
        const double *y = of.coordinates_.data() + m * kMost;
        for (int64_t k = 0; k < kMost; ++k) sums[a][k] += data.alignment.weights[m] * y[k];
      }
      for (int64_t a = 0; a < q; ++a)
        for (int64_t k = 0; k < kMost; ++k) total[k] += sums[a][k];
      for (int64_t k = 0; k < count; ++k)
        for (int64_t a = 0; a < q; ++a) out[(k * sites + i) * q + a] = (sums[a][k] - of.frequencies_[i * q + a] * total[k]) / weight;
    });
  }
  static void apply(void *user, const double *x, int64_t count, double *y) {
    const Product &product = *static_cast<const Product *>(user);
    Components &of = product.of;
    centre(x, count, of.frequencies_, of.q_, of.vectors_.data());
    sum_over_sites(product.data, of.vectors_.data(), product.threads, of.coordinates_.data());
    product.sum_over_sequences(count, y);
  }
};

Components::Components(Arena &arena, int64_t count, int64_t sites, int64_t q)
    : sites_(sites),
      q_(q),
      eigen_(arena, product_of(sites, q)),
      frequencies_(arena.take<double>(sites, q)),
      vectors_(arena.take<double>(sites, q, kMost)),
      coordinates_(arena.take<double>(count, kMost)) {
  if (!arena.measuring()) eigen_.randomise();
}

void Components::find(const Colored &data, int64_t components, Threads threads) {
  find_frequencies(data, frequencies_.data());
  Product product{*this, data, threads, data.alignment.effective_count()};
  if (!eigen_.find({Product::apply, &product}, components, kAccuracy))
    data.alignment.context->message(
        ATP_LOG_WARNING, "the principal components of the sequences are not accurate: several directions have nearly the same variance");
  centre(eigen_.vector(0), components, frequencies_, q_, vectors_.data());
}

void Components::project(const Colored &sequences, int64_t components, Threads threads, double *coordinates) const {
  const int64_t n = sequences.alignment.count();
  sum_over_sites(sequences, vectors_.data(), threads, coordinates_.data());
  for (int64_t m = 0; m < n; ++m) std::copy_n(coordinates_.data() + m * kMost, components, coordinates + m * components);
}

}  // namespace atp
