// SPDX-License-Identifier: MIT
// Asymmetric pseudo-likelihood: a problem for every site, h_i and J_ij for all j != i, each by L-BFGS from start to end; the couplings of a
// pair are the mean of both copies. An epoch is a site. Only sites at work have a history, so little memory is needed.
//
// Sites are done in rounds, shared among the threads. A round is taken over site by site, in their order: a run that is stopped goes on
// after the last one that was taken over.
//
// With several ranks a round has the sites of all of them, each rank a range in proportion to its threads. Ranks that are done with their
// sites wait for the others: rounds have four sites per thread, so that long and short ones add up. Then all ranks get the results of the
// round, and the parameters of each site as it is taken over, from the rank that has them. All ranks together give the parameters once, and
// 48 bytes per site. A stop of one rank is known to the others at the end of the round.
#pragma once

#include "learn/dense/dense_learner.hpp"

namespace atp {

template <class Pass>
class SiteTrainer final : public DenseLearner<Pass> {
 public:
  using Real = typename Pass::Real;

  SiteTrainer(Context *owner, const DenseSettings &values)
      : Base(owner, values), round_(4 * static_cast<int64_t>(this->team_)), ranks_(owner->ranks) {}
  void lay_out(Arena &arena);

  int64_t parameter_count() const override { return parameters_.size(); }
  void copy_parameters(double *out) const override;
  void set_parameters(Span<const double> values) override;
  void evaluate(double *loss, double *objective, Span<double> gradient) override;
  atp_outcome run(int64_t epochs, Reporter &reporter) override;

 private:
  using Base = DenseLearner<Pass>;
  using Base::data_;
  using Base::end_;
  using Base::epoch_;
  using Base::kernels_;
  using Base::passes_;
  using Base::settings;

  // How a site ended.
  struct Result {
    double loss = 0, objective = 0, gradient_norm = 0, step = 0;
    int64_t evaluations = 0;
    int64_t outcome = ATP_OUTCOME_NONE;  // CANCELLED: it was stopped and does not count
  };
  // The sums over the sites that are done.
  struct Position {
    double loss, objective, gradient2, weight, step;
    int64_t worst;
  };

  void start() override;
  void put_present(Pass &pass, int64_t i) const override { put_site(pass, settings.shape, site(i).data(), i); }
  void add_present(int64_t i, int64_t k, double factor, double *block) const override;
  void write_present(double *fields) const override;
  int64_t state_payload() const override;
  void save_run(StateWriter &writer) const override;
  bool possible(int64_t epoch, int64_t end) const override;
  void check_run(StateReader reader, int64_t epoch, int64_t end) const override;
  void load_run(StateReader &reader) override;
  void restart();
  Span<Real> site(int64_t i) const { return parameters_.sub(unknowns_before(settings.shape, i), site_unknowns(settings.shape, i)); }
  Span<Real> place(int64_t k, int64_t i) const {
    return places_.sub(k * most_site_unknowns(settings.shape), site_unknowns(settings.shape, i));
  }
  // The copy of site i of the couplings with neighbour k; C_ij(a, b) lies at [b * q + a].
  const Real *copy_of(int64_t i, int64_t k) const { return site(i).data() + settings.shape.colors + k * settings.shape.block(); }
  Result descend(int64_t i, int thread, Span<Real> x);
  void take_over(int64_t i, const Result &result);
  void agree_on_rounds();
  int64_t first_of_round(int64_t rank, int64_t count) const { return round_ends_[rank] * count / round_ends_[ranks_.size()]; }
  void descend_round(int64_t first, int64_t count);
  void fetch(int64_t k, int64_t first, int64_t count);

  int64_t round_;  // sites of a round on this rank
  Ranks &ranks_;
  Span<int64_t> round_ends_;     // [ranks + 1]: 0, and how many sites the ranks up to each have in a full round
  Span<Real> parameters_;        // the unknowns of each site
  Span<Real> places_;            // [round][most unknowns]: of the sites at work
  Span<LeanLbfgs<Real>> lbfgs_;  // [team]
  Span<Result> results_;         // [L]
  Position done_{};
};

extern template class SiteTrainer<DensePassF32>;
extern template class SiteTrainer<DensePassF64>;

}  // namespace atp
