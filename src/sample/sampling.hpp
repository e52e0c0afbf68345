// SPDX-License-Identifier: MIT
// Sequences from a model by one of two protocols. See attopotts/sampler.h.
//
//   equilibrium   pilot runs choose a ladder; two runs of replica exchange start from opposite sides and burn in until
//                 they agree; both are read
//   chain         chains from random or given states; annealing; burn-in; read
//
// Autoregressive models need neither: with both protocols their chains are read after every sweep.
//
// A run is a sequence of legs: every sampler in turn makes some sweeps that are not read, then sweeps that are read at equal distances. The
// state says which leg it is, whose turn, and how many read-outs are made; samplers know their sweeps. A run can therefore stop
// between any two blocks of sweeps and go on from there, in another process too.
#pragma once

#include "base/progress.hpp"
#include "base/running.hpp"
#include "sample/convergence.hpp"
#include "sample/pilot_ladder.hpp"
#include "sample/sampler.hpp"

namespace atp {

inline constexpr int64_t kSnapshots = 32;           // read-outs of a chain in a leg of the burn-in
inline constexpr int64_t kLongestBurnIn = 1 << 18;  // sweeps, if it is automatic
inline constexpr int64_t kChainThin = 10000;        // of the protocol `chain`
inline constexpr int64_t kExactChains = 1024;       // of an autoregressive model, if not set: as many as share its tables

struct SamplingOptions {
  // Throws ATP_E_VALUE (too few chains, beta of the model), ATP_E_CONFLICT (beta-hot not below beta; first-chain with `equilibrium`),
  // or temperatures of an autoregressive model), ATP_E_TOO_LARGE (first-chain).
  SamplingOptions(const Options &options, double model_beta, bool ordered);

  bool exact;  // the model is autoregressive
  bool equilibrium;
  uint64_t seed;
  int64_t chains, first_chain;
  int64_t burn_in;       // below 0: automatic
  int64_t thin;          // 0: automatic
  int64_t temperatures;  // 0: automatic
  int64_t swap_interval;
  double beta, beta_hot;
  bool search_hot;     // pilot runs choose the smallest beta
  int64_t annealing;   // sweeps before the burn-in
  int64_t kept, most;  // of Restriction
  int64_t room() const { return !equilibrium ? 1 : temperatures > 0 ? temperatures : kMostPilotRungs; }
};

enum class Stage : int64_t { ladder = 0, burn_in = 1, sample = 2, done = 3 };

// Where a run is.
struct SamplingPlace {
  Stage stage = Stage::ladder;
  int64_t window = 0;          // sweeps of a sampler in the present leg of the burn-in
  int64_t burn_in = 0;         // sweeps of a sampler in the legs before
  int64_t thin = 0;            // 0: not known yet
  int64_t turn = 0, read = 0;  // whose turn in the leg, and its read-outs
};

// Results of a finished run.
struct SamplingResult {
  Estimate hamming;           // between independent chains; of one chain over all pairs of samples, without an error
  Estimate tau;               // of the energy, in sweeps; 0: not measurable
  RhatTest energy, overlaps;  // 0: not measurable
  double bulk, tail;          // effective samples of the energy; 0: not measurable
  Estimate entropy;           // of an autoregressive model, the mean energy; NaN of others
  bool agreed;                // the two runs of `equilibrium`
};

class StateReader;

class Sampling {
 public:
  Sampling(Context *owner, const ModelShape &model, const SamplingOptions &sampling_options, int64_t sequences);
  void lay_out(Arena &arena);
  void init(const Model &source);
  // Frees the samplers and the model.
  void end();

  // Runs until the end, or until it is stopped; the next call then continues. Collective; so is load().
  atp_outcome run(Reporter &reporter);

  Stage stage() const { return at_.stage; }
  int64_t count() const { return count_; }
  int64_t sites() const { return shape_.sites; }
  int64_t burn_in() const { return at_.burn_in; }
  int64_t thin() const { return at_.thin; }
  const Ladder &ladder() const { return ladder_; }
  const char *difference() const { return work_.text.data(); }  // of the two runs; "" if they agree
  // Once it is done.
  const SamplingResult &result() const { return result_; }
  Span<const uint8_t> sequences() const { return sequences_.sub(0, count_ * sites()); }
  const Model &model() const { return *model_; }
  const Restriction &restriction() const { return restriction_; }
  bool started() const { return has_starts_; }
  const uint8_t *start_of(int64_t chain) const { return starts_.data() + (options.first_chain + chain) % options.chains * sites(); }
  Span<const uint8_t> starts() const { return starts_; }
  Span<const double> energies() const { return energies_.sub(0, count_); }
  int64_t rounds() const { return (count_ + options.chains - 1) / options.chains; }
  double sweep_of(int64_t round) const { return static_cast<double>(at_.burn_in + at_.thin * (round + 1)); }
  // Sites at which sequence m, of all rounds, differs from the start of its chain.
  int64_t mutations(int64_t m) const;
  // Both before the first run; they throw ATP_E_STAGE later. A mask as for Restriction::allow(), and starts of chains in turn.
  void restrict_to(const uint8_t *mask);
  void start_from(const uint8_t *sequences, int64_t n);
  atp_outcome outcome() const {
    return result_.agreed ? (options.equilibrium || options.exact ? ATP_OUTCOME_CONVERGED : ATP_OUTCOME_DONE) : ATP_OUTCOME_MAX_ITER;
  }
  // Throws ATP_E_STAGE before.
  void require_done() const;

  int64_t state_size() const;
  void save(void *buffer, int64_t size) const;
  // Changes nothing if it throws.
  void load(const void *buffer, int64_t size);

  Context *context;
  std::size_t block_bytes = 0;
  Options given{kSamplingOptions};
  SamplingOptions options;
  StopFlag stop{&context->stop};
  Running running;

 private:
  // Sweeps of one sampler: `lead` without, then `reads` times `spacing` with a read-out at the end.
  struct Leg {
    int64_t lead, spacing, reads;
    int64_t sweeps() const { return lead + spacing * reads; }
  };
  int runs() const { return options.equilibrium ? 2 : 1; }
  int64_t chains_of(int64_t run) const {
    return !options.equilibrium ? options.chains : run == 0 ? (options.chains + 1) / 2 : options.chains / 2;
  }
  Leg leg_at(const SamplingPlace &place) const;
  int64_t first_of(int64_t run) const { return run == 1 ? chains_of(0) : 0; }
  Record record(int run, int64_t times) const;  // run -1: all
  LadderRequest request() const;
  uint64_t seed_of(int run) const;
  Sampler *make_sampler(int run, Span<const double> betas) const;
  void mark();
  void require_new() const;
  void prepare_cold_state();
  bool prepare(Reporter &reporter);
  bool advance(const Leg &leg, Reporter &reporter);
  bool sweep(Sampler &sampler, int64_t count, Relay &relay) const;
  void end_of_leg(const Leg &leg);
  void end_of_burn_in(int64_t suggested);
  void measure();
  Span<uint8_t> states_at(Stage stage) const { return stage == Stage::burn_in ? window_states_ : sequences_; }
  Span<double> energies_at(Stage stage) const { return stage == Stage::burn_in ? window_energies_ : energies_; }
  int64_t rows_at(const SamplingPlace &place) const;  // of these arrays, that have read-outs
  int64_t payload(const SamplingPlace &place, int64_t rungs, Sampler *const (&samplers)[2]) const;
  SamplingPlace place_from(StateReader &reader) const;
  void check_read_outs(StateReader reader, int64_t n) const;
  void check_sweeps(const SamplingPlace &place, int run, int64_t sweeps) const;

  ModelShape shape_;
  int64_t count_;
  Model *model_ = nullptr;                     // a copy with the beta of the run
  uint64_t fingerprint_ = 0, of_options_ = 0;  // the latter without restriction and starts
  Restriction restriction_;
  bool has_starts_ = false;
  Span<uint8_t> starts_;  // [chains][L], see start_of()
  Ladder ladder_;
  Sampler *samplers_[2] = {nullptr, nullptr};
  SamplingPlace at_;
  double updates_ = 0;  // of sites, in this call
  SamplingResult result_{};
  Span<uint8_t> window_states_, sequences_;  // [snapshots or rounds][chains][L]
  Span<double> window_energies_, energies_;  // [snapshots or rounds][chains]
  ConvergenceWork work_;
};

}  // namespace atp
