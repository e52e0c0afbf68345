// SPDX-License-Identifier: MIT
// Penalties and heads that are chosen by the data: the flags, the path, the choice. See selection.h of the library.
#pragma once

#include "run/session.hpp"

#include <optional>
#include <string>

namespace cli {

struct SelectionFlags {
  bool couplings = false, fields = false, heads = false;  // the word auto was given
  std::string path;

  // Adds --path.
  void add(CLI::App *app);
  bool wanted() const { return couplings || heads; }
  // Fails where the flags contradict each other or `options`.
  void check_values(const CLI::App *app, const atp_options *options) const;
};

// "a number or auto": stores the number, or that the word was given.
CLI::Option *add_or_auto(CLI::App *app, const std::string &name, std::optional<double> &value, bool &chosen, atp_option key,
                         const std::string &description);
CLI::Option *add_or_auto(CLI::App *app, const std::string &name, std::optional<int64_t> &value, bool &chosen, atp_option key,
                         const std::string &description);

// Chooses what the flags ask for and sets it in `options`. Says the choice, adds it to the notes of tables, and writes the path. Returns
// the number of heads, 0 for dense couplings. Does nothing and returns 0 where nothing is to be chosen.
int64_t choose_by_data(Session &session, const SelectionFlags &flags, const atp_alignment *data, atp_options *options);

}  // namespace cli
