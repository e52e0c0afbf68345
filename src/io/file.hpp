// SPDX-License-Identifier: MIT
// Files: reading them whole, and writing them so that the old file stays whole until the new one is.
#pragma once

#include "base/context.hpp"
#include "base/span.hpp"
#include "io/path_target.hpp"

#include <cstddef>
#include <cstdint>

namespace atp {

bool is_standard_stream(const char *path);  // "-"

// An open descriptor of a file to read; "-" is standard input. A socket in the file system is connected to; a descriptor of this process
// that cannot be opened again, a socket under /dev/fd say, is used as it is. Throws ATP_E_OPEN with the system's reason.
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

// The size of a regular file; throws ATP_E_OPEN, for what is not one without opening it.
int64_t file_size(const char *path);
// Throws ATP_E_OPEN where a path is not that of a regular file, without opening it; `why` ends the text.
void require_regular(const char *path, const char *why);
// Read a file that must have exactly this size; throws ATP_E_OPEN or ATP_E_READ, and leaves `bytes` alone then.
void read_file(Context &context, const char *path, void *bytes, int64_t size);
// Throw ATP_E_OPEN unless OutputFile could write to this path; tells whether it would replace a regular file. Files are as they were
// afterwards; what is not regular is not opened.
bool require_writable(const char *path);

// A file that is being written. Regular targets: bytes go to a temporary file in the same folder; commit() flushes it to the disk, renames
// it over the target and flushes the folder; without commit() the temporary is removed. Other targets (a terminal, /dev/null, a pipe) and
// "-" are written to directly; a path that leads to a descriptor of this process (/dev/stdout, /dev/fd/N) is written to through it, from
// where it stands. Symbolic links are followed, those that lead nowhere too; an old file's permissions are kept, owner and group where the
// system allows; other hard links of an old file keep what it held. Throws ATP_E_OPEN or ATP_E_WRITE with the system's reason.
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
  bool open_directly();  // false for a regular file, which gets a temporary
  void open_temporary();
  void keep_owner_and_mode();
  void remove_temporary() noexcept;
  [[noreturn]] void fail_write(int reason);
  const char *path_;
  int descriptor_ = -1;
  bool renames_ = false, owned_ = false;  // whether the descriptor is closed at the end
  bool replaces_ = false;                 // an old file, of which these are kept:
  unsigned mode_ = 0, owner_ = 0, group_ = 0;
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
