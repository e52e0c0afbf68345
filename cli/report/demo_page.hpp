// SPDX-License-Identifier: MIT
// The page of `demo`: a model learned back from samples, and a learning curve beside its theory.
#pragma once

#include "report/page.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace cli {

struct DemoReport {
  std::vector<Fact> facts;
  StoredTable sgd, lbfgs;          // losses by epoch
  StoredTable errors;              // by number of training sequences
  StoredTable maps, theory;        // couplings; learning curve
  int64_t sites = 0, samples = 0;  // of the maps
  double largest = 1;              // the largest coupling in them
};

void write_demo_page(const Session &session, const std::string &path, const DemoReport &report);

}  // namespace cli
