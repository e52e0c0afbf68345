// SPDX-License-Identifier: MIT
// What the sites of an alignment or a model are called outside: a number each, and a residue each where one sequence gives them.
#pragma once

#include "base/arena.hpp"

namespace atp {

class SiteLabels {
 public:
  // The numbers are 1..L and there are no residues until they are set.
  void lay_out(Arena &arena, int64_t sites);
  int64_t sites() const { return numbers_.size(); }
  Span<const int64_t> numbers() const { return {numbers_.data(), numbers_.size()}; }
  const char *residues() const { return residues_.data(); }  // of length L, or ""
  bool has_residues() const { return residues_[0] != 0; }
  bool default_numbers() const;

  // numbers [L], NULL for 1..L, at most 2^53 in magnitude, so that languages without int64 hold them; residues of length L, "" or NULL for
  // none. Both may be the present ones. Throws ATP_E_VALUE, ATP_E_SHAPE or ATP_E_ALPHABET (a residue that is blank or not printable ASCII)
  // before anything is changed; the text begins with `prefix` and the name of the argument.
  void set(const int64_t *numbers, const char *residues, const char *prefix = "");
  void copy(const SiteLabels &source);  // of as many sites

 private:
  Span<int64_t> numbers_;  // [L]
  Span<char> residues_;    // [L + 1]
};

// Labels in memory of their own, set as above.
class OwnLabels {
 public:
  OwnLabels(Allocator &allocator, int64_t sites, const int64_t *numbers, const char *residues);
  const SiteLabels &get() const { return labels_; }

 private:
  Scratch memory_;
  SiteLabels labels_;
};

}  // namespace atp
