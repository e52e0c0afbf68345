// SPDX-License-Identifier: MIT
// A driver for sums of independent problems, one for each site: each by L-BFGS from start to end. An epoch is a site. Only sites at work
// have a history, so little memory is needed.
//
// Sites are done in rounds, shared among the threads. A round is taken over site by site, in their order: a run that is stopped goes on
// after the last one that was taken over.
//
// With several ranks a round has the sites of all of them, each rank a range in proportion to its threads. Ranks that are done with their
// sites wait for the others: rounds have four sites per thread, so that long and short ones add up. Then all ranks get the results of the
// round, and the parameters of each site as it is taken over, from the rank that has them. All ranks together give the parameters once, and
// 48 bytes per site. A stop of one rank is known to the others at the end of the round.
#include "base/team.hpp"
#include "learn/driver.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

// Returns the outcome to report for several sites.
int64_t worse(int64_t x, int64_t y) {
  for (int64_t outcome : {ATP_OUTCOME_DIVERGED, ATP_OUTCOME_MAX_ITER, ATP_OUTCOME_STALLED})
    if (x == outcome || y == outcome) return outcome;
  return ATP_OUTCOME_CONVERGED;
}

template <class Real>
class SiteDriver final : public Driver {
 public:
  SiteDriver(Objective &objective, Separable &sites)
      : Driver(objective), sites_(sites), team_(objective.threads()), round_(4 * team_), ranks_(objective.context->ranks) {}
  void lay_out(Arena &arena) override;
  void prepare() override {
    for (int64_t t = 0; t < team_; ++t) {
      lbfgs_[t].set_tolerance(objective_.tolerance());
      lbfgs_[t].set_norms(objective_.norms(static_cast<int>(t)));
    }
  }
  void restart() override { done_ = Sums{}; }
  atp_outcome run(int64_t last, RunPosition &at, const DriverCalls &calls) override;
  Evaluation evaluate(Span<double> gradient) override;
  bool evaluates_during_runs() const override { return false; }  // a round in progress has its results where these go
  int64_t most_epochs() const override { return objective_.sites(); }
  bool whole(const RunPosition &at) const override { return at.epoch == objective_.sites(); }

  int64_t payload() const override { return static_cast<int64_t>(sizeof(Sums)) + static_cast<int64_t>(sizeof(Real)) * parameters_.size(); }
  void save(StateWriter &writer) const override {
    writer.value(done_);
    writer.array(Span<const Real>(parameters_));
  }
  void check(StateReader reader, const RunPosition &at) const override;
  void load(StateReader &reader, const RunPosition &) override {
    reader.value(done_);
    reader.array(parameters_);
  }
  void describe(StateFields &fields) const override {
    fields.add("history", objective_.settings.history);
    fields.add("epochs", objective_.settings.epochs);
  }

 private:
  // How a site ended.
  struct Result {
    double loss = 0, objective = 0, gradient_norm = 0, step = 0;
    int64_t evaluations = 0;
    int64_t outcome = ATP_OUTCOME_NONE;  // CANCELLED: it was stopped and does not count
  };
  // Over the sites that are done, beside those of the position.
  struct Sums {
    double gradient2;
    int64_t worst;
  };

  int64_t unknowns(int64_t i) const { return sites_.first_unknown(i + 1) - sites_.first_unknown(i); }
  Span<Real> site(int64_t i) const { return parameters_.sub(sites_.first_unknown(i), unknowns(i)); }
  Span<Real> place(int64_t k, int64_t i) const { return places_.sub(k * sites_.most_unknowns(), unknowns(i)); }
  Result descend(int64_t i, int thread, Span<Real> x, const StopFlag &stop);
  void take_over(int64_t i, const Result &result, RunPosition &at);
  void agree_on_rounds();
  int64_t first_of_round(int64_t rank, int64_t count) const { return round_ends_[rank] * count / round_ends_[ranks_.size()]; }
  void descend_round(int64_t first, int64_t count, const StopFlag &stop);
  void fetch(int64_t k, int64_t first, int64_t count);

  Separable &sites_;
  int64_t team_, round_;  // threads when it was made; sites of a round on this rank
  Ranks &ranks_;
  Span<int64_t> round_ends_;     // [ranks + 1]: 0, and how many sites the ranks up to each have in a full round
  Span<Real> parameters_;        // the unknowns of each site
  Span<Real> places_;            // [round][most unknowns]: of the sites at work
  Span<LeanLbfgs<Real>> lbfgs_;  // [team]
  Span<Result> results_;         // [L]
  Sums done_{};
};

template <class Real>
void SiteDriver<Real>::lay_out(Arena &arena) {
  const int64_t most = sites_.most_unknowns();
  x = parameters_ = arena.take<Real>(objective_.parameter_count());
  places_ = arena.take<Real>(round_, most);
  lbfgs_ = arena.take<LeanLbfgs<Real>>(team_);
  for (int64_t t = 0; t < team_; ++t) {
    LeanLbfgs<Real> lbfgs(most, objective_.settings.history, objective_.settings.tolerance, objective_.resolution(),
                          objective_.context->target);
    lbfgs.lay_out(arena);
    if (!arena.measuring()) lbfgs_[t] = lbfgs;
  }
  results_ = arena.take<Result>(objective_.sites());
  round_ends_ = arena.take<int64_t>(ranks_.size() + 1);
}

template <class Real>
Evaluation SiteDriver<Real>::evaluate(Span<double> gradient) {
  const int64_t L = objective_.sites(), end = ranks_.first(ranks_.rank() + 1, L);
  for (int64_t first = ranks_.first(ranks_.rank(), L); first < end; first += round_)
    parallel_for(objective_.threads(), std::min(round_, end - first), [&](int64_t k, int thread) {
      const int64_t i = first + k;
      const Span<Real> g = gradient.empty() ? Span<Real>() : place(k, i);
      results_[i].loss = sites_.evaluate_site(i, thread, site(i), g, &results_[i].objective);
      if (!gradient.empty()) sites_.read_site_gradient(i, g, gradient.data() + sites_.first_unknown(i));
    });
  ranks_.gather(results_.data(), L, sizeof(Result));
  if (!gradient.empty() && ranks_.several()) {
    int64_t *const ends = ranks_.ends();
    for (int64_t r = 0; r < ranks_.size(); ++r)
      ends[r] = sites_.first_unknown(ranks_.first(r + 1, L)) * static_cast<int64_t>(sizeof(double));
    ranks_.gather(gradient.data(), ends);
  }
  double sum = 0, extra = 0, weight = 0;
  for (int64_t i = 0; i < L; ++i) {
    sum += results_[i].loss;
    extra += results_[i].objective;
    weight += sites_.site_weight(i);
  }
  return {weight > 0 ? sum / weight : 0, sum + extra, weight};
}

template <class Real>
typename SiteDriver<Real>::Result SiteDriver<Real>::descend(int64_t i, int thread, Span<Real> to, const StopFlag &stop) {
  LeanLbfgs<Real> lbfgs = lbfgs_[thread].narrowed(to.size());
  lbfgs.reset();
  sites_.site_metric(i, lbfgs.history().metric);
  std::copy(site(i).begin(), site(i).end(), to.begin());
  Result result;
  const auto f = [&](Span<const Real> at, Span<Real> gradient) {
    double penalty = 0;
    ++result.evaluations;
    result.loss = sites_.evaluate_site(i, thread, at, gradient, &penalty);
    return result.loss + penalty;
  };
  // The limit counts steps that moved, as in a joint problem; the loss is that of the last of them, or of the start.
  double loss = 0;
  for (int64_t steps = 0;;) {
    if (stop.requested()) {
      result.outcome = ATP_OUTCOME_CANCELLED;
      return result;
    }
    bool moved = false;
    const Descent descent = lbfgs.iterate(objective_.threads().at_most(1), to, f, &moved);
    if (moved || steps == 0) loss = result.loss;
    steps += moved ? 1 : 0;
    if (descent == Descent::converged) result.outcome = ATP_OUTCOME_CONVERGED;
    if (descent == Descent::stalled) result.outcome = ATP_OUTCOME_STALLED;
    if (descent == Descent::diverged) result.outcome = ATP_OUTCOME_DIVERGED;
    if (descent == Descent::going && steps >= objective_.settings.epochs) result.outcome = ATP_OUTCOME_MAX_ITER;
    if (result.outcome != ATP_OUTCOME_NONE) break;
  }
  result.loss = loss;
  result.objective = lbfgs.value();
  result.gradient_norm = lbfgs.gradient_norm();
  result.step = lbfgs.step();
  return result;
}

template <class Real>
void SiteDriver<Real>::take_over(int64_t i, const Result &result, RunPosition &at) {
  at.loss_sum += result.loss;
  at.objective_sum += result.objective;
  at.weight_sum += sites_.site_weight(i);
  done_.gradient2 += result.gradient_norm * result.gradient_norm;
  done_.worst = i == 0 ? result.outcome : worse(done_.worst, result.outcome);
  ++at.epoch;
  evaluations += static_cast<double>(result.evaluations) / static_cast<double>(objective_.sites());
  at.loss = at.weight_sum > 0 ? at.loss_sum / at.weight_sum : 0;
  at.objective = at.objective_sum;
  at.rate = result.step;
}

// Teams of the ranks may differ.
template <class Real>
void SiteDriver<Real>::agree_on_rounds() {
  const int64_t ranks = ranks_.size();
  if (round_ends_.size() != ranks + 1) fail(ATP_E_STAGE, "the ranks of the context were set after the trainer was made");
  for (int64_t r = 0; r <= ranks; ++r) round_ends_[r] = r > ranks_.rank() ? round_ : 0;
  ranks_.sum(round_ends_.data(), ranks + 1);
}

// This rank's part of a round of sites, then the results of all.
template <class Real>
void SiteDriver<Real>::descend_round(int64_t first, int64_t count, const StopFlag &stop) {
  const int64_t own = first_of_round(ranks_.rank(), count);
  parallel_for(objective_.threads(), first_of_round(ranks_.rank() + 1, count) - own,
               [&](int64_t k, int thread) { results_[own + k] = descend(first + own + k, thread, place(k, first + own + k), stop); });
  if (!ranks_.several()) return;
  int64_t *const ends = ranks_.ends();
  for (int64_t r = 0; r < ranks_.size(); ++r) ends[r] = first_of_round(r + 1, count) * static_cast<int64_t>(sizeof(Result));
  ranks_.gather(results_.data(), ends);
}

// The parameters of the k-th site of a round, from the rank that has made them.
template <class Real>
void SiteDriver<Real>::fetch(int64_t k, int64_t first, int64_t count) {
  int64_t rank = 0;
  while (first_of_round(rank + 1, count) <= k) ++rank;
  const Span<Real> to = site(first + k);
  if (rank == ranks_.rank()) {
    const Span<Real> from = place(k - first_of_round(rank, count), first + k);
    std::copy(from.begin(), from.end(), to.begin());
  }
  ranks_.broadcast(to.data(), to.size() * static_cast<int64_t>(sizeof(Real)), rank);
}

template <class Real>
atp_outcome SiteDriver<Real>::run(int64_t last, RunPosition &at, const DriverCalls &calls) {
  const int64_t L = objective_.sites();
  bool stopped = at.epoch < last && calls.reporter.stopped();
  agree_on_rounds();
  while (at.epoch < last && !stopped) {
    const int64_t first = at.epoch, count = std::min(round_ends_[ranks_.size()], last - first);
    descend_round(first, count, calls.reporter.flag());
    for (int64_t k = 0; k < count && !stopped; ++k) {
      stopped = results_[k].outcome == ATP_OUTCOME_CANCELLED;
      if (stopped) break;
      fetch(k, first, count);
      take_over(first + k, results_[k], at);
      if (at.epoch == L) at.end = done_.worst;
      stopped = calls.report(std::sqrt(done_.gradient2), at.objective);
    }
  }
  if (stopped) return ATP_OUTCOME_CANCELLED;
  return at.end == ATP_OUTCOME_NONE ? ATP_OUTCOME_MAX_ITER : at.outcome();
}

// The sums are not finite where a site diverged, and only there.
template <class Real>
void SiteDriver<Real>::check(StateReader reader, const RunPosition &at) const {
  const int64_t L = objective_.sites();
  if (at.epoch < 0 || at.epoch > L || at.step != 0 || at.end < ATP_OUTCOME_NONE || at.end > ATP_OUTCOME_STALLED ||
      (at.end != ATP_OUTCOME_NONE) != (at.epoch == L) || at.end == ATP_OUTCOME_CANCELLED)
    fail_position(at);
  Sums sums;
  reader.value(sums);
  const bool known = sums.worst >= ATP_OUTCOME_CONVERGED && sums.worst <= ATP_OUTCOME_STALLED && sums.worst != ATP_OUTCOME_CANCELLED;
  if (at.epoch == 0 ? sums.worst != ATP_OUTCOME_NONE : !known || (at.end != ATP_OUTCOME_NONE && at.end != sums.worst))
    fail(ATP_E_FORMAT, "the state's outcome of %lld sites is %lld, which does not exist", static_cast<long long>(at.epoch),
         static_cast<long long>(sums.worst));
  if (sums.worst != ATP_OUTCOME_DIVERGED) at.check_numbers();
  if ((!std::isfinite(sums.gradient2) && sums.worst != ATP_OUTCOME_DIVERGED) || sums.gradient2 < 0 || at.rate < 0 ||
      !std::isfinite(at.weight_sum) || at.weight_sum < 0)
    fail(ATP_E_FORMAT, "the state's sums (gradient %g, step %g, weight %g) are not finite or negative", sums.gradient2, at.rate,
         at.weight_sum);
  reader.reals<Real>(parameters_.size(), "parameters");
}

}  // namespace

Driver *put_site_driver(void *place, Objective &objective, Separable &sites) {
  if (objective.settings.precision == 64) return put_in_place<SiteDriver<double>, kDriverBytes>(place, objective, sites);
  return put_in_place<SiteDriver<float>, kDriverBytes>(place, objective, sites);
}

}  // namespace atp
