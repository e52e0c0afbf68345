// SPDX-License-Identifier: MIT
#include "alignment/label_state.hpp"

#include "base/checked.hpp"

#include <limits>

namespace atp {

int64_t label_bits(const SiteLabels &labels) {
  return (labels.has_residues() ? kResidueBit : 0) + (labels.all_columns() ? 0 : kColumnBit) + (labels.border() > 0 ? kBorderBit : 0);
}

int64_t label_bytes(int64_t sites, int64_t bits) {
  const int64_t columns = (bits & kColumnBit) != 0 ? sum_of(sites, 1) : 0, border = (bits & kBorderBit) != 0 ? 1 : 0;
  return sum_of(product_of(8, sum_of(sites, columns, border)), (bits & kResidueBit) != 0 ? sites : 0);
}

void write_labels(StateWriter &writer, const SiteLabels &labels) {
  writer.array(labels.numbers());
  if (labels.has_residues()) writer.array(Span<const char>(labels.residues(), labels.sites()));
  if (!labels.all_columns()) {
    writer.array(labels.columns());
    writer.value(labels.total_columns());
  }
  if (labels.border() > 0) writer.value(labels.border());
}

void read_labels(StateReader &reader, int64_t bits, Allocator &allocator, SiteLabels &labels) {
  const bool has_residues = (bits & kResidueBit) != 0, has_columns = (bits & kColumnBit) != 0;
  const int64_t sites = labels.sites();
  const Scratch scratch(allocator, Scratch::piece<int64_t>(sites) + Scratch::piece<int64_t>(sites + 1) + Scratch::piece<char>(sites + 1));
  Arena arena = scratch.arena();
  const Span<int64_t> numbers = arena.take<int64_t>(sites), columns = arena.take<int64_t>(sites + 1);  // with their total
  const Span<char> residues = arena.take<char>(sites + 1);
  reader.array(numbers);
  if (has_residues) reader.array(residues.sub(0, sites));
  residues[has_residues ? sites : 0] = 0;
  if (has_columns) reader.array(columns);
  int64_t border = 0;
  if ((bits & kBorderBit) != 0) border = reader.integer("border of two proteins", 1, std::numeric_limits<int64_t>::max());
  if (has_residues && residues[0] == 0) fail(ATP_E_FORMAT, "the state's residues are empty");
  try {
    labels.set(numbers.data(), residues.data(), "the state's ");
    if (has_columns) labels.set_columns(columns.data(), columns[sites], "the state's ");
    labels.set_border(border, "the state's ");
  } catch (const Error &e) {
    fail(ATP_E_FORMAT, "%s", e.what());
  }
  if (has_columns && labels.all_columns()) fail(ATP_E_FORMAT, "the state has a list of columns although none is missing");
}

void check_field(const char *field, int64_t size, const char *name) {
  int64_t end = 0;
  while (end < size && field[end] != 0) ++end;
  if (end == size) fail(ATP_E_FORMAT, "the state's %s does not end", name);
  for (; end < size; ++end)
    if (field[end] != 0) fail(ATP_E_FORMAT, "the state's %s has characters after its end", name);
}

void check_alphabet(const AlphabetText &symbols, int64_t colors) {
  check_field(symbols, sizeof symbols, "alphabet");
  const int64_t count = static_cast<int64_t>(std::strlen(symbols));
  if (count != 0 && count != colors)
    fail(ATP_E_FORMAT, "the state's alphabet has %lld symbols, must have one for each of the %lld colours", llong{count}, llong{colors});
}

void read_alphabet(const AlphabetText &symbols, int64_t colors, AlphabetText &alphabet) {
  try {
    set_alphabet(alphabet, symbols, colors, "the state's alphabet");
  } catch (const Error &e) {
    fail(ATP_E_FORMAT, "%s", e.what());
  }
}

}  // namespace atp
