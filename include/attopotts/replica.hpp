// SPDX-License-Identifier: MIT
/** @file replica.hpp
 *  Systems of masked Gaussian modelling; see replica.h. Their learning curves are tasks, task.hpp.
 *  Part of attopotts.hpp, which describes the conventions. */
#ifndef ATTOPOTTS_REPLICA_HPP
#define ATTOPOTTS_REPLICA_HPP

#include <attopotts/replica.h>
#include <attopotts/alignment.hpp>
#include <attopotts/base.hpp>
#include <attopotts/context.hpp>
#include <attopotts/model.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace attopotts {

/** Theory of linear students of masked Gaussian values. */
namespace replica {

/** Eigenvalues of the inputs' covariance, and the squared projections of the teacher on the eigenvectors. */
struct Spectrum {
  std::vector<double> eigenvalues, projections;
};

/** atp_replica_goe(): a random precision matrix, shape [sites][sites]. */
inline std::vector<double> goe(std::int64_t sites, double shift, std::int64_t seed) {
  if (sites < 2) throw error(ATP_E_VALUE, "sites is " + std::to_string(sites) + ", must be >= 2");
  std::vector<double> out(static_cast<std::size_t>(sites * sites));
  return check(atp_replica_goe(sites, shift, seed, out.data(), detail::size(out.size()))), out;
}

/** atp_replica_color_covariance(): K of the fields of uniform colours, for V of shape [q][q]. */
inline std::vector<double> color_covariance(Reals values, std::int64_t q) {
  if (q < 2 || detail::size(values.size()) != q * q)
    throw error(ATP_E_SHAPE, "values has " + std::to_string(values.size()) + " numbers, must have q * q, q " + std::to_string(q));
  std::vector<double> out(values.size());
  return check(atp_replica_color_covariance(values.data(), q, out.data(), detail::size(out.size()))), out;
}

/** A masked Gaussian system. */
class Masked {
 public:
  /** Holds nothing. */
  Masked() = default;
  /** Takes ownership of a handle. */
  explicit Masked(atp_masked *handle) : handle_(handle) {}
  /** Makes a system from a precision matrix of shape [sites][sites]. */
  static Masked precision(Borrowed<Context> context, Reals precision, std::int64_t sites, std::int64_t site) {
    return mask(atp_masked_create_precision, context, precision, sites, site);
  }
  /** Makes a system from a covariance of shape [sites][sites]. */
  static Masked covariance(Borrowed<Context> context, Reals covariance, std::int64_t sites, std::int64_t site) {
    return mask(atp_masked_create_covariance, context, covariance, sites, site);
  }
  /** atp_masked_create_spin_glass(): one site of a spin glass; color_covariance of shape [q][q]. */
  static Masked spin_glass(Borrowed<Context> context, double beta, Reals color_covariance, std::int64_t q, std::int64_t parameters,
                           atp_replica_inputs inputs) {
    if (q < 2 || detail::size(color_covariance.size()) != q * q)
      throw error(ATP_E_SHAPE,
                  "color_covariance has " + std::to_string(color_covariance.size()) + " numbers, must have q * q, q " + std::to_string(q));
    atp_masked *handle = nullptr;
    check(atp_masked_create_spin_glass(context.get(), beta, color_covariance.data(), q, parameters, inputs, &handle));
    return Masked(handle);
  }
  /** atp_masked_create_potts(): the mean site of a Potts model, from sequences; also gives K of its fields, shape [q][q]. */
  static Masked potts(Borrowed<Context> context, const Model &model, const Alignment &alignment, atp_replica_inputs inputs,
                      std::vector<double> &color_covariance) {
    const std::int64_t q = model.colors();
    color_covariance.assign(static_cast<std::size_t>(q * q), 0);
    atp_masked *handle = nullptr;
    check(atp_masked_create_potts(context.get(), model.get(), alignment.get(), inputs, color_covariance.data(), q * q, &handle));
    return Masked(handle);
  }
  /** Makes a system from the inputs' covariance, shape [p][p], and the teacher's weights, shape [p]. */
  Masked(Borrowed<Context> context, Reals covariance, Reals weights, double noise) {
    const std::int64_t p = detail::size(weights.size());
    if (detail::size(covariance.size()) != p * p)
      throw error(ATP_E_SHAPE,
                  "covariance has " + std::to_string(covariance.size()) + " numbers, must have the square of those of weights");
    atp_masked *handle = nullptr;
    check(atp_masked_create(context.get(), covariance.data(), weights.data(), p, noise, &handle));
    handle_.reset(handle);
  }
  std::int64_t parameters() const { return atp_masked_parameters(get()); }
  double noise() const { return atp_masked_noise(get()); }
  std::vector<double> covariance() const {
    std::vector<double> out(static_cast<std::size_t>(parameters() * parameters()));
    return check(atp_masked_covariance(get(), out.data(), detail::size(out.size()))), out;
  }
  std::vector<double> weights() const {
    std::vector<double> out(static_cast<std::size_t>(parameters()));
    return check(atp_masked_weights(get(), out.data(), detail::size(out.size()))), out;
  }
  Spectrum spectrum() const {
    const auto p = static_cast<std::size_t>(parameters());
    Spectrum out{std::vector<double>(p), std::vector<double>(p)};
    return check(atp_masked_spectrum(get(), out.eigenvalues.data(), out.projections.data(), parameters())), out;
  }
  atp_masked *get() const noexcept { return handle_.get(); }
  explicit operator bool() const noexcept { return handle_ != nullptr; }

 private:
  template <class Function>
  static Masked mask(Function function, Borrowed<Context> context, Reals matrix, std::int64_t sites, std::int64_t site) {
    if (sites < 2 || detail::size(matrix.size()) != sites * sites)
      throw error(ATP_E_SHAPE,
                  "matrix has " + std::to_string(matrix.size()) + " numbers, must have sites * sites, sites " + std::to_string(sites));
    atp_masked *handle = nullptr;
    check(function(context.get(), matrix.data(), sites, site, &handle));
    return Masked(handle);
  }
  attopotts::detail::Owner<atp_masked, atp_masked_destroy> handle_;
};

}  // namespace replica

}  // namespace attopotts

#endif
