// SPDX-License-Identifier: MIT
// Owns an object that a reader fills, and destroys it unless it is released to the caller.
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
