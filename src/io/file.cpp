// SPDX-License-Identifier: MIT
#include "io/file.hpp"

#include "data/text.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace atp {

namespace {

constexpr int64_t kLargestPiece = int64_t{1} << 30;  // some systems refuse more in one call
constexpr int64_t kFirstRoom = 1 << 16;
constexpr int64_t kBuffer = 1 << 16;
constexpr int kAttempts = 10000;

// A reason in words. strerror may share its buffer among threads; this message is only shown.
const char *reason_text(int reason) { return std::strerror(reason); }

[[noreturn]] void fail_open(const char *path, const char *what, int reason) {
  fail(ATP_E_OPEN, "%s: cannot %s: %s", ShownPath(path).text, what, reason_text(reason));
}

int flush_to_disk(int descriptor) {
  int status;
  do status = fsync(descriptor);
  while (status != 0 && errno == EINTR);
  // Pipes, and folders of some file systems, cannot be flushed.
  return status != 0 && (errno == EINVAL || errno == ENOTSUP || errno == EROFS) ? 0 : status;
}

}  // namespace

bool is_standard_stream(const char *path) { return std::strcmp(path, "-") == 0; }

InputFile::InputFile(const char *path) : path_(path), descriptor_(STDIN_FILENO) {
  if (!is_standard_stream(path)) {
    descriptor_ = open(path, O_RDONLY | O_CLOEXEC);
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

// Calls read(done, n) for the next n bytes after `done` until all are there or the file ends.
template <class Read>
int64_t InputFile::read_with(Read &&read, int64_t n) {
  int64_t done = 0;
  while (done < n) {
    const ssize_t k = read(done, static_cast<std::size_t>(std::min(n - done, kLargestPiece)));
    if (k == 0) break;
    if (k < 0 && errno == EINTR) continue;
    if (k < 0)
      fail(ATP_E_READ, "%s: reading failed after %lld bytes: %s", ShownPath(path_).text, static_cast<long long>(done), reason_text(errno));
    done += k;
  }
  return done;
}

int64_t InputFile::read(void *out, int64_t n) {
  return read_with([&](int64_t done, std::size_t piece) { return ::read(descriptor_, static_cast<char *>(out) + done, piece); }, n);
}

int64_t InputFile::read_at(int64_t place, void *out, int64_t n) {
  return read_with(
      [&](int64_t done, std::size_t piece) {
        return ::pread(descriptor_, static_cast<char *>(out) + done, piece, static_cast<off_t>(place + done));
      },
      n);
}

int64_t file_size(const char *path) {
  const InputFile file(path);
  if (!file.regular()) fail(ATP_E_OPEN, "%s: not a regular file, its size is not known before it is read", ShownPath(path).text);
  return file.size();
}

void read_file(const char *path, void *bytes, int64_t size) {
  InputFile file(path);
  const auto fail_size = [&](int64_t found) {
    fail(ATP_E_READ, "%s: has %lld bytes, expected %lld", ShownPath(path).text, static_cast<long long>(found),
         static_cast<long long>(size));
  };
  if (file.regular() && file.size() != size) fail_size(file.size());
  const int64_t found = file.read(bytes, size);
  if (found != size) fail_size(found);
}

FileBytes::FileBytes(Context &context, InputFile &file) : allocator_(context.allocator) {
  try {
    // One byte more than a regular file has tells that it ended there.
    grow(file.regular() ? file.size() + 1 : kFirstRoom);
    for (;;) {
      size_ += file.read(static_cast<char *>(memory_) + size_, room_ - size_);
      if (size_ < room_) return;
      grow(room_ * 2);
    }
  } catch (...) {
    allocator_.release(memory_, static_cast<std::size_t>(room_));
    throw;
  }
}

void FileBytes::grow(int64_t room) {
  void *larger = allocator_.allocate(static_cast<std::size_t>(room));
  if (size_ > 0) std::memcpy(larger, memory_, static_cast<std::size_t>(size_));
  allocator_.release(memory_, static_cast<std::size_t>(room_));
  memory_ = larger;
  room_ = room;
}

OutputFile::OutputFile(const char *path) : path_(path) {
  if (is_standard_stream(path)) {
    std::fflush(stdout);
    descriptor_ = STDOUT_FILENO;
    return;
  }
  if (path[0] == 0) fail_open(path, "open for writing", ENOENT);
  struct stat info;
  const bool exists = stat(path, &info) == 0;
  if (!exists && errno != ENOENT) fail_open(path, "open for writing", errno);
  if (exists && S_ISDIR(info.st_mode)) fail_open(path, "open for writing", EISDIR);
  if (exists && access(path, W_OK) != 0) fail_open(path, "open for writing", errno);
  if (exists && !S_ISREG(info.st_mode)) {
    descriptor_ = open(path, O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail_open(path, "open for writing", errno);
    return;
  }
  // realpath() fills target_ without allocating.
  static_assert(kPathSize >= PATH_MAX, "realpath() writes up to PATH_MAX bytes");
  if (!exists || realpath(path, target_) == nullptr) {
    if (std::strlen(path) >= sizeof target_) fail_open(path, "open for writing", ENAMETOOLONG);
    std::strcpy(target_, path);
  }
  mode_ = exists ? info.st_mode & 07777u : 0;
  renames_ = true;
  open_temporary();
}

void OutputFile::open_temporary() {
  const char *slash = std::strrchr(target_, '/');
  const int folder = slash == nullptr ? 0 : static_cast<int>(slash - target_) + 1;
  if (target_[folder] == 0) fail_open(path_, "open for writing", EISDIR);
  for (int k = 0; k < kAttempts; ++k) {
    const int n =
        std::snprintf(temporary_, sizeof temporary_, "%.*s.attopotts-%ld-%d.tmp", folder, target_, static_cast<long>(getpid()), k);
    if (n < 0 || n >= static_cast<int>(sizeof temporary_)) fail_open(path_, "open for writing", ENAMETOOLONG);
    descriptor_ = open(temporary_, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
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
  if (mode_ != 0) (void)!fchmod(descriptor_, mode_);
}

void OutputFile::remove_temporary() noexcept {
  if (temporary_[0] != 0) unlink(temporary_);
  temporary_[0] = 0;
}

OutputFile::~OutputFile() {
  remove_temporary();
  if (descriptor_ >= 0 && !is_standard_stream(path_)) close(descriptor_);
}

const char *OutputFile::temporary() const {
  if (!renames_) fail(ATP_E_OPEN, "%s: not a regular file, as this format needs", ShownPath(path_).text);
  return temporary_;
}

void OutputFile::fail_write(int reason) {
  fail(ATP_E_WRITE, "%s: writing failed%s: %s", ShownPath(path_).text, renames_ ? ", what was there before is unchanged" : "",
       reason_text(reason));
}

void OutputFile::write(const void *bytes, int64_t n) {
  for (int64_t done = 0; done < n;) {
    const ssize_t k =
        ::write(descriptor_, static_cast<const char *>(bytes) + done, static_cast<std::size_t>(std::min(n - done, kLargestPiece)));
    if (k < 0 && errno == EINTR) continue;
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
  if (rename(temporary_, target_) != 0) fail_write(errno);
  temporary_[0] = 0;
  char *slash = std::strrchr(target_, '/');
  if (slash != nullptr) slash[slash == target_ ? 1 : 0] = 0;
  const int folder = open(slash == nullptr ? "." : target_, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;  // a folder that may be written but not read
  const int flushed = flush_to_disk(folder), reason = errno;
  close(folder);
  if (flushed != 0)
    fail(ATP_E_WRITE, "%s: written, but its folder could not be flushed to the disk: %s", ShownPath(path_).text, reason_text(reason));
}

BufferedOutput::BufferedOutput(Context &context, OutputFile &file)
    : file_(file), memory_(context.allocator, Scratch::piece<char>(kBuffer)), buffer_(memory_.arena().take<char>(kBuffer)) {}

void BufferedOutput::put(const void *bytes, int64_t n) {
  if (n > kBuffer - used_) flush();
  if (n > kBuffer) return file_.write(bytes, n);
  std::memcpy(buffer_.data() + used_, bytes, static_cast<std::size_t>(n));
  used_ += n;
}

void BufferedOutput::flush() {
  file_.write(buffer_.data(), used_);
  used_ = 0;
}

}  // namespace atp
