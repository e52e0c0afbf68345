// SPDX-License-Identifier: MIT
// Objects in blocks that readers fill: given back unless they are released to the caller.
#pragma once

#include "base/arena.hpp"

#include <memory>

namespace atp {

struct DestroyBlock {
  template <class T>
  void operator()(T *object) const {
    destroy_block(object->context->allocator, object);
  }
};
template <class T>
using Owner = std::unique_ptr<T, DestroyBlock>;

}  // namespace atp
