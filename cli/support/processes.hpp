// SPDX-License-Identifier: MIT
// Runs this program as child processes. They end with SIGTERM if this process ends first (on Linux), and get the signals that it handles.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <string>
#include <vector>

namespace cli {

struct ChildCommand {
  std::vector<std::string> words;        // after the program's name
  std::vector<std::string> environment;  // NAME=VALUE
  std::string folder;                    // "": here
  std::string out, err;                  // files of standard output and error
};

// At most one object at a time, in the main thread. While it exists, signals are handled within wait() only.
class Children {
 public:
  Children();
  // Ends children that still run, with SIGTERM, and waits for them.
  ~Children();
  Children(const Children &) = delete;
  Children &operator=(const Children &) = delete;

  // Throws Failure if the files or the process cannot be made. A child that cannot run its command tells so in `err`, with status 1.
  pid_t start(const ChildCommand &command);
  std::size_t count() const { return running_.size(); }
  // Waits at most some seconds for a child to end. Returns 0 if none did; `status` is that of waitpid().
  pid_t wait(double seconds, int &status);

 private:
  pid_t reap(int &status);

  std::vector<pid_t> running_;
  sigset_t before_;
  struct sigaction child_action_before_;
};

}  // namespace cli
