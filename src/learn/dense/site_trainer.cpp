// SPDX-License-Identifier: MIT
#include "learn/dense/site_trainer.hpp"

#include "base/team.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

// Of the outcomes of several sites, the one to report.
int64_t worse(int64_t x, int64_t y) {
  for (int64_t outcome : {ATP_OUTCOME_DIVERGED, ATP_OUTCOME_MAX_ITER, ATP_OUTCOME_STALLED})
    if (x == outcome || y == outcome) return outcome;
  return ATP_OUTCOME_CONVERGED;
}

// The public order of the unknowns of a site, from or to the internal one: blocks [a][b] there, [b][a] here.
template <class From, class To>
void transpose_blocks(const DenseShape &shape, int64_t i, const From *from, To *to) {
  const int64_t q = shape.colors;
  for (int64_t a = 0; a < q; ++a) to[a] = static_cast<To>(from[a]);
  for (int64_t k = 0; k < shape.degree(i); ++k) {
    const From *x = from + q + k * q * q;
    To *y = to + q + k * q * q;
    for (int64_t a = 0; a < q; ++a)
      for (int64_t b = 0; b < q; ++b) y[a * q + b] = static_cast<To>(x[b * q + a]);
  }
}

}  // namespace

template <class Pass>
void SiteTrainer<Pass>::lay_out(Arena &arena) {
  const int64_t unknowns = most_site_unknowns(settings.shape);
  this->lay_out_shared(arena);
  parameters_ = arena.take<Real>(unknowns_before(settings.shape, settings.shape.sites));
  places_ = arena.take<Real>(round_, unknowns);
  lbfgs_ = arena.take<LeanLbfgs<Real>>(this->team_);
  for (int t = 0; t < this->team_; ++t) {
    LeanLbfgs<Real> lbfgs(unknowns, settings.history, settings.tolerance, settings.resolution(), this->target_);
    lbfgs.lay_out(arena);
    if (!arena.measuring()) lbfgs_[t] = lbfgs;
  }
  results_ = arena.take<Result>(settings.shape.sites);
  round_ends_ = arena.take<int64_t>(ranks_.size() + 1);
}

template <class Pass>
void SiteTrainer<Pass>::start() {
  std::fill(parameters_.begin(), parameters_.end(), Real{0});
  for (LeanLbfgs<Real> &lbfgs : lbfgs_) lbfgs.set_tolerance(this->tolerance(1));
  const int64_t q = settings.shape.colors;
  for (int64_t i = 0; i < settings.shape.sites; ++i)
    for (int64_t a = 0; a < q; ++a) site(i)[a] = static_cast<Real>(this->start_[i * q + a]);
  restart();
}

template <class Pass>
void SiteTrainer<Pass>::restart() {
  epoch_ = 0;
  end_ = ATP_OUTCOME_NONE;
  done_ = Position{};
}

template <class Pass>
void SiteTrainer<Pass>::copy_parameters(double *out) const {
  for (int64_t i = 0; i < settings.shape.sites; ++i)
    transpose_blocks(settings.shape, i, site(i).data(), out + unknowns_before(settings.shape, i));
}

template <class Pass>
void SiteTrainer<Pass>::set_parameters(Span<const double> values) {
  Base::check_parameters(values);
  for (int64_t i = 0; i < settings.shape.sites; ++i)
    transpose_blocks(settings.shape, i, values.data() + unknowns_before(settings.shape, i), site(i).data());
  restart();
}

template <class Pass>
void SiteTrainer<Pass>::add_present(int64_t i, int64_t k, double factor, double *block) const {
  const int64_t q = settings.shape.colors, j = settings.shape.neighbor(i, k);
  const Real *mine = copy_of(i, k), *other = copy_of(j, settings.shape.place(j, i));
  for (int64_t a = 0; a < q; ++a)
    for (int64_t b = 0; b < q; ++b)
      block[a * q + b] += factor * 0.5 * (static_cast<double>(mine[b * q + a]) + static_cast<double>(other[a * q + b]));
}

template <class Pass>
void SiteTrainer<Pass>::write_present(double *fields) const {
  const int64_t q = settings.shape.colors;
  for (int64_t i = 0; i < settings.shape.sites; ++i)
    for (int64_t a = 0; a < q; ++a) fields[i * q + a] = static_cast<double>(site(i)[a]);
}

template <class Pass>
void SiteTrainer<Pass>::evaluate(double *loss, double *objective, Span<double> gradient) {
  this->running.require_idle("trainer");  // a round in progress has its results where these go
  const int64_t L = settings.shape.sites;
  const int64_t end = ranks_.first(ranks_.rank() + 1, L);
  double sum = 0, extra = 0;
  for (int64_t first = ranks_.first(ranks_.rank(), L); first < end; first += round_)
    parallel_for(this->threads(), std::min(round_, end - first), [&](int64_t k, int thread) {
      const int64_t i = first + k;
      const Span<Real> g = gradient.empty() ? Span<Real>() : place(k, i);
      double penalty = 0;
      results_[i].loss = site_objective(kernels_, passes_[thread], data_, this->penalties_, i, Span<const Real>(site(i)), g, &penalty);
      results_[i].objective = penalty;
      if (!gradient.empty()) transpose_blocks(settings.shape, i, g.data(), gradient.data() + unknowns_before(settings.shape, i));
    });
  ranks_.gather(results_.data(), L, sizeof(Result));
  if (!gradient.empty() && ranks_.several()) {
    int64_t *const ends = ranks_.ends();
    for (int64_t r = 0; r < ranks_.size(); ++r)
      ends[r] = unknowns_before(settings.shape, ranks_.first(r + 1, L)) * static_cast<int64_t>(sizeof(double));
    ranks_.gather(gradient.data(), ends);
  }
  for (const Result &result : results_) {
    sum += result.loss;
    extra += result.objective;
  }
  if (loss != nullptr) *loss = data_.predicted_weight > 0 ? sum / data_.predicted_weight : 0;
  if (objective != nullptr) *objective = sum + extra;
}

template <class Pass>
typename SiteTrainer<Pass>::Result SiteTrainer<Pass>::descend(int64_t i, int thread, Span<Real> x) {
  LeanLbfgs<Real> lbfgs = lbfgs_[thread].narrowed(x.size());
  lbfgs.reset();
  site_metric(settings.shape, this->penalties_, this->effective_count_, this->frequencies_.data(), i, lbfgs.history().metric);
  std::copy(site(i).begin(), site(i).end(), x.begin());
  Result result;
  const auto f = [&](Span<const Real> at, Span<Real> gradient) {
    double penalty = 0;
    ++result.evaluations;
    result.loss = site_objective(kernels_, passes_[thread], data_, this->penalties_, i, at, gradient, &penalty);
    return result.loss + penalty;
  };
  // The limit counts steps that moved, as in the symmetric problem; the loss is that of the last of them, or of the start.
  double loss = 0;
  for (int64_t steps = 0;;) {
    if (this->stop_.requested()) {
      result.outcome = ATP_OUTCOME_CANCELLED;
      return result;
    }
    bool moved = false;
    const Descent descent = lbfgs.iterate(this->threads().at_most(1), x, f, &moved);
    if (moved || steps == 0) loss = result.loss;
    steps += moved ? 1 : 0;
    if (descent == Descent::converged) result.outcome = ATP_OUTCOME_CONVERGED;
    if (descent == Descent::stalled) result.outcome = ATP_OUTCOME_STALLED;
    if (descent == Descent::diverged) result.outcome = ATP_OUTCOME_DIVERGED;
    if (descent == Descent::going && steps >= settings.epochs) result.outcome = ATP_OUTCOME_MAX_ITER;
    if (result.outcome != ATP_OUTCOME_NONE) break;
  }
  result.loss = loss;
  result.objective = lbfgs.value();
  result.gradient_norm = lbfgs.gradient_norm();
  result.step = lbfgs.step();
  return result;
}

template <class Pass>
void SiteTrainer<Pass>::take_over(int64_t i, const Result &result) {
  done_.loss += result.loss;
  done_.objective += result.objective;
  done_.gradient2 += result.gradient_norm * result.gradient_norm;
  done_.weight += data_.site_weight(i);
  done_.step = result.step;
  done_.worst = i == 0 ? result.outcome : worse(done_.worst, result.outcome);
  ++epoch_;
  this->evaluations_ += static_cast<double>(result.evaluations) / static_cast<double>(settings.shape.sites);
  this->loss_ = done_.weight > 0 ? done_.loss / done_.weight : 0;
  this->objective_value_ = done_.objective;
  this->gradient_norm_ = std::sqrt(done_.gradient2);
  this->rate_ = done_.step;
}

// Teams of the ranks may differ.
template <class Pass>
void SiteTrainer<Pass>::agree_on_rounds() {
  const int64_t ranks = ranks_.size();
  if (round_ends_.size() != ranks + 1) fail(ATP_E_STAGE, "the ranks of the context were set after the trainer was made");
  for (int64_t r = 0; r <= ranks; ++r) round_ends_[r] = r > ranks_.rank() ? round_ : 0;
  ranks_.sum(round_ends_.data(), ranks + 1);
}

// This rank's part of a round of sites, then the results of all.
template <class Pass>
void SiteTrainer<Pass>::descend_round(int64_t first, int64_t count) {
  const int64_t own = first_of_round(ranks_.rank(), count);
  parallel_for(this->threads(), first_of_round(ranks_.rank() + 1, count) - own,
               [&](int64_t k, int thread) { results_[own + k] = descend(first + own + k, thread, place(k, first + own + k)); });
  if (!ranks_.several()) return;
  int64_t *const ends = ranks_.ends();
  for (int64_t r = 0; r < ranks_.size(); ++r) ends[r] = first_of_round(r + 1, count) * static_cast<int64_t>(sizeof(Result));
  ranks_.gather(results_.data(), ends);
}

// The parameters of the k-th site of a round, from the rank that has made them.
template <class Pass>
void SiteTrainer<Pass>::fetch(int64_t k, int64_t first, int64_t count) {
  int64_t rank = 0;
  while (first_of_round(rank + 1, count) <= k) ++rank;
  const Span<Real> to = site(first + k);
  if (rank == ranks_.rank()) {
    const Span<Real> x = place(k - first_of_round(rank, count), first + k);
    std::copy(x.begin(), x.end(), to.begin());
  }
  ranks_.broadcast(to.data(), to.size() * static_cast<int64_t>(sizeof(Real)), rank);
}

template <class Pass>
atp_outcome SiteTrainer<Pass>::run(int64_t epochs, Reporter &reporter) {
  const int64_t L = settings.shape.sites, last = epoch_ + std::min(epochs, L - epoch_);
  atp_outcome outcome = end_ != ATP_OUTCOME_NONE ? end_ : epochs > 0 ? ATP_OUTCOME_MAX_ITER : ATP_OUTCOME_NONE;
  bool stopped = epoch_ < last && reporter.stopped();
  agree_on_rounds();
  while (epoch_ < last && !stopped) {
    const int64_t first = epoch_, count = std::min(round_ends_[ranks_.size()], last - first);
    descend_round(first, count);
    for (int64_t k = 0; k < count && !stopped; ++k) {
      if (results_[k].outcome == ATP_OUTCOME_CANCELLED) {
        stopped = true;
        break;
      }
      fetch(k, first, count);
      take_over(first + k, results_[k]);
      if (epoch_ == L) end_ = outcome = static_cast<atp_outcome>(done_.worst);
      stopped = this->report(reporter, L, epoch_ == L);
    }
  }
  if (stopped) outcome = ATP_OUTCOME_CANCELLED;
  this->stop_.clear();
  return outcome;
}

template <class Pass>
int64_t SiteTrainer<Pass>::state_payload() const {
  return static_cast<int64_t>(sizeof(Position)) + static_cast<int64_t>(sizeof(Real)) * parameters_.size();
}

template <class Pass>
void SiteTrainer<Pass>::save_run(StateWriter &writer) const {
  writer.value(done_);
  writer.array(Span<const Real>(parameters_));
}

template <class Pass>
bool SiteTrainer<Pass>::possible(int64_t epoch, int64_t end) const {
  if (epoch < 0 || epoch > settings.shape.sites || end < ATP_OUTCOME_NONE || end > ATP_OUTCOME_STALLED) return false;
  return (end != ATP_OUTCOME_NONE) == (epoch == settings.shape.sites) && end != ATP_OUTCOME_CANCELLED;
}

// The sums are not finite where a site diverged, and only there.
template <class Pass>
void SiteTrainer<Pass>::check_run(StateReader reader, int64_t epoch, int64_t end) const {
  Position sums;
  reader.value(sums);
  const bool known = sums.worst >= ATP_OUTCOME_CONVERGED && sums.worst <= ATP_OUTCOME_STALLED && sums.worst != ATP_OUTCOME_CANCELLED;
  if (epoch == 0 ? sums.worst != ATP_OUTCOME_NONE : !known || (end != ATP_OUTCOME_NONE && end != sums.worst))
    fail(ATP_E_FORMAT, "the state's outcome of %lld sites is %lld, which does not exist", static_cast<long long>(epoch),
         static_cast<long long>(sums.worst));
  const bool finite =
      std::isfinite(sums.loss) && std::isfinite(sums.objective) && std::isfinite(sums.gradient2) && std::isfinite(sums.step);
  if ((!finite && sums.worst != ATP_OUTCOME_DIVERGED) || sums.gradient2 < 0 || sums.step < 0 || !std::isfinite(sums.weight) ||
      sums.weight < 0)
    fail(ATP_E_FORMAT, "the state's sums (loss %g, objective %g, gradient %g, weight %g, step %g) are not finite or negative", sums.loss,
         sums.objective, sums.gradient2, sums.weight, sums.step);
  reader.reals<Real>(parameters_.size(), "parameters");
}

template <class Pass>
void SiteTrainer<Pass>::load_run(StateReader &reader) {
  reader.value(done_);
  reader.array(parameters_);
}

template class SiteTrainer<DensePassF32>;
template class SiteTrainer<DensePassF64>;

}  // namespace atp
