// SPDX-License-Identifier: MIT
/** @file ranks.hpp
 *  How a process reaches the others that work with it; see ranks.h.
 *  Part of attopotts.hpp, which describes the conventions. */
#ifndef ATTOPOTTS_RANKS_HPP
#define ATTOPOTTS_RANKS_HPP

#include <attopotts/ranks.h>
#include <attopotts/base.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>

namespace attopotts {

/** Base of classes that reach the other ranks, for Context::set_ranks(). All ranks call the same functions in the same order. An exception
 *  of one ends the call of the library with ATP_E_RANK, and thrown() keeps it. */
class Ranks {
 public:
  Ranks(std::int64_t rank, std::int64_t size) : rank_(rank), size_(size) {}
  virtual ~Ranks() = default;
  Ranks(const Ranks &) = delete;
  Ranks &operator=(const Ranks &) = delete;
  std::int64_t rank() const noexcept { return rank_; }
  std::int64_t size() const noexcept { return size_; }
  /** Rank r has written bytes ends[r - 1] to ends[r] - 1, with ends[-1] = 0; gives every rank the bytes of all. */
  virtual void gather(View<std::uint8_t> bytes, View<const std::int64_t> ends) = 0;
  /** Replaces the values by their sums over the ranks. */
  virtual void sum(View<std::int64_t> values) = 0;
  /** Gives every rank the bytes of rank root. */
  virtual void broadcast(View<std::uint8_t> bytes, std::int64_t root) = 0;
  /** The exception of a function above; empty where there was none. */
  std::exception_ptr thrown() const noexcept { return thrown_; }
  /** For C functions. */
  atp_ranks get() noexcept {
    return {
        static_cast<std::int64_t>(sizeof(atp_ranks)), rank_, size_, this, &Ranks::call_gather, &Ranks::call_sum, &Ranks::call_broadcast};
  }

 private:
  // No exception passes through the library.
  template <class Function>
  int guarded(Function &&function) noexcept {
    try {
      function();
      return 0;
    } catch (...) {
      thrown_ = std::current_exception();
      return 1;
    }
  }
  template <class T>
  static View<T> elements(void *data, std::int64_t count) {
    return View<T>(static_cast<T *>(data), static_cast<std::size_t>(count));
  }
  static int call_gather(void *bytes, const std::int64_t *ends, void *user) noexcept {
    Ranks &ranks = *static_cast<Ranks *>(user);
    const View<const std::int64_t> all(ends, static_cast<std::size_t>(ranks.size_));
    return ranks.guarded([&] { ranks.gather(elements<std::uint8_t>(bytes, ends[ranks.size_ - 1]), all); });
  }
  static int call_sum(std::int64_t *values, std::int64_t count, void *user) noexcept {
    Ranks &ranks = *static_cast<Ranks *>(user);
    return ranks.guarded([&] { ranks.sum(elements<std::int64_t>(values, count)); });
  }
  static int call_broadcast(void *bytes, std::int64_t count, std::int64_t root, void *user) noexcept {
    Ranks &ranks = *static_cast<Ranks *>(user);
    return ranks.guarded([&] { ranks.broadcast(elements<std::uint8_t>(bytes, count), root); });
  }
  std::int64_t rank_, size_;
  std::exception_ptr thrown_;
};

}  // namespace attopotts

#endif
