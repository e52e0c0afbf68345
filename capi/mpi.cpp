// SPDX-License-Identifier: MIT
// Ranks of MPI: the callbacks of atp_ranks over a duplicate of a communicator.
//
// The duplicate is an attribute of the communicator: the second call with the same one finds it, and MPI frees it
// with the communicator. An attribute of MPI_COMM_SELF, the first that MPI_Finalize deletes, frees the rest. What is
// left of a group is marked closed and kept until the process ends, because contexts still point to it.
//
// Shared bytes are a window of MPI (MPI_Win_allocate_shared) on each machine with several ranks and room for it, and a block of the
// context's allocator elsewhere. The first rank of a machine receives them for all.
#include "handles.hpp"

#include <attopotts_mpi.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <cstring>
#include <new>
#include <utility>

#include <sys/statvfs.h>

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

// Bytes that atp_mpi_share_bytes() has given out.
struct Shared {
  void *bytes = nullptr;
  int64_t size = 0;
  MPI_Win window = MPI_WIN_NULL;  // MPI_WIN_NULL: a block of the context's allocator
  Shared *next = nullptr;
};

// The objects of MPI that this library holds in a process.
struct Library {
  std::mutex lock;
  Group *groups = nullptr;   // all that were made, the last one first
  Shared *shared = nullptr;  // all that are not released
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
  for (std::size_t r = 0; r < static_cast<std::size_t>(group.size); ++r) {
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

// A communicator of one call.
class Comm {
 public:
  Comm() = default;
  ~Comm() {
    if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
  }
  Comm(const Comm &) = delete;
  Comm &operator=(const Comm &) = delete;
  MPI_Comm get() const { return comm_; }
  MPI_Comm *place() { return &comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

// A part of a collective call. It ends on all ranks, or fails on all.
template <class Body>
atp_status together(atp_context *context, Body &&body) noexcept {
  int flag = 0;
  const atp_status status = guarded(core(context), body);
  if (status == ATP_OK) return context == nullptr ? status : atp_context_any(context, &flag);
  char text[256] = "";
  atp_last_error(text, sizeof text);
  if (context != nullptr) atp_context_fail(context, text);
  return status;
}

// The ranks of MPI that a context has; NULL: it has one rank, or the program brings its own callbacks.
Group *mpi_ranks_of(const atp_context *context) {
  const atp_ranks &ranks = core(context)->ranks.callbacks();
  return ranks.size > 1 && ranks.broadcast == broadcast ? static_cast<Group *>(ranks.user) : nullptr;
}

// Whether the memory file system has room. Implementations of MPI find out late: ranks wait for ever, or end by SIGBUS. Where there is no
// such file system, they use another one.
bool room_for(int64_t size) {
  struct statvfs info;
  if (statvfs("/dev/shm", &info) != 0) return true;
  return static_cast<double>(info.f_bavail) * static_cast<double>(info.f_frsize) > 1.05 * static_cast<double>(size) + (1 << 20);
}

// The ranks of one machine; the root of the call is the first of them. Says whether they share a window.
bool find_node(const Group &group, int64_t root, int64_t size, Comm &node) {
  const int key = group.rank == root ? 0 : group.rank + 1;
  int ranks = 1, shares = 0;
  check(MPI_Comm_split_type(group.comm, MPI_COMM_TYPE_SHARED, key, MPI_INFO_NULL, node.place()), "MPI_Comm_split_type");
  check(MPI_Comm_size(node.get(), &ranks), "MPI_Comm_size");
  shares = ranks > 1 && room_for(size) ? 1 : 0;
  check(MPI_Bcast(&shares, 1, MPI_INT, 0, node.get()), "MPI_Bcast");
  return shares != 0;
}

void make_window(MPI_Comm node, int64_t size, Shared &made) {
  int rank = 0, unit = 1;
  MPI_Aint bytes = 0;
  check(MPI_Comm_rank(node, &rank), "MPI_Comm_rank");
  check(MPI_Win_allocate_shared(rank == 0 ? static_cast<MPI_Aint>(size) : 0, 1, MPI_INFO_NULL, node, &made.bytes, &made.window),
        "MPI_Win_allocate_shared");
  check(MPI_Win_set_errhandler(made.window, MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
  check(MPI_Win_shared_query(made.window, 0, &bytes, &unit, &made.bytes), "MPI_Win_shared_query");
}

void take_memory(Context &context, Group *group, int64_t root, Comm &node, Shared &made) {
  if (group != nullptr && find_node(*group, root, made.size, node)) return make_window(node.get(), made.size, made);
  if (group != nullptr)
    context.message(ATP_LOG_INFO, "rank %lld has a copy of its own of %lld bytes: no other rank on this machine, or /dev/shm is full",
                    static_cast<long long>(context.ranks.rank()), static_cast<long long>(made.size));
  made.bytes = context.allocator.allocate(memory_size(made.size));
}

// Gives the bytes of the root to one rank of each window, and to all ranks that have none. The root has them already.
void spread(const Group &group, int64_t root, MPI_Comm node, const Shared &to) {
  int node_rank = 0;
  Comm receivers;
  const bool window = to.window != MPI_WIN_NULL;
  if (window) {
    check(MPI_Comm_rank(node, &node_rank), "MPI_Comm_rank");
    check(MPI_Win_fence(0, to.window), "MPI_Win_fence");
  }
  check(MPI_Comm_split(group.comm, node_rank == 0 ? 0 : MPI_UNDEFINED, group.rank == root ? 0 : group.rank + 1, receivers.place()),
        "MPI_Comm_split");
  if (node_rank == 0)
    check(in_parts(to.size, kMostBytes,
                   [&](int64_t first, int64_t size) {
                     return MPI_Bcast(static_cast<char *>(to.bytes) + first, static_cast<int>(size), MPI_BYTE, 0, receivers.get());
                   }),
          "MPI_Bcast");
  if (window) check(MPI_Win_fence(0, to.window), "MPI_Win_fence");
}

void give_back(Context &context, Shared &shared) noexcept {
  if (shared.window != MPI_WIN_NULL)
    MPI_Win_free(&shared.window);
  else if (shared.bytes != nullptr)
    context.allocator.release(shared.bytes, static_cast<std::size_t>(shared.size));
}

// The place of shared bytes in the list; the place of its end if they are not in it. With the lock held.
Shared **place_of(const void *bytes) {
  Shared **place = &library.shared;
  while (*place != nullptr && (*place)->bytes != bytes) place = &(*place)->next;
  return place;
}

void compare_with_first(atp_context *context, int64_t size, int64_t root, const int64_t *first) {
  if (size == first[0] && root == first[1]) return;
  fail(ATP_E_MISMATCH, "rank %lld has size %lld and root %lld, rank 0 has %lld and %lld", llong{atp_context_rank(context)}, llong{size},
       llong{root}, llong{first[0]}, llong{first[1]});
}

}  // namespace

atp_status atp_mpi_share_bytes(atp_context *context, const void *bytes, int64_t size, int64_t root, const void **out) noexcept {
  Comm node;
  std::unique_ptr<Shared> made;
  Group *group = nullptr;
  int64_t first[2] = {size, root};
  const auto rank_is_root = [&] { return atp_context_rank(context) == root; };
  if (out != nullptr) *out = nullptr;
  atp_status status = together(context, [&] {
    require(context, "context");
    require(out, "out");
    require_range(size, 1, PTRDIFF_MAX, "size");
    require_range(root, 0, core(context)->ranks.size() - 1, "root");
    if (rank_is_root()) require(bytes, "bytes");
    group = mpi_ranks_of(context);
    made = std::make_unique<Shared>();
    made->size = size;
  });
  if (status == ATP_OK) status = atp_context_broadcast(context, first, sizeof first, 0);
  if (status == ATP_OK) status = together(context, [&] { compare_with_first(context, size, root, first); });
  if (status != ATP_OK) return status;
  status = together(context, [&] {
    take_memory(*core(context), group, root, node, *made);
    if (rank_is_root()) std::memcpy(made->bytes, bytes, static_cast<std::size_t>(size));
  });
  if (status == ATP_OK && group == nullptr) status = atp_context_broadcast(context, made->bytes, size, root);
  if (status == ATP_OK && group != nullptr) status = together(context, [&] { spread(*group, root, node.get(), *made); });
  if (status != ATP_OK) {
    give_back(*core(context), *made);
    return status;
  }
  *out = made->bytes;
  const std::lock_guard<std::mutex> hold(library.lock);
  made->next = library.shared;
  library.shared = made.release();
  return ATP_OK;
}

atp_status atp_mpi_release_bytes(atp_context *context, const void *bytes) noexcept {
  std::unique_ptr<Shared> taken;
  const atp_status status = together(context, [&] {
    require(context, "context");
    require(bytes, "bytes");
    const std::lock_guard<std::mutex> hold(library.lock);
    const Shared *found = *place_of(bytes);
    if (found == nullptr) fail(ATP_E_VALUE, "bytes are not those of atp_mpi_share_bytes(), or released already");
    if (found->window != MPI_WIN_NULL) require_running();
  });
  if (status != ATP_OK) return status;
  {
    const std::lock_guard<std::mutex> hold(library.lock);
    Shared **place = place_of(bytes);
    if (*place == nullptr) return ATP_OK;  // another thread has released them meanwhile
    taken.reset(*place);
    *place = taken->next;
  }
  give_back(*core(context), *taken);
  return ATP_OK;
}

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
