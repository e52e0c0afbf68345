// SPDX-License-Identifier: MIT
// Models of other tools: the first byte says in which format the rest is read, by its content or by force.
#include "fuzz.hpp"

#include "io/foreign.hpp"

using namespace atp;

namespace {

Model *parse(Context &context, const Text &text, int what) {
  switch (what) {
    case 'p': return parse_plmc(context, text);
    case 'c': return parse_ccmpred_raw(context, text);
    case 'l': return parse_adabm(context, text, AdabmSymbols::letters, nullptr);
    case 'i': return parse_adabm(context, text, AdabmSymbols::integers, nullptr);
    case 'a': return parse_adabm(context, text, AdabmSymbols::letters, "-ab");
    case 'g': return parse_gremlin(context, text, nullptr);
    default: break;
  }
  switch (foreign_content(text.bytes, text.bytes.size())) {
    case Foreign::plmc_model: return parse_plmc(context, text);
    case Foreign::ccmpred_raw: return parse_ccmpred_raw(context, text);
    case Foreign::adabm_letters: return parse_adabm(context, text, AdabmSymbols::letters, nullptr);
    case Foreign::adabm_integers: return parse_adabm(context, text, AdabmSymbols::integers, nullptr);
    case Foreign::gremlin: return parse_gremlin(context, text, nullptr);
    default: fail(ATP_E_FORMAT, "no model");
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 1) return 0;
  const int64_t n = static_cast<int64_t>(size) - 1;
  const Text text{{reinterpret_cast<const char *>(data) + 1, n}, "input"};
  // Two bytes at least for every field of a text: n / 2 fields, whose square is the couplings, of 8 bytes each.
  atp_fuzz::run(
      64 * n + 2 * n * n + (1 << 16), [&](Context &context) { return parse(context, text, data[0]); },
      [&](const Model &m) {
        atp_fuzz::check(m.sites() >= 2 && m.colors() >= 2 && m.colors() <= 255 && m.shape.dense() && m.beta == 1, "the shape is legal");
        for (double x : m.couplings) atp_fuzz::check(x >= -1e100 && x <= 1e100, "couplings are legal");
        for (double x : m.fields) atp_fuzz::check(x >= -1e100 && x <= 1e100, "fields are legal");
        atp_fuzz::check(m.symmetric(0), "couplings are symmetric");
        const int64_t symbols = static_cast<int64_t>(std::strlen(m.alphabet));
        atp_fuzz::check(symbols == 0 || symbols == m.colors(), "a symbol per colour");
      });
  return 0;
}
