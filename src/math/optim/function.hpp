// SPDX-License-Identifier: MIT
// References to callables, for the time of a call; std::function may allocate.
#pragma once

#include "base/span.hpp"

#include <memory>
#include <type_traits>
#include <utility>

namespace atp {

template <class Signature>
class FunctionRef;

template <class Result, class... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  template <class F, class = std::enable_if_t<!std::is_same_v<std::decay_t<F>, FunctionRef>>>
  FunctionRef(F &&f)  // NOLINT: converts on purpose
      : self_(const_cast<void *>(static_cast<const void *>(std::addressof(f)))), call_([](void *self, Arguments... arguments) -> Result {
          return (*static_cast<std::remove_reference_t<F> *>(self))(std::forward<Arguments>(arguments)...);
        }) {}
  Result operator()(Arguments... arguments) const { return call_(self_, std::forward<Arguments>(arguments)...); }

 private:
  void *self_;
  Result (*call_)(void *, Arguments...);
};

}  // namespace atp
