// SPDX-License-Identifier: MIT
/** @file dotattn.hpp
 *  Solvable dot-product attention; see dotattn.h. Its curves, transitions and simulations are tasks, task.hpp.
 *  Part of attopotts.hpp, which describes the conventions. */
#ifndef ATTOPOTTS_DOTATTN_HPP
#define ATTOPOTTS_DOTATTN_HPP

#include <attopotts/dotattn.h>
#include <attopotts/base.hpp>

#include <array>

namespace attopotts {

/** Theory of positional and semantic solutions of dot-product attention. */
namespace dotattn {

/** Teacher T = (1 - omega) softmax(h h^T) + omega A, tokens of standard deviation sigma. The first index of A is the row. */
struct Problem {
  double omega = 0.3, sigma = 0.5;
  std::array<double, 4> map = {0.6, 0.4, 0.4, 0.6};
};

/** The best linear map of positions, and its generalisation loss. */
struct Linear {
  std::array<double, 4> map;
  double loss;
};

/** atp_dotattn_linear(). */
inline Linear linear(const Problem &problem) {
  Linear out{};
  return check(atp_dotattn_linear(problem.map.data(), 4, problem.omega, problem.sigma, out.map.data(), 4, &out.loss)), out;
}

}  // namespace dotattn

}  // namespace attopotts

#endif
