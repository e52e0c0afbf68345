// SPDX-License-Identifier: MIT
// Finds equal strings in a growing list: a hash table of indices into the list. Each table has its own secret
// key. Results do not depend on it, and nobody can construct strings that collide.
#pragma once

#include "alignment/growing.hpp"
#include "alignment/keyed_hash.hpp"

namespace atp {

class NameTable {
 public:
  explicit NameTable(Allocator &allocator) : key_(HashKey::secret()), slots_(allocator), hashes_(allocator) { slots_.assign(64, -1); }
  // Returns the index of the first equal string. If there is none, adds the string as number count() and
  // returns -1. equal(k) tells whether string k is equal.
  template <class Equal>
  int64_t find_or_add(const void *bytes, int64_t size, Equal &&equal) {
    const uint64_t hash = KeyedHash(key_).of(bytes, size);
    int64_t slot = static_cast<int64_t>(hash & mask());
    for (; slots_[slot] >= 0; slot = static_cast<int64_t>(static_cast<uint64_t>(slot + 1) & mask())) {
      ++probes_;
      if (hashes_[slots_[slot]] == hash && equal(slots_[slot])) return slots_[slot];
    }
    slots_[slot] = hashes_.size();
    hashes_.push_back(hash);
    if (2 * hashes_.size() > slots_.size()) rehash();
    return -1;
  }
  int64_t count() const { return hashes_.size(); }
  int64_t probes() const { return probes_; }  // total number of strings compared

 private:
  uint64_t mask() const { return static_cast<uint64_t>(slots_.size() - 1); }
  void rehash() {
    slots_.assign(2 * slots_.size(), -1);
    for (int64_t k = 0; k < hashes_.size(); ++k) {
      int64_t slot = static_cast<int64_t>(hashes_[k] & mask());
      for (; slots_[slot] >= 0; ++probes_) slot = static_cast<int64_t>(static_cast<uint64_t>(slot + 1) & mask());
      slots_[slot] = k;
    }
  }
  HashKey key_;
  int64_t probes_ = 0;
  Growing<int64_t> slots_;
  Growing<uint64_t> hashes_;
};

}  // namespace atp
