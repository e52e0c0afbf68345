// SPDX-License-Identifier: MIT
#include "run/checkpoint.hpp"

#include "run/files.hpp"
#include "run/named_files.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace cli {

namespace {

constexpr const char *kFirstLine = "attopotts checkpoint 1";
constexpr std::size_t kLastLine = 19;  // "trailer 0123456789\n"
constexpr std::size_t kStateSum = 8;   // a state ends with its checksum

uint64_t fnv1a(std::string_view bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

// The checksum of all bytes except the first part. That part ends with its own checksum, which is included.
std::string checksum_line(std::string_view bytes, std::size_t first_part) {
  return "checksum " + checksum_text(bytes.substr(first_part - std::min(first_part, kStateSum))) + "\n";
}

bool holds_something(const std::string &path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
}

}  // namespace

std::string checksum_text(std::string_view bytes) { return fmt::format("{:016x}", fnv1a(bytes)); }

void CheckpointFlags::check_values() const {
  if (resume && path.empty()) wrong_use("--resume is given without --checkpoint FILE, expected the file of the run to continue");
  if (restart && path.empty()) wrong_use("--restart is given without --checkpoint FILE, expected the file to overwrite");
  if (resume && restart) wrong_use("--resume and --restart are given, expected only one of them");
}

char *CheckpointImage::room(const std::string &name, int64_t size, std::size_t more) {
  const std::size_t place = bytes_.size(), n = static_cast<std::size_t>(size);
  bytes_.reserve(place + n + more + 1024);
  bytes_.resize(place + n);
  parts_.emplace_back(name, n);
  return &bytes_[place];
}

void CheckpointImage::add(const std::string &name, const std::string &bytes) {
  bytes_ += bytes;
  parts_.emplace_back(name, bytes.size());
}

Checkpoint::Checkpoint(const Session &session, std::string command, const CheckpointFlags &flags)
    : session_(session), command_(std::move(command)), path_(flags.path), resume_(flags.resume) {
  if (path_.empty()) return;
  if (path_ == "-") wrong_use("--checkpoint is \"-\", expected the name of a file");
  if (!is_first_rank()) return;
  claim_output("the lock of --checkpoint", path_ + ".lock");
  lock_ = std::make_unique<FileLock>("--checkpoint", path_);
  if (!lock_->warning().empty()) session.say("warning: {}", lock_->warning());
  struct stat status;
  if (resume_ && stat(path_.c_str(), &status) != 0)
    wrong_use("--checkpoint {} is not there, expected an existing checkpoint; omit --resume to start a new run", path_);
  if (resume_) return;
  if (!holds_something(path_)) return;
  const char *kind = nullptr;
  check(atp_file_kind(session.context.get(), path_.c_str(), &kind), "--checkpoint " + path_);
  if (std::string(kind) != "state") wrong_use("--checkpoint {} exists and is no checkpoint, expected another name", path_);
  if (!flags.restart)
    wrong_use("--checkpoint {} holds an earlier run, expected --resume to continue it, --restart to overwrite it, or another name", path_);
}

void Checkpoint::read() {
  if (!resume_) return;
  bytes_ = read_own(session_, path_);
  resumed_ = true;
  const std::size_t size = bytes_.size();
  const char *last = bytes_.data() + size - std::min(size, kLastLine);
  if (size < kLastLine || std::strncmp(last, "trailer ", 8) != 0 || bytes_.back() != '\n') {
    parts_ = {{"state", {0, size}}};
    return;
  }
  const auto damaged = [&](const char *what) { wrong_use("--checkpoint {} is damaged: {}", path_, what); };
  const std::size_t trailer = static_cast<std::size_t>(std::strtoull(last + 8, nullptr, 10));
  if (trailer > size) damaged("its last line does not fit its size");
  std::istringstream lines(bytes_.substr(size - trailer));
  std::string sum, made_by;
  std::size_t place = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t blank = line.find(' ');
    const std::string word = line.substr(0, blank), rest = blank == std::string::npos ? "" : line.substr(blank + 1);
    if (word == "attopotts" && line != kFirstLine) wrong_use("--checkpoint {} is \"{}\", expected \"{}\"", path_, line, kFirstLine);
    if (word == "command") made_by = rest;
    if (word == "phase") phase_ = rest;
    if (word == "checksum") sum = line + "\n";
    if (word != "part") continue;
    const std::size_t end = rest.rfind(' ');
    const std::size_t n = end == std::string::npos ? size : static_cast<std::size_t>(std::strtoull(rest.c_str() + end, nullptr, 10));
    if (n > size - place) damaged("its parts do not fit its size");
    parts_.push_back({rest.substr(0, end), {place, n}});
    place += n;
  }
  if (parts_.empty() || place != size - trailer) damaged("its parts do not fit its size");
  const std::size_t sum_place = size - std::min(size, kLastLine + sum.size());
  if (sum.empty() || bytes_.compare(sum_place, sum.size(), sum) != 0 ||
      checksum_line(std::string_view(bytes_).substr(0, sum_place), parts_[0].second.second) != sum)
    damaged("its checksum does not match");
  if (made_by != command_)
    wrong_use("--checkpoint {} was made by attopotts {}, expected one made by attopotts {}", path_, made_by, command_);
}

std::string_view Checkpoint::part(const std::string &name) const {
  for (const auto &[known, place] : parts_)
    if (known == name) return std::string_view(bytes_).substr(place.first, place.second);
  return {};
}

void Checkpoint::forget() {
  parts_.clear();
  bytes_ = std::string();
}

void Checkpoint::save(CheckpointImage image, const std::string &place) {
  if (!is_first_rank()) return;
  std::string &bytes = image.bytes_;
  const std::size_t begin = bytes.size();
  bytes += fmt::format("{}\ncommand {}\nphase {}\n", kFirstLine, command_, image.phase_);
  for (const auto &[name, size] : image.parts_) bytes += fmt::format("part {} {}\n", name, size);
  bytes += checksum_line(bytes, image.parts_[0].second);
  bytes += fmt::format("trailer {:010}\n", bytes.size() + kLastLine - begin);
  const atp_status status = atp_file_write(session_.context.get(), path_.c_str(), bytes.data(), static_cast<int64_t>(bytes.size()));
  if (status != ATP_OK) return cannot_save(last_error(status));
  failure_.clear();
  saved_place_ = place;
  if (session_.progress == ProgressMode::json)
    to_stderr(fmt::format("{{\"checkpoint\":{},\"phase\":{},\"place\":{}}}\n", json_string(path_), json_string(image.phase_),
                          json_string(place)));
}

void Checkpoint::cannot_save(const std::string &reason) {
  failure_ = reason;
  session_.say("warning: checkpoint not saved: {}; the run continues", reason);
}

std::string Checkpoint::kept() const {
  if (!wanted()) return "no state was saved, because --checkpoint was not given";
  if (failure_.empty()) return fmt::format("state saved in {}, continue with --resume", path_);
  const std::string before = !saved_place_.empty() ? fmt::format("{} has the state {}", path_, saved_place_)
                             : resumed_            ? fmt::format("{} is unchanged", path_)
                                                   : "nothing was saved";
  return fmt::format("the state could not be saved: {}; {}", failure_, before);
}

}  // namespace cli
