// SPDX-License-Identifier: MIT
// A Potts model that imitates an autoregressive one. With u_i(a; s) = h_i(a) + sum_{j before i} C_ij(a, s_j),
//
//     log P(s) = sum_i (u_i(s_i; s) - log Z_i(s)),   log Z_i(s) = log sum_a exp u_i(a; s),
//
// and only log Z_i couples more than two sites. It is expanded around its mean: m_i = softmax of the mean of u_i with m_j for s_j, made in
// the order of the sites, and E_ij(a, b) = C_ij(a, b) less its mean over a, with m_i(a), and then over b, with m_j(b):
//
//     log Z_i(s) = const + sum_j sum_a m_i(a) C_ij(a, s_j) + 1/2 sum_jk sum_a m_i(a) E_ij(a, s_j) E_ik(a, s_k) + ...
//
// so that what j and k do together for a later site becomes a coupling of j and k. The error is of third order in the couplings.
#pragma once

#include "potts/model.hpp"

namespace atp {

// A dense model with fields, beta 1, of a source that has an order. Takes memory for L^2 q^2 numbers more and gives it back; time
// proportional to L^3 q^3.
Model *make_pairwise(Context &context, const Model &source);

}  // namespace atp
