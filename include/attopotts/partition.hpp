/* SPDX-License-Identifier: MIT */
/** @file partition.hpp
 *  Log Z, entropy and probabilities of Potts models; see partition.h.
 */
#ifndef ATTOPOTTS_PARTITION_HPP
#define ATTOPOTTS_PARTITION_HPP

#include <attopotts/context.hpp>
#include <attopotts/model.hpp>
#include <attopotts/options.hpp>
#include <attopotts/partition.h>
#include <attopotts/table.hpp>

namespace attopotts {

/** Result of estimate_log_z(). */
struct Partition {
  atp_partition_method method;
  double beta, log_z, log_z_error, energy, energy_error, entropy, entropy_error;
  double effective, rhat;
  std::int64_t distributions;
  bool profile;
  atp_outcome outcome;

  /** The first row of a table ATP_TABLE_PARTITION. */
  static Partition of(const Table &table) {
    const auto at = [&table](atp_partition_column column) { return table(0, column); };
    return {static_cast<atp_partition_method>(at(ATP_PARTITION_METHOD)),
            at(ATP_PARTITION_BETA),
            at(ATP_PARTITION_LOG_Z),
            at(ATP_PARTITION_LOG_Z_ERROR),
            at(ATP_PARTITION_ENERGY),
            at(ATP_PARTITION_ENERGY_ERROR),
            at(ATP_PARTITION_ENTROPY),
            at(ATP_PARTITION_ENTROPY_ERROR),
            at(ATP_PARTITION_EFFECTIVE),
            at(ATP_PARTITION_RHAT),
            static_cast<std::int64_t>(at(ATP_PARTITION_DISTRIBUTIONS)),
            at(ATP_PARTITION_PROFILE) != 0,
            static_cast<atp_outcome>(at(ATP_PARTITION_OUTCOME))};
  }
  /** log P(s) of a sequence with this energy H(s). */
  double log_probability(double of_energy) const { return -beta * of_energy - log_z; }
};

/** atp_estimate_log_z(). */
inline Partition estimate_log_z(const Context &context, const Model &model, const Options *options = nullptr,
                                const ProgressFunction &progress = {}) {
  detail::Relay relay{progress, {}};
  Table table(context, ATP_TABLE_PARTITION, 1);
  relay.finish(atp_estimate_log_z(context.get(), model.get(), detail::handle_of(options), table.get(), relay.callback(), &relay));
  return Partition::of(table);
}

/** A mean of log P per site, in nats, and its standard error. */
struct MeanLogP {
  double value, error;
};

/** atp_model_mean_log_p(); of an autoregressive model the log Z is 0. */
inline MeanLogP mean_log_p(const Context &context, const Model &model, const Alignment &alignment, double log_z = 0,
                           double log_z_error = 0) {
  MeanLogP found{};
  check(atp_model_mean_log_p(context.get(), model.get(), alignment.get(), log_z, log_z_error, &found.value, &found.error));
  return found;
}

}  // namespace attopotts

#endif
