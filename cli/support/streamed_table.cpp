// SPDX-License-Identifier: MIT
#include "support/streamed_table.hpp"

#include "support/files.hpp"
#include "support/system.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace cli {

namespace {

constexpr std::size_t kBuffer = 1 << 20;

}  // namespace

// The other constructor ends first: the destructor then removes what was begun where this one fails.
StreamedTable::StreamedTable(std::string path, const Table &head) : StreamedTable(std::move(path)) {
  if (!is_first_rank()) return;
  if (path_.empty() || path_ == "-") {
    file_ = stdout;
  } else {
    if (is_replaced(path_)) part_ = fmt::format("{}.part{}", path_, getpid());
    file_ = std::fopen((part_.empty() ? path_ : part_).c_str(), part_.empty() ? "a" : "w");
  }
  if (file_ == nullptr) fail();
  put(head.text());
}

StreamedTable::~StreamedTable() {
  if (file_ != nullptr && file_ != stdout) std::fclose(file_);
  if (!part_.empty()) std::remove(part_.c_str());
}

void StreamedTable::row(const std::vector<std::string> &cells) {
  if (file_ != nullptr) put(csv_line(cells));
}

void StreamedTable::finish() {
  if (file_ == nullptr) return;
  flush();
  if (std::fflush(file_) != 0 || (!part_.empty() && flush_to_disk(file_) != 0)) fail();
  if (file_ == stdout) return;
  std::FILE *file = file_;
  file_ = nullptr;
  if (std::fclose(file) != 0 || (!part_.empty() && replace_file(part_, path_) != 0)) fail();
  part_.clear();
}

void StreamedTable::put(const std::string &text) {
  buffer_ += text;
  if (buffer_.size() >= kBuffer) flush();
}

void StreamedTable::flush() {
  if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size()) fail();
  buffer_.clear();
  stop_if_interrupted();
}

void StreamedTable::fail() const { failed("{}: {}", path_.empty() || path_ == "-" ? "standard output" : path_, std::strerror(errno)); }

}  // namespace cli
