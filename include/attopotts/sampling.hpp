// SPDX-License-Identifier: MIT
/** @file sampling.hpp
 *  Sequences by a whole protocol; see sampling.h.
 *  Part of attopotts.hpp, which describes the conventions. */
#ifndef ATTOPOTTS_SAMPLING_HPP
#define ATTOPOTTS_SAMPLING_HPP

#include <attopotts/sampling.h>
#include <attopotts/model.hpp>
#include <attopotts/table.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace attopotts {

/** Sequences, the measured numbers (a row of ATP_TABLE_SAMPLING), and what the tests said; see sampling.h. */
struct Samples {
  Alignment alignment;
  Table report;
  atp_outcome outcome;
  std::string difference;  ///< what the last test found different; empty if nothing
};

/** A sampling run; see sampling.h. sample() does all of it in one call. */
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

}  // namespace attopotts

#endif
