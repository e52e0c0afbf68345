// SPDX-License-Identifier: MIT
// The exception barrier of the C API and the conversions between handles and core objects; with the checks of arguments.
//
// A body is one lambda:    return guarded(context, [&] { require(model, "model"); ...; });
// A handle is the core object itself: core(handle) and handle(core object) convert.
#pragma once

#include "base/context.hpp"
#include "checks.hpp"

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

// The same for a call that all ranks of the context make together. A failure of one is a failure of all (base/ranks.hpp).
template <class Body>
atp_status guarded_together(Context *context, Body &&body) noexcept {
  if (context == nullptr || !context->ranks.several()) return guarded(context, body);
  Ranks &ranks = context->ranks;
  const bool outer = ranks.begin();
  const atp_status status = guarded(context, [&] {
    body();
    ranks.meet();
  });
  if (status != ATP_OK) ranks.tell(last_error());
  ranks.end(outer);
  return status;
}

// The same for a call that makes a handle. Where it fails on another rank after it was made here, there is none.
template <class Handle, class Body>
atp_status created_together(Context *context, Handle **out, void (*destroy)(Handle *), Body &&body) noexcept {
  const atp_status status = guarded_together(context, body);
  if (status == ATP_OK || out == nullptr || *out == nullptr) return status;
  destroy(*out);
  *out = nullptr;
  return status;
}

// Conversions between a core object and its opaque handle.
#define ATP_HANDLE(opaque, type)                                                                   \
  inline type *core(opaque *handle) { return reinterpret_cast<type *>(handle); }                   \
  inline const type *core(const opaque *handle) { return reinterpret_cast<const type *>(handle); } \
  inline opaque *handle(type *object) { return reinterpret_cast<opaque *>(object); }

ATP_HANDLE(atp_context, Context)

// The same for an object that knows its context. context_of() is for a handle that may be NULL.
#define ATP_OWNED_HANDLE(opaque, type) \
  ATP_HANDLE(opaque, type)             \
  inline Context *context_of(const opaque *handle) { return handle == nullptr ? nullptr : core(handle)->context; }

}  // namespace atp
