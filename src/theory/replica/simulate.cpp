// SPDX-License-Identifier: MIT
// A task is one realisation at one alpha. It writes only to its own memory, so the numbers do not depend on the
// number of threads.
#include "theory/replica/simulate.hpp"

#include "base/progress.hpp"
#include "base/team.hpp"
#include "math/linalg/lapack.hpp"
#include "math/mean_error.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace atp::replica {

namespace {

constexpr double kSlice = 1e8;                            // M p^2 of all realisations of a thread between reports
constexpr int64_t kMostNumbers = (int64_t{1} << 33) - 2;  // the generator counts its places in 32 bits, two numbers each

// Inputs of a sample: p numbers, or p for each dimension of the fields.
int64_t numbers_of(const Simulation &simulation) { return simulation.p * std::max<int64_t>(1, simulation.colors - 1); }

// Normal numbers for the test loss.
double tested_of(const Simulation &simulation) {
  return 2 * static_cast<double>(simulation.colors) * static_cast<double>(simulation.tests);
}

int64_t samples_of(const Simulation &simulation, double alpha) {
  const int64_t p = simulation.p;
  const double samples = std::fmax(1.0, std::round(alpha * static_cast<double>(p)));
  if (samples + static_cast<double>(p) > static_cast<double>(kMostRows) ||
      samples * static_cast<double>(numbers_of(simulation) + 1) + tested_of(simulation) > static_cast<double>(kMostNumbers))
    fail(ATP_E_TOO_LARGE, "alpha %g of %lld parameters is %g samples, more than can be drawn", alpha, static_cast<long long>(p), samples);
  return static_cast<int64_t>(samples);
}

// The least squares problem of M samples of p inputs. M >= p: min |[y; 0] - [X; sqrt(Lambda) I] w|. M < p: the
// smallest (w, u) with X w + sqrt(Lambda) u = y. Both minimise |y - X w|^2 + Lambda |w|^2; for Lambda = 0 they
// give the minimum of smallest |w|.
struct Shape {
  Shape(int64_t samples, int64_t p, double lambda) : m(samples) {
    const bool wide = samples < p, bare = lambda == 0;
    rows = wide || bare ? samples : samples + p;
    columns = !wide || bare ? p : p + samples;
  }
  int64_t length() const { return std::max(rows, columns); }
  int64_t m, rows, columns;
};

// Work space of one thread.
struct Workspace {
  Span<double> a, b, work, difference, potts;
};

struct Sizes {
  int64_t a = 0, b = 0, work = 0, potts = 0;
};

Sizes largest(const Simulation &simulation) {
  Sizes sizes;
  for (int64_t k = 0; k < simulation.n_alphas; ++k) {
    const int64_t samples = samples_of(simulation, simulation.alphas[k]);
    if (simulation.colors > 0) {
      sizes.potts = std::max(sizes.potts, potts_learner_workspace(simulation.colors - 1, simulation.colors, simulation.p, samples));
      continue;
    }
    const Shape shape(samples, simulation.p, simulation.lambda);
    sizes.a = std::max(sizes.a, shape.rows * shape.columns);
    sizes.b = std::max(sizes.b, shape.length());
    sizes.work = std::max(sizes.work, least_squares_workspace(shape.rows, shape.columns));
  }
  return sizes;
}

// Draws one realisation and solves it; S = C C^T, C in `factor`.
Losses learn(const Simulation &simulation, const double *factor, int64_t samples, int64_t realisation, const Workspace &workspace) {
  const int64_t p = simulation.p;
  const Shape shape(samples, p, simulation.lambda);
  const double penalty = simulation.lambda * static_cast<double>(p), root = std::sqrt(penalty);
  double *a = workspace.a.data(), *b = workspace.b.data(), *difference = workspace.difference.data();
  std::fill(a, a + shape.rows * shape.columns, 0.0);
  std::fill(b, b + shape.length(), 0.0);

  // X = Z C^T, y = X w* + noise.
  Normals normals(simulation.seed, static_cast<uint64_t>(realisation), static_cast<uint64_t>(samples));
  for (int64_t j = 0; j < p; ++j)
    for (int64_t i = 0; i < samples; ++i) a[i + j * shape.rows] = normals.next();
  multiply_right_lower_transposed(samples, p, factor, a, shape.rows);
  multiply(samples, p, a, shape.rows, simulation.teacher, b);
  const double deviation = std::sqrt(simulation.noise);
  for (int64_t i = 0; i < samples; ++i) b[i] += deviation * normals.next();

  const bool wide = shape.columns > p, tall = shape.rows > samples;
  for (int64_t j = 0; tall && j < p; ++j) a[samples + j + j * shape.rows] = root;
  for (int64_t i = 0; wide && i < samples; ++i) a[i + (p + i) * shape.rows] = root;
  if (!least_squares(shape.rows, shape.columns, a, b, workspace.work.data())) return {std::nan(""), std::nan("")};

  // w is in b[0..p). After it comes u, sqrt(Lambda) u = y - X w, or the residual of all equations.
  double size = 0, rest = 0;
  for (int64_t j = 0; j < p; ++j) {
    difference[j] = b[j] - simulation.teacher[j];
    size += b[j] * b[j];
  }
  for (int64_t i = p; i < shape.length(); ++i) rest += b[i] * b[i];
  const double error = shape.columns > shape.rows ? (wide ? penalty * rest : 0) : std::fmax(0.0, rest - (tall ? penalty * size : 0));
  multiply_lower(true, p, factor, difference);
  double loss = simulation.noise;
  for (int64_t j = 0; j < p; ++j) loss += difference[j] * difference[j];
  return {loss, error / static_cast<double>(samples)};
}

// The memory of a run.
struct Memory {
  Memory(int threads, const Simulation &simulation)
      : workspaces(threads),
        sizes(largest(simulation)),
        p(simulation.p),
        realisations(simulation.realisations),
        colors(simulation.colors) {}
  void lay_out(Arena &arena) {
    factor = arena.take<double>(p, p);
    eg = arena.take<double>(realisations);
    et = arena.take<double>(realisations);
    a = arena.take<double>(workspaces, sizes.a);
    b = arena.take<double>(workspaces, sizes.b);
    work = arena.take<double>(workspaces, sizes.work);
    difference = arena.take<double>(workspaces, p);
    potts = arena.take<double>(workspaces, sizes.potts);
    basis_work = arena.take<double>(basis_workspace(colors));
  }
  Workspace workspace(int64_t k) const {
    return {a.sub(k * sizes.a, sizes.a), b.sub(k * sizes.b, sizes.b), work.sub(k * sizes.work, sizes.work), difference.sub(k * p, p),
            potts.sub(k * sizes.potts, sizes.potts)};
  }

  int64_t workspaces;
  Sizes sizes;
  int64_t p, realisations, colors;
  Span<double> factor, eg, et, a, b, work, difference, potts, basis_work;
  FieldBasis basis;  // of a conditional logit
};

// All realisations of an alpha; false where the run was stopped before the last.
// The realisations of a round are shared out by rank.
bool learn_all(Context &context, const Simulation &simulation, int64_t samples, const Memory &memory, Heartbeat &heartbeat) {
  const double numbers = static_cast<double>(samples) * static_cast<double>(simulation.p) * static_cast<double>(numbers_of(simulation));
  int64_t workers = context.threads;
  context.ranks.sum(&workers, 1);
  const int64_t slice = workers * std::max<int64_t>(1, static_cast<int64_t>(kSlice / numbers)), n = simulation.realisations;
  for (int64_t first = 0; first < n; first += slice) {
    const int64_t count = std::min(slice, n - first);
    shared_for(context.ranks, context.threads, count, [&](int64_t task, int thread) {
      const Workspace work = memory.workspace(thread);
      const Losses losses = memory.colors > 0
                                ? learn_potts(simulation, memory.basis, memory.factor.data(), samples, first + task, work.potts)
                                : learn(simulation, memory.factor.data(), samples, first + task, work);
      memory.eg[first + task] = losses.eg;
      memory.et[first + task] = losses.et;
    });
    context.ranks.gather(memory.eg.data() + first, count, sizeof(double));
    context.ranks.gather(memory.et.data() + first, count, sizeof(double));
    if (first + slice < n && heartbeat.beat()) return false;
  }
  return true;
}

}  // namespace

std::size_t simulation_bytes(const Context &context, const Simulation &simulation) {
  return bytes_laid_out(Memory(context.threads, simulation));
}

atp_outcome simulate(Context &context, const Simulation &simulation, Reporter &reporter, double *rows) {
  const Scratch scratch(context.allocator, simulation_bytes(context, simulation));
  Arena arena = scratch.arena();
  Memory memory(context.threads, simulation);
  memory.lay_out(arena);

  const int64_t p = simulation.p;
  std::copy(simulation.covariance, simulation.covariance + p * p, memory.factor.data());
  const int64_t minor = cholesky(p, memory.factor.data());
  if (minor != 0)
    fail(ATP_E_VALUE, "covariance is not positive definite: its leading minor of order %lld is not positive",
         static_cast<long long>(minor));

  if (simulation.colors > 0) memory.basis = field_basis(simulation.fields, simulation.colors, memory.basis_work);

  Heartbeat heartbeat(reporter, static_cast<double>(simulation.n_alphas) * static_cast<double>(simulation.realisations));
  atp_outcome outcome = ATP_OUTCOME_CONVERGED;
  bool cancelled = false;
  for (int64_t k = 0; k < simulation.n_alphas; ++k) {
    const int64_t samples = samples_of(simulation, simulation.alphas[k]);
    SimRow row;
    row.samples = static_cast<double>(samples);
    row.alpha = row.samples / static_cast<double>(p);
    row.eg = row.eg_sem = row.et = row.et_sem = std::nan("");
    if (!cancelled) cancelled = !learn_all(context, simulation, samples, memory, heartbeat);
    if (!cancelled) {
      const MeanError eg = mean_error(memory.eg), et = mean_error(memory.et);
      row.eg = eg.mean;
      row.eg_sem = eg.error;
      row.et = et.mean;
      row.et_sem = et.error;
      row.realisations = static_cast<double>(simulation.realisations);
      if (!std::isfinite(row.eg) || !std::isfinite(row.et)) outcome = ATP_OUTCOME_DIVERGED;
      // A stop request after the last alpha has no effect: the run is complete.
      cancelled = heartbeat.step(row.realisations) && k + 1 < simulation.n_alphas;
    }
    std::memcpy(rows + k * ATP_REPLICA_SIM_COLUMNS, &row, sizeof row);
  }
  return cancelled ? ATP_OUTCOME_CANCELLED : outcome;
}

}  // namespace atp::replica
