// SPDX-License-Identifier: MIT
#include "io/seal.hpp"

#include "base/checksum.hpp"

#include <algorithm>
#include <cstring>

namespace atp {

namespace {

constexpr char kMagic[8] = {'a', 't', 't', 'o', 's', 'e', 'a', 'l'};
constexpr int64_t kKindPlace = 8, kSizePlace = 24, kSumPlace = 32;
constexpr int64_t kBlock = 1 << 14;

// The checksum continued over kind and size.
uint64_t add_label(const char *seal, uint64_t sum) { return checksum(seal + kKindPlace, kSumPlace - kKindPlace, sum); }

Seal parse(const char *bytes) {
  Seal seal;
  std::memcpy(seal.bytes, bytes, Seal::kBytes);
  seal.found = std::memcmp(bytes, kMagic, sizeof kMagic) == 0;
  std::memcpy(seal.kind, bytes + kKindPlace, sizeof seal.kind - 1);
  copy_ordered<int64_t>(&seal.size, bytes + kSizePlace, 1);
  copy_ordered<uint64_t>(&seal.sum, bytes + kSumPlace, 1);
  return seal;
}

[[noreturn]] void fail_damaged(const char *label) { fail(ATP_E_FORMAT, "%s: damaged, its checksum does not match", label); }

}  // namespace

void write_seal(OutputFile &file, const char *kind, const void *bytes, int64_t size) {
  char seal[Seal::kBytes] = {};
  std::memcpy(seal, kMagic, sizeof kMagic);
  std::memcpy(seal + kKindPlace, kind, std::min<std::size_t>(std::strlen(kind), sizeof Seal::kind - 1));
  copy_ordered<int64_t>(seal + kSizePlace, &size, 1);
  const uint64_t sum = add_label(seal, checksum(bytes, static_cast<std::size_t>(size)));
  copy_ordered<uint64_t>(seal + kSumPlace, &sum, 1);
  file.write(seal, Seal::kBytes);
}

Seal find_seal(InputFile &file) {
  char bytes[Seal::kBytes];
  if (!file.regular() || file.size() < Seal::kBytes || file.read_at(file.size() - Seal::kBytes, bytes, Seal::kBytes) != Seal::kBytes)
    return Seal();
  return parse(bytes);
}

Seal find_seal(const Text &image) {
  const int64_t size = image.bytes.size() - Seal::kBytes;
  return size < 0 ? Seal() : parse(image.bytes.data() + size);
}

void check_seal(InputFile &file, const char *label) {
  const Seal seal = find_seal(file);
  if (!seal.found) return;
  if (seal.size != file.size() - Seal::kBytes) fail_damaged(label);
  uint64_t sum = kChecksumStart;
  char block[kBlock];
  for (int64_t place = 0; place < seal.size;) {
    const int64_t n = file.read_at(place, block, std::min(kBlock, seal.size - place));
    if (n == 0) fail_damaged(label);
    sum = checksum(block, static_cast<std::size_t>(n), sum);
    place += n;
  }
  if (add_label(seal.bytes, sum) != seal.sum) fail_damaged(label);
}

void check_seal(const Text &image) {
  const int64_t size = image.bytes.size() - Seal::kBytes;
  if (size < 0) return;
  const Seal seal = parse(image.bytes.data() + size);
  if (!seal.found) return;
  if (seal.size != size || seal.sum != add_label(seal.bytes, checksum(image.bytes.data(), static_cast<std::size_t>(size))))
    fail_damaged(image.label);
}

}  // namespace atp
