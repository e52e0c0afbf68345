// SPDX-License-Identifier: MIT
#include "commands/check_works.hpp"

#include <utility>

namespace cli {

namespace {

using OptionValues = std::vector<std::pair<atp_option, int64_t>>;

Options with(atp_context *context, int owner, const OptionValues &settings) {
  Options options;
  check(atp_options_create(context, owner, out(options)));
  for (const auto &[key, value] : settings) check(atp_options_set_i64(options.get(), key, value));
  return options;
}

// Couplings of one head, of all pairs, and of lists of pairs: J_ij U(a, b) with U of 0 and 1, and blocks C_ij(a, b).
enum class Couplings { factored, dense, scaled, blocks };

// A ring with second bonds: each site has four neighbours.
Model list_model(atp_context *context, int64_t sites, int64_t colors, bool blocks) {
  const int64_t shape[] = {sites, colors, 2 * sites};
  std::vector<int64_t> pairs;
  for (int64_t i = 0; i < sites; ++i)
    for (const int64_t step : {1, 4}) pairs.insert(pairs.end(), {i, (i + step) % sites});
  std::vector<double> couplings;
  for (int64_t n = 0; n < shape[2]; ++n)
    for (int64_t a = 0; a < colors; ++a)
      for (int64_t b = 0; b < colors; ++b)
        couplings.push_back(blocks   ? 0.1 * static_cast<double>((7 * n + 5 * a + 3 * b) % 11 - 5)
                            : a == b ? 0.2 * static_cast<double>(n % 5 - 2)
                                     : 0);
  Model model;
  check(atp_model_create_pairs(context, shape, pairs.data(), couplings.data(), nullptr, nullptr, out(model)));
  return model;
}

Model random_model(atp_context *context, int64_t sites, int64_t colors, Couplings kind) {
  if (kind == Couplings::scaled || kind == Couplings::blocks) return list_model(context, sites, colors, kind == Couplings::blocks);
  Model random, model;
  check(atp_model_create_random(context, sites, colors, ATP_COUPLINGS_GAUSSIAN, ATP_COLOR_MATRIX_GAUSSIAN, 1, out(random)));
  if (kind == Couplings::factored) return random;
  std::vector<double> couplings(static_cast<std::size_t>(sites * sites * colors * colors));
  check(atp_model_couplings_f64(random.get(), couplings.data(), static_cast<int64_t>(couplings.size())));
  check(atp_model_create_dense_f64(context, sites, colors, couplings.data(), nullptr, out(model)));
  return model;
}

// Makes sequences in which kernels see every colour at every site.
std::vector<uint8_t> mixed_sequences(int64_t count, int64_t sites, int64_t colors) {
  std::vector<uint8_t> values(static_cast<std::size_t>(count * sites));
  uint64_t state = 1;
  for (uint8_t &value : values) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    value = static_cast<uint8_t>((state >> 33) % static_cast<uint64_t>(colors));
  }
  return values;
}

Alignment mixed_data(atp_context *context, int64_t count, int64_t sites, int64_t colors) {
  Alignment data;
  check(atp_alignment_create(context, mixed_sequences(count, sites, colors).data(), count, sites, colors, nullptr, out(data)));
  return data;
}

// Numbers of colours below, at and above the widths of vectors.
constexpr int64_t kColorCounts[] = {2, 5, 20, 33};

// The states of chains after a few sweeps.
class Gibbs : public CheckJob {
 public:
  Gibbs(atp_context *context, Couplings kind) : context_(context), kind_(kind), model_(random_model(context, kSites, 20, kind)) {
    make(model_.get(), 64);
  }
  std::vector<double> numbers() override {
    std::vector<double> all;
    for (const int64_t colors : kColorCounts) {
      model_ = random_model(context_, 19, colors, kind_);
      make(model_.get(), 100);
      std::vector<uint8_t> states(100 * 19);
      check(atp_sampler_sample(sampler_.get(), 20, states.data(), static_cast<int64_t>(states.size()), nullptr, nullptr, nullptr));
      all.insert(all.end(), states.begin(), states.end());
    }
    return all;
  }
  double step() override {
    check(atp_sampler_sweep(sampler_.get(), 20, nullptr, nullptr, nullptr));
    return static_cast<double>(20 * 64 * kSites);
  }

 private:
  static constexpr int64_t kSites = 20;
  void make(const atp_model *model, int64_t chains) {
    sampler_ = Sampler();
    check(atp_sampler_create(context_, model, with(context_, ATP_OWNER_SAMPLER, {{ATP_OPT_CHAINS, chains}}).get(), out(sampler_)));
  }
  atp_context *context_;
  Couplings kind_;
  Model model_;
  Sampler sampler_;
};

// Loss and gradient, then the parameters after a few epochs.
class Training : public CheckJob {
 public:
  Training(atp_context *context, OptionValues settings, int64_t sequences)
      : context_(context), settings_(std::move(settings)), sequences_(sequences) {
    make(20, 20, sequences_);
  }
  std::vector<double> numbers() override {
    std::vector<double> all;
    for (const int64_t colors : kColorCounts) {
      make(19, colors, 100);
      gradient();
      all.insert(all.end(), gradient_.begin(), gradient_.end());
      all.push_back(loss_);
      check(atp_trainer_run(trainer_.get(), 3, nullptr, nullptr, nullptr));
      check(atp_trainer_parameters(trainer_.get(), gradient_.data(), static_cast<int64_t>(gradient_.size())));
      all.insert(all.end(), gradient_.begin(), gradient_.end());
    }
    return all;
  }
  double step() override {
    gradient();
    return static_cast<double>(sequences_);
  }

 private:
  void make(int64_t sites, int64_t colors, int64_t count) {
    trainer_ = Trainer();
    data_ = mixed_data(context_, count, sites, colors);
    check(atp_trainer_create(context_, data_.get(), with(context_, ATP_OWNER_TRAINER, settings_).get(), out(trainer_)));
    gradient_.resize(static_cast<std::size_t>(atp_trainer_parameter_count(trainer_.get())));
  }
  void gradient() {
    check(atp_trainer_gradient(trainer_.get(), &loss_, nullptr, gradient_.data(), static_cast<int64_t>(gradient_.size())));
  }
  atp_context *context_;
  OptionValues settings_;
  int64_t sequences_;
  double loss_ = 0;
  std::vector<double> gradient_;
  Alignment data_;
  Trainer trainer_;
};

// The same numbers of a network.
class Network : public CheckJob {
 public:
  Network(atp_context *context, atp_family family) : data_(mixed_data(context, kSequences, 20, 20)) {
    check(atp_trainer_create(context, data_.get(), with(context, ATP_OWNER_TRAINER, {{ATP_OPT_FAMILY, family}, {ATP_OPT_WIDTH, 20}}).get(),
                             out(network_)));
    gradient_.resize(static_cast<std::size_t>(atp_trainer_parameter_count(network_.get())));
  }
  std::vector<double> numbers() override {
    step();
    std::vector<double> all = gradient_;
    all.push_back(loss_);
    check(atp_trainer_run(network_.get(), 2, nullptr, nullptr, nullptr));
    check(atp_trainer_parameters(network_.get(), gradient_.data(), static_cast<int64_t>(gradient_.size())));
    all.insert(all.end(), gradient_.begin(), gradient_.end());
    return all;
  }
  double step() override {
    check(atp_trainer_gradient(network_.get(), &loss_, nullptr, gradient_.data(), static_cast<int64_t>(gradient_.size())));
    return static_cast<double>(kSequences);
  }

 private:
  static constexpr int64_t kSequences = 100;
  double loss_ = 0;
  std::vector<double> gradient_;
  Alignment data_;
  Trainer network_;
};

// Weights by identity: integers, so the same on all targets.
class Weights : public CheckJob {
 public:
  explicit Weights(atp_context *context) : data_(mixed_data(context, kSequences, 101, 3)) {}
  std::vector<double> numbers() override {
    step();
    const double *weights = atp_alignment_weights_view(data_.get());
    return {weights, weights + kSequences};
  }
  double step() override {
    check(atp_alignment_weigh(data_.get(), 0.6, ATP_WEIGHTS_INCLUSIVE, nullptr, nullptr, nullptr));
    return static_cast<double>(kPairs);
  }

 private:
  static constexpr int64_t kSequences = 1500;
  static constexpr int64_t kPairs = kSequences * (kSequences - 1) / 2;
  Alignment data_;
};

// Gradient descent of dot-product attention on samples.
class Descent : public CheckJob {
 public:
  explicit Descent(atp_context *context) : context_(context) {
    const OptionValues settings = {{ATP_OPT_DIMENSION, 101}, {ATP_OPT_STEPS, 30}, {ATP_OPT_TEST_SAMPLES, 100}, {ATP_OPT_RUNS, 3}};
    check(atp_task_create(context, ATP_TASK_DOTATTN_SIMULATION, with(context, ATP_TASK_DOTATTN_SIMULATION, settings).get(), out(task_)));
    const double alpha = 1;
    check(atp_task_set_array(task_.get(), ATP_ARRAY_ALPHAS, &alpha, 1, 1));
  }
  std::vector<double> numbers() override {
    const auto kind = static_cast<atp_table_kind>(atp_task_table_kind(task_.get()));
    ResultTable table;
    check(atp_table_create(context_, kind, atp_task_rows(task_.get()), out(table)));
    check(atp_task_run(task_.get(), table.get(), nullptr, nullptr, nullptr));
    std::vector<double> values(static_cast<std::size_t>(atp_table_rows(table.get()) * atp_table_columns(table.get())));
    check(atp_table_values(table.get(), values.data(), static_cast<int64_t>(values.size())));
    return values;
  }
  double step() override { return 0; }

 private:
  atp_context *context_;
  Task task_;
};

}  // namespace

const std::vector<CheckWork> &check_works() {
  static const std::vector<CheckWork> works = {
      {"sampling of factored models", "site updates", 0.02, true, 29, 70, 150,
       [](atp_context *context) { return std::make_unique<Gibbs>(context, Couplings::factored); }},
      {"sampling of dense models", "site updates", 0.02, true, 13, 25, 48,
       [](atp_context *context) { return std::make_unique<Gibbs>(context, Couplings::dense); }},
      {"sampling of lattices", "site updates", 0.02, true, 8, 28, 60,
       [](atp_context *context) { return std::make_unique<Gibbs>(context, Couplings::scaled); }},
      {"sampling of lists of pairs", "site updates", 0.02, true, 7.5, 23, 40,
       [](atp_context *context) { return std::make_unique<Gibbs>(context, Couplings::blocks); }},
      {"factored attention", "sequences", 1e-5, false, 23, 59, 108,
       [](atp_context *context) { return std::make_unique<Training>(context, OptionValues{}, 500); }},
      {"dense pseudo-likelihood", "sequences", 1e-5, false, 6, 8, 10.6,
       [](atp_context *context) {
         return std::make_unique<Training>(context, OptionValues{{ATP_OPT_FAMILY, ATP_FAMILY_DENSE}}, 500);
       }},
      {"encoder", "sequences", 1e-5, false, 20, 40, 55,
       [](atp_context *context) { return std::make_unique<Network>(context, ATP_FAMILY_ENCODER); }},
      {"layer with a dial", "sequences", 1e-5, false, 12, 21, 27,
       [](atp_context *context) { return std::make_unique<Network>(context, ATP_FAMILY_DIAL); }},
      {"weights by identity", "pairs", 0, false, 4.4, 6.4, 7.4, [](atp_context *context) { return std::make_unique<Weights>(context); }},
      {"descent of dot-product attention", "", 1e-5, false, 0, 0, 0,
       [](atp_context *context) { return std::make_unique<Descent>(context); }},
  };
  return works;
}

Context check_context(const std::string &target, int64_t threads) {
  Context context;
  check(atp_context_set_simd(context.get(), target.c_str()));
  check(atp_context_set_threads(context.get(), threads));
  return context;
}

}  // namespace cli
