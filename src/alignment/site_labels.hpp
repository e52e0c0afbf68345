// SPDX-License-Identifier: MIT
// Labels of the sites of an alignment or a model: a number each, a residue each if a reference sequence gives
// them, and the column each of the alignment as it was read, before columns were removed.
#pragma once

#include "base/arena.hpp"

namespace atp {

class SiteLabels {
 public:
  // Before set(), the numbers are 1..L, there are no residues, and site i is column i of L.
  ATP_FOR_IO void lay_out(Arena &arena, int64_t sites);
  int64_t sites() const { return numbers_.size(); }
  Span<const int64_t> numbers() const { return {numbers_.data(), numbers_.size()}; }
  const char *residues() const { return residues_.data(); }  // of length L, or ""
  bool has_residues() const { return residues_[0] != 0; }
  ATP_FOR_IO bool default_numbers() const;

  // Sets numbers [L] (NULL: 1..L) and residues of length L ("" or NULL: none). Numbers are at most 2^53 in magnitude, so that languages
  // without int64 can hold them. Both arguments may be the current labels. Throws ATP_E_VALUE, ATP_E_SHAPE or ATP_E_ALPHABET (a residue
  // that is blank or not printable ASCII) before it changes anything. The error text begins with `prefix` and the name of the argument.
  ATP_FOR_IO void set(const int64_t *numbers, const char *residues, const char *prefix = "");
  void copy(const SiteLabels &source);  // the source must have as many sites

  // The column of each site, 0-based and ascending, in an alignment of total_columns() columns.
  Span<const int64_t> columns() const { return {columns_.data(), columns_.size()}; }
  int64_t total_columns() const { return total_columns_; }
  bool all_columns() const { return total_columns_ == sites(); }
  // The first of these columns that belong to the first of two proteins; 0: one protein.
  int64_t border() const { return border_; }
  // Throws ATP_E_VALUE unless it is in 0..total_columns() - 1.
  ATP_FOR_IO void set_border(int64_t columns, const char *prefix = "");
  // Sets columns [L] of `total` (NULL: site i is column i of L; total is then not read), of one protein. The argument may be the current
  // columns. Throws ATP_E_VALUE before it changes anything.
  ATP_FOR_IO void set_columns(const int64_t *columns, int64_t total, const char *prefix = "");
  // Sets the columns of a subset: site k is the site chosen[k] of the source.
  void choose_columns(const SiteLabels &source, Span<const int64_t> chosen);

 private:
  Span<int64_t> numbers_;  // [L]
  Span<char> residues_;    // [L + 1]
  Span<int64_t> columns_;  // [L]
  int64_t total_columns_ = 0, border_ = 0;
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
