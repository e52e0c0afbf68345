// SPDX-License-Identifier: MIT
#include "io/foreign.hpp"

#include "alignment/text.hpp"
#include "io/fields.hpp"
#include "io/score_files.hpp"

#include <algorithm>
#include <cstring>

namespace atp {

namespace {

constexpr int64_t kMatrixRows = 20;  // rows of a matrix that is as wide as the fields of a raw model
constexpr int kMostFields = 7;

// The fields of the current line, at most kMostFields of them.
struct LineFields {
  explicit LineFields(FieldReader reader) {
    while (count < kMostFields && reader.next_field(field[count])) ++count;
  }
  Field field[kMostFields];
  int count = 0;
};

// Whether a number has a character that whole numbers do not have.
bool has_fraction(const Field &field) {
  return std::any_of(field.begin, field.end, [](char c) { return c == '.' || c == 'e' || c == 'E'; });
}

// "J i j a b v" or "h i a v".
Foreign adabm_line(const LineFields &line) {
  const bool pair = line.count == 6 && line.field[0].is('J') && is_integer(line.field[1]) && is_integer(line.field[2]);
  const bool field = line.count == 4 && line.field[0].is('h') && is_integer(line.field[1]);
  if ((!pair && !field) || !is_real(line.field[line.count - 1])) return Foreign::none;
  return is_integer(line.field[line.count - 2]) ? Foreign::adabm_integers : Foreign::adabm_letters;
}

// "i c j c 0 v" with one character each for c.
bool is_couplings_line(const LineFields &line) {
  return line.count == 6 && is_integer(line.field[0]) && line.field[1].size() == 1 && !is_integer(line.field[1]) &&
         is_integer(line.field[2]) && line.field[3].size() == 1 && line.field[4].is('0') && is_real(line.field[5]);
}

// Whether a text whose first line has 20 numbers is a raw model: a line '# i j' follows, or there are more lines than a matrix has.
bool is_raw(FieldReader reader) {
  int64_t rows = 0;
  do {
    const LineFields line(reader);
    if (line.count == 0) continue;
    if (line.field[0].is('#')) return line.count == 3 && is_integer(line.field[1]) && is_integer(line.field[2]);
    if (*line.field[0].begin != '#') ++rows;
  } while (reader.next_line());
  return rows > kMatrixRows;
}

// Rows of numbers, at least one of which is not whole.
Foreign numbers(const FieldReader &start) {
  FieldReader reader = start;
  const int64_t width = reader.count_fields();
  bool fraction = false;
  do {
    FieldReader line = reader;
    Field field;
    while (line.next_field(field) && *field.begin != '#') {
      const bool cut = line.bytes_left() == 0;  // the head may end within its last number
      if (!cut && !is_real(field)) return Foreign::none;
      fraction = fraction || has_fraction(field);
    }
  } while (!fraction && reader.next_line());
  if (!fraction) return Foreign::none;
  return width == kMatrixRows && is_raw(start) ? Foreign::ccmpred_raw : Foreign::ccmpred_matrix;
}

}  // namespace

Foreign foreign_content(Span<const char> head, int64_t size) {
  if (is_braw(head)) return Foreign::ccmpred_braw;
  if (plmc_version(head, size) != PlmcVersion::none) return Foreign::plmc_model;
  FieldReader reader({head, ""});
  if (!reader.next_content()) return Foreign::none;
  const LineFields fields(reader);
  const Field first = fields.field[0];
  const Foreign adabm = adabm_line(fields);
  if (adabm != Foreign::none) return adabm;
  if (is_couplings_line(fields)) return Foreign::plmc_couplings;
  if (is_gremlin_line(reader)) return Foreign::gremlin;
  if (is_evcouplings_header(first)) return Foreign::evcouplings;
  return is_real(first) ? numbers(reader) : Foreign::none;
}

const char *foreign_name(Foreign content) {
  constexpr const char *kNames[] = {"",      "plmc-model", "plmc-couplings", "ccmpred-raw",       "ccmpred-braw", "ccmpred-matrix",
                                    "adabm", "bmdca",      "gremlin-mrf",    "evcouplings-scores"};
  return kNames[static_cast<int>(content)];
}

namespace {

constexpr int64_t kMostTimes = 64, kAlwaysAllowed = int64_t{1} << 30;  // bytes of a model per byte of its file

}  // namespace

void warn_asymmetric(const Context &context, const Model &model, const char *path) {
  if (!model.symmetric())
    context.message(ATP_LOG_WARNING,
                    "%s: the couplings are not symmetric; (C_ij(a, b) + C_ji(b, a)) / 2 is written, which keeps energies "
                    "and changes conditionals",
                    ShownPath(path).text);
}

void check_proportion(const Text &file, int64_t L, int64_t q) {
  const int64_t size = file.bytes.size(), needed = 8 * (L * q) * (L * q);  // L q is below 2^24
  const int64_t most = std::max(kAlwaysAllowed, size > INT64_MAX / kMostTimes ? INT64_MAX : kMostTimes * size);
  if (needed > most)
    fail(ATP_E_TOO_LARGE,
         "%s: %lld bytes name so few couplings that a model of %lld sites and %lld colours would take %lld bytes, at most %lld are allowed",
         file.label, llong{size}, llong{L}, llong{q}, llong{needed}, llong{most});
}

}  // namespace atp
