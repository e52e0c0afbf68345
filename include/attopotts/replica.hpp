// SPDX-License-Identifier: MIT
/** @file replica.hpp
 *  Learning curves of masked Gaussian modelling; see replica.h.
 *  A piece of attopotts.hpp, which says what holds for all of them. */
#ifndef ATTOPOTTS_REPLICA_HPP
#define ATTOPOTTS_REPLICA_HPP

#include <attopotts/replica.h>
#include <attopotts/base.hpp>
#include <attopotts/context.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace attopotts {

/** What linear students learn about a masked Gaussian value, in theory and in simulation. */
namespace replica {

/** Rows of atp_replica_column or atp_replica_sim_column numbers. */
class Curve {
 public:
  Curve(std::size_t rows, std::size_t columns) : columns_(columns), numbers_(rows * columns) {}
  std::size_t size() const noexcept { return numbers_.size() / columns_; }
  /** The number in a row and a column, an atp_replica_column or an atp_replica_sim_column. */
  double operator()(std::size_t row, int column) const { return numbers_.at(row * columns_ + static_cast<std::size_t>(column)); }
  /** A whole column. */
  std::vector<double> column(int column) const {
    std::vector<double> out;
    for (std::size_t row = 0; row < size(); ++row) out.push_back((*this)(row, column));
    return out;
  }
  /** How the run ended; CONVERGED where all rows did. */
  atp_outcome outcome() const noexcept { return outcome_; }

  double *data() noexcept { return numbers_.data(); }
  std::int64_t numbers() const noexcept { return detail::size(numbers_.size()); }
  atp_outcome *end() noexcept { return &outcome_; }

 private:
  std::size_t columns_;
  std::vector<double> numbers_;
  atp_outcome outcome_ = ATP_OUTCOME_NONE;
};

/** The inputs' covariance S, shape [p][p], the teacher w* and the variance of the masked value given the inputs. */
struct Masked {
  std::vector<double> covariance, teacher;
  double noise = 0;
};

/** Eigenvalues of S, and the squares of what the teacher has of each eigenvector. */
struct Spectrum {
  std::vector<double> eigenvalues, projections;
  double noise = 0;
};

/** atp_replica_goe(): a random precision, shape [sites][sites]. */
inline std::vector<double> goe(std::int64_t sites, double shift, std::uint64_t seed) {
  if (sites < 2) throw error(ATP_E_VALUE, "sites is " + std::to_string(sites) + ", must be >= 2");
  std::vector<double> out(static_cast<std::size_t>(sites * sites));
  return check(atp_replica_goe(sites, shift, seed, out.data(), detail::size(out.size()))), out;
}

namespace detail {

using attopotts::detail::size;

template <class Function>
Masked mask(Function function, Reals matrix, std::int64_t sites, std::int64_t site) {
  if (sites < 2 || size(matrix.size()) != sites * sites)
    throw error(ATP_E_SHAPE,
                "matrix has " + std::to_string(matrix.size()) + " numbers, must have sites * sites, sites " + std::to_string(sites));
  std::int64_t doubles = 0;
  check(atp_replica_mask_workspace(sites, &doubles));
  std::vector<double> work(static_cast<std::size_t>(doubles));
  const std::size_t p = static_cast<std::size_t>(sites - 1);
  Masked out{std::vector<double>(p * p), std::vector<double>(p), 0};
  check(function(matrix.data(), sites, site, out.covariance.data(), size(p * p), out.teacher.data(), size(p), &out.noise, work.data(),
                 doubles));
  return out;
}

}  // namespace detail

/** atp_replica_mask_precision() of a precision of shape [sites][sites]. */
inline Masked mask_precision(Reals precision, std::int64_t sites, std::int64_t site) {
  return detail::mask(atp_replica_mask_precision, precision, sites, site);
}

/** atp_replica_mask_covariance() of a covariance of shape [sites][sites]. */
inline Masked mask_covariance(Reals covariance, std::int64_t sites, std::int64_t site) {
  return detail::mask(atp_replica_mask_covariance, covariance, sites, site);
}

/** atp_replica_spectrum(). */
inline Spectrum spectrum(const Masked &masked) {
  const std::int64_t p = detail::size(masked.teacher.size());
  std::int64_t doubles = 0;
  check(atp_replica_spectrum_workspace(p, &doubles));
  std::vector<double> work(static_cast<std::size_t>(doubles));
  Spectrum out{std::vector<double>(masked.teacher.size()), std::vector<double>(masked.teacher.size()), masked.noise};
  check(atp_replica_spectrum(masked.covariance.data(), detail::size(masked.covariance.size()), masked.teacher.data(), p,
                             out.eigenvalues.data(), out.projections.data(), p, work.data(), doubles));
  return out;
}

/** atp_replica_square(). */
inline Curve square(const Spectrum &spectrum, Reals alphas, double lambda, double temperature = 0) {
  Curve out(alphas.size(), ATP_REPLICA_COLUMNS);
  check(atp_replica_square(spectrum.eigenvalues.data(), detail::size(spectrum.eigenvalues.size()), spectrum.projections.data(),
                           detail::size(spectrum.projections.size()), spectrum.noise, alphas.data(), detail::size(alphas.size()), lambda,
                           temperature, out.data(), out.numbers(), out.end()));
  return out;
}

/** atp_replica_square_saddle(). */
inline Curve square_saddle(const Spectrum &spectrum, Reals alphas, double lambda, double temperature = 0, std::int64_t max_iter = 1000) {
  Curve out(alphas.size(), ATP_REPLICA_COLUMNS);
  check(atp_replica_square_saddle(spectrum.eigenvalues.data(), detail::size(spectrum.eigenvalues.size()), spectrum.projections.data(),
                                  detail::size(spectrum.projections.size()), spectrum.noise, alphas.data(), detail::size(alphas.size()),
                                  lambda, temperature, max_iter, out.data(), out.numbers(), out.end()));
  return out;
}

/** atp_replica_convex(); delta is of Huber's loss, and the spectrum's noise does not count for the logistic loss. *optimum (optional)
 * receives the loss of w = w*. */
inline Curve convex(const Spectrum &spectrum, atp_replica_loss loss, Reals alphas, double lambda, double delta = 1,
                    double *optimum = nullptr, std::int64_t max_iter = 1000) {
  std::int64_t doubles = 0;
  check(atp_replica_convex_workspace(&doubles));
  std::vector<double> work(static_cast<std::size_t>(doubles));
  Curve out(alphas.size(), ATP_REPLICA_COLUMNS);
  check(atp_replica_convex(spectrum.eigenvalues.data(), detail::size(spectrum.eigenvalues.size()), spectrum.projections.data(),
                           detail::size(spectrum.projections.size()), loss == ATP_REPLICA_LOSS_LOGISTIC ? 0 : spectrum.noise, loss, delta,
                           alphas.data(), detail::size(alphas.size()), lambda, max_iter, work.data(), doubles, out.data(), out.numbers(),
                           optimum, out.end()));
  return out;
}

/** atp_replica_limit(). */
inline Curve limit(double shift, Reals alphas, double lambda, double temperature = 0) {
  Curve out(alphas.size(), ATP_REPLICA_COLUMNS);
  check(atp_replica_limit(shift, alphas.data(), detail::size(alphas.size()), lambda, temperature, out.data(), out.numbers(), out.end()));
  return out;
}

/** atp_replica_simulate_bytes(). */
inline std::int64_t simulate_bytes(const Context &context, std::int64_t parameters, Reals alphas, double lambda,
                                   std::int64_t realisations) {
  std::int64_t bytes = 0;
  check(atp_replica_simulate_bytes(context.get(), parameters, alphas.data(), detail::size(alphas.size()), lambda, realisations, &bytes));
  return bytes;
}

/** atp_replica_simulate(): rows of atp_replica_sim_column. */
inline Curve simulate(const Context &context, const Masked &masked, Reals alphas, double lambda, std::int64_t realisations,
                      std::uint64_t seed, const ProgressFunction &progress = {}) {
  attopotts::detail::Relay relay{progress, {}};
  Curve out(alphas.size(), ATP_REPLICA_SIM_COLUMNS);
  relay.finish(atp_replica_simulate(context.get(), masked.covariance.data(), detail::size(masked.covariance.size()), masked.teacher.data(),
                                    detail::size(masked.teacher.size()), masked.noise, alphas.data(), detail::size(alphas.size()), lambda,
                                    realisations, seed, relay.callback(), &relay, out.data(), out.numbers(), out.end()));
  return out;
}

}  // namespace replica

}  // namespace attopotts

#endif
