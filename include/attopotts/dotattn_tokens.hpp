// SPDX-License-Identifier: MIT
/** @file dotattn_tokens.hpp
 *  Theory of dot-product attention for any number of tokens; see dotattn_tokens.h.
 *  A piece of attopotts.hpp, which says what holds for all of them. */
#ifndef ATTOPOTTS_DOTATTN_TOKENS_HPP
#define ATTOPOTTS_DOTATTN_TOKENS_HPP

#include <attopotts/dotattn_tokens.h>
#include <attopotts/base.hpp>
#include <attopotts/context.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace attopotts {

namespace dotattn {

/** Rows of atp_dotattn_tokens_column numbers. */
class Evolved {
 public:
  explicit Evolved(std::size_t rows) : numbers_(rows * ATP_DOTATTN_TOKENS_COLUMNS) {}
  std::size_t size() const noexcept { return numbers_.size() / ATP_DOTATTN_TOKENS_COLUMNS; }
  /** The number in a row and a column, an atp_dotattn_tokens_column. */
  double operator()(std::size_t row, int column) const {
    return numbers_.at(row * ATP_DOTATTN_TOKENS_COLUMNS + static_cast<std::size_t>(column));
  }
  /** How it ended; CONVERGED where all rows did. */
  atp_outcome outcome() const noexcept { return outcome_; }

  double *data() noexcept { return numbers_.data(); }
  std::int64_t numbers() const noexcept { return attopotts::detail::size(numbers_.size()); }
  atp_outcome *end() noexcept { return &outcome_; }

 private:
  std::vector<double> numbers_;
  atp_outcome outcome_ = ATP_OUTCOME_NONE;
};

/** The arguments of atp_dotattn_tokens(), with the values of [C24]. */
struct Evolution {
  std::int64_t tokens = 2;
  std::vector<double> code = {1, -1}, teacher = {0.6, 0.4, 0.4, 0.6};
  std::int64_t code_columns = 1, rank = 1;
  double omega = 0.3, sigma = 0.5, lambda = 0.01;
  atp_dotattn_start solution = ATP_DOTATTN_START_SEMANTIC;
  std::int64_t points = 4096, shifts = 8;
  std::uint64_t seed = 1;
  double tolerance = 1e-8;
  std::int64_t max_iter = 500;
};

/** atp_dotattn_tokens_bytes(). */
inline std::int64_t evolve_bytes(const Context &context, const Evolution &evolution, std::int64_t n_alphas) {
  std::int64_t bytes = 0;
  check(atp_dotattn_tokens_bytes(context.get(), evolution.tokens, evolution.rank, n_alphas, evolution.points, evolution.shifts, &bytes));
  return bytes;
}

/** atp_dotattn_tokens(). */
inline Evolved evolve(const Context &context, const Evolution &evolution, Reals alphas, const ProgressFunction &progress = {}) {
  attopotts::detail::Relay relay{progress, {}};
  Evolved out(alphas.size());
  relay.finish(atp_dotattn_tokens(
      context.get(), evolution.tokens, evolution.code.data(), evolution.code_columns, attopotts::detail::size(evolution.code.size()),
      evolution.rank, evolution.teacher.data(), attopotts::detail::size(evolution.teacher.size()), evolution.omega, evolution.sigma,
      evolution.lambda, alphas.data(), attopotts::detail::size(alphas.size()), evolution.solution, evolution.points, evolution.shifts,
      evolution.seed, evolution.tolerance, evolution.max_iter, relay.callback(), &relay, out.data(), out.numbers(), out.end()));
  return out;
}

}  // namespace dotattn

}  // namespace attopotts

#endif
