// SPDX-License-Identifier: MIT
// Ranks of MPI: the callbacks of atp_ranks over a duplicate of a communicator.
//
// The duplicate is an attribute of the communicator: the second call with the same one finds it, and MPI frees it
// with the communicator. An attribute of MPI_COMM_SELF, the first that MPI_Finalize deletes, frees the rest. What is
// left of a group then says that it is closed, because contexts still point to it: it is kept until the process ends.
#include "handles.hpp"

#include <attopotts_mpi.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

using namespace atp;

// Counts of MPI are ints: longer messages are sent in parts of this many bytes. Tests compile this file with a small number.
#ifndef ATP_MPI_MOST_BYTES
#define ATP_MPI_MOST_BYTES (1 << 30)
#endif

namespace {

constexpr int64_t kMostBytes = ATP_MPI_MOST_BYTES;
constexpr int64_t kMostValues = std::max<int64_t>(1, kMostBytes / static_cast<int64_t>(sizeof(int64_t)));
constexpr int kClosed = -1;  // what callbacks return after the communicator was freed

// The ranks of one communicator.
struct Group {
  MPI_Comm comm = MPI_COMM_NULL;  // the duplicate; MPI_COMM_NULL once it is freed
  int rank = 0, size = 1;
  std::unique_ptr<int[]> counts, places;  // of the parts of a gather
  Group *next = nullptr;
};

// What this library has of MPI in a process.
struct Library {
  std::mutex lock;
  Group *groups = nullptr;  // all that were made, the last one first
  int duplicate_key = MPI_KEYVAL_INVALID, finish_key = MPI_KEYVAL_INVALID;
  bool begun = false;  // by atp_mpi_begin()
};

Library library;

void close(Group &group) {
  if (group.comm != MPI_COMM_NULL) MPI_Comm_free(&group.comm);
  group.comm = MPI_COMM_NULL;
}

// A communicator is freed.
int delete_group(MPI_Comm, int, void *value, void *) {
  close(*static_cast<Group *>(value));
  return MPI_SUCCESS;
}

// MPI_Finalize() begins.
int delete_all(MPI_Comm, int, void *, void *) {
  for (Group *group = library.groups; group != nullptr; group = group->next) close(*group);
  MPI_Comm_free_keyval(&library.duplicate_key);
  return MPI_Comm_free_keyval(&library.finish_key);
}

bool running() {
  int begun = 0, ended = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  return begun != 0 && ended == 0;
}

void require_running() {
  int begun = 0, length = 0;
  if (running()) return;
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  MPI_Initialized(&begun);
  MPI_Get_library_version(version, &length);
  fail(ATP_E_STAGE, begun != 0 ? "MPI_Finalize() was called before" : "MPI is not initialised, or not the MPI of libattopotts_mpi: %.60s",
       version);
}

void check(int result, const char *name) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (result == MPI_SUCCESS) return;
  MPI_Error_string(result, text, &length);
  fail(ATP_E_RANK, "%s failed: %s", name, text);
}

// Calls function(first, size) for the parts of a message, until one fails.
template <class Function>
int in_parts(int64_t size, int64_t most, Function &&function) {
  int result = MPI_SUCCESS;
  for (int64_t first = 0; first < size && result == MPI_SUCCESS; first += most) result = function(first, std::min(most, size - first));
  return result;
}

// The part of each rank within bytes first .. first + size - 1 of a gather.
void cut_parts(Group &group, const int64_t *ends, int64_t first, int64_t size) {
  int64_t begin = 0;
  for (int r = 0; r < group.size; ++r) {
    const int64_t end = std::clamp<int64_t>(ends[r] - first, 0, size);
    group.places[r] = static_cast<int>(begin);
    group.counts[r] = static_cast<int>(end - begin);
    begin = end;
  }
}

int gather(void *bytes, const int64_t *ends, void *user) {
  Group &group = *static_cast<Group *>(user);
  if (group.comm == MPI_COMM_NULL) return kClosed;
  return in_parts(ends[group.size - 1], kMostBytes, [&](int64_t first, int64_t size) {
    cut_parts(group, ends, first, size);
    return MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, static_cast<char *>(bytes) + first, group.counts.get(), group.places.get(),
                          MPI_BYTE, group.comm);
  });
}

int sum(int64_t *values, int64_t count, void *user) {
  const Group &group = *static_cast<Group *>(user);
  if (group.comm == MPI_COMM_NULL) return kClosed;
  return in_parts(count, kMostValues, [&](int64_t first, int64_t size) {
    return MPI_Allreduce(MPI_IN_PLACE, values + first, static_cast<int>(size), MPI_INT64_T, MPI_SUM, group.comm);
  });
}

int broadcast(void *bytes, int64_t count, int64_t root, void *user) {
  const Group &group = *static_cast<Group *>(user);
  if (group.comm == MPI_COMM_NULL) return kClosed;
  return in_parts(count, kMostBytes, [&](int64_t first, int64_t size) {
    return MPI_Bcast(static_cast<char *>(bytes) + first, static_cast<int>(size), MPI_BYTE, static_cast<int>(root), group.comm);
  });
}

void make_keys() {
  const std::lock_guard<std::mutex> hold(library.lock);
  if (library.finish_key != MPI_KEYVAL_INVALID) return;
  check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_group, &library.duplicate_key, nullptr), "MPI_Comm_create_keyval");
  check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_all, &library.finish_key, nullptr), "MPI_Comm_create_keyval");
  check(MPI_Comm_set_attr(MPI_COMM_SELF, library.finish_key, nullptr), "MPI_Comm_set_attr");
}

// The number of ranks that have failed.
int64_t failures(MPI_Comm comm, bool failed) {
  int64_t count = failed ? 1 : 0;
  check(MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_INT64_T, MPI_SUM, comm), "MPI_Allreduce");
  return count;
}

// NULL where there is no memory.
std::unique_ptr<Group> allocate_group(MPI_Comm duplicate) {
  std::unique_ptr<Group> group(new (std::nothrow) Group);
  if (group == nullptr) return nullptr;
  group->comm = duplicate;
  check(MPI_Comm_size(duplicate, &group->size), "MPI_Comm_size");
  check(MPI_Comm_rank(duplicate, &group->rank), "MPI_Comm_rank");
  group->counts.reset(new (std::nothrow) int[static_cast<std::size_t>(group->size)]);
  group->places.reset(new (std::nothrow) int[static_cast<std::size_t>(group->size)]);
  return group->counts != nullptr && group->places != nullptr ? std::move(group) : nullptr;
}

Group &make_group(MPI_Comm comm) {
  MPI_Comm duplicate = MPI_COMM_NULL;
  check(MPI_Comm_dup(comm, &duplicate), "MPI_Comm_dup");
  check(MPI_Comm_set_errhandler(duplicate, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  auto group = allocate_group(duplicate);
  if (const int64_t count = failures(duplicate, group == nullptr); count != 0) {
    MPI_Comm_free(&duplicate);
    if (group == nullptr) throw std::bad_alloc();
    fail(ATP_E_RANK, "%lld ranks have no memory", llong{count});
  }
  check(MPI_Comm_set_attr(comm, library.duplicate_key, group.get()), "MPI_Comm_set_attr");
  const std::lock_guard<std::mutex> hold(library.lock);
  group->next = library.groups;
  library.groups = group.release();
  return *library.groups;
}

// The group of a communicator, made at the first call with it.
Group &group_of(MPI_Comm comm) {
  require_running();
  if (comm == MPI_COMM_NULL) fail(ATP_E_NULL, "comm is MPI_COMM_NULL");
  int inter = 0, found = 0;
  check(MPI_Comm_test_inter(comm, &inter), "MPI_Comm_test_inter");
  if (inter != 0) fail(ATP_E_VALUE, "comm is an intercommunicator, must be an intracommunicator");
  make_keys();
  Group *group = nullptr;
  check(MPI_Comm_get_attr(comm, library.duplicate_key, &group, &found), "MPI_Comm_get_attr");
  return found != 0 ? *group : make_group(comm);
}

template <class Find>
atp_status set_mpi(atp_context *context, Find &&find_comm) noexcept {
  atp_ranks ranks{sizeof(atp_ranks), 0, 1, nullptr, gather, sum, broadcast};
  const atp_status status = guarded(core(context), [&] {
    require_running();
    Group &group = group_of(find_comm());
    const int64_t missing = failures(group.comm, context == nullptr);
    require(context, "context");
    if (missing != 0) fail(ATP_E_RANK, "%lld ranks have passed NULL as context", llong{missing});
    ranks.rank = group.rank;
    ranks.size = group.size;
    ranks.user = &group;
  });
  return status == ATP_OK ? atp_context_set_ranks(context, &ranks) : status;
}

}  // namespace

atp_status atp_context_set_mpi(atp_context *context, MPI_Comm comm) noexcept {
  return set_mpi(context, [&] { return comm; });
}

atp_status atp_context_set_mpi_world(atp_context *context) noexcept {
  return set_mpi(context, [] { return MPI_COMM_WORLD; });
}

atp_status atp_context_set_mpi_f(atp_context *context, int handle) noexcept {
  return set_mpi(context, [&] { return MPI_Comm_f2c(static_cast<MPI_Fint>(handle)); });
}

int atp_mpi_begin(int *argc, char ***argv) noexcept {
  int begun = 0, level = 0;
  MPI_Initialized(&begun);
  if (begun != 0) return running() ? 0 : -1;
  const int result = MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &level);
  library.begun = result == MPI_SUCCESS;
  return result;
}

int atp_mpi_end(void) noexcept {
  if (!library.begun || !running()) return 0;
  library.begun = false;
  return MPI_Finalize();
}

void atp_mpi_abort(int status) noexcept {
  if (running()) MPI_Abort(MPI_COMM_WORLD, status);
}

int64_t atp_mpi_node_ranks(void) noexcept {
  MPI_Comm node = MPI_COMM_NULL;
  int size = 0;
  if (!running() || MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node) != MPI_SUCCESS) return 0;
  MPI_Comm_size(node, &size);
  MPI_Comm_free(&node);
  return size;
}
