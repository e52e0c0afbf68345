// SPDX-License-Identifier: MIT
/** @file model.hpp
 *  Models; see model.h.
 *  Part of attopotts.hpp, which describes the conventions. */
#ifndef ATTOPOTTS_MODEL_HPP
#define ATTOPOTTS_MODEL_HPP

#include <attopotts/lattice.h>
#include <attopotts/model.h>
#include <attopotts/pairs.h>
#include <attopotts/alignment.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

enum atp_model_format : int;  // of io.h

namespace attopotts {

/** Indices of two sites, i < j, 0-based. */
using Pair = std::array<std::int64_t, 2>;

namespace detail {
inline const std::int64_t *places(View<const Pair> pairs) { return pairs.empty() ? nullptr : pairs.data()->data(); }
}  // namespace detail

/** A generalised Potts model; see model.h. */
class Model {
 public:
  struct Enumeration {
    double log_z, energy;
    std::vector<double> marginals, pairs, probabilities;  ///< [L][q], [L][L][q][q], [q^L]
  };

  /** Holds nothing. */
  Model() = default;
  /** Takes ownership of a handle. */
  explicit Model(atp_model *handle) : handle_(handle) {}
  static Model heads(Borrowed<Context> context, std::int64_t sites, std::int64_t colors, std::int64_t heads, Reals maps, Reals values,
                     Reals fields = {}) {
    require(maps.size(), heads * sites * sites, "maps");
    require(values.size(), heads * colors * colors, "values");
    if (!fields.empty()) require(fields.size(), sites * colors, "fields");
    atp_model *handle = nullptr;
    const std::int64_t shape[] = {sites, colors, heads};
    check(atp_model_create_heads(context.get(), shape, maps.data(), values.data(), fields.data(), &handle));
    return Model(handle);
  }
  static Model dense(Borrowed<Context> context, std::int64_t sites, std::int64_t colors, Reals couplings, Reals fields = {}) {
    require(couplings.size(), sites * sites * colors * colors, "couplings");
    if (!fields.empty()) require(fields.size(), sites * colors, "fields");
    atp_model *handle = nullptr;
    check(atp_model_create_dense_f64(context.get(), sites, colors, couplings.data(), fields.data(), &handle));
    return Model(handle);
  }
  static Model dense(Borrowed<Context> context, std::int64_t sites, std::int64_t colors, std::initializer_list<double> couplings,
                     Reals fields = {}) {
    return dense(context, sites, colors, Reals(couplings), fields);
  }
  static Model dense(Borrowed<Context> context, std::int64_t sites, std::int64_t colors, Floats couplings, Floats fields = {}) {
    require(couplings.size(), sites * sites * colors * colors, "couplings");
    if (!fields.empty()) require(fields.size(), sites * colors, "fields");
    atp_model *handle = nullptr;
    check(atp_model_create_dense_f32(context.get(), sites, colors, couplings.data(), fields.data(), &handle));
    return Model(handle);
  }
  /** Couplings of the pairs of a list only; see pairs.h. An empty color_matrix: couplings are matrices [n][q][q]. */
  static Model of_pairs(Borrowed<Context> context, std::int64_t sites, std::int64_t colors, View<const Pair> pairs, Reals couplings,
                        Reals color_matrix = {}, Reals fields = {}) {
    const std::int64_t n = detail::size(pairs.size());
    require(couplings.size(), color_matrix.empty() ? n * colors * colors : n, "couplings");
    if (!color_matrix.empty()) require(color_matrix.size(), colors * colors, "color_matrix");
    if (!fields.empty()) require(fields.size(), sites * colors, "fields");
    atp_model *handle = nullptr;
    const std::int64_t shape[] = {sites, colors, n};
    check(
        atp_model_create_pairs(context.get(), shape, detail::places(pairs), couplings.data(), color_matrix.data(), fields.data(), &handle));
    return Model(handle);
  }
  /** A lattice or a random graph; see lattice.h. */
  static Model lattice(Borrowed<Context> context, const Options &options) {
    atp_model *handle = nullptr;
    check(atp_model_create_lattice(context.get(), options.get(), &handle));
    return Model(handle);
  }
  static Model random(Borrowed<Context> context, std::int64_t sites, std::int64_t colors, atp_couplings couplings = ATP_COUPLINGS_GAUSSIAN,
                      atp_color_matrix color_matrix = ATP_COLOR_MATRIX_GAUSSIAN, std::int64_t seed = 1) {
    atp_model *handle = nullptr;
    check(atp_model_create_random(context.get(), sites, colors, couplings, color_matrix, seed, &handle));
    return Model(handle);
  }
  /** Reads a model from a file; needs attopotts_io.hpp. */
  static Model read(Borrowed<Context> context, const std::string &path);
  /** Reads a model from a file of any format; needs attopotts_io.hpp. See atp_model_read_as(). */
  static Model read_as(Borrowed<Context> context, const std::string &path, atp_model_format format, const std::string &alphabet = "");
  /** Makes a model from the bytes of save_state(). */
  static Model from_state(Borrowed<Context> context, View<const char> state) {
    atp_model *handle = nullptr;
    check(atp_model_from_state(context.get(), state.data(), detail::size(state.size()), &handle));
    return Model(handle);
  }
  std::vector<char> save_state() const {
    std::vector<char> out(static_cast<std::size_t>(atp_model_state_bytes(get())));
    return check(atp_model_save_state(get(), out.data(), detail::size(out.size()))), out;
  }
  Model copy(Borrowed<Context> context) const {
    atp_model *handle = nullptr;
    check(atp_model_copy(context.get(), get(), &handle));
    return Model(handle);
  }
  Model gauge(Borrowed<Context> context, atp_gauge gauge) const {
    atp_model *handle = nullptr;
    check(atp_model_gauge(context.get(), get(), gauge, &handle));
    return Model(handle);
  }
  /** Only the couplings of some pairs; see pairs.h. */
  Model keep_pairs(Borrowed<Context> context, View<const Pair> pairs) const {
    atp_model *handle = nullptr;
    check(atp_model_keep_pairs(context.get(), get(), detail::places(pairs), detail::size(pairs.size()), &handle));
    return Model(handle);
  }
  /** Writes to a file; needs attopotts_io.hpp. */
  void write(const Context &context, const std::string &path) const;
  /** Writes in the format of another tool; needs attopotts_io.hpp. See atp_model_write_as(). */
  void write_as(const Context &context, atp_model_format format, const std::string &path, const Alignment *alignment = nullptr) const;

  std::int64_t sites() const { return atp_model_sites(get()); }
  std::int64_t colors() const { return atp_model_colors(get()); }
  std::int64_t heads() const { return atp_model_heads(get()); }
  bool has_fields() const { return atp_model_has_fields(get()) != 0; }
  bool is_symmetric() const { return atp_model_is_symmetric(get()) != 0; }
  double beta() const { return atp_model_beta(get()); }
  Model &set_beta(double beta) & { return check(atp_model_set_beta(get(), beta)), *this; }
  bool is_ordered() const { return atp_model_is_ordered(get()) != 0; }
  /** The sites of an autoregressive model in their order. */
  std::vector<std::int64_t> order() const { return array<std::int64_t>(sites(), atp_model_order); }
  /** Empty: a Potts model again. */
  Model &set_order(View<const std::int64_t> order) & {
    return check(atp_model_set_order(get(), order.empty() ? nullptr : order.data(), detail::size(order.size()))), *this;
  }
  std::string alphabet() const { return atp_model_alphabet(get()); }
  Model &set_alphabet(const std::string &symbols) & {
    return check(atp_model_set_alphabet(get(), detail::text(symbols, "symbols"))), *this;
  }
  std::string origin() const { return atp_model_origin(get()); }
  Model &set_origin(const std::string &text) & { return check(atp_model_set_origin(get(), detail::text(text, "text"))), *this; }
  View<const std::int64_t> site_numbers() const && = delete;  // the numbers would be freed
  View<const std::int64_t> site_numbers() const & { return {atp_model_site_numbers_view(get()), static_cast<std::size_t>(sites())}; }
  /** The list of pairs that have couplings; empty: all pairs. */
  std::vector<Pair> pairs() const {
    const std::int64_t n = atp_model_pair_count(get());
    std::vector<Pair> out(static_cast<std::size_t>(n + 1));  // at least one element, not NULL
    check(atp_model_pairs(get(), out[0].data(), 2 * n));
    return out.pop_back(), out;
  }
  /** C_ij(a, b) of those pairs, [pairs][q][q]. */
  std::vector<double> pair_couplings() const {
    const std::int64_t n = atp_model_pair_count(get()) * colors() * colors();
    std::vector<double> out(static_cast<std::size_t>(n + 1));
    check(atp_model_pair_couplings(get(), out.data(), n));
    return out.pop_back(), out;
  }
  std::string site_residues() const { return atp_model_site_residues(get()); }
  /** Empty numbers: 1..L. */
  Model &set_sites(View<const std::int64_t> numbers, const std::string &residues = "") & {
    const std::int64_t n = numbers.empty() ? sites() : detail::size(numbers.size());
    return check(atp_model_set_sites(get(), numbers.data(), n, detail::text(residues, "residues"))), *this;
  }

  /** A, shape [H][L][L]. */
  std::vector<double> maps() const { return array<double>(heads() * sites() * sites(), atp_model_maps); }
  /** V, shape [H][q][q]. */
  std::vector<double> values() const { return array<double>(heads() * colors() * colors(), atp_model_values); }
  /** b, shape [L][q]. */
  std::vector<double> fields() const { return array<double>(sites() * colors(), atp_model_fields); }
  /** C, shape [L][L][q][q]. */
  std::vector<double> couplings() const { return array<double>(sites() * sites() * colors() * colors(), atp_model_couplings_f64); }
  std::vector<float> couplings_f32() const { return array<float>(sites() * sites() * colors() * colors(), atp_model_couplings_f32); }

  /** Shape [n][L][q]. */
  std::vector<double> conditionals(Sequences sequences) const {
    std::vector<double> out(sequences.size() * static_cast<std::size_t>(colors()));
    return check(atp_model_conditionals(get(), sequences.data(), rows(sequences), out.data(), detail::size(out.size()))), out;
  }
  /** Shape [n]. */
  std::vector<double> energies(Sequences sequences) const {
    std::vector<double> out(static_cast<std::size_t>(rows(sequences)));
    return check(atp_model_energies(get(), sequences.data(), detail::size(out.size()), out.data(), detail::size(out.size()))), out;
  }
  /** Shape [n]. */
  std::vector<double> log_pseudolikelihoods(Sequences sequences) const {
    std::vector<double> out(static_cast<std::size_t>(rows(sequences)));
    return check(atp_model_log_pseudolikelihoods(get(), sequences.data(), detail::size(out.size()), out.data(), detail::size(out.size()))),
           out;
  }
  double loss(const Context &context, const Alignment &alignment) const {
    double loss = 0;
    return check(atp_model_loss(context.get(), get(), alignment.get(), &loss)), loss;
  }
  double coupling_error(const Context &context, const Model &truth) const {
    double distance = 0;
    return check(atp_model_coupling_error(context.get(), get(), truth.get(), &distance)), distance;
  }
  /** Sums over all q^L states; pairs and probabilities are empty unless requested. */
  Enumeration enumerate(bool pairs = false, bool probabilities = false) const {
    Enumeration out{};
    const std::size_t n = static_cast<std::size_t>(sites() * colors());
    // Check that the sum is possible before the arrays are made.
    double states = 1;
    for (std::int64_t i = 0; i < sites(); ++i) states *= static_cast<double>(colors());
    if (states <= 0x1p26) {
      out.marginals.resize(n);
      if (pairs) out.pairs.resize(n * n);
      if (probabilities) out.probabilities.resize(static_cast<std::size_t>(states));
    }
    check(atp_model_enumerate(get(), &out.log_z, &out.energy, data(out.marginals), detail::size(out.marginals.size()), data(out.pairs),
                              detail::size(out.pairs.size())));
    if (probabilities) check(atp_model_probabilities(get(), out.probabilities.data(), detail::size(out.probabilities.size())));
    return out;
  }
  atp_model *get() const noexcept { return handle_.get(); }
  explicit operator bool() const noexcept { return handle_ != nullptr; }

 private:
  static void require(std::size_t size, std::int64_t expected, const char *name) {
    if (detail::size(size) != expected)
      throw error(ATP_E_SHAPE, std::string(name) + " has " + std::to_string(size) + " elements, must have " + std::to_string(expected));
  }
  static double *data(std::vector<double> &vector) { return vector.empty() ? nullptr : vector.data(); }
  std::int64_t rows(Sequences sequences) const {
    detail::require_handle(get(), "model");
    return detail::rows(sequences, sites());
  }
  template <class Real>
  std::vector<Real> array(std::int64_t size, atp_status (*function)(const atp_model *, Real *, std::int64_t)) const {
    // At least one element, not NULL: the C function distinguishes dense models from models of heads.
    std::vector<Real> out(static_cast<std::size_t>(size > 0 ? size : 1));
    check(function(get(), out.data(), size));
    return out;
  }
  detail::Owner<atp_model, atp_model_destroy> handle_;
};

}  // namespace attopotts

#endif
