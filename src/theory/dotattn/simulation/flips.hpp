// SPDX-License-Identifier: MIT
// Moves from a minimum of the risk to lower ones, for two tokens and a student of rank one; and the response V. docs/theory.md, section 14
#pragma once

#include "base/arena.hpp"
#include "math/optim/conjugate_gradients.hpp"
#include "theory/dotattn/simulation/risk.hpp"

namespace atp::dotattn {

// The problem of one sample beside all others, in its chi = (x_1, x_2): the least (x - w)^2 / 2V + l(x), l = |Y - S x|^2 / 2d. At a minimum
// of the risk w = chi + V grad l is the chi that the student would have without the sample, so that chi solves it.
struct SampleProblem {
  double d, v;
  const double *numbers;
  double w[2];

  // That of a sample at a minimum, in which it has this chi.
  static SampleProblem at(double d, double v, const double *numbers, const double *chi);
  int64_t unknowns() const { return 2; }
  double value(const double *x) const;
  double derivatives(const double *x, double *gradient, double *hessian) const;
  // The lowest minimum that is found on the other side of x_1 = x_2 than chi, and its value; HUGE_VAL where there is none.
  double other_well(const double *chi, double *x) const;
};

// The response V = sigma^2 tr H^-1 / d with the Hessian H of the risk: the mean over random signs z of sigma^2 z . H^-1 z / d.
class Response {
 public:
  Response(const Task &task, int64_t probes) : task_(&task), probes_(probes), solver_(task.d) {}
  void lay_out(Arena &arena);
  // At the expand() of the risk. NaN where H is not positive definite.
  double measure(Risk &risk, uint64_t seed, int64_t run);
  // x = H^-1 b; false as ConjugateGradients.
  bool solve(Risk &risk, Span<const double> b, Span<double> x);

 private:
  const Task *task_;
  int64_t probes_;
  ConjugateGradients solver_;
  Span<double> probe_, solution_;
};

// Trials at one minimum: samples that have two wells are moved to the other one, and all others follow as far as the Hessian tells. The
// first trial moves all of them; after a failure half of them, those whose other well is lowest, and so on; then each is tried alone, then
// all pairs.
class Flips {
 public:
  // `margin`: other wells count that are higher by at most this part of the mean risk of a sample.
  Flips(const Task &task, int64_t most_samples, double margin) : task_(&task), most_(most_samples), margin_(margin) {}
  void lay_out(Arena &arena);
  // At a minimum of this value, the expand() of the risk.
  void begin(const Risk &risk, double value, double v);
  // The next trial: adds the move to q, a copy of the minimum. false: there is none.
  bool next(Risk &risk, Response &response, Span<double> q);
  // The last trial did not lower the risk.
  void reject();
  // Samples of the last trial.
  int64_t moved() const { return block_ > 1 ? block_ : trial_ < count_ ? 1 : 2; }

 private:
  // Candidate number k of the last trial.
  int64_t chosen(int64_t k) const;

  struct Candidate {
    double gain;  // the value of the other well less that of this one
    int64_t sample;
    double x[2];  // its other well
  };
  const Task *task_;
  int64_t most_;
  double margin_, v_ = 0;
  Span<Candidate> candidates_;
  Span<double> forces_, sum_, step_;
  int64_t count_ = 0, block_ = 0, trial_ = 0;  // candidates; the first so many are tried if more than one, else trials of one or two
};

}  // namespace atp::dotattn
