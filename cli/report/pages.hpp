// SPDX-License-Identifier: MIT
// The drawings of subcommands, and the pages that show them. All take the tables that the run writes.
#pragma once

#include "report/page.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cli {

// `compare`: statistics of samples against those of data.
struct CompareReport {
  std::string data, samples;  // their files
  std::vector<Fact> facts;
  StoredTable table;
  int64_t colors = 0;                       // of both: without the gap where the samples have none
  std::vector<int64_t> numbers;             // of the sites
  std::vector<std::string> symbols;         // [colors]
  std::vector<double> in_data, in_samples;  // [sites][colors], frequencies; NaN: none
  std::vector<double> c_data, c_samples;    // [sites][sites][colors][colors], covariances; empty: too many, or the samples have no gap
  Chart components;                         // data and samples in the plane of the principal components
  std::vector<Chart> distances;
  StoredTable measures;
};
// Pages leave the picture of covariances out where there are more.
inline constexpr int64_t kMostCovariances = 8000000;
void write_compare_page(const Session &session, const std::string &path, const CompareReport &report);

// `learn`. `log`: the table of --log.
struct TrainingReport {
  std::string data, outcome;
  std::vector<Fact> facts;
  StoredTable log;
};
// Losses, norm of the gradient, error of the couplings: those that the log has.
std::vector<Chart> training_charts(const StoredTable &log);
void write_training_page(const Session &session, const std::string &path, const TrainingReport &report);

// `replica`. best: the loss that no student is below.
struct LearningCurveReport {
  std::string loss;
  std::vector<Fact> facts;
  StoredTable table;
  double best = 0;
};
std::vector<Chart> learning_curve_charts(const LearningCurveReport &report);
void write_learning_curve_page(const Session &session, const std::string &path, const LearningCurveReport &report);

// `dotattn`. Of --time the table has a column `time`, of --transition no branches.
struct DotattnReport {
  std::vector<std::string> branches;  // words of the column `branch`
  std::vector<double> omegas;
  std::vector<Fact> facts;
  StoredTable table;
};
std::vector<Chart> dotattn_charts(const DotattnReport &report);
void write_dotattn_page(const Session &session, const std::string &path, const DotattnReport &report);

// `weights`. The theta of --theta auto, and its effective number; NaN: not known.
Chart weights_chart(const StoredTable &table, double automatic, double effective);

// `mutants`: all single mutants.
struct MutantMap {
  std::vector<int64_t> numbers;      // of the sites
  std::vector<std::string> symbols;  // of the colours
  std::vector<int64_t> wild_type;    // colour of each site; -1: missing
  std::vector<double> scores;        // [sites][colours], larger: more probable; NaN: not shown
};
struct MutantScatter {
  std::string score, measurement;  // names of the axes
  std::vector<std::string> names;
  std::vector<int64_t> sizes;  // mutations of each mutant
  std::vector<double> scores, measured;
};
struct MutantReport {
  std::string model, wild_type;
  std::vector<Fact> facts;
  MutantMap map;
  std::optional<MutantScatter> scatter;  // with measurements
  std::optional<StoredTable> agreement;  // with measurements: the table of --statistics
  std::optional<StoredTable> table;      // that of --csv; none where it is too long to keep
};
Drawing mutant_drawing(const MutantMap &map);
Chart scatter_chart(const MutantScatter &scatter);
void write_mutant_page(const Session &session, const std::string &path, const MutantReport &report);

}  // namespace cli
