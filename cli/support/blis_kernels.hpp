// SPDX-License-Identifier: MIT
#pragma once

namespace cli {

// BLIS does not know newer CPUs and then takes its generic kernels, five times slower. Name the right ones in the environment unless the
// user has; this must happen before BLIS's first call.
void choose_blis_kernels();

}  // namespace cli
