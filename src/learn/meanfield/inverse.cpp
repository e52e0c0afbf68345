// SPDX-License-Identifier: MIT
#include "learn/meanfield/inverse.hpp"

#include "alignment/frequencies.hpp"
#include "math/linalg/blas.hpp"
#include "math/linalg/lapack.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

AlignmentShape counted(const InverseShape &shape) { return {shape.count, shape.sites, shape.colors}; }

// Three blocks for each thread.
int64_t blocks_size(const InverseShape &shape) { return 3 * shape.colors * shape.colors; }

// Covariances of colours from counts: block (i, j), with f the frequencies with pseudocount.
void covariance_block(const double *counts, double scale, double shift, int64_t q, const double *f, const double *g, bool diagonal,
                      double *out) {
  for (int64_t a = 0; a < q; ++a)
    for (int64_t b = 0; b < q; ++b) {
      const double pair = !diagonal ? std::fma(counts[a * q + b], scale, shift) : a == b ? f[a] : 0;
      out[a * q + b] = std::fma(-f[a], g[b], pair);
    }
}

// The data, and what follows from them.
struct Data {
  const Alignment &x;
  double pseudocount;
  const ColorBases &bases;
  const double *frequencies;
};

// The upper triangle of C, by rows of blocks.
template <class Real>
void fill_covariance(const Data &data, const Threads &threads, const RowCounts &rows, Span<double> blocks, Real *out) {
  const Alignment &x = data.x;
  const double pseudocount = data.pseudocount, *frequencies = data.frequencies;
  const int64_t L = x.sites(), q = x.colors(), n = data.bases.first(L);
  const double scale = (1 - pseudocount) / x.effective_count(), shift = pseudocount / static_cast<double>(q * q);
  parallel_for(threads, L, [&](int64_t i, int thread) {
    double *block = blocks.data() + thread * 3 * q * q, *between = block + q * q, *reduced = between + q * q;
    const double *counts = rows.count(x, i, thread);
    for (int64_t j = i; j < L; ++j) {
      covariance_block(counts + j * q * q, scale, shift, q, frequencies + i * q, frequencies + j * q, i == j, block);
      const ColorBasis own = data.bases.at(i), other = data.bases.at(j);
      reduce_block(own, other, q, block, between, reduced);
      const int64_t d = own.dimension(), e = other.dimension();
      Real *to = out + data.bases.first(i) * n + data.bases.first(j);
      for (int64_t r = 0; r < d; ++r)
        for (int64_t s = 0; s < e; ++s) to[r * n + s] = static_cast<Real>(static_cast<double>(q) * reduced[r * e + s]);
    }
  });
}

std::size_t covariance_bytes(const InverseShape &shape, int threads) {
  return RowCounts::bytes(counted(shape), threads) + Scratch::piece<double>(threads * blocks_size(shape));
}

[[noreturn]] void fail_indefinite(double pseudocount, int64_t minor) {
  fail(ATP_E_VALUE,
       "the covariances with pseudocount %g cannot be inverted in this precision (minor %lld is not positive): raise it, or set precision "
       "64",
       pseudocount, static_cast<long long>(minor));
}

template <class Real>
void invert_covariance(Context &context, const InverseShape &shape, const Data &data, Real *out) {
  {
    const Threads threads = context.threads;
    const Scratch scratch(context.allocator, covariance_bytes(shape, threads));
    Arena arena = scratch.arena();
    const RowCounts rows(counted(shape), threads, arena);
    fill_covariance(data, threads, rows, arena.take<double>(threads, blocks_size(shape)), out);
  }
  const int64_t minor = invert_positive(context.threads, shape.order(), out);
  if (minor != 0) fail_indefinite(data.pseudocount, minor);
}

// The rows of Z.
template <class Real>
void fill_rows(const Threads &threads, const Data &data, const double *plain, double *table, Real *out) {
  const Alignment &x = data.x;
  const double pseudocount = data.pseudocount;
  const int64_t L = x.sites(), q = x.colors(), n = data.bases.first(L), N = x.count();
  const double root = std::sqrt(static_cast<double>(q)), total = x.effective_count();
  // table[i][a] = sqrt(q) B e_a - m_i, and m_i itself in the last row of Z.
  const double last = std::sqrt((1 - pseudocount) * pseudocount);
  for (int64_t i = 0; i < L; ++i) {
    double mean[256], unit[256] = {};
    const ColorBasis basis = data.bases.at(i);
    const int64_t d = basis.dimension();
    basis.reduce(plain + i * q, 1, mean);
    for (int64_t r = 0; r < d; ++r) out[N * n + data.bases.first(i) + r] = static_cast<Real>(last * root * mean[r]);
    for (int64_t a = 0; a < q; ++a) {
      unit[a] = 1;
      double *row = table + (i * q + a) * (q - 1);
      basis.reduce(unit, 1, row);
      for (int64_t r = 0; r < d; ++r) row[r] = root * (row[r] - mean[r]);
      unit[a] = 0;
    }
  }
  parallel_for(threads, N, [&](int64_t k, int) {
    const double scale = std::sqrt((1 - pseudocount) * x.weights[k] / total);
    for (int64_t i = 0; i < L; ++i) {
      const double *row = table + (i * q + x.sequence(k)[i]) * (q - 1);
      const int64_t first = data.bases.first(i), d = data.bases.first(i + 1) - first;
      for (int64_t r = 0; r < d; ++r) out[k * n + first + r] = static_cast<Real>(scale * row[r]);
    }
  });
}

template <class Real>
std::size_t sequences_bytes(const InverseShape &shape) {
  const int64_t rows = shape.count + 1, d = shape.colors - 1;
  return Scratch::piece<Real>(rows * shape.order()) + Scratch::piece<Real>(rows * rows) +
         Scratch::piece<double>(shape.sites * shape.colors) + Scratch::piece<double>(shape.sites * shape.colors * d);
}

template <class Real>
void invert_by_sequences(Context &context, const InverseShape &shape, const Data &data, Real *out) {
  const Threads threads = context.threads;
  const double pseudocount = data.pseudocount;
  const int64_t rows = shape.count + 1, n = shape.order();
  const Scratch scratch(context.allocator, sequences_bytes<Real>(shape));
  Arena arena = scratch.arena();
  const Span<Real> z = arena.take<Real>(rows, n), kernel = arena.take<Real>(rows, rows);
  const Span<double> plain = arena.take<double>(shape.sites, shape.colors);
  const Span<double> table = arena.take<double>(shape.sites, shape.colors, shape.colors - 1);
  frequencies(data.x, 0, plain.data());
  fill_rows(threads, data, plain.data(), table.data(), z.data());
  symmetric_product(threads, false, rows, n, Real{1}, z.data(), kernel.data());
  for (int64_t k = 0; k < rows; ++k) kernel[k * rows + k] += static_cast<Real>(pseudocount);
  const int64_t minor = factor_positive(threads, rows, kernel.data());
  if (minor != 0) fail_indefinite(pseudocount, minor);
  solve_lower_left(threads, rows, n, kernel.data(), z.data());
  symmetric_product(threads, true, n, rows, static_cast<Real>(-1 / pseudocount), z.data(), out);
  for (int64_t k = 0; k < n; ++k) out[k * n + k] += static_cast<Real>(1 / pseudocount);
}

template <class Real>
void copy_block(const Real *matrix, const ColorBases &bases, int64_t i, int64_t j, double *out) {
  const int64_t n = bases.shape().order(), d = bases.at(i).dimension(), e = bases.at(j).dimension();
  for (int64_t r = 0; r < d; ++r)
    for (int64_t s = 0; s < e; ++s) {
      const int64_t row = bases.first(i) + r, column = bases.first(j) + s;
      out[r * e + s] = static_cast<double>(matrix[std::min(row, column) * n + std::max(row, column)]);
    }
}

// out = B^T G B', [q][q] from G [d][d']; work has q^2 elements.
void expand_block(const ColorBasis &rows, const ColorBasis &columns, int64_t q, const double *block, double *work, double *out) {
  const int64_t d = rows.dimension(), e = columns.dimension();
  for (int64_t r = 0; r < d; ++r) columns.expand(block + r * e, work + r * q, 1);
  for (int64_t b = 0; b < q; ++b) {
    double column[256];
    for (int64_t r = 0; r < d; ++r) column[r] = work[r * q + b];
    rows.expand(column, out + b, q);
  }
}

}  // namespace

void reduce_block(const ColorBasis &rows, const ColorBasis &columns, int64_t q, const double *block, double *work, double *out) {
  const int64_t d = rows.dimension(), e = columns.dimension();
  for (int64_t b = 0; b < q; ++b) rows.reduce(block + b, q, work + b * d);
  for (int64_t r = 0; r < d; ++r) columns.reduce(work + r, d, out + r * e);
}

void check_order(const InverseShape &shape) {
  if (shape.order() > kLargestOrder)
    fail(ATP_E_TOO_LARGE, "%lld sites of %lld colours need the inverse of a matrix of order %lld, at most %lld can be inverted",
         static_cast<long long>(shape.sites), static_cast<long long>(shape.colors), static_cast<long long>(shape.order()),
         static_cast<long long>(kLargestOrder));
}

ColorBases::ColorBases(Context &context, const Alignment &x)
    : shape_{x.count(), x.sites(), x.colors()}, scratch_(context.allocator, bytes(x.sites(), x.colors())) {
  const int64_t L = x.sites(), q = x.colors();
  Arena arena = scratch_.arena();
  present_ = arena.take<int32_t>(L);
  first_ = arena.take<int64_t>(L + 1);
  order_ = arena.take<int32_t>(L, q);
  for (int64_t n = 0; n < x.count(); ++n) {
    const uint8_t *s = x.sequence(n);
    for (int64_t i = 0; i < L; ++i) order_[i * q + s[i]] = 1;
  }
  for (int64_t i = 0; i < L; ++i) {
    int32_t *order = order_.data() + i * q, absent[256];
    int32_t found = 0, missing = 0;
    for (int32_t a = 0; a < q; ++a) {
      const bool present = order[a] != 0;
      (present ? order[found] : absent[missing]) = a;
      (present ? found : missing) += 1;
    }
    std::copy_n(absent, missing, order + found);
    present_[i] = found;
    first_[i + 1] = first_[i] + at(i).dimension();
  }
  shape_.found = first_[L];
  check_order(shape_);
}

std::size_t Inverse::own_bytes(const InverseShape &shape, int64_t precision, int threads, bool in_room) {
  const int64_t q = shape.colors, size = in_room ? 0 : product_of(shape.order(), shape.order());
  return (precision == 64 ? Scratch::piece<double>(size) : Scratch::piece<float>(size)) + Scratch::piece<double>(shape.sites * q) +
         Scratch::piece<double>(threads * 2 * q * q);
}

std::size_t Inverse::work_bytes(const InverseShape &shape, int64_t precision, int threads) {
  if (shape.by_sequences()) return precision == 64 ? sequences_bytes<double>(shape) : sequences_bytes<float>(shape);
  return covariance_bytes(shape, threads);
}

Inverse::Inverse(Context &context, const Alignment &alignment, const MeanFieldSettings &settings, const ColorBases &bases,
                 Span<double> room)
    : bases_(bases), scratch_(context.allocator, own_bytes(bases.shape(), settings.precision, context.threads, !room.empty())) {
  const InverseShape &shape = bases.shape();
  Arena arena = scratch_.arena();
  const int64_t size = product_of(shape.order(), shape.order()), aligned = kAlignment / sizeof(double);
  const bool twice = settings.precision == 64;
  const int64_t before = (room.size() - (twice ? size : (size + 1) / 2)) / aligned * aligned;
  double *end = room.empty() ? nullptr : room.data() + before;
  if (twice)
    double_ = room.empty() ? arena.take<double>(size) : Span<double>(end, size);
  else
    single_ = room.empty() ? arena.take<float>(size) : Span<float>(static_cast<float *>(static_cast<void *>(end)), size);
  frequencies_ = arena.take<double>(shape.sites, shape.colors);
  work_ = arena.take<double>(static_cast<int>(context.threads), 2, shape.colors, shape.colors);
  atp::frequencies(alignment, settings.pseudocount, frequencies_.data());
  const Data data{alignment, settings.pseudocount, bases, frequencies_.data()};
  const auto into = [&](auto *out) {
    if (shape.by_sequences())
      invert_by_sequences(context, shape, data, out);
    else
      invert_covariance(context, shape, data, out);
  };
  double_.empty() ? into(single_.data()) : into(double_.data());
}

void Inverse::block(int64_t i, int64_t j, double *out) const {
  double_.empty() ? copy_block(single_.data(), bases_, i, j, out) : copy_block(double_.data(), bases_, i, j, out);
}

void Inverse::coupling(int64_t i, int64_t j, int thread, double *out) const {
  block(i, j, reduced(thread));
  expand(i, j, thread, out);
}

void Inverse::copy_rows(int64_t i, double *rows) const {
  const int64_t n = bases_.shape().order(), first = bases_.first(i), width = n - first;
  const auto copy = [&](const auto *matrix) {
    for (int64_t r = 0; r < bases_.at(i).dimension(); ++r) std::copy_n(matrix + (first + r) * n + first, width, rows + r * width);
  };
  double_.empty() ? copy(single_.data()) : copy(double_.data());
}

void Inverse::coupling_of(const double *rows, int64_t i, int64_t j, int thread, double *out) const {
  const int64_t d = bases_.at(i).dimension(), e = bases_.at(j).dimension(), width = bases_.shape().order() - bases_.first(i);
  for (int64_t r = 0; r < d; ++r) std::copy_n(rows + r * width + bases_.first(j) - bases_.first(i), e, reduced(thread) + r * e);
  expand(i, j, thread, out);
}

// From the block of coordinates in reduced().
void Inverse::expand(int64_t i, int64_t j, int thread, double *out) const {
  const int64_t q = bases_.shape().colors;
  expand_block(bases_.at(i), bases_.at(j), q, reduced(thread), reduced(thread) + q * q, out);
  for (int64_t k = 0; k < q * q; ++k) out[k] *= -static_cast<double>(q);
}

}  // namespace atp
