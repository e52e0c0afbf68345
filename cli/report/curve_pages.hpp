// SPDX-License-Identifier: MIT
// Pages of runs whose results are curves: training, learning curves, dot-product attention. All take the tables that the run writes.
#pragma once

#include "figures/dotattn_picture.hpp"
#include "report/page.hpp"

#include <string>
#include <vector>

namespace cli {

// The page of `learn`. `log`: the table of --log.
struct TrainingReport {
  std::string data, outcome;
  std::vector<Fact> facts;
  StoredTable log;
};
void write_training_page(const Session &session, const std::string &path, const TrainingReport &report);

// The page of `replica`. best: the loss that no student is below.
struct LearningCurveReport {
  std::string loss;
  std::vector<Fact> facts;
  StoredTable table;
  double best = 0;
};
void write_learning_curve_page(const Session &session, const std::string &path, const LearningCurveReport &report);

// The page of `dotattn`. Of --dynamics the table has a column `time`, of --transition none of branches.
struct DotattnReport {
  DotattnPicture picture;
  std::vector<Fact> facts;
  StoredTable table;
};
void write_dotattn_page(const Session &session, const std::string &path, const DotattnReport &report);

}  // namespace cli
