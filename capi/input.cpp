// SPDX-License-Identifier: MIT
#include "input_handle.hpp"

#include "io/distance_files.hpp"
#include "io/model_files.hpp"
#include "io/npy.hpp"
#include "io/alignment_files.hpp"
#include "io/text_table.hpp"

#include <algorithm>

using namespace atp;

namespace atp {

void read_scores(const Source &source, double *scores, int64_t size, int64_t *numbers, char *residues) {
  const ScoreFile file(source);
  const int64_t sites = file.sites();
  require_size(size, product_of(sites, sites), "size");
  const ScoreTable table(source.context(), sites);
  Scores read = table.get();
  file.parse(read);
  std::copy_n(read.scores.begin(), size, scores);
  if (numbers != nullptr) std::copy_n(read.numbers.begin(), sites, numbers);
  if (residues != nullptr) std::copy_n(read.residues.begin(), sites + 1, residues);
}

}  // namespace atp

atp_status atp_input_open(atp_context *context, const char *path, atp_input **out) noexcept {
  return creating(context, out, [&] {
    require(path, "path");
    require(out, "out");
    Allocator &allocator = core(context)->allocator;
    void *memory = allocator.allocate(sizeof(Input));
    try {
      *out = handle(new (memory) Input(*core(context), path));
    } catch (...) {
      allocator.release(memory, sizeof(Input));
      throw;
    }
  });
}

void atp_input_destroy(atp_input *input) noexcept {
  if (input == nullptr) return;
  Allocator &allocator = context_of(input)->allocator;
  core(input)->~Input();
  allocator.release(core(input), sizeof(Input));
}

const char *atp_input_kind(const atp_input *input) noexcept { return input == nullptr ? "" : core(input)->kind; }

int64_t atp_input_size(const atp_input *input) noexcept {
  return atp_input_bytes_view(input) == nullptr ? 0 : core(input)->source.text().bytes.size();
}

const void *atp_input_bytes_view(const atp_input *input) noexcept {
  if (input == nullptr || !core(input)->source.whole() || core(input)->source.content() == Content::hdf5) return nullptr;
  return core(input)->source.text().begin();
}

namespace {

NpyArray array_of(const Source &source) {
  if (source.content() != Content::npy) fail(ATP_E_FORMAT, "%s: not a .npy file, expected an array of NumPy", source.label());
  return NpyArray(source.text(), source.size());
}

}  // namespace

atp_status atp_input_array_shape(const atp_input *input, int64_t *shape, int64_t size, int64_t *dimensions) noexcept {
  return guarded(input, "input", [&] {
    require(shape, "shape");
    require(dimensions, "dimensions");
    const NpyArray array = array_of(core(input)->source);
    if (size < array.dimensions())
      fail(ATP_E_SHAPE, "size is %lld, must be at least %lld", static_cast<long long>(size), static_cast<long long>(array.dimensions()));
    for (int64_t k = 0; k < size; ++k) shape[k] = k < array.dimensions() ? array.extent(k) : 0;
    *dimensions = array.dimensions();
  });
}

atp_status atp_input_array(const atp_input *input, double *values, int64_t size) noexcept {
  return guarded(input, "input", [&] {
    require(values, "values");
    const NpyArray array = array_of(core(input)->source);
    require_size(size, array.count(), "size");
    array.read(values);
  });
}

atp_status atp_input_alignment(const atp_input *input, const char *alphabet, const atp_options *options, atp_alignment **out) noexcept {
  if (out != nullptr) *out = nullptr;
  return guarded(input, "input", [&] {
    require(out, "out");
    *out = handle(read_alignment(core(input)->source, alphabet, alignment_options(options)));
  });
}

atp_status atp_input_model(const atp_input *input, atp_model_format format, const char *alphabet, atp_model **out) noexcept {
  if (out != nullptr) *out = nullptr;
  return guarded(input, "input", [&] {
    require(out, "out");
    require_range(format, ATP_MODEL_AUTO, ATP_MODEL_BRAW, "format");
    *out = handle(read_model(core(input)->source, format, alphabet));
  });
}

atp_status atp_input_scores_sites(const atp_input *input, int64_t *sites) noexcept {
  return guarded(input, "input", [&] {
    require(sites, "sites");
    *sites = ScoreFile(core(input)->source).sites();
  });
}

atp_status atp_input_scores(const atp_input *input, double *scores, int64_t size, int64_t *numbers, char *residues) noexcept {
  return guarded(input, "input", [&] {
    require(scores, "scores");
    read_scores(core(input)->source, scores, size, numbers, residues);
  });
}

atp_status atp_input_table(const atp_input *input, atp_cells form, const char *names, char *text, int64_t size, int64_t *needed) noexcept {
  return guarded(input, "input", [&] {
    require(needed, "needed");
    require_range(form, ATP_CELLS_NUMBERS, ATP_CELLS_LIST, "form");
    const LoadedText loaded(core(input)->source, "a table of text in UTF-8");
    const TextTable table(*context_of(input), loaded.get(), form, names == nullptr ? "" : names);
    *needed = table.write(nullptr, 0);
    if (text == nullptr) return;
    if (size < *needed) fail(ATP_E_BUFFER, "size is %lld, must be at least %lld", llong{size}, llong{*needed});
    table.write(text, size);
  });
}

atp_status atp_input_distances(const atp_input *input, const int64_t *numbers, const int64_t *columns, int64_t total, int64_t sites,
                               double *distances, int64_t *counts) noexcept {
  return guarded(input, "input", [&] {
    require(distances, "distances");
    require_range(sites, 2, kMaxSites, "sites");
    for (int64_t i = 0; columns != nullptr && i < sites; ++i) require_index(columns[i], total, "a number of columns");
    const DistanceCount found = read_distances(core(input)->source, {sites, numbers, columns, total}, distances);
    if (counts == nullptr) return;
    counts[0] = found.pairs;
    counts[1] = found.used;
  });
}
