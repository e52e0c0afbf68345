// SPDX-License-Identifier: MIT
// Symmetric pseudo-likelihood: one problem with fields and J_ij, i < j, as unknowns, by L-BFGS. An epoch is an iteration.
#pragma once

#include "learn/dense/dense_learner.hpp"

namespace atp {

template <class Pass>
class DenseTrainer final : public DenseLearner<Pass>, public SummedData {
 public:
  using Real = typename Pass::Real;

  DenseTrainer(Context *owner, const DenseSettings &values);
  void lay_out(Arena &arena);

  int64_t parameter_count() const override { return x_.size(); }
  void copy_parameters(double *out) const override;
  void set_parameters(Span<const double> values) override;
  void evaluate(double *loss, double *objective, Span<double> gradient) override;
  atp_outcome run(int64_t epochs, Reporter &reporter) override;
  void set_reduction(atp_reduce_fn reduce, void *user) override;

 private:
  using Base = DenseLearner<Pass>;
  using Base::data_;
  using Base::end_;
  using Base::epoch_;
  using Base::kernels_;
  using Base::passes_;
  using Base::settings;

  void start() override;
  void put_present(Pass &pass, int64_t i) const override { put_symmetric(pass, settings.shape, x_.data(), i); }
  void add_present(int64_t i, int64_t k, double factor, double *block) const override;
  void write_present(double *fields) const override;
  int64_t state_payload() const override { return lbfgs_.payload() + static_cast<int64_t>(sizeof(Real)) * x_.size(); }
  void save_run(StateWriter &writer) const override;
  bool possible(int64_t epoch, int64_t end) const override;
  void check_run(StateReader reader, int64_t epoch, int64_t end) const override;
  void load_run(StateReader &reader) override;
  void restart();
  double value(Span<const Real> x, Span<Real> gradient, double *penalty);
  double summed_value(Span<const Real> x, Span<Real> gradient, double *penalty);
  static void reduce(atp_reduce_fn sum, void *user, Span<double> values);

  SymmetricObjective<Pass> objective_;
  LeanLbfgs<Real> lbfgs_;
  Span<Real> x_;
  atp_reduce_fn reduce_ = nullptr;
  void *reduce_user_ = nullptr;
  double loss_weight_ = 0;  // sum of weights times predicted sites, of the last evaluation
};

extern template class DenseTrainer<DensePassF32>;
extern template class DenseTrainer<DensePassF64>;

}  // namespace atp
