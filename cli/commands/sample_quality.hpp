// SPDX-License-Identifier: MIT
// The quality of samples: what atp_samples_quality() measures, as tables and in words.
#pragma once

#include "report/chart.hpp"
#include "run/csv_table.hpp"

namespace cli {

class SampleQuality {
 public:
  // Measures samples against data, with so many random splits of the data.
  SampleQuality(const Session &session, const Alignment &data, const Alignment &samples, int64_t splits);

  // A number by an atp_quality, or one of these plus an atp_comparison_column, and an atp_quality_column.
  double number(int measure, atp_quality_column column) const;
  // Faults, each a sentence that says what it means and what to do.
  std::vector<std::string> faults() const;
  // Whether there are too few sequences to tell whether C_ij are those of the data.
  bool cannot_tell() const;

  // The tables of --measures, --histograms and --components.
  Table measures(const Session &session) const;
  Table histograms(const Session &session) const;
  Table components(const Session &session) const;
  // The drawings of --picture and --report.
  Chart components_chart() const;
  std::vector<Chart> distance_charts() const;

 private:
  int verdict(int measure) const;  // -1, 0, 1; 0 where there are no limits
  bool is_unknown(int measure) const;
  std::string text(int measure) const;
  std::string covariances_fault() const;
  std::string triples_fault() const;
  std::string width_fault(bool weak) const;

  const int64_t splits_;
  attopotts::SamplesQuality found_;
  attopotts::PrincipalComponents coordinates_;
};

}  // namespace cli
