// SPDX-License-Identifier: MIT
/** @file dotattn_simulate.hpp
 *  Dot-product attention in simulation; see dotattn_simulate.h.
 *  A piece of attopotts.hpp, which says what holds for all of them. */
#ifndef ATTOPOTTS_DOTATTN_SIMULATE_HPP
#define ATTOPOTTS_DOTATTN_SIMULATE_HPP

#include <attopotts/dotattn_simulate.h>
#include <attopotts/base.hpp>
#include <attopotts/context.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace attopotts {

/** Dot-product attention with a positional and a semantic solution. */
namespace dotattn {

/** Rows of atp_dotattn_sim_column numbers. */
class Simulated {
 public:
  explicit Simulated(std::size_t rows) : numbers_(rows * ATP_DOTATTN_SIM_COLUMNS) {}
  std::size_t size() const noexcept { return numbers_.size() / ATP_DOTATTN_SIM_COLUMNS; }
  /** The number in a row and a column, an atp_dotattn_sim_column. */
  double operator()(std::size_t row, int column) const {
    return numbers_.at(row * ATP_DOTATTN_SIM_COLUMNS + static_cast<std::size_t>(column));
  }
  /** How the run ended; CONVERGED where all runs did. */
  atp_outcome outcome() const noexcept { return outcome_; }

  double *data() noexcept { return numbers_.data(); }
  std::int64_t numbers() const noexcept { return detail::size(numbers_.size()); }
  atp_outcome *end() noexcept { return &outcome_; }

 private:
  std::vector<double> numbers_;
  atp_outcome outcome_ = ATP_OUTCOME_NONE;
};

/** The arguments of atp_dotattn_simulate(), with the values of [C24] and L-BFGS. */
struct Experiment {
  std::int64_t dimension = 1000, tokens = 2;
  std::vector<double> code = {1, -1}, teacher = {0.6, 0.4, 0.4, 0.6};
  std::int64_t code_columns = 1, rank = 1;
  double omega = 0.3, sigma = 0.5, lambda = 0.01;
  atp_dotattn_start start = ATP_DOTATTN_START_SEMANTIC;
  atp_optimizer optimizer = ATP_OPTIMIZER_LBFGS;
  std::int64_t steps = 5000;
  double rate = 0, tolerance = 1e-5;
  std::int64_t fresh = 1000, runs = 10;
  std::uint64_t seed = 1;
};

/** atp_dotattn_simulate_bytes(). */
inline std::int64_t simulate_bytes(const Context &context, const Experiment &experiment, Reals alphas) {
  std::int64_t bytes = 0;
  check(atp_dotattn_simulate_bytes(context.get(), experiment.dimension, experiment.tokens, experiment.code_columns, experiment.rank,
                                   alphas.data(), attopotts::detail::size(alphas.size()), experiment.optimizer, experiment.runs, &bytes));
  return bytes;
}

/** atp_dotattn_simulate(). */
inline Simulated simulate(const Context &context, const Experiment &experiment, Reals alphas, const ProgressFunction &progress = {}) {
  attopotts::detail::Relay relay{progress, {}};
  Simulated out(alphas.size());
  relay.finish(atp_dotattn_simulate(context.get(), experiment.dimension, experiment.tokens, experiment.code.data(), experiment.code_columns,
                                    attopotts::detail::size(experiment.code.size()), experiment.rank, experiment.teacher.data(),
                                    attopotts::detail::size(experiment.teacher.size()), experiment.omega, experiment.sigma,
                                    experiment.lambda, alphas.data(), attopotts::detail::size(alphas.size()), experiment.start,
                                    experiment.optimizer, experiment.steps, experiment.rate, experiment.tolerance, experiment.fresh,
                                    experiment.runs, experiment.seed, relay.callback(), &relay, out.data(), out.numbers(), out.end()));
  return out;
}

}  // namespace dotattn

}  // namespace attopotts

#endif
