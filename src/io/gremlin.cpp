// SPDX-License-Identifier: MIT
#include "io/foreign.hpp"

#include "io/file.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <initializer_list>

namespace atp {

namespace {

struct Symbols {
  const char *states;    // in the order of the file
  const char *alphabet;  // in ours
};
constexpr Symbols kSymbols[] = {{"ARNDCQEGHILKMFPSTWYV-", "-ACDEFGHIKLMNPQRSTVWY"}, {"AUCG-", "-ACGU"}, {"ATCG-", "-ACGT"}, {"01-", "-01"}};

// "V[12]" or "W[12][40]": a letter and whole numbers in brackets. Returns how many there are, 0 for anything else.
int parse_tag(const Field &field, char letter, int64_t *numbers, int most) {
  if (field.size() < 4 || *field.begin != letter) return 0;
  const char *at = field.begin + 1;
  int count = 0;
  while (at < field.end && count < most && *at == '[') {
    const std::from_chars_result result = std::from_chars(at + 1, field.end, numbers[count]);
    if (result.ec != std::errc() || result.ptr == field.end || *result.ptr != ']' || numbers[count] < 0) return 0;
    ++count;
    at = result.ptr + 1;
  }
  return at == field.end ? count : 0;
}

// Calls sink(reader, numbers, pair) for every line, behind its tag.
template <class Sink>
void each_line(const Text &file, Sink &&sink) {
  FieldReader reader(file);
  Field tag;
  while (reader.next_content()) {
    reader.next_field(tag);
    int64_t numbers[2] = {0, 0};
    const bool site = parse_tag(tag, 'V', numbers, 1) == 1, pair = !site && parse_tag(tag, 'W', numbers, 2) == 2;
    if (!site && !pair) reader.fail_format("%s, expected V[i] or W[i][j]", Quoted(tag.begin, tag.end).text);
    sink(reader, numbers, pair);
  }
}

// The shape of the model: sites and states of the lines V[i].
struct Extent {
  int64_t sites = 0, states = 0;
};

Extent measure(const Text &file) {
  Extent extent;
  each_line(file, [&](FieldReader &reader, const int64_t *, bool pair) {
    if (pair) return;
    if (extent.states == 0) extent.states = reader.count_fields();
    ++extent.sites;
  });
  if (extent.sites < 2 || extent.sites > kMaxSites)
    fail(ATP_E_FORMAT, "%s: %lld lines V[i], expected 2 to %lld", file.label, llong{extent.sites}, llong{kMaxSites});
  return extent;
}

// The symbols of so many states: those of `alphabet`, where it is given.
Symbols find_symbols(const Text &file, int64_t states, const char *alphabet) {
  const char *wanted = alphabet == nullptr || alphabet[0] == 0 ? "" : alphabet_symbols(alphabet);
  for (const Symbols &known : kSymbols) {
    if (static_cast<int64_t>(std::strlen(known.states)) != states) continue;
    if (wanted[0] == 0) return known;
    if (StateOrder(known.states, wanted).same(wanted)) return {known.states, wanted};
  }
  if (wanted[0] != 0)
    fail(ATP_E_CONFLICT, "%s: %lld numbers in a line V[i], GREMLIN has no such alphabet '%s'", file.label, llong{states}, wanted);
  fail(ATP_E_FORMAT, "%s: %lld numbers in a line V[i], expected 21 (protein), 5 (rna, dna) or 3 (0, 1 and the gap)", file.label,
       llong{states});
}

int64_t place_of(const FieldReader &reader, Span<const int64_t> numbers, int64_t index) {
  const int64_t *found = std::lower_bound(numbers.begin(), numbers.end(), index + 1);
  if (found == numbers.end() || *found != index + 1) reader.fail_format("site %lld has no line V[%lld]", llong{index}, llong{index});
  return found - numbers.begin();
}

// The lines V[i]: fields and numbers of the sites.
void read_fields(const Text &file, const StateOrder &order, Model &model, Span<int64_t> numbers) {
  int64_t known = 0;
  each_line(file, [&](FieldReader &reader, const int64_t *index, bool pair) {
    if (pair) return;
    if (index[0] >= int64_t{1} << 52 || (known > 0 && index[0] + 1 <= numbers[known - 1]))
      reader.fail_format("V[%lld], expected sites in ascending order", llong{index[0]});
    numbers[known] = index[0] + 1;
    for (int64_t s = 0; s < order.states; ++s) model.fields[known * order.states + order.color[s]] = reader.real("a field");
    reader.end_line("the fields");
    ++known;
  });
}

// The lines W[i][j]; returns their number.
int64_t read_couplings(Context &context, const Text &file, const StateOrder &order, Model &model) {
  const int64_t L = model.sites();
  const Scratch memory(context.allocator, Scratch::piece<bool>(L * L));
  const Span<bool> seen = memory.arena().take<bool>(L, L);
  int64_t pairs = 0;
  each_line(file, [&](FieldReader &reader, const int64_t *index, bool pair) {
    if (!pair) return;
    const int64_t i = place_of(reader, model.labels.numbers(), index[0]), j = place_of(reader, model.labels.numbers(), index[1]);
    if (i == j) reader.fail_format("both sites are %lld, expected two", llong{index[0]});
    if (seen[i * L + j]) reader.fail_format("this pair occurs twice, expected it once");
    seen[i * L + j] = seen[j * L + i] = true;
    for (int64_t s = 0; s < order.states; ++s)
      for (int64_t t = 0; t < order.states; ++t) set_symmetric(model, i, j, order.color[s], order.color[t], reader.real("a coupling"));
    reader.end_line("the couplings");
    ++pairs;
  });
  return pairs;
}

void put_real(BufferedOutput &out, double value) {
  out.put(' ');
  out.put_real(value, RealStyle::exact);
}

void put_tag(BufferedOutput &out, char letter, std::initializer_list<int64_t> indices) {
  out.put(letter);
  for (int64_t index : indices) {
    out.put('[');
    out.put_integer(index);
    out.put(']');
  }
}

// The 0-based columns of the sites: their numbers less one, where these are ascending and positive.
bool numbers_are_columns(const SiteLabels &labels) {
  const Span<const int64_t> numbers = labels.numbers();
  return numbers[0] >= 1 &&
         std::adjacent_find(numbers.begin(), numbers.end(), [](int64_t a, int64_t b) { return a >= b; }) == numbers.end();
}

const Symbols &symbols_of(const Model &model, const char *path) {
  for (const Symbols &known : kSymbols) {
    const StateOrder order(known.states, model.alphabet);
    if (order.same(model.alphabet) || order.gapless(model.alphabet)) return known;
  }
  fail(ATP_E_CONFLICT, "%s: the model has %lld colours and the alphabet '%s', GREMLIN's format is for proteins, RNA, DNA and 0, 1",
       ShownPath(path).text, llong{model.colors()}, model.alphabet);
}

}  // namespace

bool is_gremlin_line(FieldReader reader) {
  Field tag, value;
  int64_t number = 0;
  return reader.next_field(tag) && parse_tag(tag, 'V', &number, 1) == 1 && reader.next_field(value) && is_real(value);
}

Model *parse_gremlin(Context &context, const Text &file, const char *alphabet) {
  const Extent extent = measure(file);
  const Symbols symbols = find_symbols(file, extent.states, alphabet);
  const StateOrder order(symbols.states, symbols.alphabet);
  check_proportion(file, extent.sites, extent.states);
  Owner<Model> model(make_model(context, {extent.sites, extent.states, 0, true}));
  set_alphabet(model->alphabet, symbols.alphabet, extent.states, "alphabet");
  const Scratch memory(context.allocator, Scratch::piece<int64_t>(extent.sites));
  const Span<int64_t> numbers = memory.arena().take<int64_t>(extent.sites);
  read_fields(file, order, *model, numbers);
  model->labels.set(numbers.data(), nullptr);
  const int64_t pairs = read_couplings(context, file, order, *model), all = extent.sites * (extent.sites - 1) / 2;
  if (pairs < all)
    context.message(ATP_LOG_INFO, "%s: %lld of %lld pairs are not in the file: their couplings are 0", file.label, llong{all - pairs},
                    llong{all});
  return model.release();
}

void write_gremlin(Context &context, const Model &model, const char *path) {
  const StateOrder order(symbols_of(model, path).states, model.alphabet);
  warn_asymmetric(context, model, path);
  const SymmetricView view(model);
  const int64_t L = model.sites();
  const bool columns = numbers_are_columns(model.labels);
  const auto index = [&](int64_t i) { return columns ? model.labels.numbers()[i] - 1 : i; };
  BufferedOutput out(context, path);
  for (int64_t i = 0; i < L; ++i) {
    put_tag(out, 'V', {index(i)});
    for (int64_t s = 0; s < order.states; ++s) put_real(out, order.color[s] < 0 ? 0 : view.field(i, order.color[s]));
    out.put('\n');
  }
  for (int64_t i = 0; i < L; ++i)
    for (int64_t j = i + 1; j < L; ++j) {
      put_tag(out, 'W', {index(i), index(j)});
      for (int64_t s = 0; s < order.states; ++s)
        for (int64_t t = 0; t < order.states; ++t) {
          const int64_t a = order.color[s], b = order.color[t];
          put_real(out, a < 0 || b < 0 ? 0 : view.coupling(i, j, a, b));
        }
      out.put('\n');
    }
  out.commit();
  if (order.gapless(model.alphabet))
    context.message(ATP_LOG_WARNING, "%s: the model has no gap, GREMLIN's format has: its field and couplings are written as 0",
                    ShownPath(path).text);
}

}  // namespace atp
