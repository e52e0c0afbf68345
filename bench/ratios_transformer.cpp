// SPDX-License-Identifier: MIT
// The encoder and the dial: sequences per second of loss and gradient with one masked site each. The reference is the library's float64
// path, plain loops (src/learn/network/layers.cpp, dial_pass_f64.cpp).
#include "ratios.hpp"

#include <cmath>
#include <random>

namespace ratios {

namespace {

class Network : public Case {
 public:
  struct Setting {
    atp_option key;
    double value;
  };
  // Parameters ~ N(0, scale^2).
  Network(atp_context *context, const std::vector<Setting> &settings, double scale, int64_t sites, int64_t colors, int64_t sequences)
      : masked_(static_cast<std::size_t>(sequences)) {
    std::mt19937_64 random(1);
    std::uniform_int_distribution<int> color(0, static_cast<int>(colors) - 1), site(0, static_cast<int>(sites) - 1);
    std::normal_distribution<double> normal(0, scale);
    std::vector<uint8_t> data(static_cast<std::size_t>(sequences * sites));
    for (uint8_t &s : data) s = static_cast<uint8_t>(color(random));
    for (int64_t &i : masked_) i = site(random);
    atp_options *options = nullptr;
    check(atp_alignment_create(context, data.data(), sequences, sites, colors, nullptr, &alignment_));
    check(atp_options_create(context, ATP_OWNER_TRAINER, &options));
    for (const Setting &setting : settings) check(atp_options_set_f64(options, setting.key, setting.value));
    check(atp_trainer_create(context, alignment_, options, &fast_));
    check(atp_options_set_i64(options, ATP_OPT_PRECISION, 64));
    check(atp_trainer_create(context, alignment_, options, &plain_));
    atp_options_destroy(options);
    std::vector<double> parameters(static_cast<std::size_t>(atp_trainer_parameter_count(fast_)));
    for (double &x : parameters) x = normal(random);
    for (atp_trainer *t : {fast_, plain_}) check(atp_trainer_set_parameters(t, parameters.data(), static_cast<int64_t>(parameters.size())));
    gradient_.resize(parameters.size());
    if (compares) compare();
  }
  ~Network() override {
    atp_trainer_destroy(plain_);
    atp_trainer_destroy(fast_);
    atp_alignment_destroy(alignment_);
  }
  double ours() override { return evaluate(fast_); }
  double reference() override { return evaluate(plain_); }

 private:
  double evaluate(atp_trainer *t) {
    const int64_t n = static_cast<int64_t>(masked_.size());
    check(atp_trainer_masked_gradient(t, masked_.data(), n, &loss_, nullptr, gradient_.data(), static_cast<int64_t>(gradient_.size())));
    return static_cast<double>(n);
  }
  // Both compute the same thing.
  void compare() {
    reference();
    const std::vector<double> expected = gradient_;
    const double expected_loss = loss_;
    ours();
    double distance = 0, norm = 0;
    for (std::size_t k = 0; k < expected.size(); ++k) {
      distance += (gradient_[k] - expected[k]) * (gradient_[k] - expected[k]);
      norm += expected[k] * expected[k];
    }
    if (!(std::fabs(loss_ - expected_loss) < 1e-5 * expected_loss) || !(distance < 1e-8 * norm))
      throw std::runtime_error("transformer: float32 and float64 differ");
  }

  std::vector<int64_t> masked_;
  std::vector<double> gradient_;
  double loss_ = 0;
  atp_alignment *alignment_ = nullptr;
  atp_trainer *fast_ = nullptr, *plain_ = nullptr;
};

std::unique_ptr<Case> encoder(atp_context *context, double blocks, int64_t sites, int64_t colors, double width, int64_t sequences) {
  const std::vector<Network::Setting> settings = {{ATP_OPT_FAMILY, ATP_FAMILY_ENCODER}, {ATP_OPT_BLOCKS, blocks}, {ATP_OPT_WIDTH, width}};
  return std::make_unique<Network>(context, settings, 0.4, sites, colors, sequences);
}

std::unique_ptr<Case> dial(atp_context *context, double a, atp_map map, int64_t sites, int64_t colors, int64_t sequences) {
  const std::vector<Network::Setting> settings = {
      {ATP_OPT_FAMILY, ATP_FAMILY_DIAL}, {ATP_OPT_DIAL, a}, {ATP_OPT_MAP, static_cast<double>(map)}};
  return std::make_unique<Network>(context, settings, 0.2, sites, colors, sequences);
}

}  // namespace

std::vector<Entry> transformer_cases() {
  return {
      {"encoder_blocks1_L20_q20_d20_N100", "sequences/s", true, [](atp_context *c) { return encoder(c, 1, 20, 20, 20, 100); }},
      {"encoder_blocks1_L20_q20_d20_N3000", "sequences/s", true, [](atp_context *c) { return encoder(c, 1, 20, 20, 20, 3000); }},
      {"encoder_blocks3_L20_q20_d20_N100", "sequences/s", true, [](atp_context *c) { return encoder(c, 3, 20, 20, 20, 100); }},
      {"encoder_blocks3_L50_q21_d64_N100", "sequences/s", true, [](atp_context *c) { return encoder(c, 3, 50, 21, 64, 100); }},
      {"dial_a1_L20_q20_N100", "sequences/s", true, [](atp_context *c) { return dial(c, 1, ATP_MAP_LOWRANK, 20, 20, 100); }},
      {"dial_a1_L20_q20_N3000", "sequences/s", true, [](atp_context *c) { return dial(c, 1, ATP_MAP_LOWRANK, 20, 20, 3000); }},
      {"dial_a0_L20_q20_N100", "sequences/s", true, [](atp_context *c) { return dial(c, 0, ATP_MAP_LOWRANK, 20, 20, 100); }},
      {"dial_a0_free_L20_q20_N100", "sequences/s", true, [](atp_context *c) { return dial(c, 0, ATP_MAP_FREE, 20, 20, 100); }},
  };
}

}  // namespace ratios
