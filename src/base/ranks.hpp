// SPDX-License-Identifier: MIT
// Several processes that work on one problem: what a context knows of the others.
//
// All ranks make the same collective calls. Work is cut into items that do not depend on the ranks; `shared_for`
// gives each rank a range of them, and `gather` gives all results to all ranks:
//
//     every rank:  items of its own -> gather -> the same serial arithmetic on the same numbers
//
// Failures. A rank that fails tells the others (tell, called by guarded_together in capi/handles.hpp). Each operation begins with a sum of
// one integer, the number of ranks that tell. If it is not 0, all ranks exchange their texts, and those that have not failed throw
// ATP_E_RANK. A call ends with meet(), so that a failure after the last operation is heard, too.
#pragma once

#include "base/error.hpp"
#include "base/span.hpp"
#include "base/team.hpp"

#include <attopotts/ranks.h>

#include <cstdint>

namespace atp {

inline constexpr int64_t kMaxRanks = 1 << 20;

class Allocator;

class Ranks {
 public:
  explicit Ranks(Allocator &allocator) : allocator_(allocator) {}
  ~Ranks() { release(); }
  Ranks(const Ranks &) = delete;
  Ranks &operator=(const Ranks &) = delete;

  // Checks that the ranks fit each other. Throws ATP_E_MISMATCH, ATP_E_RANK, ATP_E_MEMORY.
  void set(const atp_ranks &how);
  // Makes the context a single rank again.
  void release() noexcept;

  bool several() const { return how_.size > 1; }
  int64_t rank() const { return how_.rank; }
  int64_t size() const { return how_.size; }
  const atp_ranks &callbacks() const { return how_; }
  // The first of the items that a rank has; rank() has first(rank(), items) .. first(rank() + 1, items) - 1.
  int64_t first(int64_t rank, int64_t items) const {
    return items / how_.size * rank + (items % how_.size < rank ? items % how_.size : rank);
  }

  // All of these are collective, do nothing with one rank, and throw ATP_E_RANK.
  // The bytes of the items that each rank has, if items are of `item_bytes` bytes and lie one after the other.
  void gather(void *data, int64_t items, int64_t item_bytes);
  // The same with ranges that do not follow first(): rank r has bytes ends[r - 1] .. ends[r] - 1.
  void gather(void *data, const int64_t *ends);
  void broadcast(void *data, int64_t bytes, int64_t root = 0);
  void sum(int64_t *values, int64_t count);
  bool any(bool flag);
  // The same where item k has rows begin(k) .. begin(k + 1) - 1, of `row_bytes` bytes each.
  template <class Begin>
  void gather_rows(void *data, int64_t items, int64_t row_bytes, Begin &&begin) {
    if (!several()) return;
    for (int64_t r = 0; r < how_.size; ++r) ends_[r] = begin(first(r + 1, items)) * row_bytes;
    gather(data, ends_);
  }
  // Room for the size() ends of a gather.
  int64_t *ends() { return ends_; }

  // Returns these ranks for a computation that is worth sharing, and NULL for one that every rank does faster itself. It depends on the
  // computation alone: its multiply-adds, and the bytes that a rank receives.
  Ranks *worth(double operations, double bytes) {
    constexpr double kMessages = 4e5, kByte = 4;  // multiply-adds in the time of the messages, and of a byte
    return several() && operations > kMessages + kByte * bytes ? this : nullptr;
  }

  // A collective call begins and ends; a callback may make calls within one. end() takes what begin() has returned.
  bool begin() {
    const bool outer = told_;
    told_ = false;
    return outer;
  }
  void end(bool outer) { told_ = outer; }
  // Called when a call has succeeded here: checks that it has succeeded on all ranks.
  void meet();
  // Tells the other ranks that this one has failed. Does nothing if all ranks know the failure.
  void tell(const char *text) noexcept;

  bool broken() const { return broken_; }
  double traffic(atp_traffic what) const { return traffic_[what]; }

 private:
  void check(bool failed, const char *text);
  void check_callback(int returned, const char *name);
  [[noreturn]] void throw_failure(const char *own_text);
  void count(double sent, double received);
  void compare(const atp_ranks &how, bool failed);

  template <class Call>
  void call(const char *name, Call &&callback);

  Allocator &allocator_;
  atp_ranks how_{sizeof(atp_ranks), 0, 1, nullptr, nullptr, nullptr, nullptr};
  int64_t *ends_ = nullptr;
  bool told_ = false;    // the failure of this call is known to all
  bool broken_ = false;  // a callback failed: the ranks do not reach each other any more
  double traffic_[ATP_TRAFFIC_SECONDS + 1] = {};
};

// Runs function(item, thread) for the items of this rank on at most `threads` threads; NULL: all items. Gather their results after it.
template <class Function>
void shared_for(const Ranks *ranks, const Threads &threads, int64_t items, Function &&function) {
  if (ranks == nullptr || !ranks->several()) return parallel_for(threads, items, function);
  const int64_t first = ranks->first(ranks->rank(), items), end = ranks->first(ranks->rank() + 1, items);
  parallel_for(threads, end - first, [&](int64_t k, int thread) { function(first + k, thread); });
}
template <class Function>
void shared_for(const Ranks &ranks, const Threads &threads, int64_t items, Function &&function) {
  shared_for(&ranks, threads, items, function);
}

}  // namespace atp
