// SPDX-License-Identifier: MIT
#include "io/foreign.hpp"

#include "io/fields.hpp"
#include "io/file.hpp"

#include <algorithm>

namespace atp {

namespace {

// The shape of the model according to the file.
struct Extent {
  int64_t sites = 0, colors = 0, field_lines = 0, pair_lines = 0;
  bool seen[256] = {};  // letters
};

class Parser {
 public:
  Parser(const Text &file, AdabmSymbols symbols) : file_(file), symbols_(symbols) {}

  Extent measure() const {
    Extent extent;
    each_line([&](FieldReader &reader, bool pair) {
      const int64_t i = reader.integer("a site i", 0, kMaxSites - 1);
      const int64_t j = pair ? reader.integer("a site j", 0, kMaxSites - 1) : i;
      extent.sites = std::max({extent.sites, i + 1, j + 1});
      for (int k = pair ? 0 : 1; k < 2; ++k) {
        if (symbols_ == AdabmSymbols::letters)
          extent.seen[static_cast<unsigned char>(reader.symbol("a symbol"))] = true;
        else
          extent.colors = std::max(extent.colors, reader.integer("a colour", 0, kMaxColors - 1) + 1);
      }
      ++(pair ? extent.pair_lines : extent.field_lines);
    });
    return extent;
  }

  // Calls pair(reader, i, j, a, b, value) or field(reader, i, a, value) for every line.
  template <class Pair, class FieldSink>
  void read(const char *alphabet, int64_t sites, int64_t colors, Pair &&pair, FieldSink &&field) const {
    const auto color = [&](FieldReader &reader) -> int64_t {
      if (symbols_ == AdabmSymbols::integers) return reader.integer("a colour", 0, colors - 1);
      const char c = reader.symbol("a symbol");
      const char *found = std::strchr(alphabet, c);
      if (found == nullptr) fail(ATP_E_ALPHABET, "%s:%lld: '%c', expected a symbol of '%s'", reader.label(), reader.line(), c, alphabet);
      return found - alphabet;
    };
    each_line([&](FieldReader &reader, bool is_pair) {
      const int64_t i = reader.integer("a site i", 0, sites - 1), j = is_pair ? reader.integer("a site j", 0, sites - 1) : i;
      if (is_pair && i == j) reader.fail_format("site %lld is coupled to itself, expected i and j to differ", llong{i});
      const int64_t a = color(reader), b = is_pair ? color(reader) : 0;
      const double value = reader.real("a value");
      reader.end_line("the value");
      if (is_pair)
        pair(reader, i, j, a, b, value);
      else
        field(reader, i, a, value);
    });
  }

 private:
  template <class Sink>
  void each_line(Sink &&sink) const {
    FieldReader reader(file_);
    Field first;
    while (reader.next_content()) {
      reader.next_field(first);
      if (!first.is('J') && !first.is('h'))
        reader.fail_format("%s, expected a line 'J i j a b value' or 'h i a value'", Quoted(first.begin, first.end).text);
      sink(reader, first.is('J'));
    }
  }
  const Text &file_;
  AdabmSymbols symbols_;
};

// The named alphabet that has exactly these letters.
const char *named_alphabet(const Text &file, const Extent &extent) {
  char found[257] = "";
  int64_t n = 0;
  for (int c = 0; c < 256; ++c)
    if (extent.seen[c]) found[n++] = static_cast<char>(c);
  found[n] = 0;
  for (const char *name : {"protein", "rna", "dna"}) {
    const char *symbols = alphabet_symbols(name);
    if (static_cast<int64_t>(std::strlen(symbols)) == n &&
        std::all_of(symbols, symbols + n, [&](char c) { return extent.seen[static_cast<unsigned char>(c)]; }))
      return symbols;
  }
  fail(ATP_E_CONFLICT, "%s: the symbols are %s, those of neither protein, rna nor dna: the alphabet must be given", file.label,
       Quoted(found, found + n).text);
}

// Fails if a coupling or a field occurs twice, or a value is not a number. If no field occurs twice and their number is right, each occurs
// once. The table of all couplings takes 8 bytes per line; a line of one has at least 12.
void check_once(Context &context, const Parser &parser, const char *letters, const Extent &extent) {
  const int64_t L = extent.sites, q = extent.colors;
  const Scratch memory(context.allocator, Scratch::piece<uint64_t>(extent.pair_lines) + Scratch::piece<bool>(L * q));
  Arena arena = memory.arena();
  const Span<uint64_t> places = arena.take<uint64_t>(extent.pair_lines);
  const Span<bool> fields = arena.take<bool>(L * q);
  const auto place_of = [&](int64_t i, int64_t j, int64_t a, int64_t b) {
    const uint64_t low = static_cast<uint64_t>(std::min(i, j)), high = static_cast<uint64_t>(std::max(i, j));
    return (low << 16 | high) << 16 | static_cast<uint64_t>(i < j ? a * q + b : b * q + a);
  };
  int64_t known = 0;
  parser.read(
      letters, L, q, [&](FieldReader &, int64_t i, int64_t j, int64_t a, int64_t b, double) { places[known++] = place_of(i, j, a, b); },
      [&](FieldReader &reader, int64_t i, int64_t a, double) {
        if (fields[i * q + a]) reader.fail_format("this field of site %lld occurs twice, expected it once", llong{i});
        fields[i * q + a] = true;
      });
  std::sort(places.begin(), places.end());
  const uint64_t *twice = std::adjacent_find(places.begin(), places.end());
  if (twice == places.end()) return;
  bool before = false;
  parser.read(
      letters, L, q,
      [&](FieldReader &reader, int64_t i, int64_t j, int64_t a, int64_t b, double) {
        if (place_of(i, j, a, b) != *twice) return;
        if (before) reader.fail_format("this coupling of sites %lld and %lld occurs twice, expected it once", llong{i}, llong{j});
        before = true;
      },
      [](FieldReader &, int64_t, int64_t, double) {});
}

}  // namespace

Model *parse_adabm(Context &context, const Text &file, AdabmSymbols symbols, const char *alphabet) {
  const Parser parser(file, symbols);
  Extent extent = parser.measure();
  const char *letters = alphabet == nullptr || alphabet[0] == 0 ? "" : alphabet_symbols(alphabet);
  if (letters[0] != 0) {
    const int64_t n = check_symbols(letters, "alphabet");
    if (extent.colors > n)
      fail(ATP_E_ALPHABET, "%s: colours up to %lld, expected at most the %lld of the alphabet", file.label, llong{extent.colors - 1},
           llong{n});
    extent.colors = n;
  } else if (symbols == AdabmSymbols::letters && extent.field_lines > 0) {
    letters = named_alphabet(file, extent);
    extent.colors = static_cast<int64_t>(std::strlen(letters));
  }
  const int64_t L = extent.sites, q = extent.colors;
  if (extent.field_lines == 0 || L < 2 || q < 2)
    fail(ATP_E_FORMAT, "%s: %lld lines 'h i a value' for %lld sites and %lld colours, expected a model of 2 or more of both", file.label,
         llong{extent.field_lines}, llong{L}, llong{q});
  if (extent.field_lines != L * q)
    fail(ATP_E_FORMAT, "%s: %lld lines 'h i a value', expected %lld for %lld sites and %lld colours: cut short?", file.label,
         llong{extent.field_lines}, llong{L * q}, llong{L}, llong{q});
  check_once(context, parser, letters, extent);
  check_proportion(file, L, q);
  Owner<Model> model(make_model(context, {L, q, 0, true}));
  set_alphabet(model->alphabet, letters, q, "alphabet");
  parser.read(
      letters, L, q,
      [&](FieldReader &, int64_t i, int64_t j, int64_t a, int64_t b, double value) { set_symmetric(*model, i, j, a, b, value); },
      [&](FieldReader &, int64_t i, int64_t a, double value) { model->fields[i * q + a] = value; });
  const int64_t absent = L * (L - 1) / 2 * q * q - extent.pair_lines;
  if (absent > 0)
    context.message(ATP_LOG_INFO, "%s: %lld of %lld couplings are not in the file: they are 0", file.label, llong{absent},
                    llong{L * (L - 1) / 2 * q * q});
  return model.release();
}

void write_adabm(Context &context, const Model &model, AdabmSymbols symbols, const char *path) {
  if (symbols == AdabmSymbols::letters && model.alphabet[0] == 0)
    fail(ATP_E_CONFLICT, "%s: the model has no alphabet, which this format needs; integers do not", ShownPath(path).text);
  warn_asymmetric(context, model, path);
  const int64_t L = model.sites(), q = model.colors();
  const SymmetricView view(model);
  BufferedOutput out(context, path);
  const auto put_site = [&](int64_t i) {
    out.put(' ');
    out.put_integer(i);
  };
  const auto put_color = [&](int64_t a) {
    if (symbols == AdabmSymbols::integers) return put_site(a);
    out.put(' ');
    out.put(model.alphabet[a]);
  };
  const auto end_line = [&](double value) {
    out.put(' ');
    out.put_real(value, RealStyle::exact);
    out.put('\n');
  };
  for (int64_t i = 0; i < L; ++i)
    for (int64_t j = i + 1; j < L; ++j)
      for (int64_t a = 0; a < q; ++a)
        for (int64_t b = 0; b < q; ++b) {
          const double value = view.coupling(i, j, a, b);
          if (value == 0) continue;
          out.put('J');
          put_site(i);
          put_site(j);
          put_color(a);
          put_color(b);
          end_line(value);
        }
  for (int64_t i = 0; i < L; ++i)
    for (int64_t a = 0; a < q; ++a) {
      out.put('h');
      put_site(i);
      put_color(a);
      end_line(view.field(i, a));
    }
  out.commit();
}

}  // namespace atp
