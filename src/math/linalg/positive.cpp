// SPDX-License-Identifier: MIT
// The upper triangle of a row-major matrix is the lower triangle of a column-major one, which is how the comments here call it: A = L L^T.
#include "math/linalg/lapack.hpp"

#include "math/linalg/blas.hpp"

#include <blis.h>

#include <algorithm>
#include <cstddef>

extern "C" {
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, std::size_t);
void spotrf_(const char *uplo, const int *n, float *a, const int *lda, int *info, std::size_t);
void dtrtri_(const char *uplo, const char *diag, const int *n, double *a, const int *lda, int *info, std::size_t, std::size_t);
void strtri_(const char *uplo, const char *diag, const int *n, float *a, const int *lda, int *info, std::size_t, std::size_t);
void dlauum_(const char *uplo, const int *n, double *a, const int *lda, int *info, std::size_t);
void slauum_(const char *uplo, const int *n, float *a, const int *lda, int *info, std::size_t);
}

namespace atp {

namespace {

constexpr int64_t kBase = 256;   // order of the blocks that LAPACK gets
constexpr int64_t kBlock = 512;  // rows or columns of a product that one thread gets

// The functions of BLIS and LAPACK for one precision. Element (r, c) is at a[r + c * lead].
struct Double {
  using Real = double;
  static constexpr auto potrf = dpotrf_;
  static constexpr auto trtri = dtrtri_;
  static constexpr auto lauum = dlauum_;
  static constexpr auto gemm = bli_dgemm;
  static constexpr auto trsm = bli_dtrsm;
  static constexpr auto trmm = bli_dtrmm;
  static constexpr auto syrk = bli_dsyrk;
};
struct Single {
  using Real = float;
  static constexpr auto potrf = spotrf_;
  static constexpr auto trtri = strtri_;
  static constexpr auto lauum = slauum_;
  static constexpr auto gemm = bli_sgemm;
  static constexpr auto trsm = bli_strsm;
  static constexpr auto trmm = bli_strmm;
  static constexpr auto syrk = bli_ssyrk;
};

// function(first, size) for blocks of `count` rows or columns, the last ones first: in triangles they are the longest.
template <class Function>
void in_blocks(const Threads &threads, int64_t count, Function &&function) {
  const int64_t blocks = (count + kBlock - 1) / kBlock;
  parallel_for(threads, blocks, [&](int64_t task, int) {
    const int64_t first = (blocks - 1 - task) * kBlock;
    function(first, std::min(kBlock, count - first));
  });
}

// Elements (i, k) at a[i * row + k * column].
template <class Real>
struct Strided {
  Real *a;
  int64_t row, column;
  Real *at(int64_t i) const { return a + i * row; }
};

// The lower triangle of C [n][n], column-major: C = alpha A A^T + beta C with A [n][k].
template <class Of, class Real = typename Of::Real>
void lower_product(const Threads &threads, int64_t n, int64_t k, Real alpha, Strided<Real> a, Real beta, Strided<Real> c) {
  in_blocks(threads, n, [&](int64_t first, int64_t size) {
    Real *row = a.at(first), *out = c.at(first), f = alpha, g = beta;
    if (first > 0)
      Of::gemm(BLIS_NO_TRANSPOSE, BLIS_TRANSPOSE, size, first, k, &f, row, a.row, a.column, a.a, a.row, a.column, &g, out, c.row, c.column);
    Of::syrk(BLIS_LOWER, BLIS_NO_TRANSPOSE, size, k, &f, row, a.row, a.column, &g, out + first * c.column, c.row, c.column);
  });
}

template <class Of>
struct Matrix {
  using Real = typename Of::Real;
  const Threads &threads;
  Real *a;
  int64_t n, lead;

  int64_t half() const { return n / 2; }
  Matrix first() const { return {threads, a, half(), lead}; }
  Matrix last() const { return {threads, a + half() * (lead + 1), n - half(), lead}; }
  Real *below() const { return a + half(); }  // [n - half][half]

  // below = below first^-T, in blocks of rows.
  void solve_right() const {
    in_blocks(threads, n - half(), [&](int64_t row, int64_t size) {
      Real one = 1;
      Of::trsm(BLIS_RIGHT, BLIS_LOWER, BLIS_TRANSPOSE, BLIS_NONUNIT_DIAG, size, half(), &one, a, 1, lead, below() + row, 1, lead);
    });
  }
};

// L, or the order of the first minor that is not positive.
template <class Of>
int64_t factor(const Matrix<Of> &m) {
  if (m.n <= kBase) {
    const int n = static_cast<int>(m.n), lead = static_cast<int>(m.lead);
    int info = 0;
    Of::potrf("L", &n, m.a, &lead, &info, 1);
    return info;
  }
  if (const int64_t minor = factor(m.first()); minor != 0) return minor;
  m.solve_right();
  using Real = typename Of::Real;
  lower_product<Of>(m.threads, m.n - m.half(), m.half(), Real{-1}, {m.below(), 1, m.lead}, Real{1}, {m.last().a, 1, m.lead});
  const int64_t minor = factor(m.last());
  return minor == 0 ? 0 : minor + m.half();
}

// L^-1: below = -last^-1 below first^-1, by columns and by rows.
template <class Of>
void invert_factor(const Matrix<Of> &m) {
  if (m.n <= kBase) {
    const int n = static_cast<int>(m.n), lead = static_cast<int>(m.lead);
    int info = 0;
    Of::trtri("L", "N", &n, m.a, &lead, &info, 1, 1);
    return;
  }
  const int64_t half = m.half(), rest = m.n - half, lead = m.lead;
  in_blocks(m.threads, half, [&](int64_t column, int64_t size) {
    typename Of::Real minus = -1;
    Of::trsm(BLIS_LEFT, BLIS_LOWER, BLIS_NO_TRANSPOSE, BLIS_NONUNIT_DIAG, rest, size, &minus, m.last().a, 1, lead,
             m.below() + column * lead, 1, lead);
  });
  in_blocks(m.threads, rest, [&](int64_t row, int64_t size) {
    typename Of::Real one = 1;
    Of::trsm(BLIS_RIGHT, BLIS_LOWER, BLIS_NO_TRANSPOSE, BLIS_NONUNIT_DIAG, size, half, &one, m.a, 1, lead, m.below() + row, 1, lead);
  });
  invert_factor(m.first());
  invert_factor(m.last());
}

// L^T L.
template <class Of>
void square(const Matrix<Of> &m) {
  using Real = typename Of::Real;
  if (m.n <= kBase) {
    const int n = static_cast<int>(m.n), lead = static_cast<int>(m.lead);
    int info = 0;
    Of::lauum("L", &n, m.a, &lead, &info, 1);
    return;
  }
  square(m.first());
  const int64_t half = m.half(), rest = m.n - half, lead = m.lead;
  lower_product<Of>(m.threads, half, rest, Real{1}, {m.below(), lead, 1}, Real{1}, {m.a, 1, lead});
  in_blocks(m.threads, half, [&](int64_t column, int64_t size) {
    Real one = 1;
    Of::trmm(BLIS_LEFT, BLIS_LOWER, BLIS_TRANSPOSE, BLIS_NONUNIT_DIAG, rest, size, &one, m.last().a, 1, lead, m.below() + column * lead, 1,
             lead);
  });
  square(m.last());
}

template <class Of>
int64_t invert(const Threads &threads, int64_t n, typename Of::Real *a) {
  const BlasRoom room(threads);
  const Matrix<Of> m{threads, a, n, n};
  const int64_t minor = factor(m);
  if (minor != 0) return minor;
  invert_factor(m);
  square(m);
  return 0;
}

template <class Of>
int64_t factorise(const Threads &threads, int64_t n, typename Of::Real *a) {
  const BlasRoom room(threads);
  return factor(Matrix<Of>{threads, a, n, n});
}

template <class Of, class Real = typename Of::Real>
void product(const Threads &threads, bool transpose, int64_t n, int64_t k, Real alpha, const Real *a, Real *c) {
  const BlasRoom room(threads);
  Real *read = const_cast<Real *>(a);  // BLIS takes non-const pointers, but only reads through them
  lower_product<Of>(threads, n, k, alpha, {read, transpose ? 1 : k, transpose ? n : 1}, Real{0}, {c, 1, n});
}

template <class Of, class Real = typename Of::Real>
void solve_left(const Threads &threads, int64_t n, int64_t m, const Real *c, Real *b) {
  const BlasRoom room(threads);
  in_blocks(threads, m, [&](int64_t column, int64_t size) {
    Real one = 1;
    Of::trsm(BLIS_LEFT, BLIS_LOWER, BLIS_NO_TRANSPOSE, BLIS_NONUNIT_DIAG, n, size, &one, const_cast<Real *>(c), 1, n, b + column, m, 1);
  });
}

}  // namespace

int64_t invert_positive(const Threads &threads, int64_t n, double *a) { return invert<Double>(threads, n, a); }
int64_t invert_positive(const Threads &threads, int64_t n, float *a) { return invert<Single>(threads, n, a); }
int64_t factor_positive(const Threads &threads, int64_t n, double *a) { return factorise<Double>(threads, n, a); }
int64_t factor_positive(const Threads &threads, int64_t n, float *a) { return factorise<Single>(threads, n, a); }

void symmetric_product(const Threads &threads, bool transpose, int64_t n, int64_t k, double alpha, const double *a, double *c) {
  product<Double>(threads, transpose, n, k, alpha, a, c);
}
void symmetric_product(const Threads &threads, bool transpose, int64_t n, int64_t k, float alpha, const float *a, float *c) {
  product<Single>(threads, transpose, n, k, alpha, a, c);
}

void solve_lower_left(const Threads &threads, int64_t n, int64_t m, const double *c, double *b) { solve_left<Double>(threads, n, m, c, b); }
void solve_lower_left(const Threads &threads, int64_t n, int64_t m, const float *c, float *b) { solve_left<Single>(threads, n, m, c, b); }

}  // namespace atp
