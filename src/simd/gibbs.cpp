// SPDX-License-Identifier: MIT
#include "simd/gibbs.hpp"

namespace atp {

const GibbsKernels &gibbs_kernels(Target) { return gibbs_scalar_kernels; }

}  // namespace atp
