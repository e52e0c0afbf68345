// SPDX-License-Identifier: MIT
// Runs a fuzz target on every file of the given folders, and on cuts of each: a fuzzer's corpus as an ordinary test, with any compiler.
// Files whose name begins with must_fail must be refused, the others accepted. Files with 40 hexadecimal digits as names were found by a
// fuzzer (tools/fuzz/fuzz.sh): they may be either, and are not cut.
#include "fuzz.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

constexpr size_t kCuts = 150;  // at most so many cuts of a file

// Memory that ends where the input ends, as libFuzzer hands it out.
void run(const uint8_t *data, size_t size) {
  std::vector<uint8_t> exact(data, data + size);
  exact.shrink_to_fit();
  LLVMFuzzerTestOneInput(size == 0 ? data : exact.data(), size);
}

bool was_found(const std::string &name) { return name.size() == 40 && name.find_first_not_of("0123456789abcdef") == std::string::npos; }

}  // namespace

int main(int argc, char **argv) {
  size_t files = 0, runs = 0, wrong = 0;
  for (int k = 1; k < argc; ++k) {
    std::vector<std::filesystem::path> paths;
    for (const auto &entry : std::filesystem::directory_iterator(argv[k])) paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    for (const std::filesystem::path &path : paths) {
      std::ifstream stream(path, std::ios::binary);
      std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
      const size_t size = bytes.size();
      bytes.push_back(0);
      atp_fuzz::accepted = false;
      run(bytes.data(), size);
      ++files;
      ++runs;
      if (was_found(path.filename().string())) continue;
      if (atp_fuzz::accepted == (path.filename().string().rfind("must_fail", 0) == 0)) {
        std::fprintf(stderr, "%s was %s\n", path.c_str(), atp_fuzz::accepted ? "accepted" : "refused");
        ++wrong;
      }
      const size_t step = size / kCuts + 1;
      for (size_t n = 0; n < size; n += step, ++runs) run(bytes.data(), n);
    }
  }
  std::printf("%zu files, %zu runs\n", files, runs);
  if (files == 0) std::fprintf(stderr, "no corpus: nothing was tried\n");
  return files == 0 || wrong != 0;
}
