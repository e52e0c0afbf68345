// SPDX-License-Identifier: MIT
// Saved states of a trainer: key | position | optimiser | parameters | what the present epoch of SGD or Adam has gathered.
#include "learn/factored/trainer.hpp"

#include "base/checksum.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace atp {

Trainer::Key Trainer::key() const {
  const AttentionShape &shape = settings.shape;
  Key k{};
  k.count = settings.count;
  k.sites = shape.sites;
  k.colors = shape.colors;
  k.heads = shape.heads;
  k.map = shape.map;
  k.rank = shape.rank;
  k.fields = shape.fields;
  k.colors_fixed = shape.colors_fixed;
  k.diagonal = shape.map == ATP_MAP_FREE ? 0 : shape.diagonal;
  k.scores_scaled = shape.map == ATP_MAP_LOWRANK && shape.scores_scaled;
  k.symmetrized = shape.symmetrized;
  k.gaps = shape.gaps_ignored ? ATP_GAPS_IGNORE : ATP_GAPS_STATE;
  k.objective = settings.objective;
  k.optimizer = settings.optimizer;
  k.batch = settings.stochastic() ? settings.batch : 0;
  k.epochs = settings.stochastic() ? settings.epochs : 0;  // with L-BFGS a limit, not a part of the problem
  k.history = settings.stochastic() ? 0 : settings.history;
  k.precision = settings.precision;
  k.seed = static_cast<int64_t>(settings.seed);
  k.rate = settings.stochastic() ? settings.rate : 0;
  k.momentum = settings.momentum;
  k.tolerance = settings.tolerance;
  k.init_scale = settings.init_scale;
  k.l2_couplings = settings.penalties.couplings;
  k.l2_colors = settings.penalties.colors;
  k.l2_fields = settings.penalties.fields;
  k.l2_pairs = settings.penalties.pairs;
  k.sequences = data_hash_;
  k.weights = checksum_of(train_->weights);
  k.values = checksum_of(objective_.fixed_values) ^ later_settings();
  return k;
}

// A hash of the settings that the first layout of the key has no place for; 0 if all of them have their defaults, so that states of that
// layout load.
uint64_t Trainer::later_settings() const {
  const double later[] = {settings.penalties.norm_pairs, settings.penalties.norm_fields,
                          settings.initial == ATP_INITIAL_NORMAL ? 0.0 : static_cast<double>(settings.initial),
                          settings.rate_constant ? 1.0 : 0.0, settings.mask_probability};
  const bool used = std::any_of(std::begin(later), std::end(later), [](double x) { return x != 0; });
  return used ? checksum_of(later) : 0;
}

int64_t Trainer::saved_bytes() const {
  const int64_t rest =
      settings.stochastic() ? stochastic_.payload() : lbfgs_.payload() + parameters_.size() * static_cast<int64_t>(sizeof(double));
  return static_cast<int64_t>(sizeof(Key) + sizeof(RunPosition)) + rest;
}

void Trainer::save(void *buffer, int64_t size) const {
  const Key k = key();
  StateWriter writer(buffer, size, StateKind::trainer, checksum_of(k), saved_bytes());
  writer.value(k);
  writer.value(at_);
  if (settings.stochastic()) {
    stochastic_.save(writer, parameters_);
  } else {
    lbfgs_.save(writer);
    writer.array(Span<const double>(parameters_));
  }
  writer.finish();
}

void Trainer::load(const void *buffer, int64_t size) {
  const Key mine = key();
  const auto open = [&] {
    try {
      return StateReader(buffer, size, StateKind::trainer, checksum_of(mine), saved_bytes(), "trainer");
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
    stochastic_.load(reader, parameters_);
  } else {
    lbfgs_.load(reader);
    reader.array(parameters_);
  }
  at_ = at;
}

// Throws ATP_E_FORMAT where a run cannot be in this state.
void Trainer::check(StateReader reader, const RunPosition &at) const {
  if (settings.stochastic()) return stochastic_.check(reader, at);
  const bool ended =
      at.end == ATP_OUTCOME_NONE || at.end == ATP_OUTCOME_CONVERGED || at.end == ATP_OUTCOME_DIVERGED || at.end == ATP_OUTCOME_STALLED;
  if (at.epoch < 0 || at.epoch > kMaxEpochs || at.step != 0 || !ended)
    fail(ATP_E_FORMAT, "the state's position (epoch %lld, step %lld, outcome %lld) does not exist", static_cast<long long>(at.epoch),
         static_cast<long long>(at.step), static_cast<long long>(at.end));
  at.check_numbers();
  lbfgs_.check(reader);
  reader.reals<double>(parameters_.size(), "parameters");
}

// The state is whole, but of another trainer, or of another handle altogether: say what differs.
void Trainer::explain_mismatch(const void *buffer, int64_t size) const {
  const StateHeader header = header_of(buffer);
  if (header.kind != static_cast<uint32_t>(StateKind::trainer)) fail(ATP_E_MISMATCH, "the state is not one of a trainer");
  if (size < state_bytes(sizeof(Key))) fail(ATP_E_MISMATCH, "the state is too short for one of a trainer");
  Key theirs;
  copy_ordered<Key>(&theirs, static_cast<const char *>(buffer) + sizeof header, 1);
  const Key mine = key();
  const struct {
    const char *name;
    int64_t Key::*member;
  } integers[] = {{"sequences", &Key::count},
                  {"sites", &Key::sites},
                  {"colors", &Key::colors},
                  {"heads", &Key::heads},
                  {"map", &Key::map},
                  {"rank", &Key::rank},
                  {"fields", &Key::fields},
                  {"colors-fixed", &Key::colors_fixed},
                  {"objective", &Key::objective},
                  {"optimizer", &Key::optimizer},
                  {"batch", &Key::batch},
                  {"epochs", &Key::epochs},
                  {"history", &Key::history},
                  {"precision", &Key::precision},
                  {"seed", &Key::seed},
                  {"diagonal", &Key::diagonal},
                  {"scores-scaled", &Key::scores_scaled},
                  {"symmetrized", &Key::symmetrized},
                  {"gaps", &Key::gaps}};
  const struct {
    const char *name;
    double Key::*member;
  } reals[] = {{"rate", &Key::rate},
               {"momentum", &Key::momentum},
               {"tolerance", &Key::tolerance},
               {"init-scale", &Key::init_scale},
               {"l2-couplings", &Key::l2_couplings},
               {"l2-colors", &Key::l2_colors},
               {"l2-fields", &Key::l2_fields},
               {"l2-pairs", &Key::l2_pairs}};
  for (const auto &field : integers)
    if (theirs.*field.member != mine.*field.member)
      fail(ATP_E_MISMATCH, "the state has %s %lld, the trainer has %lld", field.name, static_cast<long long>(theirs.*field.member),
           static_cast<long long>(mine.*field.member));
  for (const auto &field : reals)
    if (theirs.*field.member != mine.*field.member)
      fail(ATP_E_MISMATCH, "the state has %s %.17g, the trainer has %.17g", field.name, theirs.*field.member, mine.*field.member);
  if (theirs.sequences != mine.sequences) fail(ATP_E_MISMATCH, "the state belongs to other training sequences");
  if (theirs.weights != mine.weights) fail(ATP_E_MISMATCH, "the state belongs to other weights of the training sequences");
  if (theirs.values != mine.values)
    fail(ATP_E_MISMATCH,
         "the state belongs to other fixed values V, or to another norm-pairs, norm-fields, initial, schedule or mask-probability");
  fail(ATP_E_MISMATCH, "the state belongs to another trainer");
}

}  // namespace atp
