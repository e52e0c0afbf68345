// SPDX-License-Identifier: MIT
// The content of a task, and the description of a kind of task. capi/task_replica.cpp and capi/task_dotattn.cpp have the tables of kinds.
#pragma once

#include "handles.hpp"

#include "base/options.hpp"
#include "base/progress.hpp"
#include "base/running.hpp"

#include <attopotts/task.h>

namespace atp {

// A copy of the caller's array in a block of its own; shape [rows][columns].
struct TaskArray {
  const double *values = nullptr;
  int64_t rows = 0, columns = 0;
  std::size_t bytes = 0;  // of the block; 0: the default, which is not ours to free
  int64_t size() const { return rows * columns; }
};

struct AnyTask;

// One run: who is told of its progress, and the rows that it fills, which the table owns.
struct TaskRun {
  Reporter &reporter;
  double *rows;  // [task rows][columns of the kind]
};

struct TaskKind {
  atp_task_kind kind;
  atp_table_kind table;
  unsigned arrays;         // bits 1 << atp_task_array of those that it uses
  atp_task_array per_row;  // the one with an element for each row
  const OptionTable *options;
  void (*settle)(Options &options);  // resolves automatic options and checks them together, at creation; may be nullptr
  // An array by itself: shape and values; before it is copied.
  void (*check)(atp_task_array which, const TaskArray &array);
  // All arrays together; bytes of a run.
  std::size_t (*bytes)(const AnyTask &task);
  atp_outcome (*run)(AnyTask &task, const TaskRun &run);
  // How many rows each element has, where it is not one.
  int64_t (*repeats)(const AnyTask &task) = nullptr;
};

const TaskKind *find_task_kind(int kind);

struct AnyTask {
  AnyTask(Context *owner, const TaskKind *of_kind, const Options &given) : context(owner), kind(of_kind), options(given) {}
  void lay_out(Arena &) {}

  bool uses(atp_task_array which) const { return (kind->arrays >> which & 1) != 0; }
  bool has_targets() const { return arrays[ATP_ARRAY_TARGETS].values != nullptr; }
  // The array with an element for each row.
  atp_task_array per_row() const { return has_targets() ? ATP_ARRAY_TARGETS : kind->per_row; }
  const TaskArray &array(atp_task_array which) const { return arrays[which]; }
  // Throws ATP_E_STAGE where it was not set.
  const TaskArray &require_array(atp_task_array which) const;
  double real(atp_option key) const { return options.real(key); }
  // The value of an option that some kinds have, and what the others take for it.
  double real(atp_option key, double otherwise) const { return options.table().find(key) == nullptr ? otherwise : options.real(key); }
  int64_t integer(atp_option key) const { return options.integer(key); }
  int64_t integer(atp_option key, int64_t otherwise) const { return options.table().find(key) == nullptr ? otherwise : integer(key); }
  uint64_t seed() const { return static_cast<uint64_t>(options.integer(ATP_OPT_SEED)); }

  Context *context;
  std::size_t block_bytes = 0;
  const TaskKind *kind;
  Options options;
  TaskArray arrays[ATP_ARRAYS];
  double optimum = 0;
  bool has_optimum = false;
  StopFlag stop{&context->stop};
  Running running;
};

// "alphas", "omegas", ...
const char *array_name(atp_task_array which);

ATP_HANDLE(atp_task, AnyTask)

// Checks that kinds share.
void require_vector(atp_task_array which, const TaskArray &array, double lowest, double highest);

// The kinds, by science.
namespace replica {
extern const TaskKind kTaskKinds[7];
}  // namespace replica
namespace dotattn {
extern const TaskKind kTaskKinds[6];
}

}  // namespace atp
