// SPDX-License-Identifier: MIT
// Messages that are longer than MPI's counts allow. capi/mpi.cpp is compiled for this program with a limit of a few bytes; with an argument
// the program sends that many bytes at once. usage: mpi_parts [BYTES]
#include "handles.hpp"

#include <attopotts_mpi.h>

#include <cstdio>
#include <cstdlib>
#include <sys/statvfs.h>
#include <vector>

using namespace atp;

namespace {

int failures = 0, rank = 0, size = 1;
int64_t calls = 0, broadcasts = 0;
int full = 0;  // whether the memory file system is

void check(bool good, const char *what, int64_t bytes) {
  if (good) return;
  ++failures;
  std::fprintf(stderr, "rank %d: %s of %lld bytes\n", rank, what, static_cast<long long>(bytes));
}

unsigned char byte_at(int64_t place) { return static_cast<unsigned char>(place * 37 % 251 + 1); }

// Every rank knows its own part alone, and gets all.
void gather(Ranks &ranks, const std::vector<int64_t> &ends) {
  const int64_t all = ends.back(), first = rank == 0 ? 0 : ends[static_cast<std::size_t>(rank) - 1];
  std::vector<unsigned char> bytes(static_cast<std::size_t>(all));
  for (int64_t k = first; k < ends[static_cast<std::size_t>(rank)]; ++k) bytes[static_cast<std::size_t>(k)] = byte_at(k);
  ranks.gather(bytes.data(), ends.data());
  bool good = true;
  for (int64_t k = 0; k < all; ++k) good = good && bytes[static_cast<std::size_t>(k)] == byte_at(k);
  check(good, "gather", all);
}

void gather_equal_parts(Ranks &ranks, int64_t bytes) {
  std::vector<int64_t> ends;
  for (int r = 0; r < size; ++r) ends.push_back(ranks.first(r + 1, bytes));
  gather(ranks, ends);
}

// One rank has nothing, another nearly all.
void gather_unequal_parts(Ranks &ranks, int64_t bytes) {
  for (int most = 0; most < size; ++most) {
    std::vector<int64_t> ends;
    for (int r = 0; r < size; ++r) ends.push_back(r < most ? r / 2 : bytes + r / 2);
    gather(ranks, ends);
  }
}

void broadcast(Ranks &ranks, int64_t bytes, int64_t root) {
  std::vector<unsigned char> data(static_cast<std::size_t>(bytes));
  if (root == rank)
    for (int64_t k = 0; k < bytes; ++k) data[static_cast<std::size_t>(k)] = byte_at(k);
  ranks.broadcast(data.data(), bytes, root);
  bool good = true;
  for (int64_t k = 0; k < bytes; ++k) good = good && data[static_cast<std::size_t>(k)] == byte_at(k);
  check(good, "broadcast", bytes);
}

void sum(Ranks &ranks, int64_t count) {
  std::vector<int64_t> values(static_cast<std::size_t>(count));
  for (int64_t k = 0; k < count; ++k) values[static_cast<std::size_t>(k)] = (k - 3) * (int64_t{1} << 40) * (rank + 1);
  ranks.sum(values.data(), count);
  bool good = true;
  for (int64_t k = 0; k < count; ++k)
    good = good && values[static_cast<std::size_t>(k)] == (k - 3) * (int64_t{1} << 40) * size * (size + 1) / 2;
  check(good, "sum", count * 8);
}

// Messages in parts; machines whose memory file system is full, where each rank has a copy.
void share(atp_context *context, int64_t bytes, int64_t root) {
  for (full = 0; full <= 1; ++full) {
    std::vector<unsigned char> own;
    const void *shared = nullptr;
    bool good = true;
    int64_t before = 0, within = 0;
    for (int64_t k = 0; k < bytes && rank == root; ++k) own.push_back(byte_at(k));
    atp_context_memory(context, nullptr, &before);
    broadcasts = 0;
    check(atp_mpi_share_bytes(context, own.data(), bytes, root, &shared) == ATP_OK, "share", bytes);
    atp_context_memory(context, nullptr, &within);
    const bool copy = size == 1 || full != 0;
    check(within - before == (copy ? bytes : 0), "memory of the context for shared bytes", bytes);
    // One for the numbers of bytes and root, one for the decision of the machine, and those of the bytes, which one rank of a machine gets.
    const int64_t parts = (bytes + 6) / 7, first = (16 + 6) / 7;
    check(size == 1 || broadcasts == first + 1 + (copy || rank == root ? parts : 0), "calls of MPI for shared bytes", bytes);
    for (int64_t k = 0; k < bytes && shared != nullptr; ++k) good = good && static_cast<const unsigned char *>(shared)[k] == byte_at(k);
    check(good, "shared bytes", bytes);
    check(atp_mpi_release_bytes(context, shared) == ATP_OK, "release", bytes);
    atp_context_memory(context, nullptr, &within);
    check(within == before, "memory left of shared bytes", bytes);
  }
  full = 0;
}

void share_all(atp_context *context) {
  for (const int64_t bytes : {1, 7, 8, 30})
    for (int64_t root = 0; root < size; ++root) share(context, bytes, root);
}

void all_lengths(Ranks &ranks) {
  for (const int64_t bytes : {1, 2, 6, 7, 8, 14, 15, 30}) {
    calls = 0;
    gather_equal_parts(ranks, bytes);
    // So the limit is in force: else the test would prove nothing.
    check(size == 1 || calls == (bytes + 6) / 7, "calls of MPI for the gather", bytes);
    gather_unequal_parts(ranks, bytes);
    for (int64_t root = 0; root < size; ++root) broadcast(ranks, bytes, root);
    sum(ranks, bytes);
  }
}

}  // namespace

extern "C" int MPI_Allgatherv(const void *from, int count, MPI_Datatype type, void *to, const int *counts, const int *places,
                              MPI_Datatype to_type, MPI_Comm comm) {
  ++calls;
  return PMPI_Allgatherv(from, count, type, to, counts, places, to_type, comm);
}

extern "C" int MPI_Bcast(void *bytes, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  ++broadcasts;
  return PMPI_Bcast(bytes, count, type, root, comm);
}

// Instead of the one of the C library.
extern "C" int statvfs(const char *, struct statvfs *info) noexcept {
  *info = {};
  info->f_frsize = 4096;
  info->f_bavail = full != 0 ? 1 : 1 << 30;
  return 0;
}

int main(int argc, char **argv) {
  atp_context *context = nullptr;
  int all = 0;
  atp_mpi_begin(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  check(atp_context_create(nullptr, nullptr, nullptr, &context) == ATP_OK, "context", 0);
  check(atp_context_set_mpi_world(context) == ATP_OK, "ranks", 0);
  try {
    Ranks &ranks = core(context)->ranks;
    if (argc < 2) {
      all_lengths(ranks);
      share_all(context);
    } else {
      gather_equal_parts(ranks, std::atoll(argv[1]));
      gather_unequal_parts(ranks, std::atoll(argv[1]));
      broadcast(ranks, std::atoll(argv[1]), size - 1);
    }
  } catch (const Error &e) {
    check(false, e.what(), 0);
  }
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  atp_mpi_end();
  atp_context_destroy(context);
  if (rank == 0 && all == 0) std::printf("%d ranks: passed\n", size);
  return all != 0;
}
