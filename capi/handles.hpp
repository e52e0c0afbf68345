// SPDX-License-Identifier: MIT
// The exception barrier of the C API and the conversions between handles and core objects; with the checks of arguments.
//
// A body is one lambda:    return guarded(context, [&] { require(model, "model"); ...; });
// A handle is the core object itself: core(handle) and handle(core object) convert.
#pragma once

#include "alignment/alignment.hpp"
#include "base/context.hpp"
#include "base/options.hpp"
#include "base/table.hpp"
#include "checks.hpp"
#include "potts/model.hpp"

#include <attopotts/table.h>

#include <memory>
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

// Conversions between a core object and its opaque handle. An object that knows its context has it as `context`.
template <class Opaque>
struct CoreOf;
template <class Opaque>
struct CoreOf<const Opaque> {
  using type = const typename CoreOf<Opaque>::type;
};

template <class Opaque>
auto *core(Opaque *handle) {
  return reinterpret_cast<typename CoreOf<Opaque>::type *>(handle);
}

#define ATP_HANDLE(opaque, of) \
  template <>                  \
  struct CoreOf<opaque> {      \
    using type = of;           \
  };                           \
  inline opaque *handle(of *object) { return reinterpret_cast<opaque *>(object); }

ATP_HANDLE(atp_context, Context)

// The context of a handle that may be NULL.
inline Context *context_of(atp_context *handle) { return core(handle); }
template <class Opaque>
Context *context_of(Opaque *handle) {
  return handle == nullptr ? nullptr : core(handle)->context;
}

// guarded() with the context of a handle that must not be NULL.
template <class Opaque, class Body>
atp_status guarded(Opaque *handle, const char *name, Body &&body) noexcept {
  return guarded(context_of(handle), [&] {
    require(handle, name);
    body();
  });
}
template <class Opaque, class Body>
atp_status guarded_together(Opaque *handle, const char *name, Body &&body) noexcept {
  return guarded_together(context_of(handle), [&] {
    require(handle, name);
    body();
  });
}

// The same for a call that makes a handle.
template <class Handle, class Body>
atp_status creating(atp_context *context, Handle **out, Body &&body) noexcept {
  if (out != nullptr) *out = nullptr;
  return guarded(context, "context", body);
}

// Frees what lives in a block of its context.
template <class Opaque>
void destroy(Opaque *handle) noexcept {
  if (handle != nullptr) destroy_block(core(handle)->context->allocator, core(handle));
}

// Numbers that one call works in.
class Doubles {
 public:
  Doubles(Context &context, int64_t n) : n_(n), scratch_(context.allocator, Scratch::piece<double>(n)) {}
  Span<double> span() const { return scratch_.arena().take<double>(n_); }

 private:
  int64_t n_;
  Scratch scratch_;
};

// An object in a block of its context, until it is handed over.
struct FreeBlock {
  template <class T>
  void operator()(T *made) const noexcept {
    destroy_block(made->context->allocator, made);
  }
};
template <class T>
using Made = std::unique_ptr<T, FreeBlock>;

ATP_HANDLE(atp_alignment, Alignment)
ATP_HANDLE(atp_model, Model)
ATP_HANDLE(atp_table, Table)

// --- bags of options ---

struct OptionsBag {
  OptionsBag(Context *owner, const OptionTable &table) : context(owner), values(table) {}
  void lay_out(Arena &) {}
  Context *context;
  std::size_t block_bytes = 0;
  Options values;
};

ATP_HANDLE(atp_options, OptionsBag)

// nullptr for numbers that are no atp_option_owner and no atp_task_kind.
const OptionTable *find_option_table(int owner);

// The values of an optional bag for an owner.
inline Options options_for(const OptionTable &owner, const atp_options *options) {
  return options == nullptr ? Options(owner) : core(options)->values.values_for(owner);
}

// Copies the values that an object was made with to a bag of the same owner.
inline void copy_options(const Options &values, atp_options *options) {
  core(options)->values = values.values_for(core(options)->values.table());
}

// The same of a handle.
template <class Opaque, class Core>
atp_status copy_options(Opaque *handle, const char *name, Options Core::*values, atp_options *options) noexcept {
  return guarded(handle, name, [&] {
    require(options, "options");
    copy_options(core(handle)->*values, options);
  });
}

// The sequences of an alignment against a model, which may lack their first colour, the gap.
inline void require_model_fit(const Model &model, const Alignment &alignment) {
  require_size(alignment.sites(), model.sites(), "the number of sites of alignment");
  const int64_t q = model.colors(), gap = alignment.colors() - q;
  if (gap != 0 && gap != 1)
    fail(ATP_E_SHAPE, "the number of colours of alignment is %lld, must be %lld, or %lld with a gap", llong{alignment.colors()}, llong{q},
         llong{q + 1});
}

// options_for() of readers of alignments.
ATP_FOR_IO Options alignment_options(const atp_options *options);

// --- tables ---

// nullptr for numbers that are no kind.
const TableKind *find_table_kind(int kind);

inline const TableKind &require_table_kind(int kind) {
  const TableKind *found = find_table_kind(kind);
  if (found == nullptr) fail(ATP_E_VALUE, "kind is %d, must be an atp_table_kind", kind);
  return *found;
}

// Of this kind, with room for n rows more.
inline void require_table(const Table &table, atp_table_kind kind, int64_t n) {
  if (table.kind() != kind)
    fail(ATP_E_CONFLICT, "the table is an %s, must be an %s", require_table_kind(table.kind()).name, require_table_kind(kind).name);
  table.filling.require_idle("table");
  table.require_room(n);
}

}  // namespace atp
