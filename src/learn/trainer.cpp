// SPDX-License-Identifier: MIT
#include "learn/trainer.hpp"

#include "alignment/alphabet.hpp"
#include "base/checksum.hpp"
#include "base/state.hpp"
#include "learn/dense/dense_data.hpp"
#include "learn/likelihood/model_chains.hpp"
#include "learn/options.hpp"
#include "potts/pairwise.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

namespace atp {

Trainer::Trainer(Context *owner, const Options &options, const AlignmentShape &data, PairLists *listed) : context(owner), given(options) {
  const ObjectiveRow &own = objective_row(options);
  if (listed != nullptr) require_capability(own, kHasPairLists);
  check_shape(data);
  objective_ = own.make(objective_place_, own, {owner, options, data, listed});
  driver_ = put_driver(driver_place_, *objective_);
}

void Trainer::lay_out(Arena &arena) {
  objective_->lay_out(arena);
  driver_->lay_out(arena);
  parts_ = arena.take<Part>(objective_->part_count());
}

void Trainer::init(const Alignment &train) {
  assert(train.count() == count());
  borrow(&train);
  train_ = &train;
  data_hash_ = checksum(train.sequences.data(), static_cast<std::size_t>(train.sequences.size()));
  objective_->init(train);
  start();
}

void Trainer::start() {
  for (int64_t k = 0; k < parts_.size(); ++k) parts_[k] = objective_->part(k);
  objective_->set_former_unknowns(false);
  driver_->prepare();
  objective_->start(driver_->x);
  restart();
}

void Trainer::restart() {
  at_ = {};
  driver_->restart();
}

void Trainer::release() noexcept {
  give_back(train_);
  give_back(test_);
  objective_->release();
}

void Trainer::set_parameters(Span<const double> values) {
  objective_->write(values, driver_->x);
  restart();
}

void Trainer::start_model(const Model &model) {
  if (model.shape.ordered) {
    const auto destroy = [&](Model *made) { destroy_block(context->allocator, made); };
    const std::unique_ptr<Model, decltype(destroy)> pairwise(make_pairwise(*context, model), destroy);
    objective_->start_model(*pairwise, driver_->x);
  } else {
    objective_->start_model(model, driver_->x);
  }
  restart();
}

void Trainer::set_values(Span<const double> values) {
  objective_->set_values(values, driver_->x);
  restart();
}

void Trainer::set_test(const Alignment *test) {
  borrow(test);
  give_back(test_);
  test_ = test;
  driver_->hold_out(test);
  optimal_known_ = false;
}

void Trainer::set_truth(const Model *truth) {
  const bool ordered = (row().capabilities & kHasOrder) != 0;
  if (truth != nullptr && truth->shape.ordered != ordered)
    fail(ATP_E_CONFLICT, "truth is %s, must be %s for this objective", ordered ? "a Potts model" : "autoregressive",
         ordered ? "autoregressive" : "a Potts model");
  truth_ = truth;
  optimal_known_ = false;
}

Evaluation Trainer::evaluate(Span<double> gradient) {
  if (!driver_->evaluates_during_runs()) running.require_idle("trainer");
  return driver_->evaluate(gradient);
}

Evaluation Trainer::evaluate_masked(const int64_t *masked_sites, Span<double> gradient) {
  require(kHasMaskedLosses);
  MaskedData data(*train_);
  data.masked = masked_sites;
  const Evaluation now = objective_->evaluate(driver_->x, data, gradient);
  if (!gradient.empty()) objective_->read_gradient(gradient, gradient.data());
  return now;
}

// Where the sums fail, all stays as it was.
void Trainer::set_reduction(atp_reduce_fn reduce, void *user) {
  if (reduce == nullptr && (row().capabilities & kHasReduction) == 0) return;
  require(kHasReduction);
  objective_->set_reduction(reduce, user);
  start();
}

void Trainer::set_order(Span<const int64_t> order) {
  require(kHasOrder);
  assert(order.size() == sites());
  check_permutation(order);
  objective_->set_order(order);
  start();
}

void Trainer::start_chains(const Alignment &sequences) {
  require(kHasChains);
  if (objective_->settings.boltzmann.start != ATP_CHAIN_START_PERSISTENT)
    fail(ATP_E_CONFLICT, "chains do not persist from step to step, must be chain-start persistent");
  restart();
  driver_->chains()->put(sequences);
}

Alignment *Trainer::make_chains() const {
  require(kHasChains);
  const ModelChains &chains = *driver_->chains();
  AlignmentShape shape;
  shape.count = chains.count();
  shape.sites = sites();
  shape.colors = colors();
  auto *made = create_in_block<Alignment>(context->allocator, context, shape, nullptr);
  for (int64_t r = 0; r < shape.count; ++r) {
    chains.get(r, made->own_sequences.data() + r * shape.sites);
    made->weights[r] = 1;
  }
  std::memcpy(made->alphabet, train_->alphabet, sizeof made->alphabet);
  made->labels.copy(train_->labels);
  return made;
}

void Trainer::reintegrate(const Alignment &tested, Span<const double> adjustments, double strength) {
  require(kHasReintegration);
  double largest = 0;
  for (double a : adjustments) largest = std::fmax(largest, std::fabs(a));
  if (!(largest > 0)) fail(ATP_E_VALUE, "adjustments are all 0, must be above or below 0 for some of the tested sequences");
  driver_->reintegrate(tested, adjustments, strength > 0 ? strength : 1 / largest);
  objective_->start(driver_->x);
  restart();
}

void Trainer::check_start_wide(int64_t heads) const {
  require(kHasWideStart);
  objective_->check_wide(heads);
}

atp_outcome Trainer::start_wide(int64_t heads, int64_t iterations, Reporter &reporter) {
  Options wide = given;
  wide.set(ATP_OPT_HEADS, heads);
  wide.set(ATP_OPT_OBJECTIVE, int64_t{row().objective});
  wide.set(ATP_OPT_MASK_PROBABILITY, 0.0);
  wide.set(ATP_OPT_OPTIMIZER, int64_t{ATP_OPTIMIZER_LBFGS});
  wide.set(ATP_OPT_MOMENTUM, 0.0);
  wide.set(ATP_OPT_EPOCHS, std::min(iterations, kMaxEpochs));
  Trainer *made = create_in_block<Trainer>(context->allocator, context, wide, objective_->data, nullptr);
  const std::unique_ptr<Trainer, void (*)(Trainer *)> owner(made, destroy_trainer);
  made->init(*train_);
  if (!objective_->order().empty()) made->set_order(objective_->order());
  const atp_outcome outcome = made->run(iterations, reporter);
  if (outcome != ATP_OUTCOME_DIVERGED) start_from(*made);
  stop_.clear();
  return outcome;
}

void Trainer::start_from(const Trainer &wide) {
  require(kHasWideStart);
  wide.require(kHasWideStart);
  // A wide run from a state of the first version is followed by a run like those of then.
  objective_->set_former_unknowns(wide.objective_->former_unknowns());
  driver_->prepare();
  objective_->start_from(*wide.objective_, wide.driver_->x, driver_->x);
  restart();
}

atp_outcome Trainer::run(int64_t epochs, Reporter &reporter) {
  atp_outcome outcome = at_.outcome();
  if (outcome == ATP_OUTCOME_NONE && epochs > 0) {
    const int64_t last = at_.epoch + std::min(epochs, std::max<int64_t>(driver_->most_epochs() - at_.epoch, 0));
    const auto tell = [&](double gradient_norm, double objective) { return report(reporter, gradient_norm, objective); };
    outcome = driver_->run(last, at_, {reporter, tell});
  }
  stop_.clear();
  return outcome;
}

// True when the run must end.
bool Trainer::report(Reporter &reporter, double gradient_norm, double objective) {
  if (!reporter.wanted()) return reporter.meet();
  const bool whole = driver_->whole(at_);
  atp_progress progress;
  progress.set(ATP_PROGRESS_STEP, static_cast<double>(at_.epoch));
  progress.set(ATP_PROGRESS_TOTAL, static_cast<double>(driver_->most_epochs()));
  progress.set(ATP_PROGRESS_TRAIN_LOSS, at_.loss);
  progress.set(ATP_PROGRESS_OBJECTIVE, objective);
  progress.set(ATP_PROGRESS_GRADIENT_NORM, gradient_norm);
  progress.set(ATP_PROGRESS_RATE, at_.rate);
  if (test_ != nullptr && whole) progress.set(ATP_PROGRESS_TEST_LOSS, loss(*test_));
  if (test_ != nullptr && truth_ != nullptr && whole) {
    if (!optimal_known_) optimal_loss_ = objective_->loss_of(*truth_, *test_);
    optimal_known_ = true;
    progress.set(ATP_PROGRESS_OPTIMAL_LOSS, optimal_loss_);
  }
  if (truth_ != nullptr && whole) progress.set(ATP_PROGRESS_COUPLING_ERROR, objective_->coupling_error(driver_->x, *truth_));
  driver_->add_to(progress);
  return reporter.report(progress);
}

namespace {

struct DestroyLists {
  Allocator &allocator;
  void operator()(PairLists *lists) const noexcept { destroy_block(allocator, lists); }
};
using OwnLists = std::unique_ptr<PairLists, DestroyLists>;

// Those of the pairs, or of all pairs where the objective needs lists anyway; nullptr: no lists.
OwnLists make_lists(Context &context, const Options &options, const AlignmentShape &data, const int64_t *pairs, int64_t count) {
  OwnLists lists(nullptr, DestroyLists{context.allocator});
  const uint32_t needed = kHasPairLists | kHasOrder;
  const bool directed = (objective_row(options).capabilities & needed) == needed;
  if (pairs == nullptr && !directed) return lists;
  if (pairs == nullptr) {
    check_shape(data);
    count = all_pairs(data.sites);
  } else {
    check_pair_count(count, data.sites, "pairs");
  }
  lists.reset(create_in_block<PairLists>(context.allocator, data.sites, count, directed));
  lists->init(pairs);
  return lists;
}

// Without a gap among the symbols, colour 0 is a letter like the others.
void warn_of_gaps(const Context &context, const Options &options, const Alignment &train) {
  const char first = train.alphabet[0];
  if (options.integer(ATP_OPT_GAPS) == ATP_GAPS_IGNORE && first != '\0' && gap_color(train.alphabet) < 0)
    context.message(ATP_LOG_WARNING,
                    "gaps are ignored, and the alphabet begins with '%c', which is no gap: the sites that have it are not learned", first);
}

}  // namespace

std::size_t trainer_bytes(Context &context, const Options &options, const AlignmentShape &data, const int64_t *pairs, int64_t pair_count) {
  const OwnLists lists = make_lists(context, options, data, pairs, pair_count);
  return bytes_of<Trainer>(&context, options, data, lists.get()) + (lists == nullptr ? 0 : lists->block_bytes);
}

Trainer *create_trainer(Context &context, const Options &options, const Alignment &train, const int64_t *pairs, int64_t pair_count) {
  AlignmentShape data;
  data.count = train.count();
  data.sites = train.sites();
  data.colors = train.colors();
  OwnLists lists = make_lists(context, options, data, pairs, pair_count);
  auto *trainer = create_in_block<Trainer>(context.allocator, &context, options, data, lists.get());
  std::unique_ptr<Trainer, void (*)(Trainer *)> owner(trainer, destroy_trainer);
  warn_of_unused(context, trainer->row(), options);
  warn_of_gaps(context, options, train);
  trainer->lists = lists.release();
  trainer->init(train);
  return owner.release();
}

void destroy_trainer(Trainer *trainer) noexcept {
  if (trainer == nullptr) return;
  trainer->release();
  destroy_block(trainer->context->allocator, trainer->lists);
  destroy_block(trainer->context->allocator, trainer);
}

namespace {

// A saved state: number of fields | fields | position | optimiser and parameters. The fields, which are named, say what the state belongs
// to: the trainer's own, those of the objective and those of the driver.
using Field = StateFields::Field;

double real_of(const Field &field) {
  double x;
  std::memcpy(&x, &field.bits, sizeof x);
  return x;
}

int64_t bytes_of_fields(int64_t count) { return static_cast<int64_t>(sizeof(int64_t)) + count * static_cast<int64_t>(sizeof(Field)); }

// In the byte order of states.
void write_field(StateWriter &writer, const Field &field) {
  std::memcpy(writer.room(sizeof field.name), field.name, sizeof field.name);
  writer.value(field.kind);
  writer.value(field.bits);
}

Field read_field(const char *from) {
  Field field;
  std::memcpy(field.name, from, sizeof field.name);
  field.name[sizeof field.name - 1] = '\0';
  copy_ordered<int64_t>(&field.kind, from + sizeof field.name, 1);
  copy_ordered<int64_t>(&field.bits, from + sizeof field.name + sizeof field.kind, 1);
  return field;
}

// The word of a field that holds a value of the option of its name; nullptr: there is none.
const char *word_of(const Field &field) {
  for (int k = 0; k < kTrainerOptions.count; ++k)
    if (const OptionInfo &info = kTrainerOptions.rows[k]; std::strcmp(info.name, field.name) == 0) return info.word(field.bits);
  return nullptr;
}

[[noreturn]] void fail_field(const Field &theirs, const Field &mine) {
  if (const char *saved = word_of(theirs), *own = word_of(mine); saved != nullptr && own != nullptr)
    fail(ATP_E_MISMATCH, "the state has %s %s, the trainer has %s", mine.name, saved, own);
  if (std::strcmp(mine.name, "epochs") == 0)
    fail(ATP_E_MISMATCH,
         "the state has epochs %lld, the trainer has %lld: the rate depends on the number. Go on with as many, or begin a run with another "
         "schedule, or with the parameters so far",
         static_cast<long long>(theirs.bits), static_cast<long long>(mine.bits));
  if (mine.kind == StateFields::integer)
    fail(ATP_E_MISMATCH, "the state has %s %lld, the trainer has %lld", mine.name, static_cast<long long>(theirs.bits),
         static_cast<long long>(mine.bits));
  if (mine.kind == StateFields::real)
    fail(ATP_E_MISMATCH, "the state has %s %.17g, the trainer has %.17g", mine.name, real_of(theirs), real_of(mine));
  fail(ATP_E_MISMATCH, "the state belongs to other %s", mine.name);
}

uint64_t fingerprint(const StateFields &fields) {
  uint64_t sum = kChecksumStart;
  for (const Field &field : fields.all()) sum = checksum_of(field.bits, checksum(field.name, sizeof field.name, sum));
  return sum;
}

}  // namespace

StateFields Trainer::fields() const {
  const TrainingSettings &s = objective_->settings;
  StateFields f;
  f.add("family", int64_t{row().family});
  f.add("sequences", count());
  f.add("sites", sites());
  f.add("colors", colors());
  f.add("optimizer", int64_t{s.optimizer});
  f.add("objective", int64_t{s.masked ? ATP_OBJECTIVE_MLM : row().objective});
  f.add("precision", int64_t{s.precision});
  f.add("seed", static_cast<int64_t>(s.seed));
  f.add("init-scale", s.init_scale);
  f.add("tolerance", s.tolerance);
  objective_->describe(f);
  driver_->describe(f);
  f.add_hash("training sequences", data_hash_);
  // The last number tells former unknowns from present ones, so that states keep their size; what else differs has been named by then.
  const bool present = objective_->has_former_unknowns() && !objective_->former_unknowns();
  f.add_hash("weights of the training sequences", checksum_of(train_->weights) + (present ? 1 : 0));
  return f;
}

int64_t Trainer::saved_bytes() const {
  return bytes_of_fields(fields().all().size()) + static_cast<int64_t>(sizeof(RunPosition)) + driver_->payload();
}

void Trainer::save(void *buffer, int64_t size) const {
  const StateFields mine = fields();
  StateWriter writer(buffer, size, StateKind::trainer, fingerprint(mine), saved_bytes());
  writer.value(mine.all().size());
  for (const Field &field : mine.all()) write_field(writer, field);
  writer.value(at_);
  driver_->save(writer);
  writer.finish();
}

void Trainer::load(const void *buffer, int64_t size) {
  const bool former = objective_->former_unknowns();
  const auto switch_to = [&](bool unknowns) {
    objective_->set_former_unknowns(unknowns);
    driver_->prepare();
  };
  try {
    return load_state(buffer, size);
  } catch (const Error &e) {
    if (e.status() != ATP_E_MISMATCH || !objective_->has_former_unknowns()) throw;
    switch_to(!former);
    try {
      return load_state(buffer, size);
    } catch (const Error &other) {
      switch_to(former);
      if (other.status() != ATP_E_MISMATCH) throw;
    }
    throw;
  }
}

void Trainer::load_state(const void *buffer, int64_t size) {
  const StateFields mine = fields_with_limits_of(buffer, size);
  const auto open = [&] {
    try {
      return StateReader(buffer, size, StateKind::trainer, fingerprint(mine), saved_bytes(), "trainer");
    } catch (const Error &e) {
      if (e.status() != ATP_E_MISMATCH) throw;
      explain_mismatch(buffer, size);
    }
  };
  StateReader reader = open();
  int64_t count;
  reader.value(count);
  if (count != mine.all().size()) explain_mismatch(buffer, size);
  for (const Field &own : mine.all()) {
    const Field theirs = read_field(static_cast<const char *>(reader.bytes(sizeof own)));
    if (std::memcmp(&theirs, &own, sizeof own) != 0) explain_mismatch(buffer, size);
  }
  RunPosition at;
  reader.value(at);
  driver_->check(reader, at);
  context->ranks.meet();  // what one rank cannot load is loaded by none
  driver_->load(reader, at);
  at_ = at;
}

// Its fields, with the limits that a state has.
StateFields Trainer::fields_with_limits_of(const void *buffer, int64_t size) const {
  StateFields mine = fields();
  const int64_t count = mine.all().size();
  if (size < state_bytes(bytes_of_fields(count))) return mine;
  const char *from = static_cast<const char *>(buffer) + sizeof(StateHeader);
  for (int64_t k = 0; k < count; ++k) {
    const Field theirs = read_field(from + bytes_of_fields(k));
    if (mine.is_limit(k) && std::strcmp(theirs.name, mine.all()[k].name) == 0) mine.set_limit(k, theirs.bits);
  }
  return mine;
}

// The state is whole, but of another trainer, or of another handle altogether: say what differs.
void Trainer::explain_mismatch(const void *buffer, int64_t size) const {
  const StateHeader header = header_of(buffer);
  if (header.kind != static_cast<uint32_t>(StateKind::trainer)) fail(ATP_E_MISMATCH, "the state is not one of a trainer");
  const char *from = static_cast<const char *>(buffer) + sizeof header;
  int64_t count = -1;
  if (size >= state_bytes(sizeof count)) copy_ordered<int64_t>(&count, from, 1);
  if (count < 0 || count > 4096 || size < state_bytes(bytes_of_fields(count)))
    fail(ATP_E_MISMATCH, "the state is too short for one of a trainer");
  const StateFields own = fields_with_limits_of(buffer, size);
  for (const Field &mine : own.all()) {
    for (int64_t k = 0; k < count; ++k) {
      const Field theirs = read_field(from + bytes_of_fields(k));
      if (std::strcmp(theirs.name, mine.name) != 0) continue;
      if (theirs.kind != mine.kind || theirs.bits != mine.bits) fail_field(theirs, mine);
      break;
    }
  }
  fail(ATP_E_MISMATCH, "the state belongs to another trainer");
}

}  // namespace atp
