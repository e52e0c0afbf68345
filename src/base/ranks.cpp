// SPDX-License-Identifier: MIT
#include "base/ranks.hpp"

#include "base/arena.hpp"
#include "base/checked.hpp"
#include "base/system.hpp"

#include <attopotts/version.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>

namespace atp {

namespace {

// The report of a rank that the ranks exchange when one of them fails.
struct Report {
  int64_t failed = 0;
  char host[64] = "";
  char text[256] = "";
};

}  // namespace

void Ranks::set(const atp_ranks &how) {
  release();
  constexpr int64_t kPerRank = sizeof(int64_t);
  std::exception_ptr failure;
  try {
    ends_ = static_cast<int64_t *>(allocator_.allocate(memory_size(product_of(how.size, kPerRank))));
  } catch (...) {
    failure = std::current_exception();
  }
  how_ = how;
  try {
    // The other ranks wait here, whatever has happened to this one.
    compare(how, failure != nullptr);
    if (failure != nullptr) std::rethrow_exception(failure);
  } catch (...) {
    release();
    if (failure != nullptr) std::rethrow_exception(failure);
    throw;
  }
}

void Ranks::release() noexcept {
  if (ends_ != nullptr) allocator_.release(ends_, static_cast<std::size_t>(how_.size) * sizeof(int64_t));
  ends_ = nullptr;
  how_ = {sizeof(atp_ranks), 0, 1, nullptr, nullptr, nullptr, nullptr};
  told_ = broken_ = false;
  for (double &number : traffic_) number = 0;
}

// Every rank has one number of 0..size-1, and all have the library's version.
void Ranks::compare(const atp_ranks &how, bool failed) {
  if (!several()) return;
  int64_t sums[5] = {1, how.rank, how.rank * how.rank % 1000003, 0, failed ? 1 : 0};
  for (const char *c = atp_version_string(); *c != '\0'; ++c) sums[3] = (sums[3] * 257 + static_cast<unsigned char>(*c)) % 1000003;
  int64_t expected[4] = {how.size, 0, 0, sums[3] * how.size};
  for (int64_t r = 0; r < how.size; ++r) {
    expected[1] += r;
    expected[2] += r * r % 1000003;
  }
  int64_t differ = 0;
  call("sum", [&] { return how_.sum(sums, 5, how_.user); });
  if (sums[4] != 0) fail(ATP_E_RANK, "%lld ranks have no memory", llong{sums[4]});
  for (int k = 0; k < 3; ++k) differ += sums[k] != expected[k];
  if (sums[3] != expected[3]) differ += 1000000000;
  call("sum", [&] { return how_.sum(&differ, 1, how_.user); });
  if (differ % 1000000000 != 0)
    fail(ATP_E_MISMATCH, "the ranks do not fit each other: rank %lld has size %lld", llong{how.rank}, llong{how.size});
  if (differ != 0)
    fail(ATP_E_MISMATCH, "the ranks have different versions of attopotts; rank %lld has %s", llong{how.rank}, atp_version_string());
  for (double &number : traffic_) number = 0;
}

void Ranks::check_callback(int returned, const char *name) {
  if (returned == 0) return;
  broken_ = told_ = true;
  fail(ATP_E_RANK, "the %s callback of rank %lld returned %d", name, llong{how_.rank}, returned);
}

// Calls the host, and measures how long that takes.
template <class Call>
void Ranks::call(const char *name, Call &&callback) {
  if (broken_) {
    told_ = true;
    fail(ATP_E_RANK, "the ranks do not reach each other any more, since a callback has failed");
  }
  const auto begin = std::chrono::steady_clock::now();
  const int returned = callback();
  traffic_[ATP_TRAFFIC_SECONDS] += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  ++traffic_[ATP_TRAFFIC_CALLS];
  check_callback(returned, name);
}

void Ranks::count(double sent, double received) {
  traffic_[ATP_TRAFFIC_SENT] += sent;
  traffic_[ATP_TRAFFIC_RECEIVED] += received;
}

// The start of each operation: whether a rank has failed.
void Ranks::check(bool failed, const char *text) {
  int64_t failures = failed ? 1 : 0;
  call("sum", [&] { return how_.sum(&failures, 1, how_.user); });
  count(sizeof failures, sizeof failures);
  if (failures != 0) throw_failure(failed ? text : nullptr);
}

// All ranks are here. Each learns the text of the first that has failed.
void Ranks::throw_failure(const char *own_text) {
  told_ = true;
  Report first;
  int64_t lowest = how_.size;
  for (int64_t root = 0; root < how_.size && lowest == how_.size; ++root) {
    Report report;
    if (root == how_.rank) {
      report.failed = own_text != nullptr;
      get_host_name(report.host, sizeof report.host);
      if (own_text != nullptr) std::snprintf(report.text, sizeof report.text, "%s", own_text);
    }
    call("broadcast", [&] { return how_.broadcast(&report, sizeof report, root, how_.user); });
    if (report.failed == 0) continue;
    first = report;
    lowest = root;
  }
  first.host[sizeof first.host - 1] = first.text[sizeof first.text - 1] = '\0';
  fail(ATP_E_RANK, "rank %lld on %s failed: %s", llong{lowest}, first.host, first.text);
}

void Ranks::gather(void *data, int64_t items, int64_t item_bytes) {
  if (!several()) return;
  for (int64_t r = 0; r < how_.size; ++r) ends_[r] = first(r + 1, items) * item_bytes;
  gather(data, ends_);
}

void Ranks::gather(void *data, const int64_t *ends) {
  if (!several()) return;
  check(false, nullptr);
  const int64_t all = ends[how_.size - 1], own = ends[how_.rank] - (how_.rank == 0 ? 0 : ends[how_.rank - 1]);
  if (all == 0) return;
  call("gather", [&] { return how_.gather(data, ends, how_.user); });
  count(static_cast<double>(own), static_cast<double>(all - own));
}

void Ranks::broadcast(void *data, int64_t bytes, int64_t root) {
  if (!several()) return;
  check(false, nullptr);
  if (bytes == 0) return;
  call("broadcast", [&] { return how_.broadcast(data, bytes, root, how_.user); });
  const double n = static_cast<double>(bytes);
  count(root == how_.rank ? n : 0, root == how_.rank ? 0 : n);
}

void Ranks::sum(int64_t *values, int64_t n) {
  if (!several()) return;
  check(false, nullptr);
  call("sum", [&] { return how_.sum(values, n, how_.user); });
  const double bytes = static_cast<double>(n) * sizeof *values;
  count(bytes, bytes);
}

bool Ranks::any(bool flag) {
  int64_t set = flag ? 1 : 0;
  sum(&set, 1);
  return set != 0;
}

void Ranks::meet() {
  if (several()) check(false, nullptr);
}

void Ranks::tell(const char *text) noexcept {
  if (!several() || told_ || broken_) return;
  try {
    check(true, text);
  } catch (...) {
    // Every rank has the text now.
  }
}

}  // namespace atp
