// SPDX-License-Identifier: MIT
/** @file table.hpp
 *  Tables; see table.h.
 *  Part of attopotts.hpp, which describes the conventions. */
#ifndef ATTOPOTTS_TABLE_HPP
#define ATTOPOTTS_TABLE_HPP

#include <attopotts/table.h>
#include <attopotts/context.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace attopotts {

/** Rows of doubles under named columns; see table.h. */
class Table {
 public:
  /** Holds nothing. */
  Table() = default;
  /** Takes ownership of a handle. */
  explicit Table(atp_table *handle) : handle_(handle) {}
  Table(Borrowed<Context> context, atp_table_kind kind, std::int64_t capacity) : Table(context.get(), kind, capacity) {}
  Table(atp_context *context, atp_table_kind kind, std::int64_t capacity) {
    atp_table *handle = nullptr;
    check(atp_table_create(context, kind, capacity, &handle));
    handle_.reset(handle);
  }
  static std::int64_t bytes(atp_table_kind kind, std::int64_t capacity) {
    std::int64_t bytes = 0;
    return check(atp_table_bytes(kind, capacity, &bytes)), bytes;
  }
  /** Returns the names of the columns of a kind. */
  static std::vector<std::string> names(int kind) {
    std::vector<std::string> out;
    for (int k = 0; k < atp_column_count(kind); ++k) out.emplace_back(atp_column_name(kind, k));
    return out;
  }

  int kind() const { return atp_table_kind_of(get()); }
  std::int64_t rows() const { return atp_table_rows(get()); }
  std::int64_t columns() const { return atp_table_columns(get()); }
  std::int64_t capacity() const { return atp_table_capacity(get()); }
  Table &clear() & { return check(atp_table_clear(get())), *this; }
  std::vector<std::string> names() const { return names(kind()); }
  /** Returns the number in a row and a column, a constant of the kind's enum. */
  double operator()(std::int64_t row, int column) const {
    double value = 0;
    return check(atp_table_value(get(), row, column, &value)), value;
  }
  /** Returns a column by its name, for example "eg". */
  std::vector<double> column(const std::string &name) const {
    // At least one element: the C function does not accept NULL.
    std::vector<double> out(static_cast<std::size_t>(rows() > 0 ? rows() : 1));
    check(atp_table_column(get(), detail::text(name, "name"), out.data(), rows()));
    return out.resize(static_cast<std::size_t>(rows())), out;
  }
  /** Shape [rows][columns]. */
  std::vector<double> values() const {
    const std::int64_t n = rows() * columns();
    std::vector<double> out(static_cast<std::size_t>(n > 0 ? n : 1));
    check(atp_table_values(get(), out.data(), n));
    return out.resize(static_cast<std::size_t>(n)), out;
  }
  std::string csv() const {
    std::int64_t needed = 0;
    check(atp_table_csv(get(), nullptr, 0, &needed));
    std::string out(static_cast<std::size_t>(needed), '\0');
    check(atp_table_csv(get(), out.data(), needed, nullptr));
    return out.pop_back(), out;
  }
  atp_table *get() const noexcept { return handle_.get(); }
  explicit operator bool() const noexcept { return handle_ != nullptr; }

 private:
  detail::Owner<atp_table, atp_table_destroy> handle_;
};

}  // namespace attopotts

#endif
