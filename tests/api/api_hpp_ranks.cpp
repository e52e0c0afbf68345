// SPDX-License-Identifier: MIT
// The C++ header: contexts as ranks. Threads are the ranks.
#include <attopotts.hpp>

#include "support.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>

namespace {

using attopotts::Context;
using attopotts::View;

// What the ranks share: where each has its array.
class Group {
 public:
  explicit Group(std::int64_t size) : places(static_cast<std::size_t>(size)) {}
  void wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    const int round = round_;
    if (++arrived_ == places.size()) {
      arrived_ = 0;
      ++round_;
      moved_.notify_all();
    }
    moved_.wait(lock, [&] { return round_ != round; });
  }
  std::vector<void *> places;

 private:
  std::mutex mutex_;
  std::condition_variable moved_;
  std::size_t arrived_ = 0;
  int round_ = 0;
};

struct Broken {};

class ThreadRanks : public attopotts::Ranks {
 public:
  ThreadRanks(Group &group, std::int64_t rank) : Ranks(rank, attopotts::detail::size(group.places.size())), group_(group) {}
  bool breaks = false;

  void gather(View<std::uint8_t> bytes, View<const std::int64_t> ends) override {
    meet(bytes.data());
    for (std::size_t r = 0; r < ends.size(); ++r) {
      const std::int64_t first = r == 0 ? 0 : ends[r - 1];
      if (place(r) != bytes.data()) std::memcpy(bytes.data() + first, place(r) + first, static_cast<std::size_t>(ends[r] - first));
    }
    group_.wait();
  }
  void sum(View<std::int64_t> values) override {
    if (breaks) throw Broken();
    meet(values.data());
    std::vector<std::int64_t> sums(values.size()), part(values.size());
    for (std::size_t r = 0; r < group_.places.size(); ++r) {
      std::memcpy(part.data(), place(r), part.size() * sizeof part[0]);
      for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += part[k];
    }
    group_.wait();
    std::copy(sums.begin(), sums.end(), values.begin());
  }
  void broadcast(View<std::uint8_t> bytes, std::int64_t root) override {
    meet(bytes.data());
    const std::uint8_t *from = place(static_cast<std::size_t>(root));
    if (from != bytes.data()) std::memcpy(bytes.data(), from, bytes.size());
    group_.wait();
  }

 private:
  void meet(void *data) {
    group_.places[static_cast<std::size_t>(rank())] = data;
    group_.wait();
  }
  const std::uint8_t *place(std::size_t r) const { return static_cast<std::uint8_t *>(group_.places[r]); }
  Group &group_;
};

// function(rank, context, ranks) in threads; what each returned.
template <class Function>
auto on_ranks(std::int64_t size, Function &&function) {
  Group group(size);
  std::vector<decltype(function(std::declval<Context &>(), std::declval<ThreadRanks &>()))> found(static_cast<std::size_t>(size));
  std::vector<std::thread> threads;
  for (std::int64_t r = 0; r < size; ++r)
    threads.emplace_back([&, r] {
      ThreadRanks ranks(group, r);
      Context context;
      context.set_threads(1).set_ranks(ranks);
      found[static_cast<std::size_t>(r)] = function(context, ranks);
    });
  for (std::thread &thread : threads) thread.join();
  return found;
}

std::vector<std::uint8_t> sampled(Context &context) {
  const auto model = attopotts::Model::random(context, 7, 4);
  attopotts::Sampler sampler(context, model, attopotts::Options(context, ATP_OWNER_SAMPLER).set(ATP_OPT_CHAINS, 32));
  sampler.sweep(5);
  return sampler.sample(50);
}

struct Findings {
  std::int64_t rank, count;
  std::vector<double> numbers;
  bool some, none;
  double sent;
  std::vector<std::uint8_t> drawn;
  std::int64_t alone;
};

void ranks_know_each_other(void **) {
  Context one;
  const std::vector<std::uint8_t> expected = sampled(one.set_threads(1));
  assert_true(one.rank() == 0 && one.rank_count() == 1 && one.any(true) && !one.any(false));
  for (const std::int64_t size : {1, 3}) {
    const auto found = on_ranks(size, [](Context &context, ThreadRanks &) {
      Findings f{context.rank(), context.rank_count(), {1.5, double(context.rank())}, false, false, 0, sampled(context), 0};
      std::vector<int> empty;
      context.broadcast(f.numbers, context.rank_count() - 1);
      context.broadcast(empty);
      f.some = context.any(f.rank == 1);
      f.none = context.any(false);
      f.sent = context.traffic(ATP_TRAFFIC_SENT);
      f.alone = context.unset_ranks().rank_count();
      return f;
    });
    for (std::int64_t r = 0; r < size; ++r) {
      const Findings &f = found[static_cast<std::size_t>(r)];
      assert_true(f.rank == r && f.count == size && f.alone == 1);
      assert_true(f.numbers == (std::vector<double>{1.5, double(size - 1)}));
      assert_true(f.some == (size > 1) && !f.none && (f.sent > 0) == (size > 1));
      assert_true(f.drawn == expected);
    }
  }
}

// The status and text of what a function throws.
template <class Function>
std::pair<int, std::string> thrown_by(Function &&function) {
  try {
    function();
    return {ATP_OK, ""};
  } catch (const attopotts::error &e) {
    return {e.status(), e.what()};
  }
}

void a_failure_is_thrown_on_all(void **) {
  const auto found = on_ranks(3, [](Context &context, ThreadRanks &) {
    return thrown_by([&] { context.rank() == 2 ? context.fail("data.aln is missing") : static_cast<void>(context.any(false)); });
  });
  for (const int r : {0, 1}) {
    assert_int_equal(found[static_cast<std::size_t>(r)].first, ATP_E_RANK);
    assert_non_null(std::strstr(found[static_cast<std::size_t>(r)].second.c_str(), "data.aln is missing"));
  }
  assert_int_equal(found[2].first, ATP_OK);
}

void exceptions_of_ranks_are_kept(void **) {
  const auto found = on_ranks(2, [](Context &context, ThreadRanks &ranks) {
    const bool before = ranks.thrown() != nullptr;
    ranks.breaks = true;
    const auto failure = thrown_by([&] { context.any(false); });
    try {
      if (!before && ranks.thrown()) std::rethrow_exception(ranks.thrown());
    } catch (const Broken &) {
      return failure;
    }
    return std::pair<int, std::string>(-1, "");
  });
  for (const auto &[status, text] : found) {
    assert_int_equal(status, ATP_E_RANK);
    assert_non_null(std::strstr(text.c_str(), "sum callback"));
  }
}

const CMUnitTest tests[] = {
    cmocka_unit_test(ranks_know_each_other),
    cmocka_unit_test(a_failure_is_thrown_on_all),
    cmocka_unit_test(exceptions_of_ranks_are_kept),
};

}  // namespace

ATP_TEST_MAIN(tests)
