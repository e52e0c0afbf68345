// SPDX-License-Identifier: MIT
/** @file sampler.hpp
 *  Sampling runs, and the samplers below them; see sampler.h.
 *  Part of attopotts.hpp, which describes the conventions. */
#ifndef ATTOPOTTS_SAMPLER_HPP
#define ATTOPOTTS_SAMPLER_HPP

#include <attopotts/sampler.h>
#include <attopotts/model.hpp>
#include <attopotts/table.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace attopotts {

/** Sequences, the measured numbers (a row of ATP_TABLE_SAMPLING), and what the tests said; see sampler.h. */
struct Samples {
  Alignment alignment;
  Table report;
  atp_outcome outcome;
  std::string difference;  ///< what the last test found different; empty if nothing
};

/** A sampling run; see sampler.h. sample() does all of it in one call. */
class Sampling {
 public:
  /** Holds nothing. */
  Sampling() = default;
  /** Takes ownership of a handle. */
  explicit Sampling(atp_sampling *handle) : handle_(handle) {}
  Sampling(Borrowed<Context> context, const Model &model, std::int64_t n, const Options *options = nullptr) {
    atp_sampling *handle = nullptr;
    check(atp_sampling_create(context.get(), model.get(), detail::handle_of(options), n, &handle));
    handle_.reset(handle);
  }
  Sampling(Borrowed<Context> context, const Model &model, std::int64_t n, const Options &options) : Sampling(context, model, n, &options) {}

  /** Copies the options to a bag. */
  void options(Options &out) const { check(atp_sampling_options(get(), out.get())); }
  std::int64_t count() const { return atp_sampling_count(get()); }
  std::int64_t sites() const { return atp_sampling_sites(get()); }
  atp_sampling_stage stage() const { return static_cast<atp_sampling_stage>(atp_sampling_stage_of(get())); }
  atp_outcome run(const ProgressFunction &progress = {}) {
    detail::Relay relay{progress, {}};
    atp_outcome outcome = ATP_OUTCOME_NONE;
    relay.finish(atp_sampling_run(get(), relay.callback(), &relay, &outcome));
    return outcome;
  }
  /** Allowed colours of each site, [L][q]; none: all. */
  Sampling &restrict_to(Sequences allowed) & {
    return check(atp_sampling_restrict(get(), allowed.data(), detail::size(allowed.size()))), *this;
  }
  /** Shape [n][L]. */
  Sampling &start_from(Sequences sequences) & {
    const std::int64_t n = detail::rows(sequences, sites());
    return check(atp_sampling_start_from(get(), sequences.data(), n, sites())), *this;
  }
  /** Returns the walks of the chains in a new table. */
  Table trajectory() const {
    Table table(atp_sampling_context(get()), ATP_TABLE_TRAJECTORY, count());
    check(atp_sampling_trajectory(get(), table.get()));
    return table;
  }
  /** Returns in a new table how long the starts are remembered; independent has shape [n][L]. */
  Table forgetting(Sequences independent) const {
    const std::int64_t n = detail::rows(independent, sites());
    Table table(atp_sampling_context(get()), ATP_TABLE_FORGETTING, count());
    check(atp_sampling_forgetting(get(), independent.data(), n, sites(), table.get()));
    return table;
  }
  /** Shape [n][L]. */
  std::vector<std::uint8_t> sequences() const {
    std::vector<std::uint8_t> out(static_cast<std::size_t>(count() * sites()));
    return check(atp_sampling_sequences(get(), out.data(), detail::size(out.size()))), out;
  }
  Alignment alignment() const {
    atp_alignment *handle = nullptr;
    check(atp_sampling_alignment(get(), &handle));
    return Alignment(handle);
  }
  /** Appends the measured numbers to a table. */
  void report(Table &table) const { check(atp_sampling_report(get(), table.get())); }
  /** Returns the measured numbers in a new table. */
  Table report() const {
    Table table(atp_sampling_context(get()), ATP_TABLE_SAMPLING, 1);
    report(table);
    return table;
  }
  /** Returns what the last test found different between the two runs; empty if nothing. */
  std::string difference() const { return atp_sampling_difference(get()); }
  void request_stop() noexcept { atp_sampling_request_stop(get()); }
  std::vector<char> save_state() const {
    std::vector<char> out(static_cast<std::size_t>(atp_sampling_state_bytes(get())));
    return check(atp_sampling_save_state(get(), out.data(), detail::size(out.size()))), out;
  }
  Sampling &load_state(View<const char> state) & {
    return check(atp_sampling_load_state(get(), state.data(), detail::size(state.size()))), *this;
  }
  atp_sampling *get() const noexcept { return handle_.get(); }
  explicit operator bool() const noexcept { return handle_ != nullptr; }

 private:
  detail::Owner<atp_sampling, atp_sampling_destroy> handle_;
};

/** Draws n sequences, by default with ladder, burn-in and tests of equilibrium. Throws ATP_E_STAGE if progress stopped the run. */
inline Samples sample(Borrowed<Context> context, const Model &model, std::int64_t n, const Options *options = nullptr,
                      const ProgressFunction &progress = {}) {
  Sampling run(context, model, n, options);
  const atp_outcome outcome = run.run(progress);
  return {run.alignment(), run.report(), outcome, run.difference()};
}
inline Samples sample(Borrowed<Context> context, const Model &model, std::int64_t n, const Options &options,
                      const ProgressFunction &progress = {}) {
  return sample(context, model, n, &options, progress);
}

/** Gibbs sampling and replica exchange; see sampler.h. */
class Sampler {
 public:
  /** Holds nothing. */
  Sampler() = default;
  /** Takes ownership of a handle. */
  explicit Sampler(atp_sampler *handle) : handle_(handle) {}
  Sampler(Borrowed<Context> context, const Model &model, const Options *options = nullptr) {
    atp_sampler *handle = nullptr;
    check(atp_sampler_create(context.get(), model.get(), detail::handle_of(options), &handle));
    handle_.reset(handle);
  }
  Sampler(Borrowed<Context> context, const Model &model, const Options &options) : Sampler(context, model, &options) {}
  static std::int64_t bytes(const Context &context, const Model &model, const Options *options = nullptr) {
    std::int64_t bytes = 0;
    return check(atp_sampler_bytes(context.get(), model.get(), detail::handle_of(options), &bytes)), bytes;
  }

  /** Copies the options to a bag. */
  void options(Options &out) const { check(atp_sampler_options(get(), out.get())); }
  std::int64_t chains() const { return atp_sampler_chains(get()); }
  std::int64_t sites() const { return atp_sampler_sites(get()); }
  std::int64_t temperatures() const { return atp_sampler_temperatures(get()); }
  std::int64_t sweeps() const { return atp_sampler_sweeps(get()); }
  std::vector<double> betas() const {
    std::vector<double> out(static_cast<std::size_t>(temperatures()));
    return check(atp_sampler_betas(get(), out.data(), detail::size(out.size()))), out;
  }
  Sampler &set_betas(Reals betas) & { return check(atp_sampler_set_betas(get(), betas.data(), detail::size(betas.size()))), *this; }
  std::vector<double> swap_rates() const {
    std::vector<double> out(static_cast<std::size_t>(temperatures()));  // one element more than needed: never a NULL array
    check(atp_sampler_swap_rates(get(), out.data(), detail::size(out.size()) - 1));
    return out.pop_back(), out;
  }
  /** Allowed colours of each site, [L][q]; none: all. */
  Sampler &restrict_to(Sequences allowed) & {
    return check(atp_sampler_restrict(get(), allowed.data(), detail::size(allowed.size()))), *this;
  }
  Sampler &start_random() & { return check(atp_sampler_start_random(get())), *this; }
  Sampler &start_from(Sequences sequences) & {
    const std::int64_t n = detail::rows(sequences, sites());
    return check(atp_sampler_start_from(get(), sequences.data(), n, sites())), *this;
  }
  atp_outcome sweep(std::int64_t sweeps, const ProgressFunction &progress = {}) {
    detail::Relay relay{progress, {}};
    atp_outcome outcome = ATP_OUTCOME_NONE;
    relay.finish(atp_sampler_sweep(get(), sweeps, relay.callback(), &relay, &outcome));
    return outcome;
  }
  /** Draws sequences, shape [n][L]; fewer than n if the run was stopped. energies (optional) receives one energy for each. */
  std::vector<std::uint8_t> sample(std::int64_t n, std::int64_t thin = 1, std::vector<double> *energies = nullptr,
                                   const ProgressFunction &progress = {}, atp_outcome *outcome = nullptr) {
    if (n < 1) throw error(ATP_E_VALUE, "n is " + std::to_string(n) + ", must be >= 1");
    detail::Relay relay{progress, {}};
    std::vector<std::uint8_t> out(static_cast<std::size_t>(n * sites()));
    relay.finish(atp_sampler_sample(get(), thin, out.data(), detail::size(out.size()), relay.callback(), &relay, outcome));
    const std::int64_t done = atp_sampler_drawn(get());
    out.resize(static_cast<std::size_t>(done * sites()));
    if (energies == nullptr) return out;
    energies->resize(static_cast<std::size_t>(done));
    if (done > 0) check(atp_sampler_sequence_energies(get(), out.data(), done, energies->data(), done));
    return out;
  }
  /** Shape [C][L]. */
  std::vector<std::uint8_t> states(std::int64_t rung) const {
    std::vector<std::uint8_t> out(static_cast<std::size_t>(chains() * sites()));
    return check(atp_sampler_states(get(), rung, out.data(), detail::size(out.size()))), out;
  }
  std::vector<std::uint8_t> states() const { return states(temperatures() - 1); }
  /** Shape [C]. */
  std::vector<double> energies(std::int64_t rung) const {
    std::vector<double> out(static_cast<std::size_t>(chains()));
    return check(atp_sampler_energies(get(), rung, out.data(), detail::size(out.size()))), out;
  }
  std::vector<double> energies() const { return energies(temperatures() - 1); }
  void request_stop() noexcept { atp_sampler_request_stop(get()); }
  std::vector<char> save_state() const {
    std::vector<char> out(static_cast<std::size_t>(atp_sampler_state_bytes(get())));
    return check(atp_sampler_save_state(get(), out.data(), detail::size(out.size()))), out;
  }
  Sampler &load_state(View<const char> state) & {
    return check(atp_sampler_load_state(get(), state.data(), detail::size(state.size()))), *this;
  }
  atp_sampler *get() const noexcept { return handle_.get(); }
  explicit operator bool() const noexcept { return handle_ != nullptr; }

 private:
  detail::Owner<atp_sampler, atp_sampler_destroy> handle_;
};

/** Result of tune_beta(). */
struct Tuning {
  double beta, beta_error, hamming, hamming_error;
  atp_outcome outcome;
};

/** atp_tune_beta(). */
inline Tuning tune_beta(const Context &context, const Model &model, double target, const Options *options = nullptr,
                        const ProgressFunction &progress = {}) {
  detail::Relay relay{progress, {}};
  Table table(context, ATP_TABLE_TUNING, 1);
  relay.finish(atp_tune_beta(context.get(), model.get(), detail::handle_of(options), target, table.get(), relay.callback(), &relay));
  return {table(0, ATP_TUNING_BETA), table(0, ATP_TUNING_BETA_ERROR), table(0, ATP_TUNING_HAMMING), table(0, ATP_TUNING_HAMMING_ERROR),
          static_cast<atp_outcome>(table(0, ATP_TUNING_OUTCOME))};
}

}  // namespace attopotts

#endif
