// SPDX-License-Identifier: MIT
// Cases of the program `ratios`: the library against a direct scalar implementation.
#pragma once

#include <attopotts.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace ratios {

// One case, ready to run. A call does a piece of work (milliseconds) and returns its size in units.
class Case {
 public:
  virtual ~Case() = default;
  virtual double ours() = 0;
  virtual double reference() = 0;
};

struct Entry {
  const char *name, *unit;                              // unit of the rates: "site updates/s"
  bool two_threads;                                     // also measure two threads against one: a row NAME_2threads
  std::unique_ptr<Case> (*make)(atp_context *context);  // uses the context's threads and SIMD target
};

// Whether a case first compares the two sides. Not with --ours, because the reference takes seconds.
inline bool compares = true;

// Each in a file of its own.
std::vector<Entry> gibbs_cases();
std::vector<Entry> attention_cases();
std::vector<Entry> weight_cases();
std::vector<Entry> pair_cases();
std::vector<Entry> plm_cases();
std::vector<Entry> transformer_cases();
std::vector<Entry> dotattn_cases();

// Throw unless the call succeeded.
inline void check(atp_status status) {
  if (status == ATP_OK) return;
  char text[512];
  atp_last_error(text, sizeof text);
  throw std::runtime_error(std::string(atp_status_name(status)) + ": " + text);
}

}  // namespace ratios
