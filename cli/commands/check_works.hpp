// SPDX-License-Identifier: MIT
// What `attopotts check` computes: one small job for each family of kernels, through the API alone.
#pragma once

#include "run/session.hpp"

#include <functional>
#include <string>
#include <vector>

namespace cli {

// The numbers that a job ends with, for comparison, and a step that can be timed.
class CheckJob {
 public:
  virtual ~CheckJob() = default;
  virtual std::vector<double> numbers() = 0;
  // Makes the work that is timed; returns its amount.
  virtual double step() = 0;
};

struct CheckWork {
  std::string name, unit;  // of step()
  // How far results without fused multiply-add may be from the scalar ones: relative to the norm, or, where `counted`, as the fraction of
  // values that differ.
  double tolerance;
  bool counted;
  // How many times as fast as the scalar kernels step() is: the table of "attopotts check" in docs/performance.md.
  double sse4, avx2, avx512;
  std::function<std::unique_ptr<CheckJob>(atp_context *)> make;
  // 0: this target was not measured.
  double expected(const std::string &target) const {
    return target == "sse4" ? sse4 : target == "avx2" ? avx2 : target == "avx512" ? avx512 : 0;
  }
};

const std::vector<CheckWork> &check_works();

// A context with this target and number of threads, and no ranks.
Context check_context(const std::string &target, int64_t threads);

// Compares samples with exact probabilities: a model with 4096 states, `dense` or of one head.
struct SampleCheck {
  double largest = 0, bound = 0;  // n times the largest divergence of the frequency of a state, or of colours at one or two sites, from
                                  // the probability
  int64_t samples = 0, states = 0;
  bool good() const { return largest <= bound; }
};
// A correct sampler fails with a probability of at most kSampleAlarm.
inline constexpr double kSampleAlarm = 1e-6;
SampleCheck check_samples(const Session &session, bool dense);

}  // namespace cli
