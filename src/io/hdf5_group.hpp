// SPDX-License-Identifier: MIT
// The contents of a group: links by name, and attributes of objects.
#pragma once

#include "io/hdf5_messages.hpp"

namespace atp {

// The header that a hard link of a group leads to; kNoAddress if there is none. Soft and external links are
// ignored, because they could lead anywhere.
uint64_t find_link(Hdf5Bytes &bytes, uint64_t group, const char *name);
bool find_attribute(Hdf5Bytes &bytes, uint64_t object, const char *name, Hdf5Attribute &attribute);

}  // namespace atp
