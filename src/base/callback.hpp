// SPDX-License-Identifier: MIT
// Calls of the host's callbacks. The thread that called the library makes them, outside of parallel regions. An
// exception that a callback throws becomes an Error.
#pragma once

#include "base/error.hpp"

#include <exception>

namespace atp {

// Returns call(). Throws ATP_E_CALLBACK with the name of the callback if it throws.
template <class Call>
auto call_host(const char *name, Call &&call) -> decltype(call()) {
  try {
    return call();
  } catch (const Error &) {
    throw;  // of a callback that handed the report on
  } catch (const std::exception &e) {
    fail(ATP_E_CALLBACK, "the %s callback threw an exception: %s", name, e.what());
  } catch (...) {
    fail(ATP_E_CALLBACK, "the %s callback threw an exception", name);
  }
}

}  // namespace atp
