// SPDX-License-Identifier: MIT
#include "dotattn/transition.hpp"

#include "dotattn/baseline.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace atp::dotattn {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLowest = 1e-3, kHighest = 30;  // alphas between which branches are followed
constexpr double kMarch = 1.15;                  // ratio of alphas while a change of sign is looked for
constexpr double kRoot = 1e-8;                   // of log alpha
constexpr int kEdgeLevel = 2;
constexpr int kRootSteps = 60;

// One omega: the two branches and what is asked of them.
class Search {
 public:
  Search(Solver &solver, double eg_linear)
      : solver_(solver), eg_linear_(eg_linear), semantic_(solver, Kind::semantic), positional_(solver, Kind::positional) {}

  Found run(double accuracy, TransitionRow &row);

 private:
  using Difference = double (Search::*)() const;
  // Both branches at alpha; false where one of them is not there or is lost.
  bool both(double alpha);
  bool at(Branch &branch, double alpha, Solution &out);
  double training_gap() const { return training_loss(solver_.problem(), s_) - training_loss(solver_.problem(), p_); }
  double semantic_gap() const { return test_loss(solver_.problem(), s_) - eg_linear_; }
  double positional_gap() const { return test_loss(solver_.problem(), p_) - eg_linear_; }
  // A zero of a difference that changes sign between two alphas, where `move` brings the solutions.
  template <class Move, class Value>
  double root(double a, double fa, double b, double fb, Move &&move, Value &&value);
  // The zero again on finer levels until it moves by no more than accuracy * alpha; the solutions are moved along.
  template <class Value>
  double polish(double alpha, double accuracy, bool semantic, bool positional, Value &&value, double *error);
  double edge(Branch &branch, Kind kind, double alpha);

  Solver &solver_;
  double eg_linear_;
  Branch semantic_, positional_;
  Solution s_, p_;
  Found trouble_ = Found::yes;
};

bool Search::at(Branch &branch, double alpha, Solution &out) {
  const Found found = branch.go(alpha, out);
  if (found == Found::yes) return true;
  if (found != Found::ended) trouble_ = found;
  return false;
}

bool Search::both(double alpha) { return at(semantic_, alpha, s_) && at(positional_, alpha, p_); }

// Where a branch ends on the way to alpha; NaN where it was not found at all, infinity (upwards) or 0 where it does not end.
double Search::edge(Branch &branch, Kind kind, double alpha) {
  Solution out;
  if (!branch.stands()) {
    if (!at(branch, kind == Kind::semantic ? 3 : 0.5, out) && !branch.stands()) return kNaN;
  }
  const Found found = branch.go(alpha, out);
  if (found == Found::yes) return alpha > 1 ? kInfinity : 0;
  if (found != Found::ended) {
    trouble_ = found;
    return kNaN;
  }
  const Solution coarse = branch.edge();
  solver_.integrator().use(kLevels[kEdgeLevel]);
  const Solution fine = solver_.solve(kind, coarse.point, true);
  solver_.integrator().use(kLevels[0]);
  return std::exp((fine.ending == Ending::converged ? fine : coarse).point.log_alpha);
}

template <class Move, class Value>
double Search::root(double a, double fa, double b, double fb, Move &&move, Value &&value) {
  double x = std::log(a), y = std::log(b);
  int kept = 0;
  for (int step = 0; step < kRootSteps && std::fabs(y - x) > kRoot; ++step) {
    // Illinois: regula falsi with the weight of an end that stays halved.
    double z = y - fb * (y - x) / (fb - fa);
    if (!(z > std::min(x, y) && z < std::max(x, y))) z = 0.5 * (x + y);
    if (!move(std::exp(z))) return kNaN;
    const double fz = value();
    if (std::fabs(fz) == 0) return std::exp(z);
    if ((fz > 0) == (fb > 0)) {
      if (kept == 1) fa *= 0.5;
      kept = 1;
    } else {
      x = y;
      fa = fb;
      kept = 0;
    }
    const bool close = std::fabs(z - y) < kRoot;
    y = z;
    fb = fz;
    if (close) break;
  }
  return std::exp(y);
}

template <class Value>
double Search::polish(double alpha, double accuracy, bool semantic, bool positional, Value &&value, double *error) {
  *error = kNaN;
  // Solutions on the level in use at exp(log_alpha).
  const auto solve_at = [&](double log_alpha) {
    for (const Kind kind : {Kind::semantic, Kind::positional}) {
      if (kind == Kind::semantic ? !semantic : !positional) continue;
      Solution &solution = kind == Kind::semantic ? s_ : p_;
      Point start = solution.point;
      start.log_alpha = log_alpha;
      const Solution next = solver_.solve(kind, start, false);
      if (next.ending != Ending::converged) {
        trouble_ = next.ending == Ending::too_many ? Found::too_many : Found::lost;
        return false;
      }
      solution = next;
    }
    return true;
  };
  double x = std::log(alpha);
  for (int level = 1; level < kLevelCount; ++level) {
    solver_.integrator().use(kLevels[level]);
    const double coarse = x;
    double y = x + 1e-3;
    if (!solve_at(y)) break;
    double fy = value();
    for (int step = 0; step < 20; ++step) {
      if (!solve_at(x)) break;
      const double fx = value();
      if (fx == fy) break;
      const double z = x - fx * (x - y) / (fx - fy);
      y = x;
      fy = fx;
      x = std::max(x - 0.05, std::min(x + 0.05, z));
      if (std::fabs(x - y) < 1e-7) break;
    }
    if (trouble_ != Found::yes) break;
    *error = std::fabs(std::exp(x) - std::exp(coarse));
    if (*error <= accuracy * std::exp(x)) {
      solver_.integrator().use(kLevels[0]);
      return std::exp(x);
    }
  }
  solver_.integrator().use(kLevels[0]);
  if (trouble_ == Found::yes) trouble_ = Found::lost;
  return std::exp(x);
}

Found Search::run(double accuracy, TransitionRow &row) {
  solver_.integrator().use(kLevels[0]);
  row.alpha_positional = edge(positional_, Kind::positional, kLowest);
  row.alpha_positional_end = edge(positional_, Kind::positional, kHighest);
  row.alpha_semantic = edge(semantic_, Kind::semantic, kLowest);
  if (trouble_ != Found::yes || std::isnan(row.alpha_semantic)) return trouble_;

  const double start = 1.02 * std::max(row.alpha_semantic, kLowest);
  const auto move_both = [&](double alpha) { return both(alpha); };
  const auto move_semantic = [&](double alpha) { return at(semantic_, alpha, s_); };
  const auto move_positional = [&](double alpha) { return at(positional_, alpha, p_); };
  const auto training = [&] { return training_gap(); };
  const auto semantic = [&] { return semantic_gap(); };
  const auto positional = [&] { return positional_gap(); };

  bool crossed = false;
  if (!(row.alpha_positional_end > row.alpha_semantic)) {
    // Nothing but the uninformed solution is there where the semantic one begins.
    row.alpha_c = row.alpha_semantic;
    row.error_c = 0;
  } else {
    double below = start, f_below = 0;
    bool have = false;
    for (double alpha = start; alpha <= kHighest; alpha *= kMarch) {
      if (!both(alpha)) break;
      const double f = training_gap();
      if (f <= 0) {
        crossed = have;
        if (have) row.alpha_c = root(below, f_below, alpha, f, move_both, training);
        if (!have) row.alpha_c = row.alpha_semantic, row.error_c = 0;
        break;
      }
      below = alpha;
      f_below = f;
      have = true;
    }
    if (trouble_ != Found::yes) return trouble_;
    if (crossed && std::isfinite(row.alpha_c)) {
      const Solution s = s_, p = p_;
      row.alpha_c = polish(row.alpha_c, accuracy, true, true, training, &row.error_c);
      row.et = training_loss(solver_.problem(), s_);
      s_ = s;
      p_ = p;
      if (trouble_ != Found::yes) return trouble_;
    }
  }
  if (!std::isfinite(row.alpha_c)) return trouble_;

  // Against the linear map: below alpha_c the positional branch counts, above it the semantic one.
  double from = row.alpha_c, f_from = 0;
  if (crossed && move_positional(from) && positional_gap() < 0) {
    f_from = positional_gap();
    for (double alpha = from / kMarch; alpha > kLowest && move_positional(alpha); alpha /= kMarch) {
      const double f = positional_gap();
      if (f >= 0) {
        row.alpha_linear = root(alpha, f, from, f_from, move_positional, positional);
        row.alpha_linear = polish(row.alpha_linear, accuracy, false, true, positional, &row.error_linear);
        break;
      }
      from = alpha;
      f_from = f;
    }
    return trouble_;
  }
  from = std::max(from, start);
  if (!move_semantic(from)) return trouble_;
  f_from = semantic_gap();
  if (f_from <= 0) {
    row.alpha_linear = row.alpha_c;
    row.error_linear = row.error_c;
    return trouble_;
  }
  for (double alpha = from * kMarch; alpha <= kHighest && move_semantic(alpha); alpha *= kMarch) {
    const double f = semantic_gap();
    if (f <= 0) {
      row.alpha_linear = root(from, f_from, alpha, f, move_semantic, semantic);
      row.alpha_linear = polish(row.alpha_linear, accuracy, true, false, semantic, &row.error_linear);
      break;
    }
    from = alpha;
    f_from = f;
  }
  return trouble_;
}

}  // namespace

atp_outcome transition(Context &context, const TransitionRequest &request, Reporter &reporter, double *rows, int64_t columns) {
  Scratch scratch(context.allocator, scratch_bytes(context, 0));
  Arena arena = scratch.arena();
  Integrator integrator(context);
  integrator.lay_out(arena);

  atp_outcome ended = ATP_OUTCOME_CONVERGED;
  bool cancelled = false;
  for (int64_t k = 0; k < request.n; ++k) {
    TransitionRow row;
    row.omega = request.omegas[k];
    row.alpha_c = row.alpha_linear = row.alpha_semantic = row.alpha_positional = row.alpha_positional_end = kNaN;
    row.error_c = row.error_linear = row.et = kNaN;
    row.outcome = ATP_OUTCOME_CANCELLED;
    Problem problem = request.problem;
    problem.omega = row.omega;
    row.eg_linear = linear_baseline(problem, nullptr);
    if (!cancelled) {
      Solver solver(integrator, problem);
      solver.most = request.max_iter;
      Search search(solver, row.eg_linear);
      const Found found = search.run(request.accuracy, row);
      row.iterations = static_cast<double>(solver.applications);
      row.outcome = found == Found::yes        ? ATP_OUTCOME_CONVERGED
                    : found == Found::too_many ? ATP_OUTCOME_MAX_ITER
                    : found == Found::diverged ? ATP_OUTCOME_DIVERGED
                                               : ATP_OUTCOME_STALLED;
      if (ended == ATP_OUTCOME_CONVERGED) ended = static_cast<atp_outcome>(row.outcome);
      atp_progress progress;
      progress.set(ATP_PROGRESS_STEP, static_cast<double>(k + 1));
      progress.set(ATP_PROGRESS_TOTAL, static_cast<double>(request.n));
      std::memcpy(rows + k * columns, &row, static_cast<std::size_t>(columns) * sizeof(double));
      cancelled = reporter.report(progress);
      continue;
    }
    std::memcpy(rows + k * columns, &row, static_cast<std::size_t>(columns) * sizeof(double));
  }
  return cancelled ? ATP_OUTCOME_CANCELLED : ended;
}

}  // namespace atp::dotattn
