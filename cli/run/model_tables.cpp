// SPDX-License-Identifier: MIT
#include "run/model_tables.hpp"

#include "run/errors.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace cli {

namespace {

using attopotts::Pair;

constexpr double kMostNumber = 1e100;
constexpr int64_t kMostListSites = 1 << 20, kMostColors = 255;

// The names of the first line that is no comment.
std::vector<std::string> first_names(const InputFile &file) {
  const auto *text = static_cast<const char *>(atp_input_bytes_view(file.handle.get()));
  const char *end = text == nullptr ? nullptr : text + atp_input_size(file.handle.get());
  while (text != end && (*text == '#' || *text == '\n' || *text == '\r')) {
    if (*text == '#') text = std::find(text, end, '\n');
    if (text != end) ++text;
  }
  std::vector<std::string> names(1);
  for (; text != end && *text != '\n' && *text != '\r' && names.size() < 16; ++text)
    if (*text == ',' || *text == '\t' || *text == ';' || *text == ' ')
      names.emplace_back();
    else if (*text != '"')
      names.back() += *text;
  return names;
}

// What follows "# NAME: " in a comment; "" where there is none.
std::string comment_of(const InputFile &file, const std::string &name) {
  const std::string begin = "# " + name + ": ";
  const auto *text = static_cast<const char *>(atp_input_bytes_view(file.handle.get())), *end = text + atp_input_size(file.handle.get());
  const char *found = std::search(text, end, begin.begin(), begin.end());
  if (found == end || (found != text && found[-1] != '\n')) return "";
  found += begin.size();
  return std::string(found, std::find_if(found, end, [](char c) { return c == '\n' || c == '\r'; }));
}

bool begins_with(const std::vector<std::string> &names, const char *first, const char *second) {
  return names.size() > 2 && names[0] == first && names[1] == second;
}

// The rows of a table one after the other, with the place where something is wrong.
class CouplingCells {
 public:
  explicit CouplingCells(const InputFile &file)
      : rows_(file, ATP_CELLS_NAMED),
        i_(need({"i"})),
        j_(need({"j"})),
        a_(column("a")),
        b_(column("b")),
        value_(need({"J", "value", "coupling", "weight"})) {}
  bool next() { return rows_.next(); }
  int64_t line() const { return rows_.line(); }
  int64_t lines() const { return rows_.lines(); }
  int64_t i() const { return count(i_, kMostListSites); }
  int64_t j() const { return count(j_, kMostListSites); }
  int64_t a() const { return count(a_, kMostColors); }
  int64_t b() const { return count(b_, kMostColors); }
  bool has_colors() const { return a_ >= 0 && b_ >= 0; }
  double value() const {
    double number = 0;
    if (const std::string wrong = read_number(cell(value_), -kMostNumber, kMostNumber, number); !wrong.empty()) refuse_cell(value_, wrong);
    return number;
  }
  const std::string &cell(int64_t column) const { return rows_.cells().at(static_cast<std::size_t>(column)); }
  int64_t column(const char *name) const { return rows_.head().find({name}); }
  int64_t count(int64_t column, int64_t end) const {
    int64_t number = 0;
    if (const std::string wrong = read_count(cell(column), 0, end - 1, number); !wrong.empty()) refuse_cell(column, wrong);
    return number;
  }
  [[noreturn]] void refuse(int64_t line, const std::string &what) const { wrong_use("{}, line {}: {}", source(), line, what); }
  [[noreturn]] void refuse(const std::string &what) const { refuse(line(), what); }
  const std::string &source() const { return rows_.head().source; }

 private:
  [[noreturn]] void refuse_cell(int64_t column, const std::string &wrong) const {
    refuse(fmt::format("column {} {}", rows_.head().columns[static_cast<std::size_t>(column)], wrong));
  }
  int64_t need(const std::vector<std::string> &names) const {
    const int64_t found = rows_.head().find(names);
    if (found < 0) wrong_use("{} has no column {}", source(), names[0]);
    return found;
  }
  SideRows rows_;
  int64_t i_, j_, a_, b_, value_;
};

// A number with its indices, of which a kind of numbers has up to four, and its line.
struct Entry {
  std::array<int32_t, 4> at;
  double value;
  int64_t line;
};

bool is_before(const Entry &x, const Entry &y) { return x.at != y.at ? x.at < y.at : x.line < y.line; }

// What a table has; each kind in the order of its indices.
struct ModelParts {
  int64_t sites = 0, colors = 0, heads = 0;
  double beta = 1;
  std::vector<Entry> couplings, maps, values, fields;  // (i, j, a, b), (head, i, j), (head, a, b), (i, a)
  std::map<int64_t, int64_t> order;
};

void put(const CouplingCells &cells, std::vector<Entry> &to, int64_t k, int64_t l, int64_t m = 0, int64_t n = 0) {
  const auto index = [](int64_t at) { return static_cast<int32_t>(at); };
  to.push_back({{index(k), index(l), index(m), index(n)}, cells.value(), cells.line()});
}

// Puts the numbers in order, and fails where one is there twice, at the first such line.
void sort_entries(const CouplingCells &cells, ModelParts &parts) {
  int64_t line = INT64_MAX;
  for (std::vector<Entry> *entries : {&parts.couplings, &parts.maps, &parts.values, &parts.fields}) {
    std::sort(entries->begin(), entries->end(), is_before);
    for (std::size_t k = 1; k < entries->size(); ++k)
      if ((*entries)[k].at == (*entries)[k - 1].at) line = std::min(line, (*entries)[k].line);
  }
  if (line < INT64_MAX) cells.refuse(line, "this number is there twice");
}

ModelParts read_parts(CouplingCells &cells) {
  ModelParts parts;
  const int64_t part = cells.column("part"), head = cells.column("head");
  const auto site = [&](int64_t i) { return parts.sites = std::max(parts.sites, i + 1), i; };
  const auto color = [&](int64_t a) { return parts.colors = std::max(parts.colors, a + 1), a; };
  parts.couplings.reserve(static_cast<std::size_t>(cells.lines()));
  while (cells.next()) {
    const std::string &what = cells.cell(part);
    const auto head_of = [&] {
      const int64_t h = cells.count(head, 1 << 20);
      return parts.heads = std::max(parts.heads, h + 1), h;
    };
    if (what == "beta")
      parts.beta = cells.value();
    else if (what == "order")
      parts.order[site(cells.i())] = static_cast<int64_t>(cells.value());
    else if (what == "field")
      put(cells, parts.fields, site(cells.i()), color(cells.a()));
    else if (what == "coupling" && parts.heads == 0 && parts.values.empty())
      put(cells, parts.couplings, site(cells.i()), site(cells.j()), color(cells.a()), color(cells.b()));
    else if (what == "map" && parts.couplings.empty())
      put(cells, parts.maps, head_of(), site(cells.i()), site(cells.j()));
    else if (what == "value" && parts.couplings.empty())
      put(cells, parts.values, head_of(), color(cells.a()), color(cells.b()));
    else if (what == "coupling" || what == "map" || what == "value")
      cells.refuse("couplings beside maps and values of heads, expected one kind");
    else
      cells.refuse(fmt::format("column part is \"{}\", expected beta, order, field, coupling, map or value", printable(what)));
  }
  return parts;
}

// A list i,j,a,b,J has each pair once, in either order of its sites.
ModelParts read_blocks(CouplingCells &cells) {
  ModelParts parts;
  parts.couplings.reserve(static_cast<std::size_t>(2 * cells.lines()));
  while (cells.next()) {
    const int64_t i = cells.i(), j = cells.j(), a = cells.a(), b = cells.b();
    parts.sites = std::max({parts.sites, i + 1, j + 1});
    parts.colors = std::max({parts.colors, a + 1, b + 1});
    if (i == j) cells.refuse(fmt::format("a coupling of site {} with itself", i));
    put(cells, parts.couplings, i, j, a, b);
    put(cells, parts.couplings, j, i, b, a);
  }
  return parts;
}

std::vector<double> array_of(int64_t size) { return std::vector<double>(static_cast<std::size_t>(size)); }

std::vector<double> fields_of(const ModelParts &parts) {
  if (parts.fields.empty()) return {};
  std::vector<double> fields = array_of(parts.sites * parts.colors);
  for (const Entry &field : parts.fields) fields[static_cast<std::size_t>(field.at[0] * parts.colors + field.at[1])] = field.value;
  return fields;
}

Model model_of_heads(const Session &session, const ModelParts &parts) {
  const int64_t L = parts.sites, q = parts.colors;
  std::vector<double> maps = array_of(parts.heads * L * L), values = array_of(parts.heads * q * q);
  for (const auto &[k, value, line] : parts.maps) maps[static_cast<std::size_t>((k[0] * L + k[1]) * L + k[2])] = value;
  for (const auto &[k, value, line] : parts.values) values[static_cast<std::size_t>((k[0] * q + k[1]) * q + k[2])] = value;
  return Model::heads(session.context, L, q, parts.heads, maps, values, fields_of(parts));
}

// The first number of the couplings that is not before these indices, where it is of the same pair; else the end.
std::vector<Entry>::const_iterator find_coupling(const std::vector<Entry> &couplings, const std::array<int32_t, 4> &at) {
  const auto found = std::lower_bound(couplings.begin(), couplings.end(), Entry{at, 0, 0}, is_before);
  return found != couplings.end() && found->at[0] == at[0] && found->at[1] == at[1] ? found : couplings.end();
}

bool are_symmetric(const std::vector<Entry> &couplings) {
  return std::all_of(couplings.begin(), couplings.end(), [&](const Entry &entry) {
    const std::array<int32_t, 4> transposed = {entry.at[1], entry.at[0], entry.at[3], entry.at[2]};
    const auto other = find_coupling(couplings, transposed);
    return other != couplings.end() && other->at == transposed && other->value == entry.value;
  });
}

// Blocks of a symmetric list as they are; others, and those of all pairs, by way of a dense model.
Model model_of_blocks(const Session &session, const ModelParts &parts) {
  const int64_t L = parts.sites, q = parts.colors;
  std::vector<Pair> pairs;
  std::vector<double> blocks;
  for (const auto &[at, value, line] : parts.couplings) {
    if (at[0] > at[1] && find_coupling(parts.couplings, {at[1], at[0], 0, 0}) != parts.couplings.end()) continue;
    if (const Pair pair{at[0], at[1]}; pairs.empty() || pairs.back() != pair) {
      pairs.push_back(pair);
      blocks.resize(blocks.size() + static_cast<std::size_t>(q * q));
    }
    blocks[blocks.size() - static_cast<std::size_t>(q * q - at[2] * q - at[3])] = value;
  }
  const bool all = static_cast<int64_t>(pairs.size()) == L * (L - 1) / 2;
  if (!all && are_symmetric(parts.couplings)) return Model::of_pairs(session.context, L, q, pairs, blocks, {}, fields_of(parts));
  std::vector<double> dense = array_of(L * L * q * q);
  for (const auto &[at, value, line] : parts.couplings)
    dense[static_cast<std::size_t>(((at[0] * L + at[1]) * q + at[2]) * q + at[3])] = value;
  Model model = Model::dense(session.context, L, q, dense, fields_of(parts));
  return all ? std::move(model) : model.keep_pairs(session.context, pairs);
}

}  // namespace

bool is_model_table(const InputFile &file) {
  const std::vector<std::string> names = first_names(file);
  return begins_with(names, "part", "head") || begins_with(names, "i", "j");
}

bool is_edge_list(const InputFile &file) {
  const std::vector<std::string> names = first_names(file);
  return begins_with(names, "i", "j") && std::find(names.begin(), names.end(), "a") == names.end();
}

Edges read_edges(const InputFile &file) {
  CouplingCells cells(file);
  Edges edges;
  std::set<Pair> known;
  while (cells.next()) {
    const Pair pair{cells.i(), cells.j()};
    if (pair[0] == pair[1]) cells.refuse(fmt::format("a coupling of site {} with itself", pair[0]));
    if (!known.insert({std::min(pair[0], pair[1]), std::max(pair[0], pair[1])}).second)
      cells.refuse(fmt::format("the pair {},{} is there twice", pair[0], pair[1]));
    edges.pairs.push_back(pair);
    edges.strengths.push_back(cells.value());
    edges.sites = std::max({edges.sites, pair[0] + 1, pair[1] + 1});
  }
  if (edges.pairs.empty()) wrong_use("{} has no couplings", cells.source());
  return edges;
}

namespace {

// The numbers of the table; the text is given back.
ModelParts parts_in(const InputFile &file) {
  CouplingCells cells(file);
  const bool of_parts = cells.column("part") >= 0;
  if (!of_parts && !cells.has_colors())
    wrong_use("{} has no columns a and b, expected a model; attopotts sample reads couplings i,j,J with --couplings", cells.source());
  ModelParts parts = of_parts ? read_parts(cells) : read_blocks(cells);
  if (parts.couplings.empty() && parts.maps.empty()) wrong_use("{} has no couplings", cells.source());
  sort_entries(cells, parts);
  return parts;
}

}  // namespace

Model read_model_table(const Session &session, const InputFile &file, int64_t sites, int64_t colors) {
  ModelParts parts = parts_in(file);
  parts.sites = std::max(parts.sites, sites);
  parts.colors = std::max(parts.colors, colors);
  return labelled(file.label + " " + file.path, [&] {
    Model model = parts.heads > 0 ? model_of_heads(session, parts) : model_of_blocks(session, parts);
    model.set_beta(parts.beta);
    std::vector<int64_t> order;
    for (const auto &[place, site] : parts.order) order.push_back(site);
    if (!order.empty()) model.set_order(order);
    if (const std::string alphabet = comment_of(file, "alphabet"); !alphabet.empty()) model.set_alphabet(alphabet);
    return model;
  });
}

}  // namespace cli
