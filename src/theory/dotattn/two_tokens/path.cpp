// SPDX-License-Identifier: MIT
#include "theory/dotattn/two_tokens/path.hpp"

#include <algorithm>
#include <cmath>
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

}  // namespace atp::dotattn
