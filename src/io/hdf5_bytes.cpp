// SPDX-License-Identifier: MIT
#include "io/hdf5_bytes.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <cstring>

namespace atp {

namespace {

constexpr uint64_t kWorkPerByte = 64, kLeastWork = 1 << 20;
constexpr uint64_t kWorkOfAccess = 32, kWorkOfWindow = 1 << 12;

uint32_t rotate(uint32_t x, int k) { return x << k | x >> (32 - k); }

// Bob Jenkins' lookup3, the checksum of HDF5's structures, over pieces of 12 bytes.
class Lookup3 {
 public:
  explicit Lookup3(uint64_t bytes) : a_(0xdeadbeef + static_cast<uint32_t>(bytes)), b_(a_), c_(a_) {}
  void add(const unsigned char *twelve) {
    a_ += word(twelve);
    b_ += word(twelve + 4);
    c_ += word(twelve + 8);
  }
  void mix() {
    a_ -= c_, a_ ^= rotate(c_, 4), c_ += b_;
    b_ -= a_, b_ ^= rotate(a_, 6), a_ += c_;
    c_ -= b_, c_ ^= rotate(b_, 8), b_ += a_;
    a_ -= c_, a_ ^= rotate(c_, 16), c_ += b_;
    b_ -= a_, b_ ^= rotate(a_, 19), a_ += c_;
    c_ -= b_, c_ ^= rotate(b_, 4), b_ += a_;
  }
  uint32_t finish() {
    c_ ^= b_, c_ -= rotate(b_, 14);
    a_ ^= c_, a_ -= rotate(c_, 11);
    b_ ^= a_, b_ -= rotate(a_, 25);
    c_ ^= b_, c_ -= rotate(b_, 16);
    a_ ^= c_, a_ -= rotate(c_, 4);
    b_ ^= a_, b_ -= rotate(a_, 14);
    c_ ^= b_, c_ -= rotate(b_, 24);
    return c_;
  }

 private:
  static uint32_t word(const unsigned char *p) {
    return static_cast<uint32_t>(p[0]) | static_cast<uint32_t>(p[1]) << 8 | static_cast<uint32_t>(p[2]) << 16 |
           static_cast<uint32_t>(p[3]) << 24;
  }
  uint32_t a_, b_, c_;
};

}  // namespace

Hdf5Bytes::Hdf5Bytes(Context &context, InputFile &file, const char *label)
    : context_(context),
      file_(&file),
      label_(label),
      memory_(context.allocator, Scratch::piece<char>(kWindows * kWindowBytes)),
      window_bytes_(memory_.arena().take<char>(kWindows * kWindowBytes)),
      end_(static_cast<uint64_t>(file.size())) {}

Hdf5Bytes::Hdf5Bytes(Context &context, const Text &image)
    : context_(context),
      image_(image.bytes),
      label_(image.label),
      memory_(context.allocator, Scratch::piece<char>(1)),
      end_(static_cast<uint64_t>(image.bytes.size())) {}

void Hdf5Bytes::fail_list(const char *format, va_list &arguments) const {
  char text[400];
  format_list(text, sizeof text, format, arguments);
  va_end(arguments);
  fail(ATP_E_FORMAT, "%s: %s", label_, text);
}

void Hdf5Bytes::fail_format(const char *format, ...) const {
  va_list arguments;
  va_start(arguments, format);
  fail_list(format, arguments);
}

void Hdf5Bytes::fail_damaged(const char *what, uint64_t place) const {
  fail_format("damaged HDF5 file: the %s at byte %llu of %llu is cut short or wrong", what, static_cast<unsigned long long>(place),
              static_cast<unsigned long long>(end_));
}

void Hdf5Bytes::work(uint64_t amount) {
  work_ += amount;
  if (work_ > more_ && (work_ - more_) / kWorkPerByte > end_ + kLeastWork)
    fail_format("damaged HDF5 file: its structures overlap or lead back to themselves");
}

// The window of the file that contains this place. *bytes receives the number of bytes from there to its end.
const char *Hdf5Bytes::window_at(uint64_t place, int64_t *bytes) {
  char *const memory = window_bytes_.data();
  for (int k = 0; k < kWindows; ++k) {
    const Window &w = windows_[k];
    if (place < w.first || place - w.first >= static_cast<uint64_t>(w.size)) continue;
    const int64_t in = static_cast<int64_t>(place - w.first);
    *bytes = w.size - in;
    return memory + k * kWindowBytes + in;
  }
  work(kWorkOfWindow);
  const int k = oldest_;
  oldest_ = (oldest_ + 1) % kWindows;
  Window &w = windows_[k];
  w.first = place / 64 * 64;
  w.size = 0;
  w.size = file_->read_at(static_cast<int64_t>(w.first), memory + k * kWindowBytes, kWindowBytes);
  const int64_t in = static_cast<int64_t>(place - w.first);
  if (w.size <= in) fail_damaged("end of the file", place);
  *bytes = w.size - in;
  return memory + k * kWindowBytes + in;
}

void Hdf5Bytes::structure(uint64_t place, void *out, uint64_t n) {
  if (!inside(place, n)) fail_damaged("structure", place);
  work(n + kWorkOfAccess);
  if (file_ == nullptr) {
    if (n > 0) std::memcpy(out, image_.data() + place, static_cast<std::size_t>(n));
    return;
  }
  for (char *to = static_cast<char *>(out); n > 0;) {
    int64_t bytes = 0;
    const char *from = window_at(place, &bytes);
    const uint64_t part = std::min(n, static_cast<uint64_t>(bytes));
    std::memcpy(to, from, static_cast<std::size_t>(part));
    to += part;
    place += part;
    n -= part;
  }
}

void Hdf5Bytes::data(uint64_t place, void *out, uint64_t n) {
  if (!inside(place, n)) fail_damaged("data", place);
  if (n == 0) return;
  if (file_ == nullptr)
    std::memcpy(out, image_.data() + place, static_cast<std::size_t>(n));
  else if (file_->read_at(static_cast<int64_t>(place), out, static_cast<int64_t>(n)) != static_cast<int64_t>(n))
    fail_damaged("data", place);
}

void Hdf5Bytes::require_checksum(uint64_t place, uint64_t n, uint64_t sum_place, const char *what) {
  if (!inside(place, n) || !inside(sum_place, 4)) fail_damaged(what, place);
  Lookup3 sum(n);
  for (uint64_t k = 0;; k += 12) {
    const uint64_t part = std::min<uint64_t>(n - k, 12);
    unsigned char piece[12] = {};
    structure(place + k, piece, part);
    for (uint64_t at = sum_place; at < sum_place + 4; ++at)
      if (at >= place + k && at < place + k + part) piece[at - place - k] = 0;
    sum.add(piece);
    if (n - k <= 12) break;
    sum.mix();
  }
  const uint32_t found = sum.finish();
#ifndef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION  // fuzzers cannot guess sums
  if (Hdf5Cursor(*this, sum_place, 4, what).number(4) != found) fail_damaged(what, place);
#else
  (void)found;
#endif
}

Hdf5Cursor::Hdf5Cursor(Hdf5Bytes &bytes, uint64_t place, uint64_t size, const char *what)
    : bytes_(&bytes), begin_(place), place_(place), end_(place + size), what_(what) {
  if (!bytes.inside(place, size)) fail_damaged();
}

void Hdf5Cursor::copy(void *out, uint64_t n) {
  if (n > left()) fail_damaged();
  bytes_->structure(place_, out, n);
  place_ += n;
}

void Hdf5Cursor::skip(uint64_t n) {
  if (n > left()) fail_damaged();
  place_ += n;
}

Hdf5Cursor Hdf5Cursor::sub(uint64_t n) {
  skip(n);
  return Hdf5Cursor(*bytes_, place_ - n, n, what_);
}

uint64_t Hdf5Cursor::number(int bytes) {
  unsigned char raw[8];
  copy(raw, static_cast<uint64_t>(bytes));
  uint64_t value = 0;
  for (int k = bytes - 1; k >= 0; --k) value = value << 8 | raw[k];
  return value;
}

uint64_t Hdf5Cursor::address() {
  const int bytes = bytes_->offset_bytes();
  const uint64_t value = number(bytes);
  return bytes < 8 && value == (uint64_t{1} << 8 * bytes) - 1 ? kNoAddress : value;
}

void Hdf5Cursor::require(const char *magic, int version) {
  char found[5];
  copy(found, 5);
  if (std::memcmp(found, magic, 4) != 0) fail_damaged();
  if (found[4] != version) bytes_->fail_format("the %s has version %d, expected %d: made by a newer HDF5?", what_, found[4], version);
}

}  // namespace atp
