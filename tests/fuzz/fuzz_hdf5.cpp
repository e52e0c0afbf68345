// SPDX-License-Identifier: MIT
// HDF5: the input is a file, read as a model and as an alignment.
#include "fuzz.hpp"

#include "io/hdf5_files.hpp"

#include <cmath>

using namespace atp;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const int64_t n = static_cast<int64_t>(size),
                limit = 64 * 1032 * n + (1 << 22);  // deflate makes data 1032 times smaller, we make bytes of 64 bits
  const Text image{{reinterpret_cast<const char *>(data), n}, "input"};
  atp_fuzz::run(
      limit, [&](Context &context) { return alignment_from_hdf5(context, image); },
      [](const Alignment &a) { atp_fuzz::inspect_alignment(a); });
  atp_fuzz::run(
      limit, [&](Context &context) { return model_from_hdf5(context, image); },
      [](const Model &m) {
        atp_fuzz::check(m.sites() >= 2 && m.colors() >= 2 && m.colors() <= 255 && m.beta >= 0, "the shape is legal");
        for (const Span<double> &values : {m.maps, m.values, m.couplings, m.fields})
          for (double v : values) atp_fuzz::check(std::isfinite(v), "numbers are finite");
      });
  return 0;
}
