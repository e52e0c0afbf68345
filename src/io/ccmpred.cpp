// SPDX-License-Identifier: MIT
#include "io/ccmpred.hpp"

#include "io/ccmpred_numbers.hpp"
#include "io/fields.hpp"
#include "io/file.hpp"
#include "io/owner.hpp"

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
  const RealText text(value, RealText::scientific);
  out.put(text.text, text.size);
  out.put('\t');
}

void put_integer(BufferedOutput &out, int64_t value) {
  char text[32];
  out.put(text, std::snprintf(text, sizeof text, "%lld", static_cast<long long>(value)));
}

}  // namespace

Model *parse_ccmpred_raw(Context &context, const Text &file) {
  FieldReader reader(file);
  const int64_t L = count_sites(reader);
  if (L < 2 || L > kMaxSites) {
    reader.next_line();
    reader.fail_format(
        "%lld lines before the first '# i j', expected a raw model of CCMpred: one line of 20 numbers for each of 2 to %lld sites",
        static_cast<long long>(L), static_cast<long long>(kMaxSites));
  }
  const int64_t pairs = L * (L - 1) / 2;
  if (file.bytes.size() / (2 * kCcmpredStates * kCcmpredStates) < pairs)
    fail(ATP_E_FORMAT, "%s: %lld bytes, too few for %lld pairs of %lld sites: cut short?", file.label,
         static_cast<long long>(file.bytes.size()), static_cast<long long>(pairs), static_cast<long long>(L));
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
    if (!next_content(reader, first))
      reader.fail_format("%lld pairs, expected %lld", static_cast<long long>(k), static_cast<long long>(pairs));
    if (!reader.word("a line '# i j'").is('#')) reader.fail_format("%s, expected a line '# i j'", Quoted(first.begin, first.end).text);
    const int64_t i = reader.integer("a site i", 0, L - 2), j = reader.integer("a site j > i", i + 1, L - 1);
    reader.end_line("'# i j'");
    if (seen[i * L + j])
      reader.fail_format("the pair %lld %lld occurs twice, expected every pair once", static_cast<long long>(i), static_cast<long long>(j));
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
         ShownPath(path).text, static_cast<long long>(model.colors()), model.alphabet);
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
  OutputFile file(path);
  BufferedOutput out(context, file);
  for (int64_t i = 0; i < L; ++i) {
    for (int64_t s = 0; s < kCcmpredFields; ++s) put_real(out, numbers.field(i, s));
    out.put('\n');
  }
  for (int64_t i = 0; i < L; ++i)
    for (int64_t j = i + 1; j < L; ++j) {
      out.put("# ", 2);
      put_integer(out, i);
      out.put(' ');
      put_integer(out, j);
      out.put('\n');
      for (int64_t s = 0; s < kCcmpredStates; ++s) {
        for (int64_t t = 0; t < kCcmpredStates; ++t) put_real(out, numbers.coupling(i, j, s, t));
        out.put('\n');
      }
    }
  out.flush();
  file.commit();
  numbers.report(context, path);
}

}  // namespace atp
