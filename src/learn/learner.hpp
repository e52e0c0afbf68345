// SPDX-License-Identifier: MIT
// What a trainer handle of the C API holds: one of the families of models, and how it is trained.
//
//     Trainer              factored attention (trainer.hpp)
//     DenseTrainer<Pass>   dense couplings, one problem (dense_trainer.hpp)
//     BatchTrainer<Pass>   the same on batches of sequences, by SGD or Adam (batch_trainer.hpp)
//     SiteTrainer<Pass>    dense couplings, one problem per site (site_trainer.hpp)
//
// Operations that only some families have are separate interfaces; a dynamic_cast of the learner finds them.
#pragma once

#include "learn/dense/pair_lists.hpp"
#include "base/options.hpp"
#include "base/progress.hpp"
#include "base/running.hpp"
#include "base/state.hpp"
#include "alignment/alignment.hpp"
#include "potts/model.hpp"

#include <attopotts/trainer.h>

namespace atp {

// More epochs than any run has: the bound of ATP_OPT_EPOCHS.
inline constexpr int64_t kMaxEpochs = 1000000000;

class Learner {
 public:
  virtual void init(const Alignment &train) = 0;
  virtual int64_t count() const = 0;  // training sequences
  virtual int64_t sites() const = 0;
  virtual int64_t colors() const = 0;  // of the data
  virtual int64_t model_colors() const { return colors(); }

  virtual int64_t parameter_count() const = 0;
  virtual void copy_parameters(double *out) const = 0;
  virtual void set_parameters(Span<const double> values) = 0;
  virtual void check_ready() const {}  // throws ATP_E_STAGE where V is missing
  virtual void set_test(const Alignment *test) = 0;
  virtual void set_truth(const Model *truth) = 0;

  // At the present parameters, over the training data; the gradient may be empty.
  virtual void evaluate(double *loss, double *objective, Span<double> gradient) = 0;
  virtual double loss(const Alignment &alignment) = 0;

  virtual atp_outcome run(int64_t epochs, Reporter &reporter) = 0;
  virtual int64_t epochs() const = 0;
  // How often loss and gradient of all training data were computed; of sites alone, divided by their number.
  double evaluations() const { return evaluations_; }
  virtual Model *make_model() const = 0;

  virtual int64_t saved_bytes() const = 0;
  virtual void save(void *buffer, int64_t size) const = 0;
  virtual void load(const void *buffer, int64_t size) = 0;

  StopFlag &stop() { return stop_; }
  // Give back the alignments and the memory that was taken later; before the learner is destroyed.
  void release() const noexcept {
    give_back(train_);
    give_back(test_);
    destroy_block(context->allocator, lists);
    if (!to_sum_.empty()) context->allocator.release(to_sum_.data(), static_cast<std::size_t>(to_sum_.size()) * sizeof(double));
  }

  Context *context;
  std::size_t block_bytes = 0;
  PairLists *lists = nullptr;  // of the pairs that have couplings, a block of its own; NULL: all
  Options given;               // what it was made with
  Table *log = nullptr;        // of reports; borrowed
  Running running;

 protected:
  explicit Learner(Context *owner) : context(owner) {}
  ~Learner() = default;
  void keep_train(const Alignment &train) {
    borrow(&train);
    train_ = &train;
  }
  void keep_test(const Alignment *test) {
    borrow(test);
    give_back(test_);
    test_ = test;
  }

  StopFlag stop_{&context->stop};
  double evaluations_ = 0;
  const Alignment *train_ = nullptr, *test_ = nullptr;  // borrowed
  Span<double> to_sum_;                                 // of SummedData; a block of its own
};

// Couplings with matrices V of colours that can be set.
class ColorMatrices {
 public:
  virtual int64_t value_count() const = 0;  // size of V
  virtual void set_values(Span<const double> values) = 0;

 protected:
  ~ColorMatrices() = default;
};

// Losses of one masked site of each sequence.
class MaskedLosses {
 public:
  // As Learner::evaluate.
  virtual void evaluate_masked(const int64_t *masked_sites, double *loss, double *objective, Span<double> gradient) = 0;

 protected:
  ~MaskedLosses() = default;
};

// Training data in several processes of the host, which sums numbers over them: see atp_trainer_set_reduction().
class SummedData {
 public:
  // NULL: the data of this process are all. Takes memory for the numbers, or gives it back.
  virtual void set_reduction(atp_reduce_fn reduce, void *user) = 0;

 protected:
  ~SummedData() = default;
};

// Starts by way of more heads, see learn/factored/wide_start.hpp. Both take memory and give it back.
class WideStart {
 public:
  virtual void check_start_wide(int64_t heads) const = 0;
  virtual atp_outcome start_wide(int64_t heads, int64_t iterations, Reporter &reporter) = 0;
  virtual void start_from(const WideStart &wide) = 0;

 protected:
  ~WideStart() = default;
};

// The learner that the options ask for, for data of this shape. Throw ATP_E_VALUE (shape, pairs) or ATP_E_CONFLICT.
std::size_t learner_bytes(Context &context, const Options &options, int64_t count, int64_t sites, int64_t colors);
Learner *create_learner(Context &context, const Options &options, const Alignment &train);
// The same with couplings of these pairs only, [pair_count][2]. The bytes take memory for the lists and give it back.
std::size_t learner_bytes(Context &context, const Options &options, const AlignmentShape &data, const int64_t *pairs, int64_t pair_count);
Learner *create_learner(Context &context, const Options &options, const Alignment &train, const int64_t *pairs, int64_t pair_count);

}  // namespace atp
