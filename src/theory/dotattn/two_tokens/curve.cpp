// SPDX-License-Identifier: MIT
#include "theory/dotattn/two_tokens/curve.hpp"

#include "theory/dotattn/two_tokens/problem.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace atp::dotattn {

namespace {

double relative(double a, double b) { return std::fabs(a - b) / std::max(std::fabs(b), 1e-300); }

double change(const Problem &problem, Kind kind, const Solution &a, const Solution &b) {
  double most =
      std::max({relative(a.order.q, b.order.q), relative(a.order.v, b.order.v),
                relative(training_loss(problem, a), training_loss(problem, b)), relative(test_loss(problem, a), test_loss(problem, b))});
  if (kind == Kind::semantic) most = std::max(most, relative(a.order.theta, b.order.theta));
  if (kind == Kind::positional) most = std::max(most, relative(a.order.m, b.order.m));
  return most;
}

}  // namespace

double training_loss(const Problem &problem, const Solution &s) {
  const double rho = problem.rho();
  return 0.5 * std::exp(s.point.log_alpha) * rho * s.mean.train + 0.5 * problem.lambda * s.order.q / rho;
}

double test_loss(const Problem &problem, const Solution &s) { return 0.5 * problem.rho() * s.mean.test; }

Found refine(Solver &solver, Kind kind, double accuracy, Solution &at, int *level, double *error) {
  *error = std::numeric_limits<double>::quiet_NaN();
  for (*level += 1; *level < kLevelCount; ++*level) {
    solver.integrator().use(kLevels[*level]);
    const Solution finer = solver.solve(kind, at.point, false);
    if (finer.ending == Ending::too_many) return Found::too_many;
    if (finer.ending != Ending::converged && !is_rough(finer)) continue;
    *error = std::max(change(solver.problem(), kind, at, finer), at.ending == Ending::converged ? 0 : at.residual);
    at = finer;
    if (finer.ending == Ending::converged && *error <= accuracy) return Found::yes;
  }
  *level = kLevelCount - 1;
  return Found::lost;
}

namespace {

constexpr double kOnPlace = 1e-9;  // of the distance of two places: closer is there
constexpr int kFirstPlaces = 7;
// Semantic solutions are strong at many samples, positional ones at few; where V is infinite at few samples, more have a solution.
constexpr int kFirstPlacesOf[3][kFirstPlaces] = {{3, 5, 1, 7, -1, 11, -5}, {-2, -4, 0, -6, 2, -10, 6}, {0, 2, -2, 4, -4, 6, 8}};

double alpha_at(int k) { return std::exp2(0.5 * k); }

}  // namespace

Path::Path(Solver &solver, Kind kind, Arena &arena, Path *flat) : solver_(solver), kind_(kind), flat_(flat), places_(take(arena)) {
  for (Place &place : places_) place = Place{};
}

// Counts the evaluations at a known place for the row, once.
Found Path::count_for_row(Place &place, int k) {
  if (place.looked && flat_->reach(k) == Found::too_many) return Found::too_many;
  if (place.row != row_) solver_.applications += place.cost;
  place.row = row_;
  return solver_.applications >= solver_.most ? Found::too_many : place.found;
}

// Follows the branch from a solution; where averages are too rough for that, passing over rough points. The uninformed solution has no end
// that a rough point could be mistaken for.
Found Path::follow(const Solution &from, double alpha, Solution &out) {
  for (const bool rough : {false, true}) {
    if (flat_ == nullptr && !rough) continue;
    Branch branch(solver_, kind_, rough);
    branch.start_from(from);
    const Found found = branch.go(alpha, out);
    if (found != Found::lost || rough) return found;
  }
  return Found::lost;
}

// Without the place before it.
Found Path::fresh(int k, Place &out) {
  if (flat_ == nullptr) return uninformed(solver_, alpha_at(k), out.solution);
  out.looked = true;
  const int64_t before = solver_.applications;
  const Found flat = flat_->reach(k);
  out.cost -= solver_.applications - before;
  if (flat != Found::yes) return flat == Found::diverged ? Found::ended : flat;
  return fresh_start(solver_, kind_, flat_->place(k).solution.point, out.solution);
}

// Place k, from the one before it or afresh.
Found Path::make(int k, int before) {
  Place made;
  made.row = row_;
  made.found = Found::ended;
  const int64_t begin = solver_.applications;
  if (has_first_) {
    made.found = place(before).found;
    if (made.found == Found::yes) made.found = follow(place(before).solution, alpha_at(k), made.solution);
  }
  if (made.found == Found::ended || made.found == Found::lost) {
    const Found again = fresh(k, made);
    made.fresh = again == Found::yes;
    if (again != Found::ended || !has_first_) made.found = again;
  }
  if (made.found == Found::too_many || solver_.applications >= solver_.most) return Found::too_many;
  made.cost += solver_.applications - begin;
  made.known = true;
  place(k) = made;
  return made.found;
}

// Finds the first place that has a solution without a start.
Found Path::find_first() {
  const int(&firsts)[kFirstPlaces] = kFirstPlacesOf[static_cast<int>(kind_) - 1];
  if (first_place_.known) {
    for (int t = 0; t < tried_ && flat_ != nullptr; ++t)
      if (flat_->reach(firsts[t]) == Found::too_many) return Found::too_many;
    return count_for_row(first_place_, 0);
  }
  Place made;
  made.row = row_;
  const int64_t begin = solver_.applications;
  for (tried_ = 0; tried_ < kFirstPlaces && !has_first_;) {
    made.found = fresh(firsts[tried_++], made);
    if (made.found == Found::too_many || solver_.applications >= solver_.most) return Found::too_many;
    has_first_ = made.found == Found::yes;
  }
  made.cost += solver_.applications - begin;
  made.known = true;
  made.looked = false;
  first_place_ = made;
  if (!has_first_) return made.found;
  first_ = firsts[tried_ - 1];
  place(first_) = made;
  place(first_).cost = 0;
  return Found::yes;
}

// Solves all places from the first to k, and counts their evaluations for the row.
Found Path::reach(int k) {
  if (find_first() == Found::too_many) return Found::too_many;
  if (!has_first_) return place(k).known ? count_for_row(place(k), k) : make(k, k);
  const int out = k < first_ ? -1 : 1;
  Found found = Found::yes;
  for (int at = first_;; at += out) {
    found = place(at).known ? count_for_row(place(at), at) : make(at, at - out);
    if (at == k || found == Found::too_many) return found;
  }
}

Found Path::at(double alpha, Solution &out) {
  if (find_first() == Found::too_many) return Found::too_many;
  const double x = 2 * std::log2(alpha);
  const bool up = !has_first_ || x >= first_;
  const int k = static_cast<int>(up ? std::floor(x + kOnPlace) : std::ceil(x - kOnPlace)), outer = up ? k + 1 : k - 1;
  Found found = reach(k);
  if (found == Found::yes) found = follow(place(k).solution, alpha, out);
  if (found != Found::ended && found != Found::lost) return found;
  // What was found afresh behind alpha may come back to it.
  const Found behind = reach(outer);
  if (behind == Found::too_many) return behind;
  if (!solved(outer) || !place(outer).fresh) {
    // A branch that was found nowhere is the uninformed solution, or fails as that does.
    if (flat_ != nullptr) return has_first_ ? found : Found::ended;
    // Without a penalty and a place to follow it from: iteration that runs away has no finite V.
    if (solver_.problem().lambda > 0) return found;
    const Found there = uninformed(solver_, alpha, out);
    return there == Found::lost && !(out.order.q > 0) ? Found::diverged : there;
  }
  const Found back = follow(place(outer).solution, alpha, out);
  return back == Found::yes || back == Found::too_many ? back : found;
}

const Solution *Path::last_towards(double alpha) {
  if (!has_first_) return nullptr;
  const int out = 2 * std::log2(alpha) < first_ ? -1 : 1;
  int k = first_;
  while (std::abs(k + out) <= kLast && solved(k + out) && (alpha_at(k + out) - alpha) * out < 0) k += out;
  return (alpha_at(k) - alpha) * out < 0 ? &place(k).solution : nullptr;
}

// --- rows ---

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kStepOfJump = 0.79788456080286535588;  // sqrt(2 / pi): mean distance of a normal number from zero

// The rows of a call. None depends on the others.
class Curve {
 public:
  Curve(Integrator &integrator, NestedFields *nested, const CurveRequest &request, Arena &arena, double *rows)
      : integrator_(integrator),
        nested_(nested),
        given_(request),
        rows_(rows),
        eg_linear_(linear_baseline(request.problem, nullptr)),
        solver_(integrator, request.problem),
        flat_(solver_, Kind::uninformed, arena, nullptr),
        branch_(solver_, request.kind, arena, &flat_),
        trail_(request.problem, request.kind) {
    for (int64_t k = 0; k < request.n; ++k) write(k, unsolved(k, ATP_OUTCOME_CANCELLED));
  }
  // Row k; gives its outcome. Rows that are not made are CANCELLED.
  atp_outcome solve(int64_t k);

 private:
  Row unsolved(int64_t k, atp_outcome outcome) const;
  void set_solution(const Solution &solution, Row &row) const;
  void set_stability(Kind kind, const Solution &solution, Row &row);
  BrokenRow broken_at(Kind kind, const Solution &solution, const Spread &spread, double et);
  void set_breaking(const BrokenRow &broken, Row &row);
  void write(int64_t k, const Row &row) { std::memcpy(rows_ + k * ATP_DOTATTN_COLUMNS, &row, sizeof row); }

  Integrator &integrator_;
  NestedFields *nested_;  // where breaking is asked for
  const CurveRequest &given_;
  double *rows_;
  double eg_linear_;
  Solver solver_;
  Path flat_, branch_;
  BrokenTrail trail_;
};

Row Curve::unsolved(int64_t k, atp_outcome outcome) const {
  Row row;
  row.branch = static_cast<double>(given_.kind);
  row.omega = given_.problem.omega;
  row.alpha = given_.alphas[k];
  row.q = row.m = row.v = row.theta = row.eg = row.et = row.residual = row.quadrature = kNaN;
  row.q_hat = row.m_hat = row.v_hat = row.theta_hat = row.replicon = row.jumps = kNaN;
  row.et_broken = row.eg_broken = row.q1 = row.q0 = row.v_broken = row.m_broken = row.theta_broken = row.mu = row.error_broken = kNaN;
  row.eg_linear = eg_linear_;
  row.outcome = outcome;
  return row;
}

void Curve::set_solution(const Solution &solution, Row &row) const {
  row.q = solution.order.q;
  row.m = solution.order.m;
  row.v = solution.order.v;
  row.theta = solution.order.theta;
  row.eg = test_loss(given_.problem, solution);
  row.et = training_loss(given_.problem, solution);
  row.residual = solution.residual;
  row.q_hat = solution.hats.q;
  row.m_hat = solution.hats.m;
  row.v_hat = solution.hats.v;
  row.theta_hat = solution.hats.theta;
}

void Curve::set_breaking(const BrokenRow &broken, Row &row) {
  row.outcome_broken = broken.outcome;
  if (broken.outcome != ATP_OUTCOME_CONVERGED) return;
  const BrokenOrder &order = broken.order;
  row.et_broken = row.et + broken.shift;
  row.q1 = order.q1();
  row.q0 = order.q0;
  row.v_broken = order.v;
  row.m_broken = order.m;
  row.theta_broken = order.theta;
  row.mu = order.mu;
  row.error_broken = broken.error / row.et_broken;
  const Averages mean = integrator_.average(given_.problem, {order.q1(), order.m, order.theta, order.v});
  row.eg_broken = 0.5 * given_.problem.rho() * mean.test;
}

void Curve::set_stability(Kind kind, const Solution &solution, Row &row) {
  const Spread spread = integrator_.spread(given_.problem, solution.order);
  row.replicon = 1 - row.alpha * spread.smooth;
  row.jumps = row.alpha * kStepOfJump * spread.jumps / std::sqrt(solution.order.q);
  if (nested_ != nullptr && !integrator_.stopped()) set_breaking(broken_at(kind, solution, spread, row.et), row);
}

// One step of breaking of this solution; where it is not of the branch asked for, and that is to be followed, of the branch beyond its end.
BrokenRow Curve::broken_at(Kind kind, const Solution &solution, const Spread &spread, double et) {
  const double alpha = std::exp(solution.point.log_alpha);
  const Solution *last = given_.follow && kind != given_.kind ? branch_.last_towards(alpha) : nullptr;
  if (last != nullptr && trail_.needs_start(*last))
    trail_.start(*last, break_symmetry(*nested_, given_.problem, given_.kind, *last, integrator_.spread(given_.problem, last->order)));
  if (last != nullptr) {
    const BrokenRow row = trail_.at(*nested_, alpha, et);
    if (row.outcome == ATP_OUTCOME_CONVERGED) return row;
  }
  return break_symmetry(*nested_, given_.problem, kind, solution, spread);
}

atp_outcome Curve::solve(int64_t k) {
  Row row = unsolved(k, ATP_OUTCOME_STALLED);
  solver_.applications = 0;
  solver_.most = given_.max_iter;
  integrator_.use(kLevels[0]);
  Solution solution;
  Kind kind = given_.kind;
  flat_.begin_row();
  branch_.begin_row();
  Found found = kind == Kind::uninformed ? Found::ended : branch_.at(row.alpha, solution);
  if (found == Found::ended) {
    kind = Kind::uninformed;
    found = flat_.at(row.alpha, solution);
  }
  if (found == Found::yes) {
    int level = 0;
    found = refine(solver_, kind, given_.accuracy, solution, &level, &row.quadrature);
    set_solution(solution, row);
    if (!integrator_.stopped()) set_stability(kind, solution, row);
  }
  if (integrator_.stopped()) return ATP_OUTCOME_CANCELLED;
  row.branch = static_cast<double>(kind);
  row.iterations = static_cast<double>(solver_.applications);
  const atp_outcome outcome = outcome_of(found);
  row.outcome = outcome;
  write(k, row);
  return outcome;
}

}  // namespace

std::size_t scratch_bytes(const Context &context, int64_t n, bool breaking) {
  return bytes_taken([&](Arena &arena) {
    Integrator(context).lay_out(arena);
    if (breaking) NestedFields(context, Problem{}).lay_out(arena);
    if (n > 0) Path::take(arena);
    if (n > 0) Path::take(arena);
  });
}

atp_outcome curve(Context &context, const CurveRequest &request, Reporter &reporter, double *rows) {
  Scratch scratch(context.allocator, scratch_bytes(context, request.n, request.breaking));
  Arena arena = scratch.arena();
  Integrator integrator(context);
  integrator.lay_out(arena);
  NestedFields nested(context, request.problem);
  if (request.breaking) nested.lay_out(arena);
  Heartbeat heartbeat(reporter, static_cast<double>(request.n));
  integrator.watch(heartbeat, context.ranks);
  if (request.breaking) nested.watch(heartbeat, context.ranks);
  Curve rows_of(integrator, request.breaking ? &nested : nullptr, request, arena, rows);
  atp_outcome worst = ATP_OUTCOME_CONVERGED;
  for (int64_t made = 0; made < request.n; ++made) {
    const atp_outcome outcome = rows_of.solve(made);
    if (outcome == ATP_OUTCOME_CANCELLED) return outcome;
    if (worst == ATP_OUTCOME_CONVERGED) worst = outcome;
    if (heartbeat.step()) return ATP_OUTCOME_CANCELLED;
  }
  return worst;
}

}  // namespace atp::dotattn
