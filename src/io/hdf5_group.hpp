// SPDX-License-Identifier: MIT
// The contents of a group: links by name, and attributes of objects.
#pragma once

#include "io/hdf5_messages.hpp"

namespace atp {

// A link of a group by its name. Only a hard link leads to an object; soft and external links could lead anywhere.
struct Hdf5Link {
  enum Kind { none, hard, soft, external, other };
  Kind kind = none;
  uint64_t header = kNoAddress;  // of the object of a hard link
};
Hdf5Link find_link(Hdf5Bytes &bytes, uint64_t group, const char *name);
// Throws ATP_E_FORMAT for attributes that are stored apart from the object, to share them between objects: their names are not known.
bool find_attribute(Hdf5Bytes &bytes, uint64_t object, const char *name, Hdf5Attribute &attribute);

}  // namespace atp
