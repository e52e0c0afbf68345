// SPDX-License-Identifier: MIT
// Files: reading them whole, and writing them so that the old file stays whole until the new one is.
#pragma once

#include "base/context.hpp"
#include "base/span.hpp"

#include <cstddef>
#include <cstdint>

namespace atp {

inline constexpr std::size_t kPathSize = 4096;  // with the final zero

bool is_standard_stream(const char *path);  // "-"

// An open file descriptor of a file to read; "-" is standard input. Throws ATP_E_OPEN with the system's reason.
class InputFile {
 public:
  explicit InputFile(const char *path);
  ~InputFile();
  InputFile(const InputFile &) = delete;
  InputFile &operator=(const InputFile &) = delete;
  bool regular() const { return regular_; }
  int64_t size() const { return size_; }  // of a regular file
  // Read at most n bytes; less only at the end of the file. Throws ATP_E_READ.
  int64_t read(void *out, int64_t n);
  // The same from a place of a regular file; does not move where read() goes on.
  int64_t read_at(int64_t place, void *out, int64_t n);

 private:
  template <class Read>
  int64_t read_with(Read &&read, int64_t n);
  const char *path_;
  int descriptor_;
  bool regular_ = false;
  int64_t size_ = 0;
};

// The size of a regular file; throws ATP_E_OPEN.
int64_t file_size(const char *path);
// Read a file that must have exactly this size; throws ATP_E_OPEN or ATP_E_READ.
void read_file(const char *path, void *bytes, int64_t size);

// The bytes of a whole file, of any size and kind, in memory of the context.
class FileBytes {
 public:
  FileBytes(Context &context, InputFile &file);
  ~FileBytes() { allocator_.release(memory_, static_cast<std::size_t>(room_)); }
  FileBytes(const FileBytes &) = delete;
  FileBytes &operator=(const FileBytes &) = delete;
  Span<const char> bytes() const { return {static_cast<const char *>(memory_), size_}; }

 private:
  void grow(int64_t room);
  Allocator &allocator_;
  void *memory_ = nullptr;
  int64_t size_ = 0, room_ = 0;
};

// A file that is being written. Regular targets: bytes go to a temporary file in the same folder; commit() flushes it to the disk, renames
// it over the target and flushes the folder; without commit() the temporary is removed. Other targets (a terminal, /dev/null, a pipe) and
// "-" are written to directly. A target that is a symbolic link is followed, and an old file's permissions are kept. Throws ATP_E_OPEN or
// ATP_E_WRITE with the system's reason.
class OutputFile {
 public:
  explicit OutputFile(const char *path);
  ~OutputFile();
  OutputFile(const OutputFile &) = delete;
  OutputFile &operator=(const OutputFile &) = delete;
  void write(const void *bytes, int64_t n);
  void commit();
  // The temporary's path, for a library that writes it by name; throws ATP_E_OPEN where the target is not a regular file.
  const char *temporary() const;

 private:
  void open_temporary();
  void remove_temporary() noexcept;
  [[noreturn]] void fail_write(int reason);
  const char *path_;
  int descriptor_ = -1;
  bool renames_ = false;
  unsigned mode_ = 0;       // permissions of the old file, 0: none
  char target_[kPathSize];  // path with symbolic links followed
  char temporary_[kPathSize] = "";
};

// Small writes collected into large ones.
class BufferedOutput {
 public:
  BufferedOutput(Context &context, OutputFile &file);
  void put(const void *bytes, int64_t n);
  void put(char c) { put(&c, 1); }
  void flush();

 private:
  OutputFile &file_;
  Scratch memory_;
  Span<char> buffer_;
  int64_t used_ = 0;
};

}  // namespace atp
