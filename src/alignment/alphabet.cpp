// SPDX-License-Identifier: MIT
#include "alignment/alphabet.hpp"

#include "alignment/text.hpp"
#include "base/error.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <strings.h>

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
      fail(ATP_E_ALPHABET, "%s: symbol %lld has the code %d, must be printable, not blank and not '>'", argument, llong{n}, c);
    if (seen[c]) fail(ATP_E_ALPHABET, "%s: '%c' occurs twice, symbols must differ", argument, c);
    seen[c] = true;
  }
  return n;
}

void set_alphabet(AlphabetText &alphabet, const char *text, int64_t colors, const char *argument) {
  const char *symbols = alphabet_symbols(text);
  const int64_t n = check_symbols(symbols, argument);
  if (n != 0 && n != colors)
    fail(ATP_E_SHAPE, "%s has %lld symbols, must have one for each of the %lld colours", argument, llong{n}, llong{colors});
  std::memmove(alphabet, symbols, static_cast<std::size_t>(n) + 1);  // the text may be the current alphabet
}

namespace {

// The base, T or U, that an alphabet of nucleotides has, in its case; 0 for other alphabets and for one with both or none.
char base_of(const char *symbols) {
  for (const char *s = symbols; *s != 0; ++s)
    if (is_letter(*s) && std::strchr("ACGTUNacgtun", *s) == nullptr) return 0;
  const auto has = [symbols](const char *cases) { return std::strpbrk(symbols, cases) != nullptr; };
  if (!has("Aa") || !has("Cc") || !has("Gg") || has("Tt") == has("Uu")) return 0;
  return *std::strpbrk(symbols, "TUtu");
}

}  // namespace

SymbolTable::SymbolTable(const char *symbols, bool inserts) {
  for (int16_t &c : color_) c = kUnknownSymbol;
  for (const char *blank = " \t\n\r"; *blank != 0; ++blank) set(*blank, kSkippedSymbol);
  bool lower = false;
  for (int16_t a = 0; symbols[a] != 0; ++a) {
    set(symbols[a], a);
    lower = lower || (symbols[a] >= 'a' && symbols[a] <= 'z');
  }
  if (const char base = base_of(symbols); base != 0) {
    const char other = static_cast<char>(base ^ ('T' ^ 'U'));
    set(other, (*this)[base]);
    other_base_ = static_cast<char>(other & ~0x20);
  }
  if (inserts) {
    for (char c = 'a'; c <= 'z'; ++c)
      if ((*this)[c] == kUnknownSymbol) set(c, kInsertSymbol);
    if ((*this)['.'] == kUnknownSymbol) set('.', kInsertGap);
    return;
  }
  if (!lower)
    for (char c = 'a'; c <= 'z'; ++c) set(c, (*this)[static_cast<char>(c - 'a' + 'A')]);
  if ((*this)['.'] == kUnknownSymbol) set('.', (*this)['-']);
}

const char *SymbolCounts::fitting_alphabet() const {
  const int64_t *most = std::max_element(unknown_of, unknown_of + 256);
  if (*most == 0) return nullptr;
  if (most == unknown_of + 'U') return "rna";
  if (most == unknown_of + 'T') return "dna";
  for (const char *letter = "EFILPQ"; *letter != 0; ++letter)
    if (unknown_of[static_cast<unsigned char>(*letter)] > 0) return "protein";
  return nullptr;
}

void SymbolCounts::list_unknown(char *out, std::size_t size) const {
  bool listed[256] = {};
  std::size_t used = 0;
  for (int k = 0; k < 9; ++k) {
    int best = -1;
    for (int c = 0; c < 256; ++c)
      if (!listed[c] && unknown_of[c] > 0 && (best < 0 || unknown_of[c] > unknown_of[best])) best = c;
    if (best < 0) return;
    listed[best] = true;
    char symbol[8];
    std::snprintf(symbol, sizeof symbol, best > ' ' && best < 127 ? "'%c'" : "\\x%02x", static_cast<unsigned>(best));
    const int n = k == 8 ? std::snprintf(out + used, size - used, ", ...")
                         : std::snprintf(out + used, size - used, "%s%s %lld", k == 0 ? "" : ", ", symbol, llong{unknown_of[best]});
    used += static_cast<std::size_t>(n);
    if (used >= size) return;
  }
}

}  // namespace atp
