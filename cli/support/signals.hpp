// SPDX-License-Identifier: MIT
// SIGINT, SIGTERM and SIGHUP: the first asks the running call to stop at its next consistent state. SIGINT or SIGTERM again, more than a
// second later, ends the program at once. SIGHUP stays ignored where it was when the program began.
#pragma once

#include <attopotts.h>

#include <string>

namespace cli {

void install_signal_handlers();
// True once a signal has come.
bool interrupted();

// The file that a signal removes where it ends the program at once; "": none.
void remove_when_ended(const std::string &path);

// While one of these lives, nothing is there that could be kept: a signal ends the program at once, with `text` on stderr and status 130.
// Inside another one, the outer text counts. Throws Failure where a signal has come already.
class EndAtOnce {
 public:
  explicit EndAtOnce(const std::string &text);
  ~EndAtOnce();
  EndAtOnce(const EndAtOnce &) = delete;
  EndAtOnce &operator=(const EndAtOnce &) = delete;

 private:
  bool outermost_ = false;
};

// Within an EndAtOnce: while a file is written, a signal waits. Call stop_if_interrupted() afterwards.
class FinishFirst {
 public:
  FinishFirst();
  ~FinishFirst();
  FinishFirst(const FinishFirst &) = delete;
  FinishFirst &operator=(const FinishFirst &) = delete;

 private:
  const char *words_;
};

// While one of these lives, a signal is handed on to its trainer, network or sampler.
class StopOnSignal {
 public:
  explicit StopOnSignal(atp_trainer *trainer);
  explicit StopOnSignal(atp_transformer *network);
  explicit StopOnSignal(atp_sampler *sampler);
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal &) = delete;
  StopOnSignal &operator=(const StopOnSignal &) = delete;
};

}  // namespace cli
