// SPDX-License-Identifier: MIT
// Learning curves: the limit, a finite system against its eigendecomposition alone, and simulation.
//   BLIS_ARCH_TYPE=... bench_replica      the kernels that `attopotts info` shows, see docs/performance.md
#include "math/linalg/lapack.hpp"
#include "theory/replica/simulate.hpp"
#include "theory/replica/inputs.hpp"
#include "theory/replica/square.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace {

using namespace atp;
using namespace atp::replica;

std::size_t index(int64_t n) { return static_cast<std::size_t>(n); }

struct System {
  explicit System(int64_t sites) : p(sites - 1), covariance(index(p * p)), teacher(index(p)) {
    std::vector<double> precision(index(sites * sites)), work(index(mask_workspace(sites)));
    fill_goe(sites, 2.5, 1, precision.data());
    noise = mask_precision(precision.data(), sites, 0, covariance.data(), teacher.data(), work.data());
  }
  int64_t p;
  std::vector<double> covariance, teacher;
  double noise;
};

std::vector<double> spaced(double low, double high, int count) {
  std::vector<double> values;
  for (int k = 0; k < count; ++k) values.push_back(low + (high - low) * k / (count - 1));
  return values;
}

void limit_curve(benchmark::State &state) {
  const std::vector<double> alphas = spaced(0.004, 4, static_cast<int>(state.range(0)));
  const Limit limit(2.5);
  for (auto _ : state)
    for (double alpha : alphas) benchmark::DoNotOptimize(limit.solve(alpha, 1e-8, 0).eg);
}
BENCHMARK(limit_curve)->Arg(1000)->Unit(benchmark::kMillisecond);

void eigendecomposition(benchmark::State &state) {
  const System system(state.range(0));
  std::vector<double> a, values(index(system.p)), work(index(symmetric_eigen_workspace(system.p)));
  for (auto _ : state) {
    a = system.covariance;
    if (!symmetric_eigen(system.p, a.data(), values.data(), work.data())) state.SkipWithError("no convergence");
  }
}
BENCHMARK(eigendecomposition)->Arg(1000)->Unit(benchmark::kMillisecond)->MinTime(2);

// A curve of 100 alphas from the covariance on, and from the precision on.
void finite_curve(benchmark::State &state, bool masking) {
  const int64_t sites = state.range(0), p = sites - 1;
  const std::vector<double> alphas = spaced(0.04, 4, 100);
  System system(sites);
  std::vector<double> precision(index(sites * sites)), s(index(p)), t(index(p));
  std::vector<double> work(index(std::max(mask_workspace(sites), spectrum_workspace(p))));
  fill_goe(sites, 2.5, 1, precision.data());
  for (auto _ : state) {
    if (masking) mask_precision(precision.data(), sites, 0, system.covariance.data(), system.teacher.data(), work.data());
    replica::spectrum(system.covariance.data(), system.teacher.data(), p, s.data(), t.data(), work.data());
    const Spectrum given{s.data(), t.data(), p, system.noise};
    const SpectrumMoments known = moments(given);
    for (double alpha : alphas) benchmark::DoNotOptimize(solve_square(given, known, alpha, 1e-8, 0).eg);
  }
}
BENCHMARK_CAPTURE(finite_curve, from_covariance, false)->Arg(1000)->Unit(benchmark::kMillisecond)->MinTime(2);
BENCHMARK_CAPTURE(finite_curve, from_precision, true)->Arg(1000)->Unit(benchmark::kMillisecond)->MinTime(2);

void saddle_curve(benchmark::State &state) {
  const System system(state.range(0));
  std::vector<double> s(index(system.p)), t(index(system.p)), work(index(spectrum_workspace(system.p)));
  replica::spectrum(system.covariance.data(), system.teacher.data(), system.p, s.data(), t.data(), work.data());
  const Spectrum given{s.data(), t.data(), system.p, system.noise};
  const SpectrumMoments known = moments(given);
  for (auto _ : state)
    for (double alpha : spaced(0.04, 4, 100)) benchmark::DoNotOptimize(solve_square_saddle(given, known, alpha, 1e-8, 0, 10000).eg);
}
BENCHMARK(saddle_curve)->Arg(1000)->Unit(benchmark::kMillisecond);

void *plain_alloc(std::size_t bytes, std::size_t alignment, void *) {
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}
void plain_free(void *memory, std::size_t, void *) { std::free(memory); }

// 30 realisations at 40 alphas up to 4; arguments: sites, threads.
void simulation(benchmark::State &state) {
  const System system(state.range(0));
  Context context(plain_alloc, plain_free, nullptr);
  context.threads = static_cast<int>(state.range(1));
  const std::vector<double> alphas = spaced(0.1, 4, 40);
  std::vector<double> rows(alphas.size() * ATP_REPLICA_SIM_COLUMNS);
  const Simulation plan{system.covariance.data(), system.teacher.data(), system.p, system.noise, alphas.data(), 40, 1e-8, 30, 1};
  for (auto _ : state) {
    StopFlag stop;
    Reporter reporter(nullptr, nullptr, stop);
    benchmark::DoNotOptimize(simulate(context, plan, reporter, rows.data()));
  }
}
BENCHMARK(simulation)->Args({400, 1})->Args({400, 2})->Unit(benchmark::kSecond)->Iterations(1)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
