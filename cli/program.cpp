// SPDX-License-Identifier: MIT
#include "program.hpp"

#include "commands/commands.hpp"
#include "support/blis_kernels.hpp"
#include "support/config_file.hpp"
#include "support/launcher.hpp"
#include "support/named_files.hpp"
#include "support/session.hpp"
#include "support/signals.hpp"
#include "support/suggestions.hpp"
#include "support/system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <new>

namespace {

// An error of the parser in one line, with the subcommand and the place of its help.
std::string explain(const CLI::App &app, const CLI::ParseError &error, const std::vector<std::string> &arguments) {
  const std::string first = arguments.size() > 1 ? arguments[1] : "-";
  const auto chosen = app.get_subcommands();
  if (chosen.empty() && (first.empty() || first[0] != '-')) {
    std::vector<std::string> names;
    for (const CLI::App *sub : app.get_subcommands([](const CLI::App *) { return true; })) names.push_back(sub->get_name());
    return fmt::format("\"{}\" is not a subcommand, expected one of {}{}", first, fmt::join(names, ", "), cli::did_you_mean(first, names));
  }
  std::string text = error.what();
  std::replace(text.begin(), text.end(), '\n', ' ');
  // A validator's text follows the flag's name: `--samples: is "0", expected a whole number >= 1`.
  if (const std::size_t colon = text.find(": is "); error.get_name() == "ValidationError" && colon != std::string::npos)
    return text.erase(colon, 1);
  const CLI::App &sub = chosen.empty() ? app : *chosen.front();
  // A misspelt flag leaves a required one out, or its value behind as one argument too many.
  if (const std::string flag = cli::unknown_flag(sub, arguments); !flag.empty())
    text = fmt::format("{} is not a flag of {}{}", flag, sub.get_name(), cli::did_you_mean(flag, cli::flags_of(sub)));
  const std::string name = chosen.empty() ? "attopotts" : "attopotts " + chosen.front()->get_name();
  return fmt::format("{} (expected: see {} --help)", text, name);
}

int run(int argc, char **argv) {
  cli::choose_blis_kernels();
  CLI::App app("Potts models and factored attention: sample, learn and compare.", "attopotts");
  app.set_version_flag("--version", std::string("attopotts ") + atp_version_string());
  app.require_subcommand(1);
  app.footer(
      "attopotts SUBCOMMAND --help explains a subcommand and gives an example; --help-all shows all its flags.\n"
      "Exit status: 0 done, 1 failed, 2 wrong usage or bad input, 3 not converged (the result is written), 130 interrupted.");
  cli::Program program(app, cli::commands());
  std::vector<std::string> arguments(argv, argv + argc);
  program.set_arguments(arguments);
  try {
    arguments = cli::with_config(app, arguments);
    program.set_arguments(arguments);
    cli::refuse_empty(app, arguments);
    // CLI11 takes a list from its end.
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend() - (arguments.empty() ? 0 : 1));
    app.parse(reversed);
    cli::refuse_empty(app, arguments);
  } catch (const cli::Failure &failure) {
    return program.refuse(failure.what());
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0) {  // --help, --version
      if (cli::launched().rank > 0) return cli::kDone;
      app.exit(error);
      if (std::cout.flush()) return cli::kDone;
      cli::failed("standard output: cannot be written");
    }
    return program.refuse(explain(app, error, arguments));
  }
  return program.run();
}

}  // namespace

int cli::run_program(int argc, char **argv) {
  prepare_streams();
  install_terminate_handler();
  install_signal_handlers();
  forget_named_files();
  try {
    return run(argc, argv);
  } catch (const Failure &failure) {
    // Where ranks end together, one of them has the text.
    if (*failure.what() != '\0') to_stderr(fmt::format("attopotts: {}\n", printable(failure.what())));
    return failure.status();
  } catch (const std::bad_alloc &) {
    return out_of_memory();
  } catch (const std::exception &error) {
    to_stderr(fmt::format("attopotts: {}\n", printable(error.what())));
    return kFailed;
  }
}
