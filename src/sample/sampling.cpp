// SPDX-License-Identifier: MIT
#include "sample/sampling.hpp"

#include "base/checked.hpp"
#include "base/checksum.hpp"
#include "sample/diagnostics.hpp"
#include "sample/owned_sampler.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

constexpr int64_t kFirstWindow = 256;  // sweeps
constexpr int64_t kShortThin = 10;     // after a burn-in that is too short to measure
constexpr int64_t kTextSize = 256;
// Tests of replica exchange use the scatter of ladders, which needs two runs of at least two ladders each.
constexpr int64_t kFewestLadders = 4;
constexpr int64_t kLadders = 64;

// The mean of independent numbers and its standard error.
Estimate mean_of(Span<const double> x) {
  const auto n = static_cast<double>(x.size());
  double sum = 0, squares = 0;
  for (const double value : x) sum += value;
  for (const double value : x) squares += (value - sum / n) * (value - sum / n);
  return {sum / n, x.size() > 1 ? std::sqrt(squares / (n * (n - 1))) : 0};
}

}  // namespace

SamplingOptions::SamplingOptions(const Options &o, double model_beta, bool ordered)
    : exact(ordered),
      equilibrium(!ordered && o.integer(ATP_OPT_PROTOCOL) == ATP_PROTOCOL_EQUILIBRIUM),
      seed(static_cast<uint64_t>(o.integer(ATP_OPT_SEED))),
      chains(o.integer(ATP_OPT_CHAINS)),
      first_chain(o.integer(ATP_OPT_FIRST_CHAIN)),
      burn_in(o.integer(ATP_OPT_BURN_IN)),
      thin(o.integer(ATP_OPT_THIN)),
      temperatures(o.integer(ATP_OPT_TEMPERATURES)),
      swap_interval(o.integer(ATP_OPT_SWAP_INTERVAL)),
      beta(o.real(ATP_OPT_BETA) > 0 ? o.real(ATP_OPT_BETA) : model_beta),
      beta_hot(std::max(0.0, o.real(ATP_OPT_BETA_HOT))),
      search_hot(o.real(ATP_OPT_BETA_HOT) < 0),
      annealing(o.integer(ATP_OPT_ANNEALING)),
      kept(o.integer(ATP_OPT_KEPT_COLOR)),
      most(o.integer(ATP_OPT_MAX_MUTATIONS)) {
  if (annealing > 0 && (exact || equilibrium))
    fail(ATP_E_CONFLICT, "annealing is %lld, must be 0 %s", static_cast<long long>(annealing),
         exact ? "of an autoregressive model, which needs no burn-in" : "for ATP_PROTOCOL_EQUILIBRIUM, which has replica exchange instead");
  if (search_hot && !equilibrium)
    fail(ATP_E_CONFLICT, "beta-hot is %g, must be 0 or more without pilot runs, which only ATP_PROTOCOL_EQUILIBRIUM of a Potts model makes",
         o.real(ATP_OPT_BETA_HOT));
  if (annealing > 0 && beta_hot >= beta)
    fail(ATP_E_CONFLICT, "beta-hot is %g, must be below beta, which is %g, for annealing", beta_hot, beta);
  if (chains == 0) chains = exact ? kExactChains : equilibrium ? kLadders : 1;
  if (exact && temperatures > 1)
    fail(ATP_E_CONFLICT,
         "temperatures is %lld, must be 0 or 1: the model is autoregressive, and every sweep draws independent sequences without replica "
         "exchange",
         static_cast<long long>(temperatures));
  if (exact) burn_in = std::max<int64_t>(burn_in, 0), thin = std::max<int64_t>(thin, 1);
  if (!(beta >= 0 && beta <= kMaxBeta)) fail(ATP_E_VALUE, "beta of the model is %g, must be in 0..%g for sampling", beta, kMaxBeta);
  if (equilibrium && chains < kFewestLadders)
    fail(ATP_E_VALUE, "chains is %lld, must be at least %lld for ATP_PROTOCOL_EQUILIBRIUM", static_cast<long long>(chains),
         static_cast<long long>(kFewestLadders));
  if (equilibrium && beta > 0 && beta_hot >= beta) fail(ATP_E_CONFLICT, "beta-hot is %g, must be below beta, which is %g", beta_hot, beta);
  if (equilibrium && first_chain > 0)
    fail(ATP_E_CONFLICT, "first-chain is %lld, must be 0 for ATP_PROTOCOL_EQUILIBRIUM, which compares all chains",
         static_cast<long long>(first_chain));
  if (first_chain > 0 && first_chain + chains > int64_t{1} << 31)
    fail(ATP_E_TOO_LARGE, "first-chain is %lld: %lld chains after it have numbers above 2^31", static_cast<long long>(first_chain),
         static_cast<long long>(chains));
  if (beta_hot == 0) beta_hot = beta / 10;
}

Sampling::Sampling(Context *owner, const ModelShape &model, const SamplingOptions &sampling_options, int64_t sequences)
    : context(owner),
      options(sampling_options),
      shape_(model),
      count_(sequences),
      restriction_(model, sampling_options.kept, sampling_options.most) {}

void Sampling::lay_out(Arena &arena) {
  const int64_t snapshots = options.equilibrium ? kSnapshots : 0, chains = options.chains;
  ladder_.betas = arena.take<double>(options.room());
  ladder_.cold_state = arena.take<uint8_t>(sites());
  restriction_.lay_out(arena);
  starts_ = arena.take<uint8_t>(chains, sites());
  window_states_ = arena.take<uint8_t>(snapshots, chains, sites());
  window_energies_ = arena.take<double>(snapshots, chains);
  sequences_ = arena.take<uint8_t>(rounds(), chains, sites());
  energies_ = arena.take<double>(rounds(), chains);
  work_.overlap.lay_out(arena, std::max(rounds(), snapshots), chains, sites());
  work_.mixing.lay_out(arena, chains, std::max(rounds(), snapshots));
  work_.sums = arena.take<double>(chains);
  work_.text = arena.take<char>(kTextSize);
}

void Sampling::init(const Model &source) {
  if (options.equilibrium && !source.symmetric())
    fail(ATP_E_CONFLICT, "model: ATP_PROTOCOL_EQUILIBRIUM needs an energy, and the couplings are not symmetric");
  const int64_t sweeps = options.thin > 0 ? product_of(options.thin, rounds()) : 0, before = std::max<int64_t>(options.burn_in, 0);
  if (sweeps > kMaxSweeps - before)
    fail(ATP_E_TOO_LARGE, "burn-in and %lld rounds %lld sweeps apart exceed the limit of 2^48 sweeps", static_cast<long long>(rounds()),
         static_cast<long long>(options.thin));
  model_ = copy_model(*context, source);
  model_->beta = options.beta;
  const int64_t numbers[] = {sites(),
                             shape_.colors,
                             shape_.heads,
                             count_,
                             options.chains | options.first_chain << 32,
                             options.burn_in,
                             options.thin,
                             options.temperatures,
                             options.equilibrium ? 1 : 0,
                             options.swap_interval,
                             static_cast<int64_t>(options.seed)};
  const double reals[] = {options.beta, options.beta_hot};
  fingerprint_ = checksum_of(reals, checksum_of(numbers));
  for (const Span<double> part : {source.maps, source.values, source.couplings, source.fields})
    fingerprint_ = checksum_of(part, fingerprint_);
  if (source.shape.pairs > 0) fingerprint_ = checksum_of(source.pair_sites(), fingerprint_);
  if (source.shape.ordered) fingerprint_ = checksum_of(source.order, fingerprint_);
  if (options.search_hot) fingerprint_ = checksum_of(int64_t{-1}, fingerprint_);
  of_options_ = options.annealing > 0 ? checksum_of(options.annealing, fingerprint_) : fingerprint_;
  restrict_to(nullptr);
}

// What a saved state belongs to.
void Sampling::mark() {
  fingerprint_ = restriction_.checksum(of_options_);
  if (started()) fingerprint_ = checksum_of(starts_, fingerprint_);
}

void Sampling::require_new() const {
  if (at_.stage != Stage::ladder || samplers_[0] != nullptr) fail(ATP_E_STAGE, "the run has begun: restrict it and set its start before");
}

void Sampling::restrict_to(const uint8_t *mask) {
  require_new();
  if (started()) fail(ATP_E_STAGE, "the run has its start: restrict it before");
  restriction_.allow(mask, *model_);
  mark();
}

void Sampling::start_from(const uint8_t *sequences, int64_t n) {
  require_new();
  if (options.exact)
    fail(ATP_E_CONFLICT, "sequences: the model is autoregressive, and every sweep draws sequences that do not depend on a start");
  if (options.equilibrium && !restriction_.of_start())
    fail(ATP_E_CONFLICT, "sequences: ATP_PROTOCOL_EQUILIBRIUM does not depend on a start without max-mutations or kept-color");
  if (options.equilibrium && n != 1)
    fail(ATP_E_CONFLICT, "n is %lld, must be 1 for ATP_PROTOCOL_EQUILIBRIUM, which compares all chains", static_cast<long long>(n));
  restriction_.check(sequences, n, "sequences");
  for (int64_t c = 0; c < options.chains; ++c) {
    const int64_t number = options.first_chain + c;  // Sampler::start_from() adds first-chain, too
    std::copy_n(sequences + number % n * sites(), sites(), starts_.begin() + number % options.chains * sites());
  }
  has_starts_ = true;
  mark();
}

void Sampling::end() {
  for (Sampler *&sampler : samplers_) {
    destroy_block(context->allocator, sampler);
    sampler = nullptr;
  }
  destroy_block(context->allocator, model_);
  model_ = nullptr;
}

int64_t Sampling::mutations(int64_t m) const {
  const uint8_t *start = start_of(m % options.chains), *sequence = sequences_.data() + m * sites();
  int64_t n = 0;
  for (int64_t i = 0; i < sites(); ++i) n += start[i] != sequence[i];
  return n;
}

void Sampling::require_done() const {
  if (at_.stage != Stage::done) fail(ATP_E_STAGE, "the run is not finished: call atp_sampling_run() until it does not answer CANCELLED");
}

LadderRequest Sampling::request() const {
  return {options.seed,
          options.beta,
          options.beta_hot,
          options.search_hot,
          options.temperatures,
          options.swap_interval,
          options.first_chain,
          options.kept,
          options.most,
          &restriction_,
          options.equilibrium && started() ? starts_.data() : nullptr};
}

// Seeds of the second run that runs with consecutive seeds do not share.
uint64_t Sampling::seed_of(int run) const { return run == 0 ? options.seed : options.seed ^ 0x5851f42d4c957f2d; }

Sampler *Sampling::make_sampler(int run, Span<const double> betas) const {
  OwnedSampler sampler(*context);
  sampler.reset(sampler_on(*context, *model_, request(), betas, seed_of(run), chains_of(run)));
  if (!options.equilibrium && started()) sampler->start_from(starts_.data(), options.chains);
  return sampler.release();
}

// Without pilot runs: the start, or the first allowed colours.
void Sampling::prepare_cold_state() {
  for (int64_t i = 0; i < sites(); ++i) {
    uint8_t color = 0;
    while (!restriction_.allows(i, color)) ++color;
    ladder_.cold_state[i] = started() ? starts_[i] : color;
  }
}

// The ladder and the samplers. Returns false if the run was stopped.
bool Sampling::prepare(Reporter &reporter) {
  if (restriction_.near() && !started())
    fail(ATP_E_STAGE, "max-mutations is %lld: call atp_sampling_start_from() before the run", static_cast<long long>(options.most));
  Relay relay(reporter, static_cast<double>(kPilotSweeps + (options.search_hot ? kHotSweeps : 0)), updates_);
  if (!options.equilibrium || options.beta <= 0 || options.temperatures == 1) {
    ladder_.rungs = 1;
    ladder_.betas[0] = options.beta;
    prepare_cold_state();
  } else if (!make_ladder(*context, *model_, request(), ladder_, relay)) {
    return false;
  }
  for (int run = 0; run < runs(); ++run)
    if (samplers_[run] == nullptr) samplers_[run] = make_sampler(run, ladder_.betas.sub(0, ladder_.rungs));
  if (options.equilibrium) samplers_[1]->start_cold(ladder_.cold_state.data());
  if (!options.equilibrium) {
    at_.thin = options.thin > 0 ? options.thin : kChainThin;
    at_.window = options.annealing + (options.burn_in >= 0 ? options.burn_in : at_.thin);
  } else {
    at_.window = options.burn_in >= 0 ? options.burn_in : kFirstWindow;
  }
  at_.stage = Stage::burn_in;
  return true;
}

Sampling::Leg Sampling::leg_at(const SamplingPlace &place) const {
  if (place.stage != Stage::burn_in) return {0, place.thin, rounds()};
  // Too short for the test, or nothing to compare.
  if (!options.equilibrium || place.window < 2 * kSnapshots) return {place.window, 0, 0};
  // The test uses the second half of each leg.
  const int64_t spacing = place.window / (2 * kSnapshots);
  return {place.window - kSnapshots * spacing, spacing, kSnapshots};
}

Record Sampling::record(int run, int64_t times) const {
  return {states_at(at_.stage).data(),
          energies_at(at_.stage).data(),
          times,
          run < 0 ? options.chains : chains_of(run),
          sites(),
          first_of(run),
          options.chains};
}

// Sweeps of which the first of all are at changing betas. Returns false if the run was stopped.
bool Sampling::sweep(Sampler &sampler, int64_t count, Relay &relay) const {
  for (const int64_t end = sampler.sweeps() + count; sampler.sweeps() < end;) {
    const int64_t at = sampler.sweeps();
    const bool annealed = at < options.annealing;
    if (options.annealing > 0) {
      const double passed = annealed ? static_cast<double>(at) / static_cast<double>(options.annealing) : 1.0;
      const double beta = annealed ? options.beta_hot + passed * (options.beta - options.beta_hot) : options.beta;
      sampler.set_betas(&beta);
    }
    if (!relay.sweep(sampler, annealed ? 1 : end - at)) return false;
  }
  return true;
}

// The sweeps and read-outs of a leg that are left. Returns false if the run was stopped.
bool Sampling::advance(const Leg &leg, Reporter &reporter) {
  Relay relay(reporter, static_cast<double>(leg.sweeps() * runs()), updates_);
  for (; at_.turn < runs(); ++at_.turn, at_.read = 0) {
    Sampler &sampler = *samplers_[at_.turn];
    relay.begin_at(static_cast<double>(leg.sweeps() * at_.turn + sampler.sweeps() - at_.burn_in));
    const auto sweep_to = [&](int64_t goal) {
      const int64_t rest = at_.burn_in + goal - sampler.sweeps();
      return rest <= 0 || sweep(sampler, rest, relay);
    };
    if (!sweep_to(leg.lead)) return false;
    for (; at_.read < leg.reads; ++at_.read) {
      if (!sweep_to(leg.lead + leg.spacing * (at_.read + 1))) return false;
      const int64_t at = at_.read * options.chains + first_of(at_.turn);
      sampler.states(sampler.rungs() - 1, states_at(at_.stage).data() + at * sites());
      if (options.exact)
        sampler.sequence_energies(states_at(at_.stage).data() + at * sites(), sampler.chains(), energies_at(at_.stage).data() + at);
      else
        sampler.shared_energies(sampler.rungs() - 1, energies_at(at_.stage).data() + at);
    }
  }
  return true;
}

void Sampling::end_of_leg(const Leg &leg) {
  at_.turn = at_.read = 0;
  if (at_.stage == Stage::sample) {
    at_.stage = Stage::done;
    measure();
    return;
  }
  at_.burn_in += leg.sweeps();
  if (leg.reads == 0) return end_of_burn_in(kShortThin);
  const Record all = record(-1, leg.reads);
  disagreement(record(0, leg.reads), record(1, leg.reads), all, work_);
  if (options.burn_in >= 0 || work_.text[0] == '\0' || at_.burn_in >= kLongestBurnIn)
    return end_of_burn_in(std::max<int64_t>(decorrelation(all, work_) * leg.spacing, 1));
  at_.window *= 2;
}

void Sampling::end_of_burn_in(int64_t suggested) {
  if (at_.thin == 0) at_.thin = options.thin > 0 ? options.thin : suggested;
  at_.stage = Stage::sample;
}

// Only when all sequences are there.
void Sampling::measure() {
  const Record all = record(-1, rounds());
  result_.hamming = all.chains > 1 ? hamming_between_chains(all, work_.sums) : Estimate{hamming_of_all(all), 0};
  result_.energy = test_energy(all, work_);
  result_.overlaps = test_overlaps(all, work_);
  result_.entropy = options.exact && !restriction_.any() ? mean_of(energies_) : Estimate{std::nan(""), std::nan("")};
  result_.tau = {0, 0};
  result_.bulk = result_.tail = 0;
  energy_series(all, work_.overlap.series);
  const Span<double> used = work_.overlap.series.sub(0, all.chains * all.times);
  const auto ends = std::minmax_element(used.begin(), used.end());
  if (all.times >= kMixingTimes && *ends.first < *ends.second) {
    const Mixing found = mixing_of(used.data(), all.chains, all.times, work_.mixing);
    result_.bulk = found.bulk;
    result_.tail = found.tail;
    const AutocorrelationTime time = autocorrelation_time(used.data(), all.chains, all.times);
    result_.tau = {time.tau * static_cast<double>(at_.thin), time.error * static_cast<double>(at_.thin)};
  }
  // The test uses the sequences themselves or, if they are too few, the last leg of the burn-in.
  if (options.equilibrium && all.times >= 4) disagreement(record(0, all.times), record(1, all.times), all, work_);
  result_.agreed = work_.text[0] == '\0';
}

atp_outcome Sampling::run(Reporter &reporter) {
  updates_ = 0;
  if (at_.stage == Stage::ladder && !prepare(reporter)) return ATP_OUTCOME_CANCELLED;
  while (at_.stage != Stage::done) {
    const Leg now = leg_at(at_);
    if (!advance(now, reporter)) return ATP_OUTCOME_CANCELLED;
    end_of_leg(now);
  }
  return outcome();
}

}  // namespace atp
