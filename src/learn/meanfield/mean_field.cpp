// SPDX-License-Identifier: MIT
#include "learn/meanfield/mean_field.hpp"

#include "base/format_text.hpp"
#include "alignment/frequencies.hpp"
#include "learn/meanfield/coupling_blocks.hpp"

#include <cmath>
#include <cstring>

namespace atp {

namespace {

// Couplings of all pairs; a task writes the blocks (i, j) and (j, i) for its i < j.
void write_couplings_of(const CouplingBlocks &blocks, const Threads &threads, Model &model) {
  const int64_t L = model.sites(), q = model.colors();
  parallel_for(threads, L, [&](int64_t i, int thread) {
    for (int64_t j = i + 1; j < L; ++j) {
      double *to = model.couplings.data() + (i * L + j) * q * q, *back = model.couplings.data() + (j * L + i) * q * q;
      blocks.coupling(i, j, thread, to);
      for (int64_t a = 0; a < q; ++a)
        for (int64_t b = 0; b < q; ++b) back[b * q + a] = to[a * q + b];
    }
  });
}

// b_i(a) = log f_i(a) - sum_j sum_b C_ij(a, b) f_j(b), minus its mean over a.
void write_fields(const double *f, const Threads &threads, Model &model) {
  const int64_t L = model.sites(), q = model.colors();
  parallel_for(threads, L, [&](int64_t i, int) {
    double *field = model.fields.data() + i * q, mean = 0;
    for (int64_t a = 0; a < q; ++a) field[a] = std::log(f[i * q + a]);
    for (int64_t j = 0; j < L; ++j) {
      if (j == i) continue;
      const double *block = model.block(i, j);
      for (int64_t a = 0; a < q; ++a)
        for (int64_t b = 0; b < q; ++b) field[a] = std::fma(-block[a * q + b], f[j * q + b], field[a]);
    }
    for (int64_t a = 0; a < q; ++a) mean += field[a] / static_cast<double>(q);
    for (int64_t a = 0; a < q; ++a) field[a] -= mean;
  });
}

}  // namespace

std::size_t mean_field_bytes(const InverseShape &shape, int64_t precision, int threads) {
  Arena measure;
  CouplingBlocks blocks(shape, precision, threads, measure);
  return measure.bytes() + Inverse::work_bytes(shape, precision, threads) + FoundBases::bytes(shape.sites, shape.colors) +
         bytes_of<Model>(nullptr, ModelShape{shape.sites, shape.colors, 0, true});
}

Model *mean_field_model(Context &context, const Alignment &alignment, const MeanFieldSettings &settings) {
  const FoundBases found(context, alignment);
  const InverseShape shape = shape_of(alignment, found.bases());
  check_order(shape);
  Model *model = make_model(context, {shape.sites, shape.colors, 0, true});
  try {
    Arena measure;
    CouplingBlocks measured(shape, settings.precision, context.threads, measure);
    const Scratch scratch(context.allocator, measure.bytes());
    Arena arena = scratch.arena();
    CouplingBlocks blocks(shape, settings.precision, context.threads, arena);
    blocks.compute(context, alignment, settings.pseudocount, found.bases());
    write_couplings_of(blocks, context.threads, *model);
    write_fields(blocks.frequencies(), context.threads, *model);
  } catch (...) {
    destroy_block(context.allocator, model);
    throw;
  }
  std::memcpy(model->alphabet, alignment.alphabet, sizeof model->alphabet);
  model->labels.copy(alignment.labels);
  format_text(model->origin, sizeof model->origin, "mean-field couplings of %lld sequences, pseudocount %g",
              static_cast<long long>(shape.count), settings.pseudocount);
  return model;
}

}  // namespace atp
