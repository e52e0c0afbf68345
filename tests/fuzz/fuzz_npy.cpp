// SPDX-License-Identifier: MIT
// Arrays in .npy files, and models from them.
#include "fuzz.hpp"

#include "io/npy.hpp"

#include <vector>

using namespace atp;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const int64_t n = static_cast<int64_t>(size);
  const Text text{{reinterpret_cast<const char *>(data), n}, "input"};
  try {
    const NpyArray array(text, n);
    atp_fuzz::check(array.count() >= 0 && array.count() <= n && npy_size(text.bytes) == n, "a byte for each number");
    int64_t count = 1;
    for (int64_t k = 0; k < array.dimensions(); ++k) count *= array.extent(k);
    atp_fuzz::check(count == array.count() && array.shape_text().text[0] != 0, "the extents give the number of numbers");
    std::vector<double> values(static_cast<size_t>(count));
    array.read(values.data());
    atp_fuzz::accepted = true;
  } catch (const Error &e) {
    atp_fuzz::check(e.status() == ATP_E_FORMAT && e.what()[0] != 0, "a failure is one of format, with a text");
  }
  const bool accepted = atp_fuzz::accepted;
  atp_fuzz::run(
      8 * n + (1 << 16), [&](Context &context) { return model_from_npy(context, text, n); },
      [&](const Model &m) {
        atp_fuzz::check(m.shape.dense() && m.fields.empty() && m.beta == 1, "the shape is legal");
        for (double x : m.couplings) atp_fuzz::check(x >= -1e100 && x <= 1e100, "couplings are legal");
      });
  atp_fuzz::accepted = accepted;  // as an array
  return 0;
}
