// SPDX-License-Identifier: MIT
#include "handles.hpp"

#include "alignment/comparison.hpp"
#include "alignment/components.hpp"
#include "alignment/options.hpp"
#include "alignment/quality.hpp"
#include "potts/coupling_error.hpp"
#include "potts/epistasis.hpp"
#include "potts/mutants.hpp"
#include "potts/scores.hpp"

#include <attopotts/scores.h>

#include <algorithm>
#include <cstring>
#include <limits>

using namespace atp;

namespace {

void require_order(int64_t sites) { require_range(sites, 2, kMaxSites, "sites"); }

// Sequences in the sites and colours of the data, or without its first colour.
void require_like_data(const Alignment &data, const Alignment &sequences, const char *name) {
  if (sequences.sites() != data.sites())
    fail(ATP_E_SHAPE, "the number of sites of %s is %lld, must be %lld", name, llong{sequences.sites()}, llong{data.sites()});
  if (sequences.colors() != data.colors() && sequences.colors() != data.colors() - 1)
    fail(ATP_E_SHAPE, "the number of colours of %s is %lld, must be %lld as in data, or %lld without the gap", name,
         llong{sequences.colors()}, llong{data.colors()}, llong{data.colors() - 1});
}

}  // namespace

atp_status atp_symmetric_check(const double *matrix, int64_t n, atp_symmetric kind) noexcept {
  return guarded(nullptr, [&] {
    require(matrix, "matrix");
    require_range(n, 1, kMaxSites, "n");
    require_range(kind, ATP_SYMMETRIC_COVARIANCE, ATP_SYMMETRIC_DISTANCES, "kind");
    require_symmetric(matrix, n, "matrix", static_cast<Symmetric>(kind));
  });
}

atp_status atp_model_frobenius(atp_context *context, const atp_model *model, atp_score_gauge gauge, int64_t gap, double *scores,
                               int64_t size) noexcept {
  return guarded(context, "context", [&] {
    require(model, "model");
    require(scores, "scores");
    const Model &m = *core(model);
    require_range(gauge, ATP_SCORE_ZERO_SUM, ATP_SCORE_RAW, "gauge");
    require_range(gap, -1, m.colors() - 1, "gap");
    require_size(size, product_of(m.sites(), m.sites()), "size");
    const Threads threads = core(context)->threads;
    const Doubles scratch(*core(context), frobenius_scratch(m.colors(), threads));
    frobenius_norms(m, gauge, gap, threads, scratch.span(), scores);
  });
}

atp_status atp_scores_apc(const double *scores, int64_t sites, double *corrected, int64_t size) noexcept {
  return guarded(nullptr, [&] {
    require(scores, "scores");
    require(corrected, "corrected");
    require_order(sites);
    require_size(size, product_of(sites, sites), "size");
    require_symmetric(scores, sites, "scores", Symmetric::scores);
    average_product_correction(scores, sites, corrected);
  });
}

atp_status atp_scores_rank(const double *scores, int64_t sites, const int64_t *numbers, const int64_t *rule, int64_t *pairs,
                           int64_t capacity, int64_t *count) noexcept {
  return guarded(nullptr, [&] {
    require(scores, "scores");
    require(rule, "rule");
    require(pairs, "pairs");
    require(count, "count");
    require_order(sites);
    require_range(rule[0], 0, INT64_MAX, "the separation");
    require_range(rule[1], 0, sites - 1, "the number of sites of the first protein");
    require_range(capacity, 1, INT64_MAX / 2, "capacity");
    require_symmetric(scores, sites, "scores", Symmetric::known_scores);
    *count = rank_pairs(scores, sites, {numbers, rule[0], rule[1]}, pairs, capacity);
  });
}

atp_status atp_pairs_overlap(atp_context *context, const int64_t *pairs, int64_t n, const int64_t *others, int64_t m,
                             double *overlap) noexcept {
  return guarded(core(context), [&] {
    require(context, "context");
    require(pairs, "pairs");
    require(others, "others");
    require(overlap, "overlap");
    require_range(n, 1, INT64_MAX / 2, "n");
    require_range(m, 1, INT64_MAX / 2, "m");
    require_sites(pairs, 2 * n, INT64_MAX, "pairs", {2});
    require_sites(others, 2 * m, INT64_MAX, "others", {2});
    const Scratch scratch(core(context)->allocator, Scratch::piece<SitePair>(m));
    *overlap = overlap_of_pairs({pairs, 2 * n}, {others, 2 * m}, scratch.arena().take<SitePair>(m));
  });
}

int64_t atp_alignment_gap_color(const atp_alignment *alignment) noexcept {
  return alignment == nullptr ? -1 : gap_color(core(alignment)->alphabet);
}

int64_t atp_model_gap_color(const atp_model *model) noexcept { return model == nullptr ? -1 : gap_color(core(model)->alphabet); }

atp_status atp_model_contacts(atp_context *context, const atp_model *model, atp_score_gauge gauge, int64_t gap, int64_t separation,
                              atp_table *table) noexcept {
  return guarded(context, "context", [&] {
    require(model, "model");
    require(table, "table");
    const Model &m = *core(model);
    require_range(gauge, ATP_SCORE_ZERO_SUM, ATP_SCORE_RAW, "gauge");
    require_range(gap, ATP_GAP_AUTO, m.colors() - 1, "gap");
    require_range(separation, 0, INT64_MAX, "separation");
    Table &to = *core(table);
    require_table(to, ATP_TABLE_CONTACTS, 1);
    const Threads threads = core(context)->threads;
    const int64_t most = std::min(to.capacity() - to.rows(), m.sites() * (m.sites() - 1) / 2);
    const Scratch scratch(core(context)->allocator, contacts_bytes(m, threads, most));
    rank_contacts(m, {gauge, gap == ATP_GAP_AUTO ? gap_color(m.alphabet) : gap, separation}, threads, most, scratch.arena(), to);
  });
}

atp_status atp_pairs_precision(const int64_t *pairs, int64_t n, const double *distances, int64_t sites, double cutoff, atp_absent absent,
                               double *curve) noexcept {
  return guarded(nullptr, [&] {
    require(pairs, "pairs");
    require(distances, "distances");
    require(curve, "curve");
    require_order(sites);
    require_range(n, 1, INT64_MAX / 2, "n");
    require_range(absent, ATP_ABSENT_EXCLUDED, ATP_ABSENT_COUNTED, "absent");
    if (!std::isfinite(cutoff)) fail(ATP_E_NOT_FINITE, "cutoff is %g, must be finite", cutoff);
    if (cutoff <= 0) fail(ATP_E_VALUE, "cutoff is %g, must be > 0", cutoff);
    require_sites(pairs, 2 * n, sites, "pairs", {2});
    require_symmetric(distances, sites, "distances", Symmetric::distances);
    precision_curve(pairs, n, distances, sites, cutoff, absent, curve);
  });
}

atp_status atp_model_mutants(atp_context *context, const atp_model *model, const uint8_t *sequence, int64_t sites, double *delta_energy,
                             double *delta_log_pseudolikelihood, int64_t size) noexcept {
  return guarded(context, "context", [&] {
    require(model, "model");
    require(sequence, "sequence");
    require(delta_energy, "delta_energy");
    const Model &m = *core(model);
    require_size(sites, m.sites(), "sites");
    require_size(size, product_of(m.sites(), m.colors()), "size");
    require_colors(sequence, 1, sites, m.colors(), "sequence", true);
    const Threads threads = core(context)->threads;
    const bool works = delta_log_pseudolikelihood != nullptr || m.shape.ordered;
    const Doubles scratch(*core(context), works ? mutants_scratch(sites, m.colors(), threads) : 0);
    single_mutants(m, sequence, threads, scratch.span(), delta_energy, delta_log_pseudolikelihood);
  });
}

atp_status atp_model_epistatic_scores(atp_context *context, const atp_model *model, const uint8_t *sequences, int64_t n, int64_t gap,
                                      double *scores, int64_t size) noexcept {
  return guarded(context, "context", [&] {
    require(model, "model");
    require(sequences, "sequences");
    require(scores, "scores");
    const Model &m = *core(model);
    require_range(gap, ATP_GAP_AUTO, m.colors() - 1, "gap");
    require_size(size, product_of(m.sites(), m.sites()), "size");
    require_range(n, 1, INT64_MAX / (m.sites() * m.colors()), "n");
    require_colors(sequences, n, m.sites(), m.colors(), "sequences", true);
    const Threads threads = core(context)->threads;
    const Doubles scratch(*core(context), epistatic_scratch(m, n, threads));
    const int64_t left_out = gap == ATP_GAP_AUTO ? gap_color(m.alphabet) : gap;
    epistatic_scores(m, {sequences, n * m.sites()}, left_out, threads, scratch.span(), scores);
  });
}

atp_status atp_model_map_like(atp_context *context, const atp_model *model, const atp_model *truth, double *map, int64_t size) noexcept {
  return guarded(core(context), [&] {
    require(context, "context");
    require(model, "model");
    require(truth, "truth");
    require(map, "map");
    const Model &learned = *core(model), &real = *core(truth);
    require_size(learned.sites(), real.sites(), "the number of sites of model");
    require_size(learned.colors(), real.colors(), "the number of colours of model");
    require_size(size, product_of(real.sites(), real.sites()), "size");
    require_comparable(couplings_of(learned), couplings_of(real));
    const int64_t n = coupling_error_scratch(real.colors());
    const Scratch scratch(core(context)->allocator, Scratch::piece<double>(n));
    map_like(couplings_of(learned), couplings_of(real), scratch.arena().take<double>(n), map);
  });
}

atp_status atp_statistics_compare(atp_context *context, const atp_alignment *data, const atp_alignment *samples, double *numbers,
                                  int64_t size) noexcept {
  return guarded(context, "context", [&] {
    require(data, "data");
    require(samples, "samples");
    require(numbers, "numbers");
    require_size(size, product_of(ATP_COMPARISON_ROWS, ATP_COMPARISON_COLUMNS), "size");
    const Alignment &x = *core(data), &y = *core(samples);
    require_like_data(x, y, "samples");
    const Threads threads = core(context)->threads;
    const Doubles scratch(*core(context), comparison_scratch(y, threads));
    compare_statistics(x, y, threads, scratch.span(), numbers);
  });
}

atp_status atp_statistics_parts(atp_context *context, const atp_alignment *data, double samples, int64_t splits, int64_t seed,
                                double *numbers, double *weights) noexcept {
  return guarded(context, "context", [&] {
    require(data, "data");
    require(numbers, "numbers");
    require(weights, "weights");
    require_real(samples, std::numeric_limits<double>::min(), std::numeric_limits<double>::max(), "samples");
    require_range(splits, 0, 1000000, "splits");
    require_range(seed, 0, INT64_MAX, "seed");
    PartsComparison parts;
    compare_parts(*core(context), *core(data), samples, {splits, static_cast<uint64_t>(seed)}, parts);
    std::memcpy(numbers, parts.mean, sizeof parts.mean);
    std::memcpy(numbers + ATP_COMPARISON_ROWS * ATP_COMPARISON_COLUMNS, parts.deviation, sizeof parts.deviation);
    weights[0] = parts.small;
    weights[1] = parts.rest;
  });
}

atp_status atp_samples_quality(atp_context *context, const atp_alignment *data, const atp_alignment *samples, const atp_options *options,
                               atp_table *quality, atp_table *distances) noexcept {
  return guarded(context, "context", [&] {
    require(data, "data");
    require(samples, "samples");
    require(quality, "quality");
    const Alignment &x = *core(data), &y = *core(samples);
    require_like_data(x, y, "samples");
    const Options values = options_for(kQualityOptions, options);
    require_table(*core(quality), ATP_TABLE_QUALITY, ATP_QUALITY_ROWS);
    if (distances != nullptr) require_table(*core(distances), ATP_TABLE_DISTANCES, x.sites() + 1);
    const Splits splits{values.integer(ATP_OPT_RUNS), static_cast<uint64_t>(values.integer(ATP_OPT_SEED))};
    measure_quality(*core(context), x, y, {splits, values.integer(ATP_OPT_TRIPLES)}, *core(quality), core(distances));
  });
}

atp_status atp_statistics_components(atp_context *context, const atp_alignment *data, const atp_alignment *samples, int64_t components,
                                     double *coordinates, int64_t n, double *variances) noexcept {
  return guarded(context, "context", [&] {
    require(data, "data");
    require(coordinates, "coordinates");
    require(variances, "variances");
    if (samples != nullptr) require_like_data(*core(data), *core(samples), "samples");
    require_range(components, 1, Components::kMost, "components");
    require_size(n, core(data)->count() + (samples == nullptr ? 0 : core(samples)->count()), "n");
    principal_components(*core(context), *core(data), core(samples), components, coordinates, variances);
  });
}
