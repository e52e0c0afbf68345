// SPDX-License-Identifier: MIT
// Tables of results: rows of doubles, whose columns follow from the kind.
#pragma once

#include "base/arena.hpp"
#include "base/running.hpp"

#include <attopotts/table.h>

#include <cstddef>
#include <cstdint>

namespace atp {

struct Context;

struct ColumnInfo {
  const char *name, *unit, *description;
};

struct TableKind {
  atp_table_kind kind;
  const char *name;  // of the constant
  const ColumnInfo *columns;
  int64_t count;

  int64_t find(const char *column) const;  // -1: there is none
};

// A room declares the kinds of its tables so; capi/table.cpp lists all of them.
template <std::size_t N>
constexpr TableKind kind_of(atp_table_kind kind, const char *name, const ColumnInfo (&columns)[N]) {
  return {kind, name, columns, static_cast<int64_t>(N)};
}

class Table {
 public:
  Table(Context *owner, const TableKind *kind, int64_t capacity) : context(owner), kind_(kind), capacity_(capacity) {}
  void lay_out(Arena &arena) { values_ = arena.take<double>(capacity_, kind_->count); }

  atp_table_kind kind() const { return kind_->kind; }
  int64_t rows() const { return rows_; }
  int64_t columns() const { return kind_->count; }
  int64_t capacity() const { return capacity_; }
  int64_t find(const char *name) const { return kind_->find(name); }
  const ColumnInfo &column(int64_t k) const { return kind_->columns[k]; }
  double value(int64_t row, int64_t column) const { return values_[row * columns() + column]; }
  Span<const double> values() const { return values_.sub(0, rows_ * columns()); }
  void clear() { rows_ = 0; }

  // Throws ATP_E_BUFFER unless n more rows fit.
  void require_room(int64_t n) const;
  // Where the next n rows go, [n][columns]; they count after append(n).
  Span<double> room(int64_t n) { return values_.sub(rows_ * columns(), n * columns()); }
  void append(int64_t n) { rows_ += n; }

  // Write the CSV text and a NUL while there is room; the bytes that all of it takes.
  int64_t csv(char *text, int64_t size) const;

  Context *context;
  std::size_t block_bytes = 0;
  Running filling;  // by a run that has room for its rows

 private:
  const TableKind *kind_;
  int64_t capacity_, rows_ = 0;
  Span<double> values_;
};

}  // namespace atp
