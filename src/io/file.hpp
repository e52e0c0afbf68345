// SPDX-License-Identifier: MIT
// Reads whole files, and writes files so that the old one stays intact until the new one is complete.
#pragma once

#include "base/context.hpp"
#include "base/span.hpp"
#include "io/system_files.hpp"

#include <cstddef>
#include <cstdint>

namespace atp {

bool is_standard_stream(const char *path);  // "-"

// An open descriptor of a file to read; "-" is standard input. A socket in the file system is connected to. A descriptor of this process
// that cannot be opened again, for example a socket under /dev/fd, is used as it is. Throws ATP_E_OPEN with the system's reason.
class InputFile {
 public:
  explicit InputFile(const char *path);
  ~InputFile();
  InputFile(const InputFile &) = delete;
  InputFile &operator=(const InputFile &) = delete;
  bool regular() const { return regular_; }
  int64_t size() const { return size_; }  // of a regular file
  // Reads at most n bytes; fewer only at the end of the file. Throws ATP_E_READ.
  int64_t read(void *out, int64_t n);
  // The same from a given place of a regular file. Does not move the position of read().
  int64_t read_at(int64_t place, void *out, int64_t n);

 private:
  template <class Read>
  int64_t read_with(Read &&read, int64_t n);
  const char *path_;
  int descriptor_;
  bool regular_ = false;
  int64_t size_ = 0;
};

// The size of a regular file. Throws ATP_E_OPEN for other files, without opening them.
int64_t file_size(const char *path);
// Throws ATP_E_OPEN if a path is not that of a regular file, without opening it. `why` ends the text.
void require_regular(const char *path, const char *why);
// Reads a file that must have exactly this size. Throws ATP_E_OPEN or ATP_E_READ, and then does not change `bytes`.
void read_file(Context &context, const char *path, void *bytes, int64_t size);
// Throws ATP_E_OPEN if OutputFile could not write to this path. Returns whether it would replace a regular
// file. Changes no file, and opens only regular files.
bool require_writable(const char *path);

// A file that is being written. Throws ATP_E_OPEN or ATP_E_WRITE with the system's reason.
//
// Regular targets: bytes go to a temporary file in the same folder. commit() flushes it to the disk, renames it over the target and flushes
// the folder. Without commit() the temporary file is removed. An old file's permissions are kept, and its owner and group if the system
// allows. Other hard links of an old file keep the old contents. Symbolic links are followed, also dangling ones.
//
// Other targets (a terminal, /dev/null, a pipe) and "-" are written to directly. A path to a descriptor of this
// process (/dev/stdout, /dev/fd/N) is written through that descriptor, from its current position.
class OutputFile {
 public:
  explicit OutputFile(const char *path);
  ~OutputFile();
  OutputFile(const OutputFile &) = delete;
  OutputFile &operator=(const OutputFile &) = delete;
  void write(const void *bytes, int64_t n);
  void commit();
  // The path of the temporary file, for a library that writes it by name. Throws ATP_E_OPEN if the target is not a regular file.
  const char *temporary() const;

 private:
  bool open_directly();  // returns false for a regular file, which gets a temporary one
  void open_temporary();
  void remove_temporary() noexcept;
  [[noreturn]] void fail_write(int reason);
  const char *path_;
  int descriptor_ = -1;
  bool renames_ = false, owned_ = false;  // whether the descriptor is closed at the end
  bool replaces_ = false;                 // whether there is an old file, of which these are kept:
  unsigned mode_ = 0, owner_ = 0, group_ = 0;
  char target_[kPathSize];  // path with symbolic links followed
  char temporary_[kPathSize] = "";
};

// How a real number is written, whatever the locale is. exact: the shortest text that reads back as the same double. scientific: as
// "%.20e", which also reads back as the same double. fixed: as "%f".
enum class RealStyle { exact, scientific, fixed };

// A file of many small pieces, which are collected into large ones.
class BufferedOutput {
 public:
  BufferedOutput(Context &context, const char *path);
  void put(const void *bytes, int64_t n);
  void put(char c) { put(&c, 1); }
  void put_integer(int64_t value);
  void put_real(double value, RealStyle style);
  void commit();  // writes the rest, then as OutputFile

 private:
  void flush();
  OutputFile file_;
  Scratch memory_;
  Span<char> buffer_;
  int64_t used_ = 0;
};

}  // namespace atp
