// SPDX-License-Identifier: MIT
#include "run/dotattn_tables.hpp"

#include "run/memory.hpp"
#include "run/progress_display.hpp"
#include "run/csv_table.hpp"
#include "run/training.hpp"

namespace cli {

namespace {

constexpr int64_t kRecordSamples = 500;  // of a trajectory, at each time

constexpr int kShown[] = {ATP_DOTATTN_SIM_EG, ATP_DOTATTN_SIM_ET, ATP_DOTATTN_SIM_Q, ATP_DOTATTN_SIM_M, ATP_DOTATTN_SIM_THETA};

}  // namespace

std::vector<std::string> simulation_names() {
  std::vector<std::string> names;
  for (int column : kShown) {
    const std::string name = std::string(atp_column_name(ATP_TABLE_DOTATTN_SIMULATION, column)) + "_sim";
    names.insert(names.end(), {name, name + "_sem"});
  }
  names.insert(names.end(), {"q_least_sim", "semantic_sim", "gradient_sim", "steps_sim", "outcome_sim"});
  return names;
}

std::vector<std::string> simulation_cells(const CurveTable &simulated, std::size_t row) {
  std::vector<std::string> cells;
  for (int column : kShown) cells.insert(cells.end(), {cell(simulated.at(row, column)), cell(simulated.at(row, column + 1))});
  for (int column : {ATP_DOTATTN_SIM_Q_LEAST, ATP_DOTATTN_SIM_SEMANTIC, ATP_DOTATTN_SIM_GRADIENT, ATP_DOTATTN_SIM_STEPS})
    cells.push_back(cell(simulated.at(row, column)));
  cells.emplace_back(atp_outcome_name(static_cast<int>(simulated.at(row, ATP_DOTATTN_SIM_OUTCOME))));
  return cells;
}

namespace {

TaskRun &set_maps(TaskRun &run, const AttentionTask &task) {
  return run.array(ATP_ARRAY_TEACHER, task.teacher, task.tokens).array(ATP_ARRAY_CODE, task.code, task.code_columns);
}

void set_task(TaskRun &run, const AttentionTask &task, const std::vector<double> &alphas) {
  set_maps(run, task).array(ATP_ARRAY_ALPHAS, alphas);
}

}  // namespace

CurveTable attention_branch(const Session &session, const AttentionTask &task, atp_dotattn_branch branch, const std::vector<double> &alphas,
                            Progress &progress) {
  TaskRun run(session, ATP_TASK_DOTATTN_CURVE,
              {{ATP_OPT_OMEGA, task.omega}, {ATP_OPT_SIGMA, task.sigma}, {ATP_OPT_LAMBDA, task.lambda}, {ATP_OPT_BRANCH, branch}},
              "dotattn");
  return run.array(ATP_ARRAY_TEACHER, task.teacher, 2).array(ATP_ARRAY_ALPHAS, alphas).run(&progress);
}

CurveTable attention_transition(const Session &session, const AttentionTask &task, Progress *progress) {
  TaskRun run(session, ATP_TASK_DOTATTN_TRANSITION, {{ATP_OPT_SIGMA, task.sigma}, {ATP_OPT_LAMBDA, task.lambda}}, "dotattn");
  return run.array(ATP_ARRAY_TEACHER, task.teacher, 2).array(ATP_ARRAY_OMEGAS, {task.omega}).run(progress);
}

CurveTable simulated_attention(const Session &session, const AttentionTask &task, const AttentionSimulation &simulation,
                               atp_dotattn_start start, const std::vector<double> &alphas) {
  TaskRun run(session, ATP_TASK_DOTATTN_SIMULATION,
              {{ATP_OPT_OMEGA, task.omega},
               {ATP_OPT_SIGMA, task.sigma},
               {ATP_OPT_LAMBDA, task.lambda},
               {ATP_OPT_DIMENSION, simulation.dimension},
               {ATP_OPT_STUDENT_RANK, task.rank},
               {ATP_OPT_START, start},
               {ATP_OPT_OPTIMIZER, simulation.optimizer},
               {ATP_OPT_RATE, simulation.rate},
               {ATP_OPT_RUNS, simulation.runs}});
  set_task(run, task, alphas);
  require_memory(session, static_cast<double>(run.bytes()), "the runs of --simulate (fewer with --threads 1)");
  Progress progress(session, "simulate", "steps");
  return run.run(&progress);
}

CurveTable evolved_attention(const Session &session, const AttentionTask &task, atp_dotattn_start solution,
                             const std::vector<double> &alphas) {
  TaskRun run(session, ATP_TASK_DOTATTN_TOKENS,
              {{ATP_OPT_OMEGA, task.omega},
               {ATP_OPT_SIGMA, task.sigma},
               {ATP_OPT_LAMBDA, task.lambda},
               {ATP_OPT_STUDENT_RANK, task.rank},
               {ATP_OPT_START, solution}});
  set_task(run, task, alphas);
  Progress progress(session, "solve", "fixed points");
  return run.run(&progress);
}

CurveTable attention_dynamics(const Session &session, const AttentionTask &task, const AttentionDynamics &dynamics) {
  TaskRun run(session, ATP_TASK_DOTATTN_DYNAMICS,
              {{ATP_OPT_OMEGA, task.omega}, {ATP_OPT_SIGMA, task.sigma}, {ATP_OPT_LAMBDA, task.lambda}, {ATP_OPT_RATE, dynamics.rate}});
  set_maps(run, task).array(ATP_ARRAY_TIMES, dynamics.times);
  Progress progress(session, "solve", "times");
  return run.run(&progress);
}

CurveTable attention_trajectories(const Session &session, const AttentionTask &task, const AttentionDynamics &dynamics) {
  TaskRun run(session, ATP_TASK_DOTATTN_TRAJECTORY,
              {{ATP_OPT_OMEGA, task.omega},
               {ATP_OPT_SIGMA, task.sigma},
               {ATP_OPT_LAMBDA, task.lambda},
               {ATP_OPT_RATE, dynamics.rate},
               {ATP_OPT_ALPHA, dynamics.alpha},
               {ATP_OPT_DIMENSION, dynamics.dimension},
               {ATP_OPT_TEST_SAMPLES, kRecordSamples},
               {ATP_OPT_RUNS, dynamics.runs}});
  set_maps(run, task).array(ATP_ARRAY_TIMES, dynamics.times);
  require_memory(session, static_cast<double>(run.bytes()), "the runs of --simulate (fewer with --threads 1)");
  Progress progress(session, "simulate", "steps");
  return run.run(&progress);
}

const char *solution_name(atp_dotattn_start solution) {
  switch (solution) {
    case ATP_DOTATTN_START_SEMANTIC: return "semantic";
    case ATP_DOTATTN_START_POSITIONAL: return "positional";
    case ATP_DOTATTN_START_RANDOM: return "random";
    default: return "mixed";
  }
}

}  // namespace cli
