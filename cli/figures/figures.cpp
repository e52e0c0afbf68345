// SPDX-License-Identifier: MIT
#include "figures/figures.hpp"

#include "figures/plots.hpp"
#include "support/files.hpp"

#include <algorithm>
#include <cmath>

namespace cli {

double FigureJob::hamming_of(atp_couplings law) const {
  if (hamming > 0) return hamming;
  // 0.3 is that of [R24]. With contacts, no temperature at which the sites change gives it: there are too few states of low energy.
  return law == ATP_COUPLINGS_CONTACTS ? 0.8 : 0.3;
}

AttentionTask attention_task(const FigureJob &job) {
  AttentionTask task;
  task.omega = job.omega.value_or(task.omega);
  task.sigma = job.sigma.value_or(task.sigma);
  task.lambda = job.lambda.value_or(task.lambda);
  return task;
}

void finish_figure(const Session &session, const FigureJob &job, const Table &table, const std::string &body, int width, int height) {
  table.write(session, job.directory + "/" + job.name + ".csv");
  say_written(session, job, draw_picture(session, job.directory, job.name, body, width, height));
}

void say_written(const Session &session, const FigureJob &job, bool drawn) {
  const std::string files = drawn ? ".csv, .gp, .svg, .png" : fmt::format(".csv, .gp; no pictures: {}", kNoPictures);
  session.say("{}/{}{}", job.directory, job.name, files);
}

void print_line(const Session &session, const std::string &text) { write_text(session, "-", text + "\n"); }

const char *couplings_name(atp_couplings law) { return law == ATP_COUPLINGS_CONTACTS ? "contacts" : "gaussian"; }

int64_t seed_of_run(const Session &session, int64_t run) {
  const uint64_t other = static_cast<uint64_t>(run) * 0x9e3779b97f4a7c15;
  return static_cast<int64_t>((static_cast<uint64_t>(session.seed) ^ other) & 0x7fffffffffffffff);
}

std::string quick_note(const FigureJob &job, const std::string &what) { return job.quick ? "\\n--quick: " + what : ""; }

MeanError mean_error(const std::vector<double> &values) {
  MeanError result;
  const auto n = static_cast<double>(values.size());
  double squares = 0;
  for (double x : values) result.mean += x / n;
  for (double x : values) squares += (x - result.mean) * (x - result.mean);
  if (n > 1) result.error = std::sqrt(squares / (n * (n - 1)));
  result.lowest = *std::min_element(values.begin(), values.end());
  result.highest = *std::max_element(values.begin(), values.end());
  return result;
}

}  // namespace cli
