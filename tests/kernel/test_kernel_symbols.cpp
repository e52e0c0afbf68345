// SPDX-License-Identifier: MIT
// Runs of symbols: every target against a loop of its own, all lengths of runs and of texts, every byte as the end of a run.
#include "simd/symbols.hpp"
#include "simd_target.hpp"

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "support.h"  // last: cmocka has a macro fail()

using namespace atp;

namespace {

SymbolColors colors_of(const std::string &alphabet) {
  SymbolColors colors;
  for (std::size_t a = 0; a < alphabet.size(); ++a) colors.next[static_cast<unsigned char>(alphabet[a])] = static_cast<uint8_t>(a + 1);
  return colors;
}

// The run of a text that has exactly n bytes, so that a sanitizer sees reads and writes beyond them.
void check(const SymbolKernels &kernels, const std::string &alphabet, const std::string &text) {
  const SymbolColors colors = colors_of(alphabet);
  const std::vector<char> bytes(text.begin(), text.end());
  std::vector<uint8_t> out(text.size(), 77);
  const std::size_t place = text.find_first_not_of(alphabet), run = place == std::string::npos ? text.size() : place;
  const int64_t n = static_cast<int64_t>(text.size());
  assert_int_equal(kernels.run(colors, bytes.data(), n), static_cast<int64_t>(run));
  assert_int_equal(kernels.map(colors, bytes.data(), n, out.data()), static_cast<int64_t>(run));
  for (std::size_t k = 0; k < run; ++k) assert_int_equal(out[k], alphabet.find(text[k]));
}

void runs_of_all_lengths(void **) {
  const SymbolKernels &kernels = symbol_kernels(tested_target());
  const std::string alphabet = "-ACDEFGHIKLMNPQRSTVWY";
  for (std::size_t n = 0; n <= 200; n += n < 70 ? 1 : 13) {
    std::string text;
    for (std::size_t k = 0; k < n; ++k) text += alphabet[(7 * k + n) % alphabet.size()];
    check(kernels, alphabet, text);
    for (std::size_t end = 0; end < n; ++end) {
      std::string cut = text;
      cut[end] = '\n';
      check(kernels, alphabet, cut);
      if (end + 1 < n) cut[end + 1] = 'X';
      check(kernels, alphabet, cut);
    }
  }
}

// The largest alphabet has all printable symbols but '>'; bytes above 127 end every run.
void every_byte(void **) {
  const SymbolKernels &kernels = symbol_kernels(tested_target());
  std::string printable, all;
  for (int c = '!'; c <= '~'; ++c)
    if (c != '>') printable += static_cast<char>(c);
  for (int c = 0; c < 128; ++c) all += static_cast<char>(c);
  for (const std::string &alphabet : {std::string("AB"), std::string("-ACGU"), printable, all})
    for (int c = 0; c < 256; ++c)
      for (const std::size_t place : {0u, 5u, 15u, 16u, 40u, 63u, 70u, 127u}) {
        std::string text(130, alphabet[1]);
        text[place] = static_cast<char>(c);
        check(kernels, alphabet, text);
      }
}

const struct CMUnitTest tests[] = {
    cmocka_unit_test(runs_of_all_lengths),
    cmocka_unit_test(every_byte),
};

}  // namespace

ATP_TEST_MAIN(tests)
