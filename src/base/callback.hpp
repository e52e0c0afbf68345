// SPDX-License-Identifier: MIT
// Calls into the host. They are made by the thread that called the library, outside of parallel regions; an exception that leaves one
// becomes an Error, which passes the library like any other failure.
#pragma once

#include "base/error.hpp"

#include <exception>

namespace atp {

// call(), or an Error ATP_E_CALLBACK where it throws; `name` says which callback.
template <class Call>
auto call_host(const char *name, Call &&call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::exception &e) {
    fail(ATP_E_CALLBACK, "the %s callback threw an exception: %s", name, e.what());
  } catch (...) {
    fail(ATP_E_CALLBACK, "the %s callback threw an exception", name);
  }
}

}  // namespace atp
