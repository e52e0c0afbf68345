// SPDX-License-Identifier: MIT
// [C24 fig. 3]: which solution of dot-product attention has the smaller training loss (the global minimum under replica symmetry), against
// samples and the share of positions in the teacher.
#include "figures/figures.hpp"
#include "support/dotattn_tables.hpp"
#include "support/progress_display.hpp"

#include <cmath>

namespace cli {

namespace {

constexpr int64_t kPhaseIterations = 20000;

struct PhasePlan {
  int64_t alphas = 25, omegas = 25;
  double first_alpha = 0.25, last_alpha = 3, last_omega = 0.48, accuracy = 1e-3;
};

std::vector<double> spaced(double first, double last, int64_t count) {
  std::vector<double> values;
  for (int64_t k = 0; k < count; ++k) values.push_back(first + (last - first) * static_cast<double>(k) / static_cast<double>(count - 1));
  return values;
}

PhasePlan phase_plan(const FigureJob &job) {
  PhasePlan plan;
  if (job.quick) {
    plan.alphas = 3;
    plan.omegas = 3;
    plan.last_alpha = 2.25;
    plan.last_omega = 0.4;
    plan.accuracy = 1e-2;
  }
  return plan;
}

// What the table says.
struct PhaseSummary {
  int64_t semantic = 0, missing = 0;
  double first_change = 0, last_change = 0;
};

// The rows of the task's omega.
void add_omega(const Session &session, const AttentionTask &task, const std::vector<double> &alphas, const CurveTable *curves,
               const AttentionAccuracy &accuracy, Table &table, PhaseSummary &summary) {
  const auto et = [&](std::size_t k, int b) { return curves[b].at(k, ATP_DOTATTN_ET); };
  const CurveTable line = attention_transition(session, task, accuracy, nullptr);
  stop_if_interrupted();
  summary.missing += line.outcome != ATP_OUTCOME_CONVERGED;
  const double change = line.at(0, ATP_DOTATTN_TRANSITION_ALPHA_C), better = line.at(0, ATP_DOTATTN_TRANSITION_ALPHA_LINEAR);
  if (task.omega == 0) summary.first_change = change;
  summary.last_change = change;
  for (std::size_t k = 0; k < alphas.size(); ++k) {
    const double difference = (et(k, 1) - et(k, 0)) / et(k, 1);
    summary.semantic += difference > 0;
    summary.missing += !std::isfinite(difference);
    table.row({cell(task.omega), cell(alphas[k]), cell(et(k, 0)), cell(et(k, 1)), cell(difference), cell(change), cell(better)});
  }
}

std::string phase_body(const FigureJob &job, const PhasePlan &plan, const AttentionTask &task) {
  return fmt::format(
      "set title \"Dot-product attention: the smaller training loss, sigma = {0:g}, lambda = {1:g}{2}\" font ',13'\n"
      "set xlabel 'samples per dimension {{/Symbol a}}'\nset ylabel 'share of positions in the teacher {{/Symbol w}}'\n"
      "set cblabel 'training loss: (positional - semantic) / positional'\n"
      "set key outside bottom center horizontal samplen 4 font ',12'\n"
      "set xrange [{3:g}:{4:g}]\nset yrange [0:{5:g}]\nset cbrange [-0.25:0.25]\nunset grid\nset bmargin 7\n"
      "set label 1 'positional' at graph 0.05, graph 0.90 left front tc rgb 'white' font ',16'\n"
      "set label 2 'semantic' at graph 0.95, graph 0.10 right front tc rgb 'black' font ',16'\n"
      "set datafile missing ''\n"
      "plot '{6}.csv' using 'alpha':'omega':(strlen(strcol('difference')) ? column('difference') : NaN) with image notitle, \\\n"
      "  '{6}.csv' using 'alpha_c':'omega' with lines lw 3.5 lc rgb 'white' notitle, \\\n"
      "  '{6}.csv' using 'alpha_c':'omega' with lines lw 2 lc rgb 'black' title '{{/Symbol a}}_c: the training losses cross', \\\n"
      "  '{6}.csv' using 'alpha_linear':'omega' with lines lw 3.5 lc rgb 'white' notitle, \\\n"
      "  '{6}.csv' using 'alpha_linear':'omega' with lines lw 2 lc rgb 'black' dt 2 title 'better than the best linear map of positions'\n",
      task.sigma, task.lambda, quick_note(job, "25 x 25 points in full"), plan.first_alpha, plan.last_alpha, plan.last_omega, job.name);
}

}  // namespace

int reproduce_dotattn_phase(const Session &session, const FigureJob &job) {
  const PhasePlan plan = phase_plan(job);
  AttentionTask task = attention_task(job);
  const std::vector<double> alphas = spaced(plan.first_alpha, plan.last_alpha, plan.alphas),
                            omegas = spaced(0, plan.last_omega, plan.omegas);
  const auto n = static_cast<int64_t>(alphas.size());
  const AttentionAccuracy accuracy{plan.accuracy, kPhaseIterations};
  Table table(session, {"omega", "alpha", "et_semantic", "et_positional", "difference", "alpha_c", "alpha_linear"});
  table.note(
      fmt::format("sigma {:g}, lambda {:g}; difference: (et_positional - et_semantic) / et_positional; where a branch does not exist its "
                  "number is that of m = theta = 0; alpha_c and alpha_linear: of the row's omega",
                  task.sigma, task.lambda));
  PhaseSummary summary;
  Progress progress(session, "phases", "points");
  for (std::size_t o = 0; o < omegas.size(); ++o) {
    task.omega = omegas[o];
    CurveTable curves[2] = {CurveTable(alphas.size(), ATP_DOTATTN_COLUMNS), CurveTable(alphas.size(), ATP_DOTATTN_COLUMNS)};
    for (int b = 0; b < 2; ++b) {
      progress.set_frame(static_cast<double>((2 * static_cast<int64_t>(o) + b) * n), static_cast<double>(2 * plan.omegas * n));
      curves[b] = attention_branch(session, task, b == 0 ? ATP_DOTATTN_SEMANTIC : ATP_DOTATTN_POSITIONAL, alphas, accuracy, progress);
      stop_if_interrupted();
    }
    add_omega(session, task, alphas, curves, accuracy, table, summary);
  }
  table.note(fmt::format("numbers that were not found: {}", summary.missing));
  print_line(session, fmt::format("semantic at {} of {} points; alpha_c goes from {:.3f} at omega = 0 to {:.3f} at {:g}", summary.semantic,
                                  plan.alphas * plan.omegas, summary.first_change, summary.last_change, plan.last_omega));
  finish_figure(session, job, table, phase_body(job, plan, task), 860, 640);
  if (summary.missing > 0) session.say("{} numbers were not found", summary.missing);
  return summary.missing == 0 ? kDone : kNotConverged;
}

}  // namespace cli
