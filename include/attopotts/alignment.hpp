// SPDX-License-Identifier: MIT
/** @file alignment.hpp
 *  Sequences; see alignment.h.
 *  Part of attopotts.hpp, which describes the conventions. */
#ifndef ATTOPOTTS_ALIGNMENT_HPP
#define ATTOPOTTS_ALIGNMENT_HPP

#include <attopotts/alignment.h>
#include <attopotts/options.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace attopotts {

/** Sequences with weights; see alignment.h. */
class Alignment {
 public:
  /** Holds nothing. */
  Alignment() = default;
  /** Takes ownership of a handle. */
  explicit Alignment(atp_alignment *handle) : handle_(handle) {}
  Alignment(Borrowed<Context> context, Sequences sequences, std::int64_t sites, std::int64_t colors, Reals weights = {}) {
    const std::int64_t n = detail::rows(sequences, sites);
    if (!weights.empty() && detail::size(weights.size()) != n)
      throw error(ATP_E_SHAPE, "weights has " + std::to_string(weights.size()) + " elements, must have " + std::to_string(n));
    atp_alignment *handle = nullptr;
    check(atp_alignment_create(context.get(), sequences.data(), n, sites, colors, weights.data(), &handle));
    handle_.reset(handle);
  }
  /** An alignment that reads sequences where they are; see atp_alignment_borrow(). They must outlive it. */
  static Alignment borrow(Borrowed<Context> context, Sequences sequences, std::int64_t sites, std::int64_t colors, Reals weights = {}) {
    const std::int64_t n = detail::rows(sequences, sites);
    if (!weights.empty() && detail::size(weights.size()) != n)
      throw error(ATP_E_SHAPE, "weights has " + std::to_string(weights.size()) + " elements, must have " + std::to_string(n));
    atp_alignment *handle = nullptr;
    check(atp_alignment_borrow(context.get(), sequences.data(), n, sites, colors, weights.data(), &handle));
    return Alignment(handle);
  }
  static Alignment borrow(Borrowed<Context>, const std::vector<std::uint8_t> &&, std::int64_t, std::int64_t, Reals = {}) = delete;
  /** Reads an alignment from a file; needs attopotts_io.hpp. */
  static Alignment read(Borrowed<Context> context, const std::string &path, const std::string &alphabet = "",
                        const Options *options = nullptr);
  /** Reads part 0..parts-1 of a file; see atp_alignment_read_part(). Needs attopotts_io.hpp. */
  static Alignment read_part(Borrowed<Context> context, const std::string &path, std::int64_t part, std::int64_t parts,
                             const std::string &alphabet = "", const Options *options = nullptr);
  /** Reads an alignment from text in memory. */
  static Alignment parse(Borrowed<Context> context, View<const char> text, const std::string &alphabet = "",
                         const Options *options = nullptr) {
    atp_alignment *handle = nullptr;
    check(atp_alignment_parse(context.get(), text.empty() ? "" : text.data(), detail::size(text.size()),
                              detail::text_or_null(alphabet, "alphabet"), detail::handle_of(options), &handle));
    return Alignment(handle);
  }
  Alignment select(Borrowed<Context> context, std::int64_t first, std::int64_t count, std::int64_t stride = 1) const {
    atp_alignment *handle = nullptr;
    check(atp_alignment_select(context.get(), get(), first, count, stride, &handle));
    return Alignment(handle);
  }
  /** Listed sequences, in any order; see atp_alignment_take(). */
  Alignment take(Borrowed<Context> context, View<const std::int64_t> rows) const {
    atp_alignment *handle = nullptr;
    check(atp_alignment_take(context.get(), get(), rows.data(), detail::size(rows.size()), &handle));
    return Alignment(handle);
  }
  /** Random sequences; see atp_alignment_sample(). */
  Alignment sample(Borrowed<Context> context, std::int64_t n, bool replace = false, std::int64_t seed = 1) const {
    atp_alignment *handle = nullptr;
    check(atp_alignment_sample(context.get(), get(), n, replace ? 1 : 0, seed, &handle));
    return Alignment(handle);
  }
  /** Makes an alignment from the bytes of save_state(). */
  static Alignment from_state(Borrowed<Context> context, View<const char> state) {
    atp_alignment *handle = nullptr;
    check(atp_alignment_from_state(context.get(), state.data(), detail::size(state.size()), &handle));
    return Alignment(handle);
  }
  std::vector<char> save_state() const {
    std::vector<char> out(static_cast<std::size_t>(atp_alignment_state_bytes(get())));
    return check(atp_alignment_save_state(get(), out.data(), detail::size(out.size()))), out;
  }
  /** The same sequences with these names; see atp_alignment_rename(). */
  Alignment rename(Borrowed<Context> context, const std::vector<std::string> &names) const {
    std::string text;
    for (const std::string &name : names) text += name + '\n';
    atp_alignment *handle = nullptr;
    check(atp_alignment_rename(context.get(), get(), detail::text(text, "names"), &handle));
    return Alignment(handle);
  }
  std::int64_t find(const std::string &name) const {
    std::int64_t index = 0;
    return check(atp_alignment_find(get(), detail::text(name, "name"), &index)), index;
  }
  Alignment focus(Borrowed<Context> context, const std::string &name) const {
    atp_alignment *handle = nullptr;
    check(atp_alignment_focus(context.get(), get(), detail::text(name, "name"), &handle));
    return Alignment(handle);
  }
  /** counts: (optional) three numbers, of sequences, columns and duplicates removed. */
  Alignment filter(Borrowed<Context> context, const Options &options, std::int64_t *counts = nullptr) const {
    atp_alignment *handle = nullptr;
    check(atp_alignment_filter(context.get(), get(), options.get(), counts, 3, &handle));
    return Alignment(handle);
  }
  /** Without similar sequences; see atp_alignment_filter_identity(). */
  Alignment filter_identity(Borrowed<Context> context, double identity) const {
    atp_alignment *handle = nullptr;
    check(atp_alignment_filter_identity(context.get(), get(), identity, &handle));
    return Alignment(handle);
  }
  /** Writes to a file; needs attopotts_io.hpp. */
  void write(const Context &context, atp_format format, const std::string &path) const;
  /** Returns the alignment as text. */
  std::string format(atp_format format) const {
    std::int64_t bytes = 0;
    check(atp_alignment_format(get(), format, nullptr, 0, &bytes));
    std::string text(static_cast<std::size_t>(bytes), '\0');
    return check(atp_alignment_format(get(), format, &text[0], bytes, &bytes)), text;
  }

  std::int64_t count() const { return atp_alignment_count(get()); }
  std::int64_t sites() const { return atp_alignment_sites(get()); }
  std::int64_t colors() const { return atp_alignment_colors(get()); }
  double effective_count() const { return atp_alignment_effective_count(get()); }
  Sequences sequences() const && = delete;  // of a temporary: the elements would be freed
  Sequences sequences() const & { return {atp_alignment_sequences_view(get()), static_cast<std::size_t>(count() * sites())}; }
  Reals weights() const && = delete;
  Reals weights() const & { return {atp_alignment_weights_view(get()), static_cast<std::size_t>(count())}; }
  Alignment &set_weights(Reals weights) & {
    return check(atp_alignment_set_weights(get(), weights.data(), detail::size(weights.size()))), *this;
  }
  Alignment &weigh(double theta = 0.2, atp_weight_rule rule = ATP_WEIGHTS_INCLUSIVE, const ProgressFunction &progress = {},
                   atp_outcome *outcome = nullptr) & {
    detail::Relay relay{progress, {}};
    return relay.finish(atp_alignment_weigh(get(), theta, rule, relay.callback(), &relay, outcome)), *this;
  }
  /** The weights of a bootstrap sample; see atp_alignment_resample(). */
  std::vector<double> resample(std::int64_t seed, std::int64_t sample) const {
    std::vector<double> out(static_cast<std::size_t>(count()));
    return check(atp_alignment_resample(get(), seed, sample, out.data(), detail::size(out.size()))), out;
  }
  double auto_theta() const {
    double theta = 0;
    return check(atp_alignment_auto_theta(get(), &theta)), theta;
  }
  std::string alphabet() const { return atp_alignment_alphabet(get()); }
  Alignment &set_alphabet(const std::string &symbols) & {
    return check(atp_alignment_set_alphabet(get(), detail::text(symbols, "symbols"))), *this;
  }
  View<const std::int64_t> site_numbers() const && = delete;
  View<const std::int64_t> site_numbers() const & { return {atp_alignment_site_numbers_view(get()), static_cast<std::size_t>(sites())}; }
  std::string site_residues() const { return atp_alignment_site_residues(get()); }
  /** Empty numbers: 1..L. */
  Alignment &set_sites(View<const std::int64_t> numbers, const std::string &residues = "") & {
    const std::int64_t n = numbers.empty() ? sites() : detail::size(numbers.size());
    return check(atp_alignment_set_sites(get(), numbers.data(), n, detail::text(residues, "residues"))), *this;
  }
  std::string name(std::int64_t index) const { return atp_alignment_name(get(), index); }
  std::string origin() const { return atp_alignment_origin(get()); }
  Alignment &set_origin(const std::string &text) & { return check(atp_alignment_set_origin(get(), detail::text(text, "text"))), *this; }
  /** Shape [L][q - 1]; see atp_alignment_residue_frequencies(). */
  std::vector<double> residue_frequencies() const {
    std::vector<double> out(static_cast<std::size_t>(sites() * (colors() - 1)));
    return check(atp_alignment_residue_frequencies(get(), out.data(), detail::size(out.size()))), out;
  }
  /** Shape [L]; see atp_alignment_conservation(). */
  std::vector<double> conservation(atp_gaps gaps = ATP_GAPS_STATE) const {
    std::vector<double> out(static_cast<std::size_t>(sites()));
    return check(atp_alignment_conservation(get(), gaps, out.data(), detail::size(out.size()))), out;
  }
  /** Numbers by atp_summary. */
  std::vector<double> summary() const {
    std::vector<double> out(ATP_SUMMARY_NUMBERS);
    return check(atp_alignment_summary(get(), out.data(), detail::size(out.size()))), out;
  }
  /** Shape [L][q]. */
  std::vector<double> frequencies(double pseudocount = 0) const {
    std::vector<double> out(static_cast<std::size_t>(sites() * colors()));
    return check(atp_alignment_frequencies(get(), pseudocount, out.data(), detail::size(out.size()))), out;
  }
  /** Shape [L][L][q][q]. */
  std::vector<double> pair_frequencies(double pseudocount = 0) const {
    std::vector<double> out(static_cast<std::size_t>(sites() * sites() * colors() * colors()));
    return check(atp_alignment_pair_frequencies(get(), pseudocount, out.data(), detail::size(out.size()))), out;
  }
  /** Shape [L][L][q][q]. */
  std::vector<double> covariances(double pseudocount = 0) const {
    std::vector<double> out(static_cast<std::size_t>(sites() * sites() * colors() * colors()));
    return check(atp_alignment_covariances(get(), pseudocount, out.data(), detail::size(out.size()))), out;
  }
  double independent_loss(Reals frequencies) const {
    double loss = 0;
    return check(atp_alignment_independent_loss(get(), frequencies.data(), detail::size(frequencies.size()), &loss)), loss;
  }
  atp_alignment *get() const noexcept { return handle_.get(); }
  explicit operator bool() const noexcept { return handle_ != nullptr; }

 private:
  detail::Owner<atp_alignment, atp_alignment_destroy> handle_;
};

}  // namespace attopotts

#endif
