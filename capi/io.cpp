// SPDX-License-Identifier: MIT
#include "input_handle.hpp"

#include "base/running.hpp"
#include "io/distance_files.hpp"
#include "io/file.hpp"
#include "io/model_files.hpp"
#include "io/alignment_files.hpp"

#include <attopotts/io.h>

using namespace atp;

namespace {

ScoreFormat score_format(atp_score_format format) {
  switch (format) {
    case ATP_SCORES_CCMPRED: return ScoreFormat::ccmpred;
    case ATP_SCORES_EVCOUPLINGS: return ScoreFormat::evcouplings;
    default: return ScoreFormat::plmc;
  }
}

}  // namespace

atp_status atp_alignment_read(atp_context *context, const char *path, const char *alphabet, const atp_options *options,
                              atp_alignment **out) noexcept {
  return creating(context, out, [&] {
    require(path, "path");
    require(out, "out");
    *out = handle(read_alignment(Source(*core(context), path), alphabet, alignment_options(options)));
  });
}

atp_status atp_alignment_read_part(atp_context *context, const char *path, int64_t part, int64_t parts, const char *alphabet,
                                   const atp_options *options, atp_alignment **out) noexcept {
  return creating(context, out, [&] {
    require(path, "path");
    require(out, "out");
    require_range(parts, 1, kMaxParts, "parts");
    require_range(part, 0, parts - 1, "part");
    *out = handle(read_sequence_part(*core(context), path, part, parts, alphabet, alignment_options(options)));
  });
}

atp_status atp_alignment_write(atp_context *context, const atp_alignment *alignment, atp_format format, const char *path) noexcept {
  return guarded(context, "context", [&] {
    require(alignment, "alignment");
    require(path, "path");
    require_range(format, ATP_FORMAT_HDF5, ATP_FORMAT_STOCKHOLM, "format");
    write_alignment(*core(context), *core(alignment), format, path);
  });
}

atp_status atp_model_write(atp_context *context, const atp_model *model, const char *path) noexcept {
  return guarded(context, "context", [&] {
    require(model, "model");
    require(path, "path");
    write_model(*core(context), *core(model), nullptr, ATP_MODEL_HDF5, path);
  });
}

atp_status atp_model_read(atp_context *context, const char *path, atp_model **out) noexcept {
  return creating(context, out, [&] {
    require(path, "path");
    require(out, "out");
    *out = handle(read_model(Source(*core(context), path), ATP_MODEL_AUTO, nullptr));
  });
}

atp_status atp_model_write_as(atp_context *context, const atp_model *model, const atp_alignment *alignment, atp_model_format format,
                              const char *path) noexcept {
  return guarded(context, "context", [&] {
    require(model, "model");
    require(path, "path");
    require_range(format, ATP_MODEL_HDF5, ATP_MODEL_BRAW, "format");
    write_model(*core(context), *core(model), core(alignment), format, path);
  });
}

atp_status atp_model_read_as(atp_context *context, const char *path, atp_model_format format, const char *alphabet,
                             atp_model **out) noexcept {
  return creating(context, out, [&] {
    require(path, "path");
    require(out, "out");
    require_range(format, ATP_MODEL_AUTO, ATP_MODEL_BRAW, "format");
    *out = handle(read_model(Source(*core(context), path), format, alphabet));
  });
}

atp_status atp_scores_write(atp_context *context, const double *scores, int64_t sites, const int64_t *numbers, const char *residues,
                            atp_score_format format, const char *path) noexcept {
  return guarded(context, "context", [&] {
    require(scores, "scores");
    require(path, "path");
    require_range(sites, 2, kMaxSites, "sites");
    require_range(format, ATP_SCORES_CCMPRED, ATP_SCORES_EVCOUPLINGS, "format");
    require_finite(scores, product_of(sites, sites), "scores", {sites});
    require_symmetric(scores, sites, "scores", Symmetric::scores);
    const OwnLabels labels(core(context)->allocator, sites, numbers, residues);
    write_scores(*core(context), scores, labels.get(), score_format(format), path);
  });
}

atp_status atp_scores_sites(atp_context *context, const char *path, int64_t *sites) noexcept {
  return guarded(context, "context", [&] {
    require(path, "path");
    require(sites, "sites");
    const Source source(*core(context), path);
    *sites = ScoreFile(source).sites();
  });
}

atp_status atp_scores_read(atp_context *context, const char *path, double *scores, int64_t size, int64_t *numbers,
                           char *residues) noexcept {
  return guarded(context, "context", [&] {
    require(path, "path");
    require(scores, "scores");
    read_scores(Source(*core(context), path), scores, size, numbers, residues);
  });
}

atp_status atp_distances_read(atp_context *context, const char *path, const int64_t *numbers, int64_t sites, double *distances,
                              int64_t size, int64_t *counts) noexcept {
  return guarded(context, "context", [&] {
    require(path, "path");
    require(distances, "distances");
    require_range(sites, 2, kMaxSites, "sites");
    require_size(size, product_of(sites, sites), "size");
    const Source source(*core(context), path);
    const DistanceCount found = read_distances(source, {sites, numbers}, distances);
    if (counts == nullptr) return;
    counts[0] = found.pairs;
    counts[1] = found.used;
  });
}

atp_status atp_file_kind(atp_context *context, const char *path, const char **kind) noexcept {
  return guarded(context, "context", [&] {
    require(path, "path");
    require(kind, "kind");
    require_regular(path, "what it holds can be told while it is read alone: atp_input_open()");
    *kind = Source(*core(context), path, Source::Extent::head).kind();
  });
}

atp_status atp_file_write(atp_context *context, const char *path, const void *bytes, int64_t size) noexcept {
  return guarded(context, "context", [&] {
    require(path, "path");
    require(bytes, "bytes");
    if (size < 0) fail(ATP_E_VALUE, "size is %lld, must be >= 0", llong{size});
    OutputFile file(path);
    file.write(bytes, size);
    file.commit();
  });
}

atp_status atp_file_write_parts(atp_context *context, const char *path, atp_part_fn next, void *user) noexcept {
  return guarded(context, "context", [&] {
    require(path, "path");
    require(reinterpret_cast<const void *>(next), "next");
    OutputFile file(path);
    for (;;) {
      const void *bytes = nullptr;
      const int64_t size = call_host("next", [&] { return next(&bytes, user); });
      if (size < 0) fail(ATP_E_CALLBACK, "%s: the next callback returned %lld", ShownPath(path).text, llong{size});
      if (size == 0) break;
      require(bytes, "bytes");
      file.write(bytes, size);
    }
    file.commit();
  });
}

atp_status atp_file_writable(const char *path, int *replaced) noexcept {
  return guarded(nullptr, [&] {
    require(path, "path");
    const bool renames = require_writable(path);
    if (replaced != nullptr) *replaced = renames ? 1 : 0;
  });
}

atp_status atp_file_size(atp_context *context, const char *path, int64_t *size) noexcept {
  return guarded(context, "context", [&] {
    require(path, "path");
    require(size, "size");
    *size = file_size(path);
  });
}

atp_status atp_file_read(atp_context *context, const char *path, void *bytes, int64_t size) noexcept {
  return guarded(context, "context", [&] {
    require(path, "path");
    require(bytes, "bytes");
    read_file(*core(context), path, bytes, size);
  });
}
