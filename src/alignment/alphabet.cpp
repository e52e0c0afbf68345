// SPDX-License-Identifier: MIT
#include "alignment/alphabet.hpp"

#include "base/error.hpp"

#include <strings.h>

#include <cstring>

namespace atp {

namespace {

struct NamedAlphabet {
  const char *name, *symbols;
};

constexpr NamedAlphabet kNamed[] = {{"protein", "-ACDEFGHIKLMNPQRSTVWY"}, {"rna", "-ACGU"}, {"dna", "-ACGT"}};

}  // namespace

const char *alphabet_symbols(const char *text) {
  for (const NamedAlphabet &named : kNamed)
    if (strcasecmp(named.name, text) == 0) return named.symbols;
  return text;
}

int64_t gap_color(const char *alphabet) { return alphabet[0] != 0 && std::strchr("-._~", alphabet[0]) != nullptr ? 0 : -1; }

int64_t check_symbols(const char *symbols, const char *argument) {
  bool seen[256] = {};
  int64_t n = 0;
  for (; symbols[n] != 0; ++n) {
    const unsigned char c = static_cast<unsigned char>(symbols[n]);
    if (c <= ' ' || c > '~' || c == '>')
      fail(ATP_E_ALPHABET, "%s: symbol %lld has the code %d, must be printable, not blank and not '>'", argument, static_cast<long long>(n),
           c);
    if (seen[c]) fail(ATP_E_ALPHABET, "%s: '%c' occurs twice, symbols must differ", argument, c);
    seen[c] = true;
  }
  return n;
}

void set_alphabet(AlphabetText &alphabet, const char *text, int64_t colors, const char *argument) {
  const char *symbols = alphabet_symbols(text);
  const int64_t n = check_symbols(symbols, argument);
  if (n != 0 && n != colors)
    fail(ATP_E_SHAPE, "%s has %lld symbols, must have one for each of the %lld colours", argument, static_cast<long long>(n),
         static_cast<long long>(colors));
  std::memmove(alphabet, symbols, static_cast<std::size_t>(n) + 1);  // the text may be the current alphabet
}

}  // namespace atp
