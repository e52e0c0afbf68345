// SPDX-License-Identifier: MIT
// Symmetric pseudo-likelihood of dense couplings by SGD or Adam on batches of sequences. An epoch is a pass over the sequences.
//
// A batch is training data of its own: its codes and lists are made for every step. With W the weight of all predicted sites, w that of
// those in the batch, and the objective of dense_objective.hpp,
//     f = (sum over the batch of -log p) / w + penalties / W
// has the mean of the whole objective divided by W, and f's gradient is what the optimiser gets. The optimiser's numbers are float64, the
// gradient has the trainer's precision.
#pragma once

#include "learn/dense/dense_learner.hpp"
#include "math/optim/stochastic_run.hpp"

namespace atp {

template <class Pass>
class BatchTrainer final : public DenseLearner<Pass> {
 public:
  using Real = typename Pass::Real;

  BatchTrainer(Context *owner, const DenseSettings &values);
  void lay_out(Arena &arena);

  int64_t parameter_count() const override { return x_.size(); }
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

  void start() override;
  void put_present(Pass &pass, int64_t i) const override { put_symmetric(pass, settings.shape, x_.data(), i); }
  void add_present(int64_t i, int64_t k, double factor, double *block) const override;
  void write_present(double *fields) const override;
  int64_t state_payload() const override { return static_cast<int64_t>(sizeof(RunPosition)) + stochastic_.payload(); }
  uint64_t run_key() const override;
  void save_run(StateWriter &writer) const override;
  bool possible(int64_t epoch, int64_t end) const override;
  void check_run(StateReader reader, int64_t epoch, int64_t end) const override;
  void load_run(StateReader &reader) override;
  void restart();
  double predicted() const { return this->predicted_weight_ > 0 ? this->predicted_weight_ : 1; }
  double whole(Span<double> gradient, double *penalty);
  BatchLoss batch(const Batch &chosen, Span<double> gradient);
  void set_point();

  SymmetricObjective<Pass> objective_;
  StochasticRun stochastic_;
  RunPosition at_;
  DenseData batch_;          // the sequences of a batch
  Span<Pass> batch_passes_;  // [team]
  Span<uint8_t> sequences_;  // [batch][L]
  Span<double> weights_;     // [batch]
  Span<double> x_;
  Span<Real> point_, slope_;  // x and a gradient in the precision of the passes
};

extern template class BatchTrainer<DensePassF32>;
extern template class BatchTrainer<DensePassF64>;

}  // namespace atp
