// SPDX-License-Identifier: MIT
#include "handles.hpp"

#include "learn/meanfield/mean_field.hpp"
#include "learn/options.hpp"

#include <attopotts/baselines.h>

using namespace atp;

namespace {

// Settings of methods that invert covariances.
MeanFieldSettings inverse_settings(const OptionTable &owner, const atp_options *options) {
  const Options given = options_for(owner, options);
  const MeanFieldSettings settings{given.real(ATP_OPT_PSEUDOCOUNT), given.integer(ATP_OPT_PRECISION)};
  if (!(settings.pseudocount > 0)) fail(ATP_E_VALUE, "option pseudocount is 0, must be > 0: without it the covariances may be singular");
  return settings;
}

void require_linalg() {
  if (!ATP_HAS_LINALG) fail(ATP_E_UNSUPPORTED, "this build has no BLIS and LAPACK (Meson option linalg)");
}

void require_frequencies(const double *frequencies, int64_t sites, int64_t colors) {
  require_reals(frequencies, sites * colors, 0, 1 + 1e-6, "frequencies", {colors});
  for (int64_t i = 0; i < sites; ++i) {
    double sum = 0;
    for (int64_t a = 0; a < colors; ++a) sum += frequencies[i * colors + a];
    if (std::fabs(sum - 1) > 1e-6) fail(ATP_E_VALUE, "frequencies" ATP_AT " add up to %.9g, must add up to 1", llong{i}, sum);
  }
}

}  // namespace

atp_status atp_mean_field_bytes(atp_context *context, int64_t n, int64_t sites, int64_t colors, const atp_options *options,
                                int64_t *bytes) noexcept {
  return guarded(context, "context", [&] {
    require(bytes, "bytes");
    check_shape(AlignmentShape{n, sites, colors});
    const InverseShape shape{n, sites, colors};
    check_order(shape);
    const bool scores = options != nullptr && &core(options)->values.table() == &kGaussianOptions;
    const int64_t precision = options_for(scores ? kGaussianOptions : kMeanFieldOptions, options).integer(ATP_OPT_PRECISION);
    *bytes = static_cast<int64_t>((scores ? gaussian_bytes : mean_field_bytes)(shape, precision, core(context)->threads));
  });
}

atp_status atp_mean_field_model(atp_context *context, const atp_alignment *alignment, const atp_options *options,
                                atp_model **model) noexcept {
  if (model != nullptr) *model = nullptr;
  return guarded(context, "context", [&] {
    require(alignment, "alignment");
    require(model, "model");
    require_linalg();
    *model = handle(mean_field_model(*core(context), *core(alignment), inverse_settings(kMeanFieldOptions, options)));
  });
}

atp_status atp_direct_information(atp_context *context, const atp_model *model, const double *frequencies, int64_t frequencies_size,
                                  double *scores, int64_t size) noexcept {
  return guarded(context, "context", [&] {
    require(model, "model");
    require(frequencies, "frequencies");
    require(scores, "scores");
    const Model &m = *core(model);
    if (m.shape.ordered) fail(ATP_E_UNSUPPORTED, "model is autoregressive, and direct information is of the couplings of a Potts model");
    require_size(frequencies_size, product_of(m.sites(), m.colors()), "frequencies_size");
    require_size(size, product_of(m.sites(), m.sites()), "size");
    require_frequencies(frequencies, m.sites(), m.colors());
    const Threads threads = core(context)->threads;
    const int64_t n = direct_information_scratch(m.colors(), threads);
    const Scratch scratch(core(context)->allocator, Scratch::piece<double>(n) + Scratch::piece<double>(size));
    Arena arena = scratch.arena();
    const Span<double> work = arena.take<double>(n), found = arena.take<double>(size);
    direct_information(m, frequencies, threads, work, found.data());
    copy_out(found, scores, size);
  });
}

atp_status atp_gaussian_scores(atp_context *context, const atp_alignment *alignment, const atp_options *options, atp_pair_score score,
                               int64_t gap, double *scores, int64_t size) noexcept {
  return guarded(context, "context", [&] {
    require(alignment, "alignment");
    require(scores, "scores");
    const Alignment &x = *core(alignment);
    require_range(score, ATP_PAIR_SCORE_FN, ATP_PAIR_SCORE_DI, "score");
    require_range(gap, -1, x.colors() - 1, "gap");
    require_size(size, product_of(x.sites(), x.sites()), "size");
    require_linalg();
    gaussian_scores(*core(context), x, inverse_settings(kGaussianOptions, options), score, gap, scores);
  });
}

atp_status atp_mutual_information(atp_context *context, const atp_alignment *alignment, const atp_options *options, double *scores,
                                  int64_t size) noexcept {
  return guarded(context, "context", [&] {
    require(alignment, "alignment");
    require(scores, "scores");
    const Alignment &x = *core(alignment);
    require_size(size, product_of(x.sites(), x.sites()), "size");
    mutual_information(*core(context), x, options_for(kMutualInformationOptions, options).real(ATP_OPT_PSEUDOCOUNT), scores);
  });
}
