// SPDX-License-Identifier: MIT
// Dot-product attention by drawing data and descending. [C24]
#pragma once

#include "base/context.hpp"
#include "base/progress.hpp"
#include "dotattn/task.hpp"
#include "simd/projection.hpp"

#include <attopotts/dotattn_simulate.h>

namespace atp::dotattn {

// The risk (1/2d) sum |Y - Y^|^2 + (lambda/2) |Q|^2 of a student on drawn samples. x is kept in single precision, and one pass over it
// gives the projections chi and the gradient; the rest of a sample is made of its L x L numbers, in float64.
class Risk {
 public:
  Risk(const Task &task, int64_t most_samples, Target target);
  void lay_out(Arena &arena);
  // Draw samples 0..n-1 of a run.
  void draw(uint64_t seed, int64_t run, int64_t n, Span<const double> u, Span<const double> teacher);
  // Of q [rank][d]; its gradient.
  double evaluate(Span<const double> q, Span<double> gradient);
  Span<double> work() const { return work_; }  // for a Source, between calls

 private:
  Task task_;
  const ProjectionKernels *kernels_;
  int64_t most_, stride_, samples_ = 0, block_;
  Span<float> x_, q_, chi_, coefficients_, sums_;
  Span<double> numbers_, work_;
};

struct Simulation {
  Task task;
  const double *alphas;
  int64_t n_alphas;
  atp_dotattn_start start;
  atp_optimizer optimizer;
  int64_t steps;
  double rate, tolerance;
  int64_t fresh, runs;
  uint64_t seed;
};

// One row. Its members are the columns of atp_dotattn_sim_column, in their order.
struct SimRow {
  double alpha = 0;
  double eg = 0, eg_sem = 0, et = 0, et_sem = 0, q = 0, q_sem = 0, m = 0, m_sem = 0, theta = 0, theta_sem = 0;
  double q_least = 0, q_least_sem = 0;
  double semantic = 0, gradient = 0, steps = 0, samples = 0, runs = 0, outcome = 0;
};
static_assert(sizeof(SimRow) == ATP_DOTATTN_SIM_COLUMNS * sizeof(double));

// The bytes that simulate() takes from the context. Throws ATP_E_TOO_LARGE.
std::size_t simulation_bytes(const Context &context, const Simulation &simulation);

// The first `columns` numbers of each row, to rows [n_alphas][columns].
atp_outcome simulate(Context &context, const Simulation &simulation, Reporter &reporter, double *rows, int64_t columns);

}  // namespace atp::dotattn
