// SPDX-License-Identifier: MIT
// Saved states of a transformer: key | position | optimiser | parameters | sums of the present epoch.
#include "learn/network/trainer.hpp"

#include "base/checksum.hpp"
#include "base/state.hpp"

#include <cstring>

namespace atp {

TransformerTrainer::Key TransformerTrainer::key() const {
  Key k{};
  k.count = settings.count;
  k.sites = settings.sites;
  k.colors = settings.colors;
  k.architecture = settings.architecture;
  if (settings.has_dial()) {
    k.map = settings.dial.map;
    k.dial = settings.dial.dial;
  } else {
    k.blocks = settings.encoder.blocks;
    k.width = settings.encoder.width;
    k.hidden = settings.encoder.hidden;
    k.positions = settings.encoder.positions;
  }
  k.objective = settings.masked ? ATP_OBJECTIVE_MLM : ATP_OBJECTIVE_PSEUDOLIKELIHOOD;
  k.optimizer = settings.optimizer;
  k.batch = settings.stochastic() ? settings.batch : settings.history;
  k.epochs = settings.epochs;
  k.precision = settings.precision;
  k.seed = static_cast<int64_t>(settings.seed);
  k.rate = settings.rate;
  k.momentum = settings.momentum;
  k.tolerance = settings.tolerance;
  k.init_scale = settings.init_scale;
  k.sequences = data_hash_;
  k.weights = checksum_of(train_->weights);
  return k;
}

int64_t TransformerTrainer::saved_bytes() const {
  const int64_t rest =
      settings.stochastic() ? run_.payload() : lbfgs_.payload() + parameters_.size() * static_cast<int64_t>(sizeof(double));
  return static_cast<int64_t>(sizeof(Key) + sizeof(RunPosition)) + rest;
}

void TransformerTrainer::save(void *buffer, int64_t size) const {
  const Key k = key();
  StateWriter writer(buffer, size, StateKind::transformer, checksum_of(k), saved_bytes());
  writer.value(k);
  writer.value(at_);
  if (settings.stochastic()) {
    run_.save(writer, parameters_);
  } else {
    lbfgs_.save(writer);
    writer.array(Span<const double>(parameters_));
  }
  writer.finish();
}

void TransformerTrainer::load(const void *buffer, int64_t size) {
  const Key mine = key();
  const auto open = [&] {
    try {
      return StateReader(buffer, size, StateKind::transformer, checksum_of(mine), saved_bytes(), "transformer");
    } catch (const Error &e) {
      if (e.status() != ATP_E_MISMATCH) throw;
      explain_mismatch(buffer, size);
    }
  };
  StateReader reader = open();
  Key theirs;
  RunPosition at;
  reader.value(theirs);
  if (std::memcmp(&theirs, &mine, sizeof mine) != 0) explain_mismatch(buffer, size);
  reader.value(at);
  check(reader, at);
  if (settings.stochastic()) {
    run_.load(reader, parameters_);
  } else {
    lbfgs_.load(reader);
    reader.array(parameters_);
  }
  at_ = at;
}

void TransformerTrainer::check(StateReader reader, const RunPosition &at) const {
  if (settings.stochastic()) return run_.check(reader, at);
  const bool ended =
      at.end == ATP_OUTCOME_NONE || at.end == ATP_OUTCOME_CONVERGED || at.end == ATP_OUTCOME_DIVERGED || at.end == ATP_OUTCOME_STALLED;
  if (at.epoch < 0 || at.epoch > settings.epochs || at.step != 0 || !ended)
    fail(ATP_E_FORMAT, "the state's position (epoch %lld, step %lld, outcome %lld) does not exist", static_cast<long long>(at.epoch),
         static_cast<long long>(at.step), static_cast<long long>(at.end));
  at.check_numbers();
  lbfgs_.check(reader);
  reader.reals<double>(parameters_.size(), "parameters");
}

// For a valid state of another transformer or of another handle: reports the difference.
void TransformerTrainer::explain_mismatch(const void *buffer, int64_t size) const {
  const StateHeader header = header_of(buffer);
  if (header.kind != static_cast<uint32_t>(StateKind::transformer)) fail(ATP_E_MISMATCH, "the state is not one of a transformer");
  if (size < state_bytes(sizeof(Key))) fail(ATP_E_MISMATCH, "the state is too short for one of a transformer");
  Key theirs;
  copy_ordered<Key>(&theirs, static_cast<const char *>(buffer) + sizeof header, 1);
  const Key mine = key();
  const struct {
    const char *name;
    int64_t Key::*member;
  } integers[] = {{"sequences", &Key::count},
                  {"sites", &Key::sites},
                  {"colors", &Key::colors},
                  {"architecture", &Key::architecture},
                  {"blocks", &Key::blocks},
                  {"width", &Key::width},
                  {"hidden", &Key::hidden},
                  {"positions", &Key::positions},
                  {"objective", &Key::objective},
                  {"optimizer", &Key::optimizer},
                  {settings.stochastic() ? "batch" : "history", &Key::batch},
                  {"epochs", &Key::epochs},
                  {"precision", &Key::precision},
                  {"seed", &Key::seed},
                  {"map", &Key::map}};
  const struct {
    const char *name;
    double Key::*member;
  } reals[] = {{"dial", &Key::dial},
               {"rate", &Key::rate},
               {"momentum", &Key::momentum},
               {"tolerance", &Key::tolerance},
               {"init-scale", &Key::init_scale}};
  for (const auto &field : integers)
    if (theirs.*field.member != mine.*field.member)
      fail(ATP_E_MISMATCH, "the state has %s %lld, the transformer has %lld", field.name, static_cast<long long>(theirs.*field.member),
           static_cast<long long>(mine.*field.member));
  for (const auto &field : reals)
    if (theirs.*field.member != mine.*field.member)
      fail(ATP_E_MISMATCH, "the state has %s %.17g, the transformer has %.17g", field.name, theirs.*field.member, mine.*field.member);
  if (theirs.sequences != mine.sequences) fail(ATP_E_MISMATCH, "the state belongs to other training sequences");
  if (theirs.weights != mine.weights) fail(ATP_E_MISMATCH, "the state belongs to other weights of the training sequences");
  fail(ATP_E_MISMATCH, "the state belongs to another transformer");
}

}  // namespace atp
