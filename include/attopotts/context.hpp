// SPDX-License-Identifier: MIT
/** @file context.hpp
 *  Contexts and progress; see context.h.
 *  Part of attopotts.hpp, which describes the conventions. */
#ifndef ATTOPOTTS_CONTEXT_HPP
#define ATTOPOTTS_CONTEXT_HPP

#include <attopotts/context.h>
#include <attopotts/base.hpp>
#include <attopotts/ranks.hpp>

#include <cstdint>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace attopotts {

/** Quantities of a progress report; valid in the callback only. */
class Progress {
 public:
  explicit Progress(const atp_progress *progress) : progress_(progress) {}
  double operator[](atp_progress_key key) const { return atp_progress_value(progress_, key); }

 private:
  const atp_progress *progress_;
};

/** Called between steps. Return true to continue, false to stop. An exception stops the run, and the call rethrows it. */
using ProgressFunction = std::function<bool(const Progress &)>;

namespace detail {

// The C callback of a ProgressFunction: no exception passes through the library.
struct Relay {
  const ProgressFunction &function;
  std::exception_ptr thrown;
  static int call(const atp_progress *progress, void *user) noexcept {
    Relay &relay = *static_cast<Relay *>(user);
    try {
      return relay.function(Progress(progress)) ? 0 : 1;
    } catch (...) {
      relay.thrown = std::current_exception();
      return 1;
    }
  }
  atp_progress_fn callback() const { return function ? &Relay::call : nullptr; }
  void finish(atp_status status) const {
    if (thrown) std::rethrow_exception(thrown);
    check(status);
  }
};

}  // namespace detail

/** Threads, SIMD target, memory and log; see context.h. */
class Context {
 public:
  using LogFunction = std::function<void(atp_log_level, const char *)>;

  Context() : Context(nullptr, nullptr, nullptr) {}
  Context(atp_alloc_fn alloc, atp_free_fn release, void *user) {
    atp_context *handle = nullptr;
    check(atp_context_create(alloc, release, user, &handle));
    handle_.reset(handle);
  }
  Context &set_threads(std::int64_t threads) & { return check(atp_context_set_threads(get(), threads)), *this; }
  std::int64_t threads() const { return atp_context_threads(get()); }
  Context &set_simd(const std::string &name) & { return check(atp_context_set_simd(get(), detail::text(name, "name"))), *this; }
  std::string simd() const { return atp_context_simd(get()); }
  /** An empty function drops messages. Exceptions of the function are ignored. */
  Context &set_log(LogFunction log) & {
    auto kept = std::make_unique<LogFunction>(std::move(log));
    check(atp_context_set_log(get(), *kept ? &Context::relay_log : nullptr, kept.get()));
    log_ = std::move(kept);
    return *this;
  }
  std::int64_t allocations() const {
    std::int64_t count = 0;
    return check(atp_context_memory(get(), &count, nullptr)), count;
  }
  std::int64_t bytes_in_use() const {
    std::int64_t bytes = 0;
    return check(atp_context_memory(get(), nullptr, &bytes)), bytes;
  }
  /** bytes: the limit; 0: automatic. */
  Context &set_memory_limit(std::int64_t bytes) & { return check(atp_context_set_memory_limit(get(), bytes)), *this; }
  std::int64_t memory_limit() const {
    std::int64_t limit = 0;
    return check(atp_context_memory_limit(get(), &limit, nullptr)), limit;
  }
  std::int64_t bytes_available() const {
    std::int64_t available = 0;
    return check(atp_context_memory_limit(get(), nullptr, &available)), available;
  }
  /** Asks all runs in this context to stop, from any thread; later runs end at once, too, until clear_stop(). */
  void request_stop() noexcept { atp_context_request_stop(get()); }
  void clear_stop() noexcept { atp_context_clear_stop(get()); }
  bool stop_requested() const noexcept { return atp_context_stop_requested(get()) != 0; }
  /** Makes the context one of several ranks; see ranks.h. `ranks` must live as long as the handles of the context make calls. */
  Context &set_ranks(Ranks &ranks) & {
    const atp_ranks given = ranks.get();
    return check(atp_context_set_ranks(get(), &given)), *this;
  }
  /** Makes the context a single rank again. */
  Context &unset_ranks() & { return check(atp_context_set_ranks(get(), nullptr)), *this; }
  std::int64_t rank() const noexcept { return atp_context_rank(get()); }
  std::int64_t rank_count() const noexcept { return atp_context_rank_count(get()); }
  /** Gives every rank the elements of rank root. The array, anything contiguous, has the same size on all ranks. */
  template <class Array>
  void broadcast(Array &&array, std::int64_t root = 0) {
    using Element = std::remove_pointer_t<decltype(std::data(array))>;
    static_assert(std::is_trivially_copyable_v<Element> && !std::is_const_v<Element>, "the elements are copied as bytes");
    char nothing;
    void *bytes = std::size(array) == 0 ? static_cast<void *>(&nothing) : std::data(array);
    check(atp_context_broadcast(get(), bytes, detail::size(std::size(array) * sizeof(Element)), root));
  }
  /** Whether the flag is set on any rank. */
  bool any(bool flag) {
    int found = flag ? 1 : 0;
    return check(atp_context_any(get(), &found)), found != 0;
  }
  /** Ends the collective call in which the other ranks are, or their next one. */
  void fail(const std::string &text) { check(atp_context_fail(get(), detail::text(text, "text"))); }
  double traffic(atp_traffic what) const {
    double value = 0;
    return check(atp_context_traffic(get(), what, &value)), value;
  }
  atp_context *get() const noexcept { return handle_.get(); }

 private:
  static void relay_log(atp_log_level level, const char *text, void *user) noexcept {
    try {
      (*static_cast<LogFunction *>(user))(level, text);
    } catch (...) {
    }
  }
  std::unique_ptr<LogFunction> log_;
  detail::Owner<atp_context, atp_context_destroy> handle_;
};

}  // namespace attopotts

#endif
