// SPDX-License-Identifier: MIT
#include "commands/double_mutants.hpp"

#include "run/signals.hpp"

#include <algorithm>
#include <cmath>

namespace cli {

namespace {

constexpr int64_t kRowBytes = 70;  // about, for the forecast

// The energies of single mutants by the model of independent sites, [L][q]; empty without one.
std::vector<double> independent_singles(const WildType &wild) {
  if (wild.independent == nullptr) return {};
  const int64_t sites = atp_model_sites(wild.independent), size = sites * atp_model_colors(wild.independent);
  std::vector<double> energies(static_cast<std::size_t>(size));
  check(atp_model_mutants(wild.session.context.get(), wild.independent, wild.sequence, sites, energies.data(), nullptr, size));
  return energies;
}

// Double mutants [n][4] as of atp_model_best_doubles(), and what atp_model_epistasis() gives for them.
struct Doubles {
  std::vector<int64_t> changes;
  std::vector<double> energies, epistasis;
  std::size_t count() const { return changes.size() / 4; }
  void score(const WildType &wild) {
    energies.resize(count());
    epistasis.resize(count());
    check(atp_model_epistasis(wild.session.context.get(), wild.model, wild.sequence, changes.data(), static_cast<int64_t>(count()),
                              energies.data(), epistasis.data()));
  }
};

// One site of a mutant and its new colour.
struct Place {
  int64_t site, color;
};

class DoubleRows {
 public:
  explicit DoubleRows(const WildType &wild) : wild_(wild), colors_(atp_model_colors(wild.model)), independent_(independent_singles(wild)) {}

  static std::vector<std::string> columns() {
    return {"number_i", "from_i", "to_i", "number_j", "from_j", "to_j", "energy", "epistasis", "independent"};
  }
  std::vector<std::string> cells(const Doubles &doubles, std::size_t k) const {
    const int64_t *change = doubles.changes.data() + 4 * k;
    const Place i{change[0], change[1]}, j{change[2], change[3]};
    const double independent = independent_.empty() ? std::nan("") : -independent_[at(i)] - independent_[at(j)];
    return {number(i),
            from(i),
            color_name(wild_.model, i.color),
            number(j),
            from(j),
            color_name(wild_.model, j.color),
            cell(doubles.energies[k]),
            cell(doubles.epistasis[k]),
            cell(independent)};
  }

 private:
  std::size_t at(Place p) const { return static_cast<std::size_t>(p.site * colors_ + p.color); }
  std::string number(Place p) const { return cell(atp_model_site_numbers_view(wild_.model)[p.site]); }
  std::string from(Place p) const {
    const uint8_t color = wild_.sequence[p.site];
    return color == ATP_MISSING ? "" : color_name(wild_.model, color);
  }

  const WildType &wild_;
  int64_t colors_;
  std::vector<double> independent_;
};

// New colours of a site.
std::vector<int64_t> colors_of(const WildType &wild, int64_t site) {
  std::vector<int64_t> colors;
  for (int64_t a = 0; a < atp_model_colors(wild.model); ++a)
    if (a != wild.sequence[site]) colors.push_back(a);
  return colors;
}

void add_notes(Table &head, const WildType &wild, const std::string &what) {
  head.note(what + " of " + wild.name);
  note_energies(head, wild.model);
  head.note("epistasis: energy less those of both single mutants");
  if (wild.independent != nullptr) head.note("independent: the score by independent sites, positive: the mutant is more probable");
}

void write_all(const WildType &wild, int64_t total, const std::string &path) {
  const int64_t sites = atp_model_sites(wild.model);
  if (is_json(wild.session, path))
    wrong_use(
        "all double mutants are written as they come, as CSV: --json or a file that ends in .json is given, expected a list with "
        "--mutations");
  const DoubleRows rows(wild);
  Table head(wild.session, DoubleRows::columns());
  add_notes(head, wild, fmt::format("all {} double mutants", total));
  Doubles doubles;
  int64_t i = -1;
  write_streamed(wild.session, path, head, [&] {  // the mutants of the next site with all later ones
    std::string text;
    while (text.empty() && ++i + 1 < sites) {
      doubles.changes.clear();
      for (int64_t j = i + 1; j < sites; ++j)
        for (int64_t a : colors_of(wild, i))
          for (int64_t b : colors_of(wild, j)) doubles.changes.insert(doubles.changes.end(), {i, a, j, b});
      doubles.score(wild);
      for (std::size_t k = 0; k < doubles.count(); ++k) text += csv_line(rows.cells(doubles, k));
    }
    return text;
  });
}

Table write_best(const WildType &wild, int64_t count, const std::string &path) {
  const auto n = static_cast<std::size_t>(count);
  Doubles doubles{std::vector<int64_t>(4 * n), std::vector<double>(n), {}};
  check(atp_model_best_doubles(wild.session.context.get(), wild.model, wild.sequence, -1, doubles.changes.data(), doubles.energies.data(),
                               count));
  doubles.score(wild);
  std::vector<int64_t> changes;
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t side : {0u, 2u})
      changes.insert(changes.end(), {static_cast<int64_t>(k), doubles.changes[4 * k + side], doubles.changes[4 * k + side + 1]});
  const ScoredMutants scored = score_mutants(wild, changes, count);
  const DoubleRows rows(wild);
  std::vector<std::string> columns = DoubleRows::columns();
  columns.emplace_back("log_pseudolikelihood");
  Table table(wild.session, columns);
  add_notes(table, wild, fmt::format("the {} double mutants with the lowest energies", count));
  for (std::size_t k = 0; k < n; ++k) {
    std::vector<std::string> cells = rows.cells(doubles, k);
    cells.push_back(cell(scored.log_pseudolikelihood[k]));
    table.row(cells);
  }
  table.write(wild.session, path);
  return table;
}

}  // namespace

std::optional<Table> write_doubles(const WildType &wild, const DoublesFlags &flags, const std::string &path) {
  int64_t total = 0;
  check(atp_model_count_doubles(wild.model, wild.sequence, -1, &total));
  if (flags.top) return write_best(wild, std::min(total, *flags.top), path);
  wild.session.say("{} double mutants: the table will have about {:.1f} MB; --top N writes only the N most probable", total,
                   1e-6 * static_cast<double>(total * kRowBytes));
  write_all(wild, total, path);
  return std::nullopt;
}

}  // namespace cli
