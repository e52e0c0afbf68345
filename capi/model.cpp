// SPDX-License-Identifier: MIT
#include "handles.hpp"

#include "alignment/text.hpp"
#include "potts/coupling_error.hpp"
#include "potts/enumerate.hpp"
#include "potts/evaluate.hpp"
#include "potts/gauge.hpp"
#include "potts/model_state.hpp"
#include "potts/model.hpp"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <type_traits>

using namespace atp;

namespace {

// "maps[0][3][3] is 0.5, ..." as an error.
[[noreturn]] void refuse(atp_status status, const char *name, std::initializer_list<int64_t> place, double value, const char *expected) {
  fail(status, "%s%s is %g, %s", name, Place(place).text(), value, expected);
}

void require_number(double value, const char *name, std::initializer_list<int64_t> place) {
  if (!std::isfinite(value)) refuse(ATP_E_NOT_FINITE, name, place, value, "must be finite");
  if (std::fabs(value) > kLargestModelNumber) refuse(ATP_E_VALUE, name, place, value, "must be at most 1e100 in magnitude");
}

void require_uncoupled(double value, const char *name, std::initializer_list<int64_t> place) {
  if (value != 0) refuse(ATP_E_SYMMETRY, name, place, value, "must be 0: a site does not couple to itself");
}

// values[stack][n][n].
void require_matrices(const double *values, int64_t stack, int64_t n, const char *name) {
  for (int64_t h = 0; h < stack; ++h)
    for (int64_t r = 0; r < n; ++r)
      for (int64_t c = 0; c < n; ++c) require_number(*values++, name, {h, r, c});
}

template <class Real>
void require_fields(const Real *fields, int64_t sites, int64_t colors) {
  if (fields == nullptr) return;
  for (int64_t i = 0; i < sites; ++i)
    for (int64_t a = 0; a < colors; ++a) require_number(static_cast<double>(*fields++), "fields", {i, a});
}

template <class Real>
void require_couplings(const Real *couplings, int64_t sites, int64_t colors) {
  for (int64_t i = 0; i < sites; ++i)
    for (int64_t j = 0; j < sites; ++j)
      for (int64_t a = 0; a < colors; ++a)
        for (int64_t b = 0; b < colors; ++b) {
          const double value = static_cast<double>(*couplings++);
          require_number(value, "couplings", {i, j, a, b});
          if (i == j) require_uncoupled(value, "couplings", {i, j, a, b});
        }
}

template <class Real>
atp_status create_dense(atp_context *context, int64_t sites, int64_t colors, const Real *couplings, const Real *fields,
                        atp_model **out) noexcept {
  return creating(context, out, [&] {
    require(couplings, "couplings");
    require(out, "out");
    const ModelShape shape{sites, colors, 0, fields != nullptr};
    check_shape(shape);
    require_couplings(couplings, sites, colors);
    require_fields(fields, sites, colors);
    warn_of_triangle(*core(context), "couplings", couplings, 1, sites, colors * colors);
    Model *model = make_model(*core(context), shape);
    std::copy_n(couplings, model->couplings.size(), model->couplings.data());
    if (fields != nullptr) std::copy_n(fields, model->fields.size(), model->fields.data());
    *out = handle(model);
  });
}

// One head array, with the checks that maps and values share.
atp_status head_array(const atp_model *model, Span<double> Model::*array, double *out, int64_t size, const char *name) noexcept {
  return guarded(model, "model", [&] {
    require(out, name);
    if (core(model)->shape.dense()) fail(ATP_E_CONFLICT, "model has dense couplings and no heads, so it has no %s", name);
    copy_out(core(model)->*array, out, size);
  });
}

template <class Real>
atp_status dense_couplings(const atp_model *model, Real *couplings, int64_t size) noexcept {
  return guarded(model, "model", [&] {
    require(couplings, "couplings");
    const int64_t n = core(model)->sites() * core(model)->colors();
    require_size(size, product_of(n, n), "size");
    if constexpr (std::is_same_v<Real, float>) require_float32(*core(model));
    write_couplings(*core(model), couplings);
  });
}

// Sequences for a model, [n][L].
void require_sequences(const atp_model *model, const uint8_t *sequences, int64_t n) {
  require(model, "model");
  require(sequences, "sequences");
  const int64_t L = core(model)->sites(), q = core(model)->colors();
  require_range(n, 1, std::numeric_limits<int64_t>::max() / (L * q), "n");
  require_colors(sequences, n, L, q, "sequences", true);
}

}  // namespace

atp_status atp_model_create_heads(atp_context *context, const int64_t *shape, const double *maps, const double *values,
                                  const double *fields, atp_model **out) noexcept {
  return creating(context, out, [&] {
    require(shape, "shape");
    require(maps, "maps");
    require(values, "values");
    require(out, "out");
    const int64_t sites = shape[0], colors = shape[1], heads = shape[2];
    require_range(heads, 1, kMaxHeads, "heads");
    const ModelShape of{sites, colors, heads, fields != nullptr};
    check_shape(of);
    require_matrices(maps, heads, sites, "maps");
    require_matrices(values, heads, colors, "values");
    require_fields(fields, sites, colors);
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t i = 0; i < sites; ++i) require_uncoupled(maps[(h * sites + i) * sites + i], "maps", {h, i, i});
    warn_of_triangle(*core(context), "maps", maps, heads, sites, 1);
    Model *model = make_model(*core(context), of);
    std::copy_n(maps, model->maps.size(), model->maps.data());
    std::copy_n(values, model->values.size(), model->values.data());
    if (fields != nullptr) std::copy_n(fields, model->fields.size(), model->fields.data());
    *out = handle(model);
  });
}

atp_status atp_model_create_dense_f64(atp_context *context, int64_t sites, int64_t colors, const double *couplings, const double *fields,
                                      atp_model **out) noexcept {
  return create_dense(context, sites, colors, couplings, fields, out);
}

atp_status atp_model_create_dense_f32(atp_context *context, int64_t sites, int64_t colors, const float *couplings, const float *fields,
                                      atp_model **out) noexcept {
  return create_dense(context, sites, colors, couplings, fields, out);
}

atp_status atp_model_create_random(atp_context *context, int64_t sites, int64_t colors, atp_couplings couplings,
                                   atp_color_matrix color_matrix, int64_t seed, atp_model **out) noexcept {
  return creating(context, out, [&] {
    require(out, "out");
    const ModelShape shape{sites, colors, 1, false};
    check_shape(shape);
    require_range(couplings, ATP_COUPLINGS_GAUSSIAN, ATP_COUPLINGS_CONTACTS, "couplings");
    require_range(color_matrix, ATP_COLOR_MATRIX_GAUSSIAN, ATP_COLOR_MATRIX_ISING, "color_matrix");
    require_range(seed, 0, std::numeric_limits<int64_t>::max(), "seed");
    Model *model = make_model(*core(context), shape);
    fill_random(*model, couplings, color_matrix, static_cast<uint64_t>(seed));
    *out = handle(model);
  });
}

atp_status atp_model_copy(atp_context *context, const atp_model *source, atp_model **out) noexcept {
  return creating(context, out, [&] {
    require(source, "source");
    require(out, "out");
    *out = handle(copy_model(*core(context), *core(source)));
  });
}

int64_t atp_model_state_bytes(const atp_model *model) noexcept { return model == nullptr ? 0 : model_state_bytes(*core(model)); }

atp_status atp_model_save_state(const atp_model *model, void *buffer, int64_t size) noexcept {
  return guarded(model, "model", [&] {
    require(buffer, "buffer");
    save_model(*core(model), buffer, size);
  });
}

atp_status atp_model_from_state(atp_context *context, const void *buffer, int64_t size, atp_model **out) noexcept {
  return creating(context, out, [&] {
    require(buffer, "buffer");
    require(out, "out");
    *out = handle(load_model(*core(context), buffer, size));
  });
}

void atp_model_destroy(atp_model *model) noexcept { destroy(model); }

atp_context *atp_model_context(const atp_model *model) noexcept { return handle(context_of(model)); }
int64_t atp_model_sites(const atp_model *model) noexcept { return model == nullptr ? 0 : core(model)->sites(); }
int64_t atp_model_colors(const atp_model *model) noexcept { return model == nullptr ? 0 : core(model)->colors(); }
int64_t atp_model_heads(const atp_model *model) noexcept { return model == nullptr ? 0 : core(model)->shape.heads; }
int atp_model_has_fields(const atp_model *model) noexcept { return model != nullptr && core(model)->shape.fields ? 1 : 0; }
int atp_model_is_symmetric(const atp_model *model) noexcept { return model != nullptr && core(model)->symmetric() ? 1 : 0; }
double atp_model_beta(const atp_model *model) noexcept { return model == nullptr ? std::nan("") : core(model)->beta; }

atp_status atp_model_set_beta(atp_model *model, double beta) noexcept {
  return guarded(model, "model", [&] {
    require_number(beta, "beta", {});
    if (beta < 0) fail(ATP_E_VALUE, "beta is %g, must be >= 0", beta);
    core(model)->beta = beta;
  });
}

int atp_model_is_ordered(const atp_model *model) noexcept { return model != nullptr && core(model)->shape.ordered ? 1 : 0; }

atp_status atp_model_set_order(atp_model *model, const int64_t *order, int64_t size) noexcept {
  return guarded(model, "model", [&] {
    require_size(size, order == nullptr ? 0 : core(model)->sites(), "size");
    core(model)->set_order(Span<const int64_t>(order, size));
  });
}

atp_status atp_model_order(const atp_model *model, int64_t *order, int64_t size) noexcept {
  return guarded(model, "model", [&] {
    require(order, "order");
    const Span<const int64_t> sites = core(model)->order;
    if (sites.empty()) fail(ATP_E_UNSUPPORTED, "model is a Potts model and has no order, which only autoregressive models have");
    require_size(size, sites.size(), "size");
    std::copy(sites.begin(), sites.end(), order);
  });
}

const char *atp_model_alphabet(const atp_model *model) noexcept { return model == nullptr ? "" : core(model)->alphabet; }

atp_status atp_model_set_alphabet(atp_model *model, const char *symbols) noexcept {
  return guarded(model, "model", [&] {
    require(symbols, "symbols");
    set_alphabet(core(model)->alphabet, symbols, core(model)->colors(), "symbols");
  });
}

const char *atp_model_origin(const atp_model *model) noexcept { return model == nullptr ? "" : core(model)->origin; }

atp_status atp_model_set_origin(atp_model *model, const char *text) noexcept {
  return guarded(model, "model", [&] {
    require(text, "text");
    char *origin = core(model)->origin;
    const std::size_t kept = strnlen(text, Model::kOriginSize - 1);
    check_one_line(text, static_cast<int64_t>(kept), "origin");
    std::memmove(origin, text, kept);  // the text may be the current origin
    origin[kept] = 0;
  });
}

const int64_t *atp_model_site_numbers_view(const atp_model *model) noexcept {
  return model == nullptr ? nullptr : core(model)->labels.numbers().data();
}

const char *atp_model_site_residues(const atp_model *model) noexcept { return model == nullptr ? "" : core(model)->labels.residues(); }

atp_status atp_model_set_sites(atp_model *model, const int64_t *numbers, int64_t n, const char *residues) noexcept {
  return guarded(model, "model", [&] {
    require_size(n, core(model)->sites(), "n");
    core(model)->labels.set(numbers, residues);
  });
}

atp_status atp_model_maps(const atp_model *model, double *maps, int64_t size) noexcept {
  return head_array(model, &Model::maps, maps, size, "maps");
}

atp_status atp_model_values(const atp_model *model, double *values, int64_t size) noexcept {
  return head_array(model, &Model::values, values, size, "values");
}

atp_status atp_model_fields(const atp_model *model, double *fields, int64_t size) noexcept {
  return guarded(model, "model", [&] {
    require(fields, "fields");
    const int64_t n = core(model)->sites() * core(model)->colors();
    require_size(size, n, "size");
    if (core(model)->fields.empty())
      std::fill_n(fields, n, 0.0);
    else
      copy_out(core(model)->fields, fields, size);
  });
}

atp_status atp_model_couplings_f64(const atp_model *model, double *couplings, int64_t size) noexcept {
  return dense_couplings(model, couplings, size);
}

atp_status atp_model_couplings_f32(const atp_model *model, float *couplings, int64_t size) noexcept {
  return dense_couplings(model, couplings, size);
}

atp_status atp_model_conditionals(const atp_model *model, const uint8_t *sequences, int64_t n, double *conditionals,
                                  int64_t size) noexcept {
  return guarded(model, "model", [&] {
    require(sequences, "sequences");
    require(conditionals, "conditionals");
    require_range(n, 1, INT64_MAX, "n");
    require_size(size, product_of(n, core(model)->sites(), core(model)->colors()), "size");  // before any sequence is read
    require_sequences(model, sequences, n);
    atp::conditionals(*core(model), sequences, n, conditionals);
  });
}

atp_status atp_model_energies(const atp_model *model, const uint8_t *sequences, int64_t n, double *energies, int64_t size) noexcept {
  return guarded(model, "model", [&] {
    require(sequences, "sequences");
    require(energies, "energies");
    require_size(size, n, "size");  // before any sequence is read
    require_sequences(model, sequences, n);
    atp::energies(*core(model), sequences, n, energies);
  });
}

atp_status atp_model_log_pseudolikelihoods(const atp_model *model, const uint8_t *sequences, int64_t n, double *values,
                                           int64_t size) noexcept {
  return guarded(model, "model", [&] {
    require(sequences, "sequences");
    require(values, "values");
    require_size(size, n, "size");  // before any sequence is read
    require_sequences(model, sequences, n);
    log_pseudolikelihoods(*core(model), sequences, n, values);
  });
}

atp_status atp_model_loss(atp_context *context, const atp_model *model, const atp_alignment *alignment, double *loss) noexcept {
  return guarded(context, "context", [&] {
    require(model, "model");
    require(alignment, "alignment");
    require(loss, "loss");
    require_model_fit(*core(model), *core(alignment));
    *loss = mean_loss(*core(context), *core(model), *core(alignment));
  });
}

atp_status atp_model_gauge(atp_context *context, const atp_model *source, atp_gauge gauge, atp_model **out) noexcept {
  return creating(context, out, [&] {
    require(source, "source");
    require(out, "out");
    require_range(gauge, ATP_GAUGE_COLORS, ATP_GAUGE_ZERO_SUM, "gauge");
    if (gauge == ATP_GAUGE_COLORS && core(source)->shape.dense())
      fail(ATP_E_CONFLICT, "gauge ATP_GAUGE_COLORS is for models of heads, source has dense couplings");
    Made<Model> made((gauge == ATP_GAUGE_COLORS ? color_gauge : zero_sum_gauge)(*core(context), *core(source)));
    require_numbers(*made);
    *out = handle(made.release());
  });
}

atp_status atp_model_coupling_error(atp_context *context, const atp_model *model, const atp_model *truth, double *error) noexcept {
  return guarded(context, "context", [&] {
    require(model, "model");
    require(truth, "truth");
    require(error, "error");
    require_size(core(model)->sites(), core(truth)->sites(), "the number of sites of model");
    require_size(core(model)->colors(), core(truth)->colors(), "the number of colours of model");
    require_comparable(couplings_of(*core(model)), couplings_of(*core(truth)));
    const Doubles scratch(*core(context), coupling_error_scratch(core(model)->colors()));
    *error = coupling_error(couplings_of(*core(model)), couplings_of(*core(truth)), scratch.span());
  });
}

atp_status atp_model_enumerate(const atp_model *model, double *log_z, double *energy, double *marginals, int64_t marginals_size,
                               double *pairs, int64_t pairs_size) noexcept {
  return guarded(model, "model", [&] {
    const int64_t n = product_of(core(model)->sites(), core(model)->colors());
    require_size(marginals_size, marginals == nullptr ? 0 : n, "marginals_size");
    require_size(pairs_size, pairs == nullptr ? 0 : product_of(n, n), "pairs_size");
    count_states(*core(model));
    enumerate_states(*core(model), {log_z, energy, marginals, pairs, nullptr});
  });
}

atp_status atp_model_probabilities(const atp_model *model, double *probabilities, int64_t size) noexcept {
  return guarded(model, "model", [&] {
    require(probabilities, "probabilities");
    require_size(size, count_states(*core(model)), "size");
    enumerate_states(*core(model), {nullptr, nullptr, nullptr, nullptr, probabilities});
  });
}
