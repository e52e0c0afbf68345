// SPDX-License-Identifier: MIT
#include "io/hdf5_numbers.hpp"

#include <cstring>

namespace atp {

namespace {

uint64_t bits_of(const unsigned char *raw, int64_t bytes, bool big_endian) {
  uint64_t value = 0;
  for (int64_t k = 0; k < bytes; ++k) value = value << 8 | raw[big_endian ? k : bytes - 1 - k];
  return value;
}

}  // namespace

int64_t integer_of(const unsigned char *raw, const Hdf5Type &type) {
  const uint64_t bits = bits_of(raw, type.size, type.big_endian);
  if (!type.is_signed) return bits > static_cast<uint64_t>(INT64_MAX) ? INT64_MAX : static_cast<int64_t>(bits);
  const int spare = static_cast<int>(64 - 8 * type.size);
  return static_cast<int64_t>(bits << spare) >> spare;
}

double real_of(const unsigned char *raw, const Hdf5Type &type) {
  const uint64_t bits = bits_of(raw, type.size, type.big_endian);
  if (type.size == 8) {
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  const uint32_t half = static_cast<uint32_t>(bits);
  float value;
  std::memcpy(&value, &half, sizeof value);
  return static_cast<double>(value);
}

void reals_of(const unsigned char *raw, const Hdf5Type &type, int64_t count, double *out) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  if (type.size == 8 && !type.big_endian) {
    std::memcpy(out, raw, static_cast<std::size_t>(count) * sizeof *out);
    return;
  }
#endif
  for (int64_t k = 0; k < count; ++k) out[k] = real_of(raw + k * type.size, type);
}

LongText long_text_of(const unsigned char *raw, int offset_bytes) {
  return {bits_of(raw, 4, false), bits_of(raw + 4, offset_bytes, false), bits_of(raw + 4 + offset_bytes, 4, false)};
}

}  // namespace atp
