// SPDX-License-Identifier: MIT
#include "alignment/site_labels.hpp"

#include "base/error.hpp"

#include <cstring>

namespace atp {

namespace {

constexpr int64_t kMaxColumns = int64_t{1} << 40;

void fill_default(Span<int64_t> numbers) {
  for (int64_t i = 0; i < numbers.size(); ++i) numbers[i] = i + 1;
}

void check_numbers(const int64_t *numbers, int64_t sites, const char *prefix) {
  constexpr int64_t largest = int64_t{1} << 53;
  for (int64_t i = 0; i < sites; ++i)
    if (numbers[i] < -largest || numbers[i] > largest)
      fail(ATP_E_VALUE, "%snumbers" ATP_AT " is %lld, must be at most 2^53 in magnitude", prefix, llong{i}, llong{numbers[i]});
}

void check_columns(const int64_t *columns, int64_t sites, int64_t total, const char *prefix) {
  if (total < sites || total > kMaxColumns)
    fail(ATP_E_VALUE, "%stotal is %lld, must be in %lld..%lld", prefix, llong{total}, llong{sites}, llong{kMaxColumns});
  for (int64_t i = 0; i < sites; ++i)
    if (columns[i] < (i == 0 ? 0 : columns[i - 1] + 1) || columns[i] >= total)
      fail(ATP_E_VALUE, "%scolumns" ATP_AT " is " ATP_INDEX ", must be in " ATP_INDEX ".." ATP_INDEX " and above the one before", prefix,
           llong{i}, llong{columns[i]}, 0LL, llong{total - 1});
}

void check_residues(const char *residues, int64_t sites, const char *prefix) {
  const int64_t n = static_cast<int64_t>(strnlen(residues, static_cast<std::size_t>(sites) + 1));
  if (n == 0) return;
  if (n != sites)
    fail(ATP_E_SHAPE, "%sresidues has %s%lld characters, must have one for each of the %lld sites", prefix, n > sites ? "at least " : "",
         llong{n}, llong{sites});
  for (int64_t i = 0; i < n; ++i) {
    const unsigned char c = static_cast<unsigned char>(residues[i]);
    if (c <= ' ' || c > '~')
      fail(ATP_E_ALPHABET, "%sresidues" ATP_AT " has the code %d, must be printable and not blank", prefix, llong{i}, c);
  }
}

}  // namespace

void SiteLabels::lay_out(Arena &arena, int64_t sites) {
  numbers_ = arena.take<int64_t>(sites);
  residues_ = arena.take<char>(sites + 1);
  columns_ = arena.take<int64_t>(sites);
  if (arena.measuring()) return;
  fill_default(numbers_);
  set_columns(nullptr, 0);
}

bool SiteLabels::default_numbers() const {
  for (int64_t i = 0; i < numbers_.size(); ++i)
    if (numbers_[i] != i + 1) return false;
  return true;
}

void SiteLabels::set(const int64_t *numbers, const char *residues, const char *prefix) {
  if (numbers != nullptr) check_numbers(numbers, sites(), prefix);
  if (residues != nullptr) check_residues(residues, sites(), prefix);
  if (numbers == nullptr)
    fill_default(numbers_);
  else
    std::memmove(numbers_.data(), numbers, static_cast<std::size_t>(sites()) * sizeof *numbers);
  if (residues == nullptr || residues[0] == 0)
    residues_[0] = 0;
  else
    std::memmove(residues_.data(), residues, static_cast<std::size_t>(sites()) + 1);
}

OwnLabels::OwnLabels(Allocator &allocator, int64_t sites, const int64_t *numbers, const char *residues)
    : memory_(allocator, 2 * Scratch::piece<int64_t>(sites) + Scratch::piece<char>(sites + 1)) {
  Arena arena = memory_.arena();
  labels_.lay_out(arena, sites);
  labels_.set(numbers, residues);
}

void SiteLabels::copy(const SiteLabels &source) {
  set(source.numbers_.data(), source.residues());
  set_columns(source.columns_.data(), source.total_columns_);
  border_ = source.border_;
}

void SiteLabels::set_columns(const int64_t *columns, int64_t total, const char *prefix) {
  if (columns != nullptr) check_columns(columns, sites(), total, prefix);
  border_ = 0;
  if (columns == nullptr) {
    for (int64_t i = 0; i < sites(); ++i) columns_[i] = i;
    total_columns_ = sites();
    return;
  }
  std::memmove(columns_.data(), columns, static_cast<std::size_t>(sites()) * sizeof *columns);
  total_columns_ = total;
}

void SiteLabels::set_border(int64_t columns, const char *prefix) {
  if (columns < 0 || columns >= total_columns_)
    fail(ATP_E_VALUE, "%sborder is %lld, must be in 0..%lld", prefix, llong{columns}, llong{total_columns_ - 1});
  border_ = columns;
}

void SiteLabels::choose_columns(const SiteLabels &source, Span<const int64_t> chosen) {
  for (int64_t k = 0; k < sites(); ++k) columns_[k] = source.columns_[chosen[k]];
  total_columns_ = source.total_columns_;
  border_ = source.border_;
}

}  // namespace atp
