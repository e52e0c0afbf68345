// SPDX-License-Identifier: MIT
// What a student of dot-product attention is given: tokens with a positional code, and a teacher. [C24], docs/theory.md
//
// d dimensions, L tokens: x_l = sum_k code[l][k] u_k / sqrt(d) + xi_l, xi_l ~ N(0, sigma^2 1). The u_k are the vectors of the cosine
// transform, u_0 = (1, ..., 1), u_j . u_k = d delta_jk. Y = T xi, T = (1 - omega) softmax(h h^T) + omega A, h_l = xi_l . Q* / sqrt(d),
// Q* ~ N(0, 1). Student: Y^ = softmax(chi chi^T) x, chi_l = (x_l . Q_1, ..., x_l . Q_r) / sqrt(d). Softmax goes along rows.
#pragma once

#include "base/context.hpp"
#include "base/span.hpp"

#include <cstdint>

namespace atp::dotattn {

inline constexpr int64_t kMostTokens = 8, kMostCode = 4, kMostRank = 2;

struct Task {
  int64_t d;
  int64_t tokens;         // L, 2..kMostTokens
  int64_t code_columns;   // 1..kMostCode, at most d
  int64_t rank;           // of the student, 1..kMostRank
  const double *code;     // [L][code_columns]
  const double *teacher;  // A, [L][L]
  double omega, sigma, lambda;
};

// A line in the log for each row of A that does not sum to one: no attention of the student can match it.
void warn_of_teacher(const Context &context, const double *teacher, int64_t tokens);

// Throws ATP_E_VALUE where a time is below the one before.
void require_rising(const double *times, int64_t n);

// u_k [d].
void code_vector(int64_t d, int64_t k, Span<double> u);

// Standard normal numbers: element e of (seed, run, step).
void draw_normals(uint64_t seed, int64_t run, uint64_t step, Span<double> out);

// Row-wise softmax(chi chi^T), chi [L][rank], into s [L][L].
void attention(int64_t tokens, int64_t rank, const double *chi, double *s);

// T of a sample, from h [L].
void teacher_matrix(const Task &task, const double *h, double *t);

// All that the loss of a sample needs: x x^T, Y x^T, |Y|^2. Numbers per sample: sample_numbers(L).
constexpr int64_t sample_numbers(int64_t tokens) { return 2 * tokens * tokens + 1; }

// These numbers over d, in the limit of many dimensions, from h [L]: rho 1, rho T, rho |T|^2.
void limit_numbers(const Task &task, const double *h, double *numbers);

// |Y - softmax(chi chi^T) x|^2 of a sample, from its numbers. Where slope [L][rank] is wanted: its derivative by chi.
double sample_loss(int64_t tokens, int64_t rank, const double *numbers, const double *chi, double *slope);

// The change of this slope with chi along direction [L][rank]: the Hessian of the sample's loss by chi times the direction.
void sample_curvature(int64_t tokens, int64_t rank, const double *numbers, const double *chi, const double *direction, double *change);

// Draws samples one after the other.
class Source {
 public:
  Source(const Task &task, uint64_t seed, int64_t run) : task_(task), seed_(seed), run_(run) {}
  // Doubles that it works in.
  static int64_t workspace(const Task &task) { return 2 * task.tokens * task.d; }
  // Sample number `sample`: its x are in x() until the next call. u is [code_columns][d], teacher is Q* [d].
  void draw(uint64_t sample, Span<const double> u, Span<const double> teacher, Span<double> work, double *numbers);
  Span<const double> x(int64_t token) const { return x_.sub(token * task_.d, task_.d); }

 private:
  const Task &task_;
  uint64_t seed_;
  int64_t run_;
  Span<double> x_;
};

}  // namespace atp::dotattn
