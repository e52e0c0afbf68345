// SPDX-License-Identifier: MIT
/** @file dotattn.hpp
 *  The solvable dot-product attention; see dotattn.h.
 *  A piece of attopotts.hpp, which says what holds for all of them. */
#ifndef ATTOPOTTS_DOTATTN_HPP
#define ATTOPOTTS_DOTATTN_HPP

#include <attopotts/dotattn.h>
#include <attopotts/base.hpp>
#include <attopotts/context.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace attopotts {

/** What dot-product attention learns of positions and meanings, in theory. */
namespace dotattn {

/** Teacher T = (1 - omega) softmax(h h^T) + omega A, tokens of standard deviation sigma, penalty lambda. A has its rows first. */
struct Problem {
  double omega = 0.3, sigma = 0.5, lambda = 0.01;
  std::array<double, 4> map = {0.6, 0.4, 0.4, 0.6};
};

/** Rows of atp_dotattn_column or atp_dotattn_transition_column numbers. */
class Rows {
 public:
  Rows(std::size_t rows, std::size_t columns) : columns_(columns), numbers_(rows * columns) {}
  std::size_t size() const noexcept { return numbers_.size() / columns_; }
  /** The number in a row and a column. */
  double operator()(std::size_t row, int column) const { return numbers_.at(row * columns_ + static_cast<std::size_t>(column)); }
  /** How the run ended; CONVERGED where all rows did. */
  atp_outcome outcome() const noexcept { return outcome_; }

  double *data() noexcept { return numbers_.data(); }
  std::int64_t numbers() const noexcept { return detail::size(numbers_.size()); }
  atp_outcome *end() noexcept { return &outcome_; }

 private:
  std::size_t columns_;
  std::vector<double> numbers_;
  atp_outcome outcome_ = ATP_OUTCOME_NONE;
};

/** What the best linear map of positions is, and its generalisation loss. */
struct Linear {
  std::array<double, 4> map;
  double loss;
};

/** atp_dotattn_bytes(). */
inline std::int64_t bytes(const Context &context, std::int64_t n_alphas) {
  std::int64_t out = 0;
  return check(atp_dotattn_bytes(context.get(), n_alphas, &out)), out;
}

/** atp_dotattn_curve(): rows of atp_dotattn_column. */
inline Rows curve(const Context &context, const Problem &problem, atp_dotattn_branch branch, Reals alphas, double accuracy = 1e-3,
                  const ProgressFunction &progress = {}, std::int64_t max_iter = 10000) {
  attopotts::detail::Relay relay{progress, {}};
  Rows out(alphas.size(), ATP_DOTATTN_COLUMNS);
  relay.finish(atp_dotattn_curve(context.get(), problem.map.data(), 4, problem.omega, problem.sigma, problem.lambda, branch, alphas.data(),
                                 detail::size(alphas.size()), accuracy, max_iter, relay.callback(), &relay, out.data(), out.numbers(),
                                 out.end()));
  return out;
}

/** atp_dotattn_transition(): rows of atp_dotattn_transition_column. The problem's omega does not count. */
inline Rows transition(const Context &context, const Problem &problem, Reals omegas, double accuracy = 1e-3,
                       const ProgressFunction &progress = {}, std::int64_t max_iter = 100000) {
  attopotts::detail::Relay relay{progress, {}};
  Rows out(omegas.size(), ATP_DOTATTN_TRANSITION_COLUMNS);
  relay.finish(atp_dotattn_transition(context.get(), problem.map.data(), 4, problem.sigma, problem.lambda, omegas.data(),
                                      detail::size(omegas.size()), accuracy, max_iter, relay.callback(), &relay, out.data(), out.numbers(),
                                      out.end()));
  return out;
}

/** atp_dotattn_linear(). */
inline Linear linear(const Problem &problem) {
  Linear out{};
  return check(atp_dotattn_linear(problem.map.data(), 4, problem.omega, problem.sigma, out.map.data(), 4, &out.loss)), out;
}

}  // namespace dotattn

}  // namespace attopotts

#endif
