// SPDX-License-Identifier: MIT
// The upper triangle of a row-major matrix is the lower triangle of a column-major one, which is how the comments here call it: A = L L^T.
#include "math/linalg/lapack.hpp"

#include "math/linalg/blas.hpp"

#include <blis.h>

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

constexpr int64_t kBase = 256;  // order of the blocks that LAPACK gets

// The functions of BLIS and LAPACK for one precision. Element (r, c) is at a[r + c * lead].
struct Double {
  using Real = double;
  static constexpr auto potrf = dpotrf_;
  static constexpr auto trtri = dtrtri_;
  static constexpr auto lauum = dlauum_;
  static constexpr auto trsm = bli_dtrsm;
  static constexpr auto trmm = bli_dtrmm;
  static constexpr auto syrk = bli_dsyrk;
};
struct Single {
  using Real = float;
  static constexpr auto potrf = spotrf_;
  static constexpr auto trtri = strtri_;
  static constexpr auto lauum = slauum_;
  static constexpr auto trsm = bli_strsm;
  static constexpr auto trmm = bli_strmm;
  static constexpr auto syrk = bli_ssyrk;
};

template <class Of>
struct Matrix {
  using Real = typename Of::Real;
  Real *a;
  int64_t n, lead;

  int64_t half() const { return n / 2; }
  Matrix first() const { return {a, half(), lead}; }
  Matrix last() const { return {a + half() * (lead + 1), n - half(), lead}; }
  Real *below() const { return a + half(); }  // [n - half][half]

  // below = factor op(T)^-1 below, or below op(T)^-1 from the right.
  void solve(side_t side, trans_t trans, Real factor, const Matrix &t) const {
    Of::trsm(side, BLIS_LOWER, trans, BLIS_NONUNIT_DIAG, n - half(), half(), &factor, t.a, 1, lead, below(), 1, lead);
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
  m.solve(BLIS_RIGHT, BLIS_TRANSPOSE, 1, m.first());
  typename Of::Real minus = -1, one = 1;
  const int64_t rest = m.n - m.half();
  Of::syrk(BLIS_LOWER, BLIS_NO_TRANSPOSE, rest, m.half(), &minus, m.below(), 1, m.lead, &one, m.last().a, 1, m.lead);
  const int64_t minor = factor(m.last());
  return minor == 0 ? 0 : minor + m.half();
}

// L^-1.
template <class Of>
void invert_factor(const Matrix<Of> &m) {
  if (m.n <= kBase) {
    const int n = static_cast<int>(m.n), lead = static_cast<int>(m.lead);
    int info = 0;
    Of::trtri("L", "N", &n, m.a, &lead, &info, 1, 1);
    return;
  }
  m.solve(BLIS_LEFT, BLIS_NO_TRANSPOSE, -1, m.last());
  m.solve(BLIS_RIGHT, BLIS_NO_TRANSPOSE, 1, m.first());
  invert_factor(m.first());
  invert_factor(m.last());
}

// L^T L.
template <class Of>
void square(const Matrix<Of> &m) {
  if (m.n <= kBase) {
    const int n = static_cast<int>(m.n), lead = static_cast<int>(m.lead);
    int info = 0;
    Of::lauum("L", &n, m.a, &lead, &info, 1);
    return;
  }
  square(m.first());
  typename Of::Real one = 1;
  const int64_t rest = m.n - m.half();
  Of::syrk(BLIS_LOWER, BLIS_TRANSPOSE, m.half(), rest, &one, m.below(), 1, m.lead, &one, m.a, 1, m.lead);
  Of::trmm(BLIS_LEFT, BLIS_LOWER, BLIS_TRANSPOSE, BLIS_NONUNIT_DIAG, rest, m.half(), &one, m.last().a, 1, m.lead, m.below(), 1, m.lead);
  square(m.last());
}

template <class Of>
int64_t invert(int64_t n, typename Of::Real *a) {
  const Matrix<Of> m{a, n, n};
  const int64_t minor = factor(m);
  if (minor != 0) return minor;
  invert_factor(m);
  square(m);
  return 0;
}

}  // namespace

int64_t invert_positive(int64_t n, double *a) {
  const BlasRoom room;
  return invert<Double>(n, a);
}

int64_t invert_positive(int64_t n, float *a) {
  const BlasRoom room;
  return invert<Single>(n, a);
}

int64_t factor_positive(int64_t n, double *a) {
  const BlasRoom room;
  return factor(Matrix<Double>{a, n, n});
}

int64_t factor_positive(int64_t n, float *a) {
  const BlasRoom room;
  return factor(Matrix<Single>{a, n, n});
}

}  // namespace atp
