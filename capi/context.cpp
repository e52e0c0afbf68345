// SPDX-License-Identifier: MIT
#include "handles.hpp"

#include "base/progress.hpp"
#include "base/system.hpp"
#include "base/team.hpp"
#include "simd/targets.hpp"

#include <attopotts/context.h>

using namespace atp;

namespace {

void *default_alloc(std::size_t bytes, std::size_t alignment, void *) { return aligned_memory(bytes, alignment); }

void default_free(void *memory, std::size_t, void *) { free_aligned(memory); }

}  // namespace

double atp_progress_value(const atp_progress *progress, atp_progress_key key) noexcept {
  if (progress == nullptr || key < 0 || key >= atp_progress::kKeys) return std::nan("");
  return progress->values[key];
}

atp_status atp_context_create(atp_alloc_fn alloc, atp_free_fn release, void *user, atp_context **out) noexcept {
  if (out != nullptr) *out = nullptr;
  return guarded(nullptr, [&] {
    require(out, "out");
    if ((alloc == nullptr) != (release == nullptr)) fail(ATP_E_CONFLICT, "alloc and release: give both or neither");
    const bool of_machine = alloc == nullptr;
    if (of_machine) {
      alloc = default_alloc;
      release = default_free;
    }
    const Target target = initial_target();
    // The context's own memory comes from its allocator, too; it is the one block that the counters do not show.
    void *memory = Allocator(alloc, release, user).allocate(sizeof(Context));
    Context *context = new (memory) Context(alloc, release, user);
    context->target = target;
    context->allocator.set_of_machine(of_machine);
    context->threads = default_threads();
    *out = handle(context);
  });
}

void atp_context_destroy(atp_context *context) noexcept {
  if (context == nullptr) return;
  Context *c = core(context);
  const atp_free_fn release = c->release_self;
  void *user = c->release_user;
  c->~Context();
  give_to_host(release, c, sizeof(Context), user);
}

atp_status atp_context_set_threads(atp_context *context, int64_t threads) noexcept {
  return guarded(context, "context", [&] {
    require_range(threads, 0, kMaxThreads, "threads");
    core(context)->threads = !kHasThreads ? 1 : threads == 0 ? default_threads() : static_cast<int>(threads);
  });
}

int64_t atp_context_threads(const atp_context *context) noexcept {
  return context == nullptr ? 0 : static_cast<int>(core(context)->threads);
}

atp_status atp_context_set_simd(atp_context *context, const char *name) noexcept {
  return guarded(context, "context", [&] {
    require(name, "name");
    core(context)->target = target_from_name(name);
  });
}

const char *atp_context_simd(const atp_context *context) noexcept { return context == nullptr ? "" : target_name(core(context)->target); }

const char *atp_simd_target(int64_t index) noexcept {
  for (Target target : kTargets)
    if (target_available(target) && index-- == 0) return target_name(target);
  return nullptr;
}

atp_status atp_context_set_log(atp_context *context, atp_log_fn log, void *user) noexcept {
  return guarded(context, "context", [&] {
    core(context)->log = log;
    core(context)->log_user = user;
  });
}

void atp_context_request_stop(atp_context *context) noexcept {
  if (context != nullptr) core(context)->stop.request();
}

void atp_context_clear_stop(atp_context *context) noexcept {
  if (context != nullptr) core(context)->stop.clear();
}

int atp_context_stop_requested(const atp_context *context) noexcept {
  return context != nullptr && core(context)->stop.requested() ? 1 : 0;
}

int64_t atp_context_error(const atp_context *context, char *buffer, int64_t size) noexcept {
  return context == nullptr ? 0 : copy_error(*core(context), Counting::from_zero, buffer, size);
}

int64_t atp_context_error_from_one(const atp_context *context, char *buffer, int64_t size) noexcept {
  return context == nullptr ? 0 : copy_error(*core(context), Counting::from_one, buffer, size);
}

atp_status atp_context_memory(const atp_context *context, int64_t *count, int64_t *bytes) noexcept {
  return guarded(nullptr, [&] {
    require(context, "context");
    if (count != nullptr) *count = core(context)->allocator.count();
    if (bytes != nullptr) *bytes = core(context)->allocator.bytes();
  });
}

atp_status atp_context_set_memory_limit(atp_context *context, int64_t bytes) noexcept {
  return guarded(context, "context", [&] {
    if (bytes < 0) fail(ATP_E_VALUE, "bytes is %lld, must be 0 (automatic) or positive", llong{bytes});
    core(context)->allocator.set_limit(bytes);
  });
}

atp_status atp_context_memory_limit(const atp_context *context, int64_t *limit, int64_t *available) noexcept {
  return guarded(nullptr, [&] {
    require(context, "context");
    const Allocator &allocator = core(context)->allocator;
    const int64_t left = available == nullptr ? 0 : allocator.available();
    if (limit != nullptr) *limit = allocator.limit();
    if (available != nullptr) *available = left;
  });
}
