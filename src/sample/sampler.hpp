// SPDX-License-Identifier: MIT
// Chains of a Potts model: Gibbs sweeps, replica exchange, read-out, saved states. See attopotts/sampler.h.
//
// A replica is one state with one stream of random numbers. Replica r of ladder l has chain number (F + l) * K + r
// in the generator, with F the option first-chain. Replicas are stored in groups of 16; unused replicas, which
// nobody reads, complete the last group. Exchanges move temperatures between replicas, not states:
// replica_at[l][k] is the replica of ladder l at rung k.
//
// Several ranks share the chains by items: the fewest ladders that fill whole groups, or the 16 chains of a group.
// A rank makes the sweeps of its items alone and then gives the others what has changed. Numbers of one rank for
// C chains of K replicas, with 16 G the replicas rounded up to whole groups:
//
//   states        2 callbacks, 16 G L bytes of all ranks together; with exchanges 4, 16 G (L + 32) bytes: before a
//                 report, and at the end of sweep() and sample()
//   sequences     2 callbacks, C L bytes in each round of sample()
//   clock, stop   2 callbacks, 24 bytes in each block of sweeps
//   start         with exchanges 2 callbacks, 128 G bytes: the energies
//
// (A callback of base/ranks.hpp that moves bytes has one before it, which asks for failures: 8 bytes.)
#pragma once

#include "base/progress.hpp"
#include "base/running.hpp"
#include "sample/chains.hpp"
#include "sample/options.hpp"
#include "sample/restriction.hpp"

#include <algorithm>
#include <numeric>

namespace atp {

struct SamplerOptions {
  // beta = 0 in the options selects the model's own. Throws ATP_E_VALUE (beta of the model above kMaxBeta),
  // ATP_E_CONFLICT (hot beta not below beta), ATP_E_TOO_LARGE (a replica would have a number of 2^31 or above).
  SamplerOptions(const Options &options, double model_beta);

  uint64_t seed;
  int64_t chains, first_chain, rungs, swap_interval;
  double beta, beta_hot;
  int64_t kept, most;  // of Restriction
};

// The energy of one state in float64, without work space: H(s) = -1/2 sum_{i != j} C_ij(s_i, s_j) - sum_i b_i(s_i). With `symmetric` each
// pair is read once. Of an autoregressive model -log P(s).
double energy_of(const Model &model, bool symmetric, const uint8_t *sequence);

class StateReader;

// The data of a replica or of a rung that exchanges change. Ranks send them to each other.
struct ReplicaRecord {
  double energy;
  int64_t replica_at, tried, accepted;
};

class Sampler {
 public:
  Sampler(Context *owner, const ModelShape &model, const SamplerOptions &sampler_options);
  void lay_out(Arena &arena);
  // Copies the model and starts from random colours. Throws ATP_E_CONFLICT (replica exchange of an asymmetric or autoregressive
  // model) or ATP_E_VALUE (couplings too large).
  void init(const Model &source);

  int64_t chains() const { return options.chains; }
  int64_t sites() const { return exact.sites(); }
  int64_t colors() const { return exact.colors(); }
  int64_t rungs() const { return options.rungs; }
  int64_t sweeps() const { return sweeps_; }
  bool symmetric() const { return symmetric_; }  // the couplings of the model
  Span<const double> betas() const { return betas_; }
  // Increasing; the target is the last.
  void set_betas(const double *betas);
  // Accepted fraction of the exchanges between rungs k and k + 1; 0 if none was tried.
  double swap_rate(int64_t k) const;
  // A sequence that read-outs of rungs compare states with, [L]; NULL: none.
  void set_reference(const uint8_t *sequence);
  const uint8_t *reference() const { return has_reference_ ? reference_.data() : nullptr; }

  void start_random();
  void start_from(const uint8_t *sequences, int64_t n);
  // Random states that start_from(sequences, n) could reach.
  void start_near(const uint8_t *sequences, int64_t n);
  // All replicas in one state that they can reach; it is not the start from which mutations count.
  void start_cold(const uint8_t *sequence);
  // Allows the colours of a mask, see Restriction::allow(), and starts from random ones.
  void restrict_to(const uint8_t *mask);
  void restrict_to(const Restriction &other);
  const Restriction &restriction() const { return restriction_; }

  // Both are collective, as is the start, and clear the stop flag at their end. sample writes *done sequences, and
  // energies unless NULL.
  atp_outcome sweep(int64_t count, Reporter &reporter);
  atp_outcome sample(int64_t n, int64_t thin, uint8_t *sequences, double *energies, int64_t *done, Reporter &reporter);

  void states(int64_t rung, uint8_t *sequences) const;                             // [C][L]
  void energies(int64_t rung, double *out) const;                                  // [C]; every rank computes all of them
  void shared_energies(int64_t rung, double *out) const;                           // [C]; collective: every rank computes its part
  void sequence_energies(const uint8_t *sequences, int64_t n, double *out) const;  // of any sequences, [n][L]
  // The energies that exchanges go by, [C]: followed from sweep to sweep in single precision, renewed now and then. Only where there are
  // exchanges.
  void followed_energies(int64_t rung, double *out) const;

  int64_t state_size() const;
  void save(void *buffer, int64_t size) const;
  // Changes nothing if it throws.
  void load(const void *buffer, int64_t size);

  Context *context;
  std::size_t block_bytes = 0;
  Options given{kSamplerOptions};  // what it was made with
  int64_t drawn = 0;               // sequences that the last atp_sampler_sample() has filled
  SamplerOptions options;
  StopFlag stop{&context->stop};
  Running running;

 private:
  struct Run;

  int64_t replicas() const { return options.chains * options.rungs; }
  int64_t groups() const { return lanes_.groups(); }
  int64_t lanes() const { return lanes_.lanes(); }
  // The items that ranks share.
  int64_t item_ladders() const { return kGibbsLanes / std::gcd(rungs(), kGibbsLanes); }
  int64_t item_groups() const { return item_ladders() * rungs() / kGibbsLanes; }
  int64_t items() const { return (chains() + item_ladders() - 1) / item_ladders(); }
  int64_t first_item(int64_t rank) const { return context->ranks.first(rank, items()); }
  int64_t first_group(int64_t rank) const { return std::min(groups(), first_item(rank) * item_groups()); }
  int64_t first_ladder(int64_t rank) const { return std::min(chains(), first_item(rank) * item_ladders()); }
  void gather_groups(void *data, int64_t group_bytes) const;
  void gather_ladders(void *data, int64_t ladders, int64_t ladder_bytes) const;
  void gather_states();
  void gather_states(Run &run);
  Threads threads() const { return lanes_.threads(); }
  bool exchanging() const { return options.rungs > 1; }
  void check_sweeps(int64_t count) const;  // throws ATP_E_TOO_LARGE if the total would exceed kMaxSweeps
  int64_t chain_range() const { return options.chains | options.first_chain << 32; }
  struct Key;
  Key key() const;
  int64_t payload() const;
  // The arrays of a saved state, in their order.
  template <class Each>
  void each_array(Each &&each) const {
    each(betas_), each(lanes_.colors), each(lanes_.energies), each(replica_at), each(tried), each(accepted), each(lanes_.references);
  }
  StateReader open(const void *buffer, int64_t size) const;
  [[noreturn]] void explain_mismatch(StateReader reader) const;
  // Throws ATP_E_FORMAT if no sampler can be in this state.
  void check(StateReader reader) const;
  void check_distances(StateReader states, StateReader references) const;

  void restart();  // sweep 0, every replica on its own rung
  void put_starts(const uint8_t *sequences, int64_t n);
  void take_limits();
  void spread_betas();
  void make(int64_t count);
  void run_ladders(const GibbsTables &tables, int64_t count, int64_t first_item, int64_t end_item, int thread);
  void exchange_ladder(int64_t ladder, int64_t round);
  void measure_replicas(int64_t first_group, int64_t end_group, int thread);
  bool advance(int64_t count, Run &run);
  bool report(Run &run);
  void read_round(int64_t count, uint8_t *sequences, double *energies_out) const;
  double replica_energy(int64_t replica, int thread) const;
  int64_t target(int64_t chain, int64_t rung) const { return chain * options.rungs + replica_at[chain * options.rungs + rung]; }

  Model exact;  // a copy in float64, for energies
  GibbsModel single;
  Chains lanes_;  // one for each replica; with exchanges their energies are followed
  bool symmetric_ = false;
  Restriction restriction_;
  uint64_t fingerprint = 0, of_model_ = 0;  // the latter without the restriction
  int64_t sweeps_ = 0;
  Span<double> betas_;            // [K]
  Span<int32_t> replica_at;       // [C][K]
  Span<int64_t> tried, accepted;  // [C][K - 1]
  Span<ReplicaRecord> records;    // [groups][16]: several ranks, with exchanges
  Span<uint8_t> row;              // [threads][row_stride], one sequence
  int64_t row_stride = 0;
  Span<uint8_t> reference_;  // [L]
  bool has_reference_ = false;
};

}  // namespace atp
