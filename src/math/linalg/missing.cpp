// SPDX-License-Identifier: MIT
// Stands in for BLIS and LAPACK in a build without them.
#include "base/error.hpp"
#include "math/linalg/blas.hpp"
#include "math/linalg/lapack.hpp"

namespace atp {

namespace {

[[noreturn]] void fail_unsupported() { fail(ATP_E_UNSUPPORTED, "this build has no BLIS and LAPACK (Meson option linalg)"); }

}  // namespace

BlasRoom::BlasRoom(int calls) : calls_(calls), beside_(calls) { fail_unsupported(); }
BlasRoom::~BlasRoom() { static_cast<void>(calls_ + beside_); }
const char *blas_description() { return "none"; }

void gemm(bool, bool, int64_t, int64_t, int64_t, double, const double *, int64_t, const double *, int64_t, double, double *, int64_t) {
  fail_unsupported();
}
void symmetric_product(const Threads &, bool, int64_t, int64_t, double, const double *, double *) { fail_unsupported(); }
void symmetric_product(const Threads &, bool, int64_t, int64_t, float, const float *, float *) { fail_unsupported(); }
int64_t invert_positive(const Threads &, int64_t, double *) { fail_unsupported(); }
int64_t invert_positive(const Threads &, int64_t, float *) { fail_unsupported(); }
int64_t factor_positive(const Threads &, int64_t, double *) { fail_unsupported(); }
int64_t factor_positive(const Threads &, int64_t, float *) { fail_unsupported(); }
void solve_lower_left(const Threads &, int64_t, int64_t, const double *, double *) { fail_unsupported(); }
void solve_lower_left(const Threads &, int64_t, int64_t, const float *, float *) { fail_unsupported(); }
int64_t cholesky(int64_t, double *) { fail_unsupported(); }
void cholesky_inverse(int64_t, double *) { fail_unsupported(); }
void solve_lower(bool, int64_t, const double *, double *) { fail_unsupported(); }
void multiply_lower(bool, int64_t, const double *, double *) { fail_unsupported(); }
void multiply_right_lower_transposed(int64_t, int64_t, const double *, double *, int64_t) { fail_unsupported(); }
void multiply(int64_t, int64_t, const double *, int64_t, const double *, double *) { fail_unsupported(); }
int64_t symmetric_eigen_workspace(int64_t) { return 0; }
bool symmetric_eigen(int64_t, double *, double *, double *) { fail_unsupported(); }
int64_t least_squares_workspace(int64_t, int64_t) { return 0; }
bool least_squares(int64_t, int64_t, double *, double *, double *) { fail_unsupported(); }
const char *lapack_version() { return "none"; }

}  // namespace atp
