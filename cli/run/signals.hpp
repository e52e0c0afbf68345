// SPDX-License-Identifier: MIT
// Handles SIGINT, SIGTERM and SIGHUP. The first signal asks the running call to stop at its next consistent state. A second SIGINT or
// SIGTERM, more than a second later, ends the program at once. SIGHUP stays ignored if it was ignored at the start.
#pragma once

#include <attopotts.h>

#include <sys/types.h>

#include <string>

namespace cli {

void install_signal_handlers();
// Ends the program with a line and a status where memory runs out in a function that must not throw. CLI11 has such functions.
void install_terminate_handler();
// True once a signal has arrived.
bool interrupted();

// The child process that gets every signal that this program handles, at once; 0: none.
void forward_signals_to(pid_t child);

// The file, open as `descriptor`, that is removed when a signal ends the program at once; "": none.
void remove_when_ended(const std::string &path, int descriptor);

// While an object of this class exists, there is nothing to save: a signal ends the program at once, with `text` on stderr and status 130.
// The text of an outer object wins, if it has one of its own. Throws Failure if a signal has already arrived.
class EndAtOnce {
 public:
  EndAtOnce();
  explicit EndAtOnce(const std::string &text);
  ~EndAtOnce();
  EndAtOnce(const EndAtOnce &) = delete;
  EndAtOnce &operator=(const EndAtOnce &) = delete;

 private:
  const char *outer_;
};

// Within an EndAtOnce: while a file is written, a signal waits, and ends the program when it is written.
class FinishFirst {
 public:
  FinishFirst();
  ~FinishFirst();
  FinishFirst(const FinishFirst &) = delete;
  FinishFirst &operator=(const FinishFirst &) = delete;

 private:
  const char *words_;
};

// EndAtOnce ends without its text: another process prints it.
void mute_last_words();

// While an object of this class exists, a signal stops its trainer or sampling run.
class StopOnSignal {
 public:
  explicit StopOnSignal(atp_trainer *trainer);
  explicit StopOnSignal(atp_sampling *run);
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal &) = delete;
  StopOnSignal &operator=(const StopOnSignal &) = delete;
};

}  // namespace cli
