// SPDX-License-Identifier: MIT
#include "io/hdf5_reader.hpp"

#include "alignment/growing.hpp"
#include "io/hdf5_group.hpp"
#include "io/hdf5_heap.hpp"
#include "io/hdf5_data.hpp"
#include "io/seal.hpp"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstring>

namespace atp {

namespace {

constexpr int64_t kTextRoom = 4096;          // longer string attributes are refused
constexpr uint64_t kWorkOfString = 1 << 18;  // search in a collection of strings of HDF5's default size, 64 KiB

int64_t unpadded(const char *text, int64_t width, bool blanks) {
  int64_t bytes = static_cast<int64_t>(strnlen(text, static_cast<std::size_t>(width)));
  while (blanks && bytes > 0 && text[bytes - 1] == ' ') --bytes;
  return bytes;
}

template <class Take>
struct ElementsOf final : Hdf5Elements {
  explicit ElementsOf(Take &t) : take_(t) {}
  void take(int64_t first, int64_t count, const unsigned char *raw) override { take_(first, count, raw); }
  Take &take_;
};

template <class Take>
void each_run(Hdf5Bytes &bytes, const Hdf5Dataset &dataset, Take &&take, uint64_t more_work = 0) {
  bytes.begin(more_work);
  ElementsOf<Take> elements(take);
  each_element(bytes, dataset, elements);
}

}  // namespace

Hdf5Reader::Hdf5Reader(Context &context, const char *path)
    : label_(path), file_(std::in_place, path), bytes_(context, *file_, label_.text) {
  check_seal(*file_, label());
  root_ = open_superblock(bytes_);
}

Hdf5Reader::Hdf5Reader(Context &context, const Text &image) : label_(image.label), bytes_(context, {image.bytes, label_.text}) {
  check_seal(image);
  root_ = open_superblock(bytes_);
}

void Hdf5Reader::fail_format(const char *format, ...) const {
  va_list arguments;
  va_start(arguments, format);
  bytes_.fail_list(format, arguments);
}

bool Hdf5Reader::has_attribute(const char *name) const {
  Hdf5Attribute attribute;
  bytes_.begin();
  return find_attribute(bytes_, root_, name, attribute);
}

bool Hdf5Reader::has_dataset(const char *name) const { return find(name) != kNoAddress; }

uint64_t Hdf5Reader::find(const char *name) const {
  bytes_.begin();
  const Hdf5Link link = find_link(bytes_, root_, name);
  if (link.kind == Hdf5Link::none) return kNoAddress;
  if (link.kind == Hdf5Link::hard && link.header != kNoAddress) return link.header;
  const char *kind = link.kind == Hdf5Link::soft ? "a soft link" : link.kind == Hdf5Link::external ? "an external link" : "a link";
  fail_format("'%s' is %s, which is not followed, must be a dataset of this file: h5copy -f soft and -f ext write one", name, kind);
}

Hdf5Attribute Hdf5Reader::open_attribute(const char *name) const {
  Hdf5Attribute attribute;
  bytes_.begin();
  if (!find_attribute(bytes_, root_, name, attribute)) fail_format("attribute '%s' is missing", name);
  if (!attribute.space.one_value()) fail_format("attribute '%s' must be one value", name);
  return attribute;
}

int64_t Hdf5Reader::integer(const char *name, int64_t lowest, int64_t highest) const {
  Hdf5Attribute attribute = open_attribute(name);
  if (attribute.type.kind != Hdf5Type::integer) fail_format("attribute '%s' must be an integer", name);
  unsigned char raw[8];
  attribute.data.copy(raw, static_cast<uint64_t>(attribute.type.size));
  const int64_t value = integer_of(raw, attribute.type);
  if (value < lowest || value > highest)
    fail_format("attribute '%s' is %lld, must be in %lld..%lld", name, static_cast<long long>(value), static_cast<long long>(lowest),
                static_cast<long long>(highest));
  return value;
}

double Hdf5Reader::real(const char *name, double largest) const {
  Hdf5Attribute attribute = open_attribute(name);
  if (attribute.type.kind != Hdf5Type::real) fail_format("attribute '%s' must be a real number", name);
  unsigned char raw[8];
  attribute.data.copy(raw, static_cast<uint64_t>(attribute.type.size));
  const double value = real_of(raw, attribute.type);
  if (!std::isfinite(value)) fail(ATP_E_NOT_FINITE, "%s: attribute '%s' is %g, must be finite", label(), name, value);
  if (std::fabs(value) > largest) fail_format("attribute '%s' is %g, must be at most %g in magnitude", name, value, largest);
  return value;
}

void Hdf5Reader::text(const char *name, Span<char> out, bool cut) const {
  out[0] = 0;
  if (!has_attribute(name)) return;
  Hdf5Attribute attribute = open_attribute(name);
  const Hdf5Type &type = attribute.type;
  if (type.kind != Hdf5Type::text && type.kind != Hdf5Type::long_text) fail_format("attribute '%s' must be a string", name);
  Hdf5Cursor in = attribute.data;
  if (type.kind == Hdf5Type::long_text) {
    unsigned char raw[16];
    in.copy(raw, static_cast<uint64_t>(type.size));
    const LongText place = long_text_of(raw, bytes_.offset_bytes());
    in = place.bytes == 0 ? in.sub(0) : Hdf5Strings(bytes_).find(place.address, place.index).sub(place.bytes);
  } else {
    in = in.sub(static_cast<uint64_t>(type.size));
  }
  char value[kTextRoom];
  const int64_t width = static_cast<int64_t>(in.left());
  if (width > kTextRoom)
    fail_format("attribute '%s' has %lld bytes, at most %lld are read", name, static_cast<long long>(width),
                static_cast<long long>(kTextRoom));
  in.copy(value, in.left());
  int64_t size = unpadded(value, width, type.blank_padded);
  if (size >= out.size()) {
    if (!cut)
      fail_format("attribute '%s' has %lld bytes, at most %lld are allowed", name, static_cast<long long>(size),
                  static_cast<long long>(out.size() - 1));
    size = out.size() - 1;
  }
  std::memcpy(out.data(), value, static_cast<std::size_t>(size));
  out[size] = 0;
}

Hdf5Dataset Hdf5Reader::open(const char *name, int rank) const {
  Hdf5Dataset dataset;
  dataset.name = name;
  const uint64_t object = find(name);
  if (object == kNoAddress) fail_format("dataset '%s' is missing", name);
  Hdf5Header header(bytes_, object);
  Hdf5Message message;
  bool typed = false, placed = false, spaced = false;
  while (header.next(message)) {
    if (message.type == kExternalMessage) fail_format("dataset '%s' keeps its data outside of the file", name);
    const bool known = message.type == kDatatypeMessage || message.type == kDataspaceMessage || message.type == kLayoutMessage ||
                       message.type == kFilterMessage;
    if (known && message.shared) fail_format("dataset '%s' has a named type, must have one of its own", name);
    if (message.type == kDatatypeMessage) dataset.type = decode_type(message.body), typed = true;
    if (message.type == kDataspaceMessage) dataset.space = decode_space(message.body), spaced = true;
    if (message.type == kLayoutMessage) dataset.layout = decode_layout(message.body), placed = true;
    if (message.type == kFilterMessage) dataset.filters = decode_filters(message.body, name);
  }
  if (!typed || !placed || !spaced) fail_format("'%s' is a group or a type, must be a dataset", name);
  if (dataset.layout.kind == Hdf5Layout::other) fail_format("dataset '%s' keeps its data outside of the file", name);
  dataset.rank = dataset.space.rank;
  if (dataset.rank != rank || dataset.space.none) fail_format("dataset '%s' has %d dimensions, must have %d", name, dataset.rank, rank);
  constexpr int64_t largest = int64_t{1} << 48;
  for (int k = 0; k < rank; ++k) {
    const uint64_t extent = dataset.space.extent[k];
    if (extent < 1 || extent > static_cast<uint64_t>(largest / dataset.elements))
      fail_format("dataset '%s' has extent %llu, must be positive and fit the file", name, static_cast<unsigned long long>(extent));
    dataset.extent[k] = static_cast<int64_t>(extent);
    dataset.elements *= dataset.extent[k];
  }
  dataset.found = true;
  return dataset;
}

Hdf5Dataset Hdf5Reader::reals(const char *name, int rank) const {
  Hdf5Dataset dataset = open(name, rank);
  if (dataset.type.kind != Hdf5Type::real) fail_format("dataset '%s' must hold real numbers (IEEE, 32 or 64 bits)", name);
  check_storage(bytes_, dataset);
  return dataset;
}

Hdf5Dataset Hdf5Reader::integers(const char *name, int rank) const {
  Hdf5Dataset dataset = open(name, rank);
  if (dataset.type.kind != Hdf5Type::integer) fail_format("dataset '%s' must hold integers", name);
  check_storage(bytes_, dataset);
  return dataset;
}

Hdf5Dataset Hdf5Reader::texts(const char *name) const {
  Hdf5Dataset dataset = open(name, 1);
  if (dataset.type.kind != Hdf5Type::text && dataset.type.kind != Hdf5Type::long_text) fail_format("dataset '%s' must hold strings", name);
  check_storage(bytes_, dataset);
  return dataset;
}

void Hdf5Reader::require_extent(const Hdf5Dataset &dataset, int axis, int64_t extent) const {
  if (dataset.extent[axis] != extent)
    fail_format("dataset '%s' has extent %lld in dimension %d, must have %lld", dataset.name, static_cast<long long>(dataset.extent[axis]),
                axis, static_cast<long long>(extent));
}

void Hdf5Reader::read_reals(const Hdf5Dataset &dataset, double largest, double *out) const {
  each_run(bytes_, dataset,
           [&](int64_t first, int64_t count, const unsigned char *raw) { reals_of(raw, dataset.type, count, out + first); });
  for (int64_t k = 0; k < dataset.elements; ++k) {
    if (std::fabs(out[k]) <= largest) continue;
    if (!std::isfinite(out[k]))
      fail(ATP_E_NOT_FINITE, "%s: element %lld of dataset '%s' is %g, must be finite", label(), static_cast<long long>(k), dataset.name,
           out[k]);
    fail_format("element %lld of dataset '%s' is %g, must be at most %g in magnitude", static_cast<long long>(k), dataset.name, out[k],
                largest);
  }
}

void Hdf5Reader::read_colors(const Hdf5Dataset &dataset, int64_t colors, uint8_t *out) const {
  each_run(bytes_, dataset, [&](int64_t first, int64_t count, const unsigned char *raw) {
    for (int64_t k = 0; k < count; ++k, raw += dataset.type.size) {
      const int64_t value = dataset.type.size == 1 && !dataset.type.is_signed ? *raw : integer_of(raw, dataset.type);
      if (value < 0 || value >= colors)
        fail_format("element %lld of dataset '%s' is %lld, must be in 0..%lld", static_cast<long long>(first + k), dataset.name,
                    static_cast<long long>(value), static_cast<long long>(colors - 1));
      out[first + k] = static_cast<uint8_t>(value);
    }
  });
}

void Hdf5Reader::read_int64s(const Hdf5Dataset &dataset, int64_t *out) const {
  each_run(bytes_, dataset, [&](int64_t first, int64_t count, const unsigned char *raw) {
    for (int64_t k = 0; k < count; ++k) out[first + k] = integer_of(raw + k * dataset.type.size, dataset.type);
  });
}

void Hdf5Reader::visit_texts(const Hdf5Dataset &dataset, Texts &texts) const {
  const int64_t width = dataset.type.size;
  if (dataset.type.kind == Hdf5Type::text) {
    each_run(bytes_, dataset, [&](int64_t first, int64_t count, const unsigned char *raw) {
      const char *text = reinterpret_cast<const char *>(raw);
      for (int64_t k = 0; k < count; ++k, text += width)
        texts.take(first + k, text, unpadded(text, width, true));  // Fortran pads with blanks
    });
    return;
  }
  Growing<char> buffer(bytes_.context().allocator);
  Hdf5Strings strings(bytes_);
  uint64_t total = 0;
  each_run(
      bytes_, dataset,
      [&](int64_t first, int64_t count, const unsigned char *raw) {
        for (int64_t k = 0; k < count; ++k, raw += width) {
          const LongText text = long_text_of(raw, bytes_.offset_bytes());
          total += text.bytes;
          if (total > bytes_.end()) fail_format("dataset '%s' has longer strings than the file", dataset.name);
          buffer.assign(static_cast<int64_t>(text.bytes), 0);
          if (text.bytes > 0) {
            Hdf5Cursor in = strings.find(text.address, text.index);
            in.copy(buffer.data(), text.bytes);
          }
          const char *characters = text.bytes > 0 ? buffer.data() : "";
          texts.take(first + k, characters, unpadded(characters, buffer.size(), false));
        }
      },
      kWorkOfString * static_cast<uint64_t>(dataset.elements));
}

}  // namespace atp
