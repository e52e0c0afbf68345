// SPDX-License-Identifier: MIT
// What may be combined, and what the defaults mean for a model.
#include "learn/asymptotics/asymptotics.hpp"

#include <attopotts/trainer.h>

namespace atp {

namespace {

void require_learned(const Model &model, const Options &options, const Learned &learned) {
  if (learned.factored && model.shape.dense()) fail(ATP_E_CONFLICT, "family is factored, and the model has no heads");
  for (const atp_option key : {ATP_OPT_COLORS_FIXED, ATP_OPT_SYMMETRIZED})
    if (!learned.factored && options.flag(key))
      fail(ATP_E_CONFLICT, "option %s is 1 and the family dense, must be factored", options.table().find(key)->name);
  if (learned.factored && options.flag(ATP_OPT_ASYMMETRIC))
    fail(ATP_E_CONFLICT, "option asymmetric is 1 and the family factored, must be dense");
  if (model.shape.pairs > 0) fail(ATP_E_UNSUPPORTED, "model has a list of pairs, its covariances are computed for all pairs only");
}

void require_objective(const Model &model, int64_t objective, double probability) {
  const bool ordered = objective == ATP_OBJECTIVE_AUTOREGRESSIVE;
  if (ordered != model.shape.ordered)
    fail(ATP_E_CONFLICT, "model is %s: the objective must %sbe autoregressive", model.shape.ordered ? "autoregressive" : "a Potts model",
         model.shape.ordered ? "" : "not ");
  if (probability > 0 && objective != ATP_OBJECTIVE_MLM)
    fail(ATP_E_CONFLICT, "mask-probability is %g, and the objective not mlm: random masks belong to mlm", probability);
}

Masks masks_of(const Model &model, const Options &options) {
  Masks masks;
  masks.probability = options.real(ATP_OPT_MASK_PROBABILITY);
  masks.drawn_count = options.integer(ATP_OPT_MASKS);
  masks.seed = static_cast<uint64_t>(options.integer(ATP_OPT_SEED));
  if (masks.probability == 0) return masks;  // one site of each sequence and epoch: over many epochs all sites
  masks.kind = masks.drawn_count > 0 ? Masks::drawn : Masks::all;
  if (masks.kind == Masks::all && model.sites() > Masks::kMostSites)
    fail(ATP_E_TOO_LARGE, "masks is 0 and the model has %lld sites, all masks are listed of at most %lld: set masks", llong{model.sites()},
         llong{Masks::kMostSites});
  return masks;
}

}  // namespace

AsymptoticsSettings asymptotics_settings(const Model &model, const Options &options) {
  AsymptoticsSettings s;
  const int64_t family = options.integer(ATP_OPT_FAMILY), asked = options.integer(ATP_OPT_OBJECTIVE);
  const int64_t usual = model.shape.ordered ? ATP_OBJECTIVE_AUTOREGRESSIVE : ATP_OBJECTIVE_PSEUDOLIKELIHOOD;
  const int64_t objective = asked != 0 ? asked : usual;
  s.likelihood = objective == ATP_OBJECTIVE_LIKELIHOOD;
  s.learned.factored = family == ATP_FAMILY_FACTORED || (family == 0 && !model.shape.dense());
  require_learned(model, options, s.learned);
  require_objective(model, objective, options.real(ATP_OPT_MASK_PROBABILITY));
  s.learned.fields = !s.learned.factored || options.flag(ATP_OPT_FIELDS);
  s.learned.colors_fixed = options.flag(ATP_OPT_COLORS_FIXED);
  s.learned.asymmetric = options.flag(ATP_OPT_ASYMMETRIC) && !model.shape.ordered;
  s.learned.symmetrized = s.learned.factored && (options.flag(ATP_OPT_SYMMETRIZED) || s.likelihood);
  if (s.likelihood && s.learned.asymmetric)
    fail(ATP_E_CONFLICT, "option asymmetric is 1, and the objective the likelihood, which has no regressions of sites");
  if (s.learned.symmetrized && !model.symmetric(1e-6))
    fail(ATP_E_CONFLICT, "model has couplings C_ij(a, b) that differ from C_ji(b, a), they must agree where couplings are symmetrised");
  s.masks = masks_of(model, options);
  if (s.masks.kind != Masks::none && !s.learned.factored)
    fail(ATP_E_CONFLICT, "mask-probability is %g and the family dense: factored attention alone is learned with several masked sites",
         s.masks.probability);
  s.l2_couplings = options.real(ATP_OPT_L2_COUPLINGS);
  s.l2_colors = options.real(ATP_OPT_L2_COLORS);
  s.l2_fields = options.real(ATP_OPT_L2_FIELDS);
  s.samples = options.real(ATP_OPT_SAMPLES);
  return s;
}

}  // namespace atp
