// SPDX-License-Identifier: MIT
#include "base/option_text.hpp"

#include "base/parse_real.hpp"
#include "base/text_writer.hpp"

namespace atp {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

const char *skip_blanks(const char *text) {
  while (is_blank(*text)) ++text;
  return text;
}

// What stands before a comma, a blank, the end or, of a name, '='.
TextPiece word_at(const char *text, bool name) {
  const char *end = text;
  while (*end != 0 && *end != ',' && !is_blank(*end) && !(name && *end == '=')) ++end;
  return {text, end};
}

[[noreturn]] void fail_value(const OptionInfo &info, TextPiece value) {
  char words[320] = "";
  TextWriter writer(words, sizeof words - 1);
  for (int64_t k = 0; k < info.values.count; ++k) {
    writer.put(k == 0 ? ", or one of " : ", ");
    writer.put(info.values.words[k]);
  }
  fail(ATP_E_OPTION_RANGE, "option %s is \"%.*s\", must be a number%s", info.name, value.size(), value.begin, words);
}

}  // namespace

bool TextPiece::names(const char *word) const {
  const auto plain = [](char c) { return c == '_' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  const char *c = begin;
  for (; c < end && *word != 0; ++c, ++word)
    if (plain(*c) != *word) return false;
  return c == end && *word == 0;
}

bool next_assignment(const char *&text, OptionAssignment &found) {
  const char *begin = skip_blanks(text);
  if (*begin == 0) return false;
  found.name = word_at(begin, true);
  const char *equals = skip_blanks(found.name.end);
  found.value = word_at(*equals == '=' ? skip_blanks(equals + 1) : equals, false);
  if (*equals != '=' || found.name.size() == 0 || found.value.size() == 0)
    fail(ATP_E_VALUE, "text has \"%.*s\", must be NAME=VALUE with commas or blanks between", static_cast<int>(std::strcspn(begin, ",")),
         begin);
  text = skip_blanks(found.value.end);
  if (*text == ',') ++text;
  return true;
}

void set_from_text(Options &options, const OptionInfo &info, TextPiece value) {
  for (int64_t k = 0; k < info.values.count; ++k)
    if (value.names(info.values.words[k])) return options.set(info.key, info.values.first + k);
  int64_t whole = 0;
  double real = 0;
  const std::from_chars_result end = std::from_chars(value.begin, value.end, whole);
  if (end.ec == std::errc() && end.ptr == value.end) return options.set(info.key, whole);
  if (!is_real_number(value.begin, value.end, real)) fail_value(info, value);
  options.set(info.key, real);
}

int64_t write_options(const Options &options, char *text, int64_t size) {
  TextWriter writer(text, size);
  const OptionTable &table = options.table();
  for (int k = 0; k < table.count; ++k) {
    const OptionInfo &info = table.rows[k];
    if (options.real(info.key) == info.initial) continue;
    if (writer.length() > 0) writer.put(", ");
    writer.put(info.name);
    writer.put("=");
    const char *word = info.integer ? info.word(options.integer(info.key)) : nullptr;
    if (word != nullptr)
      writer.put(word);
    else if (info.integer)
      writer.put(options.integer(info.key));
    else
      writer.put(options.real(info.key));
  }
  writer.put("", 1);
  return writer.length();
}

}  // namespace atp
