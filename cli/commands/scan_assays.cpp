// SPDX-License-Identifier: MIT
#include "commands/scan_assays.hpp"

#include "run/files.hpp"
#include "run/ranks.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>

namespace cli {

namespace {

namespace fs = std::filesystem;

// The folders to look in, one after the other: each, then those within it by their names.
std::vector<fs::path> places_of(const std::string &path, const std::vector<std::string> &folders) {
  std::vector<fs::path> places;
  const std::vector<std::string> of_table = {fs::path(path).parent_path().string()};
  for (const std::string &folder : folders.empty() ? of_table : folders) {
    const fs::path top = folder.empty() ? fs::path(".") : fs::path(folder);
    std::set<fs::path> within;
    std::error_code failure;
    for (fs::directory_iterator entry(top, failure), end; !failure && entry != end; entry.increment(failure))
      if (entry->is_directory(failure)) within.insert(entry->path());
    if (failure && !fs::is_directory(top, failure)) wrong_use("--folder is \"{}\", expected a folder", top.string());
    places.push_back(top);
    places.insert(places.end(), within.begin(), within.end());
  }
  return places;
}

// A row of the reference table, by the names of its columns.
class ReferenceRow {
 public:
  ReferenceRow(const SideTable &table, std::size_t row, const std::vector<fs::path> &places) : table_(table), row_(row), places_(places) {}

  // "" where the table has no such column.
  std::string text(const std::vector<std::string> &names) const {
    const int64_t column = table_.find(names);
    return column < 0 ? "" : table_.rows[row_][static_cast<std::size_t>(column)];
  }
  std::string required(const std::string &name) const {
    const std::string found = text({name});
    if (found.empty())
      wrong_use("{}, line {}: no {}, expected a column of that name with a value", table_.source, table_.lines[row_], name);
    return found;
  }
  // The first file of this name; "" if there is none and it may be missing.
  std::string file(const std::string &name, bool may_miss) const {
    for (const fs::path &place : places_)
      if (const fs::path file = (place / name).lexically_normal(); as_first_rank([&] { return is_file(file); })) return file.string();
    if (!may_miss)
      wrong_use("{}, line {}: {} is in no folder, expected it in one of --folder, or in a folder within", table_.source, table_.lines[row_],
                name);
    return "";
  }

 private:
  static bool is_file(const fs::path &path) {
    std::error_code failure;
    return fs::is_regular_file(path, failure);
  }
  const SideTable &table_;
  std::size_t row_;
  const std::vector<fs::path> &places_;
};

Assay assay_of(const ReferenceRow &row) {
  Assay assay;
  assay.name = row.required("DMS_id");
  assay.protein = row.text({"UniProt_ID"});
  if (assay.protein.empty()) assay.protein = assay.name;
  assay.type = row.text({"coarse_selection_type", "selection_type"});
  if (assay.type.empty()) assay.type = "not given";
  assay.target = row.text({"target_seq"});
  const std::string effects = row.text({"DMS_filename"}), weights = row.text({"weight_file_name", "weights_filename"});
  assay.effects = row.file(effects.empty() ? assay.name + ".csv" : effects, false);
  assay.sequences = row.file(row.required("MSA_filename"), false);
  if (!weights.empty()) assay.weights = row.file(weights, true);
  if (const std::string name = row.text({"pdb_file", "structure"}); !name.empty()) {
    assay.structure = row.file(name, true);
    if (assay.structure.empty()) assay.missing = name;
  }
  assay.cutoff = number_in(row.text({"DMS_binarization_cutoff"}));
  return assay;
}

struct Mean {
  double sum = 0;
  int64_t count = 0;
  void add(double value) {
    if (std::isnan(value)) return;
    sum += value;
    ++count;
  }
  double value() const { return count == 0 ? std::nan("") : sum / static_cast<double>(count); }
};

}  // namespace

std::vector<Assay> read_assays(const Session &session, const std::string &path, const std::vector<std::string> &folders) {
  const SideTable table = read_side_table(session, "REFERENCE", path, ATP_CELLS_NAMED);
  const std::vector<fs::path> places = places_of(path, folders);
  std::vector<Assay> assays;
  std::set<std::string> names;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    assays.push_back(assay_of(ReferenceRow(table, row, places)));
    if (!names.insert(assays.back().name).second)
      wrong_use("{}, line {}: DMS_id {} occurs twice, expected different ones", table.source, table.lines[row],
                printable(assays.back().name));
  }
  if (assays.empty()) wrong_use("{} has no assay, expected a header line and an assay on each line", table.source);
  return assays;
}

std::vector<MeanScore> mean_scores(const std::vector<AssayScore> &scores) {
  std::map<std::string, std::map<std::string, std::pair<Mean, Mean>>> proteins;  // by type
  std::map<std::string, int64_t> counts;
  for (const AssayScore &score : scores) {
    auto &[energy, independent] = proteins[score.type][score.protein];
    energy.add(score.energy);
    independent.add(score.independent);
    ++counts[score.type];
  }
  std::vector<MeanScore> means;
  Mean all_energy, all_independent;
  for (const auto &[type, of_type] : proteins) {
    Mean energy, independent;
    for (const auto &[protein, mean] : of_type) {
      energy.add(mean.first.value());
      independent.add(mean.second.value());
    }
    means.push_back({type, counts[type], energy.value(), independent.value()});
    all_energy.add(energy.value());
    all_independent.add(independent.value());
  }
  means.push_back({"all", static_cast<int64_t>(scores.size()), all_energy.value(), all_independent.value()});
  return means;
}

}  // namespace cli
