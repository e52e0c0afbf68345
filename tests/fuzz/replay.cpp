// SPDX-License-Identifier: MIT
// Runs a fuzz target on every input of the given archives (tools/fuzz/corpus.py) and folders, and on cuts of each: a fuzzer's corpus as an
// ordinary test, with any compiler. Inputs whose name begins with must_fail must be refused, the others accepted. Inputs whose name is 40
// hexadecimal digits were found by a fuzzer (tools/fuzz/fuzz.sh): they may be either, and are not cut.
#include "fuzz.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr size_t kCuts = 150;  // at most so many cuts of a file

using Inputs = std::map<std::string, std::string>;

std::string contents(const std::filesystem::path &path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error(path.string() + " cannot be read");
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

// An archive of the format ustar: for each file a header of 512 bytes, then its bytes, filled up to 512.
Inputs unpacked(const std::filesystem::path &path) {
  constexpr size_t block = 512, size_at = 124, size_length = 11, magic_at = 257;
  const std::string archive = contents(path);
  Inputs inputs;
  for (size_t place = 0; place + block <= archive.size() && archive[place] != 0;) {
    if (archive.compare(place + magic_at, 5, "ustar") != 0)
      throw std::runtime_error(path.string() + " is not an archive of the format ustar");
    const size_t size = std::stoull(archive.substr(place + size_at, size_length), nullptr, 8), begin = place + block;
    if (size > archive.size() - begin) throw std::runtime_error(path.string() + " ends within an input");
    inputs[archive.c_str() + place] = archive.substr(begin, size);
    place = begin + (size + block - 1) / block * block;
  }
  return inputs;
}

Inputs inputs_of(const std::filesystem::path &path) {
  if (!std::filesystem::is_directory(path)) return unpacked(path);
  Inputs inputs;
  for (const auto &entry : std::filesystem::directory_iterator(path)) inputs[entry.path().filename().string()] = contents(entry.path());
  return inputs;
}

// Runs the target on memory that ends where the input ends, as libFuzzer hands it out. An empty input has an address, too.
void run(const std::string &bytes, size_t size) {
  std::vector<uint8_t> exact(bytes.begin(), bytes.begin() + std::ptrdiff_t(size));
  exact.shrink_to_fit();
  LLVMFuzzerTestOneInput(size == 0 ? reinterpret_cast<const uint8_t *>(bytes.c_str()) : exact.data(), size);
}

bool was_found(const std::string &name) { return name.size() == 40 && name.find_first_not_of("0123456789abcdef") == std::string::npos; }

bool must_fail(const std::string &name) { return name.rfind("must_fail", 0) == 0; }

}  // namespace

int main(int argc, char **argv) {
  size_t count = 0, runs = 0, wrong = 0;
  for (int k = 1; k < argc; ++k) {
    for (const auto &[name, bytes] : inputs_of(argv[k])) {
      atp_fuzz::accepted = false;
      run(bytes, bytes.size());
      ++count;
      ++runs;
      if (was_found(name)) continue;
      if (atp_fuzz::accepted == must_fail(name)) {
        std::fprintf(stderr, "%s of %s was %s\n", name.c_str(), argv[k], atp_fuzz::accepted ? "accepted" : "refused");
        ++wrong;
      }
      const size_t step = bytes.size() / kCuts + 1;
      for (size_t n = 0; n < bytes.size(); n += step, ++runs) run(bytes, n);
    }
  }
  std::printf("%zu files, %zu runs\n", count, runs);
  if (count == 0) std::fprintf(stderr, "no corpus: nothing was tried\n");
  return count == 0 || wrong != 0;
}
