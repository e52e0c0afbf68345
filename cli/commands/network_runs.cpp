// SPDX-License-Identifier: MIT
#include "commands/network_runs.hpp"

#include "support/potts_data.hpp"
#include "support/progress_display.hpp"
#include "support/signals.hpp"

#include <chrono>

namespace cli {

namespace {

// Trainers of factored attention and networks have the same calls.
atp_status run(atp_trainer *t, int64_t epochs, atp_progress_fn progress, void *user, atp_outcome *outcome) {
  return atp_trainer_run(t, epochs, progress, user, outcome);
}
atp_status run(atp_transformer *t, int64_t epochs, atp_progress_fn progress, void *user, atp_outcome *outcome) {
  return atp_transformer_run(t, epochs, progress, user, outcome);
}
atp_status loss_of(atp_trainer *t, const atp_alignment *data, double *loss) { return atp_trainer_loss(t, data, loss); }
atp_status loss_of(atp_transformer *t, const atp_alignment *data, double *loss) { return atp_transformer_loss(t, data, loss); }
int64_t epochs_of(const atp_trainer *t) { return atp_trainer_epochs(t); }
int64_t epochs_of(const atp_transformer *t) { return atp_transformer_epochs(t); }
int64_t count_of(const atp_trainer *t) { return atp_trainer_parameter_count(t); }
int64_t count_of(const atp_transformer *t) { return atp_transformer_parameter_count(t); }
atp_status model_of(const atp_trainer *t, atp_model **model) { return atp_trainer_model(t, model); }
atp_status model_of(const atp_transformer *t, atp_model **model) { return atp_transformer_model(t, model); }
atp_status get(const atp_trainer *t, double *x, int64_t size) { return atp_trainer_parameters(t, x, size); }
atp_status get(const atp_transformer *t, double *x, int64_t size) { return atp_transformer_parameters(t, x, size); }
atp_status set(atp_trainer *t, const double *x, int64_t size) { return atp_trainer_set_parameters(t, x, size); }
atp_status set(atp_transformer *t, const double *x, int64_t size) { return atp_transformer_set_parameters(t, x, size); }
atp_status gradient(atp_trainer *t, double *loss, double *objective, double *g, int64_t size) {
  return atp_trainer_gradient(t, loss, objective, g, size);
}
atp_status gradient(atp_transformer *t, double *loss, double *objective, double *g, int64_t size) {
  const atp_status status = atp_transformer_gradient(t, loss, g, size);
  *objective = *loss;
  return status;
}
Trainer create(const Session &session, const atp_alignment *data, const atp_options *options, const atp_trainer *) {
  Trainer made;
  check(atp_trainer_create(session.context.get(), data, options, out(made)));
  return made;
}
Transformer create(const Session &session, const atp_alignment *data, const atp_options *options, const atp_transformer *) {
  Transformer made;
  check(atp_transformer_create(session.context.get(), data, options, out(made)));
  return made;
}

bool factored(const NetworkJob &job) { return job.kind == NetworkKind::factored || (job.kind == NetworkKind::dial && job.dial == 0); }

Options options_of(const Session &session, const NetworkJob &job, bool polish) {
  Options options;
  check(atp_options_create(session.context.get(), out(options)));
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
  check(atp_options_set_i64(o, ATP_OPT_ARCHITECTURE, encoder ? ATP_ARCHITECTURE_ENCODER : ATP_ARCHITECTURE_DIAL));
  if (encoder) check(atp_options_set_i64(o, ATP_OPT_BLOCKS, job.blocks));
  if (!encoder) check(atp_options_set_f64(o, ATP_OPT_DIAL, job.dial));
  if (!encoder && job.dial == 0) check(atp_options_set_i64(o, ATP_OPT_MAP, job.map));
  return options;
}

template <class Handle>
std::vector<double> parameters_of(const Handle *handle) {
  std::vector<double> values(static_cast<std::size_t>(count_of(handle)));
  check(get(handle, values.data(), static_cast<int64_t>(values.size())));
  return values;
}

template <class Handle>
void train_epochs(const Session &session, Handle *handle, int64_t epochs, NetworkEnd &end) {
  Progress progress(session, end.name, end.polished ? "iterations" : "epochs");
  const StopOnSignal stop(handle);
  progress.set_frame(0, static_cast<double>(epochs));
  const auto begin = std::chrono::steady_clock::now();
  check(run(handle, epochs, Progress::callback, &progress, &end.outcome));
  end.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  end.iterations = epochs_of(handle);
  stop_if_interrupted();
}

std::vector<std::vector<double>> attention_maps(atp_trainer *, const NetworkInputs &) { return {}; }
std::vector<std::vector<double>> attention_maps(atp_transformer *network, const NetworkInputs &in) {
  const int64_t sites = atp_alignment_sites(in.train.get()), count = atp_transformer_map_count(network);
  std::vector<double> all(static_cast<std::size_t>(count * sites * sites));
  check(atp_transformer_maps(network, in.test.get(), all.data(), static_cast<int64_t>(all.size())));
  std::vector<std::vector<double>> maps;
  for (int64_t k = 0; k < count; ++k) maps.emplace_back(all.begin() + k * sites * sites, all.begin() + (k + 1) * sites * sites);
  return maps;
}

template <class Handle>
void measure(const Session &session, Handle *handle, const NetworkJob &job, const NetworkInputs &in, NetworkEnd &end) {
  std::vector<double> slope(static_cast<std::size_t>(count_of(handle)));
  check(gradient(handle, &end.train_loss, &end.objective, slope.data(), static_cast<int64_t>(slope.size())));
  double square = 0;
  for (double g : slope) square += g * g;
  end.gradient_norm = std::sqrt(square);
  if (in.test) check(loss_of(handle, in.test.get(), &end.test_loss), "--test");
  if (!in.truth) return;
  if (!factored(job)) {
    if (in.test) end.maps = attention_maps(handle, in);
    return;
  }
  Model learned;
  check(model_of(handle, out(learned)));
  check(atp_model_coupling_error(session.context.get(), learned.get(), in.truth.get(), &end.coupling_error), "--truth");
  end.maps.push_back(compare_maps(session, in.truth.get(), learned.get()).learned);
}

template <class Handle>
NetworkEnds train_all(const Session &session, const NetworkJob &job, const NetworkInputs &in, Handle *) {
  NetworkEnds ends;
  NetworkEnd sgd;
  sgd.name = "sgd";
  const auto first = create(session, in.train.get(), options_of(session, job, false).get(), static_cast<Handle *>(nullptr));
  ends.parameters = count_of(first.get());
  train_epochs(session, first.get(), job.epochs, sgd);
  measure(session, first.get(), job, in, sgd);
  ends.list.push_back(std::move(sgd));
  if (job.polish == 0 || ends.list.front().outcome == ATP_OUTCOME_DIVERGED) return ends;
  NetworkEnd end;
  end.name = "lbfgs";
  end.polished = true;
  const auto second = create(session, in.train.get(), options_of(session, job, true).get(), static_cast<Handle *>(nullptr));
  const std::vector<double> values = parameters_of(first.get());
  check(set(second.get(), values.data(), static_cast<int64_t>(values.size())));
  train_epochs(session, second.get(), job.polish, end);
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
  NetworkEnds ends = job.kind == NetworkKind::factored ? train_all(session, job, in, static_cast<atp_trainer *>(nullptr))
                                                       : train_all(session, job, in, static_cast<atp_transformer *>(nullptr));
  if (in.truth && in.test) check(atp_model_loss(session.context.get(), in.truth.get(), in.test.get(), &ends.optimal_loss), "--truth");
  if (in.truth) ends.true_map = compare_maps(session, in.truth.get(), in.truth.get()).truth;
  return ends;
}

}  // namespace cli
