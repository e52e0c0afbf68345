// SPDX-License-Identifier: MIT
// Lists of mutants of one sequence, by a model whose numbers of sites are not in order.
#include "fuzz.hpp"

#include "potts/mutants.hpp"

#include <string>
#include <vector>

using namespace atp;

namespace {

Model *small_model(Context &context) {
  constexpr int64_t numbers[] = {-2, 7, 110, 3};
  Model *model = make_model(context, {4, 4, 1, false});
  set_alphabet(model->alphabet, "-ACD", 4, "alphabet");
  model->labels.set(numbers, nullptr);
  return model;
}

void inspect(const std::vector<int64_t> &changes, int64_t n, int64_t lines, const uint8_t *sequence) {
  for (int64_t k = 0; k < n; ++k) {
    const int64_t *c = changes.data() + 3 * k;
    atp_fuzz::check(c[0] >= (k == 0 ? 0 : c[-3]) && c[0] < lines, "mutants are in the order of the lines");
    atp_fuzz::check(c[1] >= 0 && c[1] < 4 && sequence[c[1]] != kMissing, "sites are there");
    atp_fuzz::check(c[2] >= 0 && c[2] < 4, "colours are below q");
    for (int64_t before = k - 1; before >= 0 && changes[static_cast<size_t>(3 * before)] == c[0]; --before)
      atp_fuzz::check(changes[static_cast<size_t>(3 * before + 1)] != c[1], "each site once in a mutant");
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string text(reinterpret_cast<const char *>(data), size);
  const uint8_t sequence[] = {1, 2, 0, kMissing};
  int64_t lines = 1, n = 0;
  for (char c : text) lines += c == '\n' ? 1 : 0;
  std::vector<int64_t> changes(3 * (size / 3 + 1), -7);
  const auto parse = [&](Context &context) {
    Model *model = small_model(context);
    try {
      n = parse_mutations(*model, sequence, text.c_str(), changes.data(), static_cast<int64_t>(changes.size() / 3));
    } catch (...) {
      destroy_block(context.allocator, model);
      throw;
    }
    return model;
  };
  atp_fuzz::run(1 << 16, parse, [&](const Model &) { inspect(changes, n, lines, sequence); });
  return 0;
}
