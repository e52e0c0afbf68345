// SPDX-License-Identifier: MIT
// [C24 fig. 2]: dot-product attention at one omega: overlaps and losses of both branches against the number of samples, theory and
// simulation.
#include "figures/figures.hpp"
#include "support/dotattn_tables.hpp"
#include "support/progress_display.hpp"
#include "support/signals.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace cli {

namespace {

constexpr atp_dotattn_branch kOverlapBranches[] = {ATP_DOTATTN_SEMANTIC, ATP_DOTATTN_POSITIONAL};
constexpr atp_dotattn_start kOverlapStarts[] = {ATP_DOTATTN_START_SEMANTIC, ATP_DOTATTN_START_POSITIONAL};
constexpr const char *kBranchWords[] = {"semantic", "positional"};
constexpr int64_t kOverlapIterations = 100000;

struct OverlapPlan {
  double accuracy = 1e-4, mark_accuracy = 1e-3, step = 0.125, last = 3;
  std::vector<double> simulated = {0.5, 0.75, 1, 1.25, 1.5, 2, 2.5};
  AttentionSimulation simulation;
};

OverlapPlan plan_of(const FigureJob &job) {
  OverlapPlan plan;
  plan.simulation.runs = 12;
  if (job.quick) {
    plan.accuracy = 1e-3;
    plan.mark_accuracy = 5e-3;
    plan.step = 0.25;
    plan.simulated = {0.5, 1, 1.5, 2};
    plan.simulation.dimension = 250;
    plan.simulation.runs = 8;
    plan.simulation.steps = 5000;
  }
  return plan;
}

// A smaller step where the semantic branch begins.
std::vector<double> alphas_of(const OverlapPlan &plan, double semantic) {
  std::vector<double> alphas;
  for (double alpha = plan.step; alpha < plan.last + plan.step / 2; alpha += plan.step) alphas.push_back(alpha);
  for (double more : {0.01, 0.03, 0.06})
    if (std::isfinite(semantic)) alphas.push_back(semantic * (1 + more));
  std::sort(alphas.begin(), alphas.end());
  return alphas;
}

CurveTable theory(const Session &session, const AttentionTask &task, const OverlapPlan &plan, atp_dotattn_branch branch,
                  const std::vector<double> &alphas) {
  Progress progress(session, "theory", "alphas");
  return attention_branch(session, task, branch, alphas, {plan.accuracy, kOverlapIterations}, progress);
}

struct Transition {
  double alpha_c = 0, alpha_linear = 0, alpha_semantic = 0, eg_linear = 0;
  atp_outcome outcome = ATP_OUTCOME_NONE;
};

Transition transition(const Session &session, const AttentionTask &task, const OverlapPlan &plan) {
  Transition found;
  Progress progress(session, "transition", "omegas");
  const CurveTable table = attention_transition(session, task, {plan.mark_accuracy, kOverlapIterations}, &progress);
  found.outcome = table.outcome;
  found.alpha_c = table.at(0, ATP_DOTATTN_TRANSITION_ALPHA_C);
  found.alpha_linear = table.at(0, ATP_DOTATTN_TRANSITION_ALPHA_LINEAR);
  found.alpha_semantic = table.at(0, ATP_DOTATTN_TRANSITION_SEMANTIC);
  found.eg_linear = table.at(0, ATP_DOTATTN_TRANSITION_EG_LINEAR);
  return found;
}

// How far simulated numbers are from theory, in standard errors: m or theta, e_g and e_t of both branches. Runs draw the same teachers and
// nested data at all alphas and for both branches, so that these numbers are not independent of each other.
struct Deviations {
  int64_t points = 0, within = 0;
  double squares = 0, most = 0;
  std::string farthest;
  void look(double simulated, double error, double expected, const std::string &name) {
    if (!std::isfinite(simulated) || !std::isfinite(expected) || !(error > 0)) return;
    const double away = std::fabs(simulated - expected) / error;
    ++points;
    within += away <= 3;
    squares += away * away;
    if (away > most) farthest = name;
    most = std::fmax(most, away);
  }
  double root_mean_square() const { return points > 0 ? std::sqrt(squares / static_cast<double>(points)) : 0; }
};

// gnuplot's marks of the transition; "" where there is none.
std::string line_at(double alpha) {
  return std::isfinite(alpha) ? fmt::format("set arrow 1 from first {:g}, graph 0 to first {:g}, graph 1 nohead ls 3\n", alpha, alpha) : "";
}
std::string label_at(double alpha) {
  return std::isfinite(alpha) ? fmt::format("set label 1 ' {{/Symbol a}}_c = {:.3f}' at {:g}, graph 0.94 left\n", alpha, alpha) : "";
}
std::string label_of_linear(const Transition &marks) {
  if (!std::isfinite(marks.alpha_linear)) return "";
  return fmt::format(
      "set label 2 'attention is better: {{/Symbol a}} > {:.3f}' at graph 0.98, first {:g} right "
      "offset 0,0.7 font ',11'\n",
      marks.alpha_linear, marks.eg_linear);
}

std::string body_of(const FigureJob &job, const OverlapPlan &plan, const AttentionTask &task, const Transition &marks) {
  const std::string title = fmt::format(
      "Dot-product attention, omega = {:g}, sigma = {:g}, lambda = {:g}\\n"
      "lines: theory; points: descent in {} dimensions, {} runs, standard errors{}",
      task.omega, task.sigma, task.lambda, plan.simulation.dimension, plan.simulation.runs,
      quick_note(job, "1000 dimensions and 12 runs in full"));
  const auto panel = [&](const char *label, const std::string &curves, const std::string &more) {
    return fmt::format("set ylabel '{}' offset 1,0\n{}plot {}\n", label, more, curves);
  };
  const std::string table = "'" + job.name + ".csv'";
  const auto curves = [&](const char *what, const std::string &semantic, const std::string &positional) {
    return fmt::format(
        "{0} using 'alpha':'{1}_semantic' with lines ls 1 title '{2}', {0} using 'alpha':'{1}_positional' with lines ls 2 dt 2 title "
        "'{3}', "
        "{0} using 'alpha':'{1}_semantic_sim':'{1}_semantic_sim_sem' with yerrorbars ls 1 notitle, "
        "{0} using 'alpha':'{1}_positional_sim':'{1}_positional_sim_sem' with yerrorbars ls 2 notitle",
        table, what, semantic, positional);
  };
  // The script is run twice, for SVG and PNG: nothing of the last panel may stay.
  std::string body = fmt::format(
      "set datafile missing ''\nunset xlabel\nunset label\n"
      "set multiplot layout 3,1 margins 0.17,0.97,0.08,{} spacing 0.02\nset title \"{}\" font ',12'\n"
      "set xrange [0:{:g}]\nset key bottom right noreverse Right samplen 3 font ',11'\n"
      "{}",
      job.quick ? 0.88 : 0.90, title, plan.last, line_at(marks.alpha_c));
  body += "set format x ''\n" + panel("overlaps", curves("overlap", "{/Symbol q}, semantic branch", "m, positional branch"),
                                      fmt::format("set yrange [0:{}]\n{}", job.same_problem() ? "0.32" : "*", label_at(marks.alpha_c)));
  body += "unset label 1\nunset title\nset key bottom left reverse Left\nset yrange [0:*]\n" +
          panel("generalisation loss e_g",
                curves("eg", "semantic", "positional") +
                    fmt::format(", {:.10g} with lines ls 4 title 'best linear map of positions'", marks.eg_linear),
                label_of_linear(marks));
  body += "unset label 2\nset format x\nset xlabel 'samples per dimension {/Symbol a}'\nset key top left reverse Left\n" +
          panel("training loss e_t", curves("et", "semantic", "positional"), "");
  return body + "unset multiplot\n";
}

// The curves of theory and the points of simulation, for both branches.
struct Overlaps {
  std::vector<double> alphas;
  Transition marks;
  std::vector<CurveTable> lines, points;
  bool good = true;
};

Overlaps solve_overlaps(const Session &session, const AttentionTask &task, const OverlapPlan &plan) {
  Overlaps result;
  result.marks = transition(session, task, plan);
  stop_if_interrupted();
  result.alphas = alphas_of(plan, result.marks.alpha_semantic);
  result.good = result.marks.outcome == ATP_OUTCOME_CONVERGED;
  for (atp_dotattn_branch branch : kOverlapBranches) {
    result.lines.push_back(theory(session, task, plan, branch, result.alphas));
    stop_if_interrupted();
    result.good = result.good && result.lines.back().outcome == ATP_OUTCOME_CONVERGED;
  }
  for (atp_dotattn_start start : kOverlapStarts) {
    result.points.push_back(simulated_attention(session, task, plan.simulation, start, plan.simulated));
    stop_if_interrupted();
    result.good = result.good && result.points.back().outcome != ATP_OUTCOME_DIVERGED;
  }
  return result;
}

std::vector<std::string> overlap_columns() {
  std::vector<std::string> names = {"alpha"};
  for (const char *branch : kBranchWords)
    for (const char *what : {"overlap", "eg", "et"}) names.push_back(fmt::format("{}_{}", what, branch));
  names.emplace_back("eg_linear");
  for (const char *branch : kBranchWords)
    for (const char *what : {"overlap", "eg", "et"})
      for (const char *end : {"sim", "sim_sem"}) names.push_back(fmt::format("{}_{}_{}", what, branch, end));
  for (const char *branch : kBranchWords) names.push_back(fmt::format("fraction_semantic_{}_sim", branch));
  return names;
}

// Overlap, e_g and e_t of a branch.
using Three = std::array<double, 3>;

// NaN where the branch does not exist.
Three expected_at(const CurveTable &line, std::size_t row, std::size_t b) {
  const int columns[] = {b == 0 ? ATP_DOTATTN_THETA : ATP_DOTATTN_M, ATP_DOTATTN_EG, ATP_DOTATTN_ET};
  const bool there = static_cast<int>(line.at(row, ATP_DOTATTN_BRANCH)) == kOverlapBranches[b];
  Three values;
  for (std::size_t c = 0; c < 3; ++c) values[c] = there ? line.at(row, columns[c]) : std::nan("");
  return values;
}

// What the table says about theory, and the number of points that runs have left.
struct Verdict {
  Deviations deviations;
  int64_t left = 0;
};

// The cells of a branch in simulation at one alpha; `row` is its row of points, or past their end. Returns the fraction that is semantic.
double add_simulated(const CurveTable &points, std::size_t row, std::size_t b, const Three &expected, double alpha,
                     std::vector<std::string> &cells, Verdict &verdict) {
  constexpr const char *kOverlapNames[] = {"theta", "m"};
  const int columns[] = {b == 0 ? ATP_DOTATTN_SIM_THETA : ATP_DOTATTN_SIM_M, ATP_DOTATTN_SIM_EG, ATP_DOTATTN_SIM_ET};
  const char *const whats[] = {kOverlapNames[b], "e_g", "e_t"};
  const bool here = row < points.numbers.size() / ATP_DOTATTN_SIM_COLUMNS;
  const double semantic = here ? points.at(row, ATP_DOTATTN_SIM_SEMANTIC) : std::nan("");
  // Runs that have left their branch make the mean one of nothing.
  const bool stayed = here && semantic == (b == 0 ? 1 : 0);
  verdict.left += here && !stayed;
  for (std::size_t c = 0; c < 3; ++c) {
    const double value = stayed ? points.at(row, columns[c]) : std::nan(""), error = stayed ? points.at(row, columns[c] + 1) : std::nan("");
    cells.insert(cells.end(), {cell(value), cell(error)});
    verdict.deviations.look(value, error, expected[c],
                            fmt::format("{} of the {} branch at alpha = {:g}", whats[c], kBranchWords[b], alpha));
  }
  return semantic;
}

Verdict add_overlap_rows(Table &table, const Overlaps &found, const std::vector<double> &simulated) {
  Verdict verdict;
  for (std::size_t k = 0; k < found.alphas.size(); ++k) {
    const double alpha = found.alphas[k];
    std::vector<std::string> cells = {cell(alpha)}, ends;
    Three expected[2];
    for (std::size_t b = 0; b < 2; ++b) {
      expected[b] = expected_at(found.lines[b], k, b);
      for (double value : expected[b]) cells.push_back(cell(value));
    }
    cells.push_back(cell(found.marks.eg_linear));
    std::size_t at = 0;
    while (at < simulated.size() && std::fabs(simulated[at] - alpha) > 1e-9) ++at;
    for (std::size_t b = 0; b < 2; ++b) ends.push_back(cell(add_simulated(found.points[b], at, b, expected[b], alpha, cells, verdict)));
    cells.insert(cells.end(), ends.begin(), ends.end());
    table.row(cells);
  }
  return verdict;
}

void print_overlaps(const Session &session, const AttentionTask &task, const OverlapPlan &plan, const Transition &marks,
                    const Verdict &verdict) {
  const Deviations &deviations = verdict.deviations;
  print_line(
      session,
      fmt::format("omega = {:g}: semantic above alpha_c = {:.4f}, better than the linear map above {:.4f}, semantic branch from {:.4f}",
                  task.omega, marks.alpha_c, marks.alpha_linear, marks.alpha_semantic));
  print_line(
      session,
      fmt::format(
          "d = {}, {} runs: {} of {} simulated numbers within 3 standard errors of theory, root mean square {:.1f}, largest {:.1f} ({})\n"
          "not independent: runs have the same teachers and data at all alphas and for both branches",
          plan.simulation.dimension, plan.simulation.runs, deviations.within, deviations.points, deviations.root_mean_square(),
          deviations.most, deviations.farthest));
  if (verdict.left > 0)
    print_line(session, fmt::format("at {} points of alpha and branch some runs left their branch, which are not shown", verdict.left));
}

}  // namespace

int reproduce_dotattn_overlaps(const Session &session, const FigureJob &job) {
  const OverlapPlan plan = plan_of(job);
  const AttentionTask task = attention_task(job);
  const Overlaps found = solve_overlaps(session, task, plan);
  const Transition &marks = found.marks;
  Table table(session, overlap_columns());
  table.note(fmt::format("omega {:g}, sigma {:g}, lambda {:g}; alpha_c {:.6g}, alpha_linear {:.6g}, alpha_semantic {:.6g}", task.omega,
                         task.sigma, task.lambda, marks.alpha_c, marks.alpha_linear, marks.alpha_semantic));
  table.note(
      fmt::format("overlap: theta of the semantic branch, m of the positional one; simulation: {} dimensions, {} runs, gradient descent, "
                  "at most {} steps",
                  plan.simulation.dimension, plan.simulation.runs, plan.simulation.steps));
  const Verdict verdict = add_overlap_rows(table, found, plan.simulated);
  print_overlaps(session, task, plan, marks, verdict);
  finish_figure(session, job, table, body_of(job, plan, task, marks), 760, 1000);
  return found.good ? kDone : kNotConverged;
}

}  // namespace cli
