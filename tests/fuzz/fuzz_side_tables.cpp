// SPDX-License-Identifier: MIT
// Small tables of text: the first byte says what the file may hold, the others are the file. What is accepted has rows of one length below
// names, in ascending lines, without control characters, and is written with a line for each row.
#include "fuzz.hpp"

#include "io/text_table.hpp"

#include <algorithm>
#include <string>

using namespace atp;
using atp_fuzz::check;

namespace {

void check_table(const TextTable &table, int64_t size) {
  for (int64_t k = 0; k < table.rows(); ++k) {
    check(table.line(k) >= 1 && table.line(k) <= size + 1, "the line is in the text");
    check(k == 0 || table.line(k) > table.line(k - 1), "lines ascend");
    check(table.cells(k) > 0 && (!table.has_names() || table.cells(k) == table.columns()), "rows are as long as the names");
    for (int64_t c = 0; c < table.cells(k); ++c)
      for (const char *p = table.cell(k, c); *p != 0; ++p)
        check(static_cast<unsigned char>(*p) >= ' ' || *p == '\t' || *p == '\n' || *p == '\r', "no control characters");
  }
  std::string text(static_cast<size_t>(table.write(nullptr, 0)), 0);
  check(table.write(&text[0], static_cast<int64_t>(text.size())) == static_cast<int64_t>(text.size()), "as long as announced");
  check(text.empty() || text.back() == '\n', "whole lines");
  check(std::count(text.begin(), text.end(), '"') % 2 == 0, "quotes in pairs");
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 1) return 0;
  atp_fuzz::Memory memory;
  Context context(atp_fuzz::Memory::take, atp_fuzz::Memory::give, &memory);
  const Text text{{reinterpret_cast<const char *>(data) + 1, static_cast<int64_t>(size) - 1}, "input"};
  try {
    const TextTable table(context, text, static_cast<atp_cells>(1 + data[0] % 3), "mutant,variant");
    atp_fuzz::accepted = table.rows() > 0;
    check_table(table, text.bytes.size());
  } catch (const Error &e) {
    check(e.status() == ATP_E_FORMAT && e.what()[0] != 0 && std::string(e.what()).find('\n') == std::string::npos,
          "a failure is one of format, in one line");
  }
  return 0;
}
