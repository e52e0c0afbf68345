// SPDX-License-Identifier: MIT
// A task is one shift, with all alphas after each other; it writes to places of its own. The team works in slices of one alpha of one shift
// for each thread; in between the calling thread reports.
#include "dotattn/tokens.hpp"

#include "base/team.hpp"
#include "dotattn/lattice.hpp"
#include "dotattn/proximal.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

namespace atp::dotattn {

namespace {

constexpr int kMostOrder = 2 * kMostRank + 1 + kMostCode;  // q, V, theta, m
constexpr int kDepth = 5;                                  // of Anderson's mixing
constexpr double kDamp = 0.25;                             // weight of the new point where there is no mixing
constexpr int kFullEvery = 8;                              // iterations between searches from all starts
constexpr int kSettle = 6;                                 // iterations of a first guess that move q and V alone
constexpr double kFar = 0.25;                              // longest step, of the scale of a number
constexpr double kLost = 1e-3;                             // of the root of q: below it theta or m is lost

// Order parameters, or what the equations make of them.
struct Order {
  double q[kMostRank], v[kMostRank], theta, m[kMostCode];
};

struct Solution {
  Order order;
  double eg, et, residual;
  int64_t iterations;
  atp_outcome outcome;
};

// Numbers of an Order as a vector, and its kinds: each kind is measured against its own size.
struct Pack {
  int64_t rank, columns;
  int size() const { return static_cast<int>(2 * rank + 1 + columns); }
  void to(const Order &order, double *x) const {
    for (int64_t a = 0; a < rank; ++a) x[a] = order.q[a];
    for (int64_t a = 0; a < rank; ++a) x[rank + a] = order.v[a];
    x[2 * rank] = order.theta;
    for (int64_t k = 0; k < columns; ++k) x[2 * rank + 1 + k] = order.m[k];
  }
  Order from(const double *x) const {
    Order order{};
    for (int64_t a = 0; a < rank; ++a) order.q[a] = x[a];
    for (int64_t a = 0; a < rank; ++a) order.v[a] = x[rank + a];
    order.theta = x[2 * rank];
    for (int64_t k = 0; k < columns; ++k) order.m[k] = x[2 * rank + 1 + k];
    return order;
  }
  // The scale of each number: the largest of its kind; theta and m against the root of q as well, so that a zero is no trouble.
  void scales(const Order &order, double rho, double sigma, double *scale) const {
    double q = 0, v = 0, m = 0;
    for (int64_t a = 0; a < rank; ++a) {
      q = std::fmax(q, order.q[a]);
      v = std::fmax(v, order.v[a]);
    }
    for (int64_t k = 0; k < columns; ++k) m = std::fmax(m, std::fabs(order.m[k]));
    for (int64_t a = 0; a < rank; ++a) {
      scale[a] = q;
      scale[rank + a] = v;
    }
    scale[2 * rank] = std::fmax(std::fabs(order.theta), 0.1 * std::sqrt(rho * q));
    for (int64_t k = 0; k < columns; ++k) scale[2 * rank + 1 + k] = std::fmax(m, 0.1 * std::sqrt(q) / sigma);
  }
};

// What one thread works in, and where its shift is.
struct Desk {
  Span<double> normals;           // [points][L rank + L]
  Span<double> x;                 // [points][L rank], the last minima
  int64_t shift = -1, alpha = 0;  // shift -1: none
};

class Solver {
 public:
  Solver(const Evolution &evolution, const Desk &desk)
      : given_(evolution), task_(evolution.task), desk_(desk), pack_{task_.rank, task_.code_columns} {}

  // Along the alphas: from the last solution, or, where that has lost what it is about, from the first guess.
  Solution follow(double alpha, const Solution *last, Reporter &reporter);

 private:
  Solution solve(double alpha, const Order &start, Reporter &reporter);
  Order first_guess() const;
  bool settle(double alpha, Order &order, double *pull);
  Order first_point(double alpha);
  bool lost(const Order &order) const;
  bool possible(const Order &order) const;
  // The equations once; false where D is not positive.
  bool apply(double alpha, const Order &order, bool all, Order &next, double *eg, double *et);

  const Evolution &given_;
  const Task &task_;
  Desk desk_;
  Pack pack_;
  int64_t used_ = 0;  // applications of the equations for this alpha
};

// theta as if Q were near Q*, and an m that is large.
Order Solver::first_guess() const {
  const double rho = task_.sigma * task_.sigma;
  Order order{};
  for (int64_t a = 0; a < task_.rank; ++a) {
    order.q[a] = 0.5 * rho / static_cast<double>(task_.rank);
    order.v[a] = 1;
  }
  if (given_.solution != ATP_DOTATTN_START_POSITIONAL) order.theta = 0.8 * std::sqrt(rho * order.q[0]);
  if (given_.solution != ATP_DOTATTN_START_SEMANTIC) {
    double size = 0;
    for (int64_t e = 0; e < task_.tokens * task_.code_columns; ++e) size += task_.code[e] * task_.code[e];
    size = std::sqrt(size / static_cast<double>(task_.tokens));
    for (int64_t k = 0; k < task_.code_columns && size > 0; ++k) order.m[k] = 0.6 / size;
  }
  return order;
}

// What the solution is about is gone.
bool Solver::lost(const Order &order) const {
  double m = 0;
  for (int64_t k = 0; k < task_.code_columns; ++k) m += order.m[k] * order.m[k];
  const bool no_theta = std::fabs(order.theta) < kLost * task_.sigma * std::sqrt(order.q[0]);
  const bool no_m = std::sqrt(m) < kLost * std::sqrt(order.q[task_.rank - 1]) / task_.sigma;
  switch (given_.solution) {
    case ATP_DOTATTN_START_SEMANTIC: return no_theta;
    case ATP_DOTATTN_START_POSITIONAL: return no_m;
    default: return no_theta || no_m;
  }
}

bool Solver::possible(const Order &order) const {
  for (int64_t a = 0; a < task_.rank; ++a)
    if (!(order.q[a] > 0 && order.v[a] > 0 && std::isfinite(order.q[a]) && std::isfinite(order.v[a]))) return false;
  for (int64_t k = 0; k < task_.code_columns; ++k)
    if (!std::isfinite(order.m[k])) return false;
  return order.theta * order.theta < task_.sigma * task_.sigma * order.q[0];
}

bool Solver::apply(double alpha, const Order &order, bool all, Order &next, double *eg, double *et) {
  const int64_t L = task_.tokens, r = task_.rank, columns = task_.code_columns, n = L * r, last = r - 1;
  const double rho = task_.sigma * task_.sigma, on_h = order.theta / std::sqrt(order.q[0]);
  const double rest = std::sqrt(rho - order.theta * order.theta / order.q[0]);
  double q_hat[kMostRank] = {}, along[kMostRank] = {}, m_hat[kMostCode] = {}, theta_hat = 0, fresh = 0, misfit = 0;
  double root[kMostRank], shift[kMostTokens];
  for (int64_t a = 0; a < r; ++a) root[a] = std::sqrt(order.q[a]);
  for (int64_t l = 0; l < L; ++l) {
    shift[l] = 0;
    for (int64_t k = 0; k < columns; ++k) shift[l] += task_.code[l * columns + k] * order.m[k];
  }
  for (int64_t point = 0; point < given_.points; ++point) {
    const double *z = desk_.normals.data() + point * (n + L), *y = z + n;
    double *x = desk_.x.data() + point * n;
    double w[kMostTokens * kMostRank], h[kMostTokens], t[kMostTokens * kMostTokens], s[kMostTokens * kMostTokens];
    for (int64_t l = 0; l < L; ++l) {
      for (int64_t a = 0; a < r; ++a) w[l * r + a] = root[a] * z[l * r + a] + (a == last ? shift[l] : 0);
      h[l] = on_h * z[l * r] + rest * y[l];
    }
    teacher_matrix(task_, h, t);
    const Proximal proximal{L, r, rho, order.v, w, t};
    proximal.minimise(x, all);
    attention(L, r, w, s);
    for (int64_t e = 0; e < L * L; ++e) fresh += (s[e] - t[e]) * (s[e] - t[e]);
    attention(L, r, x, s);
    for (int64_t e = 0; e < L * L; ++e) misfit += (s[e] - t[e]) * (s[e] - t[e]);
    for (int64_t l = 0; l < L; ++l) {
      for (int64_t a = 0; a < r; ++a) {
        const double residue = (x[l * r + a] - w[l * r + a]) / order.v[a];
        q_hat[a] += residue * residue;
        along[a] += residue * z[l * r + a];
        if (a == 0) theta_hat += residue * y[l];
        if (a == last)
          for (int64_t k = 0; k < columns; ++k) m_hat[k] += task_.code[l * columns + k] * residue;
      }
    }
  }
  const double share = alpha / static_cast<double>(given_.points);
  theta_hat = given_.solution == ATP_DOTATTN_START_POSITIONAL ? 0 : theta_hat * share / rest;
  double m_size = 0, penalty = 0;
  next = Order{};
  for (int64_t k = 0; k < columns; ++k) {
    m_hat[k] = given_.solution == ATP_DOTATTN_START_SEMANTIC ? 0 : m_hat[k] * share;
    m_size += m_hat[k] * m_hat[k];
  }
  for (int64_t a = 0; a < r; ++a) {
    const double v_hat = (a == 0 ? order.theta * theta_hat / order.q[0] : 0) - share * along[a] / root[a];
    const double stiffness = task_.lambda + rho * v_hat;
    if (!(stiffness > 0) || !std::isfinite(stiffness)) return false;
    next.v[a] = rho / stiffness;
    if (a == 0) next.theta = rho * rho * theta_hat / stiffness;
    if (a == last)
      for (int64_t k = 0; k < columns; ++k) next.m[k] = m_hat[k] / stiffness;
    next.q[a] = rho * (rho * share * q_hat[a] + (a == last ? m_size : 0) + (a == 0 ? rho * rho * theta_hat * theta_hat : 0)) /
                (stiffness * stiffness);
    penalty += order.q[a];
  }
  *eg = rho / 2 * fresh / static_cast<double>(given_.points);
  *et = rho / 2 * share * misfit + task_.lambda * penalty / (2 * rho);
  return true;
}

// Least squares on the last residuals: the combination of points whose residual is smallest. D. Anderson, J. ACM 12, 547 (1965).
class Mixing {
 public:
  explicit Mixing(int n) : n_(n) {}
  void reset() { count_ = 0; }
  // The next point from x and the change f that one application makes; weights: 1 / scale.
  void next(const double *x, const double *f, const double *scale, double *out) {
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
    const int columns = std::min(count_ - 1, n_);
    double gamma[kDepth] = {};
    if (columns > 0) solve(columns, scale, gamma);
    for (int e = 0; e < n_; ++e) {
      double value = x[e] + kDamp_ * f[e];
      for (int c = 0; c < columns; ++c) {
        const int k = count_ - 1 - c;
        value -= gamma[c] * (x_[k][e] - x_[k - 1][e] + kDamp_ * (f_[k][e] - f_[k - 1][e]));
      }
      out[e] = value;
    }
  }

 private:
  static constexpr double kDamp_ = kDamp;
  // Minimise |f - sum_c gamma_c (f_k - f_(k-1))| by Gram-Schmidt, dropping what depends on the others.
  void solve(int columns, const double *scale, double *gamma) const {
    double basis[kDepth][kMostOrder], upper[kDepth][kDepth] = {}, right[kDepth] = {}, rest[kMostOrder];
    const int newest = count_ - 1;
    for (int e = 0; e < n_; ++e) rest[e] = f_[newest][e] / scale[e];
    bool used[kDepth] = {};
    for (int c = 0; c < columns; ++c) {
      double size = 0, left = 0;
      for (int e = 0; e < n_; ++e) {
        basis[c][e] = (f_[newest - c][e] - f_[newest - c - 1][e]) / scale[e];
        size += basis[c][e] * basis[c][e];
      }
      for (int b = 0; b < c; ++b) {
        if (!used[b]) continue;
        for (int e = 0; e < n_; ++e) upper[b][c] += basis[b][e] * basis[c][e];
        for (int e = 0; e < n_; ++e) basis[c][e] -= upper[b][c] * basis[b][e];
      }
      for (int e = 0; e < n_; ++e) left += basis[c][e] * basis[c][e];
      used[c] = left > 1e-12 * size && left > 0;
      if (!used[c]) continue;
      upper[c][c] = std::sqrt(left);
      for (int e = 0; e < n_; ++e) {
        basis[c][e] /= upper[c][c];
        right[c] += basis[c][e] * rest[e];
      }
    }
    for (int c = columns - 1; c >= 0; --c) {
      if (!used[c]) continue;
      double sum = right[c];
      for (int b = c + 1; b < columns; ++b)
        if (used[b]) sum -= upper[c][b] * gamma[b];
      gamma[c] = sum / upper[c][c];
    }
  }

  int n_, count_ = 0;
  double x_[kDepth + 1][kMostOrder], f_[kDepth + 1][kMostOrder];
};

Solution Solver::solve(double alpha, const Order &start, Reporter &reporter) {
  Solution out{};
  out.order = start;
  out.outcome = ATP_OUTCOME_MAX_ITER;
  const int n = pack_.size();
  const double rho = task_.sigma * task_.sigma;
  Mixing mixing(n);
  int since_full = kFullEvery;
  for (; used_ < given_.max_iter; ++used_) {
    if (reporter.stopped()) {
      out.outcome = ATP_OUTCOME_CANCELLED;
      break;
    }
    const bool all = since_full >= kFullEvery || used_ + 1 == given_.max_iter;
    since_full = all ? 0 : since_full + 1;
    Order next;
    double x[kMostOrder], f[kMostOrder], scale[kMostOrder], trial[kMostOrder];
    out.residual = HUGE_VAL;
    if (apply(alpha, out.order, all, next, &out.eg, &out.et)) {
      pack_.to(out.order, x);
      pack_.to(next, f);
      pack_.scales(out.order, rho, task_.sigma, scale);
      out.residual = 0;
      for (int e = 0; e < n; ++e) {
        f[e] -= x[e];
        out.residual = std::fmax(out.residual, std::fabs(f[e]) / scale[e]);
      }
    }
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
    mixing.next(x, f, scale, trial);
    const auto longest = [&] {
      double largest = 0;
      for (int e = 0; e < n; ++e) largest = std::fmax(largest, std::fabs(trial[e] - x[e]) / scale[e]);
      return largest;
    };
    if (!(longest() <= kFar) || !possible(pack_.from(trial))) {
      mixing.reset();
      for (int e = 0; e < n; ++e) trial[e] = x[e] + kDamp * f[e];
      const double shorter = std::fmin(1.0, kFar / longest());
      for (int e = 0; e < n; ++e) trial[e] = x[e] + shorter * kDamp * f[e];
    }
    // A short step along theta may still leave theta^2 < rho q.
    Order proposed = pack_.from(trial);
    const double most = 0.999 * task_.sigma * std::sqrt(std::fmax(proposed.q[0], 0.0));
    proposed.theta = std::fmin(std::fmax(proposed.theta, -most), most);
    out.order = proposed;
  }
  out.iterations = used_;
  return out;
}

// q and V with theta and m where they are (theta keeps its ratio to the root of q); then what the equations make of m, along m, in *pull:
// positive where m would grow. False where it failed.
bool Solver::settle(double alpha, Order &order, double *pull) {
  double eg = 0, et = 0;
  for (int step = 0; step <= kSettle && used_ < given_.max_iter; ++step, ++used_) {
    Order next;
    if (!apply(alpha, order, step == 0 || step == kSettle, next, &eg, &et)) return false;
    *pull = 0;
    for (int64_t k = 0; k < task_.code_columns; ++k) *pull += order.m[k] * (next.m[k] - order.m[k]);
    if (step == kSettle) return true;
    const double before = order.q[0];
    for (int64_t a = 0; a < task_.rank; ++a) {
      order.q[a] = 0.5 * (order.q[a] + next.q[a]);
      order.v[a] = 0.5 * (order.v[a] + next.v[a]);
    }
    order.theta *= std::sqrt(order.q[0] / before);
    if (!possible(order)) return false;
  }
  return true;
}

// The map of m is steep and has more than one fixed point: the largest m that stands is looked for from above, with q and V following it.
Order Solver::first_point(double alpha) {
  Order order = first_guess(), last = order;
  double pull = 0, before = 0;
  for (int step = 0; step < 24; ++step) {
    if (!settle(alpha, order, &pull)) return first_guess();
    if (given_.solution == ATP_DOTATTN_START_SEMANTIC) return order;
    if (pull >= 0) break;
    last = order;
    before = pull;
    for (int64_t k = 0; k < task_.code_columns; ++k) order.m[k] *= 0.85;
  }
  // Between the last two, where the pull is nought.
  const double share = pull > 0 && before < 0 ? pull / (pull - before) : 0;
  for (int64_t k = 0; k < task_.code_columns; ++k) order.m[k] += share * (last.m[k] - order.m[k]);
  return order;
}

Solution Solver::follow(double alpha, const Solution *last, Reporter &reporter) {
  used_ = 0;
  if (last != nullptr && last->outcome == ATP_OUTCOME_CONVERGED && !lost(last->order)) {
    const Solution found = solve(alpha, last->order, reporter);
    if (found.outcome == ATP_OUTCOME_CANCELLED || (found.outcome == ATP_OUTCOME_CONVERGED && !lost(found.order))) return found;
    used_ = 0;
  }
  return solve(alpha, first_point(alpha), reporter);
}

struct Room {
  Room(const Context &context, const Evolution &given) : evolution(given), threads(context.threads) {}
  void lay_out(Arena &arena) {
    const int64_t unknowns = evolution.task.tokens * evolution.task.rank, dimensions = unknowns + evolution.task.tokens;
    desks = arena.take<Desk>(threads);
    solutions = arena.take<Solution>(product_of(evolution.n_alphas, evolution.shifts));
    for (int64_t k = 0; k < threads; ++k) {
      Desk desk;
      desk.normals = arena.take<double>(product_of(evolution.points, dimensions));
      desk.x = arena.take<double>(product_of(evolution.points, unknowns));
      if (!arena.measuring()) desks[k] = desk;
    }
  }
  const Evolution &evolution;
  int64_t threads;
  Span<Desk> desks;
  Span<Solution> solutions;  // [n_alphas][shifts]
};

template <class Number>
void average(Span<const Solution> solutions, Number &&number, double &mean, double &error) {
  const double n = static_cast<double>(solutions.size());
  double sum = 0, squares = 0;
  for (const Solution &solution : solutions) sum += number(solution);
  mean = sum / n;
  for (const Solution &solution : solutions) squares += (number(solution) - mean) * (number(solution) - mean);
  error = std::sqrt(squares / (n - 1) / n);
}

TokensRow row_of(const Evolution &evolution, Span<const Solution> solutions, double alpha) {
  const Task &task = evolution.task;
  TokensRow row;
  row.alpha = alpha;
  row.points = static_cast<double>(evolution.points);
  row.shifts = static_cast<double>(evolution.shifts);
  atp_outcome worst = ATP_OUTCOME_CONVERGED;
  for (const Solution &solution : solutions) {
    row.iterations = std::fmax(row.iterations, static_cast<double>(solution.iterations));
    row.residual = std::fmax(row.residual, solution.residual);
    const auto badness = [](atp_outcome outcome) {
      return outcome == ATP_OUTCOME_CANCELLED ? 3 : outcome == ATP_OUTCOME_DIVERGED ? 2 : outcome == ATP_OUTCOME_CONVERGED ? 0 : 1;
    };
    if (badness(solution.outcome) > badness(worst)) worst = solution.outcome;
  }
  row.outcome = worst;
  if (worst == ATP_OUTCOME_CANCELLED) row.shifts = 0;
  if (worst == ATP_OUTCOME_CANCELLED || worst == ATP_OUTCOME_DIVERGED) {
    double numbers[ATP_DOTATTN_TOKENS_COLUMNS];
    std::memcpy(numbers, &row, sizeof numbers);
    std::fill(numbers + ATP_DOTATTN_TOKENS_EG, numbers + ATP_DOTATTN_TOKENS_RESIDUAL + 1, std::nan(""));
    std::memcpy(&row, numbers, sizeof numbers);
    return row;
  }
  const auto trace = [&](const double *numbers) { return task.rank == 1 ? numbers[0] : numbers[0] + numbers[1]; };
  average(
      solutions, [](const Solution &s) { return s.eg; }, row.eg, row.eg_sem);
  average(
      solutions, [](const Solution &s) { return s.et; }, row.et, row.et_sem);
  average(
      solutions, [&](const Solution &s) { return trace(s.order.q); }, row.q, row.q_sem);
  average(
      solutions, [&](const Solution &s) { return trace(s.order.v); }, row.v, row.v_sem);
  average(
      solutions, [](const Solution &s) { return std::fabs(s.order.theta); }, row.theta, row.theta_sem);
  const auto size = [&](const Solution &s) {
    double sum = 0;
    for (int64_t k = 0; k < task.code_columns; ++k) sum += s.order.m[k] * s.order.m[k];
    return std::sqrt(sum);
  };
  average(solutions, size, row.m, row.m_sem);
  const auto least = [&](const Solution &s) { return task.rank == 1 ? s.order.q[0] : std::fmin(s.order.q[0], s.order.q[1]); };
  average(solutions, least, row.q_least, row.q_least_sem);
  return row;
}

}  // namespace

std::size_t evolution_bytes(const Context &context, const Evolution &evolution) {
  Room room(context, evolution);
  Arena measure;
  room.lay_out(measure);
  return measure.bytes();
}

atp_outcome evolve(Context &context, const Evolution &evolution, Reporter &reporter, double *rows, int64_t columns) {
  const Scratch scratch(context.allocator, evolution_bytes(context, evolution));
  Arena arena = scratch.arena();
  Room room(context, evolution);
  room.lay_out(arena);
  const Task &task = evolution.task;
  const int64_t unknowns = task.tokens * task.rank, dimensions = unknowns + task.tokens, shifts = evolution.shifts;
  const int64_t multiplier = korobov_multiplier(evolution.points, dimensions, room.desks[0].normals);
  const int64_t total = product_of(shifts, evolution.n_alphas);
  std::atomic<int64_t> next{0}, done{0};
  // One alpha of the shift at a desk, or of the next shift; without an end to slices, all that is left.
  const auto work = [&](Desk &desk, bool sliced) {
    do {
      if (desk.shift < 0) {
        const int64_t shift = next.fetch_add(1, std::memory_order_relaxed);
        if (shift >= shifts) return;
        normal_points(evolution.points, dimensions, multiplier, evolution.seed, shift, desk.normals);
        std::fill(desk.x.begin(), desk.x.end(), 0.01);
        desk.shift = shift;
        desk.alpha = 0;
      }
      const int64_t k = desk.alpha;
      Solution *mine = &room.solutions[k * shifts + desk.shift];
      *mine =
          Solver(evolution, desk).follow(evolution.alphas[k], k > 0 ? &room.solutions[(k - 1) * shifts + desk.shift] : nullptr, reporter);
      done.fetch_add(1, std::memory_order_relaxed);
      if (++desk.alpha == evolution.n_alphas) desk.shift = -1;
    } while (!sliced);
  };
  for (Solution &solution : room.solutions) solution.outcome = ATP_OUTCOME_CANCELLED;
  while (done < total && !reporter.stopped()) {
    parallel_for(context.threads, room.threads, [&](int64_t desk, int) { work(room.desks[desk], reporter.wanted()); });
    atp_progress progress;
    progress.set(ATP_PROGRESS_STEP, static_cast<double>(done));
    progress.set(ATP_PROGRESS_TOTAL, static_cast<double>(total));
    reporter.report(progress);
  }

  atp_outcome outcome = ATP_OUTCOME_CONVERGED;
  for (int64_t k = 0; k < evolution.n_alphas; ++k) {
    const TokensRow row = row_of(evolution, room.solutions.sub(k * shifts, shifts), evolution.alphas[k]);
    std::memcpy(rows + k * columns, &row, static_cast<std::size_t>(columns) * sizeof(double));
    const atp_outcome mine = static_cast<atp_outcome>(static_cast<int>(row.outcome));
    if (outcome == ATP_OUTCOME_CONVERGED || mine == ATP_OUTCOME_CANCELLED) outcome = mine;
  }
  return outcome;
}

}  // namespace atp::dotattn
