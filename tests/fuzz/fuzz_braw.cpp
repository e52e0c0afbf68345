// SPDX-License-Identifier: MIT
// Models of CCMpred in msgpack.
#include "fuzz.hpp"

#include "io/foreign.hpp"

using namespace atp;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const int64_t n = static_cast<int64_t>(size);
  const Text text{{reinterpret_cast<const char *>(data), n}, "input"};
  // A byte at least for each of 441 L (L - 1) / 2 couplings: 8 bytes each in the model, at both places, and those of the diagonal.
  atp_fuzz::run(
      64 * n + (1 << 16), [&](Context &context) { return parse_braw(context, text); },
      [&](const Model &m) {
        atp_fuzz::check(m.sites() >= 2 && m.colors() == 21 && m.shape.dense() && m.beta == 1, "the shape is legal");
        for (double x : m.couplings) atp_fuzz::check(x >= -1e100 && x <= 1e100, "couplings are legal");
        for (double x : m.fields) atp_fuzz::check(x >= -1e100 && x <= 1e100, "fields are legal");
        for (int64_t i = 0; i < m.sites(); ++i) atp_fuzz::check(m.fields[i * 21] == 0, "the gap has no field");
        atp_fuzz::check(m.symmetric(0), "couplings are symmetric");
      });
  return 0;
}
