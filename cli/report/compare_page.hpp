// SPDX-License-Identifier: MIT
// The page of `compare`: statistics of samples against those of data.
#pragma once

#include "report/page.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace cli {

struct CompareReport {
  std::string data, samples;  // their files
  std::vector<Fact> facts;
  StoredTable table;
  int64_t colors = 0;                       // of both: without the gap where the samples have none
  std::vector<int64_t> numbers;             // of the sites
  std::vector<std::string> symbols;         // [colors]
  std::vector<double> in_data, in_samples;  // [sites][colors], frequencies; NaN: none
  std::vector<double> c_data, c_samples;    // [sites][sites][colors][colors], covariances; empty: too many, or the samples have no gap
};

// Pages leave the picture of covariances out where there are more.
inline constexpr int64_t kMostCovariances = 8000000;

void write_compare_page(const Session &session, const std::string &path, const CompareReport &report);

}  // namespace cli
