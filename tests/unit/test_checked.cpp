// SPDX-License-Identifier: MIT
// Sizes in memory: what a machine's size cannot hold is refused and never cut; and words of both byte orders.
#include "support.h"

#include "base/arena.hpp"
#include "base/checksum.hpp"
#include "alignment/growing.hpp"

#include <cstdlib>

using namespace atp;

namespace {

template <class Call>
atp_status status_of(Call &&call) {
  try {
    call();
  } catch (const Error &e) {
    return e.status();
  }
  return ATP_OK;
}

constexpr int64_t kFourGiga = int64_t{1} << 32;

void sizes(void **) {
  assert_int_equal(memory_size(0), 0);
  assert_int_equal(memory_size(5, 8), 40);
  const int64_t most = std::numeric_limits<std::ptrdiff_t>::max();
  assert_true(memory_size(most) == static_cast<std::size_t>(most));
  assert_true(memory_size(most / 8, 8) == static_cast<std::size_t>(most / 8 * 8));
  assert_int_equal(status_of([&] { (void)memory_size(most / 8 + 1, 8); }), ATP_E_TOO_LARGE);
  assert_int_equal(status_of([] { (void)memory_size(-1); }), ATP_E_TOO_LARGE);
  assert_int_equal(status_of([] { (void)memory_size(INT64_MAX, 2); }), ATP_E_TOO_LARGE);
  // As a size of 32 bits these are 5 and 40.
  const atp_status expected = sizeof(std::size_t) < 8 ? ATP_E_TOO_LARGE : ATP_OK;
  assert_int_equal(status_of([] { (void)memory_size(kFourGiga + 5); }), expected);
  assert_int_equal(status_of([] { (void)memory_size(kFourGiga / 8 + 5, 8); }), expected);
}

int64_t asked = 0;  // bytes

void arrays(void **) {
  Allocator allocator(
      [](std::size_t bytes, std::size_t, void *) -> void * {
        asked = static_cast<int64_t>(bytes);
        return nullptr;
      },
      [](void *, std::size_t, void *) {}, nullptr);
  const bool small = sizeof(std::size_t) < 8;
  // Where the size fits, the allocator is asked for all of it, and has none.
  for (int64_t n : {kFourGiga / 8 + 1, kFourGiga + 1}) {
    asked = 0;
    Growing<double> growing(allocator);
    assert_int_equal(status_of([&] { growing.assign(n, 0.0); }), small ? ATP_E_TOO_LARGE : ATP_E_MEMORY);
    assert_true(asked == (small ? 0 : 8 * n));
    assert_int_equal(status_of([&] { (void)Scratch::piece<double>(n); }), small ? ATP_E_TOO_LARGE : ATP_OK);
  }
  assert_int_equal(status_of([] { (void)Scratch::piece<double>(INT64_MAX / 4); }), ATP_E_TOO_LARGE);
  Arena arena;
  assert_int_equal(status_of([&] {
                     for (int k = 0; k < 9; ++k) arena.take<char>(std::numeric_limits<std::ptrdiff_t>::max() / 8);
                   }),
                   ATP_E_TOO_LARGE);
}

// Sums of sizes have no check on 32 bits: a block that came out too small holds no array that it has no room for.
void blocks(void **) {
  alignas(64) static char block[512];  // with red zones, too, the first array fits and the second does not
  Arena arena(block, sizeof block);
  assert_non_null(arena.take<char>(200).data());
  assert_int_equal(status_of([&] { arena.take<char>(300); }), sizeof(std::size_t) < 8 ? ATP_E_TOO_LARGE : ATP_E_INTERNAL);
}

struct Numbers {
  int64_t whole;
  double real;
};

void words(void **) {
  unsigned char bytes[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  reverse_words(bytes, 3, 4);
  const unsigned char expected[12] = {4, 3, 2, 1, 8, 7, 6, 5, 12, 11, 10, 9};
  assert_memory_equal(bytes, expected, sizeof bytes);
  // 258 and 1.0 as little-endian bytes, on every machine.
  const Numbers numbers{258, 1.0};
  const unsigned char little[16] = {2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f};
  unsigned char saved[16];
  copy_ordered<Numbers>(saved, &numbers, 1);
  assert_memory_equal(saved, little, sizeof saved);
  Numbers back{};
  copy_ordered<Numbers>(&back, saved, 1);
  assert_true(back.whole == 258 && back.real == 1.0);
  assert_true(checksum_of(numbers) == checksum(little, sizeof little));
  const double reals[] = {1.0};
  assert_true(checksum_of(reals) == checksum(little + 8, 8));
  assert_true(checksum_of(Span<const double>(reals, 1), checksum_of(int64_t{258})) == checksum(little, sizeof little));
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {
      cmocka_unit_test(sizes),
      cmocka_unit_test(arrays),
      cmocka_unit_test(blocks),
      cmocka_unit_test(words),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
