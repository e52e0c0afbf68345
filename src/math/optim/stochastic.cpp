// SPDX-License-Identifier: MIT
#include "math/optim/stochastic.hpp"

#include "base/philox.hpp"
#include "math/optim/vector.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace atp {

// sin(pi (1/2 - u)) by its power series: |x| <= pi/2, the first term left out is below 1e-17.
double cos_pi(double u) {
  const double x = 3.14159265358979323846 * (0.5 - u), square = x * x;
  double sum = 0;
  for (int k = 10; k >= 1; --k) sum = square / (2.0 * k * (2.0 * k + 1)) * (1 - sum);
  return x * (1 - sum);
}

double cosine_rate(double rate, int64_t step, int64_t steps) {
  return 0.5 * rate * (1 + cos_pi(static_cast<double>(step) / static_cast<double>(steps)));
}

void Sgd::reset() { fill(velocity_, 0); }

void Sgd::step(Span<double> x, Span<const double> gradient, double rate) {
  if (momentum_ == 0) return add_scaled(-rate, gradient, x);
  for (int64_t k = 0; k < n_; ++k) {
    velocity_[k] = momentum_ * velocity_[k] + gradient[k];
    x[k] -= rate * velocity_[k];
  }
}

void Adam::reset() {
  power1_ = power2_ = 1;
  fill(mean_, 0);
  fill(square_, 0);
}

void Adam::step(Span<double> x, Span<const double> gradient, double rate) {
  power1_ *= kBeta1;
  power2_ *= kBeta2;
  const double scale1 = rate / (1 - power1_), scale2 = 1 / (1 - power2_);
  const double *g = gradient.data();
  double *m = mean_.data(), *v = square_.data(), *p = x.data();
  for (int64_t k = 0; k < n_; ++k) {
    m[k] = kBeta1 * m[k] + (1 - kBeta1) * g[k];
    v[k] = kBeta2 * v[k] + (1 - kBeta2) * (g[k] * g[k]);
    p[k] -= scale1 * m[k] / (std::sqrt(v[k] * scale2) + kEpsilon);
  }
}

void Adam::save(StateWriter &writer) const {
  writer.value(power1_);
  writer.value(power2_);
  writer.array(Span<const double>(mean_));
  writer.array(Span<const double>(square_));
}

void Adam::check(StateReader &reader) const {
  reader.real("power of beta 1", 0, 1);
  reader.real("power of beta 2", 0, 1);
  reader.reals<double>(n_, "mean of gradients");
  reader.reals<double>(n_, "mean of squared gradients", 0);
}

void Adam::load(StateReader &reader) {
  reader.value(power1_);
  reader.value(power2_);
  reader.array(mean_);
  reader.array(square_);
}

// Fisher and Yates from the end: position k changes places with one of 0..k. Two words make a draw, so that its bias is below n / 2^52.
void shuffle(uint64_t seed, uint64_t epoch, Span<int64_t> order) {
  const int64_t n = order.size();
  for (int64_t k = 0; k < n; ++k) order[k] = k;
  PhiloxBlock words{};
  for (int64_t draw = 0; draw + 1 < n; ++draw) {
    if (draw % 2 == 0) words = philox(seed, counter(Stream::batch, 0, epoch, static_cast<uint64_t>(draw / 2)));
    const double uniform = draw % 2 == 0 ? uniform_f64(words[0], words[1]) : uniform_f64(words[2], words[3]);
    const int64_t k = n - 1 - draw, other = static_cast<int64_t>(uniform * static_cast<double>(k + 1));
    std::swap(order[k], order[other]);
  }
}

// One word makes a draw: sites are few, and the bias is below sites / 2^32.
void draw_masks(uint64_t seed, uint64_t epoch, int64_t sites, Span<int64_t> masks) {
  PhiloxBlock words{};
  for (int64_t n = 0; n < masks.size(); ++n) {
    if (n % 4 == 0) words = philox(seed, counter(Stream::mask, 0, epoch, static_cast<uint64_t>(n / 4)));
    masks[n] = static_cast<int64_t>(words[static_cast<std::size_t>(n % 4)] * static_cast<uint64_t>(sites) >> 32);
  }
}

// A word for each site, after those of the sequences before; the number 1 keeps them apart from draw_masks().
void draw_mask(uint64_t seed, uint64_t epoch, int64_t sequence, double probability, Span<uint8_t> masked) {
  const int64_t blocks = (masked.size() + 3) / 4;
  PhiloxBlock words{};
  for (int64_t i = 0; i < masked.size(); ++i) {
    if (i % 4 == 0) words = philox(seed, counter(Stream::mask, 1, epoch, static_cast<uint64_t>(sequence * blocks + i / 4)));
    masked[i] = static_cast<double>(words[static_cast<std::size_t>(i % 4)]) < probability * 0x1p32 ? 1 : 0;
  }
}

void RunPosition::check_numbers() const {
  const bool finite = std::isfinite(loss_sum) && std::isfinite(objective_sum) && std::isfinite(weight_sum) && std::isfinite(loss) &&
                      std::isfinite(objective) && std::isfinite(rate);
  if (!finite || weight_sum < 0 || rate < 0)
    fail(ATP_E_FORMAT, "the state's losses (%g, %g), weight %g or rate %g are not finite or negative", loss, objective, weight_sum, rate);
}

void StochasticRun::lay_out(Arena &arena) {
  const int64_t unknowns = settings.unknowns, count = unknowns > 0 ? settings.count : 0;
  if (unknowns > 0) product_of(settings.epochs, settings.steps_per_epoch());
  with_optimiser(*this, [&](auto &optimiser) { optimiser.lay_out(arena); });
  for (Span<double> *x : {&gradient_, &gradient_sum_, &kept_}) *x = arena.take<double>(unknowns);
  order_ = arena.take<int64_t>(count);
  const int64_t several = settings.several_masked() && count > 0 ? product_of(settings.batch, settings.sites) : 0;
  masked_ = arena.take<int64_t>(several > 0 ? several : settings.masked ? count : 0);
  draws_ = arena.take<int64_t>(settings.masked && several == 0 ? count : 0);
  rows_ = arena.take<int64_t>(several);
  hidden_ = arena.take<uint8_t>(several > 0 ? product_of(count, settings.sites) : 0);
}

void StochasticRun::restart() {
  drawn_ = -1;
  sgd_.reset();
  adam_.reset();
  fill(gradient_sum_, 0);
  fill(kept_, 0);
}

atp_outcome StochasticRun::run(int64_t last, Span<double> x, RunPosition &at, const StochasticCalls &calls) {
  const int64_t steps = settings.steps_per_epoch();
  while (at.epoch < last) {
    if (calls.stopped()) return ATP_OUTCOME_CANCELLED;
    if (!step(x, at, calls)) return diverged(x, at);
    if (at.step < steps) continue;
    at.step = 0;
    ++at.epoch;
    const double weight = at.weight_sum > 0 ? at.weight_sum : 1;  // 0 where nothing was predicted
    at.loss = at.loss_sum / weight;
    at.objective = at.objective_sum / weight;
    const double gradient_norm = norm(gradient_sum_) / weight;
    if (at.epoch == settings.epochs) at.end = judge(x, calls);
    if (calls.report(gradient_norm)) return ATP_OUTCOME_CANCELLED;
  }
  return at.end == ATP_OUTCOME_NONE ? ATP_OUTCOME_MAX_ITER : at.outcome();
}

// Go back to the parameters of the last finite epoch.
atp_outcome StochasticRun::diverged(Span<double> x, RunPosition &at) const {
  copy(kept_, x);
  at.step = 0;
  at.end = ATP_OUTCOME_DIVERGED;
  return ATP_OUTCOME_DIVERGED;
}

// One batch; false when something stopped being finite.
bool StochasticRun::step(Span<double> x, RunPosition &at, const StochasticCalls &calls) {
  if (drawn_ != at.epoch) draw_epoch(at.epoch);
  if (at.step == 0) {
    copy(x, kept_);
    fill(gradient_sum_, 0);
    at.loss_sum = at.objective_sum = at.weight_sum = 0;
  }
  const int64_t first = at.step * settings.batch, count = std::min(settings.batch, settings.count - first),
                steps = settings.steps_per_epoch();
  const BatchLoss now = calls.batch(make_batch(at.epoch, first, count), gradient_);
  if (!std::isfinite(now.objective) || !all_finite(gradient_)) return false;
  at.loss_sum += now.weight * now.loss;
  at.objective_sum += now.weight * now.objective;
  at.weight_sum += now.weight;
  if (!std::isfinite(at.loss_sum + at.objective_sum)) return false;
  add_scaled(now.weight, gradient_, gradient_sum_);
  at.rate = settings.rate;
  if (!settings.rate_constant) at.rate = cosine_rate(settings.rate, at.epoch * steps + at.step, settings.epochs * steps);  // see lay_out
  with_optimiser(*this, [&](auto &optimiser) { optimiser.step(x, gradient_, at.rate); });
  ++at.step;
  return all_finite(x);
}

Batch StochasticRun::make_batch(int64_t epoch, int64_t first, int64_t count) {
  Batch batch;
  batch.all_sites = !settings.masked;
  if (!settings.several_masked()) {
    batch.rows = order_.sub(first, count);
    if (settings.masked) batch.masked = masked_.sub(first, count);
    return batch;
  }
  int64_t items = 0;
  for (int64_t k = first; k < first + count; ++k) {
    const Span<uint8_t> hidden = hidden_.sub(order_[k] * settings.sites, settings.sites);
    draw_mask(settings.seed, static_cast<uint64_t>(epoch), order_[k], settings.mask_probability, hidden);
    for (int64_t i = 0; i < settings.sites; ++i) {
      if (hidden[i] == 0) continue;
      rows_[items] = order_[k];
      masked_[items++] = i;
    }
  }
  batch.rows = rows_.sub(0, items);
  batch.masked = masked_.sub(0, items);
  batch.hidden = hidden_.data();
  return batch;
}

// The schedule is over: decide whether a minimum was found.
atp_outcome StochasticRun::judge(Span<const double> x, const StochasticCalls &calls) {
  calls.whole(gradient_);
  return norm(gradient_) <= settings.tolerance * std::max(1.0, norm(x)) ? ATP_OUTCOME_CONVERGED : ATP_OUTCOME_MAX_ITER;
}

void StochasticRun::draw_epoch(int64_t epoch) {
  shuffle(settings.seed, static_cast<uint64_t>(epoch), order_);
  if (settings.masked && !settings.several_masked()) {
    draw_masks(settings.seed, static_cast<uint64_t>(epoch), settings.sites, draws_);
    for (int64_t k = 0; k < settings.count; ++k) masked_[k] = draws_[order_[k]];
  }
  drawn_ = epoch;
}

int64_t StochasticRun::payload() const {
  return (settings.adam ? adam_.payload() : sgd_.payload()) + 3 * settings.unknowns * static_cast<int64_t>(sizeof(double));
}

void StochasticRun::save(StateWriter &writer, Span<const double> x) const {
  with_optimiser(*this, [&](auto &optimiser) { optimiser.save(writer); });
  for (Span<const double> v : {x, Span<const double>(gradient_sum_), Span<const double>(kept_)}) writer.array(v);
}

void StochasticRun::check(StateReader reader, const RunPosition &at) const {
  const bool over = at.epoch == settings.epochs;
  bool possible = at.epoch >= 0 && at.epoch <= settings.epochs && at.step >= 0 && at.step < settings.steps_per_epoch();
  if (at.end == ATP_OUTCOME_NONE) possible = possible && !over;
  if (at.end == ATP_OUTCOME_CONVERGED || at.end == ATP_OUTCOME_MAX_ITER) possible = possible && over;
  if (at.end != ATP_OUTCOME_NONE) possible = possible && at.step == 0 && at.end != ATP_OUTCOME_CANCELLED;
  if (!possible || at.end < ATP_OUTCOME_NONE || at.end > ATP_OUTCOME_DIVERGED)
    fail(ATP_E_FORMAT, "the state's position (epoch %lld, step %lld, outcome %lld) does not exist", llong{at.epoch}, llong{at.step},
         llong{at.end});
  at.check_numbers();
  with_optimiser(*this, [&](auto &optimiser) { optimiser.check(reader); });
  for (const char *name : {"parameters", "sum of gradients", "parameters before the epoch"}) reader.reals<double>(settings.unknowns, name);
}

void StochasticRun::load(StateReader &reader, Span<double> x) {
  with_optimiser(*this, [&](auto &optimiser) { optimiser.load(reader); });
  for (Span<double> v : {x, gradient_sum_, kept_}) reader.array(v);
  drawn_ = -1;
}

}  // namespace atp
