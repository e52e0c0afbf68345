// SPDX-License-Identifier: MIT
// The ranks of the program: processes that mpirun or srun has started together. All run the same command and share its work; rank 0 reads,
// writes and speaks for all. Functions marked "collective" are called by all ranks at the same place. Alone, a process is rank 0.
#pragma once

#include "run/errors.hpp"

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

}  // namespace cli
