// SPDX-License-Identifier: MIT
// How many chains Boltzmann learning has, and how many sweeps they make in a step, where the options leave that to the data.
//
// A C_ij(a, b) of n independent sequences has the variance spread / n where sites are independent. It adds to the square of the signal, so
// that even a perfect model has a Pearson correlation below 1: the target t needs n = spread / (signal (1 / t^2 - 1)) chains. Steps move
// parameters along noise, too, which a mean over steps lowers; kChainsOverNoise times as many chains leave little of it.
//
// A step is worth what its chains forget. Chains that need T sweeps for that (Verdict::mixing) make T / kStepsToForget of them in a step.
#pragma once

#include "learn/likelihood/equilibrium.hpp"

namespace atp {

// Chains that a run has: those of the settings, or, where these are 0, as many as the target needs.
int64_t chains_of(const BoltzmannSettings &settings, const Statistics &statistics);
// Writes to the log where the noise of the chains, or of the family itself, leaves a perfect model below the target.
void warn_of_noise(const Context &context, const Alignment &family, const Statistics &statistics, double target, int64_t chains);

// Writes to the log that chains did not forget their starts, and what replica exchange made of that.
void tell_of_exchange(const Context &context, const Verdict &verdict, int64_t rungs);

inline constexpr int64_t kFirstStepSweeps = 2, kMostStepSweeps = 64;
// Sweeps of a step after a verification that failed.
int64_t more_sweeps(int64_t sweeps, const Verdict &verdict);

}  // namespace atp
