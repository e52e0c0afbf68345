// SPDX-License-Identifier: MIT
#include "io/npy.hpp"

#include "base/checksum.hpp"
#include "io/foreign.hpp"
#include "potts/model.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace atp {

namespace {

constexpr int64_t kMagic = 6, kLargestFile = INT64_MAX / 4;

// Reads the dictionary {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }.
class Dictionary {
 public:
  Dictionary(const Text &text, NpyHeader &header) : text_(text), at_(text.begin()), header_(header) {}

  void read() {
    bool seen[3] = {};
    require('{', "'{'");
    while (!take('}')) {
      const Span<const char> key = quoted();
      const char *const names[] = {"descr", "fortran_order", "shape"};
      int which = 0;
      while (which < 3 && !equals(key, names[which])) ++which;
      if (which == 3 || seen[which]) refuse("the keys 'descr', 'fortran_order' and 'shape', each once");
      seen[which] = true;
      require(':', "':'");
      which == 0 ? type() : which == 1 ? order() : shape();
      if (take(',')) continue;
      require('}', "',' or '}'");
      break;
    }
    skip_blanks();
    if (at_ != text_.end()) refuse("its end after '}'");
    if (!seen[0] || !seen[1] || !seen[2]) refuse("the keys 'descr', 'fortran_order' and 'shape', each once");
  }

 private:
  [[noreturn]] void refuse(const char *expected) const {
    fail(ATP_E_FORMAT, "%s: %s in the header of a .npy file, expected %s", text_.label, Quoted(at_, text_.end()).text, expected);
  }
  void skip_blanks() {
    while (at_ < text_.end() && is_space(*at_)) ++at_;
  }
  bool take(char c) {
    skip_blanks();
    if (at_ == text_.end() || *at_ != c) return false;
    ++at_;
    return true;
  }
  void require(char c, const char *expected) {
    if (!take(c)) refuse(expected);
  }
  static bool equals(Span<const char> text, const char *word) {
    return static_cast<std::size_t>(text.size()) == std::strlen(word) && std::memcmp(text.data(), word, std::strlen(word)) == 0;
  }
  bool take_word(const char *word) {
    skip_blanks();
    const auto n = static_cast<int64_t>(std::strlen(word));
    if (text_.end() - at_ < n || !equals({at_, n}, word)) return false;
    at_ += n;
    return true;
  }
  Span<const char> quoted() {
    skip_blanks();
    const char quote = at_ < text_.end() ? *at_ : 0;
    if (quote != '\'' && quote != '"') refuse("a text in quotes");
    const char *begin = ++at_;
    while (at_ < text_.end() && *at_ != quote) ++at_;
    if (at_ == text_.end()) refuse("a text in quotes");
    return {begin, at_++ - begin};
  }
  void type() {
    constexpr const char *kExpected = "the type of real or whole numbers, as '<f8', '<f4' or '<i8': save a.astype(float)";
    skip_blanks();
    if (at_ < text_.end() && *at_ == '[') refuse(kExpected);  // records
    const char *place = at_;
    const Span<const char> word = quoted();
    const char order = word.size() == 3 ? word[0] : 0, kind = word.size() == 3 ? word[1] : 0;
    const int64_t bytes = word.size() == 3 ? word[2] - '0' : 0;
    const bool real = kind == 'f' && (bytes == 4 || bytes == 8);
    const bool whole = (kind == 'i' || kind == 'u') && (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8);
    if ((order != '<' && order != '>' && order != '|' && order != '=') || !(real || whole)) {
      at_ = place;
      refuse(kExpected);
    }
    header_.order = order;
    header_.kind = kind;
    header_.bytes = bytes;
  }
  void order() {
    header_.fortran = take_word("True");
    if (!header_.fortran && !take_word("False")) refuse("True or False");
  }
  void shape() {
    require('(', "a shape in parentheses");
    while (!take(')')) {
      if (header_.dimensions == NpyHeader::kMostDimensions) refuse("at most 8 dimensions");
      skip_blanks();
      int64_t extent = 0;
      const std::from_chars_result end = std::from_chars(at_, text_.end(), extent);
      if (end.ec != std::errc() || extent < 0) refuse("whole numbers >= 0 in the shape");
      if (extent > 0 && header_.count > kLargestFile / 8 / extent) refuse("a shape that fits into a file");
      at_ = end.ptr;
      (void)take('L');  // as Python 2 writes it
      header_.count *= extent;
      header_.extent[header_.dimensions++] = extent;
      if (take(',')) continue;
      require(')', "',' or ')' in the shape");
      break;
    }
  }

  Text text_;
  const char *at_;
  NpyHeader &header_;
};

NpyHeader read_npy_header(const Text &file) {
  const auto byte = [&](int64_t k) { return static_cast<int64_t>(static_cast<unsigned char>(file.bytes[k])); };
  const int64_t size = file.bytes.size();
  if (size < kMagic + 4) fail(ATP_E_FORMAT, "%s: a .npy file that ends within its first ten bytes", file.label);
  const int64_t major = byte(6), first = major == 1 ? 10 : 12;
  if (major < 1 || major > 3)
    fail(ATP_E_FORMAT, "%s: a .npy file of version %lld.%lld, expected 1.0, 2.0 or 3.0", file.label, llong{major}, llong{byte(7)});
  int64_t length = 0;
  for (int64_t k = first; k-- > 8;) length = 256 * length + (k < size ? byte(k) : 255);
  if (size < first || length > size - first)
    fail(ATP_E_FORMAT, "%s: the header of the .npy file has %lld bytes, more than the file or than 64 KiB", file.label, llong{length});
  NpyHeader header;
  header.data = first + length;
  Dictionary({file.bytes.sub(first, length), file.label}, header).read();
  return header;
}

}  // namespace

NpyArray::NpyArray(const Text &file, int64_t size) : file_(file), header_(read_npy_header(file)) {
  if (header_.size() != size)
    fail(ATP_E_FORMAT, "%s: a .npy file of %lld bytes, expected %lld bytes by its header", file.label, llong{size}, llong{header_.size()});
}

template <class Number>
void NpyArray::read_as(double *out) const {
  const NpyHeader &h = header_;
  const bool swap = sizeof(Number) > 1 && (h.order == '<' || h.order == '>') && (h.order == '<') != kLittleEndian;
  if (h.count == 0) return;  // the other extents may be of any size
  const char *at = file_.begin() + h.data;
  int64_t index[NpyHeader::kMostDimensions] = {}, stride[NpyHeader::kMostDimensions] = {};
  for (int64_t k = h.dimensions, step = 1; k-- > 0; step *= h.extent[k]) stride[k] = step;
  for (int64_t n = 0, place = 0; n < h.count; ++n, at += sizeof(Number)) {
    char raw[sizeof(Number)];
    std::memcpy(raw, at, sizeof raw);
    if (swap) reverse_words(raw, 1, sizeof raw);
    Number value;
    std::memcpy(&value, raw, sizeof value);
    out[h.fortran ? place : n] = static_cast<double>(value);
    // In Fortran's order the first index runs fastest.
    for (int64_t k = 0; h.fortran && k < h.dimensions; ++k) {
      place += stride[k];
      if (++index[k] < h.extent[k]) break;
      place -= stride[k] * h.extent[k];
      index[k] = 0;
    }
  }
}

void NpyArray::read(double *out) const {
  if (file_.bytes.size() < header_.size()) fail(ATP_E_FORMAT, "%s: the .npy file was not read to its end", file_.label);
  if (header_.kind == 'f') return header_.bytes == 4 ? read_as<float>(out) : read_as<double>(out);
  const bool sign = header_.kind == 'i';
  switch (header_.bytes) {
    case 1: return sign ? read_as<int8_t>(out) : read_as<uint8_t>(out);
    case 2: return sign ? read_as<int16_t>(out) : read_as<uint16_t>(out);
    case 4: return sign ? read_as<int32_t>(out) : read_as<uint32_t>(out);
    default: return sign ? read_as<int64_t>(out) : read_as<uint64_t>(out);
  }
}

NpyArray::ShapeText NpyArray::shape_text() const {
  ShapeText shape{};
  std::size_t used = 0;
  for (int64_t k = 0; k < header_.dimensions; ++k)
    used += static_cast<std::size_t>(
        std::snprintf(shape.text + used, sizeof shape.text - used, "%s%lld", k == 0 ? "" : " x ", llong{header_.extent[k]}));
  if (header_.dimensions == 0) std::snprintf(shape.text, sizeof shape.text, "a single number");
  return shape;
}

int64_t npy_size(Span<const char> head) try { return read_npy_header({head, ""}).size(); } catch (const Error &) {
  return 0;
}

// Couplings in a .npy file as a model.

namespace {

void check_couplings(const Model &model, const char *label) {
  const int64_t L = model.sites(), q = model.colors();
  for (int64_t n = 0; n < model.couplings.size(); ++n) {
    const double x = model.couplings[n];
    const int64_t i = n / (q * q) / L, j = n / (q * q) % L, a = n / q % q, b = n % q;
    const auto refuse = [&](atp_status status, const char *expected) {
      fail(status, "%s: C[%lld, %lld, %lld, %lld] is %g, must be %s", label, llong{i}, llong{j}, llong{a}, llong{b}, x, expected);
    };
    if (!std::isfinite(x)) refuse(ATP_E_NOT_FINITE, "finite");
    if (std::fabs(x) > kLargestModelNumber) refuse(ATP_E_FORMAT, "at most 1e100 in magnitude");
    if (i == j && x != 0) refuse(ATP_E_FORMAT, "0: no site couples to itself");
  }
}

}  // namespace

Model *model_from_npy(Context &context, const Text &file, int64_t size) {
  const NpyArray array(file, size);
  if (array.dimensions() != 4 || array.extent(0) != array.extent(1) || array.extent(2) != array.extent(3))
    fail(ATP_E_FORMAT, "%s: a NumPy array of %s, expected a model: couplings C[L, L, q, q] of L sites and q colours", file.label,
         array.shape_text().text);
  const ModelShape shape{array.extent(0), array.extent(2), 0, false};
  if (shape.sites < 2 || shape.sites > kMaxSites || shape.colors < 2 || shape.colors > kMaxColors)
    fail(ATP_E_FORMAT, "%s: a NumPy array of %s, expected couplings C[L, L, q, q] of 2..%lld sites and 2..%lld colours", file.label,
         array.shape_text().text, llong{kMaxSites}, llong{kMaxColors});
  Owner<Model> model(make_model(context, shape));
  array.read(model->couplings.data());
  check_couplings(*model, file.label);
  warn_of_triangle(context, file.label, model->couplings.data(), 1, shape.sites, shape.colors * shape.colors);
  return model.release();
}

}  // namespace atp
