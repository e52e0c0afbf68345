// SPDX-License-Identifier: MIT
// Online descent of dot-product attention in the limit of many dimensions: ordinary differential equations of the overlaps, and of their
// covariance while they are small. docs/theory.md, section 17, derives them, after D. Saad, S. Solla, Phys. Rev. E 52, 4225 (1995).
#pragma once

#include "base/context.hpp"
#include "base/progress.hpp"
#include "base/span.hpp"
#include "theory/dotattn/task.hpp"

#include <attopotts/dotattn_dynamics.h>

namespace atp::dotattn {

// The overlaps of a student of rank one: q = sigma^2 |Q|^2 / d, theta = sigma^2 Q . Q* / d, m_k = Q . u_k / d. Also their changes.
struct Statistics {
  double q = 0, theta = 0, m[kMostCode] = {};
  // theta, m_0, m_1, ...
  double &overlap(int64_t j) { return j == 0 ? theta : m[j - 1]; }
};

// Overlaps that vanish on average: how they grow, and how each sample kicks them. Index 0 is theta, 1 + k is m_k.
struct Linear {
  double growth[1 + kMostCode][1 + kMostCode] = {}, kicks[1 + kMostCode][1 + kMostCode] = {};
};

// Averages over the points of one shifted lattice. Each point counts with all signs of its three groups of numbers: so the averages have
// the symmetries m -> -m and theta -> -theta exactly, and an overlap of 0 stays 0.
class DynamicsEquations {
 public:
  // `normals` [points][dimensions()] and `numbers` [points][sample_numbers(L)], which the constructor fills, belong to the caller. task.d
  // is not used; task.rank is 1. Without `noise`, terms of the second order in the rate are left out: the limit of small rates.
  DynamicsEquations(const Task &task, double rate, bool noise, Span<const double> normals, Span<double> numbers);
  // Normal numbers of a point: for each token those of h, of the code's directions, and of the rest of chi.
  static int64_t dimensions(const Task &task) { return task.tokens * (2 + task.code_columns); }

  // d/dt at `at`, t = samples / d.
  Statistics change(const Statistics &at) const { return average(at, nullptr).change; }
  // Generalisation loss (rho / 2) E |softmax(chi chi^T) - T|^2.
  double loss(const Statistics &at) const { return average(at, nullptr).loss; }
  // At theta = m = 0 and this q.
  Linear linear(double q) const;

 private:
  struct Average {
    Statistics change;
    double loss;
  };
  struct Sums;
  Average average(const Statistics &at, Linear *linear) const;
  void add(int64_t point, int signs, const Statistics &at, Sums &sums) const;

  const Task &task_;
  double rate_;
  bool noise_;
  int64_t points_;
  Span<const double> normals_, numbers_;
};

// --- rows ---

// task.d is not used; task.rank is 1.
struct Dynamics {
  Task task;
  const double *times;  // rising
  int64_t n_times;
  double rate, start_theta, start_m, start_scale;  // cosines of the start with Q* and u_0; |Q| / sqrt(d)
  bool flow;                                       // the limit of small rates
  int64_t points, shifts, max_iter;
  double tolerance;
  uint64_t seed;
};

// One row. Its members are the columns of atp_dotattn_dynamics_column, in their order.
struct DynamicsRow {
  double time = 0;
  double q = 0, q_sem = 0, m = 0, m_sem = 0, theta = 0, theta_sem = 0, eg = 0, eg_sem = 0;
  double growth_m = 0, growth_theta = 0, spread_m = 0, spread_theta = 0, iterations = 0, shifts = 0, outcome = 0;
};
static_assert(sizeof(DynamicsRow) == ATP_DOTATTN_DYNAMICS_COLUMNS * sizeof(double));

// The bytes that solve_dynamics() takes from the context.
std::size_t dynamics_bytes(const Context &context, const Dynamics &dynamics);

// Writes rows [n_times].
atp_outcome solve_dynamics(Context &context, const Dynamics &dynamics, Reporter &reporter, double *rows);

}  // namespace atp::dotattn
