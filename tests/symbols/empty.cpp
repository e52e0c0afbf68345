// SPDX-License-Identifier: MIT
// A library with nothing in it: what the compiler and the C library put into every library is no fault of ours.
extern "C" __attribute__((visibility("default"))) int attopotts_empty(void);
extern "C" int attopotts_empty(void) { return 0; }
