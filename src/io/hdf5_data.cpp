// SPDX-License-Identifier: MIT
#include "io/hdf5_data.hpp"

#include "io/hdf5_filters.hpp"

#include <algorithm>
#include <cstring>

namespace atp {

namespace {

constexpr double kDeflateFactor = 1032;  // deflate reduces data at most by this factor
constexpr double kSmallChunk = 1 << 20;  // a chunk up to this size may be larger than its dataset
constexpr int64_t kBlockBytes = 1 << 18;

uint64_t element_bytes(const Hdf5Dataset &dataset) { return static_cast<uint64_t>(dataset.type.size); }

double total_bytes(const Hdf5Dataset &dataset) { return static_cast<double>(dataset.elements) * static_cast<double>(dataset.type.size); }

uint64_t chunk_bytes(const Hdf5Dataset &dataset) {
  uint64_t bytes = element_bytes(dataset);
  for (int k = 0; k < dataset.rank; ++k) bytes *= dataset.layout.chunk[k];
  return bytes;
}

void check_chunks(Hdf5Bytes &bytes, const Hdf5Dataset &dataset) {
  if (dataset.layout.rank != dataset.rank) bytes.fail_format("dataset '%s' has chunks of another rank", dataset.name);
  double product = static_cast<double>(dataset.type.size);
  for (int k = 0; k < dataset.rank; ++k) {
    const uint64_t extent = dataset.layout.chunk[k];
    if (extent < 1) bytes.fail_format("dataset '%s' has chunks of extent 0", dataset.name);
    product *= static_cast<double>(extent);
  }
  if (product > std::max(total_bytes(dataset), kSmallChunk)) bytes.fail_format("dataset '%s' has chunks larger than itself", dataset.name);
}

// Passes on the rows of a chunk that are inside the dataset.
void take_chunk(const Hdf5Dataset &dataset, const Hdf5Chunk &chunk, const unsigned char *raw, Hdf5Elements &elements) {
  const int rank = dataset.rank;
  uint64_t inside[kHdf5Rank] = {}, row[kHdf5Rank] = {};
  for (int k = 0; k < rank; ++k) inside[k] = std::min(dataset.layout.chunk[k], dataset.space.extent[k] - chunk.origin[k]);
  // The last axes whose rows are contiguous in the chunk and in the dataset form one run.
  int last = rank - 1;
  uint64_t run = inside[last];
  while (last > 0 && inside[last] == dataset.layout.chunk[last] && inside[last] == dataset.space.extent[last]) run *= inside[--last];
  for (;;) {
    uint64_t from = 0, to = 0;
    for (int k = 0; k < rank; ++k) {
      from = from * dataset.layout.chunk[k] + row[k];
      to = to * dataset.space.extent[k] + chunk.origin[k] + row[k];
    }
    elements.take(static_cast<int64_t>(to), static_cast<int64_t>(run), raw + from * element_bytes(dataset));
    int axis = last - 1;
    while (axis >= 0 && ++row[axis] == inside[axis]) row[axis--] = 0;
    if (axis < 0) return;
  }
}

void take_in_order(Hdf5Bytes &bytes, const Hdf5Dataset &dataset, Hdf5Elements &elements) {
  const int64_t width = dataset.type.size, block = std::max<int64_t>(1, std::min(dataset.elements, kBlockBytes / width));
  const Scratch memory(bytes.context().allocator, Scratch::piece<unsigned char>(block * width));
  const Span<unsigned char> buffer = memory.arena().take<unsigned char>(block * width);
  for (int64_t first = 0; first < dataset.elements; first += block) {
    const int64_t n = std::min(block, dataset.elements - first);
    bytes.data(dataset.layout.place + static_cast<uint64_t>(first * width), buffer.data(), static_cast<uint64_t>(n * width));
    elements.take(first, n, buffer.data());
  }
}

uint64_t bits_of(const unsigned char *raw, int64_t bytes, bool big_endian) {
  uint64_t value = 0;
  for (int64_t k = 0; k < bytes; ++k) value = value << 8 | raw[big_endian ? k : bytes - 1 - k];
  return value;
}

}  // namespace

// A header may have wrong extents and chunks, so memory that is allocated later must be in proportion to the file size.
void check_storage(Hdf5Bytes &bytes, Hdf5Dataset &dataset) {
  const Hdf5Layout &layout = dataset.layout;
  double stored = 0, factor = 1;
  uint64_t chunks = 0, expected = 0;
  if (layout.kind == Hdf5Layout::chunked) {
    check_chunks(bytes, dataset);
    for (int k = 0; k < dataset.filters.count; ++k)
      if (dataset.filters.id[k] == Hdf5Filters::deflate) factor = kDeflateFactor;
    Hdf5Chunks all(bytes, dataset.name, dataset.space, layout, dataset.filters.count > 0, chunk_bytes(dataset));
    all.each([&](const Hdf5Chunk &chunk) {
      stored += static_cast<double>(chunk.size);
      dataset.largest_chunk = std::max(dataset.largest_chunk, chunk.size);
      ++chunks;
    });
    expected = all.count();
  } else if (layout.place != kNoAddress) {
    const double size = layout.size == kNoAddress ? total_bytes(dataset) : static_cast<double>(layout.size);
    if (layout.place < bytes.end() && size <= static_cast<double>(bytes.end() - layout.place)) stored = size;
  }
  const double needed = total_bytes(dataset);
  if (stored > static_cast<double>(bytes.end()) || needed > stored * factor)
    bytes.fail_format("dataset '%s' needs %.0f bytes, the file has %.0f for it", dataset.name, needed, stored);
  if (chunks != expected)
    bytes.fail_format("dataset '%s' has %llu of its %llu chunks, expected all: the rest was never written", dataset.name,
                      static_cast<unsigned long long>(chunks), static_cast<unsigned long long>(expected));
}

void each_element(Hdf5Bytes &bytes, const Hdf5Dataset &dataset, Hdf5Elements &elements) {
  if (dataset.layout.kind != Hdf5Layout::chunked) return take_in_order(bytes, dataset, elements);
  const uint64_t size = chunk_bytes(dataset);
  Hdf5Unfilter unfilter(bytes, dataset.name, dataset.filters, size, dataset.largest_chunk);
  Hdf5Chunks all(bytes, dataset.name, dataset.space, dataset.layout, dataset.filters.count > 0, size);
  all.each([&](const Hdf5Chunk &chunk) { take_chunk(dataset, chunk, unfilter.unpack(chunk.place, chunk.size, chunk.mask), elements); });
}

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
