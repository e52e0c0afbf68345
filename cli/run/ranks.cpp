// SPDX-License-Identifier: MIT
#include "run/ranks.hpp"

#include "run/session.hpp"
#include "run/signals.hpp"
#include "run/system.hpp"

#include <attopotts/mpi.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iterator>
#include <map>
#include <new>
#include <utility>
#include <vector>

namespace cli {

namespace {

// The functions of the library attopotts_mpi. It is loaded only if a launcher asks for it: MPI brings 50 libraries.
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
  // The same error occurs on all ranks; one of them reports it.
  if (world.rank > 0 && (status != ATP_OK || known != world.size)) throw Failure(kWrongUse, "");
  check(status);
  if (known != world.size)
    wrong_use("started as one of {} ranks, and MPI knows of {}: expected the launcher of the MPI of {}; srun needs its flag --mpi",
              world.size, known, ATP_MPI_LIBRARY);
  world.context = context;
  world.rank = atp_context_rank(context);
}

int RankWorld::run(const std::function<int()> &command) {
  if (world.context == nullptr) return labelled("", command);
  int status = kDone;
  std::string failure;
  bool failed_here = true;
  try {
    status = labelled("", command);
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

namespace {

int64_t number_of(const char *name, int64_t otherwise) {
  const char *text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoll(text, nullptr, 10);
}

// Open MPI; MPICH and Intel MPI; srun, whose variables a batch script has, too, except those of a step.
constexpr const char *kRankVariables[][3] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"},
                                             {"PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS"},
                                             {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_TASKS_PER_NODE"}};

}  // namespace

Launched launched() {
  for (const auto &[rank, size, local_size] : kRankVariables)
    if (std::getenv(rank) != nullptr && std::getenv(size) != nullptr) {
      Launched found;
      found.size = std::max<int64_t>(1, number_of(size, 1));
      found.rank = std::clamp<int64_t>(number_of(rank, 0), 0, found.size - 1);
      found.local_size = std::clamp<int64_t>(number_of(local_size, 1), 1, found.size);
      return found;
    }
  return {};
}

int64_t cores_of_rank(int64_t own, int64_t processes) {
  const bool bound = own < machine_cores();
  return bound ? own : std::max<int64_t>(1, own / processes);
}

namespace {

// What messages call the copies, by their names.
std::map<std::string, std::string> shown_names;

constexpr std::size_t kPiece = std::size_t{1} << 24;  // bytes of a message

// A descriptor that is closed with its owner. Standard streams stay open.
class Descriptor {
 public:
  Descriptor() = default;
  ~Descriptor() {
    if (number_ > STDERR_FILENO) close(number_);
  }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  void set(int number) { number_ = number; }
  int get() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_ = -1;
};

int nameless_file(const std::string &what) {
  const int file = open_nameless();
  if (file < 0) failed("{}: no room for a copy: {}", what, std::strerror(errno));
  return file;
}

// Opens what rank 0 reads.
int open_source(atp_context *context, const std::string &path, const std::string &what) {
  if (path == "-") return STDIN_FILENO;
  const int source = open_file(path, O_RDONLY);
  struct stat status;
  if (source >= 0 && fstat(source, &status) == 0 && !S_ISDIR(status.st_mode)) return source;
  const int reason = errno;
  if (source >= 0) close(source);
  // The library says why, as it does to a process alone.
  Input input;
  check(atp_input_open(context, path.c_str(), out(input)), what);
  wrong_use("{}: cannot be opened: {}", what, std::strerror(reason));
}

bool is_regular(int file) {
  struct stat status;
  return file > STDERR_FILENO && fstat(file, &status) == 0 && S_ISREG(status.st_mode);
}

void write_all(int file, const char *bytes, std::size_t size, const std::string &what) {
  while (size > 0) {
    const ssize_t n = write(file, bytes, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) failed("{}: no room for a copy: {}", what, std::strerror(errno));
    bytes += n;
    size -= static_cast<std::size_t>(n);
  }
}

// Fills the piece as far as the file goes.
int64_t read_piece(int file, std::vector<char> &piece, const std::string &what) {
  std::size_t have = 0;
  while (have < piece.size()) {
    const ssize_t n = read(file, piece.data() + have, piece.size() - have);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) wrong_use("{}: cannot be read: {}", what, std::strerror(errno));
    if (n == 0) break;
    have += static_cast<std::size_t>(n);
  }
  return static_cast<int64_t>(have);
}

}  // namespace

SharedFile::SharedFile(atp_context *context, const std::string &label, const std::string &path) : name_(path) {
  if (!are_several_ranks()) return;
  const std::string what = label + " " + path;
  Descriptor source, copy;
  if (is_first_rank()) source.set(open_source(context, path, what));
  if (!is_regular(source.get())) copy.set(nameless_file(what));
  std::vector<char> piece(kPiece);
  for (int64_t n = 1; n > 0;) {
    if (is_first_rank()) n = read_piece(source.get(), piece, what);
    check(atp_context_broadcast(context, &n, sizeof n, 0), what);
    check(atp_context_broadcast(context, piece.data(), n, 0), what);
    if (copy.get() >= 0) write_all(copy.get(), piece.data(), static_cast<std::size_t>(n), what);
  }
  if (copy.get() < 0) return;
  copy_ = copy.release();
  name_ = fmt::format("/dev/fd/{}", copy_);
  shown_names[name_] = path == "-" ? "standard input" : path;
}

SharedFile::~SharedFile() {
  if (copy_ < 0) return;
  shown_names.erase(name_);
  close(copy_);
}

std::string with_shown_names(std::string text) {
  for (const auto &[name, shown] : shown_names)
    if (const std::size_t place = text.find(name + ":"); place != std::string::npos) text.replace(place, name.size(), shown);
  return text;
}

}  // namespace cli
