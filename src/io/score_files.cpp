// SPDX-License-Identifier: MIT
#include "io/score_files.hpp"

#include "base/symmetric.hpp"
#include "io/fields.hpp"
#include "io/file.hpp"
#include "potts/model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace atp {

namespace {

constexpr int64_t kLargestNumber = int64_t{1} << 53;

// The lines of pairs: of EVcouplings' CSV those after the names.
FieldReader pair_lines(const Text &file, ScoreFormat format) {
  if (format == ScoreFormat::plmc) return FieldReader(file);
  FieldReader reader(file, ',');
  reader.next_content();
  return reader;
}

int64_t count_lines(FieldReader reader) {
  int64_t n = 0;
  while (reader.next_content()) ++n;
  return n;
}

void parse_matrix(const Text &file, Scores &out) {
  const int64_t L = out.sites;
  FieldReader reader(file);
  for (int64_t i = 0; i < L; ++i) {
    if (!reader.next_content()) reader.fail_format("%lld rows, expected %lld", llong{i}, llong{L});
    for (int64_t j = 0; j < L; ++j) out.scores[i * L + j] = reader.real("a score");
    reader.end_line("as many numbers as in the first row");
  }
  if (reader.next_content()) reader.fail_format("a row too many, expected %lld", llong{L});
  require_symmetric(out.scores.data(), L, file.label, Symmetric::scores, kOfFile);
  for (int64_t i = 0; i < L; ++i) out.numbers[i] = i + 1;
  out.residues[0] = 0;
}

struct Pair {
  int64_t first = 0, second = 0;
  char first_residue = 0, second_residue = 0;
  double score = 0;
};

Pair read_pair(FieldReader &reader, ScoreFormat format) {
  Pair pair;
  pair.first = reader.integer("a site", -kLargestNumber, kLargestNumber);
  pair.first_residue = reader.symbol("a residue or '-'");
  pair.second = reader.integer("a site", -kLargestNumber, kLargestNumber);
  pair.second_residue = reader.symbol("a residue or '-'");
  if (pair.first == pair.second) reader.fail_format("both sites are %lld, expected two", llong{pair.first});
  reader.real("a number that is 0");
  pair.score = reader.real("a score");
  if (format == ScoreFormat::plmc) reader.end_line("the score");  // EVcouplings adds columns
  return pair;
}

// Inserts the number of a site into the sorted known ones. Returns false if there are more than the pairs allow.
bool learn(Span<int64_t> numbers, int64_t &known, int64_t number) {
  int64_t *end = numbers.begin() + known, *place = std::lower_bound(numbers.begin(), end, number);
  if (place != end && *place == number) return true;
  if (known == numbers.size()) return false;
  std::copy_backward(place, end, end + 1);
  *place = number;
  ++known;
  return true;
}

void parse_pairs(const Text &file, ScoreFormat format, Scores &out) {
  const int64_t L = out.sites;
  const Span<int64_t> numbers = out.numbers.sub(0, L);
  FieldReader reader = pair_lines(file, format);
  int64_t known = 0;
  while (reader.next_content()) {
    const Pair pair = read_pair(reader, format);
    if (!learn(numbers, known, pair.first) || !learn(numbers, known, pair.second))
      reader.fail_format("the file has the pairs of %lld sites, expected no further site", llong{L});
  }
  const double unread = std::numeric_limits<double>::quiet_NaN();
  std::fill_n(out.scores.begin(), L * L, unread);
  std::fill_n(out.residues.begin(), L + 1, '\0');
  bool focus = false;
  reader = pair_lines(file, format);
  while (reader.next_content()) {
    const Pair pair = read_pair(reader, format);
    const auto place = [&](int64_t number) { return std::lower_bound(numbers.begin(), numbers.begin() + known, number) - numbers.begin(); };
    const auto set_residue = [&](int64_t i, char residue) {
      if (out.residues[i] != 0 && out.residues[i] != residue)
        reader.fail_format("site %lld is '%c' here and '%c' before, expected one residue", llong{numbers[i]}, residue, out.residues[i]);
      out.residues[i] = residue;
      focus = focus || residue != '-';
    };
    const int64_t i = place(pair.first), j = place(pair.second);
    set_residue(i, pair.first_residue);
    set_residue(j, pair.second_residue);
    if (!std::isnan(out.scores[i * L + j]))
      reader.fail_format("the pair %lld %lld occurs twice, expected every pair once", llong{pair.first}, llong{pair.second});
    out.scores[i * L + j] = out.scores[j * L + i] = pair.score;
  }
  for (int64_t i = 0; i < L; ++i) out.scores[i * L + i] = 0;
  if (!focus) out.residues[0] = 0;
}

void write_matrix(BufferedOutput &out, const double *scores, int64_t sites) {
  for (int64_t i = 0; i < sites; ++i) {
    for (int64_t j = 0; j < sites; ++j) {
      out.put_real(scores[i * sites + j], RealStyle::scientific);
      out.put('\t');
    }
    out.put('\n');
  }
}

void put_pair(BufferedOutput &out, const SiteLabels &labels, int64_t i, int64_t j, char separator) {
  for (int64_t site : {i, j}) {
    out.put_integer(labels.numbers()[site]);
    out.put(separator);
    out.put(labels.has_residues() ? labels.residues()[site] : '-');
    out.put(separator);
  }
  out.put('0');
  out.put(separator);
}

void write_pairs(BufferedOutput &out, const double *scores, const SiteLabels &labels) {
  const int64_t sites = labels.sites();
  for (int64_t i = 0; i < sites; ++i)
    for (int64_t j = i + 1; j < sites; ++j) {
      put_pair(out, labels, i, j, ' ');
      out.put_real(scores[i * sites + j], RealStyle::fixed);
      out.put('\n');
    }
}

constexpr char kNames[] = "i,A_i,j,A_j,fn,cn";

// The best pair first, equal ones in the order of their sites.
void write_ranked(Context &context, BufferedOutput &out, const double *scores, const SiteLabels &labels) {
  const int64_t sites = labels.sites(), pairs = sites * (sites - 1) / 2;
  const Scratch memory(context.allocator, Scratch::piece<int64_t>(pairs));
  const Span<int64_t> order = memory.arena().take<int64_t>(pairs);
  int64_t known = 0;
  for (int64_t i = 0; i < sites; ++i)
    for (int64_t j = i + 1; j < sites; ++j) order[known++] = i * sites + j;
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return scores[a] != scores[b] ? scores[a] > scores[b] : a < b; });
  out.put(kNames, sizeof kNames - 1);
  out.put('\n');
  for (int64_t place : order) {
    put_pair(out, labels, place / sites, place % sites, ',');
    out.put_real(scores[place], RealStyle::exact);
    out.put('\n');
  }
}

}  // namespace

bool is_evcouplings_header(const Field &word) {
  const int64_t size = sizeof kNames - 1;
  return word.size() >= size && std::equal(kNames, kNames + size, word.begin) && (word.size() == size || word.begin[size] == ',');
}

ScoreTable::ScoreTable(Context &context, int64_t sites)
    : memory_(context.allocator, Scratch::piece<double>(sites * sites) + Scratch::piece<int64_t>(sites) + Scratch::piece<char>(sites + 1)) {
  Arena arena = memory_.arena();
  scores_.sites = sites;
  scores_.scores = arena.take<double>(sites, sites);
  scores_.numbers = arena.take<int64_t>(sites);
  scores_.residues = arena.take<char>(sites + 1);
}

int64_t count_score_sites(const Text &file, ScoreFormat format) {
  FieldReader reader(file);
  if (!reader.next_content()) fail(ATP_E_FORMAT, "%s: the file is empty, expected scores", file.label);
  const int64_t bytes = file.bytes.size();
  int64_t sites = 0;
  if (format == ScoreFormat::ccmpred) {
    sites = reader.count_fields();
    if (sites < 2 || sites > kMaxSites)
      reader.fail_format("%lld numbers in the first row, expected 2 to %lld", llong{sites}, llong{kMaxSites});
    // Every element of the matrix needs a digit and a separator.
    if (bytes + 1 < 2 * sites * sites)
      fail(ATP_E_FORMAT, "%s: %lld bytes, too few for %lld rows of %lld numbers: cut short?", file.label, llong{bytes}, llong{sites},
           llong{sites});
    return sites;
  }
  const int64_t lines = count_lines(pair_lines(file, format));
  sites = static_cast<int64_t>(std::llround((1 + std::sqrt(1 + 8 * static_cast<double>(lines))) / 2));
  if (sites < 2 || sites * (sites - 1) / 2 != lines || sites > kMaxSites)
    fail(ATP_E_FORMAT, "%s: %lld lines, expected L (L - 1) / 2, one for each pair of L sites (%lld would be the pairs of %lld): cut short?",
         file.label, llong{lines}, llong{sites * (sites - 1) / 2}, llong{sites});
  return sites;
}

void parse_scores(const Text &file, ScoreFormat format, Scores &out) {
  if (format == ScoreFormat::ccmpred)
    parse_matrix(file, out);
  else
    parse_pairs(file, format, out);
}

void write_scores(Context &context, const double *scores, const SiteLabels &labels, ScoreFormat format, const char *path) {
  BufferedOutput out(context, path);
  switch (format) {
    case ScoreFormat::ccmpred: write_matrix(out, scores, labels.sites()); break;
    case ScoreFormat::plmc: write_pairs(out, scores, labels); break;
    case ScoreFormat::evcouplings: write_ranked(context, out, scores, labels); break;
  }
  out.commit();
}

}  // namespace atp
