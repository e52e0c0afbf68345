// SPDX-License-Identifier: MIT
#include "io/foreign.hpp"

#include "alignment/frequencies.hpp"
#include "base/checksum.hpp"
#include "io/file.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace atp {

namespace {

constexpr int64_t kHeader = 40;  // five integers and five reals

struct Header {
  int32_t sites = 0, colors = 0, valid = 0, skipped = 0, iterations = 0;
  float theta = 0, lambda_h = 0, lambda_e = 0, lambda_group = 0, effective = 0;
};
static_assert(sizeof(Header) == kHeader);

template <class T>
T load(const char *place) {
  T value;
  copy_ordered<T>(&value, place, 1);
  return value;
}

int64_t pairs_of(int64_t sites) { return sites * (sites - 1) / 2; }

// The size of the whole file. Sites and colours must be legal, so that nothing overflows.
int64_t size_v1(int64_t L, int64_t q) { return 8 + 5 * L + 8 * L * q + pairs_of(L) * (8 + 8 * q * q); }
int64_t size_v2(int64_t L, int64_t q, int64_t rows) { return kHeader + q + 4 * rows + 5 * L + 8 * L * q + 8 * pairs_of(L) * q * q; }

bool legal_shape(const Header &header) {
  return header.sites >= 2 && header.sites <= kMaxSites && header.colors >= 2 && header.colors <= kMaxColors;
}

Header load_header(Span<const char> head) {
  Header header;
  std::memcpy(&header, head.data(), static_cast<std::size_t>(std::min<int64_t>(head.size(), kHeader)));
  order_words(&header, kHeader / 4, 4);
  return header;
}

bool legal_symbols(const char *symbols, int64_t n) {
  bool seen[256] = {};
  for (int64_t k = 0; k < n; ++k) {
    const unsigned char c = static_cast<unsigned char>(symbols[k]);
    if (c <= ' ' || c > '~' || c == '>' || seen[c]) return false;
    seen[c] = true;
  }
  return true;
}

// Reads successive numbers of a file whose size has been checked.
class Reader {
 public:
  Reader(const Text &file, int64_t place) : file_(file), place_(place) {}
  const char *skip(int64_t bytes) {
    const char *here = file_.begin() + place_;
    place_ += bytes;
    return here;
  }
  int32_t integer() { return load<int32_t>(skip(4)); }
  double real(const char *what) {
    const float value = load<float>(skip(4));
    if (!std::isfinite(value))
      fail(ATP_E_NOT_FINITE, "%s: byte %lld: %s is %g, must be finite", file_.label, llong{place_ - 4}, what, static_cast<double>(value));
    return static_cast<double>(value);
  }
  int64_t place() const { return place_; }

 private:
  const Text &file_;
  int64_t place_;
};

void read_labels(Context &context, Reader &reader, const Text &file, Model &model) {
  const int64_t L = model.sites();
  const Scratch memory(context.allocator, Scratch::piece<int64_t>(L) + Scratch::piece<char>(L + 1));
  Arena arena = memory.arena();
  const Span<int64_t> numbers = arena.take<int64_t>(L);
  const Span<char> residues = arena.take<char>(L + 1);
  const int64_t place = reader.place();
  std::memcpy(residues.data(), reader.skip(L), static_cast<std::size_t>(L));
  for (int64_t &number : numbers) number = reader.integer();
  // Without a focus sequence plmc repeats the gap.
  const bool focus = std::any_of(residues.begin(), residues.begin() + L, [&](char c) { return c != residues[0]; });
  try {
    model.labels.set(numbers.data(), focus ? residues.data() : "", "focus ");
  } catch (const Error &e) {
    fail(ATP_E_FORMAT, "%s: byte %lld: %s", file.label, llong{place}, e.what());
  }
}

void read_fields(Reader &reader, Model &model) {
  reader.skip(4 * model.sites() * model.colors());  // f_i
  for (double &h : model.fields) h = reader.real("a field");
}

void read_block(Reader &reader, Model &model, int64_t i, int64_t j) {
  for (int64_t a = 0; a < model.colors(); ++a)
    for (int64_t b = 0; b < model.colors(); ++b) set_symmetric(model, i, j, a, b, reader.real("a coupling"));
}

Model *read_v1(Context &context, const Text &file, const Header &header) {
  const int64_t L = header.sites, q = header.colors;
  Owner<Model> model(make_model(context, {L, q, 0, true}));
  Reader reader(file, 8);
  read_labels(context, reader, file, *model);
  read_fields(reader, *model);
  for (int64_t i = 0; i < L; ++i)
    for (int64_t j = i + 1; j < L; ++j) {
      const int64_t place = reader.place(), first = reader.integer(), second = reader.integer();
      if (first != i + 1 || second != j + 1)
        fail(ATP_E_FORMAT, "%s: byte %lld: pair %lld %lld, expected %lld %lld", file.label, llong{place}, llong{first}, llong{second},
             llong{i + 1}, llong{j + 1});
      reader.skip(4 * q * q);  // f_ij
      read_block(reader, *model, i, j);
    }
  context.message(ATP_LOG_INFO, "%s: plmc model, version 1; it names no symbols, so that the alphabet is not known", file.label);
  return model.release();
}

Model *read_v2(Context &context, const Text &file, const Header &header) {
  const int64_t L = header.sites, q = header.colors;
  Owner<Model> model(make_model(context, {L, q, 0, true}));
  Reader reader(file, kHeader);
  std::memcpy(model->alphabet, reader.skip(q), static_cast<std::size_t>(q));
  reader.skip(4 * (int64_t{header.valid} + header.skipped));  // weights
  read_labels(context, reader, file, *model);
  read_fields(reader, *model);
  reader.skip(4 * pairs_of(L) * q * q);  // f_ij
  for (int64_t i = 0; i < L; ++i)
    for (int64_t j = i + 1; j < L; ++j) read_block(reader, *model, i, j);
  context.message(ATP_LOG_INFO, "%s: plmc model, version 2, of %d sequences (%g effective), lambda_h %g, lambda_e %g", file.label,
                  header.valid, static_cast<double>(header.effective), static_cast<double>(header.lambda_h),
                  static_cast<double>(header.lambda_e));
  return model.release();
}

[[noreturn]] void fail_size(const Text &file, int64_t bytes, const Header &header) {
  const long long size = bytes;
  if (size < kHeader || !legal_shape(header))
    fail(ATP_E_FORMAT, "%s: %lld bytes beginning with L = %d and q = %d, expected a plmc model: L in 2..%lld, q in 2..%lld", file.label,
         size, header.sites, header.colors, llong{kMaxSites}, llong{kMaxColors});
  const long long rows = llong{header.valid} + header.skipped, L = header.sites, q = header.colors;
  if (header.valid < 0 || header.skipped < 0)
    fail(ATP_E_FORMAT, "%s: byte 8: %d and %d sequences, expected a plmc model with numbers >= 0 there", file.label, header.valid,
         header.skipped);
  if (size == size_v2(L, q, rows))
    fail(ATP_E_FORMAT, "%s: byte %lld: the alphabet, expected %lld different printable characters", file.label, llong{kHeader}, q);
  fail(ATP_E_FORMAT, "%s: %lld bytes, expected a plmc model of %lld (version 2, L = %lld, q = %lld, %lld sequences) or %lld (version 1)",
       file.label, size, llong{size_v2(L, q, rows)}, L, q, rows, llong{size_v1(L, q)});
}

class Writer {
 public:
  Writer(Context &context, const char *path) : out_(context, path), path_(path) {}
  void bytes(const void *data, int64_t n) { out_.put(data, n); }
  void integer(int64_t value, const char *what) {
    if (value < std::numeric_limits<int32_t>::min() || value > std::numeric_limits<int32_t>::max())
      fail(ATP_E_VALUE, "%s: %s is %lld, plmc's format has 32 bits for it", ShownPath(path_).text, what, llong{value});
    put(static_cast<int32_t>(value));
  }
  void real(double value, const char *what) {
    if (std::fabs(value) > static_cast<double>(std::numeric_limits<float>::max()))
      fail(ATP_E_VALUE, "%s: %s is %g, plmc's format has float32 for it", ShownPath(path_).text, what, value);
    put(static_cast<float>(value));
  }
  void commit() { out_.commit(); }

 private:
  template <class T>
  void put(T value) {
    order_words(&value, 1, sizeof value);
    out_.put(&value, sizeof value);
  }
  BufferedOutput out_;
  const char *path_;
};

// Makes weights frequencies; all of them may be 0.
void normalize(Span<double> weights) {
  double sum = 0;
  for (double w : weights) sum += w;
  if (sum > 0)
    for (double &w : weights) w /= sum;
}

void check_alignment(const Model &model, const Alignment &alignment, const char *path) {
  const ShownPath shown(path);
  const int64_t gap = alignment.colors() - model.colors();
  if (model.alphabet[0] == 0) fail(ATP_E_CONFLICT, "%s: the model has no alphabet, which plmc's format needs", shown.text);
  if (alignment.sites() != model.sites() || (gap != 0 && gap != 1))
    fail(ATP_E_SHAPE, "%s: the alignment has %lld sites and %lld colours, the model %lld and %lld", shown.text, llong{alignment.sites()},
         llong{alignment.colors()}, llong{model.sites()}, llong{model.colors()});
  if (alignment.alphabet[0] != 0 && std::strcmp(alignment.alphabet + gap, model.alphabet) != 0)
    fail(ATP_E_CONFLICT, "%s: the alignment has the alphabet '%s', the model '%s'", shown.text, alignment.alphabet, model.alphabet);
}

}  // namespace

PlmcVersion plmc_version(Span<const char> head, int64_t size) {
  if (head.size() < std::min<int64_t>(size, kPlmcHead) || size < kHeader) return PlmcVersion::none;
  const Header header = load_header(head);
  if (!legal_shape(header)) return PlmcVersion::none;
  const bool rows = header.valid >= 0 && header.skipped >= 0;
  if (rows && size == size_v2(header.sites, header.colors, int64_t{header.valid} + header.skipped) &&
      legal_symbols(head.data() + kHeader, header.colors))
    return PlmcVersion::v2;
  return size == size_v1(header.sites, header.colors) ? PlmcVersion::v1 : PlmcVersion::none;
}

int64_t longest_plmc(Span<const char> head) {
  const Header header = load_header(head);
  if (head.size() < kHeader || !legal_shape(header)) return 0;
  const int64_t rows = int64_t{std::max(header.valid, 0)} + std::max(header.skipped, 0);
  return std::max(size_v1(header.sites, header.colors), size_v2(header.sites, header.colors, rows));
}

void fail_plmc(const Text &head, int64_t size) { fail_size(head, size, load_header(head.bytes)); }

Model *parse_plmc(Context &context, const Text &file) {
  const Header header = load_header(file.bytes);
  switch (plmc_version(file.bytes, file.bytes.size())) {
    case PlmcVersion::v1: return read_v1(context, file, header);
    case PlmcVersion::v2: return read_v2(context, file, header);
    default: fail_size(file, file.bytes.size(), header);
  }
}

void write_plmc(Context &context, const Model &model, const Alignment &alignment, const char *path) {
  check_alignment(model, alignment, path);
  warn_asymmetric(context, model, path);
  const int64_t L = model.sites(), q = model.colors();
  const SymmetricView view(model);
  const int64_t missing = alignment.colors() - q;  // 1 if the model ignores the gap
  const Scratch memory(context.allocator, Scratch::piece<double>(L * q * q));
  const Span<double> f = memory.arena().take<double>(L, q, q);
  Writer out(context, path);
  out.integer(L, "the number of sites");
  out.integer(q, "the number of colours");
  out.integer(alignment.count(), "the number of sequences");
  out.integer(0, "the number of skipped sequences");
  out.integer(-1, "the number of iterations");
  for (const char *what : {"theta", "lambda_h", "lambda_e", "lambda_group"}) out.real(-1, what);
  out.real(alignment.effective_count(), "the effective number of sequences");
  out.bytes(model.alphabet, q);
  for (double w : alignment.weights) out.real(w > 0 ? 1 / w : 0, "the inverse of a weight");
  for (int64_t i = 0; i < L; ++i) {
    const char none = alignment.colors() > q && alignment.alphabet[0] != 0 ? alignment.alphabet[0] : model.alphabet[0];
    out.bytes(model.labels.has_residues() ? model.labels.residues() + i : &none, 1);
  }
  for (int64_t number : model.labels.numbers()) out.integer(number, "the number of a site");
  for (int64_t i = 0; i < L; ++i) {
    count_colors(alignment, i, missing, q, f.data());
    normalize(f.sub(0, q));
    for (int64_t a = 0; a < q; ++a) out.real(f[a], "a frequency");
  }
  for (int64_t i = 0; i < L; ++i)
    for (int64_t a = 0; a < q; ++a) out.real(view.field(i, a), "a field");
  for (int64_t i = 0; i + 1 < L; ++i) {
    count_pairs(alignment, i, missing, q, nullptr, f.data());
    for (int64_t j = i + 1; j < L; ++j) normalize(f.sub(j * q * q, q * q));
    for (int64_t k = (i + 1) * q * q; k < L * q * q; ++k) out.real(f[k], "a frequency");
  }
  for (int64_t i = 0; i < L; ++i)
    for (int64_t j = i + 1; j < L; ++j)
      for (int64_t a = 0; a < q; ++a)
        for (int64_t b = 0; b < q; ++b) out.real(view.coupling(i, j, a, b), "a coupling");
  out.commit();
}

}  // namespace atp
