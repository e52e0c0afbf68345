// SPDX-License-Identifier: MIT
// Files of distances: the first byte is the number of sites, the sign of their first number in its top bit, the others are the file.
#include "fuzz.hpp"

#include "io/distance_files.hpp"

#include <cmath>
#include <vector>

using namespace atp;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 1) return 0;
  const int64_t sites = 2 + data[0] % 16;
  const Text text{{reinterpret_cast<const char *>(data) + 1, static_cast<int64_t>(size) - 1}, "input"};
  std::vector<int64_t> numbers(static_cast<size_t>(sites));
  for (int64_t i = 0; i < sites; ++i) numbers[static_cast<size_t>(i)] = (data[0] < 128 ? 1 : -5) + i + (i > sites / 2 ? 3 : 0);
  std::vector<double> d(static_cast<size_t>(sites * sites), -1);
  atp_fuzz::Memory memory;
  Context context(atp_fuzz::Memory::take, atp_fuzz::Memory::give, &memory);
  try {
    const DistanceCount found = parse_distances(context, text, {sites, data[0] == 0 ? nullptr : numbers.data()}, d.data());
    atp_fuzz::accepted = true;
    atp_fuzz::check(found.used >= 0 && found.used <= found.pairs && 6 * found.pairs <= static_cast<int64_t>(size), "six bytes a line");
    int64_t known = 0;
    for (int64_t i = 0; i < sites; ++i)
      for (int64_t j = 0; j < sites; ++j) {
        const double x = d[static_cast<size_t>(i * sites + j)], y = d[static_cast<size_t>(j * sites + i)];
        atp_fuzz::check(std::isnan(x) ? std::isnan(y) : x >= 0 && x == y && std::isfinite(x), "symmetric, and distances or NaN");
        known += i < j && !std::isnan(x);
      }
    atp_fuzz::check(known <= found.used, "a line for each known pair");
  } catch (const Error &e) {
    atp_fuzz::check(e.status() == ATP_E_FORMAT && e.what()[0] != 0, "a failure is one of format, with a text");
    for (double x : d) atp_fuzz::check(x == -1, "nothing is written after a failure");
  }
  return 0;
}
