// SPDX-License-Identifier: MIT
// What the three trainers of dense couplings share: settings, training data, the losses on other sequences, and the model that comes out.
//
// All numbers of the trainer and its saved state are those of its precision; copies that go out through the C API are float64.
#pragma once

#include "learn/dense/dense_objective.hpp"
#include "learn/learner.hpp"
#include "math/optim/lbfgs.hpp"

#include <cmath>

namespace atp {

struct DenseSettings {
  DenseShape shape;
  bool asymmetric = false;
  int precision = 32;
  int64_t epochs = 0, history = 0;
  atp_optimizer optimizer = ATP_OPTIMIZER_LBFGS;
  int64_t batch = 0;  // of SGD and Adam, as the next three
  uint64_t seed = 0;
  double rate = 0, momentum = 0;
  double tolerance = -1;                   // below 0: automatic
  double l2_fields = 0, l2_couplings = 0;  // below 0: automatic
  atp_l2_scale scale = ATP_L2_ABSOLUTE;

  bool stochastic() const { return optimizer != ATP_OPTIMIZER_LBFGS; }
  // Relative size of the rounding errors of an objective.
  double resolution() const { return precision == 32 ? 0x1p-27 : 0x1p-46; }
  DensePenalties penalties(double effective_count) const;
};

// Throws ATP_E_VALUE (shape) or ATP_E_CONFLICT. lists: of the pairs that have couplings; NULL: all.
DenseSettings dense_settings(const Options &options, int64_t count, int64_t sites, int64_t colors, const PairLists *lists);

// What a state belongs to, field by field, so that a mismatch can be named, and where the run stood. Where it is restricted, the number of
// pairs and the pairs follow.
struct DenseKey {
  int64_t count, sites, colors, gaps, problem, precision, history,
      epochs;  // problem: 1 asymmetric, 2 restricted to a list of pairs, 4 on batches
  double tolerance, l2_fields, l2_couplings;
  uint64_t sequences, weights;
};

template <class Pass>
class DenseLearner : public Learner {
 public:
  using Real = typename Pass::Real;

  void init(const Alignment &train) override;
  int64_t count() const override { return settings.shape.count; }
  int64_t sites() const override { return settings.shape.sites; }
  int64_t colors() const override { return settings.shape.data_colors(); }
  int64_t model_colors() const override { return settings.shape.colors; }
  void set_test(const Alignment *test) override;
  void set_truth(const Model *truth) override;
  double loss(const Alignment &alignment) override;
  int64_t epochs() const override { return epoch_; }
  Model *make_model() const override;
  void save(void *buffer, int64_t size) const override;
  void load(const void *buffer, int64_t size) override;
  int64_t saved_bytes() const override {
    return static_cast<int64_t>(sizeof(DenseKey) + 2 * sizeof(int64_t)) + list_bytes() + state_payload();
  }

  DenseSettings settings;

 protected:
  DenseLearner(Context *owner, const DenseSettings &values)
      : Learner(owner),
        settings(values),
        kernels_(dense_kernels(owner->target)),
        data_(values.shape),
        target_(owner->target),
        team_(owner->threads) {}
  ~DenseLearner() = default;
  void lay_out_shared(Arena &arena);

  virtual void start() = 0;                                                                // parameters at their initial values, epoch 0
  virtual void put_present(Pass &pass, int64_t i) const = 0;                               // fields and couplings of a site
  virtual void add_present(int64_t i, int64_t k, double factor, double *block) const = 0;  // block(a, b) += factor J_ij(a, b), neighbour k
  virtual void write_present(double *fields) const = 0;                                    // [L][q]
  virtual int64_t state_payload() const = 0;
  virtual uint64_t run_key() const { return 0; }  // hash of what a state of the optimiser belongs to beside the key
  virtual void save_run(StateWriter &writer) const = 0;
  virtual bool possible(int64_t epoch, int64_t end) const = 0;                       // whether a run can be there
  virtual void check_run(StateReader reader, int64_t epoch, int64_t end) const = 0;  // throws ATP_E_FORMAT
  virtual void load_run(StateReader &reader) = 0;

  // Throws ATP_E_NOT_FINITE where a parameter leaves the range of the precision.
  static void check_parameters(Span<const double> values);
  Threads threads() const { return Threads(context->threads).at_most(team_); }
  bool report(Reporter &reporter, int64_t total, bool with_tests);
  template <class Put>
  double mean_loss(const Alignment &alignment, Put &&put);
  double loss_of_truth(const Alignment &alignment);
  double restricted_loss_of_truth(const Alignment &alignment);
  DenseKey key() const;
  uint64_t fingerprint() const;
  int64_t list_bytes() const;  // of the list of pairs in a state
  void explain_pairs(const char *state, int64_t size, int64_t restricted) const;
  [[noreturn]] void explain_mismatch(const void *buffer, int64_t size) const;

  const DenseKernels &kernels_;
  DenseData data_;
  Target target_;  // the context's when the trainer was made
  int team_;       // threads when the trainer was made: each has a pass
  // Of a problem of so many sites: automatic is above the noise of float32, which grows like this.
  double tolerance(int64_t predicted_sites) const {
    return settings.tolerance >= 0 ? settings.tolerance : 1e-5 * effective_count_ * std::sqrt(static_cast<double>(predicted_sites));
  }
  void take_own_data();  // the numbers of all data are those of the alignment

  // Of all training data: of the alignment, or of those of several processes.
  double effective_count_ = 0, predicted_weight_ = 0;
  DensePenalties penalties_;
  const Model *truth_ = nullptr;
  double optimal_loss_ = 0;
  bool optimal_known_ = false;
  uint64_t data_hash_ = 0;

  Span<Pass> passes_;         // [team]
  Span<double> blocks_;       // [team][q][q]: couplings of a true model
  Span<double> scratch_;      // for the coupling error
  Span<uint16_t> codes_;      // of a piece of other sequences
  Span<double> losses_;       // [L]
  Span<double> frequencies_;  // [L][q]: of the training data, with a pseudocount
  Span<double> start_;        // [L][q]: initial fields

  int64_t epoch_ = 0;
  atp_outcome end_ = ATP_OUTCOME_NONE;                                    // how training ended for good, NONE while it can go on
  double loss_ = 0, objective_value_ = 0, gradient_norm_ = 0, rate_ = 0;  // for reports
};

extern template class DenseLearner<DensePassF32>;
extern template class DenseLearner<DensePassF64>;

}  // namespace atp
