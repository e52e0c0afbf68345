// SPDX-License-Identifier: MIT
#include "run/shared_file.hpp"

#include "run/handle_owners.hpp"
#include "run/ranks.hpp"
#include "run/system.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

namespace cli {

namespace {

// What messages call the copies, by their names.
std::map<std::string, std::string> shown_names;

constexpr std::size_t kPiece = std::size_t{1} << 24;  // bytes of a message

// A descriptor that is closed with its owner. Standard streams stay open.
class Descriptor {
 public:
  Descriptor() = default;
  ~Descriptor() {
    if (number_ > STDERR_FILENO) close(number_);
  }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  void set(int number) { number_ = number; }
  int get() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_ = -1;
};

int nameless_file(const std::string &what) {
  const int file = open_nameless();
  if (file < 0) failed("{}: no room for a copy: {}", what, std::strerror(errno));
  return file;
}

// Opens what rank 0 reads.
int open_source(atp_context *context, const std::string &path, const std::string &what) {
  if (path == "-") return STDIN_FILENO;
  const int source = open_file(path, O_RDONLY);
  struct stat status;
  if (source >= 0 && fstat(source, &status) == 0 && !S_ISDIR(status.st_mode)) return source;
  const int reason = errno;
  if (source >= 0) close(source);
  // The library says why, as it does to a process alone.
  Input input;
  check(atp_input_open(context, path.c_str(), out(input)), what);
  wrong_use("{}: cannot be opened: {}", what, std::strerror(reason));
}

bool is_regular(int file) {
  struct stat status;
  return file > STDERR_FILENO && fstat(file, &status) == 0 && S_ISREG(status.st_mode);
}

void write_all(int file, const char *bytes, std::size_t size, const std::string &what) {
  while (size > 0) {
    const ssize_t n = write(file, bytes, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) failed("{}: no room for a copy: {}", what, std::strerror(errno));
    bytes += n;
    size -= static_cast<std::size_t>(n);
  }
}

// Fills the piece as far as the file goes.
int64_t read_piece(int file, std::vector<char> &piece, const std::string &what) {
  std::size_t have = 0;
  while (have < piece.size()) {
    const ssize_t n = read(file, piece.data() + have, piece.size() - have);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) wrong_use("{}: cannot be read: {}", what, std::strerror(errno));
    if (n == 0) break;
    have += static_cast<std::size_t>(n);
  }
  return static_cast<int64_t>(have);
}

}  // namespace

SharedFile::SharedFile(atp_context *context, const std::string &label, const std::string &path) : name_(path) {
  if (!are_several_ranks()) return;
  const std::string what = label + " " + path;
  Descriptor source, copy;
  if (is_first_rank()) source.set(open_source(context, path, what));
  if (!is_regular(source.get())) copy.set(nameless_file(what));
  std::vector<char> piece(kPiece);
  for (int64_t n = 1; n > 0;) {
    if (is_first_rank()) n = read_piece(source.get(), piece, what);
    check(atp_context_broadcast(context, &n, sizeof n, 0), what);
    check(atp_context_broadcast(context, piece.data(), n, 0), what);
    if (copy.get() >= 0) write_all(copy.get(), piece.data(), static_cast<std::size_t>(n), what);
  }
  if (copy.get() < 0) return;
  copy_ = copy.release();
  name_ = fmt::format("/dev/fd/{}", copy_);
  shown_names[name_] = path == "-" ? "standard input" : path;
}

SharedFile::~SharedFile() {
  if (copy_ < 0) return;
  shown_names.erase(name_);
  close(copy_);
}

std::string with_shown_names(std::string text) {
  for (const auto &[name, shown] : shown_names)
    if (const std::size_t place = text.find(name + ":"); place != std::string::npos) text.replace(place, name.size(), shown);
  return text;
}

}  // namespace cli
