// SPDX-License-Identifier: MIT
// The checkpoint of a run: saved states of the library and the program's own data in one file, so that they always agree.
//
//     state of the library | more parts | text: "attopotts checkpoint 1", command, phase, names and sizes of the parts, checksum, size of
//     this text
//
// A file without the text at its end is a bare state, as atp_file_write() writes it.
#pragma once

#include "run/named_files.hpp"
#include "run/session.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cli {

// The flags of a checkpoint.
struct CheckpointFlags {
  std::string path;
  double interval = 30;  // seconds between checkpoints
  bool resume = false, restart = false;
  void add(CLI::App *app);
  // Fail where the flags contradict each other.
  void check_values() const;
};

// A checksum in 16 hexadecimal digits.
std::string checksum_text(std::string_view bytes);

// The content of a file: its parts in order. The first is a state of the library.
class CheckpointImage {
 public:
  explicit CheckpointImage(std::string phase) : phase_(std::move(phase)) {}
  // Returns `size` bytes for a part, valid until the next call. `more` bytes will follow.
  char *room(const std::string &name, int64_t size, std::size_t more = 0);
  void add(const std::string &name, const std::string &bytes);

 private:
  friend class Checkpoint;
  std::string phase_, bytes_;
  std::vector<std::pair<std::string, std::size_t>> parts_;
};

class Checkpoint {
 public:
  // Locks the file. Fails with --resume if there is no file, and without --resume and --restart if it contains an earlier run.
  Checkpoint(const Session &session, std::string command, const CheckpointFlags &flags);

  bool wanted() const { return !path_.empty(); }
  const std::string &path() const { return path_; }

  // With --resume, reads the file: then resumed(), phase() and part() have values ("" for a missing part).
  void read();
  bool resumed() const { return resumed_; }
  const std::string &phase() const { return phase_; }
  std::string_view part(const std::string &name) const;
  void forget();  // frees the parts

  // Writes the file. A failed write is a warning, and failure() describes it until a later write succeeds.
  void save(CheckpointImage image, const std::string &place);
  void cannot_save(const std::string &reason);
  const std::string &failure() const { return failure_; }
  // "state saved in c, continue with --resume", or a description of the file as it is.
  std::string kept() const;

 private:
  const Session &session_;
  std::string command_, path_;
  std::unique_ptr<FileLock> lock_;
  bool resume_ = false, resumed_ = false;
  std::string phase_, bytes_, saved_place_, failure_;
  std::vector<std::pair<std::string, std::pair<std::size_t, std::size_t>>> parts_;  // name, place, size
};

}  // namespace cli
