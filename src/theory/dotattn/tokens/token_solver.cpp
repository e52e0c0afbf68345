// SPDX-License-Identifier: MIT
#include "theory/dotattn/tokens/token_solver.hpp"

#include "math/small_linear.hpp"
#include "theory/dotattn/tokens/proximal.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace atp::dotattn {

namespace {
constexpr double kLeastScale = 0.1;  // of theta and m, of the largest that q allows
}

void OverlapVector::to(const Overlaps &overlaps, double *x) const {
  for (int64_t a = 0; a < rank; ++a) x[a] = overlaps.q[a];
  for (int64_t a = 0; a < rank; ++a) x[rank + a] = overlaps.v[a];
  x[2 * rank] = overlaps.theta;
  for (int64_t k = 0; k < columns; ++k) x[2 * rank + 1 + k] = overlaps.m[k];
}

Overlaps OverlapVector::from(const double *x) const {
  Overlaps overlaps{};
  for (int64_t a = 0; a < rank; ++a) overlaps.q[a] = x[a];
  for (int64_t a = 0; a < rank; ++a) overlaps.v[a] = x[rank + a];
  overlaps.theta = x[2 * rank];
  for (int64_t k = 0; k < columns; ++k) overlaps.m[k] = x[2 * rank + 1 + k];
  return overlaps;
}

void OverlapVector::scales(const Overlaps &overlaps, double sigma, double *scale) const {
  const double rho = sigma * sigma;
  double q = 0, v = 0, m = 0;
  for (int64_t a = 0; a < rank; ++a) {
    q = std::fmax(q, overlaps.q[a]);
    v = std::fmax(v, overlaps.v[a]);
  }
  for (int64_t k = 0; k < columns; ++k) m = std::fmax(m, std::fabs(overlaps.m[k]));
  for (int64_t a = 0; a < rank; ++a) {
    scale[a] = q;
    scale[rank + a] = v;
  }
  scale[2 * rank] = std::fmax(std::fabs(overlaps.theta), kLeastScale * std::sqrt(rho * q));
  for (int64_t k = 0; k < columns; ++k) scale[2 * rank + 1 + k] = std::fmax(m, kLeastScale * std::sqrt(q) / sigma);
}

bool possible(const Task &task, const Overlaps &overlaps) {
  for (int64_t a = 0; a < task.rank; ++a)
    if (!(overlaps.q[a] > 0 && overlaps.v[a] > 0 && std::isfinite(overlaps.q[a]) && std::isfinite(overlaps.v[a]))) return false;
  for (int64_t k = 0; k < task.code_columns; ++k)
    if (!std::isfinite(overlaps.m[k])) return false;
  return overlaps.theta * overlaps.theta < task.sigma * task.sigma * overlaps.q[0];
}

namespace {
constexpr double kDependent = 1e-12;  // what is left, squared, of a column that depends on the others
}

void Mixing::keep(const double *x, const double *f) {
  if (count_ == kDepth + 1) {
    std::memmove(x_[0], x_[1], sizeof x_[0] * kDepth);
    std::memmove(f_[0], f_[1], sizeof f_[0] * kDepth);
    --count_;
  }
  for (int e = 0; e < n_; ++e) {
    x_[count_][e] = x[e];
    f_[count_][e] = f[e];
  }
  ++count_;
}

void Mixing::next(const double *x, const double *f, const double *scale, double *out) {
  keep(x, f);
  const int columns = std::min(count_ - 1, n_);
  double gamma[kDepth] = {};
  if (columns > 0) fit(columns, scale, gamma);
  for (int e = 0; e < n_; ++e) {
    double value = x[e] + kDamp * f[e];
    for (int c = 0; c < columns; ++c) {
      const int k = count_ - 1 - c;
      value -= gamma[c] * (x_[k][e] - x_[k - 1][e] + kDamp * (f_[k][e] - f_[k - 1][e]));
    }
    out[e] = value;
  }
}

void Mixing::fit(int columns, const double *scale, double *gamma) const {
  double changes[kDepth * kMostOverlaps], rest[kMostOverlaps];
  const int newest = count_ - 1;
  for (int e = 0; e < n_; ++e) rest[e] = f_[newest][e] / scale[e];
  for (int c = 0; c < columns; ++c)
    for (int e = 0; e < n_; ++e) changes[c * n_ + e] = (f_[newest - c][e] - f_[newest - c - 1][e]) / scale[e];
  fit_small(columns, n_, changes, rest, kDependent, gamma);
}

TokenEquations::Mixture TokenEquations::mixture_of(const Overlaps &at) const {
  const double rho = task_.sigma * task_.sigma;
  Mixture mixture{};
  mixture.on_h = at.theta / std::sqrt(at.q[0]);
  mixture.rest = std::sqrt(rho - at.theta * at.theta / at.q[0]);
  for (int64_t a = 0; a < task_.rank; ++a) mixture.root[a] = std::sqrt(at.q[a]);
  for (int64_t l = 0; l < task_.tokens; ++l)
    for (int64_t k = 0; k < task_.code_columns; ++k) mixture.shift[l] += task_.code[l * task_.code_columns + k] * at.m[k];
  return mixture;
}

void TokenEquations::add(int64_t point, const Overlaps &at, const Mixture &mixture, bool all, Sums &sums) const {
  const int64_t L = task_.tokens, r = task_.rank, columns = task_.code_columns, n = L * r, last = r - 1;
  const double *z = points_.normals.data() + point * (n + L), *y = z + n;
  double *x = points_.x.data() + point * n;
  double w[kMostTokens * kMostRank], h[kMostTokens] = {}, t[kMostTokens * kMostTokens], s[kMostTokens * kMostTokens];
  for (int64_t l = 0; l < L; ++l) {
    for (int64_t a = 0; a < r; ++a) w[l * r + a] = mixture.root[a] * z[l * r + a] + (a == last ? mixture.shift[l] : 0);
    h[l] = mixture.on_h * z[l * r] + mixture.rest * y[l];
  }
  teacher_matrix(task_, h, t);
  const Proximal proximal{L, r, task_.sigma * task_.sigma, at.v, w, t};
  proximal.minimise(x, all);
  attention(L, r, w, s);
  for (int64_t e = 0; e < L * L; ++e) sums.test += (s[e] - t[e]) * (s[e] - t[e]);
  attention(L, r, x, s);
  for (int64_t e = 0; e < L * L; ++e) sums.train += (s[e] - t[e]) * (s[e] - t[e]);
  for (int64_t l = 0; l < L; ++l)
    for (int64_t a = 0; a < r; ++a) {
      const double residue = (x[l * r + a] - w[l * r + a]) / at.v[a];
      sums.square[a] += residue * residue;
      sums.along[a] += residue * z[l * r + a];
      if (a == 0) sums.field += residue * y[l];
      if (a == last)
        for (int64_t k = 0; k < columns; ++k) sums.code[k] += task_.code[l * columns + k] * residue;
    }
}

bool TokenEquations::apply(double alpha, const Overlaps &at, bool all, Applied &out) const {
  const int64_t r = task_.rank, columns = task_.code_columns, last = r - 1;
  const double rho = task_.sigma * task_.sigma, points = static_cast<double>(points_.count), share = alpha / points;
  const Mixture mixture = mixture_of(at);
  Sums sums;
  for (int64_t point = 0; point < points_.count; ++point) add(point, at, mixture, all, sums);

  const double theta_hat = solution_ == ATP_DOTATTN_START_POSITIONAL ? 0 : sums.field * share / mixture.rest;
  double m_hat[kMostCode], m_size = 0, penalty = 0;
  for (int64_t k = 0; k < columns; ++k) {
    m_hat[k] = solution_ == ATP_DOTATTN_START_SEMANTIC ? 0 : sums.code[k] * share;
    m_size += m_hat[k] * m_hat[k];
  }
  Overlaps &next = out.next = Overlaps{};
  for (int64_t a = 0; a < r; ++a) {
    const double v_hat = (a == 0 ? at.theta * theta_hat / at.q[0] : 0) - share * sums.along[a] / mixture.root[a];
    const double stiffness = task_.lambda + rho * v_hat;
    if (!(stiffness > 0) || !std::isfinite(stiffness)) return false;
    next.v[a] = rho / stiffness;
    if (a == 0) next.theta = rho * rho * theta_hat / stiffness;
    if (a == last)
      for (int64_t k = 0; k < columns; ++k) next.m[k] = m_hat[k] / stiffness;
    next.q[a] = rho * (rho * share * sums.square[a] + (a == last ? m_size : 0) + (a == 0 ? rho * rho * theta_hat * theta_hat : 0)) /
                (stiffness * stiffness);
    penalty += at.q[a];
  }
  out.eg = rho / 2 * sums.test / points;
  out.et = rho / 2 * share * sums.train + task_.lambda * penalty / (2 * rho);
  return true;
}

// --- fixed points ---

namespace {

constexpr int kFullEvery = 8;         // iterations between searches from all starts, which cost several times as much
constexpr double kLongest = 0.25;     // step, of the scale of a number
constexpr double kMostTheta = 0.999;  // of the largest theta that q allows
constexpr double kLost = 1e-3;        // of the root of q: below it theta or m is lost
// The first guess: theta / sqrt(rho q) as if Q were near Q*, an m that is large, and the factor that it comes down by, so many times.
constexpr double kFirstQ = 0.5, kFirstCosine = 0.8, kFirstM = 0.6, kShrinkM = 0.85;
constexpr int kShrinks = 24;  // 0.85^24 = 0.02
constexpr int kSettle = 6;    // iterations that move q and V alone, at each m

}  // namespace

// theta as if Q were near Q*, and an m that is large.
Overlaps TokenSolver::first_guess() const {
  const double rho = task_.sigma * task_.sigma;
  Overlaps overlaps{};
  for (int64_t a = 0; a < task_.rank; ++a) {
    overlaps.q[a] = kFirstQ * rho / static_cast<double>(task_.rank);
    overlaps.v[a] = 1;
  }
  if (given_.solution != ATP_DOTATTN_START_POSITIONAL) overlaps.theta = kFirstCosine * std::sqrt(rho * overlaps.q[0]);
  if (given_.solution != ATP_DOTATTN_START_SEMANTIC) {
    double size = 0;
    for (int64_t e = 0; e < task_.tokens * task_.code_columns; ++e) size += task_.code[e] * task_.code[e];
    size = std::sqrt(size / static_cast<double>(task_.tokens));
    for (int64_t k = 0; k < task_.code_columns && size > 0; ++k) overlaps.m[k] = kFirstM / size;
  }
  return overlaps;
}

// What the solution is about is gone.
bool TokenSolver::lost(const Overlaps &overlaps) const {
  double m = 0;
  for (int64_t k = 0; k < task_.code_columns; ++k) m += overlaps.m[k] * overlaps.m[k];
  const bool no_theta = std::fabs(overlaps.theta) < kLost * task_.sigma * std::sqrt(overlaps.q[0]);
  const bool no_m = std::sqrt(m) < kLost * std::sqrt(overlaps.q[task_.rank - 1]) / task_.sigma;
  switch (given_.solution) {
    case ATP_DOTATTN_START_SEMANTIC: return no_theta;
    case ATP_DOTATTN_START_POSITIONAL: return no_m;
    default: return no_theta || no_m;
  }
}

// The largest change by one application, of the scale of each number.
double TokenSolver::residual(const TokenSolution &at, const Overlaps &next, double *x, double *f, double *scale) const {
  vector_.to(at.overlaps, x);
  vector_.to(next, f);
  vector_.scales(at.overlaps, task_.sigma, scale);
  double largest = 0;
  for (int e = 0; e < vector_.size(); ++e) {
    f[e] -= x[e];
    largest = std::fmax(largest, std::fabs(f[e]) / scale[e]);
  }
  return largest;
}

// By mixing, or, where that goes too far, damped and shortened.
Overlaps TokenSolver::step(Mixing &mixing, const double *x, const double *f, const double *scale) const {
  const int n = vector_.size();
  double trial[kMostOverlaps];
  mixing.next(x, f, scale, trial);
  const auto longest = [&] {
    double largest = 0;
    for (int e = 0; e < n; ++e) largest = std::fmax(largest, std::fabs(trial[e] - x[e]) / scale[e]);
    return largest;
  };
  if (!(longest() <= kLongest) || !possible(task_, vector_.from(trial))) {
    mixing.reset();
    for (int e = 0; e < n; ++e) trial[e] = x[e] + kDamp * f[e];
    const double shorter = std::fmin(1.0, kLongest / longest());
    for (int e = 0; e < n; ++e) trial[e] = x[e] + shorter * kDamp * f[e];
  }
  // A short step along theta may still leave theta^2 < rho q.
  Overlaps proposed = vector_.from(trial);
  const double most = kMostTheta * task_.sigma * std::sqrt(std::fmax(proposed.q[0], 0.0));
  proposed.theta = std::fmin(std::fmax(proposed.theta, -most), most);
  return proposed;
}

TokenSolution TokenSolver::solve(double alpha, const Overlaps &start) {
  TokenSolution out{};
  out.overlaps = start;
  out.outcome = ATP_OUTCOME_MAX_ITER;
  Mixing mixing(vector_.size());
  int since_full = kFullEvery;
  for (; used_ < given_.max_iter; ++used_) {
    if (stop_.requested()) {
      out.outcome = ATP_OUTCOME_CANCELLED;
      break;
    }
    const bool all = since_full >= kFullEvery || used_ + 1 == given_.max_iter;
    since_full = all ? 0 : since_full + 1;
    TokenEquations::Applied applied{{}, out.eg, out.et};
    double x[kMostOverlaps], f[kMostOverlaps], scale[kMostOverlaps];
    const bool made = equations_.apply(alpha, out.overlaps, all, applied);
    out.residual = made ? residual(out, applied.next, x, f, scale) : HUGE_VAL;
    out.eg = applied.eg;
    out.et = applied.et;
    if (!std::isfinite(out.residual)) {
      out.outcome = ATP_OUTCOME_DIVERGED;
      break;
    }
    if (out.residual <= given_.tolerance) {
      if (all) {
        out.outcome = ATP_OUTCOME_CONVERGED;
        ++used_;
        break;
      }
      since_full = kFullEvery;  // once more, from all starts
      continue;
    }
    out.overlaps = step(mixing, x, f, scale);
  }
  out.iterations = used_;
  return out;
}

// q and V with theta and m where they are (theta keeps its ratio to the root of q); then what the equations make of m, along m, in *pull:
// positive where m would grow. False where it failed.
bool TokenSolver::settle(double alpha, Overlaps &overlaps, double *pull) {
  for (int step = 0; step <= kSettle && used_ < given_.max_iter; ++step, ++used_) {
    TokenEquations::Applied applied{};
    if (stop_.requested()) return false;
    if (!equations_.apply(alpha, overlaps, step == 0 || step == kSettle, applied)) return false;
    const Overlaps &next = applied.next;
    *pull = 0;
    for (int64_t k = 0; k < task_.code_columns; ++k) *pull += overlaps.m[k] * (next.m[k] - overlaps.m[k]);
    if (step == kSettle) return true;
    const double before = overlaps.q[0];
    for (int64_t a = 0; a < task_.rank; ++a) {
      overlaps.q[a] = 0.5 * (overlaps.q[a] + next.q[a]);
      overlaps.v[a] = 0.5 * (overlaps.v[a] + next.v[a]);
    }
    overlaps.theta *= std::sqrt(overlaps.q[0] / before);
    if (!possible(task_, overlaps)) return false;
  }
  return true;
}

// The map of m is steep and has more than one fixed point: the largest m that stands is looked for from above, with q and V following it.
Overlaps TokenSolver::first_point(double alpha) {
  Overlaps overlaps = first_guess(), last = overlaps;
  double pull = 0, before = 0;
  for (int step = 0; step < kShrinks; ++step) {
    if (!settle(alpha, overlaps, &pull)) return first_guess();
    if (given_.solution == ATP_DOTATTN_START_SEMANTIC) return overlaps;
    if (pull >= 0) break;
    last = overlaps;
    before = pull;
    for (int64_t k = 0; k < task_.code_columns; ++k) overlaps.m[k] *= kShrinkM;
  }
  // Between the last two, where the pull is nought.
  const double share = pull > 0 && before < 0 ? pull / (pull - before) : 0;
  for (int64_t k = 0; k < task_.code_columns; ++k) overlaps.m[k] += share * (last.m[k] - overlaps.m[k]);
  return overlaps;
}

TokenSolution TokenSolver::follow(double alpha, const TokenSolution *last) {
  used_ = 0;
  if (last != nullptr && last->outcome == ATP_OUTCOME_CONVERGED && !lost(last->overlaps)) {
    const TokenSolution found = solve(alpha, last->overlaps);
    if (found.outcome == ATP_OUTCOME_CANCELLED || (found.outcome == ATP_OUTCOME_CONVERGED && !lost(found.overlaps))) return found;
    used_ = 0;
  }
  return solve(alpha, first_point(alpha));
}

}  // namespace atp::dotattn
