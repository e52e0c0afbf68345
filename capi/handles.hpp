// SPDX-License-Identifier: MIT
// The exception barrier and the checks that every function of the C API shares.
//
// A body is one lambda:    return guarded(context, [&] { require(model, "model"); ...; });
// A handle is the core object itself: core(handle) and handle(core object) convert.
#pragma once

#include "base/checked.hpp"
#include "base/context.hpp"
#include "base/error.hpp"

#include <cmath>
#include <new>

namespace atp {

// Run a body; turn what it throws into a status, and keep the text in the thread and (where there is one) in the context.
template <class Body>
atp_status guarded(Context *context, Body &&body) noexcept {
  const auto failed = [&](atp_status status, const char *text) {
    set_last_error(text);
    if (context != nullptr) keep_error(*context, text);
    return status;
  };
  try {
    body();
    return ATP_OK;
  } catch (const Error &e) {
    return failed(e.status(), e.what());
  } catch (const std::bad_alloc &) {
    return failed(ATP_E_MEMORY, "out of memory");
  } catch (const std::exception &e) {
    return failed(ATP_E_INTERNAL, e.what());
  } catch (...) {
    return failed(ATP_E_INTERNAL, "an exception of unknown type");
  }
}

template <class T>
void require(const T *pointer, const char *name) {
  if (pointer == nullptr) fail(ATP_E_NULL, "%s is NULL", name);
}

inline void require_size(int64_t size, int64_t expected, const char *name) {
  if (size != expected) fail(ATP_E_SHAPE, "%s is %lld, must be %lld", name, static_cast<long long>(size), static_cast<long long>(expected));
}

inline void require_range(int64_t value, int64_t lowest, int64_t highest, const char *name) {
  if (value < lowest || value > highest)
    fail(ATP_E_VALUE, "%s is %lld, must be in %lld..%lld", name, static_cast<long long>(value), static_cast<long long>(lowest),
         static_cast<long long>(highest));
}

// A finite number in lowest..highest.
inline void require_real(double value, double lowest, double highest, const char *name) {
  if (!std::isfinite(value)) fail(ATP_E_NOT_FINITE, "%s is %g, must be finite", name, value);
  if (value < lowest || value > highest) fail(ATP_E_VALUE, "%s is %g, must be in %g..%g", name, value, lowest, highest);
}

template <class Real>
void require_finite(const Real *values, int64_t n, const char *name) {
  for (int64_t k = 0; k < n; ++k)
    if (!std::isfinite(values[k]))
      fail(ATP_E_NOT_FINITE, "%s[%lld] is %g, must be finite", name, static_cast<long long>(k), static_cast<double>(values[k]));
}

// values[n][sites] < colors.
inline void require_colors(const uint8_t *values, int64_t n, int64_t sites, int64_t colors, const char *name) {
  for (int64_t k = 0, end = product_of(n, sites); k < end; ++k)
    if (values[k] >= colors)
      fail(ATP_E_ALPHABET, "%s[%lld][%lld] is %d, must be below the %lld colours", name, static_cast<long long>(k / sites),
           static_cast<long long>(k % sites), values[k], static_cast<long long>(colors));
}

// Conversions between a core object and its opaque handle.
#define ATP_HANDLE(opaque, type)                                                                   \
  inline type *core(opaque *handle) { return reinterpret_cast<type *>(handle); }                   \
  inline const type *core(const opaque *handle) { return reinterpret_cast<const type *>(handle); } \
  inline opaque *handle(type *object) { return reinterpret_cast<opaque *>(object); }

ATP_HANDLE(atp_context, Context)

}  // namespace atp
