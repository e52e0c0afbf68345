// SPDX-License-Identifier: MIT
// Dense couplings: gradients of the symmetric pseudo-likelihood per second, float32, all sequences and sites, through the public API.
#include "ratios.hpp"
#include "reference_plm.hpp"

#include <algorithm>
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

// A trainer of dense couplings without penalties, of a list of pairs if there is one, at random parameters.
struct Problem {
  Problem(atp_context *context, int64_t sites, int64_t colors, const std::vector<uint8_t> &data, const std::vector<int64_t> &pairs = {}) {
    atp_options *options = nullptr;
    check(atp_options_create(context, ATP_OWNER_TRAINER, &options));
    check(atp_options_set_i64(options, ATP_OPT_FAMILY, ATP_FAMILY_DENSE));
    check(atp_options_set_i64(options, ATP_OPT_HISTORY, 1));
    check(atp_options_set_f64(options, ATP_OPT_L2_COUPLINGS, 0));
    check(atp_options_set_f64(options, ATP_OPT_L2_FIELDS, 0));
    check(atp_alignment_create(context, data.data(), static_cast<int64_t>(data.size()) / sites, sites, colors, nullptr, &alignment));
    const atp_status status = pairs.empty() ? atp_trainer_create(context, alignment, options, &trainer)
                                            : atp_trainer_create_pairs(context, alignment, options, pairs.data(),
                                                                       static_cast<int64_t>(pairs.size() / 2), &trainer);
    atp_options_destroy(options);
    check(status);
    parameters.resize(static_cast<std::size_t>(atp_trainer_parameter_count(trainer)));
    gradient.resize(parameters.size());
    std::mt19937_64 random(2);
    std::normal_distribution<double> normal(0, 0.05);
    for (double &x : parameters) x = normal(random);
    check(atp_trainer_set_parameters(trainer, parameters.data(), static_cast<int64_t>(parameters.size())));
  }
  ~Problem() {
    atp_trainer_destroy(trainer);
    atp_alignment_destroy(alignment);
  }
  Problem(const Problem &) = delete;
  void evaluate() { check(atp_trainer_gradient(trainer, nullptr, &objective, gradient.data(), static_cast<int64_t>(gradient.size()))); }

  std::vector<double> parameters, gradient;
  double objective = 0;
  atp_alignment *alignment = nullptr;
  atp_trainer *trainer = nullptr;
};

// The reference, which takes seconds for a gradient, works on a slice of the sequences: its time is proportional to their number.
class DensePseudolikelihood : public Case {
 public:
  DensePseudolikelihood(atp_context *context, int64_t sites, int64_t colors, int64_t sequences) : sequences_(sequences) {
    const std::vector<uint8_t> data = family(sites, colors, sequences);
    const std::vector<uint8_t> slice(data.begin(), data.begin() + kSlice * sites);
    problem_ = std::make_unique<Problem>(context, sites, colors, data);
    reference_ = std::make_unique<reference::DensePseudolikelihood>(sites, colors, slice);
    if (!compares) return;
    Problem small(context, sites, colors, slice);
    compare(small);
  }
  // The C API copies the gradient out as float64; a step of the optimiser does not need that.
  double ours() override {
    problem_->evaluate();
    return 1;
  }
  double reference() override {
    reference_objective_ = reference_->gradient(problem_->parameters);
    return static_cast<double>(kSlice) / static_cast<double>(sequences_);
  }

 private:
  static constexpr int64_t kSlice = 200;

  // Both compute the same thing.
  void compare(Problem &small) {
    small.evaluate();
    reference();
    double distance = 0, norm = 0;
    for (std::size_t k = 0; k < small.gradient.size(); ++k) {
      const double expected = reference_->values()[k];
      distance += (small.gradient[k] - expected) * (small.gradient[k] - expected);
      norm += expected * expected;
    }
    if (!(distance < 1e-10 * norm) || !(std::fabs(small.objective - reference_objective_) < 1e-6 * reference_objective_))
      throw std::runtime_error("the library and the reference differ");
  }

  int64_t sequences_;
  double reference_objective_ = 0;
  std::unique_ptr<Problem> problem_;
  std::unique_ptr<reference::DensePseudolikelihood> reference_;
};

// A list of about 3 L pairs against all pairs: the reference is the library itself.
class ListOfPairs : public Case {
 public:
  ListOfPairs(atp_context *context, int64_t sites, int64_t colors, int64_t sequences) {
    std::vector<int64_t> pairs;
    std::vector<std::size_t> kept;  // where the listed pairs are among all
    for (int64_t i = 0, all = 0; i < sites; ++i)
      for (int64_t j = i + 1; j < sites; ++j, ++all) {
        if ((7 * i + 11 * j) % (sites / 6) != 0) continue;
        pairs.insert(pairs.end(), {i, j});
        kept.push_back(static_cast<std::size_t>(all));
      }
    const std::vector<uint8_t> data = family(sites, colors, sequences);
    some_ = std::make_unique<Problem>(context, sites, colors, data, pairs);
    all_ = std::make_unique<Problem>(context, sites, colors, data);
    compare(static_cast<std::size_t>(sites * colors), static_cast<std::size_t>(colors * colors), kept);
  }
  double ours() override {
    some_->evaluate();
    return 1;
  }
  double reference() override {
    all_->evaluate();
    return 1;
  }

 private:
  // With zeros for all other pairs both compute the same thing.
  void compare(std::size_t fields, std::size_t block, const std::vector<std::size_t> &kept) {
    std::vector<double> &x = all_->parameters;
    const std::vector<double> &from = some_->parameters;
    std::fill(x.begin(), x.end(), 0.0);
    std::copy_n(from.begin(), fields, x.begin());
    for (std::size_t k = 0; k < kept.size(); ++k) std::copy_n(from.data() + fields + k * block, block, x.data() + fields + kept[k] * block);
    check(atp_trainer_set_parameters(all_->trainer, x.data(), static_cast<int64_t>(x.size())));
    ours();
    reference();
    if (!(std::fabs(some_->objective - all_->objective) < 1e-6 * all_->objective))
      throw std::runtime_error("a list of pairs and zeros for all others differ");
  }

  std::unique_ptr<Problem> some_, all_;
};

}  // namespace

std::vector<Entry> plm_cases() {
  return {
      {"plm_gradient_L159_q21_N3629", "gradients/s", true,
       [](atp_context *c) -> std::unique_ptr<Case> { return std::make_unique<DensePseudolikelihood>(c, 159, 21, 3629); }},
      {"plm_gradient_L53_q5_N4757", "gradients/s", true,
       [](atp_context *c) -> std::unique_ptr<Case> { return std::make_unique<DensePseudolikelihood>(c, 53, 5, 4757); }},
      {"plm_pairs_3L_L159_q21_N3629", "gradients/s", true,
       [](atp_context *c) -> std::unique_ptr<Case> { return std::make_unique<ListOfPairs>(c, 159, 21, 3629); }},
  };
}

}  // namespace ratios
