// SPDX-License-Identifier: MIT
// Factored attention: sequences per second of loss and gradient over all sites, V learned, through the public API.
#include "ratios.hpp"
#include "reference_attention.hpp"

#include <cmath>
#include <random>

namespace ratios {

namespace {

// Sequences and parameters are random: the work does not depend on them.
class Attention : public Case {
 public:
  Attention(atp_context *context, int64_t sites, int64_t colors, int64_t sequences) : sequences_(sequences) {
    std::mt19937_64 random(1);
    std::uniform_int_distribution<int> color(0, static_cast<int>(colors) - 1);
    std::normal_distribution<double> normal(0, 0.1);
    std::vector<uint8_t> data(static_cast<std::size_t>(sequences * sites));
    for (uint8_t &s : data) s = static_cast<uint8_t>(color(random));
    maps_.resize(static_cast<std::size_t>(sites * sites));
    values_.resize(static_cast<std::size_t>(colors * colors));
    for (double &x : maps_) x = normal(random);
    for (double &x : values_) x = normal(random);
    std::vector<double> parameters = maps_;
    parameters.insert(parameters.end(), values_.begin(), values_.end());
    gradient_.resize(parameters.size());

    check(atp_alignment_create(context, data.data(), sequences, sites, colors, nullptr, &alignment_));
    check(atp_trainer_create(context, alignment_, nullptr, &trainer_));
    check(atp_trainer_set_parameters(trainer_, parameters.data(), static_cast<int64_t>(parameters.size())));
    reference_ = std::make_unique<reference::Attention>(sites, colors, std::move(data));
    if (compares) compare();
  }
  ~Attention() override {
    atp_trainer_destroy(trainer_);
    atp_alignment_destroy(alignment_);
  }
  double ours() override {
    check(atp_trainer_gradient(trainer_, &loss_, nullptr, gradient_.data(), static_cast<int64_t>(gradient_.size())));
    return static_cast<double>(sequences_);
  }
  double reference() override {
    reference_loss_ = reference_->gradient(maps_, values_);
    return static_cast<double>(sequences_);
  }

 private:
  // Both compute the same thing.
  void compare() {
    ours();
    reference();
    double distance = 0, norm = 0;
    for (std::size_t k = 0; k < gradient_.size(); ++k) {
      const std::size_t maps = maps_.size();
      const double expected = k < maps ? reference_->map_gradient()[k] : reference_->value_gradient()[k - maps];
      distance += (gradient_[k] - expected) * (gradient_[k] - expected);
      norm += expected * expected;
    }
    if (!(std::fabs(loss_ - reference_loss_) < 1e-6 * reference_loss_) || !(distance < 1e-10 * norm))
      throw std::runtime_error("attention: the library and the reference differ");
  }

  int64_t sequences_;
  std::vector<double> maps_, values_, gradient_;
  double loss_ = 0, reference_loss_ = 0;
  atp_alignment *alignment_ = nullptr;
  atp_trainer *trainer_ = nullptr;
  std::unique_ptr<reference::Attention> reference_;
};

// Many heads, fields: float32 against the library's own loops in float64.
class Heads : public Case {
 public:
  Heads(atp_context *context, int64_t sites, int64_t colors, int64_t sequences, int64_t heads) : sequences_(sequences) {
    std::mt19937_64 random(1);
    std::uniform_int_distribution<int> color(0, static_cast<int>(colors) - 1);
    std::normal_distribution<double> normal(0, 0.02);
    std::vector<uint8_t> data(static_cast<std::size_t>(sequences * sites));
    for (uint8_t &s : data) s = static_cast<uint8_t>(color(random));
    std::vector<double> parameters(static_cast<std::size_t>(heads * (sites * sites + colors * colors) + sites * colors));
    for (double &x : parameters) x = normal(random);
    gradient_.resize(parameters.size());
    check(atp_alignment_create(context, data.data(), sequences, sites, colors, nullptr, &alignment_));
    for (const int precision : {32, 64}) {
      atp_options *options = nullptr;
      check(atp_options_create(context, ATP_OWNER_TRAINER, &options));
      check(atp_options_set_i64(options, ATP_OPT_HEADS, heads));
      check(atp_options_set_i64(options, ATP_OPT_FIELDS, 1));
      check(atp_options_set_i64(options, ATP_OPT_PRECISION, precision));
      atp_trainer *&trainer = precision == 32 ? trainer_ : reference_;
      check(atp_trainer_create(context, alignment_, options, &trainer));
      atp_options_destroy(options);
      check(atp_trainer_set_parameters(trainer, parameters.data(), static_cast<int64_t>(parameters.size())));
    }
    ours();
    const double loss = loss_;
    reference();
    if (!(std::fabs(loss_ - loss) < 1e-6 * loss_)) throw std::runtime_error("heads: float32 and float64 differ");
  }
  ~Heads() override {
    atp_trainer_destroy(trainer_);
    atp_trainer_destroy(reference_);
    atp_alignment_destroy(alignment_);
  }
  double ours() override { return gradient(trainer_); }
  double reference() override { return gradient(reference_); }

 private:
  double gradient(atp_trainer *trainer) {
    check(atp_trainer_gradient(trainer, &loss_, nullptr, gradient_.data(), static_cast<int64_t>(gradient_.size())));
    return static_cast<double>(sequences_);
  }

  int64_t sequences_;
  std::vector<double> gradient_;
  double loss_ = 0;
  atp_alignment *alignment_ = nullptr;
  atp_trainer *trainer_ = nullptr, *reference_ = nullptr;
};

}  // namespace

std::vector<Entry> attention_cases() {
  return {
      {"attention_L20_q20_N3000", "sequences/s", true,
       [](atp_context *c) -> std::unique_ptr<Case> { return std::make_unique<Attention>(c, 20, 20, 3000); }},
      {"attention_L256_q21_N1000", "sequences/s", true,
       [](atp_context *c) -> std::unique_ptr<Case> { return std::make_unique<Attention>(c, 256, 21, 1000); }},
      {"attention_H32_L159_q21_N1000", "sequences/s", true,
       [](atp_context *c) -> std::unique_ptr<Case> { return std::make_unique<Heads>(c, 159, 21, 1000, 32); }},
  };
}

}  // namespace ratios
