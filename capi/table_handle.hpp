// SPDX-License-Identifier: MIT
#pragma once

#include "handles.hpp"

#include "base/table.hpp"

#include <attopotts/table.h>

namespace atp {

ATP_OWNED_HANDLE(atp_table, Table)

// nullptr for numbers that are no kind.
const TableKind *find_table_kind(int kind);

inline const TableKind &require_table_kind(int kind) {
  const TableKind *found = find_table_kind(kind);
  if (found == nullptr) fail(ATP_E_VALUE, "kind is %d, must be an atp_table_kind", kind);
  return *found;
}

// Of this kind, with room for n rows more.
inline void require_table(const Table &table, atp_table_kind kind, int64_t n) {
  if (table.kind() != kind)
    fail(ATP_E_CONFLICT, "the table is an %s, must be an %s", require_table_kind(table.kind()).name, require_table_kind(kind).name);
  table.filling.require_idle("table");
  table.require_room(n);
}

}  // namespace atp
