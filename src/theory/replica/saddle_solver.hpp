// SPDX-License-Identifier: MIT
// The saddle point of a linear student under any convex loss. A loss says what averages over the fields of a sample are; the spectrum of
// the inputs, Newton's method and the path in lambda are here. docs/theory.md, section 9 has the equations.
//
// The saddle point is a fixed point of y = log (v_hat, q_hat, m_hat). Sums over the spectrum give (v, q, m) from the hats; averages over
// the fields give new hats. Every y is admissible (m^2 <= rho q holds automatically), and all sums have only positive terms.
#pragma once

#include "theory/replica/curve.hpp"

namespace atp::replica {

inline constexpr double kNearRounding = 1e-9;  // of the residual: largest change of log V^, q^, m^ in one more iteration

// Overlaps from sums over the spectrum. Differences that would lose digits are computed as sums of positive
// terms.
struct Overlaps {
  double v = 0, q = 0, m = 0;
  double missing = 0;  // E (nu - h)^2 = rho_nu + q - 2 m
  double unseen = 0;   // Var(nu | h) = rho_nu - m^2 / q
  double slope = 0;    // m / rho_nu: the part of nu in h
  double noise = 0;    // Var(h | nu) = q - m^2 / rho_nu
};

// Averages over the fields, per sample.
struct Averages {
  double v_hat = 0, q_hat = 0, m_hat = 0;  // E -df/domega, E f^2, E df/dnu
  double test = 0, train = 0;
};

// log v_hat, log q_hat, log m_hat.
struct SaddlePoint {
  double y[3];
};

class SaddleSolver {
 public:
  struct Settings {
    int unknowns;  // 3, or 2 where m_hat = v_hat
    double alpha, lambda;
    double tolerance;  // of the residual
    int64_t max_iter;
  };
  SaddleSolver(const Spectrum &spectrum, const Settings &settings);
  virtual ~SaddleSolver() = default;
  SaddleSolver(const SaddleSolver &) = delete;
  SaddleSolver &operator=(const SaddleSolver &) = delete;

 protected:
  virtual Averages averages(const Overlaps &o) = 0;

  Overlaps overlaps(const SaddlePoint &hats) const;
  // The hats of a student with few samples.
  SaddlePoint beginning();
  // Iterates to the fixed point of the present averages and lambda. Returns the residual.
  double fixed_point(SaddlePoint &hats, int64_t limit);
  // Decreases lambda from a value where it dominates to the given one. Returns the residual; infinity, with lambda above the given one,
  // where w diverges.
  double descend(SaddlePoint &hats);
  bool diverged() const { return lambda_ > final_lambda_; }
  // The row of a solution; `kinetic`: the part of alpha e_t in the free energy.
  Row row_of(const SaddlePoint &hats, const Overlaps &o, const Averages &mean, double residual, double kinetic) const;

  double samples_per_parameter() const { return alpha_; }
  double teacher() const { return rho_nu_; }  // E nu^2
  int64_t iterations() const { return iterations_; }
  int64_t max_iter() const { return max_iter_; }

 private:
  SaddlePoint hats_of(const Overlaps &o);
  SaddlePoint mismatch(const SaddlePoint &hats);
  SaddlePoint shifted(const SaddlePoint &hats, const double *step, double share) const;
  bool newton(SaddlePoint &hats, SaddlePoint &f, double &norm);
  bool boundless(const SaddlePoint &hats) const;
  double norm(const SaddlePoint &hats) const;

  const Spectrum &spectrum_;
  double alpha_, final_lambda_, lambda_;  // lambda_ is the present value
  double tolerance_;
  int64_t max_iter_, iterations_ = 0;
  double p_, trace_ = 0, rho_nu_ = 0;
  int unknowns_;
};

}  // namespace atp::replica
