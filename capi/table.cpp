// SPDX-License-Identifier: MIT
#include "handles.hpp"

#include "alignment/quality.hpp"
#include "alignment/weights.hpp"
#include "learn/options.hpp"
#include "math/agreement.hpp"
#include "potts/scores.hpp"
#include "sample/options.hpp"
#include "theory/dotattn/options.hpp"
#include "theory/replica/options.hpp"

using namespace atp;

namespace {

constexpr const TableKind *kKinds[] = {
    &replica::kReplicaCurveTable,
    &replica::kReplicaSimulationTable,
    &dotattn::kDotattnCurveTable,
    &dotattn::kDotattnTransitionTable,
    &dotattn::kDotattnTokensTable,
    &dotattn::kDotattnSimulationTable,
    &kTrainingLogTable,
    &kTuningTable,
    &kContactsTable,
    &kSamplingTable,
    &kPartitionTable,
    &kRungsTable,
    &kOverlapsTable,
    &kTrajectoryTable,
    &kForgettingTable,
    &dotattn::kDotattnDynamicsTable,
    &dotattn::kDotattnTrajectoryTable,
    &kWeightsTable,
    &kQualityTable,
    &kDistancesTable,
    &kSelectionTable,
    &kAsymptoticsTable,
    &kMeasuredTable,
};

// nullptr for other numbers.
const ColumnInfo *find_column(int kind, int column) {
  const TableKind *found = find_table_kind(kind);
  return found == nullptr || column < 0 || column >= found->count ? nullptr : found->columns + column;
}

void require_capacity(int64_t capacity) { require_range(capacity, 0, INT64_MAX / 1024, "capacity"); }

}  // namespace

const TableKind *atp::find_table_kind(int kind) {
  for (const TableKind *known : kKinds)
    if (known->kind == kind) return known;
  return nullptr;
}

atp_status atp_table_bytes(atp_table_kind kind, int64_t capacity, int64_t *bytes) noexcept {
  return guarded(nullptr, [&] {
    require(bytes, "bytes");
    require_capacity(capacity);
    *bytes = static_cast<int64_t>(bytes_of<Table>(nullptr, &require_table_kind(kind), capacity));
  });
}

atp_status atp_table_create(atp_context *context, atp_table_kind kind, int64_t capacity, atp_table **out) noexcept {
  return creating(context, out, [&] {
    require(out, "out");
    require_capacity(capacity);
    *out = handle(create_in_block<Table>(core(context)->allocator, core(context), &require_table_kind(kind), capacity));
  });
}

void atp_table_destroy(atp_table *table) noexcept { destroy(table); }

atp_context *atp_table_context(const atp_table *table) noexcept { return handle(context_of(table)); }
int atp_table_kind_of(const atp_table *table) noexcept { return table == nullptr ? 0 : core(table)->kind(); }
int64_t atp_table_rows(const atp_table *table) noexcept { return table == nullptr ? 0 : core(table)->rows(); }
int64_t atp_table_columns(const atp_table *table) noexcept { return table == nullptr ? 0 : core(table)->columns(); }
int64_t atp_table_capacity(const atp_table *table) noexcept { return table == nullptr ? 0 : core(table)->capacity(); }

atp_status atp_table_clear(atp_table *table) noexcept {
  return guarded(table, "table", [&] {
    core(table)->filling.require_idle("table");
    core(table)->clear();
  });
}

int64_t atp_column_count(int kind) noexcept {
  const TableKind *found = find_table_kind(kind);
  return found == nullptr ? 0 : found->count;
}

const char *atp_column_name(int kind, int column) noexcept {
  const ColumnInfo *found = find_column(kind, column);
  return found == nullptr ? nullptr : found->name;
}

const char *atp_column_unit(int kind, int column) noexcept {
  const ColumnInfo *found = find_column(kind, column);
  return found == nullptr ? nullptr : found->unit;
}

const char *atp_column_description(int kind, int column) noexcept {
  const ColumnInfo *found = find_column(kind, column);
  return found == nullptr ? nullptr : found->description;
}

int atp_column_find(int kind, const char *name) noexcept {
  const TableKind *found = find_table_kind(kind);
  return found == nullptr || name == nullptr ? -1 : static_cast<int>(found->find(name));
}

atp_status atp_table_value(const atp_table *table, int64_t row, int column, double *value) noexcept {
  return guarded(table, "table", [&] {
    require(value, "value");
    require_index(row, core(table)->rows(), "row");
    require_index(column, core(table)->columns(), "column");
    *value = core(table)->value(row, column);
  });
}

atp_status atp_table_column(const atp_table *table, const char *name, double *values, int64_t size) noexcept {
  return guarded(table, "table", [&] {
    require(name, "name");
    require(values, "values");
    const Table &from = *core(table);
    const int64_t column = from.find(name);
    if (column < 0) fail(ATP_E_VALUE, "name is \"%.64s\", must be a column of the table", name);
    require_size(size, from.rows(), "size");
    for (int64_t row = 0; row < size; ++row) values[row] = from.value(row, column);
  });
}

atp_status atp_table_values(const atp_table *table, double *values, int64_t size) noexcept {
  return guarded(table, "table", [&] {
    require(values, "values");
    const Span<const double> from = core(table)->values();
    require_size(size, from.size(), "size");
    if (size > 0) std::memcpy(values, from.data(), static_cast<std::size_t>(size) * sizeof *values);
  });
}

atp_status atp_table_csv(const atp_table *table, char *text, int64_t size, int64_t *needed) noexcept {
  return guarded(table, "table", [&] {
    if (text == nullptr) require_size(size, 0, "size without text");
    const int64_t bytes = core(table)->csv(nullptr, 0);
    if (needed != nullptr) *needed = bytes;
    if (text == nullptr) return;
    if (size < bytes) fail(ATP_E_BUFFER, "size is %lld, must be at least %lld", llong{size}, llong{bytes});
    core(table)->csv(text, size);
  });
}
