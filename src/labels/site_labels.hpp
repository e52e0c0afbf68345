// SPDX-License-Identifier: MIT
// Labels of the sites of an alignment or a model: a number each, and a residue each if a reference sequence
// gives them.
#pragma once

#include "base/arena.hpp"

namespace atp {

class SiteLabels {
 public:
  // Before set(), the numbers are 1..L and there are no residues.
  ATP_FOR_IO void lay_out(Arena &arena, int64_t sites);
  int64_t sites() const { return numbers_.size(); }
  Span<const int64_t> numbers() const { return {numbers_.data(), numbers_.size()}; }
  const char *residues() const { return residues_.data(); }  // of length L, or ""
  bool has_residues() const { return residues_[0] != 0; }
  ATP_FOR_IO bool default_numbers() const;

  // Sets numbers [L] (NULL: 1..L) and residues of length L ("" or NULL: none). Numbers are at most 2^53 in
  // magnitude, so that languages without int64 can hold them. Both arguments may be the current labels.
  // Throws ATP_E_VALUE, ATP_E_SHAPE or ATP_E_ALPHABET (a residue that is blank or not printable ASCII) before
  // it changes anything. The error text begins with `prefix` and the name of the argument.
  ATP_FOR_IO void set(const int64_t *numbers, const char *residues, const char *prefix = "");
  void copy(const SiteLabels &source);  // the source must have as many sites

 private:
  Span<int64_t> numbers_;  // [L]
  Span<char> residues_;    // [L + 1]
};

// Labels that own their memory; set as above.
class OwnLabels {
 public:
  ATP_FOR_IO OwnLabels(Allocator &allocator, int64_t sites, const int64_t *numbers, const char *residues);
  const SiteLabels &get() const { return labels_; }

 private:
  Scratch memory_;
  SiteLabels labels_;
};

}  // namespace atp
