// SPDX-License-Identifier: MIT
// The empirical risk of dot-product attention on drawn samples, and its gradient.
#pragma once

#include "base/context.hpp"
#include "theory/dotattn/task.hpp"
#include "simd/projection.hpp"

namespace atp::dotattn {

// The risk (1/2d) sum |Y - Y^|^2 + (lambda/2) |Q|^2 of a student on drawn samples. x is stored in single precision. One pass over it
// computes the projections chi and the gradient. Everything else about a sample is computed from its L x L numbers, in float64.
class Risk {
 public:
  Risk(const Task &task, int64_t most_samples, Target target);
  void lay_out(Arena &arena);
  // Draw samples of a run.
  struct Samples {
    int64_t first, count;
  };
  void draw(uint64_t seed, int64_t run, Samples samples, Span<const double> u, Span<const double> teacher);
  // Of q [rank][d]; its gradient.
  double evaluate(Span<const double> q, Span<double> gradient);
  Span<double> work() const { return work_; }  // for a Source, between calls

 private:
  Task task_;
  const ProjectionKernels *kernels_;
  int64_t most_, samples_ = 0;  // samples that fit, and that are there
  int64_t stride_;              // floats between rows of x
  int64_t block_;               // samples of a block
  Span<float> x_, q_, chi_, coefficients_, sums_;
  Span<double> numbers_, work_;
};

}  // namespace atp::dotattn
