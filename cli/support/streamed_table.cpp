// SPDX-License-Identifier: MIT
#include "support/streamed_table.hpp"

#include "support/files.hpp"
#include "support/signals.hpp"

#include <exception>

namespace cli {

namespace {

// What the library asks for the next part, and what next() threw there: no exception goes through the library.
struct Parts {
  const std::function<std::string()> &next;
  std::string text;  // the header first, then the rows of the last call
  bool begun = false;
  std::exception_ptr failure;
};

int64_t next_part(const void **bytes, void *user) {
  Parts &parts = *static_cast<Parts *>(user);
  try {
    stop_if_interrupted();
    if (parts.begun) parts.text = parts.next();
  } catch (...) {
    parts.failure = std::current_exception();
    return -1;
  }
  parts.begun = true;
  *bytes = parts.text.data();
  return static_cast<int64_t>(parts.text.size());
}

}  // namespace

void write_streamed(const Session &session, const std::string &path, const Table &head, const std::function<std::string()> &next) {
  Parts parts{next, head.text(), false, nullptr};
  if (!is_first_rank()) {  // the ranks make the rows together, and one writes them
    const void *unused = nullptr;
    while (next_part(&unused, &parts) > 0) continue;
    if (parts.failure) std::rethrow_exception(parts.failure);
    return;
  }
  require_not_read(path);
  const FinishFirst finish_first;  // the table stops at a signal itself, and leaves no part of it
  const std::string place = path.empty() ? "-" : path;
  const atp_status status = atp_file_write_parts(session.context.get(), place.c_str(), next_part, &parts);
  if (parts.failure) std::rethrow_exception(parts.failure);
  check(status, place);
}

}  // namespace cli
