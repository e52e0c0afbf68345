// SPDX-License-Identifier: MIT
// Optimisers that take one noisy gradient after the other, and the schedule of their rate.
#pragma once

#include "base/arena.hpp"
#include "base/state.hpp"

namespace atp {

// cos(pi u) for u in [0, 1], within 1e-15, the same bits on every machine.
double cos_pi(double u);

// Cosine annealing: rate/2 (1 + cos(pi t / T)) for step t of T. Source: I. Loshchilov, F. Hutter, arXiv:1608.03983, eq. 5 without restarts.
double cosine_rate(double rate, int64_t step, int64_t steps);

// v <- momentum v + g, x <- x - rate v.
class Sgd {
 public:
  Sgd(int64_t unknowns, double momentum) : n_(unknowns), momentum_(momentum) {}
  void lay_out(Arena &arena) { velocity_ = arena.take<double>(momentum_ != 0 ? n_ : 0); }
  void reset();
  void step(Span<double> x, Span<const double> gradient, double rate);

  int64_t payload() const { return static_cast<int64_t>(sizeof(double)) * velocity_.size(); }
  void save(StateWriter &writer) const { writer.array(Span<const double>(velocity_)); }
  void check(StateReader &reader) const { reader.reals<double>(velocity_.size(), "velocity"); }  // throws ATP_E_FORMAT
  void load(StateReader &reader) { reader.array(velocity_); }

 private:
  int64_t n_;
  double momentum_;
  Span<double> velocity_;
};

// m <- b1 m + (1 - b1) g, v <- b2 v + (1 - b2) g^2, x <- x - rate m^ / (sqrt(v^) + eps), where m^ = m / (1 - b1^t) and v^ = v / (1 - b2^t).
// Source: D. Kingma, J. Ba, arXiv:1412.6980, algorithm 1.
class Adam {
 public:
  static constexpr double kBeta1 = 0.9, kBeta2 = 0.999, kEpsilon = 1e-8;

  explicit Adam(int64_t unknowns) : n_(unknowns) {}
  void lay_out(Arena &arena) {
    mean_ = arena.take<double>(n_);
    square_ = arena.take<double>(n_);
  }
  void reset();
  void step(Span<double> x, Span<const double> gradient, double rate);

  int64_t payload() const { return static_cast<int64_t>(sizeof(double)) * (2 * n_ + 2); }
  void save(StateWriter &writer) const;
  void check(StateReader &reader) const;  // throws ATP_E_FORMAT
  void load(StateReader &reader);

 private:
  int64_t n_;
  double power1_ = 1, power2_ = 1;  // b1^t, b2^t
  Span<double> mean_, square_;
};

}  // namespace atp
