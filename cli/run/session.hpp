// SPDX-License-Identifier: MIT
// State that all subcommands share: the context, the common flags, messages on stderr.
#pragma once

#include "run/errors.hpp"
#include "run/ranks.hpp"
#include "run/settings.hpp"
#include "text/utf8.hpp"

#include <CLI/CLI.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace cli {

// The library's objects, by the classes of its C++ header.
using Context = attopotts::Context;
using Options = attopotts::Options;
using Input = attopotts::Input;
using Alignment = attopotts::Alignment;
using Model = attopotts::Model;
using Sampler = attopotts::Sampler;
using SamplerRun = attopotts::Sampler;
using SamplingRun = attopotts::Sampling;
using ResultTable = attopotts::Table;
using Task = attopotts::Task;
using Masked = attopotts::replica::Masked;
using Trainer = attopotts::Trainer;

// For the out-parameter of a create call:   check(atp_x_create(..., out(owner)));
template <class Owner>
class Out {
 public:
  using Pointer = decltype(std::declval<Owner &>().get());
  explicit Out(Owner &owner) : owner_(owner) {}
  ~Out() { owner_ = Owner(handle_); }
  Out(const Out &) = delete;
  operator Pointer *() { return &handle_; }

 private:
  Owner &owner_;
  Pointer handle_ = nullptr;
};

template <class Owner>
Out<Owner> out(Owner &owner) {
  return Out<Owner>(owner);
}

enum class ProgressMode { bar, lines, json, none };
inline constexpr std::chrono::seconds kLineInterval{60};  // between two lines of progress

class Session {
 public:
  std::string command_line;
  int64_t seed = 1;
  Settings settings;  // of --set
  bool quiet = false;
  bool json = false;               // tables on standard output are JSON
  bool comments = true;            // tables begin with `#` lines; else these go to a file beside
  std::vector<std::string> notes;  // extra `#` lines of every table: settings that the command line does not show
  ProgressMode progress = ProgressMode::none;
  Context context;
  std::chrono::system_clock::time_point begin = std::chrono::system_clock::now();               // of the run
  mutable std::chrono::steady_clock::time_point line_shown = std::chrono::steady_clock::now();  // the last line of progress
  mutable std::vector<std::string> said;  // all messages so far, also those that --quiet keeps back

  // Prints a message on stderr unless --quiet was given; with --progress json as a JSON object.
  template <class... Args>
  void say(fmt::format_string<Args...> format, Args &&...args) const {
    message(fmt::format(format, std::forward<Args>(args)...));
  }
  void message(const std::string &text) const;
};

}  // namespace cli
