// SPDX-License-Identifier: MIT
#include "handles.hpp"

#include "math/linalg/lapack.hpp"
#include "theory/replica/inputs.hpp"

#include <attopotts/replica.h>

#include <algorithm>

namespace atp {

// S [p][p], w* [p] and the noise, in a block of the context.
struct Masked {
  Masked(Context *owner, int64_t inputs) : context(owner), p(inputs) {}
  void lay_out(Arena &arena) {
    covariance = arena.take<double>(p, p);
    weights = arena.take<double>(p);
  }
  Context *context;
  std::size_t block_bytes = 0;
  int64_t p;
  double noise = 0;
  Span<double> covariance, weights;
};

ATP_HANDLE(atp_masked, Masked)

}  // namespace atp

using namespace atp;
using namespace atp::replica;

namespace {

Made<Masked> make_masked(Context &context, int64_t inputs) {
  return Made<Masked>(create_in_block<Masked>(context.allocator, &context, inputs));
}

// Make a system by masking a site of a matrix.
template <class Mask>
atp_status mask(atp_context *context, const double *matrix, const char *name, int64_t sites, int64_t site, atp_masked **out,
                Mask &&with) noexcept {
  return creating(context, out, [&] {
    require(matrix, name);
    require(out, "out");
    require_range(sites, 2, kLargestOrder, "sites");
    require_index(site, sites, "site");
    require_symmetric(matrix, sites, name, Symmetric::covariance);
    Made<Masked> masked = make_masked(*core(context), sites - 1);
    const Doubles scratch(*core(context), mask_workspace(sites));
    masked->noise = with(matrix, sites, site, masked->covariance.data(), masked->weights.data(), scratch.span().data());
    *out = handle(masked.release());
  });
}

void require_inputs(atp_replica_inputs inputs) { require_range(inputs, ATP_REPLICA_INPUTS_NORMAL, ATP_REPLICA_INPUTS_CAVITY, "inputs"); }

// The system of the mean site; writes `colors` last.
Masked *measured(Context &context, const Model &model, const Alignment &data, bool given_label, double *colors) {
  const MeasuredSequences sample{model.beta,   model.maps.data(), model.value(0), data.sequences.data(),
                                 data.count(), model.sites(),     model.colors(), given_label};
  const Scratch work(context.allocator, measured_bytes(sample));
  Made<Masked> masked = make_masked(context, model.sites() - 1);
  measure_sequences(sample, colors, masked->covariance.data(), masked->weights.data(), work.arena());
  return masked.release();
}

}  // namespace

atp_status atp_replica_goe(int64_t sites, double shift, int64_t seed, double *precision, int64_t size) noexcept {
  return guarded(nullptr, [&] {
    require(precision, "precision");
    require_range(sites, 2, kLargestOrder, "sites");
    require_shift(shift);
    require_range(seed, 0, INT64_MAX, "seed");
    require_size(size, product_of(sites, sites), "size");
    fill_goe(sites, shift, static_cast<uint64_t>(seed), precision);
  });
}

atp_status atp_masked_create_precision(atp_context *context, const double *precision, int64_t sites, int64_t site,
                                       atp_masked **out) noexcept {
  return mask(context, precision, "precision", sites, site, out, mask_precision);
}

atp_status atp_masked_create_covariance(atp_context *context, const double *full, int64_t sites, int64_t site, atp_masked **out) noexcept {
  return mask(context, full, "full", sites, site, out, mask_covariance);
}

atp_status atp_masked_create(atp_context *context, const double *covariance, const double *weights, int64_t parameters, double noise,
                             atp_masked **out) noexcept {
  return creating(context, out, [&] {
    require(covariance, "covariance");
    require(weights, "weights");
    require(out, "out");
    require_range(parameters, 1, kLargestOrder, "parameters");
    require_symmetric(covariance, parameters, "covariance", Symmetric::covariance);
    require_finite(weights, parameters, "weights");
    require_real(noise, 0, 1e300, "noise");
    Made<Masked> masked = make_masked(*core(context), parameters);
    masked->noise = noise;
    std::copy(covariance, covariance + parameters * parameters, masked->covariance.data());
    std::copy(weights, weights + parameters, masked->weights.data());
    *out = handle(masked.release());
  });
}

atp_status atp_masked_create_spin_glass(atp_context *context, double beta, const double *color_covariance, int64_t q, int64_t parameters,
                                        atp_replica_inputs inputs, atp_masked **out) noexcept {
  return creating(context, out, [&] {
    require(color_covariance, "color_covariance");
    require(out, "out");
    require_real(beta, 1e-6, 1e6, "beta");
    require_range(q, 2, kMaxColors, "q");
    require_range(parameters, 1, kLargestOrder, "parameters");
    require_inputs(inputs);
    require_symmetric(color_covariance, q, "color_covariance", Symmetric::covariance);
    const SpinGlass glass = spin_glass_of(beta, color_covariance, q);
    Made<Masked> masked = make_masked(*core(context), parameters);
    fill_spin_glass(glass, parameters, inputs == ATP_REPLICA_INPUTS_CAVITY, masked->covariance.data(), masked->weights.data());
    *out = handle(masked.release());
  });
}

atp_status atp_masked_create_potts(atp_context *context, const atp_model *model, const atp_alignment *alignment, atp_replica_inputs inputs,
                                   double *color_covariance, int64_t size, atp_masked **out) noexcept {
  return creating(context, out, [&] {
    require(model, "model");
    require(alignment, "alignment");
    require(color_covariance, "color_covariance");
    require(out, "out");
    require_inputs(inputs);
    const Model &truth = *core(model);
    const Alignment &data = *core(alignment);
    if (truth.shape.heads != 1 || truth.shape.fields) fail(ATP_E_UNSUPPORTED, "the model is not one head without fields");
    if (truth.shape.ordered) fail(ATP_E_UNSUPPORTED, "model is autoregressive, must be a Potts model");
    require_size(data.sites(), truth.sites(), "the number of sites of the alignment");
    require_size(data.colors(), truth.colors(), "the number of colours of the alignment");
    require_size(size, truth.colors() * truth.colors(), "size");
    require_range(truth.sites(), 2, kLargestOrder, "sites");
    *out = handle(measured(*core(context), truth, data, inputs == ATP_REPLICA_INPUTS_CAVITY, color_covariance));
  });
}

atp_status atp_replica_color_covariance(const double *values, int64_t q, double *covariance, int64_t size) noexcept {
  return guarded(nullptr, [&] {
    require(values, "values");
    require(covariance, "covariance");
    require_range(q, 2, kMaxColors, "q");
    require_size(size, q * q, "size");
    require_finite(values, q * q, "values");
    color_covariance(values, q, covariance);
  });
}

void atp_masked_destroy(atp_masked *masked) noexcept { destroy(masked); }

atp_context *atp_masked_context(const atp_masked *masked) noexcept { return handle(context_of(masked)); }
int64_t atp_masked_parameters(const atp_masked *masked) noexcept { return masked == nullptr ? 0 : core(masked)->p; }
double atp_masked_noise(const atp_masked *masked) noexcept { return masked == nullptr ? std::nan("") : core(masked)->noise; }

atp_status atp_masked_covariance(const atp_masked *masked, double *values, int64_t size) noexcept {
  return guarded(masked, "masked", [&] {
    require(values, "values");
    copy_out(core(masked)->covariance, values, size);
  });
}

atp_status atp_masked_weights(const atp_masked *masked, double *values, int64_t size) noexcept {
  return guarded(masked, "masked", [&] {
    require(values, "values");
    copy_out(core(masked)->weights, values, size);
  });
}

atp_status atp_masked_spectrum(const atp_masked *masked, double *eigenvalues, double *projections, int64_t size) noexcept {
  return guarded(masked, "masked", [&] {
    require(eigenvalues, "eigenvalues");
    require(projections, "projections");
    const Masked &system = *core(masked);
    require_size(size, system.p, "size");
    const Doubles scratch(*system.context, spectrum_workspace(system.p));
    spectrum(system.covariance.data(), system.weights.data(), system.p, eigenvalues, projections, scratch.span().data());
  });
}
