// SPDX-License-Identifier: MIT
// The bytes of a saved state, the same for samplers, sampling runs, trainers, models and alignments:
//
//     char magic[8] | uint32 kind | uint32 version | int64 bytes (all) | uint64 fingerprint | payload | uint64 checksum (of all before)
//
// Little-endian on every machine. The fingerprint is a hash of shapes, options, data and seed of the owner.
//
// A checksum protects against damage, not against malicious states. Every field is therefore checked against
// its bounds before any value is used. Owners read a state twice: first through the checks of StateReader, then
// for the values. A model or an alignment has no owner: its state says its shape, and the fingerprint is a hash of that.
#pragma once

#include "base/checksum.hpp"
#include "base/error.hpp"
#include "base/span.hpp"

#include <cmath>
#include <cstring>
#include <type_traits>

namespace atp {

enum class StateKind : uint32_t { sampler = 1, trainer = 2, model = 5, sampling = 6, alignment = 7 };

inline constexpr char kStateMagic[8] = {'a', 't', 't', 'o', 's', 't', 'a', 't'};
inline constexpr uint32_t kStateVersion = 1;

struct StateHeader {
  char magic[8];
  uint32_t kind, version;
  int64_t bytes;
  uint64_t fingerprint;
};
static_assert(sizeof(StateHeader) == 32);

// Changes a header between the machine's byte order and little-endian.
inline StateHeader ordered(StateHeader header) {
  order_words(&header.kind, 1, sizeof header.kind);
  order_words(&header.version, 1, sizeof header.version);
  order_words(&header.bytes, 1, sizeof header.bytes);
  order_words(&header.fingerprint, 1, sizeof header.fingerprint);
  return header;
}
// The header of a buffer that is large enough.
inline StateHeader header_of(const void *state) {
  StateHeader header;
  std::memcpy(&header, state, sizeof header);
  return ordered(header);
}

constexpr int64_t state_bytes(int64_t payload) { return static_cast<int64_t>(sizeof(StateHeader)) + payload + 8; }

// Writes pieces one after the other. finish() adds the checksum.
class StateWriter {
 public:
  StateWriter(void *buffer, int64_t size, StateKind kind, uint64_t fingerprint, int64_t payload)
      : begin_(static_cast<char *>(buffer)), total_(state_bytes(payload)) {
    if (size < total_) fail(ATP_E_BUFFER, "size is %lld, the state needs %lld bytes", llong{size}, llong{total_});
    StateHeader header{};
    std::memcpy(header.magic, kStateMagic, sizeof kStateMagic);
    header.kind = static_cast<uint32_t>(kind);
    header.version = kStateVersion;
    header.bytes = total_;
    header.fingerprint = fingerprint;
    header = ordered(header);
    std::memcpy(room(sizeof header), &header, sizeof header);
  }
  template <class T>
  void value(const T &x) {
    copy_ordered<T>(room(sizeof x), &x, 1);
  }
  template <class T>
  void array(Span<T> x) {
    copy_ordered<std::remove_const_t<T>>(room(x.size() * static_cast<int64_t>(sizeof(T))), x.data(), x.size());
  }
  // Where the next n bytes go.
  char *room(int64_t n) {
    if (n > total_ - used_) fail(ATP_E_INTERNAL, "a state is longer than announced");
    used_ += n;
    return begin_ + used_ - n;
  }
  void finish() {
    const uint64_t sum = checksum(begin_, static_cast<std::size_t>(used_));
    value(sum);
    if (used_ != total_) fail(ATP_E_INTERNAL, "a state of %lld bytes was announced as %lld", llong{used_}, llong{total_});
  }

 private:
  char *begin_;
  int64_t total_, used_ = 0;
};

// Checks the whole state before the first piece is read. If the constructor throws, the owner is unchanged.
class StateReader {
 public:
  StateReader(const void *buffer, int64_t size, StateKind kind, uint64_t fingerprint, int64_t payload, const char *owner)
      : StateReader(buffer, size, kind, owner) {
    if (size != state_bytes(payload) || header_.fingerprint != fingerprint)
      fail(ATP_E_MISMATCH, "the state belongs to a %s with other data, shape, options or seed", owner);
  }
  // Without a fingerprint and a size of the payload to expect.
  StateReader(const void *buffer, int64_t size, StateKind kind, const char *owner)
      : begin_(static_cast<const char *>(buffer)), payload_(size - state_bytes(0)) {
    StateHeader &header = header_;
    if (size < static_cast<int64_t>(sizeof header))
      fail(ATP_E_FORMAT, "the state has %lld bytes, its header alone has %zu", llong{size}, sizeof header);
    header = header_of(buffer);
    if (std::memcmp(header.magic, kStateMagic, sizeof kStateMagic) != 0)
      fail(ATP_E_FORMAT, "these bytes are not a saved state: wrong magic");
    if (header.version != kStateVersion)
      fail(ATP_E_FORMAT, "the state is of version %u, this library reads %u", header.version, kStateVersion);
    if (header.kind != static_cast<uint32_t>(kind))
      fail(ATP_E_MISMATCH, "the state is not one of a%s %s", owner[0] == 'a' ? "n" : "", owner);
    if (header.bytes != size)
      fail(ATP_E_FORMAT, "the state says it has %lld bytes and has %lld: cut short?", llong{header.bytes}, llong{size});
    uint64_t sum;
    copy_ordered<uint64_t>(&sum, begin_ + size - 8, 1);
    if (sum != checksum(buffer, static_cast<std::size_t>(size - 8)))
      fail(ATP_E_CHECKSUM, "the state is damaged: its checksum does not match");
    used_ = static_cast<int64_t>(sizeof header);
  }
  uint64_t fingerprint() const { return header_.fingerprint; }
  int64_t payload() const { return payload_; }  // bytes between header and checksum
  template <class T>
  void value(T &x) {
    copy_ordered<T>(&x, begin_ + used_, 1);
    used_ += static_cast<int64_t>(sizeof x);
  }
  template <class T>
  void array(Span<T> x) {
    copy_ordered<T>(x.data(), begin_ + used_, x.size());
    used_ += x.size() * static_cast<int64_t>(sizeof(T));
  }

  // The next n bytes.
  const void *bytes(int64_t n) {
    used_ += n;
    return begin_ + used_ - n;
  }
  // Skips an array.
  template <class T>
  void pass_over(int64_t n) {
    used_ += n * static_cast<int64_t>(sizeof(T));
  }

  // The next value, within its bounds. These functions throw ATP_E_FORMAT with the name of the field.
  int64_t integer(const char *name, int64_t lowest, int64_t highest) {
    int64_t x;
    value(x);
    if (x < lowest || x > highest)
      fail(ATP_E_FORMAT, "the state's %s is %lld, must be in %lld..%lld", name, llong{x}, llong{lowest}, llong{highest});
    return x;
  }
  double real(const char *name, double lowest = -1.7976931348623157e308, double highest = 1.7976931348623157e308) {
    double x;
    value(x);
    if (!(x >= lowest && x <= highest)) fail(ATP_E_FORMAT, "the state's %s is %g, must be in %g..%g", name, x, lowest, highest);
    return x;
  }
  // Reads n values, all finite and at least `lowest`.
  template <class Real>
  void reals(int64_t n, const char *name, double lowest = -1.7976931348623157e308) {
    for (int64_t k = 0; k < n; ++k) {
      Real x;
      value(x);
      if (!(std::isfinite(x) && static_cast<double>(x) >= lowest))
        fail(ATP_E_FORMAT, "the state's %s has %g at place %lld, must be finite%s", name, static_cast<double>(x), llong{k},
             lowest == 0 ? " and not negative" : "");
    }
  }

 private:
  StateHeader header_;
  const char *begin_;
  int64_t payload_, used_ = 0;
};

}  // namespace atp
