// SPDX-License-Identifier: MIT
// A folder of its own for targets that need files: it is the current folder, and empty again after each input.
#pragma once

#include "fuzz.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace atp_fuzz {

// Standard output goes to /dev/null: what commands print there is not looked at.
class Scratch {
 public:
  Scratch() {
    const char *memory = "/dev/shm";
    path_ = std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path().string();
    path_ += "/attopotts-fuzz-XXXXXX";
    check(mkdtemp(path_.data()) != nullptr, "a folder can be made");
    std::filesystem::current_path(path_);
    check(std::freopen("/dev/null", "w", stdout) != nullptr, "there is /dev/null");
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::current_path("/", ignored);
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;

  void write(const std::string &name, std::string_view bytes) const {
    std::ofstream file(path_ + "/" + name, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  void clear() const {
    std::error_code ignored;
    for (const auto &entry : std::filesystem::directory_iterator(path_, ignored)) std::filesystem::remove_all(entry.path(), ignored);
  }

 private:
  std::string path_;
};

// The parts of an input between marks.
inline std::vector<std::string_view> split(std::string_view text, std::string_view mark) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0;;) {
    const std::size_t end = text.find(mark, at);
    parts.push_back(text.substr(at, end == std::string_view::npos ? end : end - at));
    if (end == std::string_view::npos) return parts;
    at = end + mark.size();
  }
}

}  // namespace atp_fuzz
