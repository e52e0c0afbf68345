// SPDX-License-Identifier: MIT
#include <attopotts/lattice.h>

#include "trainer_handle.hpp"

#include "learn/dense/dense_data.hpp"
#include "learn/options.hpp"
#include "potts/lattice.hpp"
#include "potts/listed.hpp"
#include "potts/model_state.hpp"

#include <algorithm>
#include <initializer_list>

using namespace atp;

namespace {

void copy_list(Span<const SitePair> list, int64_t *pairs, int64_t size) {
  require_size(size, 2 * list.size(), "size");
  for (const SitePair &pair : list) {
    *pairs++ = pair.first;
    *pairs++ = pair.second;
  }
}

// The list that the trainer was made with; empty: there was none.
Span<const SitePair> listed_pairs(const Trainer &trainer) {
  return trainer.lists == nullptr || trainer.lists->all() ? Span<const SitePair>() : trainer.lists->pairs();
}

void require_model_numbers(const double *values, int64_t n, const char *name, std::initializer_list<int64_t> inner) {
  require_reals(values, n, -kLargestModelNumber, kLargestModelNumber, name, inner);
}

AlignmentShape shape_of(const Alignment &alignment) {
  AlignmentShape shape;
  shape.count = alignment.count();
  shape.sites = alignment.sites();
  shape.colors = alignment.colors();
  return shape;
}

// Without options: everything at its default but the family.
Options options_or_dense(const atp_options *options) {
  Options given = options_for(kTrainerOptions, options);
  if (options == nullptr) given.set(ATP_OPT_FAMILY, int64_t{ATP_FAMILY_DENSE});
  return given;
}

}  // namespace

atp_status atp_trainer_pairs_bytes(atp_context *context, const atp_alignment *train, const atp_options *options, const int64_t *pairs,
                                   int64_t n, int64_t *bytes) noexcept {
  return guarded(context, "context", [&] {
    require(train, "train");
    require(pairs, "pairs");
    require(bytes, "bytes");
    *bytes = static_cast<int64_t>(trainer_bytes(*core(context), options_or_dense(options), shape_of(*core(train)), pairs, n));
  });
}

atp_status atp_trainer_create_pairs(atp_context *context, const atp_alignment *train, const atp_options *options, const int64_t *pairs,
                                    int64_t n, atp_trainer **out) noexcept {
  if (out != nullptr) *out = nullptr;
  return created_together(core(context), out, atp_trainer_destroy, [&] {
    require(context, "context");
    require(train, "train");
    require(pairs, "pairs");
    require(out, "out");
    core(context)->threads.start();
    *out = handle(create_trainer(*core(context), options_or_dense(options), *core(train), pairs, n));
  });
}

int64_t atp_trainer_pair_count(const atp_trainer *trainer) noexcept { return trainer == nullptr ? 0 : listed_pairs(*core(trainer)).size(); }

atp_status atp_trainer_pairs(const atp_trainer *trainer, int64_t *pairs, int64_t size) noexcept {
  return guarded(trainer, "trainer", [&] {
    require(pairs, "pairs");
    copy_list(listed_pairs(*core(trainer)), pairs, size);
  });
}

int64_t atp_model_pair_count(const atp_model *model) noexcept { return model == nullptr ? 0 : core(model)->pairs.size(); }

atp_status atp_model_pairs(const atp_model *model, int64_t *pairs, int64_t size) noexcept {
  return guarded(model, "model", [&] {
    require(pairs, "pairs");
    copy_list(core(model)->pairs, pairs, size);
  });
}

atp_status atp_model_pair_couplings(const atp_model *model, double *couplings, int64_t size) noexcept {
  return guarded(model, "model", [&] {
    require(couplings, "couplings");
    const Model &m = *core(model);
    const int64_t block = m.colors() * m.colors();
    require_size(size, m.shape.pairs * block, "size");
    for (int64_t k = 0; k < m.shape.pairs; ++k) std::copy_n(pair_block(m, k, 0).data(), block, couplings + k * block);
  });
}

atp_status atp_model_create_pairs(atp_context *context, const int64_t *shape, const int64_t *pairs, const double *couplings,
                                  const double *color_matrix, const double *fields, atp_model **out) noexcept {
  return creating(context, out, [&] {
    require(shape, "shape");
    require(pairs, "pairs");
    require(couplings, "couplings");
    require(out, "out");
    const int64_t sites = shape[0], q = shape[1], n = shape[2];
    require_range(sites, 2, kMaxListSites, "sites");
    require_range(q, 2, kMaxColors, "colors");
    check_pair_count(n, sites, "pairs");
    if (color_matrix == nullptr)
      require_model_numbers(couplings, product_of(n, q, q), "couplings", {q, q});
    else
      require_model_numbers(couplings, n, "couplings", {}), require_model_numbers(color_matrix, q * q, "color_matrix", {q});
    if (fields != nullptr) require_model_numbers(fields, sites * q, "fields", {q});
    Owner<Model> model(make_listed(*core(context), sites, q, fields != nullptr, {pairs, couplings, color_matrix}, n));
    if (fields != nullptr) std::copy_n(fields, sites * q, model->fields.data());
    *out = handle(model.release());
  });
}

atp_status atp_model_create_lattice(atp_context *context, const atp_options *options, atp_model **out) noexcept {
  return creating(context, out, [&] {
    require(out, "out");
    *out = handle(make_lattice(*core(context), options_for(kLatticeOptions, options)));
  });
}

atp_status atp_model_keep_pairs(atp_context *context, const atp_model *source, const int64_t *pairs, int64_t n, atp_model **out) noexcept {
  return creating(context, out, [&] {
    require(source, "source");
    require(pairs, "pairs");
    require(out, "out");
    *out = handle(keep_pairs(*core(context), *core(source), pairs, n));
  });
}
