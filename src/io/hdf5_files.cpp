// SPDX-License-Identifier: MIT
#include "io/hdf5_files.hpp"

#if ATP_HAS_HDF5

#include "io/hdf5_reader.hpp"
#include "io/hdf5_writer.hpp"
#include "potts/model_state.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>

namespace atp {

namespace {

constexpr int64_t kVersion = 1;
constexpr const char *kFormat = "attopotts";
constexpr int64_t kLongestName = 1023;  // longer names are truncated

void write_header(Hdf5Writer &file, const char *kind, int64_t colors, const char *alphabet) {
  file.text("format", kFormat);
  file.integer("format_version", kVersion);
  file.text("kind", kind);
  file.integer("index_base", 0);
  file.integer("colors", colors);
  file.text("alphabet", alphabet);
}

void require_header(const Hdf5Reader &file, const char *kind) {
  char format[64], found[64];
  file.text("format", {format, sizeof format}, true);
  if (std::strcmp(format, kFormat) != 0)
    file.fail_format("not a file of attopotts: attribute 'format' is '%s', must be '%s'", format, kFormat);
  file.integer("format_version", 1, kVersion);
  file.text("kind", {found, sizeof found}, true);
  if (std::strcmp(found, kind) != 0) file.fail_format("attribute 'kind' is '%s', must be '%s'", found, kind);
  file.integer("index_base", 0, 0);
}

// Makes an error of a check one of the file.
template <class Check>
void check_in(const Hdf5Reader &file, Check &&check) {
  try {
    check();
  } catch (const Error &e) {
    file.fail_format("%s", e.what());
  }
}

template <class Object>
void read_alphabet(const Hdf5Reader &file, Object &object) {
  char symbols[kMaxSymbols + 1];
  file.text("alphabet", {symbols, sizeof symbols}, false);
  check_in(file, [&] {
    check_symbols(symbols, "alphabet");
    if (symbols[0] != 0 && static_cast<int64_t>(std::strlen(symbols)) != object.colors())
      fail(ATP_E_SHAPE, "alphabet does not have one symbol per colour");
    std::memcpy(object.alphabet, symbols, sizeof symbols);
  });
}

// Site labels keep their defaults if the file has none.
void read_labels(Context &context, const Hdf5Reader &file, SiteLabels &labels) {
  const int64_t sites = labels.sites();
  const Scratch memory(context.allocator, 2 * Scratch::piece<int64_t>(sites) + Scratch::piece<char>(sites + 1));
  Arena arena = memory.arena();
  const Span<int64_t> numbers = arena.take<int64_t>(sites), columns = arena.take<int64_t>(sites);
  const Span<char> residues = arena.take<char>(sites + 1);
  std::copy(labels.numbers().begin(), labels.numbers().end(), numbers.begin());
  if (file.has_dataset("site_numbers")) {
    const Hdf5Dataset dataset = file.integers("site_numbers", 1);
    file.require_extent(dataset, 0, sites);
    file.read_int64s(dataset, numbers.data());
  }
  if (file.has_dataset("site_residues")) {
    const Hdf5Dataset dataset = file.texts("site_residues");
    file.require_extent(dataset, 0, sites);
    file.each_text(dataset, [&](int64_t i, const char *text, int64_t bytes) {
      if (bytes != 1) file.fail_format("element %lld of dataset 'site_residues' has %lld bytes, must have 1", llong{i}, llong{bytes});
      residues[i] = text[0];
    });
  }
  const bool has_columns = file.has_dataset("site_columns");
  int64_t total = sites;
  if (has_columns) {
    const Hdf5Dataset dataset = file.integers("site_columns", 1);
    file.require_extent(dataset, 0, sites);
    file.read_int64s(dataset, columns.data());
    total = file.integer("total_columns", sites, std::numeric_limits<int64_t>::max());
  }
  check_in(file, [&] {
    labels.set_columns(has_columns ? columns.data() : nullptr, total, "site_");
    labels.set(numbers.data(), residues.data(), "site_");
    if (file.has_attribute("border")) labels.set_border(file.integer("border", 0, std::numeric_limits<int64_t>::max()));
  });
}

// Checks a text of the file that must be one line.
void require_one_line(const Hdf5Reader &file, const char *text, int64_t bytes, const char *what) {
  check_in(file, [&] { check_one_line(text, bytes, what); });
}

// Reads the attribute 'origin', "" where there is none.
template <std::size_t kSize>
void read_origin(const Hdf5Reader &file, char (&origin)[kSize]) {
  file.text("origin", {origin, kSize}, true);
  require_one_line(file, origin, static_cast<int64_t>(std::strlen(origin)), "attribute 'origin'");
}

// Calls sink(row, text, bytes) for each name.
template <class Sink>
void each_name(const Hdf5Reader &file, const Hdf5Dataset &names, Sink &&sink) {
  file.each_text(names, [&](int64_t k, const char *name, int64_t bytes) {
    char what[64];
    std::snprintf(what, sizeof what, "element %lld of dataset 'names'", llong{k});
    require_one_line(file, name, bytes, what);
    sink(k, name, bytes);
  });
}

// Whether a file has a dataset 'sequences' and nothing of our header.
bool is_plain(const Hdf5Reader &file) {
  return !file.has_attribute("format") && !file.has_attribute("kind") && !file.has_attribute("colors") && file.has_dataset("sequences");
}

Alignment *read_alignment(Context &context, const Hdf5Reader &file, int64_t colors) {
  const bool plain = is_plain(file);
  if (!plain) require_header(file, "alignment");
  AlignmentShape shape;
  shape.colors = !plain ? file.integer("colors", 2, 255) : colors > 0 ? colors : 255;
  const Hdf5Dataset sequences = file.integers("sequences", 2);
  shape.count = sequences.extent[0];
  shape.sites = sequences.extent[1];
  if (shape.sites < 2) file.fail_format("dataset 'sequences' has %lld sites, needs at least 2", llong{shape.sites});
  Hdf5Dataset weights, names;
  if (file.has_dataset("weights")) {
    weights = file.reals("weights", 1);
    file.require_extent(weights, 0, shape.count);
  }
  if (file.has_dataset("names")) {
    names = file.texts("names");
    file.require_extent(names, 0, shape.count);
    each_name(file, names, [&](int64_t, const char *, int64_t bytes) { shape.name_bytes += bytes + 1; });
  }
  Owner<Alignment> made(create_in_block<Alignment>(context.allocator, &context, shape));
  file.read_colors(sequences, shape.colors, made->own_sequences.data());
  if (plain && colors == 0) made->shape.colors = std::max(2, *std::max_element(made->sequences.begin(), made->sequences.end()) + 1);
  read_alphabet(file, *made);
  read_labels(context, file, made->labels);
  read_origin(file, made->origin);
  if (weights.found) {
    file.read_reals(weights, std::numeric_limits<double>::max(), made->weights.data());
    check_in(file, [&] { check_weights(made->weights.data(), shape.count, "weights"); });
  } else {
    for (double &w : made->weights) w = 1;
  }
  if (names.found) {
    int64_t place = 0;
    each_name(file, names, [&](int64_t n, const char *name, int64_t bytes) {
      if (place + bytes >= made->names.size()) file.fail_format("dataset 'names' has changed while it was read");
      if (bytes > 0) std::memcpy(made->names.data() + place, name, static_cast<std::size_t>(bytes));
      made->name_offsets[n] = place;
      place += bytes + 1;
    });
  }
  return made.release();
}

void require_zero_diagonal(const Hdf5Reader &file, const char *name, const double *values, int64_t matrices, int64_t sites, int64_t block) {
  for (int64_t h = 0; h < matrices; ++h)
    for (int64_t i = 0; i < sites; ++i)
      for (int64_t k = 0; k < block; ++k)
        if (values[((h * sites + i) * sites + i) * block + k] != 0)
          file.fail_format("dataset '%s' couples site %lld to itself, must be 0 there", name, llong{i});
}

// The datasets of the couplings: all blocks, those of a list of pairs, or heads.
struct CouplingSets {
  Hdf5Dataset couplings, pairs, maps, values;
};

CouplingSets find_couplings(const Hdf5Reader &file, ModelShape &shape) {
  CouplingSets sets;
  const bool all = file.has_dataset("couplings"), some = file.has_dataset("pair_couplings");
  if (all || some) {
    for (const char *other : {"maps", "pair_couplings"})
      if (all && file.has_dataset(other)) file.fail_format("both 'couplings' and '%s' are there, expected one of them", other);
    if (some && file.has_dataset("maps")) file.fail_format("both 'pair_couplings' and 'maps' are there, expected one of them");
    sets.couplings = file.reals(all ? "couplings" : "pair_couplings", 4);
    file.require_extent(sets.couplings, 2, shape.colors);
    file.require_extent(sets.couplings, 3, shape.colors);
  }
  if (all) {
    shape.sites = sets.couplings.extent[0];
    file.require_extent(sets.couplings, 1, shape.sites);
  } else if (some) {
    sets.pairs = file.integers("pairs", 2);
    shape.sites = file.integer("sites", 2, kMaxListSites);
    shape.pairs = sets.pairs.extent[0];
    file.require_extent(sets.pairs, 1, 2);
    file.require_extent(sets.couplings, 0, shape.pairs);
    if (sets.couplings.extent[1] != 1) file.require_extent(sets.couplings, 1, 2);
    if (shape.pairs < 1) file.fail_format("dataset 'pairs' is empty, needs at least 1 pair");
  } else {
    sets.maps = file.reals("maps", 3);
    sets.values = file.reals("values", 3);
    shape.heads = sets.maps.extent[0];
    shape.sites = sets.maps.extent[1];
    file.require_extent(sets.maps, 2, shape.sites);
    file.require_extent(sets.values, 0, shape.heads);
    file.require_extent(sets.values, 1, shape.colors);
    file.require_extent(sets.values, 2, shape.colors);
  }
  return sets;
}

void read_pair_couplings(Context &context, const Hdf5Reader &file, const CouplingSets &sets, Model &model) {
  file.read_int64s(sets.pairs, &model.pairs.data()->first);
  check_in(file, [&] { check_sorted_pairs(model, "dataset 'pairs'"); });
  model.set_pairs(model.pairs);
  const int64_t directions = sets.couplings.extent[1], block = model.colors() * model.colors();
  const int64_t n = product_of(model.pairs.size(), directions, block);
  const Scratch memory(context.allocator, Scratch::piece<double>(n));
  const Span<double> blocks = memory.arena().take<double>(n);
  file.read_reals(sets.couplings, kLargestModelNumber, blocks.data());
  for (int64_t k = 0; k < model.pairs.size(); ++k)
    for (int64_t d = 0; d < directions; ++d)
      std::copy_n(blocks.data() + (k * directions + d) * block, block, pair_block(model, k, d).data());
  if (directions == 1) mirror_pair_blocks(model);
  model.find_scaled();
}

void write_pair_couplings(Context &context, Hdf5Writer &file, const Model &model) {
  const int64_t directions = pair_directions(model), block = model.colors() * model.colors(), pairs = model.pairs.size();
  const int64_t n = product_of(pairs, directions, block);
  const Scratch memory(context.allocator, Scratch::piece<double>(n));
  const Span<double> blocks = memory.arena().take<double>(n);
  for (int64_t k = 0; k < pairs; ++k)
    for (int64_t d = 0; d < directions; ++d) {
      const Span<double> from = pair_block(model, k, d);
      std::copy(from.begin(), from.end(), blocks.data() + (k * directions + d) * block);
    }
  const hsize_t colors = static_cast<hsize_t>(model.colors()), count = static_cast<hsize_t>(pairs);
  const hsize_t extent[4] = {count, static_cast<hsize_t>(directions), colors, colors}, list[2] = {count, 2};
  file.integer("sites", model.sites());
  file.int64s("pairs", 2, list, &model.pairs.data()->first);
  file.reals("pair_couplings", 4, extent, blocks.data());
}

// After the couplings, which must fit the order.
void read_order(Context &context, const Hdf5Reader &file, Model &model) {
  if (!file.has_dataset("order")) return;
  const Hdf5Dataset dataset = file.integers("order", 1);
  file.require_extent(dataset, 0, model.sites());
  const Scratch memory(context.allocator, Scratch::piece<int64_t>(model.sites()));
  const Span<int64_t> order = memory.arena().take<int64_t>(model.sites());
  file.read_int64s(dataset, order.data());
  check_in(file, [&] { model.set_order(order); });
}

Model *read_model(Context &context, const Hdf5Reader &file) {
  require_header(file, "model");
  ModelShape shape;
  shape.colors = file.integer("colors", 2, 255);
  const double beta = file.real("beta", kLargestModelNumber);
  if (beta < 0) file.fail_format("attribute 'beta' is %g, must be >= 0", beta);
  const CouplingSets sets = find_couplings(file, shape);
  Hdf5Dataset fields;
  if (file.has_dataset("fields")) {
    shape.fields = true;
    fields = file.reals("fields", 2);
    file.require_extent(fields, 0, shape.sites);
    file.require_extent(fields, 1, shape.colors);
  }
  check_in(file, [&] { check_shape(shape); });
  Owner<Model> made(create_in_block<Model>(context.allocator, &context, shape));
  made->beta = beta;
  read_alphabet(file, *made);
  read_labels(context, file, made->labels);
  read_origin(file, made->origin);
  if (shape.pairs > 0) {
    read_pair_couplings(context, file, sets, *made);
  } else if (shape.dense()) {
    file.read_reals(sets.couplings, kLargestModelNumber, made->couplings.data());
    require_zero_diagonal(file, "couplings", made->couplings.data(), 1, shape.sites, shape.colors * shape.colors);
  } else {
    file.read_reals(sets.maps, kLargestModelNumber, made->maps.data());
    require_zero_diagonal(file, "maps", made->maps.data(), shape.heads, shape.sites, 1);
    file.read_reals(sets.values, kLargestModelNumber, made->values.data());
  }
  if (shape.fields) file.read_reals(fields, kLargestModelNumber, made->fields.data());
  read_order(context, file, *made);
  return made.release();
}

hsize_t extent_of(int64_t n) { return static_cast<hsize_t>(n); }

void write_labels(Hdf5Writer &file, const SiteLabels &labels) {
  const hsize_t sites = extent_of(labels.sites());
  if (!labels.default_numbers()) file.int64s("site_numbers", 1, &sites, labels.numbers().data());
  if (!labels.all_columns()) {
    file.int64s("site_columns", 1, &sites, labels.columns().data());
    file.integer("total_columns", labels.total_columns());
  }
  if (labels.border() > 0) file.integer("border", labels.border());
  if (labels.has_residues()) file.texts("site_residues", labels.sites(), 1, [&](int64_t i) { return labels.residues() + i; });
}

}  // namespace

void write_alignment_hdf5(Context &context, const Alignment &alignment, const char *path) {
  const int64_t n = alignment.count(), sites = alignment.sites();
  int64_t longest = 0, cut = 0;
  for (int64_t k = 0; k < n; ++k) {
    const int64_t bytes = static_cast<int64_t>(std::strlen(alignment.name(k)));
    check_one_line(alignment.name(k), bytes, "the name of a sequence");
    longest = std::max(longest, std::min(bytes, kLongestName));
    cut += bytes > kLongestName ? 1 : 0;
  }
  Hdf5Writer file(context, path, n * (sites + 8) + alignment.names.size() + 9 * sites);
  write_header(file, "alignment", alignment.colors(), alignment.alphabet);
  file.text("origin", alignment.origin);
  const hsize_t extent[2] = {extent_of(n), extent_of(sites)};
  file.bytes("sequences", 2, extent, alignment.sequences.data());
  file.reals("weights", 1, extent, alignment.weights.data());
  if (longest > 0) file.texts("names", n, longest, [&](int64_t k) { return alignment.name(k); });
  write_labels(file, alignment.labels);
  file.commit("alignment");
  if (cut > 0)
    context.message(ATP_LOG_WARNING, "%s: %lld names were cut to %lld bytes", ShownPath(path).text, llong{cut}, llong{kLongestName});
}

void write_model_hdf5(Context &context, const Model &model, const char *path) {
  const hsize_t sites = extent_of(model.sites()), colors = extent_of(model.colors()), heads = extent_of(model.shape.heads);
  const int64_t numbers = model.maps.size() + model.values.size() +
                          (model.shape.pairs > 0 ? 2 * model.shape.pairs * (model.colors() * model.colors() + 1) : model.couplings.size()) +
                          model.fields.size() + model.order.size();
  Hdf5Writer file(context, path, 8 * numbers + 9 * model.sites());
  write_header(file, "model", model.colors(), model.alphabet);
  file.real("beta", model.beta);
  file.text("gauge", "none");
  if (model.origin[0] != 0) file.text("origin", model.origin);
  if (model.shape.pairs > 0) {
    write_pair_couplings(context, file, model);
  } else if (model.shape.dense()) {
    const hsize_t extent[4] = {sites, sites, colors, colors};
    file.reals("couplings", 4, extent, model.couplings.data());
  } else {
    const hsize_t map_extent[3] = {heads, sites, sites}, value_extent[3] = {heads, colors, colors};
    file.reals("maps", 3, map_extent, model.maps.data());
    file.reals("values", 3, value_extent, model.values.data());
  }
  const hsize_t field_extent[2] = {sites, colors};
  if (model.shape.fields) file.reals("fields", 2, field_extent, model.fields.data());
  if (model.shape.ordered) file.int64s("order", 1, &sites, model.order.data());
  write_labels(file, model.labels);
  file.commit("model");
}

Alignment *read_alignment_hdf5(Context &context, const char *path, int64_t colors) {
  return read_alignment(context, Hdf5Reader(context, path), colors);
}
Model *read_model_hdf5(Context &context, const char *path) { return read_model(context, Hdf5Reader(context, path)); }
Alignment *alignment_from_hdf5(Context &context, const Text &image, int64_t colors) {
  return read_alignment(context, Hdf5Reader(context, image), colors);
}
Model *model_from_hdf5(Context &context, const Text &image) { return read_model(context, Hdf5Reader(context, image)); }

namespace {

template <class Place>
const char *kind_of(Context &context, const Place &place) {
  try {
    const Hdf5Reader file(context, place);
    for (const char *kind : {"model", "alignment"}) {
      char found[64];
      file.text("kind", {found, sizeof found}, true);
      if (std::strcmp(found, kind) == 0) return kind;
    }
  } catch (const Error &) {
  }
  return "unknown";
}

}  // namespace

const char *hdf5_kind(Context &context, const char *path) { return kind_of(context, path); }
const char *hdf5_kind(Context &context, const Text &image) { return kind_of(context, image); }

}  // namespace atp

#else

namespace atp {

namespace {

[[noreturn]] void fail_unsupported(const char *label) {
  fail(ATP_E_UNSUPPORTED, "%s: this build has no HDF5 (Meson option hdf5)", ShownPath(label).text);
}

}  // namespace

void write_alignment_hdf5(Context &, const Alignment &, const char *path) { fail_unsupported(path); }
void write_model_hdf5(Context &, const Model &, const char *path) { fail_unsupported(path); }
Alignment *read_alignment_hdf5(Context &, const char *path, int64_t) { fail_unsupported(path); }
Model *read_model_hdf5(Context &, const char *path) { fail_unsupported(path); }
Alignment *alignment_from_hdf5(Context &, const Text &image, int64_t) { fail_unsupported(image.label); }
Model *model_from_hdf5(Context &, const Text &image) { fail_unsupported(image.label); }
const char *hdf5_kind(Context &, const char *) { return "unknown"; }
const char *hdf5_kind(Context &, const Text &) { return "unknown"; }

}  // namespace atp

#endif
