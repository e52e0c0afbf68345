// SPDX-License-Identifier: MIT
// Energies are followed by the kernels, which add the differences of single draws in single precision. They are computed again in float64
// every kRenewal steps, and at each step near t = 0, where the fields of independent sites are large and hide those of the model.
#include "sample/annealing.hpp"

#include "base/philox.hpp"
#include "sample/sampler.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

constexpr double kReportSeconds = 0.1;
constexpr double kBlockUpdates = 4e5;   // site updates between two looks at clock and stop
constexpr int64_t kGap = 2048;          // floats between the fields of two threads
constexpr int64_t kRenewal = 64;        // steps
constexpr double kRenewedBelow = 0.05;  // t
constexpr int kRunShift = 40;           // sweep k of run r has the number r 2^40 + k

}  // namespace

Annealing::Annealing(Context &context, const Model &model, uint64_t seed, int64_t chains, int64_t measured)
    : context_(context),
      model_(model),
      seed_(seed),
      measured_(measured),
      single_(model.shape, context.target),
      chains_(&context, single_.shape, chains, 0, seed, true),
      field_stride_(round_up(single_.shape.field_floats(), kGibbsLanes) + kGap),
      row_stride_(round_up(model.sites(), static_cast<int64_t>(kAlignment)) + static_cast<int64_t>(kAlignment)),
      scratch_(context.allocator, bytes()) {
  Arena arena = scratch_.arena();
  single_.lay_out(arena);
  chains_.lay_out(arena);
  lay_out(arena, arrays_);
  single_.fill(model);
}

void Annealing::lay_out(Arena &arena, Arrays &arrays) const {
  arrays.log_weights = arena.take<double>(chains());
  arrays.energy_sums = arena.take<double>(chains());
  arrays.moments = arena.take<Moments>(chains_.groups(), measured_ + 1);
  arrays.fields = arena.take<float>(chains_.room(), field_stride_);
  arrays.row = arena.take<uint8_t>(chains_.room(), row_stride_);
}

std::size_t Annealing::bytes() const {
  return bytes_taken([&](Arena &arena) {
    GibbsModel(model_.shape, context_.target).lay_out(arena);
    Chains(chains_).lay_out(arena);
    Arrays arrays;
    lay_out(arena, arrays);
  });
}

bool Annealing::run(const AnnealingPath &path, Reporter &reporter, AnnealingProgress &progress) {
  const Ranks &ranks = context_.ranks;
  const Threads threads = chains_.threads();
  const int64_t first = ranks.first(ranks.rank(), chains_.groups()), end = ranks.first(ranks.rank() + 1, chains_.groups());
  const int64_t fair = (end - first + threads - 1) / threads, size = std::max<int64_t>(1, std::min(chains_.share(), fair));
  const double updates = static_cast<double>(chains()) * static_cast<double>(model_.sites());
  const int64_t block = std::max<int64_t>(1, static_cast<int64_t>(kBlockUpdates / updates)), sweeps = path.sweeps_in_all();
  for (int64_t sweep = 0; sweep < sweeps; sweep += block) {
    const int64_t count = std::min(block, sweeps - sweep);
    parallel_for(threads, (end - first + size - 1) / size, [&](int64_t task, int thread) {
      const int64_t group = first + task * size;
      anneal(path, {sweep, count, group, std::min(end, group + size), thread});
    });
    if (report(count, reporter, progress)) return false;
  }
  gather(path);
  for (double &energy : arrays_.energy_sums) energy /= static_cast<double>(path.hold);
  return true;
}

// Reports progress; returns true if the run must end.
bool Annealing::report(int64_t sweeps, Reporter &reporter, AnnealingProgress &progress) const {
  const auto made = static_cast<double>(sweeps);
  progress.done += made;
  progress.updates += made * static_cast<double>(chains()) * static_cast<double>(model_.sites());
  if (reporter.meet()) return true;
  const double now = reporter.seconds();
  if (!reporter.wanted() || (now - progress.reported < kReportSeconds && progress.done < progress.total)) return false;
  progress.reported = now;
  atp_progress all;
  all.set(ATP_PROGRESS_STEP, progress.done);
  all.set(ATP_PROGRESS_TOTAL, progress.total);
  all.set(ATP_PROGRESS_SITE_UPDATES, progress.updates);
  return reporter.report(all);
}

// Step k has the sweeps k n .. k n + n - 1 of the run, n = path.sweeps. The first draws the start. Steps 0..K - 1 end with the weights,
// K..K + hold - 1 with the energies.
void Annealing::anneal(const AnnealingPath &path, const Part &part) {
  const int64_t end = part.sweep + part.count;
  for (int64_t sweep = part.sweep; sweep < end;) {
    const int64_t step = sweep / path.sweeps, next = std::min(end, (step + 1) * path.sweeps);
    if (step > 0) move(path, {sweep, next - sweep, part.group, part.end_group, part.thread});
    for (int64_t g = part.group; sweep == 0 && g < part.end_group; ++g) start(path, g);
    for (int64_t g = part.group; next % path.sweeps == 0 && g < part.end_group; ++g) weigh(path, step, g, part.thread);
    sweep = next;
  }
}

void Annealing::start(const AnnealingPath &path, int64_t group) {
  const int64_t sites = model_.sites(), colors = model_.colors();
  for (int64_t lane = 0; lane < kGibbsLanes; ++lane) {
    const int64_t chain = group * kGibbsLanes + lane;
    const RandomView random(seed_, Stream::start, static_cast<uint64_t>(chain), static_cast<uint64_t>(path.number));
    for (int64_t i = 0; i < sites; ++i) {
      const double u = random.uniform(static_cast<uint64_t>(i));
      double sum = 0;
      int64_t a = 0;
      while (a + 1 < colors && (sum += std::exp(path.log_profile[i * colors + a])) <= u) ++a;
      chains_.colors[(group * sites + i) * kGibbsLanes + lane] = static_cast<uint8_t>(a);
    }
    arrays_.log_weights[chain] = arrays_.energy_sums[chain] = 0;
  }
}

// The field of site i at t besides that of the model. Its colours count from the first, so that uniform sites have none.
double Annealing::tilt(const AnnealingPath &path, double t, int64_t i, int64_t a) const {
  const double *log_pi = path.log_profile.data() + i * model_.colors();
  return (1 - t) / (t * model_.beta) * (log_pi[a] - log_pi[0]);
}

double Annealing::tilt(const AnnealingPath &path, double t, const uint8_t *sequence) const {
  double sum = 0;
  for (int64_t i = 0; t < 1 && i < model_.sites(); ++i) sum += tilt(path, t, i, sequence[i]);
  return sum;
}

double Annealing::log_start(const AnnealingPath &path, const uint8_t *sequence) const {
  double sum = 0;
  for (int64_t i = 0; i < model_.sites(); ++i) sum += path.log_profile[i * model_.colors() + sequence[i]];
  return sum;
}

const uint8_t *Annealing::read(int64_t chain, int thread) {
  uint8_t *row = arrays_.row.data() + thread * row_stride_;
  chains_.get(chain, row);
  return row;
}

// Sweeps of one step. Within, energies are those of the fields at t; before and after it those of the model.
void Annealing::move(const AnnealingPath &path, const Part &part) {
  const int64_t first = part.group * kGibbsLanes, end = part.end_group * kGibbsLanes, colors = model_.colors();
  const int thread = part.thread;
  const double t = path.times[std::min(part.sweep / path.sweeps, path.times.size() - 1)];
  float *fields = arrays_.fields.data() + thread * field_stride_;
  for (int64_t i = 0; i < model_.sites(); ++i)
    for (int64_t a = 0; a < colors; ++a)
      fields[single_.shape.field_index(i, a)] =
          static_cast<float>((model_.fields.empty() ? 0 : model_.fields[i * colors + a]) + tilt(path, t, i, a));
  GibbsTables tables = single_.tables();
  tables.fields = fields;
  for (int64_t c = first; c < end; ++c) {
    chains_.scaled_betas[c] = scaled_beta(t * model_.beta);
    chains_.energies[c] -= tilt(path, t, read(c, thread));
  }
  chains_.sweep(tables, (path.number << kRunShift) + part.sweep, part.count, part.group, part.end_group, thread);
  for (int64_t c = first; c < end; ++c) chains_.energies[c] += tilt(path, t, read(c, thread));
}

void Annealing::weigh(const AnnealingPath &path, int64_t step, int64_t group, int thread) {
  const int64_t last = path.times.size() - 1;
  const double t = path.times[std::min(step, last)];
  const bool renewed = t < kRenewedBelow || step % kRenewal == 0 || step == last;
  Moments moments{};
  for (int64_t c = group * kGibbsLanes; c < (group + 1) * kGibbsLanes; ++c) {
    const uint8_t *sequence = read(c, thread);
    if (renewed) chains_.energies[c] = energy_of(model_, true, sequence);
    const double u = -model_.beta * chains_.energies[c] - log_start(path, sequence);
    if (step < last)
      arrays_.log_weights[c] += (path.times[step + 1] - t) * u;
    else
      arrays_.energy_sums[c] += chains_.energies[c];
    moments.sum += u;
    moments.squares += u * u;
  }
  if (step <= last && measures(path)) arrays_.moments[group * (measured_ + 1) + step] = moments;
}

double Annealing::deviation(int64_t k) const {
  double sum = 0, squares = 0;
  for (int64_t g = 0; g < chains_.groups(); ++g) {
    const Moments &some = arrays_.moments[g * (measured_ + 1) + k];
    sum += some.sum;
    squares += some.squares;
  }
  const auto n = static_cast<double>(chains());
  return std::sqrt(std::max(0.0, squares / n - sum / n * (sum / n)));
}

void Annealing::log_profile(double pseudocount, Span<double> out) const {
  const int64_t sites = model_.sites(), colors = model_.colors();
  std::fill(out.begin(), out.end(), pseudocount / static_cast<double>(colors));
  for (int64_t g = 0; g < chains_.groups(); ++g)
    for (int64_t i = 0; i < sites; ++i)
      for (int64_t lane = 0; lane < kGibbsLanes; ++lane) out[i * colors + chains_.colors[(g * sites + i) * kGibbsLanes + lane]] += 1;
  const double all = pseudocount + static_cast<double>(chains());
  for (double &p : out) p = std::log(p / all);
}

// Gives all ranks the results of all groups.
void Annealing::gather(const AnnealingPath &path) {
  Ranks &ranks = context_.ranks;
  constexpr auto kLaneBytes = static_cast<int64_t>(kGibbsLanes * sizeof(double));
  ranks.gather(chains_.colors.data(), chains_.groups(), model_.sites() * kGibbsLanes);
  ranks.gather(arrays_.log_weights.data(), chains_.groups(), kLaneBytes);
  ranks.gather(arrays_.energy_sums.data(), chains_.groups(), kLaneBytes);
  if (measures(path)) ranks.gather(arrays_.moments.data(), chains_.groups(), (measured_ + 1) * static_cast<int64_t>(sizeof(Moments)));
}

}  // namespace atp
