// SPDX-License-Identifier: MIT
// The empirical risk of dot-product attention on drawn samples, its gradient, and its curvature.
#pragma once

#include "base/arena.hpp"
#include "base/context.hpp"
#include "simd/projection.hpp"
#include "theory/dotattn/task.hpp"

namespace atp::dotattn {

// The risk (1/2d) sum |Y - Y^|^2 + (lambda/2) |Q|^2 of a student on drawn samples. x is stored in single precision. One pass over it
// computes the projections chi and the gradient. Everything else about a sample is computed from its L x L numbers, in float64.
class Risk {
 public:
  // `curved`: curvature is wanted, too.
  Risk(const Task &task, int64_t most_samples, Target target, bool curved = false);
  void lay_out(Arena &arena);
  // Draw samples of a run.
  struct Samples {
    int64_t first, count;
  };
  void draw(uint64_t seed, int64_t run, Samples samples, Span<const double> u, Span<const double> teacher);
  int64_t samples() const { return samples_; }
  // Of q [rank][d]; its gradient.
  double evaluate(Span<const double> q, Span<double> gradient);
  Span<double> work() const { return work_; }  // for a Source, between calls

  // --- curvature: the Hessian H of R at the q of the last expand() ---

  void expand(Span<const double> q);
  // chi [L][rank] of a sample there, and its numbers.
  const double *chi(int64_t sample) const { return expanded_.data() + sample * places(); }
  const double *numbers(int64_t sample) const { return numbers_.data() + sample * sample_numbers(task_.tokens); }
  // Whether a sample counts in product(); expand() includes all.
  void include(int64_t sample, bool included) { included_[sample] = included; }
  bool included(int64_t sample) const { return included_[sample]; }
  // out = H v.
  void product(Span<const double> v, Span<double> out);
  // out [rank][d] = sum over samples and tokens of x_l f_l / sqrt(d); f [samples][L][rank].
  void combine(Span<const double> f, Span<double> out);

 private:
  int64_t places() const { return task_.tokens * task_.rank; }
  // out = sum x_l c_l / sqrt(d), where of_sample(sample, x_l . vector / sqrt(d), c) sets c [L][rank].
  template <class OfSample>
  void pass(Span<const double> vector, Span<double> out, OfSample &&of_sample);

  Task task_;
  const ProjectionKernels *kernels_;
  int64_t most_, samples_ = 0;  // samples that fit, and that are there
  int64_t stride_;              // floats between rows of x
  int64_t block_;               // samples of a block
  bool curved_;
  Span<float> x_, q_, chi_, coefficients_, sums_;
  Span<double> numbers_, work_, expanded_;
  Span<bool> included_;
};

}  // namespace atp::dotattn
