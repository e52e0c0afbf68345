// SPDX-License-Identifier: MIT
// The table of names: equal names are found, and names that collide under a hash without a key (FNV-1a) take no more
// steps than others.
#include "counting.h"
#include "support.h"

#include "alignment/name_table.hpp"

#include <string>
#include <vector>

using namespace atp;

namespace {

uint64_t old_hash(const std::string &name) {
  uint64_t h = 14695981039346656037ull;
  for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return h ^ (h >> 29);
}

// Names whose old hash falls into the same slot of every table of at most `slots` slots.
std::vector<std::string> colliding(int64_t count, uint64_t slots) {
  std::vector<std::string> names;
  for (int64_t k = 0; static_cast<int64_t>(names.size()) < count; ++k) {
    std::string name = "name" + std::to_string(k);
    if ((old_hash(name) & (slots - 1)) == 0) names.push_back(std::move(name));
  }
  return names;
}

int64_t probes_of(const std::vector<std::string> &names) {
  Allocator allocator(counting_alloc, counting_free, nullptr);
  NameTable table(allocator);
  for (std::size_t n = 0; n < names.size(); ++n)
    assert_int_equal(table.find_or_add(names[n].data(), static_cast<int64_t>(names[n].size()),
                                       [&](int64_t k) { return names[static_cast<std::size_t>(k)] == names[n]; }),
                     -1);
  return table.probes();
}

// The steps that linear probing takes for these hashes in a table that doubles when it is half full, as the table's own.
int64_t steps_of(const std::vector<uint64_t> &hashes) {
  std::vector<char> slots(64, 0);
  int64_t steps = 0;
  const auto add = [&](uint64_t hash) {
    std::size_t slot = hash & (slots.size() - 1);
    for (; slots[slot] != 0; slot = (slot + 1) & (slots.size() - 1)) ++steps;
    slots[slot] = 1;
  };
  for (std::size_t n = 0; n < hashes.size(); ++n) {
    add(hashes[n]);
    if (2 * (n + 1) <= slots.size()) continue;
    slots.assign(2 * slots.size(), 0);
    for (std::size_t k = 0; k <= n; ++k) add(hashes[k]);
  }
  return steps;
}

// 2000 names that share a slot: n^2 / 2 steps under the old hash. Under a random one a string meets less than one other on average; 20
// steps for each are never reached (a chance below 1e-100).
void colliding_names_take_few_steps(void **) {
  const std::vector<std::string> names = colliding(2000, 4096);
  const int64_t n = static_cast<int64_t>(names.size());
  std::vector<uint64_t> old;
  for (const std::string &name : names) old.push_back(old_hash(name));
  assert_true(steps_of(old) > n * n / 4);  // the names do collide under the old hash
  assert_true(probes_of(names) < 20 * n);
}

void equal_names_are_found(void **) {
  Allocator allocator(counting_alloc, counting_free, nullptr);
  NameTable table(allocator);
  std::vector<std::string> names;
  for (int k = 0; k < 3000; ++k) {
    const std::string name = "n" + std::to_string(k % 1000) + std::string(static_cast<std::size_t>(k % 1000 % 20), 'x');
    const int64_t found = table.find_or_add(name.data(), static_cast<int64_t>(name.size()),
                                            [&](int64_t t) { return names[static_cast<std::size_t>(t)] == name; });
    assert_int_equal(found, k < 1000 ? -1 : k % 1000);
    if (found < 0) names.push_back(name);
  }
  assert_int_equal(table.count(), 1000);
}

// Two tables have different keys, and their hash is SipHash-2-4: the test vectors of its authors, key 00 01 ... 0f, messages 00 01 02 ...
void the_hash_is_siphash(void **) {
  const HashKey key{0x0706050403020100ull, 0x0f0e0d0c0b0a0908ull};
  unsigned char message[16];
  for (int k = 0; k < 16; ++k) message[k] = static_cast<unsigned char>(k);
  assert_true(KeyedHash(key).of(message, 0) == 0x726fdb47dd0e0e31ull);
  assert_true(KeyedHash(key).of(message, 1) == 0x74f839c593dc67fdull);
  assert_true(KeyedHash(key).of(message, 8) == 0x93f5f5799a932462ull);
  assert_true(KeyedHash(key).of(message, 15) == 0xa129ca6149be45e5ull);
  const HashKey a = HashKey::secret(), b = HashKey::secret();
  assert_true(a.low != b.low || a.high != b.high);
}

const struct CMUnitTest tests[] = {
    cmocka_unit_test(colliding_names_take_few_steps),
    cmocka_unit_test(equal_names_are_found),
    cmocka_unit_test(the_hash_is_siphash),
};

}  // namespace

ATP_TEST_MAIN(tests)
