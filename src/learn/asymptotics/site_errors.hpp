// SPDX-License-Identifier: MIT
// Errors of couplings and scores of pairs, of dense couplings that were learned from an alignment with penalties: sandwiches of the
// regressions of single sites, whose copies of a coupling are averaged, without a matrix of all unknowns.
//
// With one-hot inputs x_n of site i, residuals r_n = p_n - e_{s_ni} and P_n = diag p_n - p_n p_n^T, sequence n moves the estimate by
//     psi_n = (sum_m w_m P_m (x) x_m x_m^T + Lambda)^-1 r_n (x) x_n,   covariance sum_n w_n (psi_n - mean)(psi_n - mean)^T.
// psi_n = Lambda^-1 sum_m c_m (x) x_m, and with S_m S_m^T = w_m P_m and the kernel k_mn = x_m . Lambda^-1 x_n
//     c_m = [m = n] r_n - S_m y_m,   (1 + S^T k S) y = S^T k r,
// solved by conjugate gradients, many n at a time. Gradients of norms and of their correction turn psi_n into what n does to a score.
#pragma once

#include "base/context.hpp"
#include "learn/asymptotics/asymptotics.hpp"

namespace atp {

struct SiteErrors {
  double *couplings = nullptr;                    // [L][L][q][q], zero-sum gauge
  double *norms = nullptr, *corrected = nullptr;  // [L][L], Frobenius norms without a colour, and average product correction
  int64_t left_out = -1;
};

// Throws ATP_E_CONFLICT unless dense couplings were learned by pseudo-likelihood with penalties on couplings and fields.
void site_errors(Context &context, const Model &model, const Alignment &alignment, const AsymptoticsSettings &settings,
                 const SiteErrors &out);
std::size_t site_errors_bytes(const Model &model, int64_t sequences, Threads threads);

}  // namespace atp
