// SPDX-License-Identifier: MIT
#include "run/ranks.hpp"

#include "run/handle_owners.hpp"
#include "run/launcher.hpp"
#include "run/session.hpp"
#include "run/signals.hpp"
#include "run/system.hpp"

#include <attopotts/mpi.h>

#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

namespace cli {

namespace {

// What the library attopotts_mpi has. It is loaded only where a launcher asks for it: MPI brings 50 libraries.
struct MpiLibrary {
  decltype(&atp_mpi_begin) begin = nullptr;
  decltype(&atp_mpi_end) end = nullptr;
  decltype(&atp_mpi_abort) abort = nullptr;
  decltype(&atp_mpi_node_ranks) node_ranks = nullptr;
  decltype(&atp_context_set_mpi_world) set_world = nullptr;
};

// Of the one command that a process runs.
struct World {
  MpiLibrary mpi;
  atp_context *context = nullptr;
  int64_t rank = 0, size = 1, on_node = 1;
} world;

template <class Function>
void find(void *library, const char *name, Function &function) {
  function = reinterpret_cast<Function>(find_symbol(library, name));
  if (function == nullptr) wrong_use("{} has no {}, expected the library of this program: {}", ATP_MPI_LIBRARY, name, library_error());
}

MpiLibrary load_mpi(int64_t size) {
  void *library = load_library(ATP_MPI_LIBRARY);
  if (library == nullptr)
    wrong_use(
        "started as one of {} ranks, and {} cannot be loaded ({}); expected a build with MPI, or --mpi off for processes on their own",
        size, ATP_MPI_LIBRARY, library_error());
  MpiLibrary mpi;
  find(library, "atp_mpi_begin", mpi.begin);
  find(library, "atp_mpi_end", mpi.end);
  find(library, "atp_mpi_abort", mpi.abort);
  find(library, "atp_mpi_node_ranks", mpi.node_ranks);
  find(library, "atp_context_set_mpi_world", mpi.set_world);
  return mpi;
}

// MPI begins when all ranks are there, and waits for one that never comes. After this time a line says so.
constexpr unsigned kPatience = 30;  // seconds
char waiting_line[512];             // of the signal handler, which may not format

void say_waiting() { (void)!write(STDERR_FILENO, waiting_line, std::strlen(waiting_line)); }

int begin_mpi(const MpiLibrary &mpi, const Launched &found) {
  // Not format_to_n(): with clang it asks libfmt, built by GCC, for a symbol of another name.
  const std::string line = fmt::format(
      "attopotts: rank {} of {} on {} waits in MPI for the others; one with --mpi off, or one that has ended, makes them wait for ever\n",
      found.rank, found.size, host_name());
  waiting_line[line.copy(waiting_line, sizeof waiting_line - 1)] = '\0';
  // The missing one may be rank 0.
  const bool speaks = found.rank <= 1;
  if (speaks) call_after(kPatience, say_waiting);
  const int error = mpi.begin(nullptr, nullptr);
  if (speaks) call_after(0, nullptr);
  return error;
}

}  // namespace

RankWorld::RankWorld(bool join) {
  const Launched found = launched();
  if (!join || found.size == 1) return;
  world.rank = found.rank;
  if (found.rank > 0) {
    mute_last_words();
    if (std::freopen("/dev/null", "w", stdout) == nullptr) failed("/dev/null: cannot be opened");
  }
  world.mpi = load_mpi(found.size);
  if (const int error = begin_mpi(world.mpi, found); error != 0) failed("MPI does not begin: its error is {}", error);
  world.size = found.size;
  world.on_node = world.mpi.node_ranks();
}

RankWorld::~RankWorld() {
  world.context = nullptr;
  if (world.mpi.end != nullptr) world.mpi.end();
}

int64_t RankWorld::size() const { return world.size; }

int64_t RankWorld::on_this_node() const { return world.on_node; }

void RankWorld::connect(atp_context *context) {
  if (world.size == 1) return;
  const atp_status status = world.mpi.set_world(context);
  const int64_t known = atp_context_rank_count(context);
  // What is wrong here is wrong on all ranks: one of them speaks.
  if (world.rank > 0 && (status != ATP_OK || known != world.size)) throw Failure(kWrongUse, "");
  check(status);
  if (known != world.size)
    wrong_use("started as one of {} ranks, and MPI knows of {}: expected the launcher of the MPI of {}; srun needs its flag --mpi",
              world.size, known, ATP_MPI_LIBRARY);
  world.context = context;
  world.rank = atp_context_rank(context);
}

int RankWorld::run(const std::function<int()> &command) {
  if (world.context == nullptr) return command();
  int status = kDone;
  std::string failure;
  bool failed_here = true;
  try {
    status = command();
    failed_here = false;
  } catch (const OtherRankFailed &) {
  } catch (const Failure &of_command) {
    status = of_command.status();
    failure = of_command.what();
  } catch (const std::bad_alloc &) {
    status = kWrongUse;
    failure = "out of memory, expected a smaller input or more memory";
  } catch (const std::exception &error) {
    status = kFailed;
    failure = error.what();
  }
  return end(status, failed_here ? &failure : nullptr);
}

// failure: of this rank; "" where another one has failed.
int RankWorld::end(int status, const std::string *failure) {
  const bool own = failure != nullptr && !failure->empty();
  if (own) atp_context_fail(world.context, failure->c_str());
  int one_failed = failure != nullptr ? 1 : 0;
  // Each call can end because yet another rank tells of its failure.
  int tries = 0;
  while (atp_context_any(world.context, &one_failed) != ATP_OK) {
    one_failed = 1;
    if (++tries > 2 * world.size) world.mpi.abort(kFailed);
  }
  if (one_failed == 0) return status;
  int64_t speaker = world.size, count = 0;
  int32_t ended = kFailed;
  for (int64_t rank = world.size - 1; rank >= 0; --rank) {
    int32_t of_rank[2] = {own ? 1 : 0, status};
    if (atp_context_broadcast(world.context, of_rank, sizeof of_rank, rank) != ATP_OK) world.mpi.abort(kFailed);
    if (of_rank[0] == 0) continue;
    speaker = rank;
    ended = of_rank[1];
    ++count;
  }
  if (speaker == world.rank) {
    // A failure of all is one of the command: no rank is to blame. The line is out before MPI ends: then the launcher may end this rank.
    const std::string blamed = count == world.size ? "" : fmt::format("rank {} on {}: ", world.rank, host_name());
    const std::string line = fmt::format("attopotts: {}{}\n", blamed, printable(*failure));
    to_stderr(line);
  }
  throw Failure(ended, "");
}

bool is_first_rank() { return world.rank == 0; }

bool are_several_ranks() { return world.context != nullptr; }

bool any_rank(bool flag) {
  if (!are_several_ranks()) return flag;
  int any = flag ? 1 : 0;
  check(atp_context_any(world.context, &any));
  return any != 0;
}

bool as_first_rank(const std::function<bool()> &find) { return any_rank(is_first_rank() && find()); }

void require_same(const std::string &what, const std::string &text) {
  if (!are_several_ranks()) return;
  int64_t size = static_cast<int64_t>(text.size());
  check(atp_context_broadcast(world.context, &size, sizeof size, 0));
  std::string first = text;
  first.resize(static_cast<std::size_t>(size));
  check(atp_context_broadcast(world.context, first.data(), size, 0));
  if (first != text) wrong_use("{} are {}, those of rank 0 are {}, expected the same", what, text, first);
}

bool interrupted_anywhere() { return any_rank(interrupted()); }

}  // namespace cli
