// SPDX-License-Identifier: MIT
#include "handles.hpp"

#include "alignment/frequencies.hpp"
#include "potts/gauge.hpp"
#include "potts/mutants.hpp"
#include "math/agreement.hpp"

#include <attopotts/mutations.h>

using namespace atp;

namespace {

void require_wild_type(const Model &model, const uint8_t *sequence) {
  require(sequence, "sequence");
  require_colors(sequence, 1, model.sites(), model.colors(), "sequence", true);
}

// Element k, column of changes [m][3].
void require_change(const int64_t *changes, int64_t k, int column, int64_t size) {
  const int64_t value = changes[3 * k + column];
  if (value < 0 || value >= size)
    fail(ATP_E_VALUE, "changes" ATP_AT2 " is %lld, must be in 0..%lld", llong{k}, llong{column}, llong{value}, llong{size - 1});
}

// Checks the mutant of change k: its index is in range and not below that of the change before.
void require_mutant(const int64_t *changes, int64_t k, int64_t mutants) {
  require_change(changes, k, 0, mutants);
  if (k > 0 && changes[3 * k] < changes[3 * (k - 1)])
    fail(ATP_E_VALUE, "changes" ATP_AT2 " is %lld, must not be below the mutant before, %lld", llong{k}, llong{0}, llong{changes[3 * k]},
         llong{changes[3 * (k - 1)]});
}

// changes [m][3] in ascending order of the mutants, each site once in a mutant.
void require_changes(const Model &model, const int64_t *changes, int64_t m, int64_t mutants) {
  for (int64_t k = 0, first = 0; k < m; ++k) {
    require_mutant(changes, k, mutants);
    require_change(changes, k, 1, model.sites());
    require_change(changes, k, 2, model.colors());
    if (changes[3 * k] != changes[3 * first]) first = k;
    for (int64_t before = first; before < k; ++before)
      if (changes[3 * before + 1] == changes[3 * k + 1])
        fail(ATP_E_VALUE, "changes" ATP_AT2 " is %lld, the site of another mutation of the same mutant, must be there once", llong{k},
             llong{1}, llong{changes[3 * k + 1]});
  }
}

// doubles [n][4] of two different sites.
void require_doubles(const Model &model, const int64_t *doubles, int64_t n) {
  for (int64_t k = 0; k < 4 * n; ++k) {
    const int64_t size = k % 2 == 0 ? model.sites() : model.colors();
    if (doubles[k] < 0 || doubles[k] >= size)
      fail(ATP_E_VALUE, "doubles" ATP_AT2 " is %lld, must be in 0..%lld", llong{k / 4}, llong{k % 4}, llong{doubles[k]}, llong{size - 1});
    if (k % 4 == 2 && doubles[k] == doubles[k - 2])
      fail(ATP_E_VALUE, "doubles" ATP_AT2 " is %lld, the first site of the mutant, must be another one", llong{k / 4}, llong{2},
           llong{doubles[k]});
  }
}

constexpr int64_t kMostSitesOfMaps = 4096;  // of a model of independent sites

// settings [3] as of atp_agreement_interval().
Draws draws_of(const int64_t *settings) {
  require_range(settings[0], 0, 1 << 24, "the number of draws");
  require_range(settings[1], 0, INT64_MAX, "the seed");
  return {settings[0], static_cast<uint64_t>(settings[1])};
}

}  // namespace

atp_status atp_model_create_independent(atp_context *context, const atp_alignment *alignment, atp_gaps gaps, double pseudocount,
                                        atp_model **out) noexcept {
  return creating(context, out, [&] {
    require(alignment, "alignment");
    require(out, "out");
    require_range(gaps, ATP_GAPS_STATE, ATP_GAPS_IGNORE, "gaps");
    require_real(pseudocount, -std::numeric_limits<double>::max(), 1, "pseudocount");
    const Alignment &data = *core(alignment);
    const bool ignored = gaps == ATP_GAPS_IGNORE;
    if (ignored && data.colors() < 3) fail(ATP_E_VALUE, "gaps is ATP_GAPS_IGNORE with 2 colours, must leave at least 2");
    ModelShape shape;
    shape.sites = data.sites();
    shape.colors = data.colors() - (ignored ? 1 : 0);
    const bool listed = data.sites() > kMostSitesOfMaps;
    (listed ? shape.pairs : shape.heads) = 1;
    shape.fields = true;
    Made<Model> model(make_model(*core(context), shape));
    const SitePair first{0, 1};
    if (listed) model->set_pairs({&first, 1});
    log_frequencies(data, ignored, pseudocount, model->fields.data());
    std::memcpy(model->alphabet, data.alphabet, sizeof model->alphabet);
    if (ignored && model->alphabet[0] != '\0') std::memmove(model->alphabet, model->alphabet + 1, sizeof model->alphabet - 1);
    model->labels.copy(data.labels);
    *out = handle(model.release());
  });
}

atp_status atp_model_weigh_sites(atp_context *context, const atp_model *source, const double *weights, int64_t n,
                                 atp_model **out) noexcept {
  return creating(context, out, [&] {
    constexpr double kLargestWeight = 1e6;
    require(source, "source");
    require(weights, "weights");
    require(out, "out");
    const Model &of = *core(source);
    require_size(n, of.sites(), "n");
    if (of.shape.ordered) fail(ATP_E_CONFLICT, "source is autoregressive: its energies are not sums over sites and pairs");
    require_finite(weights, n, "weights");
    for (int64_t i = 0; i < n; ++i)
      if (weights[i] < 0 || weights[i] > kLargestWeight)
        fail(ATP_E_VALUE, "weights" ATP_AT " is %g, must be in 0..%g", llong{i}, weights[i], kLargestWeight);
    *out = handle(weigh_sites(*core(context), of, {weights, n}));
  });
}

atp_status atp_mutations_parse(const atp_model *model, const uint8_t *sequence, int64_t sites, const char *text, int64_t *changes,
                               int64_t capacity, int64_t *count) noexcept {
  return guarded(model, "model", [&] {
    require_size(sites, core(model)->sites(), "sites");
    require_wild_type(*core(model), sequence);
    require(text, "text");
    require(changes, "changes");
    require(count, "count");
    require_range(capacity, 1, INT64_MAX / 3, "capacity");
    *count = parse_mutations(*core(model), sequence, text, changes, capacity);
  });
}

atp_status atp_mutations_offset(atp_context *context, const atp_model *model, const uint8_t *sequence, int64_t sites, const char *text,
                                int64_t *found) noexcept {
  return guarded(context, "context", [&] {
    require(model, "model");
    require_size(sites, core(model)->sites(), "sites");
    require_wild_type(*core(model), sequence);
    require(text, "text");
    require(found, "found");
    const NumberOffset offset = find_number_offset(*core(context), *core(model), sequence, text);
    found[0] = offset.residues;
    found[1] = offset.agreeing;
    found[2] = offset.offset;
    found[3] = offset.fitting;
  });
}

atp_status atp_model_score_mutants(atp_context *context, const atp_model *model, const uint8_t *sequence, const int64_t *changes, int64_t m,
                                   double *scores, int64_t mutants) noexcept {
  return guarded(context, "context", [&] {
    require(model, "model");
    const Model &of = *core(model);
    require_wild_type(of, sequence);
    require(changes, "changes");
    require(scores, "scores");
    require_range(m, 1, INT64_MAX / 3, "m");
    require_range(mutants, 1, INT64_MAX / ATP_MUTANT_COLUMNS, "mutants");
    require_changes(of, changes, m, mutants);
    const Threads threads = core(context)->threads;
    const Doubles scratch(*core(context), score_scratch(of.sites(), of.colors(), threads));
    score_mutants(of, sequence, {changes, 3 * m}, threads, scratch.span(), {scores, mutants * ATP_MUTANT_COLUMNS});
  });
}

atp_status atp_model_double_mutants(atp_context *context, const atp_model *model, const uint8_t *sequence, const int64_t *pairs,
                                    int64_t count, double *delta_energy, int64_t size) noexcept {
  return guarded(context, "context", [&] {
    require(model, "model");
    const Model &of = *core(model);
    require_wild_type(of, sequence);
    require(pairs, "pairs");
    require(delta_energy, "delta_energy");
    require_range(count, 1, INT64_MAX / 2, "count");
    require_size(size, product_of(count, of.colors(), of.colors()), "size");
    require_sites(pairs, 2 * count, of.sites(), "pairs", {2});
    for (int64_t k = 0; k < count; ++k)
      if (pairs[2 * k] == pairs[2 * k + 1])
        fail(ATP_E_VALUE, "pairs" ATP_AT2 " is " ATP_INDEX " as the other site of the pair, must differ from it", llong{k}, llong{1},
             llong{pairs[2 * k + 1]});
    const Threads threads = core(context)->threads;
    const Doubles scratch(*core(context), doubles_scratch(of, threads));
    double_mutants(of, sequence, {pairs, 2 * count}, threads, scratch.span(), delta_energy);
  });
}

atp_status atp_model_epistasis(atp_context *context, const atp_model *model, const uint8_t *sequence, const int64_t *doubles, int64_t count,
                               double *delta_energy, double *epistasis) noexcept {
  return guarded(context, "context", [&] {
    require(model, "model");
    const Model &of = *core(model);
    require_wild_type(of, sequence);
    require(doubles, "doubles");
    require(delta_energy, "delta_energy");
    require(epistasis, "epistasis");
    require_range(count, 1, INT64_MAX / 4, "count");
    require_doubles(of, doubles, count);
    const Threads threads = core(context)->threads;
    const Doubles scratch(*core(context), doubles_scratch(of, threads));
    epistasis_of_doubles(of, sequence, {doubles, 4 * count}, threads, scratch.span(), delta_energy, epistasis);
  });
}

atp_status atp_model_count_doubles(const atp_model *model, const uint8_t *sequence, int64_t gap, int64_t *count) noexcept {
  return guarded(context_of(model), [&] {
    require(model, "model");
    require_wild_type(*core(model), sequence);
    require(count, "count");
    require_range(gap, ATP_GAP_AUTO, core(model)->colors() - 1, "gap");
    *count = count_doubles(*core(model), sequence, gap == ATP_GAP_AUTO ? gap_color(core(model)->alphabet) : gap);
  });
}

atp_status atp_model_best_doubles(atp_context *context, const atp_model *model, const uint8_t *sequence, int64_t gap, int64_t *doubles,
                                  double *delta_energy, int64_t k) noexcept {
  return guarded(context, "context", [&] {
    require(model, "model");
    const Model &of = *core(model);
    require_wild_type(of, sequence);
    require(doubles, "doubles");
    require(delta_energy, "delta_energy");
    require_range(gap, ATP_GAP_AUTO, of.colors() - 1, "gap");
    const int64_t left_out = gap == ATP_GAP_AUTO ? gap_color(of.alphabet) : gap;
    require_range(k, 1, count_doubles(of, sequence, left_out), "k");
    const Threads threads = core(context)->threads;
    const int64_t numbers = doubles_scratch(of, threads), places = doubles_heaps(of, k, threads);
    const Scratch scratch(core(context)->allocator, Scratch::piece<double>(numbers) + Scratch::piece<DoubleMutant>(places));
    Arena arena = scratch.arena();
    const Span<double> work = arena.take<double>(numbers);
    best_doubles(of, sequence, left_out, threads, work, arena.take<DoubleMutant>(places), doubles, {delta_energy, k});
  });
}

atp_status atp_mutants_average(atp_context *context, const int64_t *changes, int64_t m, const double *measured, int64_t mutants,
                               int64_t *first, double *average) noexcept {
  return guarded(core(context), [&] {
    require(context, "context");
    require(changes, "changes");
    require(measured, "measured");
    require(first, "first");
    require(average, "average");
    require_range(m, 1, INT64_MAX / 3, "m");
    require_range(mutants, 1, INT64_MAX, "mutants");
    for (int64_t k = 0; k < m; ++k) require_mutant(changes, k, mutants);
    const Scratch scratch(core(context)->allocator, Scratch::piece<std::array<int64_t, 2>>(m) + 2 * Scratch::piece<int64_t>(mutants));
    Arena arena = scratch.arena();
    const auto sorted = arena.take<std::array<int64_t, 2>>(m);
    const Span<int64_t> ends = arena.take<int64_t>(mutants);
    average_repeated({changes, 3 * m}, measured, {sorted, ends, arena.take<int64_t>(mutants)}, first, average);
  });
}

atp_status atp_agreement_interval(atp_context *context, atp_agreement measure, const double *x, const double *y, int64_t n,
                                  const int64_t *settings, double *interval) noexcept {
  return guarded(context, "context", [&] {
    require(x, "x");
    require(y, "y");
    require(settings, "settings");
    require(interval, "interval");
    require_range(measure, ATP_AGREEMENT_SPEARMAN, ATP_AGREEMENT_RECALL, "measure");
    require_range(n, 2, int64_t{1} << 31, "n");
    require_finite(x, n, "x");
    require_finite(y, n, "y");
    const Draws draws = draws_of(settings);
    if (measure == ATP_AGREEMENT_RECALL) require_range(settings[2], 1, n, "top");
    const Measure found = measure_agreement(*core(context), {static_cast<Agreement>(measure), x, y, n, settings[2]}, draws);
    interval[0] = found.value;
    interval[1] = found.interval.low;
    interval[2] = found.interval.high;
  });
}

atp_status atp_mutants_agreement(const double *scores, const double *measured, const int64_t *mutations, int64_t n, const int64_t *settings,
                                 double threshold, atp_table *table) noexcept {
  return guarded(context_of(table), [&] {
    require(scores, "scores");
    require(measured, "measured");
    require(mutations, "mutations");
    require(settings, "settings");
    require(table, "table");
    require_range(n, 1, int64_t{1} << 31, "n");
    int64_t known = 0;
    for (int64_t k = 0; k < n; ++k) {
      if (mutations[k] < 1) fail(ATP_E_VALUE, "mutations" ATP_AT " is %lld, must be >= 1", llong{k}, llong{mutations[k]});
      if (std::isnan(measured[k])) continue;
      ++known;
      require_finite(measured + k, 1, "a number of measured");
      require_finite(scores + k, 1, "the score of a measured mutant");
    }
    if (known < 2) fail(ATP_E_VALUE, "%lld mutants are measured, must be at least 2", llong{known});
    const Draws draws = draws_of(settings);
    require_range(settings[2], 0, INT64_MAX, "top");
    if (std::isinf(threshold)) fail(ATP_E_NOT_FINITE, "threshold is %g, must be finite, or NaN for the median", threshold);
    Context &context = *core(table)->context;
    const MeasuredMutants mutants{scores, measured, mutations, n};
    require_table(*core(table), ATP_TABLE_MEASURED, 4 * count_groups(context, mutants));
    measure_groups(context, mutants, {draws, settings[2], threshold}, *core(table));
  });
}
