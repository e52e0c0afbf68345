// SPDX-License-Identifier: MIT
// Runs of atp_sampling with progress, signals and checkpoints.
#pragma once

#include "run/checkpoint.hpp"
#include "run/session.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace cli {

// Where chains start and which states they may visit.
struct SamplingLimits {
  std::vector<uint8_t> allowed;                // [L][q], empty: all colours
  std::vector<uint8_t> starts;                 // [n][L], empty: random
  int64_t max_mutations = 0, kept_color = -1;  // as the options of the library
};

struct SamplingPlan {
  atp_protocol protocol = ATP_PROTOCOL_EQUILIBRIUM;
  double beta = 1;
  int64_t samples = 1000;
  int64_t chains = 64;   // ladders with replica exchange; 0: as many as the library takes
  int64_t burn_in = -1;  // sweeps; -1: until the two runs agree
  int64_t thin = 0;      // sweeps between samples; 0: from the decorrelation of the burn-in
  int64_t seed = -1;     // -1: that of the session
  SamplingLimits limits;
  bool own_settings = false;  // without the values of --set
};

struct Estimate {
  double value = 0, error = 0;
};

struct SamplingReport {
  Alignment data;                                   // with an origin line; sequence m is of chain m mod C
  Estimate hamming;                                 // between independent chains (one chain: over all pairs of samples, no error)
  double tau = 0, tau_error = 0;                    // of the energy, in sweeps; 0: not measurable
  double rhat = 0, rhat_limit = 0;                  // R-hat of the energy and its limit; 0: not measurable
  double overlap_rhat = 0, overlap_rhat_limit = 0;  // the same of overlaps
  double bulk_ess = 0, tail_ess = 0;                // effective samples of the energy; 0: not measurable
  double updates_per_second = 0;
  int64_t burn_in = 0, thin = 0, temperatures = 1;
  double beta_hot = 0, slowest_swap = 1;
  bool equilibrated = true;
  Estimate entropy;  // of an autoregressive model, in nats; NaN of others
  std::string why;   // the quantity that did not agree
};

// Keeps a sampling run and the search for its beta in a checkpoint.
class SamplingCheckpoint {
 public:
  // Without a checkpoint nothing is kept. `settings` is one line with everything on which the numbers depend. `checkpoint` has been read.
  SamplingCheckpoint(const Session &session, Checkpoint &checkpoint, double interval, std::string settings);

  // The numbers that come before the run: made now, or those of the run that is continued.
  std::vector<double> numbers(const std::function<std::vector<double>()> &make);
  // Loads the state of the run that is continued, if there is one.
  void load(atp_sampling *run);
  // Whether it is time to save.
  bool due() const;
  void save(const atp_sampling *run);
  // Throws the failure that ends an interrupted run.
  [[noreturn]] void end_interrupted() const;

 private:
  using Clock = std::chrono::steady_clock;
  const Session &session_;
  Checkpoint &checkpoint_;
  double interval_;
  std::string settings_, numbers_;
  Clock::time_point saved_ = Clock::now();
};

// `kept` may be NULL. finished() reads the run before it is freed.
SamplingReport draw(const Session &session, const atp_model *model, const SamplingPlan &plan, SamplingCheckpoint *kept = nullptr,
                    const std::function<void(const SamplingRun &, const SamplingReport &)> &finished = {});

// Finds the beta at which equilibrium samples differ on average at a fraction `target` of the sites.
struct TunedBeta {
  Estimate beta, hamming;
  bool converged = false;
};
TunedBeta tune_beta(const Session &session, const atp_model *model, double target, int64_t seed = -1);

// Training and test sequences of a random Potts model at a given mean Hamming distance.

struct PottsData {
  Model truth;  // with its beta
  TunedBeta tuned;
  SamplingReport sampled;
  int64_t samples = 0, chains = 0;
  Alignment all;
  bool equilibrated() const { return tuned.converged && sampled.equilibrated; }
  // Descriptions of the steps, one line each.
  std::string tuning_text() const;
  std::string sampling_text() const;
};

// Tunes beta of the random model `truth` until equilibrium samples differ at a fraction `hamming` of the sites, then draws sequences by
// replica exchange. seed -1: that of the session.
PottsData draw_potts_data(const Session &session, Model truth, double hamming, int64_t samples, int64_t seed = -1);

// The map of a model with one head in the gauge of the truth and times beta, [L][L]; of the truth itself beta J.
std::vector<double> map_like(const Session &session, const atp_model *model, const atp_model *truth);

}  // namespace cli
