// SPDX-License-Identifier: MIT
#include "handles.hpp"

#include "alignment/alignment_state.hpp"
#include "alignment/frequencies.hpp"
#include "alignment/sample_rows.hpp"
#include "alignment/redundancy.hpp"
#include "alignment/sequence_text.hpp"
#include "alignment/subset.hpp"
#include "alignment/weights.hpp"

#include "alignment/options.hpp"

#include <cstring>

using namespace atp;

namespace {

// Trainers keep sums of the weights that they began with.
void require_unborrowed(const Alignment &alignment) {
  const int64_t borrowers = alignment.borrowers.load(std::memory_order_acquire);
  if (borrowers > 0)
    fail(ATP_E_STAGE, "the weights are in use by %lld trainers: set them before a trainer is made, or after it is destroyed",
         llong{borrowers});
}

void require_pseudocount(double pseudocount) {
  if (!(pseudocount >= 0 && pseudocount <= 1)) fail(ATP_E_VALUE, "pseudocount is %g, must be in 0..1", pseudocount);
}

// `copied`: the sequences are; otherwise the alignment reads those of the caller.
atp_status make_alignment(atp_context *context, const uint8_t *sequences, const AlignmentShape &shape, const double *weights, bool copied,
                          atp_alignment **out) noexcept {
  return creating(context, out, [&] {
    require(sequences, "sequences");
    require(out, "out");
    check_shape(shape);
    require_colors(sequences, shape.count, shape.sites, shape.colors, "sequences");
    if (weights != nullptr) check_weights(weights, shape.count, "weights");
    *out = handle(create_alignment(*core(context), sequences, shape, weights, copied));
  });
}

// Numbers of pairs of sites, [L][L][q][q].
template <class Fill>
atp_status pair_numbers(const atp_alignment *alignment, double pseudocount, double *values, int64_t size, const char *name,
                        Fill &&fill) noexcept {
  return guarded(alignment, "alignment", [&] {
    require(values, name);
    const int64_t sites = core(alignment)->sites(), q = core(alignment)->colors();
    require_size(size, product_of(sites, sites, q, q), "size");
    require_pseudocount(pseudocount);
    fill(*core(alignment), pseudocount, values);
  });
}

}  // namespace

atp_status atp_alignment_create(atp_context *context, const uint8_t *sequences, int64_t n, int64_t sites, int64_t colors,
                                const double *weights, atp_alignment **out) noexcept {
  return make_alignment(context, sequences, {n, sites, colors, 0}, weights, true, out);
}

atp_status atp_alignment_borrow(atp_context *context, const uint8_t *sequences, int64_t n, int64_t sites, int64_t colors,
                                const double *weights, atp_alignment **out) noexcept {
  return make_alignment(context, sequences, {n, sites, colors, 0}, weights, false, out);
}

atp_status atp_alignment_parse(atp_context *context, const char *text, int64_t size, const char *alphabet, const atp_options *options,
                               atp_alignment **out) noexcept {
  return creating(context, out, [&] {
    require(text, "text");
    require(out, "out");
    require_range(size, 0, INT64_MAX, "size");
    *out = handle(alignment_from_text(*core(context), {{text, size}, "text"}, "", alphabet, alignment_options(options)));
  });
}

atp_status atp_alignment_format(const atp_alignment *alignment, atp_format format, char *text, int64_t size, int64_t *needed) noexcept {
  return guarded(alignment, "alignment", [&] {
    require(needed, "needed");
    require_range(format, ATP_FORMAT_FASTA, ATP_FORMAT_INTEGERS, "format");
    const Alignment &a = *core(alignment);
    const bool fasta = format == ATP_FORMAT_FASTA;
    if (fasta && a.alphabet[0] == 0) fail(ATP_E_CONFLICT, "the alignment has no alphabet, which FASTA needs");
    const int64_t bytes = text_of(a, fasta, nullptr, 0);
    *needed = bytes;
    if (text == nullptr) return;
    if (size < bytes) fail(ATP_E_BUFFER, "size is %lld, must be at least %lld", llong{size}, llong{bytes});
    text_of(a, fasta, text, size);
  });
}

atp_status atp_alignment_select(atp_context *context, const atp_alignment *source, int64_t first, int64_t count, int64_t stride,
                                atp_alignment **out) noexcept {
  return creating(context, out, [&] {
    require(source, "source");
    require(out, "out");
    const int64_t n = core(source)->count();
    require_index(first, n, "first");
    require_range(stride, 1, n, "stride");
    require_range(count, 1, (n - 1 - first) / stride + 1, "count");
    *out = handle(select_sequences(*core(context), *core(source), first, count, stride));
  });
}

atp_status atp_alignment_take(atp_context *context, const atp_alignment *source, const int64_t *rows, int64_t n,
                              atp_alignment **out) noexcept {
  return creating(context, out, [&] {
    require(source, "source");
    require(rows, "rows");
    require(out, "out");
    require_range(n, 1, kMaxElements / core(source)->sites(), "n");
    for (int64_t k = 0; k < n; ++k)
      if (rows[k] < 0 || rows[k] >= core(source)->count())
        fail(ATP_E_VALUE, "rows" ATP_AT " is " ATP_INDEX ", must be in " ATP_INDEX ".." ATP_INDEX, llong{k}, llong{rows[k]}, llong{0},
             llong{core(source)->count() - 1});
    *out = handle(take_sequences(*core(context), *core(source), {rows, n}));
  });
}

atp_status atp_alignment_sample(atp_context *context, const atp_alignment *source, int64_t n, int replace, int64_t seed,
                                atp_alignment **out) noexcept {
  return creating(context, out, [&] {
    require(source, "source");
    require(out, "out");
    require_range(replace, 0, 1, "replace");
    const int64_t count = core(source)->count();
    require_range(n, 1, replace == 0 ? count : kMaxElements / core(source)->sites(), "n");
    require_range(seed, 0, INT64_MAX, "seed");
    const Scratch memory(core(context)->allocator, Scratch::piece<int64_t>(n));
    const Span<int64_t> rows = memory.arena().take<int64_t>(n);
    sample_rows(*core(context), count, replace != 0, static_cast<uint64_t>(seed), rows);
    *out = handle(take_sequences(*core(context), *core(source), rows));
  });
}

int64_t atp_alignment_state_bytes(const atp_alignment *alignment) noexcept {
  return alignment == nullptr ? 0 : alignment_state_bytes(*core(alignment));
}

atp_status atp_alignment_save_state(const atp_alignment *alignment, void *buffer, int64_t size) noexcept {
  return guarded(alignment, "alignment", [&] {
    core(alignment)->weighing.require_idle("alignment");
    require(buffer, "buffer");
    save_alignment(*core(alignment), buffer, size);
  });
}

atp_status atp_alignment_from_state(atp_context *context, const void *buffer, int64_t size, atp_alignment **out) noexcept {
  return creating(context, out, [&] {
    require(buffer, "buffer");
    require(out, "out");
    *out = handle(load_alignment(*core(context), buffer, size));
  });
}

atp_status atp_alignment_rename(atp_context *context, const atp_alignment *source, const char *names, atp_alignment **out) noexcept {
  return creating(context, out, [&] {
    require(source, "source");
    require(names, "names");
    require(out, "out");
    *out = handle(rename_sequences(*core(context), *core(source), {names, static_cast<int64_t>(std::strlen(names))}));
  });
}

atp_status atp_alignment_find(const atp_alignment *alignment, const char *name, int64_t *index) noexcept {
  return guarded(alignment, "alignment", [&] {
    require(name, "name");
    require(index, "index");
    *index = find_sequence(*core(alignment), name);
  });
}

atp_status atp_alignment_focus(atp_context *context, const atp_alignment *source, const char *name, atp_alignment **out) noexcept {
  return creating(context, out, [&] {
    require(source, "source");
    require(name, "name");
    require(out, "out");
    *out = handle(focus_alignment(*core(context), *core(source), find_sequence(*core(source), name)));
  });
}

atp_status atp_alignment_filter(atp_context *context, const atp_alignment *source, const atp_options *options, int64_t *counts,
                                int64_t size, atp_alignment **out) noexcept {
  return creating(context, out, [&] {
    require(source, "source");
    require(out, "out");
    if (counts != nullptr) require_size(size, 3, "size");
    const Options values = options_for(kFilterOptions, options);
    FilterCounts found;
    *out = handle(filter_alignment(*core(context), *core(source), values.real(ATP_OPT_MAX_GAPS_SEQUENCE),
                                   values.real(ATP_OPT_MAX_GAPS_COLUMN), values.flag(ATP_OPT_REMOVE_DUPLICATES), found));
    if (counts == nullptr) return;
    counts[0] = found.gapped_sequences;
    counts[1] = found.gapped_columns;
    counts[2] = found.duplicates;
  });
}

atp_status atp_alignment_filter_identity(atp_context *context, const atp_alignment *source, double identity, atp_alignment **out) noexcept {
  return creating(context, out, [&] {
    require(source, "source");
    require(out, "out");
    require_real(identity, 0, 1, "identity");
    *out = handle(filter_identity(*core(context), *core(source), identity));
  });
}

void atp_alignment_destroy(atp_alignment *alignment) noexcept { destroy(alignment); }

atp_context *atp_alignment_context(const atp_alignment *alignment) noexcept { return handle(context_of(alignment)); }
int64_t atp_alignment_count(const atp_alignment *alignment) noexcept { return alignment == nullptr ? 0 : core(alignment)->count(); }
int64_t atp_alignment_sites(const atp_alignment *alignment) noexcept { return alignment == nullptr ? 0 : core(alignment)->sites(); }
int64_t atp_alignment_colors(const atp_alignment *alignment) noexcept { return alignment == nullptr ? 0 : core(alignment)->colors(); }

double atp_alignment_effective_count(const atp_alignment *alignment) noexcept {
  return alignment == nullptr ? 0 : core(alignment)->effective_count();
}

const uint8_t *atp_alignment_sequences_view(const atp_alignment *alignment) noexcept {
  return alignment == nullptr ? nullptr : core(alignment)->sequences.data();
}

const double *atp_alignment_weights_view(const atp_alignment *alignment) noexcept {
  return alignment == nullptr ? nullptr : core(alignment)->weights.data();
}

atp_status atp_alignment_set_weights(atp_alignment *alignment, const double *weights, int64_t n) noexcept {
  return guarded(alignment, "alignment", [&] {
    core(alignment)->weighing.require_idle("alignment");
    require(weights, "weights");
    require_size(n, core(alignment)->count(), "n");
    check_weights(weights, n, "weights");
    require_unborrowed(*core(alignment));
    for (int64_t k = 0; k < n; ++k) core(alignment)->weights[k] = weights[k];
  });
}

atp_status atp_alignment_weigh(atp_alignment *alignment, double theta, atp_weight_rule rule, atp_progress_fn progress, void *user,
                               atp_outcome *outcome) noexcept {
  return guarded_together(alignment, "alignment", [&] {
    if (!(theta >= 0 && theta <= 1)) fail(ATP_E_VALUE, "theta is %g, must be in 0..1", theta);
    require_range(rule, ATP_WEIGHTS_INCLUSIVE, ATP_WEIGHTS_RESIDUES, "rule");
    const Running::Call weighing(core(alignment)->weighing, "alignment");
    require_unborrowed(*core(alignment));
    Context &context = *core(alignment)->context;
    StopFlag stop(&context.stop);
    Reporter reporter(progress, user, stop, nullptr, &context.ranks);
    const atp_outcome end = weigh_sequences(context, *core(alignment), theta, rule, reporter);
    if (outcome != nullptr) *outcome = end;
  });
}

atp_status atp_alignment_auto_theta(const atp_alignment *alignment, double *theta) noexcept {
  return guarded(alignment, "alignment", [&] {
    require(theta, "theta");
    if (core(alignment)->count() < 2) fail(ATP_E_VALUE, "alignment has one sequence, must have at least 2");
    *theta = automatic_theta(*core(alignment));
  });
}

const char *atp_alignment_alphabet(const atp_alignment *alignment) noexcept {
  return alignment == nullptr ? "" : core(alignment)->alphabet;
}

atp_status atp_alignment_set_alphabet(atp_alignment *alignment, const char *symbols) noexcept {
  return guarded(alignment, "alignment", [&] {
    core(alignment)->weighing.require_idle("alignment");
    require(symbols, "symbols");
    set_alphabet(core(alignment)->alphabet, symbols, core(alignment)->colors(), "symbols");
  });
}

const int64_t *atp_alignment_site_numbers_view(const atp_alignment *alignment) noexcept {
  return alignment == nullptr ? nullptr : core(alignment)->labels.numbers().data();
}

const char *atp_alignment_site_residues(const atp_alignment *alignment) noexcept {
  return alignment == nullptr ? "" : core(alignment)->labels.residues();
}

atp_status atp_alignment_set_sites(atp_alignment *alignment, const int64_t *numbers, int64_t n, const char *residues) noexcept {
  return guarded(alignment, "alignment", [&] {
    core(alignment)->weighing.require_idle("alignment");
    require_size(n, core(alignment)->sites(), "n");
    core(alignment)->labels.set(numbers, residues);
  });
}

const char *atp_alignment_name(const atp_alignment *alignment, int64_t index) noexcept {
  return alignment == nullptr || index < 0 || index >= core(alignment)->count() ? "" : core(alignment)->name(index);
}

const char *atp_alignment_origin(const atp_alignment *alignment) noexcept { return alignment == nullptr ? "" : core(alignment)->origin; }

atp_status atp_alignment_set_origin(atp_alignment *alignment, const char *text) noexcept {
  return guarded(alignment, "alignment", [&] {
    core(alignment)->weighing.require_idle("alignment");
    require(text, "text");
    core(alignment)->set_origin(text);
  });
}

atp_status atp_alignment_frequencies(const atp_alignment *alignment, double pseudocount, double *frequencies, int64_t size) noexcept {
  return guarded(alignment, "alignment", [&] {
    require(frequencies, "frequencies");
    const int64_t sites = core(alignment)->sites(), q = core(alignment)->colors();
    require_size(size, product_of(sites, q), "size");
    require_pseudocount(pseudocount);
    atp::frequencies(*core(alignment), pseudocount, frequencies);
  });
}

atp_status atp_alignment_pair_frequencies(const atp_alignment *alignment, double pseudocount, double *pairs, int64_t size) noexcept {
  return pair_numbers(alignment, pseudocount, pairs, size, "pairs", pair_frequencies);
}

atp_status atp_alignment_covariances(const atp_alignment *alignment, double pseudocount, double *values, int64_t size) noexcept {
  return pair_numbers(alignment, pseudocount, values, size, "covariances", covariances);
}

atp_status atp_alignment_independent_loss(const atp_alignment *alignment, const double *frequencies, int64_t size, double *loss) noexcept {
  return guarded(alignment, "alignment", [&] {
    require(frequencies, "frequencies");
    require(loss, "loss");
    require_size(size, product_of(core(alignment)->sites(), core(alignment)->colors()), "size");
    require_finite(frequencies, size, "frequencies", {core(alignment)->colors()});
    for (int64_t k = 0; k < size; ++k)
      if (frequencies[k] < 0)
        fail(ATP_E_VALUE, "frequencies" ATP_AT2 " is %g, must be >= 0", llong{k / core(alignment)->colors()},
             llong{k % core(alignment)->colors()}, frequencies[k]);
    *loss = independent_loss(*core(alignment), frequencies);
  });
}

atp_status atp_alignment_resample(const atp_alignment *alignment, int64_t seed, int64_t sample, double *weights, int64_t n) noexcept {
  return guarded(context_of(alignment), [&] {
    require(alignment, "alignment");
    require(weights, "weights");
    require_range(seed, 0, INT64_MAX, "seed");
    require_range(sample, 0, INT64_MAX, "sample");
    require_size(n, core(alignment)->count(), "n");
    resample_weights(*core(alignment), static_cast<uint64_t>(seed), static_cast<uint64_t>(sample), {weights, n});
  });
}

atp_status atp_alignment_residue_frequencies(const atp_alignment *alignment, double *frequencies, int64_t size) noexcept {
  return guarded(alignment, "alignment", [&] {
    require(frequencies, "frequencies");
    require_size(size, core(alignment)->sites() * (core(alignment)->colors() - 1), "size");
    residue_frequencies(*core(alignment), frequencies);
  });
}

atp_status atp_alignment_conservation(const atp_alignment *alignment, atp_gaps gaps, double *conservation, int64_t size) noexcept {
  return guarded(alignment, "alignment", [&] {
    require(conservation, "conservation");
    require_range(gaps, ATP_GAPS_STATE, ATP_GAPS_IGNORE, "gaps");
    require_size(size, core(alignment)->sites(), "size");
    const bool ignored = gaps == ATP_GAPS_IGNORE;
    if (ignored && core(alignment)->colors() < 3) fail(ATP_E_VALUE, "gaps is ATP_GAPS_IGNORE with 2 colours, must leave at least 2");
    atp::conservation(*core(alignment), ignored, conservation);
  });
}

const char *atp_level_name(int level) noexcept {
  static constexpr const char *kLevels[] = {"none", "poor", "fair", "good"};
  return level < ATP_LEVEL_NONE || level > ATP_LEVEL_GOOD ? "unknown level" : kLevels[level];
}

atp_status atp_alignment_summary(const atp_alignment *alignment, double *numbers, int64_t size) noexcept {
  return guarded(alignment, "alignment", [&] {
    require(numbers, "numbers");
    require_size(size, ATP_SUMMARY_NUMBERS, "size");
    summarise(*core(alignment)->context, *core(alignment), numbers);
  });
}
