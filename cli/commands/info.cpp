// SPDX-License-Identifier: MIT
// attopotts info: version, features, SIMD target, BLIS kernels, threads.
#include "commands/commands.hpp"

#include "structures/structure.hpp"
#include "run/files.hpp"
#include "run/memory.hpp"
#include "flags/presets.hpp"
#include "flags/validators.hpp"
#include "run/session.hpp"

#include <vector>

namespace cli {

namespace {

struct InfoFlags {
  std::string what;
};

int run_info(Session &session, const InfoFlags &flags) {
  if (flags.what == "presets") {
    write_text(session, "-", presets_table());
    return kDone;
  }
  std::vector<std::string> targets;
  for (int64_t k = 0; atp_simd_target(k) != nullptr; ++k) targets.emplace_back(atp_simd_target(k));
  std::vector<std::pair<std::string, bool>> features;
  for (const char *name : {"threads", "hdf5", "zlib", "msgpack", "blis", "lapack"}) features.emplace_back(name, atp_has_feature(name) != 0);
  features.emplace_back("structures", has_structures());
  std::string text, list;
  const int64_t limit = session.context.memory_limit();
  const double available = available_memory(session);
  if (session.json) {
    text = fmt::format("{{\"version\":{},\"abi\":{},\"features\":{{", json_string(atp_version_string()), atp_abi_version());
    for (const auto &[name, there] : features) list += fmt::format("{}\"{}\":{}", list.empty() ? "" : ",", name, there ? "true" : "false");
    text += list + fmt::format("}},\"simd\":{},\"simd_targets\":[", json_string(session.context.simd()));
    list.clear();
    for (const std::string &name : targets) list += (list.empty() ? "" : ",") + json_string(name);
    text += list + fmt::format("],\"threads\":{},\"memory_limit\":{},\"memory_available\":{},\"blas\":{}}}\n", session.context.threads(),
                               limit, available < 0 ? "null" : fmt::format("{:.0f}", available), json_string(atp_blas_description()));
  } else {
    text = fmt::format("version       {} (binary interface {})\n", atp_version_string(), atp_abi_version());
    for (const auto &[name, there] : features) list += fmt::format(" {}{}", there ? "" : "no-", name);
    text += "features     " + list + "\n";
    text += fmt::format("SIMD target   {} (here:", session.context.simd());
    for (const std::string &name : targets) text += " " + name;
    text += fmt::format(")\nthreads       {}\nmemory        {}{}\nlinear algebra {}\n", session.context.threads(),
                        available < 0 ? "no limit" : memory_text(available) + " available",
                        limit == 0 ? "" : fmt::format(" (limit {})", memory_text(static_cast<double>(limit))), atp_blas_description());
  }
  write_text(session, "-", text);
  return kDone;
}

void add_info(CLI::App *app, InfoFlags *flags) {
  app->add_option("WHAT", flags->what,
                  "presets: the settings of each program that --like of learn and contacts accepts, as CSV: preset,flag,value")
      ->check(one_of({"presets"}));
}

}  // namespace

const Command kInfoCommand = {"info",     "print version, features, SIMD target, BLIS kernels and threads",
                              kOfProgram, "attopotts info --json",
                              nullptr,    with_flags<InfoFlags, add_info, run_info>};

}  // namespace cli
