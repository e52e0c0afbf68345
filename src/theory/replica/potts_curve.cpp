// SPDX-License-Identifier: MIT
// An item of work is one shift of one alpha, solved to a fixed point of its own. It writes only to its own memory, so the numbers do not
// depend on the number of threads or ranks.
#include "theory/replica/potts_curve.hpp"

#include "base/progress.hpp"
#include "base/team.hpp"
#include "math/lattice.hpp"
#include "math/mean_error.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace atp::replica {

namespace {

constexpr double kTolerance = 1e-10;  // of the residual
constexpr int64_t kFirstSteps = 30;   // before a path in lambda is followed
constexpr double kHalfRoot = 0.70710678118654752440, kInverseRootTwoPi = 0.39894228040143267794;
constexpr double kGridRange = 8.5;  // beyond, the normal density is below 1e-16

class PottsSolver final : public SaddleSolver {
 public:
  PottsSolver(const Spectrum &spectrum, const FieldBasis &basis, FieldPoints &points, const Settings &settings, bool cavity,
              Span<double> work)
      : SaddleSolver(spectrum, settings),
        basis_(basis),
        points_(points),
        cavity_(cavity),
        sample_(basis, work.sub(4 * basis.colors, PottsSample::workspace(basis))),
        omega_(work.sub(0, basis.colors)),
        z_(work.sub(basis.colors, basis.colors)),
        p_(work.sub(2 * basis.colors, basis.colors)),
        score_(work.sub(3 * basis.colors, basis.colors)) {
    std::fill(points.starts.begin(), points.starts.end(), 0.0);
  }

  // Sets the labels' probabilities and returns the loss of the teacher.
  double label() { return cavity_ ? label_first() : label_by_teacher(); }
  Row solve();

 private:
  double label_by_teacher();
  double label_first();
  void place_fields(int64_t point, int64_t label, double along, double width);
  Averages averages(const Overlaps &o) override { return cavity_ ? given_label(o) : given_fields(o); }
  Averages given_fields(const Overlaps &o);
  Averages given_label(const Overlaps &o);
  Row row_at(const SaddlePoint &hats, double residual);
  bool lowers(const Row &row) const;
  void add(int64_t point, int64_t label, double weight, const Overlaps &o, double *start, Averages &mean);
  int64_t drawn(int64_t point, double place) const;
  const double *normals(int64_t point) const { return points_.normals.data() + point * FieldPoints::dimensions(basis_); }
  double *probabilities(int64_t point) const { return points_.probabilities.data() + point * basis_.colors; }

  const FieldBasis &basis_;
  FieldPoints &points_;
  bool cavity_;
  PottsSample sample_;
  Span<double> omega_, z_, p_, score_;
};

double PottsSolver::label_by_teacher() {
  const double width = std::sqrt(teacher());
  double sum = 0;
  for (int64_t k = 0; k < points_.count; ++k) {
    for (int64_t c = 0; c < basis_.rank; ++c) omega_[c] = width * normals(k)[c];
    basis_.fields(omega_.data(), z_.data());
    double *p = probabilities(k);
    const Softmax softmax(z_.data(), basis_.colors, p);
    for (int64_t a = 0; a < basis_.colors; ++a) sum += points_.weights[k] * p[a] * softmax.loss(z_.data(), a);
  }
  return sum;
}

// omega = along R^T e_label + width x.
void PottsSolver::place_fields(int64_t point, int64_t label, double along, double width) {
  const double *x = normals(point);
  for (int64_t c = 0; c < basis_.rank; ++c) omega_[c] = along * basis_.directions[label * basis_.rank + c] + width * x[c];
}

// P(label), the same at all points.
double PottsSolver::label_first() {
  double total = 0, sum = 0, most = 0;
  for (int64_t a = 0; a < basis_.colors; ++a) {
    score_[a] = teacher() * basis_.square(a) / 2;
    most = std::max(most, score_[a]);
  }
  for (int64_t a = 0; a < basis_.colors; ++a) total += p_[a] = std::exp(score_[a] - most);
  for (int64_t k = 0; k < points_.count; ++k)
    for (int64_t a = 0; a < basis_.colors; ++a) probabilities(k)[a] = p_[a] / total;
  for (int64_t k = 0; k < points_.count; ++k)
    for (int64_t a = 0; a < basis_.colors; ++a) {
      place_fields(k, a, teacher(), std::sqrt(teacher()));
      basis_.fields(omega_.data(), z_.data());
      const Softmax softmax(z_.data(), basis_.colors, p_.data());
      sum += points_.weights[k] * probabilities(k)[a] * softmax.loss(z_.data(), a);
    }
  return sum;
}

// The label whose interval of the summed probabilities holds the place.
int64_t PottsSolver::drawn(int64_t point, double place) const {
  const double *p = probabilities(point);
  double sum = 0;
  for (int64_t a = 0; a + 1 < basis_.colors; ++a)
    if ((sum += p[a]) > place) return a;
  return basis_.colors - 1;
}

// One label of one point. E df/dnu over labels is E f . d log P(label | nu) / dnu, where fields are normal, and E f . R^T e_label, where
// they are given the label.
void PottsSolver::add(int64_t point, int64_t label, double weight, const Overlaps &o, double *start, Averages &mean) {
  const PottsSample::Response response = sample_.respond(omega_.data(), label, o.v, start);
  const double *p = probabilities(point), *f = sample_.force();
  for (int64_t a = 0; a < basis_.colors; ++a) z_[a] = (a == label ? 1 : 0) - (cavity_ ? 0 : p[a]);
  basis_.project(z_.data(), score_.data());
  double square = 0, along = 0;
  for (int64_t c = 0; c < basis_.rank; ++c) {
    square += f[c] * f[c];
    along += f[c] * score_[c];
  }
  mean.v_hat += weight * response.stiffness;
  mean.q_hat += weight * square;
  mean.m_hat += weight * along;
  mean.train += weight * response.loss;
}

Averages PottsSolver::given_label(const Overlaps &o) {
  const int64_t q = basis_.colors, d = basis_.rank, labels = FieldPoints::labels(basis_);
  const bool draws = FieldPoints::draws(basis_);
  const double width = std::sqrt(o.q), share = 1 / static_cast<double>(labels);
  Averages mean;
  for (int64_t k = 0; k < points_.count; ++k) {
    if (!(points_.weights[k] > 0)) continue;
    const double place = std::erfc(-normals(k)[2 * d] * kHalfRoot) / 2;
    for (int64_t j = 0; j < labels; ++j) {
      const int64_t a = draws ? drawn(k, (static_cast<double>(j) + place) * share) : j;
      const double weight = points_.weights[k] * (draws ? share : probabilities(k)[a]);
      place_fields(k, a, o.m, width);
      basis_.fields(omega_.data(), z_.data());
      const Softmax softmax(z_.data(), q, p_.data());
      mean.test += weight * softmax.loss(z_.data(), a);
      add(k, a, weight, o, points_.starts.data() + (k * labels + j) * q, mean);
    }
  }
  return mean;
}

Averages PottsSolver::given_fields(const Overlaps &o) {
  const int64_t q = basis_.colors, d = basis_.rank, labels = FieldPoints::labels(basis_);
  const bool draws = FieldPoints::draws(basis_);
  const double on_teacher = o.slope * std::sqrt(teacher()), rest = std::sqrt(o.noise);
  Averages mean;
  for (int64_t k = 0; k < points_.count; ++k) {
    const double *x = normals(k), *p = probabilities(k), weight = points_.weights[k];
    if (!(weight > 0)) continue;
    for (int64_t c = 0; c < d; ++c) omega_[c] = on_teacher * x[c] + rest * x[d + c];
    basis_.fields(omega_.data(), z_.data());
    const Softmax softmax(z_.data(), q, p_.data());
    for (int64_t a = 0; a < q; ++a) mean.test += weight * p[a] * softmax.loss(z_.data(), a);
    double *start = points_.starts.data() + k * labels * q;
    const double share = 1 / static_cast<double>(labels), place = std::erfc(-x[2 * d] * kHalfRoot) / 2;
    for (int64_t j = 0; j < labels; ++j) {
      const int64_t a = draws ? drawn(k, (static_cast<double>(j) + place) * share) : j;
      add(k, a, weight * (draws ? share : p[a]), o, start + j * q, mean);
    }
  }
  return mean;
}

// The minimum has at most the energy of w = 0. With too few points there are fixed points beside it, where labels are nearly separable.
bool PottsSolver::lowers(const Row &row) const {
  constexpr double kRoom = 1e-3;
  return row.free_energy <= samples_per_parameter() * std::log(static_cast<double>(basis_.colors)) * (1 + kRoom);
}

Row PottsSolver::row_at(const SaddlePoint &hats, double residual) {
  const Overlaps o = overlaps(hats);
  const Averages mean = averages(o);
  return row_of(hats, o, mean, residual, samples_per_parameter() * mean.train);
}

Row PottsSolver::solve() {
  SaddlePoint hats = beginning();
  double residual = fixed_point(hats, kFirstSteps);
  Row row = row_at(hats, residual);
  if (!(residual <= kNearRounding && lowers(row))) {
    residual = descend(hats);
    row = row_at(hats, residual);
  }
  if (!diverged() && !(residual <= kNearRounding && lowers(row)))
    row.outcome = iterations() < max_iter() ? ATP_OUTCOME_STALLED : ATP_OUTCOME_MAX_ITER;
  return row;
}

// A grid of the trapezoidal rule in two normal numbers, moved by a random shift: for analytic functions it converges exponentially.
void place_grid(uint64_t seed, int64_t shift, FieldPoints &points) {
  constexpr int64_t kDimensions = 3;
  normal_points(1, kDimensions, 1, seed, shift, points.normals.sub(0, kDimensions));
  double move[2];
  for (int j = 0; j < 2; ++j) move[j] = std::erfc(-points.normals[j] * kHalfRoot) / 2;
  const int64_t side = static_cast<int64_t>(std::sqrt(static_cast<double>(points.count)));
  const double spacing = 2 * kGridRange / static_cast<double>(side);
  for (int64_t k = 0; k < points.count; ++k) {
    double weight = k < side * side ? 1 : 0;
    for (int j = 0; j < 2; ++j) {
      const double x = spacing * (static_cast<double>(j == 0 ? k / side : k % side) + move[j]) - kGridRange;
      points.normals[k * kDimensions + j] = x;
      weight *= spacing * kInverseRootTwoPi * std::exp(-x * x / 2);
    }
    points.normals[k * kDimensions + 2] = 0;
    points.weights[k] = weight;
  }
}

}  // namespace

void place_points(const FieldBasis &basis, int64_t multiplier, uint64_t seed, int64_t shift, FieldPoints &points) {
  if (basis.rank == 1 && !FieldPoints::draws(basis)) return place_grid(seed, shift, points);
  normal_points(points.count, FieldPoints::dimensions(basis), multiplier, seed, shift, points.normals);
  std::fill(points.weights.begin(), points.weights.end(), 1 / static_cast<double>(points.count));
}

Row solve_potts(const Spectrum &spectrum, const FieldBasis &basis, FieldPoints &points, const PottsRow &at, Span<double> work,
                double &optimum) {
  PottsSolver solver(spectrum, basis, points, {3, at.alpha, at.lambda, kTolerance, at.max_iter}, at.cavity, work);
  optimum = solver.label();
  return solver.solve();
}

namespace {

// The work space of one thread.
struct Workspace {
  FieldPoints points;
  Span<double> work;
};

struct Solved {
  Row row;
  double optimum;
};

struct Memory {
  Memory(const Context &context, const PottsProblem &of, int64_t n) : curve(of), n_alphas(n), threads(context.threads) {
    bound.colors = curve.colors;
    bound.rank = curve.colors - 1;
  }
  void lay_out(Arena &arena) {
    basis = arena.take<double>(basis_workspace(curve.colors));
    solved = arena.take<Solved>(n_alphas, curve.shifts);
    workspaces = arena.take<Workspace>(threads);
    for (int64_t k = 0; k < threads; ++k) {
      Workspace w;
      w.points.count = curve.points;
      w.points.normals = arena.take<double>(curve.points, FieldPoints::dimensions(bound));
      w.points.weights = arena.take<double>(curve.points);
      w.points.probabilities = arena.take<double>(curve.points, curve.colors);
      w.points.starts = arena.take<double>(curve.points, FieldPoints::labels(bound), curve.colors);
      w.work = arena.take<double>(PottsSample::workspace(bound) + 4 * curve.colors);
      if (!arena.measuring()) workspaces[k] = w;
    }
  }

  const PottsProblem &curve;
  int64_t n_alphas, threads;
  FieldBasis bound;  // the largest rank
  Span<double> basis;
  Span<Solved> solved;  // [n_alphas][shifts]
  Span<Workspace> workspaces;
};

// The work of a call, alpha by alpha: as many shifts at a time as there are threads in all ranks.
class Items {
 public:
  Items(Context &context, const Memory &memory, const double *alphas)
      : context_(context),
        memory_(memory),
        alphas_(alphas),
        curve_(memory.curve),
        basis_(field_basis(curve_.covariance, curve_.colors, memory.basis)),
        multiplier_(korobov_multiplier(curve_.points, FieldPoints::dimensions(basis_), memory.workspaces[0].points.weights)),
        workers_(context.threads) {
    context.ranks.sum(&workers_, 1);
  }
  int64_t done() const { return done_; }
  void next() {
    const int64_t count = std::min(workers_, memory_.n_alphas * curve_.shifts - done_);
    shared_for(context_.ranks, context_.threads, count, [&](int64_t item, int thread) { solve(done_ + item, memory_.workspaces[thread]); });
    context_.ranks.gather(memory_.solved.data() + done_, count, sizeof(Solved));
    done_ += count;
  }

 private:
  void solve(int64_t item, const Workspace &workspace) {
    FieldPoints points = workspace.points;
    place_points(basis_, multiplier_, curve_.seed, item % curve_.shifts, points);
    Solved &solved = memory_.solved[item];
    solved.row =
        solve_potts(curve_.spectrum, basis_, points, {alphas_[item / curve_.shifts], curve_.lambda, curve_.max_iter, curve_.cavity},
                    workspace.work, solved.optimum);
  }

  Context &context_;
  const Memory &memory_;
  const double *alphas_;
  const PottsProblem &curve_;
  FieldBasis basis_;
  int64_t multiplier_, workers_, done_ = 0;
};

// The mean row, or that of the first shift that did not converge.
Row mean_row(Span<const Solved> shifts) {
  for (const Solved &s : shifts)
    if (s.row.outcome != static_cast<double>(ATP_OUTCOME_CONVERGED)) return s.row;
  Row row = shifts[0].row;
  const auto over_shifts = [&](double Row::*number) { return mean_error(shifts, [&](const Solved &s) { return s.row.*number; }); };
  for (double Row::*number : {&Row::q, &Row::m, &Row::v, &Row::q_hat, &Row::m_hat, &Row::v_hat, &Row::kappa, &Row::norm, &Row::free_energy})
    row.*number = over_shifts(number).mean;
  for (double Row::*number : {&Row::eg, &Row::et}) {
    const MeanError loss = over_shifts(number);
    row.*number = loss.mean;
    row.quadrature = std::max(row.quadrature, loss.error / loss.mean);
  }
  for (const Solved &s : shifts) {
    row.iterations = std::max(row.iterations, s.row.iterations);
    row.residual = std::max(row.residual, s.row.residual);
  }
  return row;
}

}  // namespace

std::size_t PottsCurve::bytes(const Context &context, const PottsProblem &problem, int64_t n) {
  return bytes_laid_out(Memory(context, problem, n));
}

atp_outcome PottsCurve::fill(const double *alphas, int64_t n, Reporter &reporter, double *rows) {
  const Scratch scratch(context().allocator, bytes(context(), problem_, n));
  Arena arena = scratch.arena();
  Memory memory(context(), problem_, n);
  memory.lay_out(arena);
  Items items(context(), memory, alphas);
  Heartbeat heartbeat(reporter, static_cast<double>(n));
  atp_outcome outcome = ATP_OUTCOME_CONVERGED;
  const int64_t shifts = problem_.shifts;
  bool stopped = false, cancelled = false;
  for (int64_t k = 0; k < n; ++k) {
    const int64_t end = (k + 1) * shifts;
    while (!stopped && items.done() < end) {
      items.next();
      stopped = items.done() < end && heartbeat.beat();
    }
    cancelled = items.done() < end;
    const Row row = cancelled ? cancelled_row(alphas[k], lambda()) : mean_row(memory.solved.sub(k * shifts, shifts));
    std::memcpy(rows + k * ATP_REPLICA_COLUMNS, &row, sizeof row);
    if (cancelled) continue;
    if (outcome == ATP_OUTCOME_CONVERGED) outcome = static_cast<atp_outcome>(static_cast<int>(row.outcome));
    if (!stopped) stopped = heartbeat.step();
  }
  optimum_ = 0;
  for (int64_t s = 0; s < shifts; ++s) optimum_ += memory.solved[s].optimum / static_cast<double>(shifts);
  return cancelled ? ATP_OUTCOME_CANCELLED : outcome;
}

}  // namespace atp::replica
