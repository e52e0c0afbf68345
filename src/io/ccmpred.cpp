// SPDX-License-Identifier: MIT
#include "io/foreign.hpp"

#include "io/fields.hpp"
#include "io/file.hpp"

#include <cmath>
#include <cstdio>

namespace atp {

namespace {

// Moves to the next line that is neither empty nor a CCMpred comment, "#>META> ...".
bool next_content(FieldReader &reader, Field &first) {
  while (reader.next_line()) {
    FieldReader copy = reader;
    if (copy.next_field(first) && !(first.size() > 1 && first.begin[0] == '#' && first.begin[1] == '>')) return true;
  }
  return false;
}

// The number of lines before the first pair.
int64_t count_sites(FieldReader reader) {
  Field first;
  int64_t n = 0;
  while (next_content(reader, first) && !first.is('#')) ++n;
  return n;
}

void read_block(FieldReader &reader, const StateOrder &order, Model &model, int64_t i, int64_t j) {
  Field first;
  for (int64_t a = 0; a < kCcmpredStates; ++a) {
    if (!next_content(reader, first)) reader.fail_format("the file ends in a pair, expected 21 lines of 21 numbers");
    for (int64_t b = 0; b < kCcmpredStates; ++b) set_symmetric(model, i, j, order.color[a], order.color[b], reader.real("a coupling"));
    reader.end_line("21 numbers");
  }
}

void put_real(BufferedOutput &out, double value) {
  out.put_real(value, RealStyle::scientific);
  out.put('\t');
}

}  // namespace

Model *parse_ccmpred_raw(Context &context, const Text &file) {
  FieldReader reader(file);
  const int64_t L = count_sites(reader);
  if (L < 2 || L > kMaxSites) {
    reader.next_line();
    reader.fail_format(
        "%lld lines before the first '# i j', expected a raw model of CCMpred: one line of 20 numbers for each of 2 to %lld sites",
        llong{L}, llong{kMaxSites});
  }
  const int64_t pairs = L * (L - 1) / 2;
  if (file.bytes.size() / (2 * kCcmpredStates * kCcmpredStates) < pairs)
    fail(ATP_E_FORMAT, "%s: %lld bytes, too few for %lld pairs of %lld sites: cut short?", file.label, llong{file.bytes.size()},
         llong{pairs}, llong{L});
  Owner<Model> model(make_model(context, {L, kCcmpredStates, 0, true}));
  set_alphabet(model->alphabet, "protein", kCcmpredStates, "alphabet");
  const StateOrder order(kCcmpredSymbols, model->alphabet);
  Field first;
  for (int64_t i = 0; i < L; ++i) {
    next_content(reader, first);
    for (int64_t a = 0; a < kCcmpredFields; ++a) model->fields[i * kCcmpredStates + order.color[a]] = reader.real("a field");
    reader.end_line("20 numbers");
  }
  const Scratch memory(context.allocator, Scratch::piece<bool>(L * L));
  const Span<bool> seen = memory.arena().take<bool>(L, L);
  for (int64_t k = 0; k < pairs; ++k) {
    if (!next_content(reader, first)) reader.fail_format("%lld pairs, expected %lld", llong{k}, llong{pairs});
    if (!reader.word("a line '# i j'").is('#')) reader.fail_format("%s, expected a line '# i j'", Quoted(first.begin, first.end).text);
    const int64_t i = reader.integer("a site i", 0, L - 2), j = reader.integer("a site j > i", i + 1, L - 1);
    reader.end_line("'# i j'");
    if (seen[i * L + j]) reader.fail_format("the pair %lld %lld occurs twice, expected every pair once", llong{i}, llong{j});
    seen[i * L + j] = true;
    read_block(reader, order, *model, i, j);
  }
  if (next_content(reader, first)) reader.fail_format("%s, expected the end after the last pair", Quoted(first.begin, first.end).text);
  context.message(ATP_LOG_INFO, "%s: raw model of CCMpred, which has no field of the gap: it is 0", file.label);
  return model.release();
}

CcmpredNumbers::CcmpredNumbers(const Context &context, const Model &model, const char *path)
    : view_(model), order_(kCcmpredSymbols, model.alphabet) {
  if (!order_.same(model.alphabet) && !order_.gapless(model.alphabet))
    fail(ATP_E_CONFLICT, "%s: the model has %lld colours and the alphabet '%s', CCMpred's format is for the 21 symbols of proteins",
         ShownPath(path).text, llong{model.colors()}, model.alphabet);
  warn_asymmetric(context, model, path);
}

void CcmpredNumbers::report(const Context &context, const char *path) const {
  double shift = 0;
  for (int64_t i = 0; i < sites(); ++i) shift += gap_field(i);
  if (shift != 0)
    context.message(ATP_LOG_WARNING,
                    "%s: CCMpred's format has no field of the gap: at each site it was subtracted from all fields, which "
                    "adds %g to all energies",
                    ShownPath(path).text, shift);
  if (gap() < 0)
    context.message(ATP_LOG_WARNING, "%s: the model has no gap, CCMpred's format has: its field and couplings are written as 0",
                    ShownPath(path).text);
}

void write_ccmpred_raw(Context &context, const Model &model, const char *path) {
  const CcmpredNumbers numbers(context, model, path);
  const int64_t L = numbers.sites();
  BufferedOutput out(context, path);
  for (int64_t i = 0; i < L; ++i) {
    for (int64_t s = 0; s < kCcmpredFields; ++s) put_real(out, numbers.field(i, s));
    out.put('\n');
  }
  for (int64_t i = 0; i < L; ++i)
    for (int64_t j = i + 1; j < L; ++j) {
      out.put("# ", 2);
      out.put_integer(i);
      out.put(' ');
      out.put_integer(j);
      out.put('\n');
      for (int64_t s = 0; s < kCcmpredStates; ++s) {
        for (int64_t t = 0; t < kCcmpredStates; ++t) put_real(out, numbers.coupling(i, j, s, t));
        out.put('\n');
      }
    }
  out.commit();
  numbers.report(context, path);
}

}  // namespace atp
