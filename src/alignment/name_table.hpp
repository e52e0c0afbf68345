// SPDX-License-Identifier: MIT
// Finds equal strings in a growing list: a hash table of indices into the list. Each table has its own secret
// key. Results do not depend on it, and nobody can construct strings that collide.
#pragma once

#include "alignment/growing.hpp"
#include "base/system.hpp"

#include <chrono>
#include <cstdint>
#include <cstring>

namespace atp {

struct HashKey {
  uint64_t low = 0, high = 0;
  // A key from the system's random generator. Only run time may depend on it, never a result.
  static HashKey secret() {
    HashKey key;
    if (random_bytes(&key, sizeof key)) return key;
    // Without a system random generator: time and stack address are hard to guess, though not secret.
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    key.low = static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()) * 0x9E3779B97F4A7C15ull;
    key.high = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(&key)) ^ static_cast<uint64_t>(process_number()) << 40;
    return key;
  }
};

// A hash of byte strings under a secret key, SipHash-2-4 [J.-P. Aumasson, D. J. Bernstein, INDOCRYPT 2012]. The
// author of a file does not know the key and cannot choose names that collide.
class KeyedHash {
 public:
  explicit KeyedHash(const HashKey &key)
      : v0_(key.low ^ 0x736f6d6570736575ull),
        v1_(key.high ^ 0x646f72616e646f6dull),
        v2_(key.low ^ 0x6c7967656e657261ull),
        v3_(key.high ^ 0x7465646279746573ull) {}
  uint64_t of(const void *bytes, int64_t size) {
    const unsigned char *p = static_cast<const unsigned char *>(bytes);
    int64_t left = size;
    for (; left >= 8; left -= 8, p += 8) add(word(p, 8));
    add(word(p, left) | static_cast<uint64_t>(size) << 56);
    v2_ ^= 0xFF;
    for (int k = 0; k < 4; ++k) round();
    return v0_ ^ v1_ ^ v2_ ^ v3_;
  }

 private:
  // n bytes, little endian.
  static uint64_t word(const unsigned char *p, int64_t n) {
    uint64_t value = 0;
    for (int64_t k = 0; k < n; ++k) value |= static_cast<uint64_t>(p[k]) << 8 * k;
    return value;
  }
  static uint64_t rotated(uint64_t x, int bits) { return x << bits | x >> (64 - bits); }
  void add(uint64_t m) {
    v3_ ^= m;
    round();
    round();
    v0_ ^= m;
  }
  void round() {
    v0_ += v1_;
    v1_ = rotated(v1_, 13) ^ v0_;
    v0_ = rotated(v0_, 32);
    v2_ += v3_;
    v3_ = rotated(v3_, 16) ^ v2_;
    v0_ += v3_;
    v3_ = rotated(v3_, 21) ^ v0_;
    v2_ += v1_;
    v1_ = rotated(v1_, 17) ^ v2_;
    v2_ = rotated(v2_, 32);
  }
  uint64_t v0_, v1_, v2_, v3_;
};

class NameTable {
 public:
  // `expected`: a number of different strings for which the table has room from the beginning.
  explicit NameTable(Allocator &allocator, int64_t expected = 0) : key_(HashKey::secret()), slots_(allocator), hashes_(allocator) {
    int64_t slots = 64;
    while (slots <= 2 * expected) slots *= 2;
    slots_.assign(slots, kEmpty);
    hashes_.reserve(expected);
  }
  // Returns the index of the first equal string. If there is none, adds the string as number count() and
  // returns -1. equal(k) tells whether string k is equal.
  template <class Equal>
  int64_t find_or_add(const void *bytes, int64_t size, Equal &&equal) {
    return find_or_add(hash_of(bytes, size), equal);
  }
  // The same in two steps: between them prefetch() fetches what the second needs, which large tables have in no cache.
  uint64_t hash_of(const void *bytes, int64_t size) const { return KeyedHash(key_).of(bytes, size); }
  void prefetch(uint64_t hash) const { __builtin_prefetch(slots_.data() + (hash & mask())); }
  template <class Equal>
  int64_t find_or_add(uint64_t hash, Equal &&equal) {
    int64_t slot = static_cast<int64_t>(hash & mask());
    for (; slots_[slot] != kEmpty; slot = next(slot)) {
      ++probes_;
      const int64_t k = slots_[slot] & kIndex;
      if (slots_[slot] == entry(hash, k) && hashes_[k] == hash && equal(k)) return k;
    }
    slots_[slot] = entry(hash, hashes_.size());
    hashes_.push_back(hash);
    if (2 * hashes_.size() > slots_.size()) rehash();
    return -1;
  }
  int64_t count() const { return hashes_.size(); }
  int64_t probes() const { return probes_; }  // total number of strings compared

 private:
  // A slot has the index of a string and the upper bits of its hash, which tell most others apart.
  static constexpr int64_t kEmpty = -1, kIndex = (int64_t{1} << 40) - 1;
  static int64_t entry(uint64_t hash, int64_t k) { return (static_cast<int64_t>(hash >> 1) & ~kIndex & INT64_MAX) | k; }
  uint64_t mask() const { return static_cast<uint64_t>(slots_.size() - 1); }
  int64_t next(int64_t slot) const { return static_cast<int64_t>(static_cast<uint64_t>(slot + 1) & mask()); }
  void rehash() {
    slots_.assign(2 * slots_.size(), kEmpty);
    for (int64_t k = 0; k < hashes_.size(); ++k) {
      int64_t slot = static_cast<int64_t>(hashes_[k] & mask());
      for (; slots_[slot] != kEmpty; ++probes_) slot = next(slot);
      slots_[slot] = entry(hashes_[k], k);
    }
  }
  HashKey key_;
  int64_t probes_ = 0;
  Growing<int64_t> slots_;
  Growing<uint64_t> hashes_;
};

}  // namespace atp
