// SPDX-License-Identifier: MIT
#include "labels/site_labels.hpp"

#include "base/error.hpp"

#include <cstring>

namespace atp {

namespace {

void fill_default(Span<int64_t> numbers) {
  for (int64_t i = 0; i < numbers.size(); ++i) numbers[i] = i + 1;
}

void check_numbers(const int64_t *numbers, int64_t sites, const char *prefix) {
  constexpr int64_t largest = int64_t{1} << 53;
  for (int64_t i = 0; i < sites; ++i)
    if (numbers[i] < -largest || numbers[i] > largest)
      fail(ATP_E_VALUE, "%snumbers" ATP_AT " is %lld, must be at most 2^53 in magnitude", prefix, static_cast<long long>(i),
           static_cast<long long>(numbers[i]));
}

void check_residues(const char *residues, int64_t sites, const char *prefix) {
  const int64_t n = static_cast<int64_t>(strnlen(residues, static_cast<std::size_t>(sites) + 1));
  if (n == 0) return;
  if (n != sites)
    fail(ATP_E_SHAPE, "%sresidues has %s%lld characters, must have one for each of the %lld sites", prefix, n > sites ? "at least " : "",
         static_cast<long long>(n), static_cast<long long>(sites));
  for (int64_t i = 0; i < n; ++i) {
    const unsigned char c = static_cast<unsigned char>(residues[i]);
    if (c <= ' ' || c > '~')
      fail(ATP_E_ALPHABET, "%sresidues" ATP_AT " has the code %d, must be printable and not blank", prefix, static_cast<long long>(i), c);
  }
}

}  // namespace

void SiteLabels::lay_out(Arena &arena, int64_t sites) {
  numbers_ = arena.take<int64_t>(sites);
  residues_ = arena.take<char>(sites + 1);
  if (!arena.measuring()) fill_default(numbers_);
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
    : memory_(allocator, Scratch::piece<int64_t>(sites) + Scratch::piece<char>(sites + 1)) {
  Arena arena = memory_.arena();
  labels_.lay_out(arena, sites);
  labels_.set(numbers, residues);
}

void SiteLabels::copy(const SiteLabels &source) { set(source.numbers_.data(), source.residues()); }

}  // namespace atp
