// SPDX-License-Identifier: MIT
// Large products, one thread: our kernels against BLIS doing the same work. CSV on standard output: what, size, our GFLOP/s (or million
// pairs/s), those of BLIS. The environment variable BLIS_ARCH_TYPE chooses BLIS's kernels: BLIS 0.9 does not know newer processors.
//
// usage: bench_products [SECONDS for each number]
#include "base/context.hpp"
#include "alignment/alignment.hpp"
#include "alignment/frequencies.hpp"
#include "simd/attention.hpp"
#include "simd/targets.hpp"

#include <attopotts.h>

#include <blis.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

using namespace atp;

double seconds = 0.5;

// The shortest of as many runs as fit.
template <class Run>
double best(Run &&run) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); };
  double least = 1e300;
  run();
  for (const auto begin = Clock::now(); since(begin) < seconds;) {
    const auto t = Clock::now();
    run();
    least = std::min(least, since(t));
  }
  return least;
}

template <class Real>
std::vector<Real> numbers(int64_t n, double scale) {
  std::vector<Real> x(static_cast<std::size_t>(n));
  uint64_t state = 1;
  for (Real &v : x) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    v = static_cast<Real>(scale * (static_cast<double>(state >> 40) / (1 << 24) - 0.5));
  }
  return x;
}

void line(const char *what, int64_t a, int64_t b, int64_t c, double amount, double ours, double blis) {
  std::printf("%s,%lldx%lldx%lld,%.2f,%.2f,%.2f\n", what, static_cast<long long>(a), static_cast<long long>(b), static_cast<long long>(c),
              amount / ours * 1e-9, amount / blis * 1e-9, blis / ours);
  std::fflush(stdout);
}

// Arrays at multiples of 64 bytes.
struct Aligned {
  explicit Aligned(int64_t n) : data(static_cast<float *>(std::aligned_alloc(64, static_cast<std::size_t>((n * 4 + 63) / 64 * 64)))) {
    const std::vector<float> x = numbers<float>(n, 1);
    std::copy(x.begin(), x.end(), data);
  }
  ~Aligned() { std::free(data); }
  Aligned(const Aligned &) = delete;
  Aligned &operator=(const Aligned &) = delete;
  float *data;
};

// The projections of a wide encoder: out[rows][columns] = W^T in, and the gradient of W, sums over the columns.
void encoder(int64_t width, int64_t columns) {
  const int64_t rows = 2 * width, depth = width + 1;
  const Aligned weights(depth * rows), in(depth * columns), out(rows * columns), sums(depth * rows * 16);
  const AttentionKernels &kernels = attention_kernels(best_target());
  float one = 1, zero = 0;
  const double work = 2.0 * static_cast<double>(rows) * static_cast<double>(depth) * static_cast<double>(columns);
  const double ours = best([&] { kernels.product(rows, depth, weights.data, columns, in.data, nullptr, out.data); });
  const double blis = best([&] {
    bli_sgemm(BLIS_TRANSPOSE, BLIS_NO_TRANSPOSE, rows, columns, depth, &one, weights.data, rows, 1, in.data, columns, 1, &zero, out.data,
              columns, 1);
  });
  line("product", rows, depth, columns, work, ours, blis);
  const double outer = best([&] { kernels.outer(depth, rows, columns, in.data, out.data, sums.data); });
  const double gemm = best([&] {
    bli_sgemm(BLIS_NO_TRANSPOSE, BLIS_TRANSPOSE, depth, rows, columns, &one, in.data, columns, 1, out.data, columns, 1, &one, sums.data,
              rows, 1);
  });
  line("outer", depth, rows, columns, work, outer, gemm);
}

// Pair frequencies of N sequences: our counting against BLIS on sequences as rows of zeros and ones. Amount: N L^2 / 2 pairs of sites.
void covariance(int64_t count, int64_t sites, int64_t colors) {
  atp_context *context = nullptr;
  atp_alignment *handle = nullptr;
  std::vector<uint8_t> sequences(static_cast<std::size_t>(count * sites));
  uint64_t state = 7;
  for (uint8_t &s : sequences)
    s = static_cast<uint8_t>((state = state * 6364136223846793005u + 1442695040888963407u) >> 33 & 0xff) % colors;
  if (atp_context_create(nullptr, nullptr, nullptr, &context) != ATP_OK ||
      atp_alignment_create(context, sequences.data(), count, sites, colors, nullptr, &handle) != ATP_OK)
    std::exit(1);
  const int64_t n = sites * colors;
  std::vector<double> pairs(static_cast<std::size_t>(n * n)), product(static_cast<std::size_t>(n * n));
  const Alignment &alignment = *reinterpret_cast<const Alignment *>(handle);
  const double ours = best([&] { pair_frequencies(alignment, 0, pairs.data()); });
  double one = 1, zero = 0;
  std::vector<double> hot(static_cast<std::size_t>(count * n));
  const double blis = best([&] {
    std::fill(hot.begin(), hot.end(), 0.0);
    for (int64_t k = 0; k < count; ++k)
      for (int64_t i = 0; i < sites; ++i)
        hot[static_cast<std::size_t>(k * n + i * colors + sequences[static_cast<std::size_t>(k * sites + i)])] = 1;
    bli_dsyrk(BLIS_UPPER, BLIS_TRANSPOSE, n, count, &one, hot.data(), n, 1, &zero, product.data(), n, 1);
  });
  line("pair frequencies (pairs)", count, sites, colors, static_cast<double>(count) * static_cast<double>(sites * sites) / 2, ours, blis);
  atp_alignment_destroy(handle);
  atp_context_destroy(context);
}

// Scores Q K^T of low-rank maps in float64, as learn/factored/attention.cpp makes them, without the softmax.
void scores(int64_t sites, int64_t rank) {
  const std::vector<double> q = numbers<double>(sites * rank, 1), k = numbers<double>(sites * rank, 1);
  std::vector<double> out(static_cast<std::size_t>(sites * sites));
  const double ours = best([&] {
    for (int64_t i = 0; i < sites; ++i) {
      double *a = out.data() + i * sites;
      std::fill_n(a, sites, 0.0);
      for (int64_t r = 0; r < rank; ++r) {
        const double x = q[static_cast<std::size_t>(i * rank + r)], *column = k.data() + r * sites;
        for (int64_t j = 0; j < sites; ++j) a[j] += x * column[j];
      }
    }
  });
  double one = 1, zero = 0;
  const double blis = best([&] {
    bli_dgemm(BLIS_NO_TRANSPOSE, BLIS_NO_TRANSPOSE, sites, sites, rank, &one, const_cast<double *>(q.data()), rank, 1,
              const_cast<double *>(k.data()), sites, 1, &zero, out.data(), sites, 1);
  });
  line("low-rank scores", sites, rank, sites, 2.0 * static_cast<double>(sites * sites) * static_cast<double>(rank), ours, blis);
}

}  // namespace

int main(int argc, char **argv) {
  if (argc > 1) seconds = std::atof(argv[1]);
  bli_thread_set_num_threads(1);
  std::printf("# %s; target %s\n", atp_blas_description(), atp::target_name(atp::best_target()));
  std::printf("what,size,ours_per_ns,blis_per_ns,ours_over_blis\n");
  for (int64_t width : {20, 64, 128, 256}) encoder(width, 1024);
  for (int64_t sites : {64, 256, 512}) scores(sites, 16);
  scores(512, 64);
  covariance(1000, 64, 21);
  covariance(1000, 128, 21);
  return 0;
}
