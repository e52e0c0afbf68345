// SPDX-License-Identifier: MIT
#include "theory/dotattn/two_tokens/curve.hpp"

#include "math/search.hpp"
#include "theory/dotattn/two_tokens/problem.hpp"

#include <cstring>
#include <limits>

namespace atp::dotattn {

// The transition at one omega: two branches, where they begin and end, and where their losses cross.
class Search {
 public:
  Search(Solver &solver, double eg_linear)
      : solver_(solver), eg_linear_(eg_linear), semantic_(solver, Kind::semantic), positional_(solver, Kind::positional) {}

  Found run(double accuracy, TransitionRow &row);

 private:
  // A function of alpha, the branches that it needs, and how to get them there.
  enum class Gap { training, semantic, positional };
  bool needs(Gap gap, Kind kind) const;
  bool move(Gap gap, double alpha);
  double value(Gap gap) const;

  bool at(Branch &branch, double alpha, Solution &out);
  double edge(Branch &branch, Kind kind, double alpha);
  bool solve_at(Gap gap, double log_alpha);
  double secant(Gap gap, double x);
  double root(Gap gap, const SignChange &at);
  double polish(Gap gap, double alpha, double accuracy, double *error);

  bool cross(double accuracy, double start, TransitionRow &row);
  void beat_linear_positional(double accuracy, TransitionRow &row);
  void beat_linear_semantic(double accuracy, double start, TransitionRow &row);

  Solver &solver_;
  double eg_linear_;
  Branch semantic_, positional_;
  Solution s_, p_;
  Found trouble_ = Found::yes;  // the first that a branch got into
};

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLowest = 1e-3, kHighest = 30;               // alphas between which branches are followed
constexpr double kSemanticStart = 3, kPositionalStart = 0.5;  // where each of them is looked for first
constexpr double kInside = 1.02;                              // of the alpha where the semantic branch begins: it is steep there
constexpr double kMarch = 1.15;                               // ratio of alphas while a change of sign is looked for
constexpr int kEdgeLevel = 2;                                 // of the end of a branch: 1e-3
constexpr double kRoot = 1e-8;                                // of log alpha
constexpr int kRootSteps = 60;                                // ten are usual
constexpr SecantSteps kPolish = {1e-3, 0.05, 1e-7, 20};  // of log alpha, on a finer level; levels differ by more, three steps are usual

}  // namespace

bool Search::needs(Gap gap, Kind kind) const { return gap == Gap::training || (gap == Gap::semantic) == (kind == Kind::semantic); }

double Search::value(Gap gap) const {
  const Problem &problem = solver_.problem();
  if (gap == Gap::training) return training_loss(problem, s_) - training_loss(problem, p_);
  return test_loss(problem, gap == Gap::semantic ? s_ : p_) - eg_linear_;
}

// The branches that are needed to alpha; false where one of them is not there or is lost.
bool Search::move(Gap gap, double alpha) {
  if (needs(gap, Kind::semantic) && !at(semantic_, alpha, s_)) return false;
  return !needs(gap, Kind::positional) || at(positional_, alpha, p_);
}

bool Search::at(Branch &branch, double alpha, Solution &out) {
  const Found found = branch.go(alpha, out);
  if (found == Found::yes) return true;
  if (found != Found::ended) trouble_ = found;
  return false;
}

// Where a branch ends on the way to alpha; NaN where it was not found at all, infinity (upwards) or 0 where it does not end.
double Search::edge(Branch &branch, Kind kind, double alpha) {
  Solution out;
  if (!branch.started()) {
    if (!at(branch, kind == Kind::semantic ? kSemanticStart : kPositionalStart, out) && !branch.started()) return kNaN;
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

// The zero between two alphas with values of different signs; NaN where a branch is lost. The solutions move along.
double Search::root(Gap gap, const SignChange &at) {
  const auto function = [&](double log_alpha) { return move(gap, std::exp(log_alpha)) ? value(gap) : kNaN; };
  return std::exp(find_root({std::log(at.x), at.at_x, std::log(at.y), at.at_y}, kRoot, kRootSteps, function));
}

// Solutions on the level in use at exp(log_alpha), from those that are there.
bool Search::solve_at(Gap gap, double log_alpha) {
  for (const Kind kind : {Kind::semantic, Kind::positional}) {
    if (!needs(gap, kind)) continue;
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
}

// The log alpha of a zero on the level in use, from x.
double Search::secant(Gap gap, double x) {
  return find_root_near(x, kPolish, [&](double log_alpha) { return solve_at(gap, log_alpha) ? value(gap) : kNaN; });
}

// The zero again on finer levels until it moves by no more than accuracy * alpha; the solutions are moved along.
double Search::polish(Gap gap, double alpha, double accuracy, double *error) {
  *error = kNaN;
  double x = std::log(alpha);
  bool good = false;
  for (int level = 1; level < kLevelCount && !good; ++level) {
    solver_.integrator().use(kLevels[level]);
    const double coarse = x;
    x = secant(gap, x);
    if (trouble_ != Found::yes) break;
    *error = std::fabs(std::exp(x) - std::exp(coarse));
    good = *error <= accuracy * std::exp(x);
  }
  solver_.integrator().use(kLevels[0]);
  if (!good && trouble_ == Found::yes) trouble_ = Found::lost;
  return std::exp(x);
}

// alpha_c, from where the semantic branch begins upwards; true where two training losses cross there.
bool Search::cross(double accuracy, double start, TransitionRow &row) {
  const auto begins = [&] {
    row.alpha_c = row.alpha_semantic;
    row.error_c = 0;
    return false;
  };
  // Nothing but the uninformed solution is there where the semantic one begins.
  if (!(row.alpha_positional_end > row.alpha_semantic)) return begins();
  double below = start, f_below = 0;
  bool crossed = false;
  for (double alpha = start; alpha <= kHighest && move(Gap::training, alpha); alpha *= kMarch) {
    const double f = value(Gap::training);
    if (f <= 0 && alpha == start) return begins();
    if (f <= 0) {
      crossed = true;
      row.alpha_c = root(Gap::training, {below, f_below, alpha, f});
      break;
    }
    below = alpha;
    f_below = f;
  }
  if (trouble_ != Found::yes || !crossed || !std::isfinite(row.alpha_c)) return crossed;
  const Solution s = s_, p = p_;
  row.alpha_c = polish(Gap::training, row.alpha_c, accuracy, &row.error_c);
  row.et = training_loss(solver_.problem(), s_);
  s_ = s;
  p_ = p;
  return true;
}

// From alpha_c, where the positional branch beats the linear map, down to where it does not.
void Search::beat_linear_positional(double accuracy, TransitionRow &row) {
  double from = row.alpha_c, f_from = value(Gap::positional);
  for (double alpha = from / kMarch; alpha > kLowest && move(Gap::positional, alpha); alpha /= kMarch) {
    const double f = value(Gap::positional);
    if (f >= 0) {
      row.alpha_linear = root(Gap::positional, {alpha, f, from, f_from});
      row.alpha_linear = polish(Gap::positional, row.alpha_linear, accuracy, &row.error_linear);
      return;
    }
    from = alpha;
    f_from = f;
  }
}

// From alpha_c, or where the branch is less steep, up to where the semantic branch beats the linear map.
void Search::beat_linear_semantic(double accuracy, double start, TransitionRow &row) {
  double from = std::max(row.alpha_c, start);
  if (!move(Gap::semantic, from)) return;
  double f_from = value(Gap::semantic);
  if (f_from <= 0) {
    row.alpha_linear = row.alpha_c;
    row.error_linear = row.error_c;
    return;
  }
  for (double alpha = from * kMarch; alpha <= kHighest && move(Gap::semantic, alpha); alpha *= kMarch) {
    const double f = value(Gap::semantic);
    if (f <= 0) {
      row.alpha_linear = root(Gap::semantic, {from, f_from, alpha, f});
      row.alpha_linear = polish(Gap::semantic, row.alpha_linear, accuracy, &row.error_linear);
      return;
    }
    from = alpha;
    f_from = f;
  }
}

Found Search::run(double accuracy, TransitionRow &row) {
  solver_.integrator().use(kLevels[0]);
  row.alpha_positional = edge(positional_, Kind::positional, kLowest);
  row.alpha_positional_end = edge(positional_, Kind::positional, kHighest);
  row.alpha_semantic = edge(semantic_, Kind::semantic, kLowest);
  if (trouble_ != Found::yes || std::isnan(row.alpha_semantic)) return trouble_;

  const double start = kInside * std::max(row.alpha_semantic, kLowest);
  const bool crossed = cross(accuracy, start, row);
  if (trouble_ != Found::yes || !std::isfinite(row.alpha_c)) return trouble_;
  // Against the linear map: below alpha_c the positional branch counts, above it the semantic one.
  if (crossed && move(Gap::positional, row.alpha_c) && value(Gap::positional) < 0)
    beat_linear_positional(accuracy, row);
  else
    beat_linear_semantic(accuracy, start, row);
  return trouble_;
}

namespace {

TransitionRow unsolved(double omega) {
  TransitionRow row;
  row.omega = omega;
  row.alpha_c = row.alpha_linear = row.alpha_semantic = row.alpha_positional = row.alpha_positional_end = kNaN;
  row.error_c = row.error_linear = row.et = kNaN;
  row.outcome = ATP_OUTCOME_CANCELLED;
  return row;
}

TransitionRow solve_row(const TransitionRequest &request, double omega, bool skipped, Integrator &integrator) {
  TransitionRow row = unsolved(omega), solved = row;
  Problem problem = request.problem;
  problem.omega = omega;
  row.eg_linear = solved.eg_linear = linear_baseline(problem, nullptr);
  if (skipped) return row;
  Solver solver(integrator, problem);
  solver.most = request.max_iter;
  solved.outcome = outcome_of(Search(solver, row.eg_linear).run(request.accuracy, solved));
  solved.iterations = static_cast<double>(solver.applications);
  return integrator.stopped() ? row : solved;
}

}  // namespace

atp_outcome transition(Context &context, const TransitionRequest &request, Reporter &reporter, double *rows) {
  Scratch scratch(context.allocator, scratch_bytes(context, 0));
  Arena arena = scratch.arena();
  Integrator integrator(context);
  integrator.lay_out(arena);
  Heartbeat heartbeat(reporter, static_cast<double>(request.n));
  integrator.watch(heartbeat, context.ranks);

  atp_outcome ended = ATP_OUTCOME_CONVERGED;
  bool cancelled = false;
  for (int64_t k = 0; k < request.n; ++k) {
    const TransitionRow row = solve_row(request, request.omegas[k], cancelled, integrator);
    std::memcpy(rows + k * ATP_DOTATTN_TRANSITION_COLUMNS, &row, sizeof row);
    if (ended == ATP_OUTCOME_CONVERGED) ended = static_cast<atp_outcome>(static_cast<int>(row.outcome));
    if (!cancelled) cancelled = row.outcome == static_cast<double>(ATP_OUTCOME_CANCELLED) || heartbeat.step();
  }
  return cancelled ? ATP_OUTCOME_CANCELLED : ended;
}

}  // namespace atp::dotattn
