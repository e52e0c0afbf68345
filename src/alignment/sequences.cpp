// SPDX-License-Identifier: MIT
#include "alignment/sequence_text.hpp"

#include "alignment/name_table.hpp"
#include "alignment/text.hpp"
#include "alignment/rows.hpp"
#include "alignment/alphabet.hpp"
#include "simd/symbols.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

namespace atp {

namespace {

// "sequence 'NAME'", or "the sequence" in formats without names.
struct Title {
  explicit Title(const Row &row) {
    if (row.name == row.name_end)
      std::snprintf(text, sizeof text, "the sequence");
    else
      std::snprintf(text, sizeof text, "sequence %s", Quoted(row.name, row.name_end).text);
  }
  char text[64];
};

// The meaning of each byte, and the colours for kernels.
struct Symbols : SymbolTable {
  Symbols(const char *symbols, bool inserts) : SymbolTable(symbols, inserts) {
    for (int c = 0; c < SymbolColors::kBytes; ++c)
      if (const int16_t color = (*this)[static_cast<char>(c)]; color >= 0) colors.next[c] = static_cast<uint8_t>(color + 1);
  }
  SymbolColors colors;
};
static_assert(kMaxSymbols <= 255);

// The input of one read.
struct Reading {
  Context &context;
  const Text &text;
  const SequenceRows &found;
  const char *symbols;
  atp_unknown policy;
  const SymbolKernels &kernels = symbol_kernels(context.target);

  long long line(const char *place) const { return line_of(text, place); }
  // Calls known(place, n) for n symbols of the alphabet in a row, and other(place, value in the table) for every other byte. In columns
  // that are no match columns, every symbol is one of an insert column. measure(place, n) gives the number of symbols of the alphabet at
  // the beginning of n bytes; known() of the same place follows it.
  template <class Measure, class Known, class Other>
  void each_run(const Row &row, const Symbols &table, Measure &&measure, Known &&known, Other &&other) const {
    int64_t column = 0;
    const int64_t judged = found.match.size();
    for (int64_t k = row.first_piece; k < row.first_piece + row.pieces; ++k)
      for (const char *p = found.pieces[k].begin, *end = found.pieces[k].end; p < end;) {
        // No run goes over the end of a piece; vectors may read beyond it.
        const int64_t n = judged > 0 ? 0 : std::min<int64_t>(measure(p, text.end() - p), end - p);
        if (n > 0) known(p, n);
        p += n;
        if (p == end) break;
        int16_t color = table[*p];
        if (column < judged && color != kSkippedSymbol && found.match[column++] == 0) color = is_letter(*p) ? kInsertSymbol : kInsertGap;
        if (color >= 0) {
          (void)measure(p, 1);
          known(p, 1);
        } else if (color != kSkippedSymbol) {
          other(p, color);
        }
        ++p;
      }
  }
  template <class Known, class Other>
  void each_run(const Row &row, const Symbols &table, Known &&known, Other &&other) const {
    each_run(
        row, table, [this, &table](const char *p, int64_t n) { return kernels.run(table.colors, p, n); }, known, other);
  }
  [[noreturn]] void fail_symbol(atp_status status, const char *place, const Row &row, const char *what) const {
    fail(status, "%s:%lld: symbol %s of %s is not in the alphabet %.100s%s", text.label, line(place), Quoted(place, place + 1).text,
         Title(row).text, symbols, what);
  }
};

// Counts of the file's contents, made before any allocation.
struct Counts {
  int64_t dropped = 0, sites = 0, name_bytes = 0, insert_runs = 0, insert_symbols = 0, other_bases = 0;
  SymbolCounts symbols;
  const char *first_unknown = nullptr;
  int64_t first_offender = 0;
};

void check_row_name(const Reading &r, const Row &row) {
  try {
    check_one_line(row.name, row.name_end - row.name, "the name of a sequence");
  } catch (const Error &e) {
    fail_at(r.text, row.place, "%s", e.what());
  }
}

[[noreturn]] void fail_length(const Reading &r, const Row &row, int64_t length, int64_t expected, bool inserts) {
  const char *what = r.found.match.size() > 0 ? "symbols in the match columns of '#=GC RF'"
                     : inserts                ? "symbols outside insert columns (lower case and '.')"
                                              : "symbols";
  if (length < 2) fail_at(r.text, row.place, "%s has %lld %s, needs at least 2", Title(row).text, llong{length}, what);
  fail_at(r.text, row.place, "%s has %lld %s, expected %lld as in the first one", Title(row).text, llong{length}, what, llong{expected});
}

// Refuses what is no symbol at all, whatever the policy for symbols outside the alphabet: '>', where a line end is missing; a line of
// comment, whose letters would be residues; a control character.
void check_stray(const Reading &r, const char *place, const Row &row) {
  const char *line_begin = place;
  while (line_begin > r.text.begin() && is_blank(line_begin[-1])) --line_begin;
  const bool begins = line_begin == r.text.begin() || is_line_end(line_begin[-1]);
  const bool comment = begins && (*place == ';' || *place == '#');
  if (*place != '>' && !comment && (static_cast<unsigned char>(*place) >= ' ' && *place != 127)) return;
  fail_at(r.text, place, "%s within the symbols of %s, expected %s", Quoted(place, end_of_line(r.text, place)).text, Title(row).text,
          *place == '>' ? "'>' at the start of a line: a line end may be missing, as between joined files"
          : comment     ? "symbols: comments are read only before the first sequence"
                        : "no control characters");
}

// Stockholm: each sequence has as many symbols as '#=GC RF'.
void check_match_columns(const Reading &r) {
  const int64_t columns = r.found.match.size();
  for (int64_t k = 0; columns > 0 && k < r.found.count(); ++k) {
    const Row &row = r.found.rows[k];
    int64_t length = 0;
    for (int64_t t = row.first_piece; t < row.first_piece + row.pieces; ++t) length += r.found.pieces[t].end - r.found.pieces[t].begin;
    if (length != columns)
      fail_at(r.text, row.place, "%s has %lld symbols, the lines '#=GC RF' have %lld, expected equal numbers", Title(row).text,
              llong{length}, llong{columns});
  }
}

Counts count(const Reading &r, const Symbols &table, bool inserts) {
  Counts counts;
  const bool without_gap = is_alphanumeric(r.symbols[0]) && std::strchr(r.symbols, '-') == nullptr;  // as in models that ignore gaps
  for (int64_t k = 0; k < r.found.count(); ++k) {
    const Row &row = r.found.rows[k];
    check_row_name(r, row);
    int64_t length = 0, unknown = 0, runs = 0, inserted = 0;
    // Runs of residues between columns: inserts, and letters that were read as gaps.
    auto add_residue = [&runs, last = int64_t{-1}](int64_t column) mutable { runs += std::exchange(last, column) == column ? 0 : 1; };
    const auto known = [&](const char *p, int64_t n) {
      length += n;
      counts.symbols.known += n;
      if (table.other_base() != 0) counts.other_bases += std::count_if(p, p + n, [&](char c) { return table.is_other_base(c); });
    };
    r.each_run(row, table, known, [&](const char *p, int16_t color) {
      if (color == kUnknownSymbol) {
        check_stray(r, p, row);
        if (r.policy == ATP_UNKNOWN_ERROR) r.fail_symbol(ATP_E_ALPHABET, p, row, "");
        if (r.policy == ATP_UNKNOWN_GAP && without_gap)
          r.fail_symbol(ATP_E_ALPHABET, p, row, ", which has no gap to replace it: put one in front, or drop such sequences");
        if (counts.first_unknown == nullptr) {
          counts.first_unknown = p;
          counts.first_offender = k;
        }
        if (is_letter(*p)) add_residue(length);
        ++length;
        ++unknown;
        counts.symbols.add_unknown(*p);
      } else if (color == kInsertSymbol) {
        add_residue(length);
        ++inserted;
      }
    });
    if (k == 0) counts.sites = length;
    if (length != counts.sites || length < 2) fail_length(r, row, length, counts.sites, inserts);
    counts.insert_symbols += inserted;
    if (unknown > 0 && r.policy == ATP_UNKNOWN_DROP) {
      ++counts.dropped;
    } else {
      counts.name_bytes += row.name_end - row.name + 1;
      counts.insert_runs += runs;
    }
  }
  const Row &offender = r.found.rows[counts.first_offender];
  if (counts.dropped == r.found.count())
    r.fail_symbol(ATP_E_FORMAT, counts.first_unknown, offender, ": every sequence has such symbols, so none is left");
  if (counts.symbols.known == 0)
    r.fail_symbol(ATP_E_FORMAT, counts.first_unknown, offender, ", nor is any other symbol of the file: choose another alphabet");
  return counts;
}

// Fills the alignment row by row; the row of a dropped sequence goes to the next one.
void fill(const Reading &r, const Symbols &table, Alignment &alignment) {
  int64_t made = 0, name_place = 0, run = 0;
  for (int64_t k = 0; k < r.found.count() && made < alignment.count(); ++k) {
    const Row &row = r.found.rows[k];
    uint8_t *out = alignment.own_sequences.data() + made * alignment.sites();
    const uint8_t *begin = out, *end = alignment.own_sequences.end();
    const int64_t first_run = run;
    bool dropped = false;
    const auto residue = [&](int64_t column) {
      if (alignment.insert_runs.empty() || dropped) return;
      if (run == first_run || alignment.insert_runs[run - 1].column != static_cast<uint32_t>(column)) {
        if (run < alignment.insert_runs.size()) alignment.insert_runs[run++] = {static_cast<uint32_t>(column), 1};
      } else {
        ++alignment.insert_runs[run - 1].count;
      }
    };
    // Colours beyond a run are written again by the next one, or by the next sequence.
    const auto map = [&](const char *p, int64_t n) { return r.kernels.map(table.colors, p, std::min<int64_t>(n, end - out), out); };
    r.each_run(
        row, table, map, [&](const char *, int64_t n) { out += n; },
        [&](const char *p, int16_t color) {
          if (color != kUnknownSymbol) {
            if (color == kInsertSymbol) residue(out - begin);
            return;
          }
          dropped = dropped || r.policy == ATP_UNKNOWN_DROP;
          if (is_letter(*p)) residue(out - begin);
          *out++ = 0;
        });
    if (dropped) {
      run = first_run;
      continue;
    }
    if (alignment.has_names()) {
      alignment.name_offsets[made] = name_place;
      const std::size_t bytes = static_cast<std::size_t>(row.name_end - row.name);
      std::memcpy(alignment.names.data() + name_place, row.name, bytes);
      name_place += static_cast<int64_t>(bytes) + 1;  // with a final zero: the block is zeroed
    }
    ++made;
    if (alignment.has_inserts()) alignment.insert_offsets[made] = run;
  }
}

// What was left out or read as something else without a loss.
void report_reading(const Reading &r, const Symbols &table, const Counts &counts) {
  if (r.found.annotations > 0)
    r.context.message(ATP_LOG_INFO, "%s: %lld records that are no sequences were left out: %s%s", r.text.label, llong{r.found.annotations},
                      Quoted(r.found.annotation.name, r.found.annotation.name_end).text, r.found.annotations > 1 ? ", ..." : "");
  if (const int64_t columns = r.found.match.size(); columns > counts.sites)
    r.context.message(ATP_LOG_INFO, "%s: %lld of %lld columns are insert columns by '#=GC RF' and were left out", r.text.label,
                      llong{columns - counts.sites}, llong{columns});
  else if (counts.insert_symbols > 0)
    r.context.message(ATP_LOG_INFO, "%s: %lld symbols in insert columns (lower case) were skipped", r.text.label,
                      llong{counts.insert_symbols});
  if (counts.other_bases > 0)
    r.context.message(ATP_LOG_INFO, "%s: %lld symbols '%c' were read as '%c'", r.text.label, llong{counts.other_bases}, table.other_base(),
                      table.other_base() ^ ('T' ^ 'U'));
}

void report_symbols(const Reading &r, const Counts &counts) {
  const SymbolCounts &c = counts.symbols;
  const int64_t n = r.found.count();
  if (c.unknown == 0) return;
  char list[240] = "";
  c.list_unknown(list, sizeof list);
  if (counts.dropped > 0) {
    r.context.message(counts.dropped * 10 > n ? ATP_LOG_WARNING : ATP_LOG_INFO,
                      "%s: %lld of %lld sequences were dropped because of symbols that are not in the alphabet: %s", r.text.label,
                      llong{counts.dropped}, llong{n}, list);
    return;
  }
  const bool many = c.unknown * 10 > c.known;
  const char *fitting = many ? c.fitting_alphabet() : nullptr;
  r.context.message(many ? ATP_LOG_WARNING : ATP_LOG_INFO,
                    "%s: %lld of %lld symbols are not in the alphabet and were replaced by '%c': %s%s%s%s", r.text.label, llong{c.unknown},
                    llong{c.known + c.unknown}, r.symbols[0], list, fitting != nullptr ? "; the alphabet '" : "",
                    fitting != nullptr ? fitting : "", fitting != nullptr ? "' fits" : "");
}

// Warns of names that occur twice. Hashes are made for some rows at a time, so that the table's slots arrive together.
void report_names(const Reading &r) {
  constexpr int64_t kTogether = 32;
  NameTable names(r.context.allocator, r.found.count());
  Growing<int64_t> rows(r.context.allocator);
  rows.reserve(r.found.count());
  int64_t repeated = 0, first = -1, again = -1;
  const auto size_of = [&](int64_t k) { return r.found.rows[k].name_end - r.found.rows[k].name; };
  for (int64_t begin = 0; begin < r.found.count(); begin += kTogether) {
    const int64_t end = std::min(r.found.count(), begin + kTogether);
    uint64_t hashes[kTogether];
    for (int64_t k = begin; k < end; ++k) names.prefetch(hashes[k - begin] = names.hash_of(r.found.rows[k].name, size_of(k)));
    for (int64_t k = begin; k < end; ++k) {
      if (size_of(k) == 0) continue;
      const int64_t same = names.find_or_add(hashes[k - begin], [&](int64_t t) {
        return size_of(rows[t]) == size_of(k) &&
               std::memcmp(r.found.rows[rows[t]].name, r.found.rows[k].name, static_cast<std::size_t>(size_of(k))) == 0;
      });
      if (same < 0) {
        rows.push_back(k);
      } else if (repeated++ == 0) {
        first = rows[same];
        again = k;
      }
    }
  }
  if (repeated == 0) return;
  const Row &row = r.found.rows[again];
  r.context.message(ATP_LOG_WARNING, "%s: %lld sequences have the name of an earlier one, the first is %s in lines %lld and %lld",
                    r.text.label, llong{repeated}, Quoted(row.name, row.name_end).text, r.line(r.found.rows[first].place),
                    r.line(row.place));
}

void report_gap_columns(const Reading &r, const Alignment &alignment) {
  Growing<uint8_t> filled(r.context.allocator);
  filled.assign(alignment.sites(), 0);
  bool gaps = true;  // in all sequences up to the present one
  for (int64_t n = 0; n < alignment.count() && gaps; ++n) {
    const uint8_t *s = alignment.sequence(n);
    gaps = false;
    for (int64_t i = 0; i < alignment.sites(); ++i) gaps = (filled[i] |= s[i]) == 0 || gaps;
  }
  int64_t columns = 0, first = -1;
  for (int64_t i = alignment.sites() - 1; i >= 0; --i)
    if (filled[i] == 0) {
      ++columns;
      first = i;
    }
  if (columns > 0 && alignment.count() > 1)
    r.context.message(ATP_LOG_WARNING, "%s: %lld of %lld columns contain only gaps ('%c'); the first is column %lld", r.text.label,
                      llong{columns}, llong{alignment.sites()}, r.symbols[0], llong{first + 1});
}

// The width of the first protein. Where each row has a piece for each protein, all first pieces have equal widths, and all second ones.
int64_t check_proteins(const Reading &r, const Symbols &table) {
  if (r.found.widths[0] > 0) return r.found.widths[0];
  int64_t widths[2] = {};
  for (int64_t k = 0; k < r.found.count(); ++k)
    for (int64_t part = 0; part < 2; ++part) {
      Row row = r.found.rows[k];
      row.first_piece += part;
      row.pieces = 1;
      int64_t length = 0;
      r.each_run(
          row, table, [&](const char *, int64_t n) { length += n; },
          [&](const char *, int16_t color) { length += color == kUnknownSymbol ? 1 : 0; });
      if (k == 0) widths[part] = length;
      if (length == widths[part] && length > 0) continue;
      fail_at(r.text, r.found.pieces[row.first_piece].begin,
              "row %lld of the %s alignment has %lld symbols outside insert columns (lower case and '.'), expected %lld%s", llong{k + 1},
              part == 0 ? "first" : "second", llong{length}, llong{k == 0 ? 1 : widths[part]},
              k == 0 ? " or more" : " as in its first row");
    }
  return widths[0];
}

[[noreturn]] void fail_widths(const Reading &r, int64_t sites) {
  fail(ATP_E_FORMAT, "%s:1: the proteins have %lld and %lld columns, the sequences below %lld, expected the sum of both", r.text.label,
       llong{r.found.widths[0]}, llong{r.found.widths[1]}, llong{sites});
}

void report_proteins(const Reading &r, const Alignment &alignment) {
  const int64_t border = alignment.labels.border(), sites = alignment.sites();
  int64_t alone = 0;
  for (int64_t n = 0; n < alignment.count(); ++n) {
    const uint8_t *s = alignment.sequence(n);
    const auto is_gap = [](uint8_t color) { return color == 0; };
    alone += std::all_of(s, s + border, is_gap) || std::all_of(s + border, s + sites, is_gap) ? 1 : 0;
  }
  r.context.message(ATP_LOG_INFO,
                    "%s: columns 1..%lld are the first protein, %lld..%lld the second; %lld of %lld sequences are unpaired, with only gaps "
                    "('%c') in one of them",
                    r.text.label, llong{border}, llong{border + 1}, llong{sites}, llong{alone}, llong{alignment.count()}, r.symbols[0]);
}

void report_others(Context &context, const char *label, int64_t alignments) {
  context.message(ATP_LOG_WARNING,
                  "%s: zero bytes (NUL) separate %lld alignments, as in files of ColabFold and MMseqs2; only the first is read%s", label,
                  llong{alignments}, alignments == 2 ? ", the format paired joins the two row by row" : "");
}

// Whether the records have insert columns, by the rule of parse_sequences().
bool has_insert_columns(const Reading &r) {
  if (r.found.count() < 2) return false;
  for (const char *c = r.symbols; *c != 0; ++c)
    if (*c >= 'a' && *c <= 'z') return false;
  const Symbols table(r.symbols, true);
  bool lower = false, upper = false, raw_equal = true, match_equal = true;
  int64_t raw_first = 0, match_first = 0;
  for (int64_t k = 0; k < r.found.count(); ++k) {
    int64_t raw = 0, match = 0;
    const auto matched = [&](const char *p, int64_t n) {
      raw += n;
      match += n;
      upper = upper || std::any_of(p, p + n, is_letter);
    };
    r.each_run(r.found.rows[k], table, matched, [&](const char *p, int16_t color) {
      if (color == kUnknownSymbol) return matched(p, 1);
      ++raw;
      lower = lower || color == kInsertSymbol;
    });
    if (k == 0) {
      raw_first = raw;
      match_first = match;
    }
    raw_equal = raw_equal && raw == raw_first;
    match_equal = match_equal && match == match_first;
  }
  if (!lower || !upper || !match_equal) return false;
  if (!raw_equal) return true;
  constexpr uint8_t kInsert = 1, kMatch = 2;
  Growing<uint8_t> kinds(r.context.allocator);
  kinds.assign(raw_first, 0);
  for (int64_t k = 0; k < r.found.count(); ++k) {
    int64_t column = 0;
    bool mixed = false;
    const auto put = [&](uint8_t what, int64_t n) {
      for (int64_t end = column + n; column < end; ++column) {
        kinds[column] |= what;
        mixed = mixed || kinds[column] == (kInsert | kMatch);
      }
    };
    r.each_run(
        r.found.rows[k], table, [&](const char *, int64_t n) { put(kMatch, n); },
        [&](const char *, int16_t color) { put(color == kUnknownSymbol ? kMatch : kInsert, 1); });
    if (mixed) return false;
  }
  return true;
}

}  // namespace

Alignment *parse_sequences(Context &context, const Text &marked, SequenceFormat format, const char *symbols, atp_unknown policy) {
  const bool paired = format == SequenceFormat::paired;
  const Text whole = without_mark(marked);
  Text parts[2];
  const int64_t alignments = find_parts(whole, parts);
  if (alignments > 1 && !paired) report_others(context, whole.label, alignments);
  const Text &text = paired ? whole : parts[0];
  const int64_t colors = check_symbols(symbols, "alphabet");
  if (colors < 2) fail(ATP_E_ALPHABET, "alphabet has %lld symbols, must have at least 2", llong{colors});
  SequenceRows found(context.allocator);
  switch (format) {
    case SequenceFormat::stockholm: find_stockholm_rows(context, text, found); break;
    case SequenceFormat::aln: find_line_rows(text, false, symbols, found); break;
    case SequenceFormat::named: find_line_rows(text, true, symbols, found); break;
    case SequenceFormat::lines: find_line_rows(text, lines_have_names(text, symbols), symbols, found); break;
    case SequenceFormat::paired: find_paired_rows(context, parts, alignments, found); break;
    default: find_fasta_rows(text, found);
  }
  const Reading reading{context, text, found, symbols, policy};
  const bool inserts = paired || format == SequenceFormat::a2m || (format == SequenceFormat::records && has_insert_columns(reading));
  const Symbols table(symbols, inserts);
  check_match_columns(reading);
  const int64_t border = paired ? check_proteins(reading, table) : 0;
  const Counts counts = count(reading, table, inserts);
  if (found.widths[1] > 0 && counts.sites != found.widths[0] + found.widths[1]) fail_widths(reading, counts.sites);
  AlignmentShape shape{found.count() - counts.dropped, counts.sites, colors, 0};
  if (counts.name_bytes > shape.count) shape.name_bytes = counts.name_bytes;
  if (counts.sites > UINT32_MAX) fail(ATP_E_FORMAT, "%s: the sequences have more than 2^32 symbols", text.label);
  shape.insert_runs = counts.insert_runs;
  // The table of names has gone before the alignment comes.
  report_reading(reading, table, counts);
  report_symbols(reading, counts);
  report_names(reading);
  Owner<Alignment> made(create_in_block<Alignment>(context.allocator, &context, shape));
  fill(reading, table, *made);
  for (double &w : made->weights) w = 1;
  set_alphabet(made->alphabet, symbols, colors, "alphabet");
  report_gap_columns(reading, *made);
  made->labels.set_border(border);
  if (paired) report_proteins(reading, *made);
  return made.release();
}

}  // namespace atp
