// SPDX-License-Identifier: MIT
// The couplings J_ij(a, b) = sum_k M_k,ij B_k(a, b) of the pairs i < j, and the derivatives by M and B from those by J, in single
// precision: products of rows of q^2 colours (simd/projection.hpp), site by site. Sums over pairs are float within a piece of the sites,
// of which there are kPieces however many threads there are, and float64 over these.
#pragma once

#include "base/arena.hpp"
#include "base/team.hpp"
#include "simd/projection.hpp"

namespace atp {

// Terms of the couplings. A site has rows [term][L] in M.
struct PointTerms {
  int64_t count = 0, sites = 0, colors = 0;
  const double *maps = nullptr, *values = nullptr;  // [count][L][L], [count][q][q]
};

class PointPassF32 {
 public:
  void lay_out(Arena &arena, int64_t sites, int64_t colors, int64_t terms, int threads);
  bool laid_out() const { return stride_ > 0; }
  // couplings [pairs i < j][q][q]
  void expand(Threads threads, Target target, const PointTerms &terms, double *couplings);
  // maps[k][i][j] = sum_ab B_k(a, b) S_ij(a, b) for i < j, the others are left; values_k = sum_{i < j} M_k,ij S_ij, if it is not
  // NULL.
  void pull_back(Threads threads, Target target, const PointTerms &terms, const double *slope, double *maps, double *values);

 private:
  static constexpr int64_t kPieces = 16;
  void pack(const PointTerms &terms);
  void pull_back_site(const ProjectionKernels &kernels, const PointTerms &terms, const double *slope, int64_t i, float *work, float *sums,
                      double *maps) const;

  int64_t stride_ = 0, work_stride_ = 0;
  Span<float> values_;  // [terms][stride]
  Span<float> sums_;    // [kPieces][terms][stride]
  Span<float> work_;    // [threads]: rows of a site [L][stride], numbers of its pairs [L][terms]
};

}  // namespace atp
