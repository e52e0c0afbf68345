// SPDX-License-Identifier: MIT
#include "task_handle.hpp"

#include "theory/replica/curve.hpp"

#include <cstring>

using namespace atp;

namespace {

constexpr const char *kArrayNames[] = {"alphas",     "omegas",  "teacher",          "code",  "eigenvalues", "projections",
                                       "covariance", "weights", "color-covariance", "times", "targets"};
static_assert(sizeof kArrayNames / sizeof *kArrayNames == ATP_ARRAYS);

// [C24]
constexpr double kTeacher[4] = {0.6, 0.4, 0.4, 0.6}, kCode[2] = {1, -1};

void require_which(atp_task_array which) { require_range(which, 0, ATP_ARRAYS - 1, "which"); }

void release(Allocator &allocator, TaskArray &array) {
  if (array.bytes > 0) allocator.release(const_cast<double *>(array.values), array.bytes);
  array = {};
}

const TaskKind &require_kind(int kind) {
  const TaskKind *found = find_task_kind(kind);
  if (found == nullptr) fail(ATP_E_VALUE, "kind is %d, must be an atp_task_kind", kind);
  return *found;
}

int64_t rows_of(const AnyTask &task) {
  const TaskKind &kind = *task.kind;
  return product_of(task.array(task.per_row()).rows, kind.repeats == nullptr ? 1 : kind.repeats(task));
}

// ALPHAS or TARGETS: those of a search are the task's own.
void require_one_list(const AnyTask &task, atp_task_array which) {
  if (which == ATP_ARRAY_ALPHAS && task.has_targets()) fail(ATP_E_CONFLICT, "alphas cannot be set: the task has targets");
  if (which == ATP_ARRAY_TARGETS && !task.has_targets() && task.array(ATP_ARRAY_ALPHAS).values != nullptr)
    fail(ATP_E_CONFLICT, "targets cannot be set: the task has alphas");
}

}  // namespace

namespace atp {

const char *array_name(atp_task_array which) { return kArrayNames[which]; }

const TaskKind *find_task_kind(int kind) {
  for (const TaskKind &known : replica::kTaskKinds)
    if (known.kind == kind) return &known;
  for (const TaskKind &known : dotattn::kTaskKinds)
    if (known.kind == kind) return &known;
  return nullptr;
}

const TaskArray &AnyTask::require_array(atp_task_array which) const {
  if (arrays[which].values == nullptr) fail(ATP_E_STAGE, "%s were not set: atp_task_set_array", kArrayNames[which]);
  return arrays[which];
}

void require_vector(atp_task_array which, const TaskArray &array, double lowest, double highest) {
  if (array.columns != 1) fail(ATP_E_SHAPE, "columns is %lld, must be 1 for %s", llong{array.columns}, kArrayNames[which]);
  require_reals(array.values, array.rows, lowest, highest, kArrayNames[which]);
}

}  // namespace atp

atp_status atp_task_create(atp_context *context, atp_task_kind kind, const atp_options *options, atp_task **out) noexcept {
  if (out != nullptr) *out = nullptr;
  return created_together(core(context), out, atp_task_destroy, [&] {
    require(context, "context");
    require(out, "out");
    const TaskKind &found = require_kind(kind);
    Options settled = options_for(*found.options, options);
    if (found.settle != nullptr) found.settle(settled);
    AnyTask *task = create_in_block<AnyTask>(core(context)->allocator, core(context), &found, settled);
    if (task->uses(ATP_ARRAY_TEACHER)) task->arrays[ATP_ARRAY_TEACHER] = {kTeacher, 2, 2, 0};
    if (task->uses(ATP_ARRAY_CODE)) task->arrays[ATP_ARRAY_CODE] = {kCode, 2, 1, 0};
    *out = handle(task);
  });
}

void atp_task_destroy(atp_task *task) noexcept {
  if (task == nullptr) return;
  Allocator &allocator = core(task)->context->allocator;
  for (TaskArray &array : core(task)->arrays) release(allocator, array);
  destroy_block(allocator, core(task));
}

atp_status atp_task_set_array(atp_task *task, atp_task_array which, const double *values, int64_t rows, int64_t columns) noexcept {
  return guarded(task, "task", [&] {
    require_which(which);
    require(values, kArrayNames[which]);
    require_range(rows, 1, INT64_MAX / 1024, "rows");
    require_range(columns, 1, INT64_MAX / 1024, "columns");
    AnyTask &t = *core(task);
    t.running.require_idle("task");
    if (!t.uses(which)) fail(ATP_E_CONFLICT, "%s is no array of tasks of kind %d", kArrayNames[which], t.kind->kind);
    require_one_list(t, which);
    TaskArray array{values, rows, columns, 0};
    t.kind->check(which, array);  // the shape before any number is read
    const int64_t size = product_of(rows, columns);
    Allocator &allocator = t.context->allocator;
    array.bytes = Scratch::piece<double>(size);
    void *copy = allocator.allocate(array.bytes);
    std::memcpy(copy, values, static_cast<std::size_t>(size) * sizeof *values);
    array.values = static_cast<const double *>(copy);
    release(allocator, t.arrays[which]);
    t.arrays[which] = array;
  });
}

atp_status atp_task_array_shape(const atp_task *task, atp_task_array which, int64_t *rows, int64_t *columns) noexcept {
  return guarded(task, "task", [&] {
    require_which(which);
    const TaskArray array = core(task)->array(which);
    if (rows != nullptr) *rows = array.rows;
    if (columns != nullptr) *columns = array.columns;
  });
}

atp_status atp_task_get_array(const atp_task *task, atp_task_array which, double *values, int64_t size) noexcept {
  return guarded(task, "task", [&] {
    require(values, "values");
    require_which(which);
    const TaskArray array = core(task)->array(which);
    if (array.values == nullptr) fail(ATP_E_STAGE, "%s were not set: atp_task_set_array", kArrayNames[which]);
    require_size(size, array.size(), "size");
    std::memcpy(values, array.values, static_cast<std::size_t>(size) * sizeof *values);
  });
}

atp_context *atp_task_context(const atp_task *task) noexcept { return handle(context_of(task)); }
int atp_task_kind_of(const atp_task *task) noexcept { return task == nullptr ? 0 : core(task)->kind->kind; }
int atp_task_table_kind(const atp_task *task) noexcept { return task == nullptr ? 0 : core(task)->kind->table; }
int64_t atp_task_rows(const atp_task *task) noexcept { return task == nullptr ? 0 : rows_of(*core(task)); }

atp_status atp_task_options(const atp_task *task, atp_options *options) noexcept {
  return copy_options(task, "task", &AnyTask::options, options);
}

atp_status atp_task_bytes(const atp_task *task, int64_t *bytes) noexcept {
  return guarded(task, "task", [&] {
    require(bytes, "bytes");
    const AnyTask &t = *core(task);
    *bytes = static_cast<int64_t>(t.kind->bytes(t) + (t.has_targets() ? replica::target_bytes() : 0));
  });
}

atp_status atp_task_run(atp_task *task, atp_table *table, atp_progress_fn progress, void *user, atp_outcome *outcome) noexcept {
  return guarded_together(task, "task", [&] {
    require(table, "table");
    AnyTask &t = *core(task);
    const Running::Call running(t.running, "task");
    t.require_array(t.per_row());
    const int64_t rows = rows_of(t);
    require_table(*core(table), t.kind->table, rows);
    t.kind->bytes(t);  // the checks of all arrays together
    const Running::Call filling(core(table)->filling, "table");
    Reporter reporter(progress, user, t.stop, nullptr, &t.context->ranks);
    const TaskRun run{reporter, core(table)->room(rows).data()};
    const atp_outcome ended = t.kind->run(t, run);
    core(table)->append(rows);
    if (outcome != nullptr) *outcome = ended;
  });
}

void atp_task_request_stop(atp_task *task) noexcept {
  if (task != nullptr) core(task)->stop.request();
}

atp_status atp_task_value(const atp_task *task, atp_task_number which, double *value) noexcept {
  return guarded(task, "task", [&] {
    require(value, "value");
    require_range(which, ATP_TASK_OPTIMUM, ATP_TASK_OPTIMUM, "which");
    const AnyTask &t = *core(task);
    if (t.kind->table != ATP_TABLE_REPLICA_CURVE) fail(ATP_E_CONFLICT, "tasks of kind %d have no optimum", t.kind->kind);
    if (!t.has_optimum) fail(ATP_E_STAGE, "the task has not run: atp_task_run");
    *value = t.optimum;
  });
}
