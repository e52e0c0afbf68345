// SPDX-License-Identifier: MIT
#include "io/file.hpp"

#include "alignment/text.hpp"
#include "io/system_files.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace atp {

namespace {

constexpr int64_t kLargestPiece = int64_t{1} << 30;  // some systems refuse more in one call
constexpr int64_t kBuffer = 1 << 16;
constexpr int kAttempts = 10000;

// The system's text for an error. strerror may share its buffer between threads; this text is only displayed.
const char *reason_text(int reason) { return std::strerror(reason); }

[[noreturn]] void fail_open(const char *path, const char *what, int reason) {
  fail(ATP_E_OPEN, "%s: cannot %s: %s", ShownPath(path).text, what, reason_text(reason));
}

// What the host has printed comes before what is written now. R flushes its own output, and its packages may not name stdout.
void flush_output_of_host() {
#if ATP_FLUSHES_STDOUT
  std::fflush(stdout);
#endif
}

void require_open_for_writing(const char *path, int descriptor) {
  if (const int reason = check_writes(descriptor); reason != 0) fail_open(path, "open for writing", reason);
}

}  // namespace

bool is_standard_stream(const char *path) { return std::strcmp(path, "-") == 0; }

InputFile::InputFile(const char *path) : path_(path), descriptor_(STDIN_FILENO) {
  if (is_standard_stream(path)) {
    use_bytes(descriptor_);
  } else {
    descriptor_ = open_to_read(path);
    if (descriptor_ < 0) fail_open(path, "open for reading", errno);
  }
  struct stat info;
  int reason = fstat(descriptor_, &info) != 0 ? errno : S_ISDIR(info.st_mode) ? EISDIR : 0;
  if (reason != 0) {
    if (!is_standard_stream(path)) close(descriptor_);
    fail_open(path, "open for reading", reason);
  }
  regular_ = S_ISREG(info.st_mode);
  size_ = static_cast<int64_t>(info.st_size);
}

InputFile::~InputFile() {
  if (!is_standard_stream(path_)) close(descriptor_);
}

// Calls read(done, n) for the next n bytes after `done`, until all are read or the file ends.
template <class Read>
int64_t InputFile::read_with(Read &&read, int64_t n) {
  int64_t done = 0;
  while (done < n) {
    const int64_t k = read(done, static_cast<std::size_t>(std::min(n - done, kLargestPiece)));
    if (k == 0) break;
    if (k < 0 && (errno == EINTR || wait_until_ready(descriptor_, false))) continue;
    if (k < 0) fail(ATP_E_READ, "%s: reading failed after %lld bytes: %s", ShownPath(path_).text, llong{done}, reason_text(errno));
    done += k;
  }
  return done;
}

int64_t InputFile::read(void *out, int64_t n) {
  return read_with([&](int64_t done, std::size_t piece) { return ::read(descriptor_, static_cast<char *>(out) + done, piece); }, n);
}

int64_t InputFile::read_at(int64_t place, void *out, int64_t n) {
  return read_with(
      [&](int64_t done, std::size_t piece) { return read_at_place(descriptor_, static_cast<char *>(out) + done, piece, place + done); }, n);
}

void require_regular(const char *path, const char *why) {
  struct stat info;
  const bool found = is_standard_stream(path) ? fstat(STDIN_FILENO, &info) == 0 : stat(path, &info) == 0;
  if (!found) fail_open(path, "open for reading", errno);
  if (S_ISDIR(info.st_mode)) fail_open(path, "open for reading", EISDIR);
  if (!S_ISREG(info.st_mode)) fail(ATP_E_OPEN, "%s: not a regular file, %s", ShownPath(path).text, why);
}

int64_t file_size(const char *path) {
  require_regular(path, "its size is not known before it is read");
  return InputFile(path).size();
}

void read_file(Context &context, const char *path, void *bytes, int64_t size) {
  InputFile file(path);
  const auto fail_size = [&](int64_t found, const char *more) {
    fail(ATP_E_READ, "%s: has %s%lld bytes, expected %lld", ShownPath(path).text, more, llong{found}, llong{size});
  };
  if (file.regular() && file.size() != size) fail_size(file.size(), "");
  const Scratch memory(context.allocator, Scratch::piece<char>(size + 1));
  const Span<char> read = memory.arena().take<char>(size + 1);
  const int64_t found = file.read(read.data(), size + 1);
  if (found != size) fail_size(found, found > size ? "at least " : "");
  if (size > 0) std::memcpy(bytes, read.data(), static_cast<std::size_t>(size));
}

bool require_writable(const char *path) {
  if (is_standard_stream(path)) return false;
  const int named = named_descriptor(path);
  struct stat info;
  if (named >= 0) {
    require_open_for_writing(path, named);
    return false;
  }
  if (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) {
    if (access(path, W_OK) != 0) fail_open(path, "open for writing", errno);
    return false;
  }
  const OutputFile made_and_removed(path);
  return true;
}

OutputFile::OutputFile(const char *path) : path_(path) {
  if (!open_directly()) open_temporary();
}

bool OutputFile::open_directly() {
  if (is_standard_stream(path_)) {
    flush_output_of_host();
    descriptor_ = STDOUT_FILENO;
    use_bytes(descriptor_);
    return true;
  }
  if (path_[0] == 0) fail_open(path_, "open for writing", ENOENT);
  const int named = named_descriptor(path_);
  if (named >= 0) {
    require_open_for_writing(path_, named);
    if (named == STDOUT_FILENO) flush_output_of_host();
    descriptor_ = named;
    return true;
  }
  struct stat info;
  const bool exists = stat(path_, &info) == 0;
  if (!exists && errno != ENOENT) fail_open(path_, "open for writing", errno);
  if (exists && S_ISDIR(info.st_mode)) fail_open(path_, "open for writing", EISDIR);
  if (exists && access(path_, W_OK) != 0) fail_open(path_, "open for writing", errno);
  if (exists && !S_ISREG(info.st_mode)) {
    descriptor_ = open_to_write(path_);
    if (descriptor_ < 0) fail_open(path_, "open for writing", errno);
    return owned_ = true;
  }
  const int reason = follow_links(path_, target_);
  if (reason != 0) fail_open(path_, "open for writing", reason);
  struct stat followed;
  if (exists && (stat(target_, &followed) != 0 || followed.st_ino != info.st_ino || followed.st_dev != info.st_dev))
    fail_open(path_, "open for writing", kStale);  // a link in /proc to a file without a name
  renames_ = owned_ = true;
  replaces_ = exists;
  if (exists) {
    mode_ = info.st_mode & 07777u;
    owner_ = info.st_uid;
    group_ = info.st_gid;
  }
  return false;
}

void OutputFile::open_temporary() {
  const char *slash = last_separator(target_);
  const int folder = slash == nullptr ? 0 : static_cast<int>(slash - target_) + 1;
  if (target_[folder] == 0) fail_open(path_, "open for writing", EISDIR);
  for (int k = 0; k < kAttempts; ++k) {
    const int n =
        std::snprintf(temporary_, sizeof temporary_, "%.*s.attopotts-%ld-%d.tmp", folder, target_, static_cast<long>(getpid()), k);
    if (n < 0 || n >= static_cast<int>(sizeof temporary_)) fail_open(path_, "open for writing", ENAMETOOLONG);
    descriptor_ = open_new(temporary_);
    if (descriptor_ >= 0) break;
    if (errno != EEXIST) {
      const int reason = errno;
      temporary_[0] = 0;
      fail_open(path_, "create a temporary file beside it", reason);
    }
  }
  if (descriptor_ < 0) {
    temporary_[0] = 0;
    fail_open(path_, "create a temporary file beside it", EEXIST);
  }
  if (replaces_) keep_owner_and_mode(descriptor_, owner_, group_, mode_);
}

void OutputFile::remove_temporary() noexcept {
  if (temporary_[0] != 0) unlink(temporary_);
  temporary_[0] = 0;
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0 && owned_) close(descriptor_);
  remove_temporary();  // Windows removes no open file
}

const char *OutputFile::temporary() const {
  if (!renames_) fail(ATP_E_OPEN, "%s: not a regular file, as this format needs", ShownPath(path_).text);
  return temporary_;
}

void OutputFile::fail_write(int reason) {
  const ShownPath shown(is_standard_stream(path_) ? "standard output" : path_);
  fail(ATP_E_WRITE, "%s: writing failed%s: %s", shown.text, renames_ ? ", what was there before is unchanged" : "", reason_text(reason));
}

void OutputFile::write(const void *bytes, int64_t n) {
  for (int64_t done = 0; done < n;) {
    const int64_t k =
        ::write(descriptor_, static_cast<const char *>(bytes) + done, static_cast<std::size_t>(std::min(n - done, kLargestPiece)));
    if (k < 0 && (errno == EINTR || wait_until_ready(descriptor_, true))) continue;
    if (k < 0) fail_write(errno);
    done += k;
  }
}

void OutputFile::commit() {
  if (!renames_) return;
  if (flush_to_disk(descriptor_) != 0) fail_write(errno);
  const int closed = close(descriptor_);
  descriptor_ = -1;
  if (closed != 0 && errno != EINTR) fail_write(errno);
  if (replace_file(temporary_, target_) != 0) fail_write(errno);
  temporary_[0] = 0;
  if (flush_folder_of(target_) != 0)
    fail(ATP_E_WRITE, "%s: written, but its folder could not be flushed to the disk: %s", ShownPath(path_).text, reason_text(errno));
}

BufferedOutput::BufferedOutput(Context &context, const char *path)
    : file_(path), memory_(context.allocator, Scratch::piece<char>(kBuffer)), buffer_(memory_.arena().take<char>(kBuffer)) {}

void BufferedOutput::put(const void *bytes, int64_t n) {
  if (n > kBuffer - used_) flush();
  if (n > kBuffer) return file_.write(bytes, n);
  std::memcpy(buffer_.data() + used_, bytes, static_cast<std::size_t>(n));
  used_ += n;
}

void BufferedOutput::put_integer(int64_t value) {
  char text[32];
  const std::to_chars_result end = std::to_chars(text, text + sizeof text, value);
  put(text, end.ptr - text);
}

void BufferedOutput::put_real(double value, RealStyle style) {
  char text[400], *last = text + sizeof text;
  std::to_chars_result end{};
  switch (style) {
    case RealStyle::exact: end = std::to_chars(text, last, value); break;
    case RealStyle::scientific: end = std::to_chars(text, last, value, std::chars_format::scientific, 20); break;
    case RealStyle::fixed: end = std::to_chars(text, last, value, std::chars_format::fixed, 6); break;
  }
  put(text, end.ptr - text);
}

void BufferedOutput::commit() {
  flush();
  file_.commit();
}

void BufferedOutput::flush() {
  file_.write(buffer_.data(), used_);
  used_ = 0;
}

}  // namespace atp
