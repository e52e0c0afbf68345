// SPDX-License-Identifier: MIT
#pragma once

namespace cli {

// BLIS uses its generic kernels, five times slower, on CPUs that it does not know. Names the right kernels in the environment unless the
// user did. Must run before the first call of BLIS.
void choose_blis_kernels();

}  // namespace cli
