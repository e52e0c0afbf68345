// SPDX-License-Identifier: MIT
// What this processor and its system can run, asked of the processor itself: Highway's library would be one more library for one function.
#pragma once

namespace atp {

// Whether all instructions that Highway's target of this name may use are there, and the system saves the registers.
struct Processor {
  bool sse4 = false, avx2 = false, avx512 = false;
};
Processor processor();

}  // namespace atp
