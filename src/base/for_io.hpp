// SPDX-License-Identifier: MIT
// ATP_FOR_IO marks what libattopotts_io calls of the core beside the public API. The core exports it under the version node
// ATTOPOTTS_PRIVATE_<version> (capi/attopotts.map.in). The two libraries must have the same version; the dynamic linker refuses others.
// tests/symbols/check_exports.py compares the marks with what libattopotts_io calls.
#pragma once

#define ATP_FOR_IO __attribute__((visibility("default")))
