// SPDX-License-Identifier: MIT
#include "support/csv_table.hpp"

#include "support/files.hpp"

namespace cli {

Table::Table(const Session &session, const std::vector<std::string> &columns) : header_(csv_line(columns)) {
  note(fmt::format("attopotts {}", atp_version_string()));
  note("command: " + session.command_line);
  note(fmt::format("seed: {}", session.seed));
  for (const std::string &text : session.notes) note(text);
}

void Table::note(const std::string &text) { notes_ += csv_note(text); }

void Table::row(const std::vector<std::string> &cells) { rows_ += csv_line(cells); }

void Table::write(const Session &session, const std::string &path) const { write_text(session, path, text()); }

StoredTable read_table(const Session &session, const std::string &path) { return parse_table(read_text(session, path)); }

}  // namespace cli
