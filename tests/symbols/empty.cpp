// SPDX-License-Identifier: MIT
// An empty library: its symbols are those that the compiler and the C library put into every library.
extern "C" __attribute__((visibility("default"))) int attopotts_empty(void);
extern "C" int attopotts_empty(void) { return 0; }
