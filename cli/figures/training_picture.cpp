// SPDX-License-Identifier: MIT
#include "figures/training_picture.hpp"

#include "figures/plots.hpp"

#include <algorithm>
#include <cmath>

namespace cli {

namespace {

struct LossCurve {
  const char *column, *title;
  int style;
  double EpochRow::*value;
};

constexpr LossCurve kLossCurves[] = {{"train_loss", "training loss", 1, &EpochRow::train_loss},
                                     {"test_loss", "test loss", 2, &EpochRow::test_loss},
                                     {"optimal_loss", "optimal loss", 3, &EpochRow::optimal_loss}};

}  // namespace

bool draw_training(const Session &session, const std::string &directory, const EpochLog &log, const std::string &outcome) {
  log_table(session, log, outcome).write(session, directory + "/training.csv");
  std::string curves;
  for (const LossCurve &curve : kLossCurves)
    if (std::any_of(log.begin(), log.end(), [&](const EpochRow &row) { return std::isfinite(row.*curve.value); }))
      curves += fmt::format("{}'training.csv' using 'epoch':'{}' with lines ls {} title '{}'", curves.empty() ? "" : ", \\\n  ",
                            curve.column, curve.style, curve.title);
  if (curves.empty()) return false;
  const std::string body = fmt::format(
      "set title \"Training: {}\"\nset xlabel 'epochs or iterations'\nset ylabel 'loss in nats per site'\nset key outside bottom center "
      "horizontal\n"
      "set datafile missing ''\nplot {}\n",
      plot_text(outcome), curves);
  return draw_picture(session, directory, "training", body, 760, 520);
}

}  // namespace cli
