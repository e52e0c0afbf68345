// SPDX-License-Identifier: MIT
#include "learn/likelihood/model_chains.hpp"

#include "base/philox.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

constexpr int64_t kRandomSweeps = 10;  // chains from random colours make so many times the sweeps

ModelShape model_shape(const DenseShape &pairs) {
  ModelShape shape;
  shape.sites = pairs.sites;
  shape.colors = pairs.colors;
  shape.fields = true;
  shape.pairs = pairs.lists == nullptr ? 0 : pairs.pairs();
  return shape;
}

}  // namespace

ModelChains::ModelChains(Context *owner, const DenseShape &pairs, const BoltzmannSettings &settings, uint64_t seed)
    : context_(owner),
      pairs_(pairs),
      settings_(settings),
      seed_(seed),
      model_(model_shape(pairs), owner->target),
      persistent_(owner, model_.shape, settings.room(), 0, seed, false),
      fresh_(owner, model_.shape, settings.rungs * 2 * kFreshGroups * kGibbsLanes, static_cast<uint64_t>(persistent_.lanes()), seed, false),
      exchange_(pairs, model_.shape, settings.rungs, 2 * kFreshGroups, seed),
      annealed_(owner, pairs, model_.shape, static_cast<uint64_t>(persistent_.lanes() + fresh_.lanes()), seed),
      groups_(persistent_.groups()) {}

void ModelChains::lay_out(Arena &arena) {
  model_.lay_out(arena);
  persistent_.lay_out(arena);
  fresh_.lay_out(arena);
  exchange_.lay_out(arena);
  annealed_.lay_out(arena);
  weight_sums_ = arena.take<double>(pairs_.count);
  starts_ = arena.take<int64_t>(kFreshGroups, kGibbsLanes);
  overlaps_ = arena.take<double>(pairs_.sites);
  largest_ = arena.take<double>(pairs_.sites);
}

void ModelChains::init(const Alignment &family, const Statistics &statistics, int64_t chains) {
  family_ = &family;
  for (int64_t i = 0; model_.shape.of_list() && i < pairs_.sites; ++i) model_.set_neighbors(i, pairs_.lists->neighbors(i));
  groups_ = (chains + kGibbsLanes - 1) / kGibbsLanes;
  double sum = 0;
  for (int64_t n = 0; n < family.count(); ++n) weight_sums_[n] = sum += family.weights[n];
  std::fill(persistent_.scaled_betas.begin(), persistent_.scaled_betas.end(), scaled_beta(1));
  exchange_.init(statistics);
  const int64_t rung = 2 * kFreshGroups * kGibbsLanes;
  for (int64_t r = 0; r < fresh_.lanes(); ++r) fresh_.scaled_betas[r] = scaled_beta(exchange_.time(r / rung));
}

bool ModelChains::fill(Span<const double> point) {
  const int64_t L = pairs_.sites, q = pairs_.colors;
  const double *couplings = point.data() + L * q;
  const Threads threads = persistent_.threads();
  parallel_for(threads, L, [&](int64_t i, int) {
    double most = 0;
    for (int64_t a = 0; a < q; ++a) most = std::fmax(most, std::fabs(point[i * q + a]));
    for (int64_t k = pairs_.first_pair(i) * q * q; k < pairs_.first_pair(i + 1) * q * q; ++k)
      most = std::fmax(most, std::fabs(couplings[k]));
    largest_[i] = most;
  });
  if (!(static_cast<double>(L + 1) * *std::max_element(largest_.begin(), largest_.end()) <= kLargestField)) return false;
  parallel_for(threads, L, [&](int64_t i, int) {
    for (int64_t a = 0; a < q; ++a) model_.put_field(i, a, point[i * q + a]);
    for (int64_t k = 0; k < pairs_.degree(i); ++k) {
      const double *block = couplings + pairs_.pair(i, k) * q * q;
      const int64_t down = k < pairs_.below(i) ? 1 : q, right = k < pairs_.below(i) ? q : 1;
      if (model_.shape.of_list())
        model_.put_neighbor(i, k, block, down, right);
      else
        model_.put_block(i, pairs_.neighbor(i, k), block, down, right);
    }
  });
  point_ = point;
  return true;
}

// Ranks have a part of each segment, so that all have as much to do.
int64_t ModelChains::sweep(Chains &chains, Span<const Segment> segments) {
  Ranks &ranks = context_->ranks;
  const auto first_of = [&](const Segment &s, int64_t rank) { return s.first + ranks.first(rank, s.end - s.first); };
  const auto pieces = [&](const Segment &s, int64_t &size) {
    const int64_t own = first_of(s, ranks.rank() + 1) - first_of(s, ranks.rank()), team = chains.threads();
    size = std::max<int64_t>(1, std::min(chains.share(), (own + team - 1) / team));
    return (own + size - 1) / size;
  };
  int64_t tasks = 0, size = 0, most = 0, all = 0;
  for (const Segment &s : segments)
    tasks += pieces(s, size), most = std::max(most, s.sweeps), all += (s.end - s.first) * kGibbsLanes * s.sweeps;
  parallel_for(chains.threads(), tasks, [&](int64_t task, int thread) {
    int64_t step = 0;
    for (const Segment &s : segments) {
      const int64_t n = pieces(s, step);
      if (task >= n) {
        task -= n;
        continue;
      }
      const int64_t from = first_of(s, ranks.rank()) + task * step, to = std::min(first_of(s, ranks.rank() + 1), from + step);
      if (s.random) chains.start_random(from, to, static_cast<uint64_t>(clock_));
      GibbsTables tables = model_.tables();
      if (s.fields != nullptr) tables.fields = s.fields;
      chains.sweep(tables, clock_, s.sweeps, from, to, thread);
      return;
    }
  });
  clock_ += most;
  if (!ranks.several()) return all;
  const int64_t bytes = pairs_.sites * kGibbsLanes;
  for (const Segment &s : segments) {
    for (int64_t r = 0; r < ranks.size(); ++r) ranks.ends()[r] = (first_of(s, r + 1) - s.first) * bytes;
    ranks.gather(chains.colors.data() + s.first * bytes, ranks.ends());
  }
  return all;
}

// The training sequence that a chain starts from now.
int64_t ModelChains::drawn(int64_t chain, int64_t clock) const {
  const double total = weight_sums_[weight_sums_.size() - 1];
  const double at = total * RandomView(seed_, Stream::family, static_cast<uint64_t>(chain), static_cast<uint64_t>(clock)).uniform(0);
  const auto found = std::upper_bound(weight_sums_.begin(), weight_sums_.end(), at) - weight_sums_.begin();
  return std::min<int64_t>(found, weight_sums_.size() - 1);
}

void ModelChains::restart() {
  clock_ = 0;
  start_at_family();
}

void ModelChains::start_at_family() {
  for (int64_t r = 0; r < count(); ++r) persistent_.put(r, family_->sequence(drawn(r, clock_)));
}

void ModelChains::put(const Alignment &sequences) {
  for (int64_t r = 0; r < count(); ++r) persistent_.put(r, sequences.sequence(r % sequences.count()));
}

int64_t ModelChains::advance(int64_t sweeps) {
  if (settings_.start == ATP_CHAIN_START_DATA) start_at_family();
  const bool all = settings_.start == ATP_CHAIN_START_RANDOM;
  const auto random = all ? groups_ : static_cast<int64_t>(std::lround(settings_.random_chains * static_cast<double>(groups_)));
  const Segment segments[] = {{0, random, (all ? 1 : kRandomSweeps) * sweeps, true}, {random, groups_, sweeps, false}};
  return sweep(persistent_, {segments, 2});
}

void ModelChains::start_fresh() {
  exchanging_ = false;
  fresh_.start_random(0, kFreshGroups, static_cast<uint64_t>(clock_));
  for (int64_t c = 0; c < starts_.size(); ++c) {
    starts_[c] = drawn(persistent_.lanes() + starts_.size() + c, clock_);
    fresh_.put(starts_.size() + c, family_->sequence(starts_[c]));
  }
}

void ModelChains::start_exchange() {
  exchanging_ = true;
  exchange_.reset();
  exchange_.fill(point_, fresh_.threads());
  const int64_t rung = 2 * kFreshGroups * kGibbsLanes * pairs_.sites;
  for (int64_t r = 1; r < rungs(); ++r) std::copy_n(fresh_.colors.data(), rung, fresh_.colors.data() + r * rung);
}

int64_t ModelChains::sweep_fresh(int64_t sweeps) {
  if (exchanging_) return sweep_ladders(sweeps);
  const Segment all[] = {{0, 2 * kFreshGroups, sweeps}};
  return sweep(fresh_, {all, 1});
}

int64_t ModelChains::sweep_ladders(int64_t sweeps) {
  constexpr int64_t kGroups = 2 * kFreshGroups;
  int64_t work = 0;
  for (int64_t done = 0; done < sweeps; done += kExchangeInterval) {
    Segment all[Exchange::kMostRungs];
    for (int64_t r = 0; r < rungs(); ++r)
      all[r] = {r * kGroups, (r + 1) * kGroups, std::min(kExchangeInterval, sweeps - done), false, exchange_.fields(r)};
    work += sweep(fresh_, {all, rungs()});
    exchange_.swap(point_, clock_ / kExchangeInterval, fresh_.colors.data(), fresh_.threads());
  }
  return work;
}

double ModelChains::remembered() {
  const int64_t L = pairs_.sites, n = starts_.size();
  Span<double> independent = largest_;
  parallel_for(fresh_.threads(), L, [&](int64_t i, int) {
    int64_t equal = 0, before[kMaxColors] = {}, now[kMaxColors] = {};
    for (int64_t c = 0; c < n; ++c) {
      const uint8_t was = family_->sequence(starts_[c])[i];
      const uint8_t is = natural()[(c / kGibbsLanes * L + i) * kGibbsLanes + c % kGibbsLanes];
      equal += was == is ? 1 : 0;
      ++before[was];
      ++now[is];
    }
    double sum = 0;
    for (int64_t a = 0; a < pairs_.colors; ++a) sum += static_cast<double>(before[a]) * static_cast<double>(now[a]);
    overlaps_[i] = static_cast<double>(equal) / static_cast<double>(n);
    independent[i] = sum / (static_cast<double>(n) * static_cast<double>(n));
  });
  double same = 0, expected = 0;
  for (int64_t i = 0; i < L; ++i) same += overlaps_[i], expected += independent[i];
  const double sites = static_cast<double>(L);
  return expected < sites ? (same - expected) / (sites - expected) : 0;
}

bool ModelChains::anneal(int64_t steps, Reporter &reporter, Estimate &out) {
  return annealed_.run({model_.tables(), point_, exchange_.log_f(), steps, clock_}, reporter, out);
}

void ModelChains::adopt_fresh() {
  const int64_t bytes = pairs_.sites * kGibbsLanes, n = std::min(groups_, 2 * kFreshGroups), first = groups_ - n;
  for (int64_t g = 0; g < n; ++g)
    std::copy_n((g % 2 == 0 ? random() : natural()) + g / 2 * bytes, bytes, persistent_.colors.data() + (first + g) * bytes);
}

}  // namespace atp
