// SPDX-License-Identifier: MIT
// Scores of pairs: the first byte says in which format the rest is read.
#include "fuzz.hpp"

#include "io/foreign.hpp"
#include "io/score_files.hpp"

#include <cmath>

using namespace atp;

namespace {

// Scores as an object in a block, so that fuzz.hpp can run and destroy it.
struct Held {
  Held(Context *owner, int64_t sites) : context(owner) { scores.sites = sites; }
  void lay_out(Arena &arena) {
    const int64_t L = scores.sites;
    scores.scores = arena.take<double>(L * L);
    scores.numbers = arena.take<int64_t>(L);
    scores.residues = arena.take<char>(L + 1);
  }
  Context *context;
  std::size_t block_bytes = 0;
  Scores scores;
};

Held *parse(Context &context, const Text &text, ScoreFormat format) {
  foreign_content(text.bytes, text.bytes.size());
  Owner<Held> held(create_in_block<Held>(context.allocator, &context, count_score_sites(text, format)));
  parse_scores(text, format, held->scores);
  return held.release();
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 1) return 0;
  const int64_t n = static_cast<int64_t>(size) - 1;
  const Text text{{reinterpret_cast<const char *>(data) + 1, n}, "input"};
  const ScoreFormat format = data[0] == 'm' ? ScoreFormat::ccmpred : data[0] == 'e' ? ScoreFormat::evcouplings : ScoreFormat::plmc;
  atp_fuzz::run(
      64 * n + (1 << 16), [&](Context &context) { return parse(context, text, format); },
      [&](const Held &held) {
        const int64_t L = held.scores.sites;
        atp_fuzz::check(L >= 2, "the shape is legal");
        for (double x : held.scores.scores) atp_fuzz::check(x >= -1e100 && x <= 1e100, "scores are legal");
        for (int64_t i = 1; i < L; ++i) atp_fuzz::check(held.scores.numbers[i - 1] < held.scores.numbers[i], "numbers ascend");
        const int64_t residues = static_cast<int64_t>(std::strlen(held.scores.residues.data()));
        atp_fuzz::check(residues == 0 || residues == L, "a residue per site");
      });
  return 0;
}
