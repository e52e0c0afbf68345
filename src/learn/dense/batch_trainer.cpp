// SPDX-License-Identifier: MIT
#include "learn/dense/batch_trainer.hpp"

#include "base/checksum.hpp"
#include "base/team.hpp"

#include <algorithm>

namespace atp {

namespace {

DenseShape batch_shape(const DenseSettings &settings) {
  DenseShape shape = settings.shape;
  shape.count = settings.batch;
  return shape;
}

StochasticSettings stochastic_settings(const DenseSettings &settings) {
  StochasticSettings s;
  s.adam = settings.optimizer == ATP_OPTIMIZER_ADAM;
  s.unknowns = symmetric_unknowns(settings.shape);
  s.count = settings.shape.count;
  s.sites = settings.shape.sites;
  s.batch = settings.batch;
  s.epochs = settings.epochs;
  s.seed = settings.seed;
  s.rate = settings.rate;
  s.momentum = settings.momentum;
  return s;
}

}  // namespace

template <class Pass>
BatchTrainer<Pass>::BatchTrainer(Context *owner, const DenseSettings &values)
    : Base(owner, values),
      objective_(owner->ranks, values.shape, {}),
      stochastic_(stochastic_settings(values)),
      batch_(batch_shape(values)) {}

template <class Pass>
void BatchTrainer<Pass>::lay_out(Arena &arena) {
  const int64_t n = symmetric_unknowns(settings.shape);
  this->lay_out_shared(arena);
  objective_.lay_out(arena);
  stochastic_.lay_out(arena);
  batch_.lay_out(arena);
  batch_passes_ = arena.take<Pass>(this->team_);
  for (int t = 0; t < this->team_; ++t) {
    Pass pass;
    pass.lay_out(arena, batch_.shape);
    if (!arena.measuring()) batch_passes_[t] = pass;
  }
  sequences_ = arena.take<uint8_t>(settings.batch, settings.shape.sites);
  weights_ = arena.take<double>(settings.batch);
  x_ = arena.take<double>(n);
  for (Span<Real> *v : {&point_, &slope_}) *v = arena.take<Real>(n);
}

template <class Pass>
void BatchTrainer<Pass>::start() {
  stochastic_.settings.tolerance = this->tolerance(settings.shape.sites) / predicted();
  std::fill(x_.begin(), x_.end(), 0.0);
  std::copy(this->start_.begin(), this->start_.end(), x_.begin());
  restart();
}

template <class Pass>
void BatchTrainer<Pass>::restart() {
  at_ = {};
  epoch_ = 0;
  end_ = ATP_OUTCOME_NONE;
  stochastic_.restart();
}

template <class Pass>
void BatchTrainer<Pass>::copy_parameters(double *out) const {
  std::copy(x_.begin(), x_.end(), out);
}

template <class Pass>
void BatchTrainer<Pass>::set_parameters(Span<const double> values) {
  Base::check_parameters(values);
  std::copy(values.begin(), values.end(), x_.begin());
  restart();
}

template <class Pass>
void BatchTrainer<Pass>::add_present(int64_t i, int64_t k, double factor, double *block) const {
  const int64_t q = settings.shape.colors, j = settings.shape.neighbor(i, k);
  const double *from = x_.data() + settings.shape.sites * q + settings.shape.pair(i, k) * q * q;
  for (int64_t a = 0; a < q; ++a)
    for (int64_t b = 0; b < q; ++b) block[a * q + b] += factor * (i < j ? from[a * q + b] : from[b * q + a]);
}

template <class Pass>
void BatchTrainer<Pass>::write_present(double *fields) const {
  std::copy_n(x_.data(), settings.shape.sites * settings.shape.colors, fields);
}

template <class Pass>
void BatchTrainer<Pass>::set_point() {
  for (int64_t k = 0; k < x_.size(); ++k) point_[k] = static_cast<Real>(x_[k]);
}

// Over all sequences: the sum of the losses, and the gradient of the objective with its penalties.
template <class Pass>
double BatchTrainer<Pass>::whole(Span<double> gradient, double *penalty) {
  set_point();
  objective_.penalties = this->penalties_;
  const Span<Real> slope = gradient.empty() ? Span<Real>() : slope_;
  const double loss = objective_.evaluate(this->threads(), kernels_, passes_, data_, point_, slope, penalty);
  std::copy(slope.begin(), slope.end(), gradient.begin());
  return loss;
}

// The last batch of an epoch may be smaller: it ends with sequences of weight 0.
template <class Pass>
BatchLoss BatchTrainer<Pass>::batch(const Batch &chosen, Span<double> gradient) {
  const int64_t L = settings.shape.sites;
  std::fill(weights_.begin(), weights_.end(), 0.0);
  for (int64_t n = 0; n < chosen.rows.size(); ++n) {
    std::copy_n(this->train_->sequence(chosen.rows[n]), L, sequences_.data() + n * L);
    weights_[n] = this->train_->weights[chosen.rows[n]];
  }
  batch_.init(sequences_.data(), weights_.data());
  set_point();
  BatchLoss out;
  objective_.penalties = {};
  out.loss = objective_.evaluate(this->threads(), kernels_, batch_passes_, batch_, point_, slope_, nullptr);
  out.weight = batch_.predicted_weight;
  const double scale = out.weight > 0 ? 1 / out.weight : 0;
  out.loss *= scale;
  for (Real &g : slope_) g = static_cast<Real>(scale * static_cast<double>(g));
  objective_.penalties = {this->penalties_.fields / predicted(), this->penalties_.couplings / predicted()};
  out.penalty = objective_.add_penalties(this->threads(), point_, slope_);
  std::copy(slope_.begin(), slope_.end(), gradient.begin());
  return out;
}

template <class Pass>
void BatchTrainer<Pass>::evaluate(double *loss, double *objective, Span<double> gradient) {
  double penalty = 0;
  const double sum = whole(gradient, &penalty);
  if (loss != nullptr) *loss = data_.predicted_weight > 0 ? sum / data_.predicted_weight : 0;
  if (objective != nullptr) *objective = sum + penalty;
}

template <class Pass>
atp_outcome BatchTrainer<Pass>::run(int64_t epochs, Reporter &reporter) {
  atp_outcome outcome = at_.outcome();
  if (outcome == ATP_OUTCOME_NONE && epochs > 0) {
    const int64_t last = at_.epoch + std::min(epochs, std::max<int64_t>(settings.epochs - at_.epoch, 0));
    double penalty = 0;
    const auto of_batch = [&](const Batch &chosen, Span<double> gradient) { return batch(chosen, gradient); };
    const auto of_all = [&](Span<double> gradient) {
      whole(gradient, &penalty);
      for (double &g : gradient) g /= predicted();
    };
    const auto stopped = [&] { return reporter.stopped(); };
    const auto tell = [&](double gradient_norm) {
      epoch_ = at_.epoch;
      this->loss_ = at_.loss;
      this->objective_value_ = at_.objective * predicted();
      this->gradient_norm_ = gradient_norm * predicted();
      this->rate_ = at_.rate;
      return this->report(reporter, settings.epochs, true);
    };
    outcome = stochastic_.run(last, x_, at_, {of_batch, of_all, stopped, tell});
    epoch_ = at_.epoch;
    end_ = at_.outcome();
  }
  this->stop_.clear();
  return outcome;
}

template <class Pass>
uint64_t BatchTrainer<Pass>::run_key() const {
  const struct {
    int64_t optimizer, batch, epochs;
    uint64_t seed;
    double rate, momentum;
  } key{settings.optimizer, settings.batch, settings.epochs, settings.seed, settings.rate, settings.momentum};
  return checksum_of(key);
}

template <class Pass>
void BatchTrainer<Pass>::save_run(StateWriter &writer) const {
  writer.value(at_);
  stochastic_.save(writer, x_);
}

template <class Pass>
bool BatchTrainer<Pass>::possible(int64_t epoch, int64_t end) const {
  return epoch >= 0 && epoch <= settings.epochs && end >= ATP_OUTCOME_NONE && end <= ATP_OUTCOME_STALLED;
}

template <class Pass>
void BatchTrainer<Pass>::check_run(StateReader reader, int64_t epoch, int64_t end) const {
  RunPosition at;
  reader.value(at);
  if (at.epoch != epoch || at.end != end)
    fail(ATP_E_FORMAT, "the state's position is epoch %lld, outcome %lld in one place and %lld, %lld in another",
         static_cast<long long>(epoch), static_cast<long long>(end), static_cast<long long>(at.epoch), static_cast<long long>(at.end));
  stochastic_.check(reader, at);
}

template <class Pass>
void BatchTrainer<Pass>::load_run(StateReader &reader) {
  reader.value(at_);
  stochastic_.load(reader, x_);
}

template class BatchTrainer<DensePassF32>;
template class BatchTrainer<DensePassF64>;

}  // namespace atp
