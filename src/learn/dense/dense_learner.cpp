// SPDX-License-Identifier: MIT
#include "learn/dense/dense_learner.hpp"

#include "base/checksum.hpp"
#include "base/team.hpp"
#include "potts/coupling_error.hpp"
#include "potts/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace atp {

namespace {

// Sum of weight times predicted sites.
double predicted_weight(const DenseShape &shape, const Alignment &alignment) {
  double sum = 0;
  for (int64_t n = 0; n < alignment.count(); ++n) {
    int64_t predicted = shape.sites;
    const uint8_t *s = alignment.sequence(n);
    if (shape.gaps_ignored) predicted -= std::count(s, s + shape.sites, uint8_t{0});
    sum += alignment.weights[n] * static_cast<double>(predicted);
  }
  return sum;
}

}  // namespace

DensePenalties DenseSettings::penalties(double effective_count) const {
  const double others = static_cast<double>(shape.sites - 1), changes = static_cast<double>(shape.colors - 1);
  const double both = scale == ATP_L2_WEIGHT ? effective_count : 1;
  const double couplings = scale == ATP_L2_SITES ? others : scale == ATP_L2_SITES_COLORS ? others * changes : both;
  DensePenalties p;
  p.fields = l2_fields < 0 ? 0.01 : l2_fields * both;
  p.couplings = l2_couplings < 0 ? 0.2 * others : l2_couplings * couplings;
  return p;
}

DenseSettings dense_settings(const Options &options, int64_t count, int64_t sites, int64_t colors, const PairLists *lists) {
  AlignmentShape data;
  data.count = count;
  data.sites = sites;
  data.colors = colors;
  check_shape(data);
  DenseSettings s;
  s.shape.count = count;
  s.shape.sites = sites;
  s.shape.lists = lists;
  s.shape.gaps_ignored = options.integer(ATP_OPT_GAPS) == ATP_GAPS_IGNORE;
  s.shape.colors = colors - (s.shape.gaps_ignored ? 1 : 0);
  if (s.shape.colors < 2)
    fail(ATP_E_CONFLICT, "gaps are ignored and the data have %lld colours: one is left", static_cast<long long>(colors));
  ModelShape model;
  model.sites = sites;
  model.colors = s.shape.colors;
  check_shape(model);
  s.optimizer = static_cast<atp_optimizer>(options.integer(ATP_OPT_OPTIMIZER));
  if (s.stochastic() && options.flag(ATP_OPT_ASYMMETRIC))
    fail(ATP_E_CONFLICT, "asymmetric is 1 and optimizer is %s: the problems of single sites need lbfgs",
         s.optimizer == ATP_OPTIMIZER_SGD ? "sgd" : "adam");
  if (options.integer(ATP_OPT_OBJECTIVE) != ATP_OBJECTIVE_PSEUDOLIKELIHOOD)
    fail(ATP_E_CONFLICT, "family is dense and objective is mlm: dense couplings need the pseudolikelihood");
  if (options.integer(ATP_OPT_HEADS) != 1 || options.integer(ATP_OPT_MAP) != ATP_MAP_FREE || options.flag(ATP_OPT_COLORS_FIXED))
    fail(ATP_E_CONFLICT, "family is dense: heads, map and colors-fixed belong to factored attention");
  s.asymmetric = options.flag(ATP_OPT_ASYMMETRIC);
  s.precision = static_cast<int>(options.integer(ATP_OPT_PRECISION));
  s.epochs = options.integer(ATP_OPT_EPOCHS);
  s.history = options.integer(ATP_OPT_HISTORY);
  if (s.history == 0) s.history = s.asymmetric ? 8 : 5;
  s.batch = std::min(options.integer(ATP_OPT_BATCH), count);
  s.seed = static_cast<uint64_t>(options.integer(ATP_OPT_SEED));
  s.rate = options.real(ATP_OPT_RATE);
  if (s.rate == 0) s.rate = s.optimizer == ATP_OPTIMIZER_ADAM ? 0.01 : 0.5;
  s.momentum = options.real(ATP_OPT_MOMENTUM);
  if (s.momentum != 0 && s.optimizer != ATP_OPTIMIZER_SGD)
    fail(ATP_E_CONFLICT, "momentum is %g and optimizer is %s: only sgd has momentum", s.momentum,
         s.optimizer == ATP_OPTIMIZER_ADAM ? "adam" : "lbfgs");
  s.tolerance = options.real(ATP_OPT_TOLERANCE);
  s.l2_fields = options.real(ATP_OPT_L2_FIELDS);
  s.l2_couplings = options.real(ATP_OPT_L2_COUPLINGS);
  s.scale = static_cast<atp_l2_scale>(options.integer(ATP_OPT_L2_SCALE));
  return s;
}

template <class Pass>
void DenseLearner<Pass>::lay_out_shared(Arena &arena) {
  const DenseShape &shape = settings.shape;
  const int64_t q = shape.colors;
  data_.lay_out(arena);
  passes_ = arena.take<Pass>(team_);
  for (int t = 0; t < team_; ++t) {
    Pass pass;
    pass.lay_out(arena, shape);
    if (!arena.measuring()) passes_[t] = pass;
  }
  blocks_ = arena.take<double>(team_, q, q);
  scratch_ = arena.take<double>(coupling_error_scratch(q));
  codes_ = arena.take<uint16_t>(shape.code_columns(), shape.piece());
  losses_ = arena.take<double>(shape.sites);
  frequencies_ = arena.take<double>(shape.sites, q);
  start_ = arena.take<double>(shape.sites, q);
}

template <class Pass>
void DenseLearner<Pass>::init(const Alignment &train) {
  assert(train.count() == settings.shape.count);
  keep_train(train);
  data_hash_ = checksum(train.sequences.data(), static_cast<std::size_t>(train.sequences.size()));
  data_.init(train.sequences.data(), train.weights.data());
  take_own_data();
  start();
}

template <class Pass>
void DenseLearner<Pass>::take_own_data() {
  effective_count_ = train_->effective_count();
  predicted_weight_ = data_.predicted_weight;
  penalties_ = settings.penalties(effective_count_);
  std::fill(frequencies_.begin(), frequencies_.end(), 1 / static_cast<double>(settings.shape.colors));
  count_colors(settings.shape, train_->sequences.data(), train_->weights.data(), frequencies_.data());
  initial_fields(settings.shape, frequencies_.data(), start_.data());
}

template <class Pass>
void DenseLearner<Pass>::check_parameters(Span<const double> values) {
  constexpr double most = static_cast<double>(std::numeric_limits<Real>::max());
  for (int64_t k = 0; k < values.size(); ++k)
    if (!(std::fabs(values[k]) <= most))
      fail(ATP_E_NOT_FINITE, "parameters" ATP_AT " is %g, must be within %g, the range of the precision", static_cast<long long>(k),
           values[k], most);
}

template <class Pass>
void DenseLearner<Pass>::set_test(const Alignment *test) {
  keep_test(test);
  optimal_known_ = false;
}

template <class Pass>
void DenseLearner<Pass>::set_truth(const Model *truth) {
  truth_ = truth;
  optimal_known_ = false;
}

// Nats per predicted site under couplings that put(pass, i, thread) hands over.
template <class Pass>
template <class Put>
double DenseLearner<Pass>::mean_loss(const Alignment &alignment, Put &&put) {
  const int64_t L = sites(), piece = settings.shape.piece();
  double sum = 0;
  for (int64_t first = 0; first < alignment.count(); first += piece) {
    const int64_t size = std::min(piece, alignment.count() - first);
    write_codes(settings.shape, alignment.sequence(first), size, codes_.data());
    shared_for(context->ranks, threads(), L, [&](int64_t i, int thread) {
      put(passes_[thread], i, thread);
      losses_[i] = passes_[thread].loss_of(kernels_, codes_.data(), alignment.weights.data() + first, size, i);
    });
    context->ranks.gather(losses_.data(), L, sizeof(double));
    for (double x : losses_) sum += x;
  }
  const double weight = predicted_weight(settings.shape, alignment);
  return weight > 0 ? sum / weight : 0;
}

template <class Pass>
double DenseLearner<Pass>::loss(const Alignment &alignment) {
  return mean_loss(alignment, [&](Pass &pass, int64_t i, int) { put_present(pass, i); });
}

template <class Pass>
double DenseLearner<Pass>::loss_of_truth(const Alignment &alignment) {
  const int64_t q = model_colors();
  return mean_loss(alignment, [&](Pass &pass, int64_t i, int thread) {
    double *block = blocks_.data() + thread * q * q;
    for (int64_t a = 0; a < q; ++a) block[a] = truth_->fields.empty() ? 0 : truth_->beta * truth_->fields[i * q + a];
    pass.put_fields(block);
    pass.clear_block(i);
    for (int64_t j = 0; j < sites(); ++j) {
      if (j == i) continue;
      for (int64_t a = 0; a < q; ++a)
        for (int64_t b = 0; b < q; ++b) block[a * q + b] = truth_->beta * truth_->coupling(i, j, a, b);
      pass.put_block(j, block, q, 1);
    }
  });
}

// A pass of a restricted trainer has no room for the couplings of a truth between other pairs: predict from the truth itself, sequence by
// sequence. The colours of the model, of a piece of sequences, are written where their codes would be.
template <class Pass>
double DenseLearner<Pass>::restricted_loss_of_truth(const Alignment &alignment) {
  const int64_t L = sites(), piece = settings.shape.piece(), first_color = settings.shape.gaps_ignored ? 1 : 0;
  auto *colors = reinterpret_cast<uint8_t *>(codes_.data());
  double sum = 0;
  for (int64_t first = 0; first < alignment.count(); first += piece) {
    const int64_t size = std::min(piece, alignment.count() - first);
    for (int64_t k = 0; k < size * L; ++k) {
      const int64_t color = alignment.sequence(first)[k] - first_color;
      colors[k] = color < 0 ? kMissing : static_cast<uint8_t>(color);
    }
    shared_for(context->ranks, threads(), L, [&](int64_t i, int) {
      double field[kMaxColors], loss = 0;
      for (int64_t n = 0; n < size; ++n) {
        const uint8_t own = colors[n * L + i];
        if (own == kMissing) continue;
        truth_->local_field(colors + n * L, i, field);
        loss += alignment.weights[first + n] * negative_log_softmax(field, model_colors(), truth_->beta, own);
      }
      losses_[i] = loss;
    });
    context->ranks.gather(losses_.data(), L, sizeof(double));
    for (double x : losses_) sum += x;
  }
  const double weight = predicted_weight(settings.shape, alignment);
  return weight > 0 ? sum / weight : 0;
}

// True when the run must end.
template <class Pass>
bool DenseLearner<Pass>::report(Reporter &reporter, int64_t total, bool with_tests) {
  if (!reporter.wanted()) return reporter.meet();
  atp_progress progress;
  progress.set(ATP_PROGRESS_STEP, static_cast<double>(epoch_));
  progress.set(ATP_PROGRESS_TOTAL, static_cast<double>(total));
  progress.set(ATP_PROGRESS_TRAIN_LOSS, loss_);
  progress.set(ATP_PROGRESS_OBJECTIVE, objective_value_);
  progress.set(ATP_PROGRESS_GRADIENT_NORM, gradient_norm_);
  progress.set(ATP_PROGRESS_RATE, rate_);
  if (test_ != nullptr && with_tests) progress.set(ATP_PROGRESS_TEST_LOSS, loss(*test_));
  if (test_ != nullptr && truth_ != nullptr && with_tests) {
    if (!optimal_known_) optimal_loss_ = settings.shape.lists == nullptr ? loss_of_truth(*test_) : restricted_loss_of_truth(*test_);
    optimal_known_ = true;
    progress.set(ATP_PROGRESS_OPTIMAL_LOSS, optimal_loss_);
  }
  if (truth_ != nullptr && with_tests) {
    CouplingView learned;
    learned.sites = sites();
    learned.colors = model_colors();
    learned.source = this;
    learned.add = [](const void *self, int64_t i, int64_t j, double factor, double *block) {
      const auto *learner = static_cast<const DenseLearner *>(self);
      const DenseShape &pairs = learner->settings.shape;
      const int64_t k = pairs.place(i, j);
      if (k < pairs.degree(i) && pairs.neighbor(i, k) == j) learner->add_present(i, k, factor, block);
    };
    progress.set(ATP_PROGRESS_COUPLING_ERROR, coupling_error(learned, couplings_of(*truth_), scratch_));
  }
  return reporter.report(progress);
}

template <class Pass>
Model *DenseLearner<Pass>::make_model() const {
  ModelShape shape;
  shape.sites = sites();
  shape.colors = model_colors();
  shape.fields = true;
  const DenseShape &known = settings.shape;
  if (known.lists != nullptr) shape.pairs = known.lists->count();
  Model *model = create_in_block<Model>(context->allocator, context, shape);
  if (known.lists != nullptr) std::copy(known.lists->pairs().begin(), known.lists->pairs().end(), model->pairs.begin());
  write_present(model->fields.data());
  parallel_for(threads(), sites(), [&](int64_t i, int) {
    for (int64_t k = 0; k < known.degree(i); ++k)
      add_present(i, k, 1, model->couplings.data() + (i * sites() + known.neighbor(i, k)) * known.block());
  });
  std::memcpy(model->alphabet, train_->alphabet, sizeof model->alphabet);
  if (settings.shape.gaps_ignored && model->alphabet[0] != '\0')
    std::memmove(model->alphabet, model->alphabet + 1, sizeof model->alphabet - 1);
  model->labels.copy(train_->labels);
  return model;
}

template <class Pass>
DenseKey DenseLearner<Pass>::key() const {
  DenseKey k{};
  k.count = count();
  k.sites = sites();
  k.colors = colors();
  k.gaps = settings.shape.gaps_ignored ? ATP_GAPS_IGNORE : ATP_GAPS_STATE;
  k.problem = (settings.asymmetric ? 1 : 0) | (settings.shape.lists != nullptr ? 2 : 0) | (settings.stochastic() ? 4 : 0);
  k.precision = settings.precision;
  k.history = settings.history;
  k.epochs = settings.asymmetric ? settings.epochs : 0;  // symmetric: a limit, not a part of the problem
  k.tolerance = settings.tolerance;
  k.l2_fields = penalties_.fields;
  k.l2_couplings = penalties_.couplings;
  k.sequences = data_hash_;
  k.weights = checksum_of(train_->weights);
  // A part of the data: the same part of other data is another problem. Rounded, since sums over processes may differ in the last bits.
  const float totals[] = {static_cast<float>(effective_count_), static_cast<float>(predicted_weight_)};
  if (effective_count_ != train_->effective_count() || predicted_weight_ != data_.predicted_weight) k.weights ^= checksum_of(totals);
  return k;
}

template <class Pass>
int64_t DenseLearner<Pass>::list_bytes() const {
  const PairLists *listed = settings.shape.lists;
  return listed == nullptr ? 0 : static_cast<int64_t>(sizeof(int64_t)) + listed->count() * static_cast<int64_t>(sizeof(SitePair));
}

template <class Pass>
uint64_t DenseLearner<Pass>::fingerprint() const {
  const DenseKey k = key();
  const PairLists *listed = settings.shape.lists;
  if (listed == nullptr && !settings.stochastic()) return checksum_of(k);
  const uint64_t pairs = listed == nullptr ? 0 : checksum_of(listed->pairs());
  const uint64_t parts[] = {checksum_of(k), pairs, run_key()};
  return checksum_of(parts);
}

template <class Pass>
void DenseLearner<Pass>::save(void *buffer, int64_t size) const {
  const DenseKey k = key();
  StateWriter writer(buffer, size, StateKind::dense_trainer, fingerprint(), saved_bytes());
  writer.value(k);
  if (const PairLists *listed = settings.shape.lists; listed != nullptr) {
    writer.value(listed->count());
    writer.array(listed->pairs());
  }
  writer.value(epoch_);
  writer.value(static_cast<int64_t>(end_));
  save_run(writer);
  writer.finish();
}

template <class Pass>
void DenseLearner<Pass>::load(const void *buffer, int64_t size) {
  const DenseKey mine = key();
  const auto open = [&] {
    try {
      return StateReader(buffer, size, StateKind::dense_trainer, fingerprint(), saved_bytes(), "trainer of dense couplings");
    } catch (const Error &e) {
      if (e.status() != ATP_E_MISMATCH) throw;
      explain_mismatch(buffer, size);
    }
  };
  StateReader reader = open();
  DenseKey theirs;
  int64_t epoch = 0, end = 0;
  reader.value(theirs);
  if (std::memcmp(&theirs, &mine, sizeof mine) != 0) explain_mismatch(buffer, size);
  if (settings.shape.lists != nullptr) {
    explain_pairs(static_cast<const char *>(buffer), size, theirs.problem & 2);
    reader.pass_over<char>(list_bytes());
  }
  reader.value(epoch);
  reader.value(end);
  if (!possible(epoch, end))
    fail(ATP_E_FORMAT, "the state's position (epoch %lld, outcome %lld) does not exist", static_cast<long long>(epoch),
         static_cast<long long>(end));
  check_run(reader, epoch, end);
  context->ranks.meet();  // what one rank cannot load is loaded by none
  load_run(reader);
  epoch_ = epoch;
  end_ = static_cast<atp_outcome>(end);
}

// Throws ATP_E_MISMATCH where the pairs of a whole state, which is restricted or not, are not those of this trainer.
template <class Pass>
void DenseLearner<Pass>::explain_pairs(const char *state, int64_t size, int64_t restricted) const {
  const PairLists *listed = settings.shape.lists;
  if ((restricted != 0) != (listed != nullptr))
    fail(ATP_E_MISMATCH, "the state is of couplings of %s, the trainer of %s", restricted != 0 ? "a list of pairs" : "all pairs",
         listed != nullptr ? "a list of pairs" : "all pairs");
  if (listed == nullptr) return;
  constexpr int64_t head = static_cast<int64_t>(sizeof(StateHeader) + sizeof(DenseKey)), bytes = sizeof(SitePair);
  int64_t count = 0;
  if (size < head + static_cast<int64_t>(sizeof count)) fail(ATP_E_MISMATCH, "the state is too short for its list of pairs");
  copy_ordered<int64_t>(&count, state + head, 1);
  if (count != listed->count())
    fail(ATP_E_MISMATCH, "the state has %lld pairs, the trainer has %lld", static_cast<long long>(count),
         static_cast<long long>(listed->count()));
  if (size < head + list_bytes()) fail(ATP_E_MISMATCH, "the state is too short for its list of pairs");
  for (int64_t k = 0; k < count; ++k) {
    const SitePair &own = listed->pairs()[k];
    SitePair pair;
    copy_ordered<SitePair>(&pair, state + head + static_cast<int64_t>(sizeof count) + k * bytes, 1);
    if (pair.first != own.first || pair.second != own.second)
      fail(ATP_E_MISMATCH, "the state's pair %lld is of sites %lld and %lld, the trainer's of %lld and %lld", static_cast<long long>(k),
           static_cast<long long>(pair.first), static_cast<long long>(pair.second), static_cast<long long>(own.first),
           static_cast<long long>(own.second));
  }
}

// The state is whole, but of another trainer, or of another handle altogether: say what differs.
template <class Pass>
void DenseLearner<Pass>::explain_mismatch(const void *buffer, int64_t size) const {
  const StateHeader header = header_of(buffer);
  if (header.kind != static_cast<uint32_t>(StateKind::dense_trainer))
    fail(ATP_E_MISMATCH, "the state is not one of a trainer of dense couplings");
  if (size < state_bytes(sizeof(DenseKey))) fail(ATP_E_MISMATCH, "the state is too short for one of a trainer of dense couplings");
  DenseKey theirs;
  copy_ordered<DenseKey>(&theirs, static_cast<const char *>(buffer) + sizeof header, 1);
  const DenseKey mine = key();
  const struct {
    const char *name;
    int64_t DenseKey::*member;
  } integers[] = {{"sequences", &DenseKey::count}, {"sites", &DenseKey::sites},         {"colors", &DenseKey::colors},
                  {"gaps", &DenseKey::gaps},       {"precision", &DenseKey::precision}, {"history", &DenseKey::history},
                  {"epochs", &DenseKey::epochs}};
  if ((theirs.problem & 4) != (mine.problem & 4))
    fail(ATP_E_MISMATCH, "the state is of %s, the trainer has %s", (theirs.problem & 4) != 0 ? "SGD or Adam" : "L-BFGS",
         (mine.problem & 4) != 0 ? "SGD or Adam" : "L-BFGS");
  if ((theirs.problem & 1) != (mine.problem & 1))
    fail(ATP_E_MISMATCH, "the state has asymmetric %lld, the trainer has %lld", static_cast<long long>(theirs.problem & 1),
         static_cast<long long>(mine.problem & 1));
  const struct {
    const char *name;
    double DenseKey::*member;
  } reals[] = {{"tolerance", &DenseKey::tolerance}, {"l2-fields", &DenseKey::l2_fields}, {"l2-couplings", &DenseKey::l2_couplings}};
  for (const auto &field : integers)
    if (theirs.*field.member != mine.*field.member)
      fail(ATP_E_MISMATCH, "the state has %s %lld, the trainer has %lld", field.name, static_cast<long long>(theirs.*field.member),
           static_cast<long long>(mine.*field.member));
  for (const auto &field : reals)
    if (theirs.*field.member != mine.*field.member)
      fail(ATP_E_MISMATCH, "the state has %s %.17g, the trainer has %.17g", field.name, theirs.*field.member, mine.*field.member);
  if (theirs.sequences != mine.sequences) fail(ATP_E_MISMATCH, "the state belongs to other training sequences");
  if (theirs.weights != mine.weights) fail(ATP_E_MISMATCH, "the state belongs to other weights of the training sequences");
  explain_pairs(static_cast<const char *>(buffer), size, theirs.problem & 2);
  if (settings.stochastic())
    fail(ATP_E_MISMATCH, "the state belongs to a run with another optimiser, batch, number of epochs, rate, momentum or seed");
  fail(ATP_E_MISMATCH, "the state belongs to another trainer");
}

template class DenseLearner<DensePassF32>;
template class DenseLearner<DensePassF64>;

}  // namespace atp
