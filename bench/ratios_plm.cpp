// SPDX-License-Identifier: MIT
// Dense couplings: gradients of the symmetric pseudo-likelihood per second, float32, all sequences and sites, through the public API.
#include "ratios.hpp"
#include "reference_plm.hpp"

#include <cmath>
#include <random>

namespace ratios {

namespace {

// Sequences are copies of a few ancestors with changes, as in a family: colours of a column are uneven.
std::vector<uint8_t> family(int64_t sites, int64_t colors, int64_t sequences) {
  std::mt19937_64 random(1);
  std::uniform_int_distribution<int> color(0, static_cast<int>(colors) - 1), ancestor(0, 19);
  std::uniform_real_distribution<double> change(0, 1);
  std::vector<uint8_t> ancestors(static_cast<std::size_t>(20 * sites)), data(static_cast<std::size_t>(sequences * sites));
  for (uint8_t &s : ancestors) s = static_cast<uint8_t>(color(random));
  for (int64_t n = 0; n < sequences; ++n) {
    const uint8_t *from = ancestors.data() + ancestor(random) * sites;
    for (int64_t i = 0; i < sites; ++i)
      data[static_cast<std::size_t>(n * sites + i)] = change(random) < 0.5 ? from[i] : static_cast<uint8_t>(color(random));
  }
  return data;
}

class DensePseudolikelihood : public Case {
 public:
  DensePseudolikelihood(atp_context *context, int64_t sites, int64_t colors, int64_t sequences) {
    std::vector<uint8_t> data = family(sites, colors, sequences);
    atp_options *options = nullptr;
    check(atp_options_create(context, &options));
    check(atp_options_set_i64(options, ATP_OPT_FAMILY, ATP_FAMILY_DENSE));
    check(atp_options_set_i64(options, ATP_OPT_HISTORY, 1));
    check(atp_options_set_f64(options, ATP_OPT_L2_COUPLINGS, 0));
    check(atp_options_set_f64(options, ATP_OPT_L2_FIELDS, 0));
    check(atp_alignment_create(context, data.data(), sequences, sites, colors, nullptr, &alignment_));
    const atp_status status = atp_trainer_create(context, alignment_, options, &trainer_);
    atp_options_destroy(options);
    check(status);
    parameters_.resize(static_cast<std::size_t>(atp_trainer_parameter_count(trainer_)));
    std::mt19937_64 random(2);
    std::normal_distribution<double> normal(0, 0.05);
    for (double &x : parameters_) x = normal(random);
    check(atp_trainer_set_parameters(trainer_, parameters_.data(), static_cast<int64_t>(parameters_.size())));
    reference_ = std::make_unique<reference::DensePseudolikelihood>(sites, colors, std::move(data));
    compare();
  }
  ~DensePseudolikelihood() override {
    atp_trainer_destroy(trainer_);
    atp_alignment_destroy(alignment_);
  }
  // An iteration is an evaluation with its gradient and a step; the gradient alone is copied out as float64 by the C API.
  double ours() override {
    check(atp_trainer_gradient(trainer_, nullptr, &objective_, gradient_.data(), static_cast<int64_t>(gradient_.size())));
    return 1;
  }
  double reference() override {
    reference_objective_ = reference_->gradient(parameters_);
    return 1;
  }

 private:
  // Both compute the same thing.
  void compare() {
    gradient_.resize(parameters_.size());
    ours();
    reference();
    double distance = 0, norm = 0;
    for (std::size_t k = 0; k < gradient_.size(); ++k) {
      const double expected = reference_->values()[k];
      distance += (gradient_[k] - expected) * (gradient_[k] - expected);
      norm += expected * expected;
    }
    if (!(distance < 1e-10 * norm) || !(std::fabs(objective_ - reference_objective_) < 1e-6 * reference_objective_))
      throw std::runtime_error("the library and the reference differ");
  }

  std::vector<double> parameters_, gradient_;
  double objective_ = 0, reference_objective_ = 0;
  atp_alignment *alignment_ = nullptr;
  atp_trainer *trainer_ = nullptr;
  std::unique_ptr<reference::DensePseudolikelihood> reference_;
};

}  // namespace

std::vector<Entry> plm_cases() {
  return {
      {"plm_gradient_L159_q21_N3629", "gradients/s", true,
       [](atp_context *c) -> std::unique_ptr<Case> { return std::make_unique<DensePseudolikelihood>(c, 159, 21, 3629); }},
      {"plm_gradient_L53_q5_N4757", "gradients/s", true,
       [](atp_context *c) -> std::unique_ptr<Case> { return std::make_unique<DensePseudolikelihood>(c, 53, 5, 4757); }},
  };
}

}  // namespace ratios
