// SPDX-License-Identifier: MIT
// The ranks of the program: processes that mpirun or srun has started together. All run the same command and share its work; rank 0 reads,
// writes and speaks for all. Functions marked "collective" are called by all ranks at the same place. Alone, a process is rank 0.
#pragma once

#include "run/errors.hpp"

#include <attopotts/context.h>

#include <cstdint>
#include <functional>
#include <string>

namespace cli {

// A failure that another rank has met first.
class OtherRankFailed : public Failure {
 public:
  using Failure::Failure;
};

// The ranks of this process, from its beginning to its end. There is one object, made before the context.
class RankWorld {
 public:
  // join: begins MPI where a launcher has started several processes. Throws if that is not possible.
  explicit RankWorld(bool join);
  ~RankWorld();
  RankWorld(const RankWorld &) = delete;
  RankWorld &operator=(const RankWorld &) = delete;

  int64_t size() const;
  int64_t on_this_node() const;
  // The context becomes one of the ranks. Fails where MPI knows of other ranks than the launcher.
  void connect(atp_context *context);
  // Runs the command. Where it fails on a rank, it ends on all, with one status. One rank prints the text; what is thrown has none.
  int run(const std::function<int()> &command);

 private:
  int end(int status, const std::string *failure);
};

bool is_first_rank();
bool are_several_ranks();
// Whether the flag is set on any rank; collective.
bool any_rank(bool flag);
// The flag of rank 0, on all ranks; `find` is called on rank 0 alone. Collective.
bool as_first_rank(const std::function<bool()> &find);
// Fails on ranks where `text` is another one than on rank 0; `what` names it. Collective.
void require_same(const std::string &what, const std::string &text);
// Whether a signal has come to any rank; collective.
bool interrupted_anywhere();

// What mpirun and srun tell a process in its environment.

// The number of this process among those that were started together, and of those on this node. Without a launcher one process.
struct Launched {
  int64_t rank = 0, size = 1, local_size = 1;
};
Launched launched();

// The cores that each of `processes` on this machine can use, of the `own` that this one is allowed to use. A launcher that binds processes
// to cores leaves each its share already.
int64_t cores_of_rank(int64_t own, int64_t processes);

// A file that rank 0 reads for all ranks, under a name by which every rank can open it. The other ranks have a copy in memory, and so has
// rank 0 of what can be read only once. A process alone opens the file itself.

class SharedFile {
 public:
  // Collective. `label` names the argument in messages.
  SharedFile(atp_context *context, const std::string &label, const std::string &path);
  ~SharedFile();
  SharedFile(const SharedFile &) = delete;
  SharedFile &operator=(const SharedFile &) = delete;
  const std::string &name() const { return name_; }

 private:
  std::string name_;
  int copy_ = -1;
};

// A text of the library with the names that users know instead of those of copies.
std::string with_shown_names(std::string text);

}  // namespace cli
