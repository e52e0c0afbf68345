// SPDX-License-Identifier: MIT
#include "commands/network_runs.hpp"

#include "run/sampling.hpp"
#include "run/signals.hpp"
#include "run/training.hpp"

#include <chrono>

namespace cli {

namespace {

bool factored(const NetworkJob &job) { return job.kind == NetworkKind::factored || (job.kind == NetworkKind::dial && job.dial == 0); }

Options options_of(const Session &session, const NetworkJob &job, bool polish) {
  Options options;
  check(atp_options_create(session.context.get(), ATP_OWNER_TRAINER, out(options)));
  atp_options *o = options.get();
  check(atp_options_set_i64(o, ATP_OPT_SEED, session.seed));
  check(atp_options_set_i64(o, ATP_OPT_PRECISION, job.precision));
  check(atp_options_set_i64(o, ATP_OPT_EPOCHS, polish ? job.polish : job.epochs));
  check(atp_options_set_i64(o, ATP_OPT_OBJECTIVE, polish ? ATP_OBJECTIVE_PSEUDOLIKELIHOOD : ATP_OBJECTIVE_MLM));
  check(atp_options_set_i64(o, ATP_OPT_OPTIMIZER, polish ? ATP_OPTIMIZER_LBFGS : ATP_OPTIMIZER_SGD));
  if (polish) {
    check(atp_options_set_f64(o, ATP_OPT_TOLERANCE, job.tolerance));
  } else {
    check(atp_options_set_i64(o, ATP_OPT_BATCH, job.batch));
    check(atp_options_set_f64(o, ATP_OPT_RATE, job.rate), "--rate");
    check(atp_options_set_f64(o, ATP_OPT_MOMENTUM, job.momentum));
  }
  if (job.kind == NetworkKind::factored) {
    if (polish) check(atp_options_set_f64(o, ATP_OPT_L2_COUPLINGS, job.l2_maps));
    if (polish) check(atp_options_set_f64(o, ATP_OPT_L2_COLORS, job.l2_colors));
    return options;
  }
  const bool encoder = job.kind == NetworkKind::encoder;
  check(atp_options_set_i64(o, ATP_OPT_FAMILY, encoder ? ATP_FAMILY_ENCODER : ATP_FAMILY_DIAL));
  if (encoder) check(atp_options_set_i64(o, ATP_OPT_BLOCKS, job.blocks));
  if (!encoder) check(atp_options_set_f64(o, ATP_OPT_DIAL, job.dial));
  if (!encoder && job.dial == 0) check(atp_options_set_i64(o, ATP_OPT_MAP, job.map));
  return options;
}

std::vector<double> parameters_of(const atp_trainer *trainer) {
  std::vector<double> values(static_cast<std::size_t>(atp_trainer_parameter_count(trainer)));
  check(atp_trainer_parameters(trainer, values.data(), static_cast<int64_t>(values.size())));
  return values;
}

void train_epochs(const Session &session, atp_trainer *trainer, NetworkEnd &end) {
  EpochLog log;
  TrainingJob job;
  job.task = end.name;
  job.unit = end.polished ? "iterations" : "epochs";
  const auto begin = std::chrono::steady_clock::now();
  end.outcome = train(session, trainer, job, log);
  end.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  end.iterations = atp_trainer_epochs(trainer);
  stop_if_interrupted();
}

std::vector<std::vector<double>> attention_maps(atp_trainer *network, const NetworkInputs &in) {
  const int64_t sites = atp_alignment_sites(in.train.get()), count = atp_trainer_map_count(network);
  std::vector<double> all(static_cast<std::size_t>(count * sites * sites));
  check(atp_trainer_maps(network, in.test.get(), all.data(), static_cast<int64_t>(all.size())));
  std::vector<std::vector<double>> maps;
  for (int64_t k = 0; k < count; ++k) maps.emplace_back(all.begin() + k * sites * sites, all.begin() + (k + 1) * sites * sites);
  return maps;
}

void measure(const Session &session, atp_trainer *trainer, const NetworkJob &job, const NetworkInputs &in, NetworkEnd &end) {
  std::vector<double> slope(static_cast<std::size_t>(atp_trainer_parameter_count(trainer)));
  check(atp_trainer_gradient(trainer, &end.train_loss, &end.objective, slope.data(), static_cast<int64_t>(slope.size())));
  double square = 0;
  for (double g : slope) square += g * g;
  end.gradient_norm = std::sqrt(square);
  if (in.test) check(atp_trainer_loss(trainer, in.test.get(), &end.test_loss), "--test");
  if (!in.truth) return;
  if (!factored(job)) {
    if (in.test) end.maps = attention_maps(trainer, in);
    return;
  }
  Model learned;
  check(atp_trainer_model(trainer, out(learned)));
  check(atp_model_coupling_error(session.context.get(), learned.get(), in.truth.get(), &end.coupling_error), "--truth");
  end.maps.push_back(compare_maps(session, in.truth.get(), learned.get()).learned);
}

Trainer create(const Session &session, const NetworkJob &job, const NetworkInputs &in, bool polish) {
  Trainer made;
  check(atp_trainer_create(session.context.get(), in.train.get(), options_of(session, job, polish).get(), out(made)));
  return made;
}

NetworkEnds train_all(const Session &session, const NetworkJob &job, const NetworkInputs &in) {
  NetworkEnds ends;
  NetworkEnd sgd;
  sgd.name = "sgd";
  const Trainer first = create(session, job, in, false);
  ends.parameters = atp_trainer_parameter_count(first.get());
  train_epochs(session, first.get(), sgd);
  measure(session, first.get(), job, in, sgd);
  ends.list.push_back(std::move(sgd));
  if (job.polish == 0 || ends.list.front().outcome == ATP_OUTCOME_DIVERGED) return ends;
  NetworkEnd end;
  end.name = "lbfgs";
  end.polished = true;
  const Trainer second = create(session, job, in, true);
  const std::vector<double> values = parameters_of(first.get());
  check(atp_trainer_set_parameters(second.get(), values.data(), static_cast<int64_t>(values.size())));
  train_epochs(session, second.get(), end);
  measure(session, second.get(), job, in, end);
  ends.list.push_back(std::move(end));
  return ends;
}

}  // namespace

const char *network_word(NetworkKind kind) {
  return kind == NetworkKind::factored ? "factored" : kind == NetworkKind::encoder ? "encoder" : "dial";
}

const char *NetworkJob::map_word() const {
  if (kind == NetworkKind::factored) return "free";
  if (kind == NetworkKind::encoder) return "attention";
  return map == ATP_MAP_FREE ? "free" : map == ATP_MAP_SOFTMAX ? "softmax" : "lowrank";
}

NetworkEnds run_network_job(const Session &session, const NetworkJob &job, const NetworkInputs &in) {
  NetworkEnds ends = train_all(session, job, in);
  if (in.truth && in.test) check(atp_model_loss(session.context.get(), in.truth.get(), in.test.get(), &ends.optimal_loss), "--truth");
  if (in.truth) ends.true_map = compare_maps(session, in.truth.get(), in.truth.get()).truth;
  return ends;
}

}  // namespace cli
