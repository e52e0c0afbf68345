// SPDX-License-Identifier: MIT
// Runs this program as child processes. They end with SIGTERM if this process ends first (on Linux), and get the signals that it handles.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

namespace cli {

struct ChildCommand {
  std::vector<std::string> words;        // after the program's name
  std::vector<std::string> environment;  // NAME=VALUE
  std::string folder;                    // "": here
  std::string out, err;                  // files of standard output and error
};

// How a child ended.
struct ChildEnd {
  int code = -1;        // its exit status; -1: a signal ended it
  std::string signal;   // the name of that signal, "" without one
  bool asked = false;   // that signal asks a program to end
  bool killed = false;  // that signal is SIGKILL
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
  // Waits at most some seconds for a child to end. Returns 0 if none did.
  pid_t wait(double seconds, ChildEnd &end);

 private:
  struct System;  // what the system needs to know of it
  pid_t reap(ChildEnd &end);

  std::vector<pid_t> running_;
  std::unique_ptr<System> system_;
};

}  // namespace cli
