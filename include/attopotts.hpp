// SPDX-License-Identifier: MIT
/** @file attopotts.hpp
 *  The C API for C++17: a header of its own and nothing to link beside the library.
 *
 *  Each class owns one handle and frees it; handles move, they are not copied (Model::copy() makes a copy). Failures are thrown as
 *  attopotts::error, which knows the status. Arrays come as pointer and size (View: a std::vector, a std::array, a C array, or both said)
 *  and go as std::vector. What a function does, and what its arguments mean, is said at the C function of the same name.
 *
 *  Lifetimes are those of the C API: a Context outlives what was made from it, an Alignment the Trainer that reads it. Everything has get()
 *  for C functions that have no method here.
 *
 *  Threads: as the C API. Since: 0.1. */
#ifndef ATTOPOTTS_HPP
#define ATTOPOTTS_HPP

#include <attopotts.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace attopotts {

/** A failed call: its status, and the text that names argument, value and what was expected. */
class error : public std::runtime_error {
 public:
  error(atp_status status, const std::string &text) : std::runtime_error(text), status_(status) {}
  atp_status status() const noexcept { return status_; }
  const char *name() const noexcept { return atp_status_name(status_); }

 private:
  atp_status status_;
};

/** Throw an error unless the status is ATP_OK; for calls of C functions. */
inline void check(atp_status status) {
  if (status == ATP_OK) return;
  char text[1024];
  throw error(status, atp_last_error(text, sizeof text) > 0 ? text : atp_status_string(status));
}

/** Elements that belong to somebody else: a pointer and a size. */
template <class T>
class View {
 public:
  using value_type = std::remove_const_t<T>;
  View() = default;
  View(T *data, std::size_t size) : data_(data), size_(size) {}
  template <std::size_t N>
  View(T (&array)[N]) : data_(array), size_(N) {}
  template <std::size_t N, class U, class = std::enable_if_t<std::is_convertible_v<U *, T *>>>
  View(const std::array<U, N> &array) : data_(array.data()), size_(N) {}
  template <class A>
  View(const std::vector<value_type, A> &vector) : data_(vector.data()), size_(vector.size()) {}
  T *data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  T *begin() const noexcept { return data_; }
  T *end() const noexcept { return data_ + size_; }
  T &operator[](std::size_t i) const { return data_[i]; }
  std::vector<value_type> vector() const { return std::vector<value_type>(begin(), end()); }

 private:
  T *data_ = nullptr;
  std::size_t size_ = 0;
};

using Reals = View<const double>;
using Floats = View<const float>;
using Sequences = View<const std::uint8_t>;  ///< shape [N][L]

/** The numbers of a progress report; valid in the callback only. */
class Progress {
 public:
  explicit Progress(const atp_progress *progress) : progress_(progress) {}
  double operator[](atp_progress_key key) const { return atp_progress_value(progress_, key); }

 private:
  const atp_progress *progress_;
};

/** Called between steps. Return true to go on, false to stop. What it throws stops the run and comes out of the call. */
using ProgressFunction = std::function<bool(const Progress &)>;

namespace detail {

inline std::int64_t size(std::size_t n) { return static_cast<std::int64_t>(n); }

template <class Handle, void (*destroy)(Handle *)>
struct Destroyer {
  void operator()(Handle *handle) const noexcept { destroy(handle); }
};
template <class Handle, void (*destroy)(Handle *)>
using Owner = std::unique_ptr<Handle, Destroyer<Handle, destroy>>;

// The C callback of a ProgressFunction: no exception passes through the library.
struct Relay {
  const ProgressFunction &function;
  std::exception_ptr thrown;
  static int call(const atp_progress *progress, void *user) noexcept {
    Relay &relay = *static_cast<Relay *>(user);
    try {
      return relay.function(Progress(progress)) ? 0 : 1;
    } catch (...) {
      relay.thrown = std::current_exception();
      return 1;
    }
  }
  atp_progress_fn callback() const { return function ? &Relay::call : nullptr; }
  void finish(atp_status status) const {
    if (thrown) std::rethrow_exception(thrown);
    check(status);
  }
};

}  // namespace detail

/** Threads, SIMD target, memory and log; see context.h. */
class Context {
 public:
  using LogFunction = std::function<void(atp_log_level, const char *)>;

  Context() : Context(nullptr, nullptr, nullptr) {}
  Context(atp_alloc_fn alloc, atp_free_fn release, void *user) {
    atp_context *handle = nullptr;
    check(atp_context_create(alloc, release, user, &handle));
    handle_.reset(handle);
  }
  Context &set_threads(std::int64_t threads) { return check(atp_context_set_threads(get(), threads)), *this; }
  std::int64_t threads() const { return atp_context_threads(get()); }
  Context &set_simd(const std::string &name) { return check(atp_context_set_simd(get(), name.c_str())), *this; }
  std::string simd() const { return atp_context_simd(get()); }
  /** An empty function drops messages. What the function throws is dropped, too. */
  Context &set_log(LogFunction log) {
    auto kept = std::make_unique<LogFunction>(std::move(log));
    check(atp_context_set_log(get(), *kept ? &Context::relay_log : nullptr, kept.get()));
    log_ = std::move(kept);
    return *this;
  }
  std::int64_t allocations() const {
    std::int64_t count = 0;
    return check(atp_context_memory(get(), &count, nullptr)), count;
  }
  std::int64_t bytes_in_use() const {
    std::int64_t bytes = 0;
    return check(atp_context_memory(get(), nullptr, &bytes)), bytes;
  }
  atp_context *get() const noexcept { return handle_.get(); }

 private:
  static void relay_log(atp_log_level level, const char *text, void *user) noexcept {
    try {
      (*static_cast<LogFunction *>(user))(level, text);
    } catch (...) {
    }
  }
  std::unique_ptr<LogFunction> log_;
  detail::Owner<atp_context, atp_context_destroy> handle_;
};

/** A bag of options; see options.h. */
class Options {
 public:
  explicit Options(const Context &context) {
    atp_options *handle = nullptr;
    check(atp_options_create(context.get(), &handle));
    handle_.reset(handle);
  }
  template <class Number>
  Options &set(atp_option key, Number value) {
    static_assert(std::is_arithmetic_v<Number> || std::is_enum_v<Number>);
    if constexpr (std::is_floating_point_v<Number>)
      check(atp_options_set_f64(get(), key, static_cast<double>(value)));
    else
      check(atp_options_set_i64(get(), key, static_cast<std::int64_t>(value)));
    return *this;
  }
  /** By name, "l2-couplings" say. */
  template <class Number>
  Options &set(const std::string &name, Number value) {
    return set(key(name), value);
  }
  double real(atp_option key) const {
    double value = 0;
    return check(atp_options_get_f64(get(), key, &value)), value;
  }
  std::int64_t integer(atp_option key) const {
    std::int64_t value = 0;
    return check(atp_options_get_i64(get(), key, &value)), value;
  }
  Options &reset() { return check(atp_options_reset(get())), *this; }
  static atp_option key(const std::string &name) {
    const int key = atp_option_from_name(name.c_str());
    if (key < 0) throw error(ATP_E_OPTION, "option \"" + name + "\" does not exist");
    return static_cast<atp_option>(key);
  }
  atp_options *get() const noexcept { return handle_.get(); }

 private:
  detail::Owner<atp_options, atp_options_destroy> handle_;
};

/** Sequences with weights; see alignment.h. */
class Alignment {
 public:
  /** Takes ownership of a handle. */
  explicit Alignment(atp_alignment *handle) : handle_(handle) {}
  Alignment(const Context &context, Sequences sequences, std::int64_t sites, std::int64_t colors, Reals weights = {}) {
    const std::int64_t n = sites > 0 ? detail::size(sequences.size()) / sites : 0;
    if (sites > 0 && n * sites != detail::size(sequences.size()))
      throw error(ATP_E_SHAPE, "sequences has " + std::to_string(sequences.size()) +
                                   " elements, must be a multiple of sites = " + std::to_string(sites));
    if (!weights.empty() && detail::size(weights.size()) != n)
      throw error(ATP_E_SHAPE, "weights has " + std::to_string(weights.size()) + " elements, must have " + std::to_string(n));
    atp_alignment *handle = nullptr;
    check(atp_alignment_create(context.get(), sequences.data(), n, sites, colors, weights.data(), &handle));
    handle_.reset(handle);
  }
  static Alignment read(const Context &context, const std::string &path, const std::string &alphabet = "",
                        const Options *options = nullptr) {
    atp_alignment *handle = nullptr;
    check(atp_alignment_read(context.get(), path.c_str(), alphabet.empty() ? nullptr : alphabet.c_str(),
                             options == nullptr ? nullptr : options->get(), &handle));
    return Alignment(handle);
  }
  Alignment select(const Context &context, std::int64_t first, std::int64_t count, std::int64_t stride = 1) const {
    atp_alignment *handle = nullptr;
    check(atp_alignment_select(context.get(), get(), first, count, stride, &handle));
    return Alignment(handle);
  }
  void write(const Context &context, atp_format format, const std::string &path) const {
    check(atp_alignment_write(context.get(), get(), format, path.c_str()));
  }

  std::int64_t count() const { return atp_alignment_count(get()); }
  std::int64_t sites() const { return atp_alignment_sites(get()); }
  std::int64_t colors() const { return atp_alignment_colors(get()); }
  double effective_count() const { return atp_alignment_effective_count(get()); }
  Sequences sequences() const { return {atp_alignment_sequences_view(get()), static_cast<std::size_t>(count() * sites())}; }
  Reals weights() const { return {atp_alignment_weights_view(get()), static_cast<std::size_t>(count())}; }
  Alignment &set_weights(Reals weights) {
    return check(atp_alignment_set_weights(get(), weights.data(), detail::size(weights.size()))), *this;
  }
  std::string alphabet() const { return atp_alignment_alphabet(get()); }
  Alignment &set_alphabet(const std::string &symbols) { return check(atp_alignment_set_alphabet(get(), symbols.c_str())), *this; }
  std::string name(std::int64_t index) const { return atp_alignment_name(get(), index); }
  std::string origin() const { return atp_alignment_origin(get()); }
  Alignment &set_origin(const std::string &text) { return check(atp_alignment_set_origin(get(), text.c_str())), *this; }
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
  double independent_loss(Reals frequencies) const {
    double loss = 0;
    return check(atp_alignment_independent_loss(get(), frequencies.data(), detail::size(frequencies.size()), &loss)), loss;
  }
  atp_alignment *get() const noexcept { return handle_.get(); }

 private:
  detail::Owner<atp_alignment, atp_alignment_destroy> handle_;
};

/** A generalised Potts model; see model.h. */
class Model {
 public:
  struct Enumeration {
    double log_z, energy;
    std::vector<double> marginals, pairs, probabilities;  ///< [L][q], [L][L][q][q], [q^L]
  };

  /** Takes ownership of a handle. */
  explicit Model(atp_model *handle) : handle_(handle) {}
  static Model heads(const Context &context, std::int64_t sites, std::int64_t colors, std::int64_t heads, Reals maps, Reals values,
                     Reals fields = {}) {
    require(maps.size(), heads * sites * sites, "maps");
    require(values.size(), heads * colors * colors, "values");
    if (!fields.empty()) require(fields.size(), sites * colors, "fields");
    atp_model *handle = nullptr;
    check(atp_model_create_heads(context.get(), sites, colors, heads, maps.data(), values.data(), fields.data(), &handle));
    return Model(handle);
  }
  static Model dense(const Context &context, std::int64_t sites, std::int64_t colors, Reals couplings, Reals fields = {}) {
    require(couplings.size(), sites * sites * colors * colors, "couplings");
    if (!fields.empty()) require(fields.size(), sites * colors, "fields");
    atp_model *handle = nullptr;
    check(atp_model_create_dense_f64(context.get(), sites, colors, couplings.data(), fields.data(), &handle));
    return Model(handle);
  }
  static Model dense(const Context &context, std::int64_t sites, std::int64_t colors, Floats couplings, Floats fields = {}) {
    require(couplings.size(), sites * sites * colors * colors, "couplings");
    if (!fields.empty()) require(fields.size(), sites * colors, "fields");
    atp_model *handle = nullptr;
    check(atp_model_create_dense_f32(context.get(), sites, colors, couplings.data(), fields.data(), &handle));
    return Model(handle);
  }
  static Model random(const Context &context, std::int64_t sites, std::int64_t colors, atp_couplings couplings = ATP_COUPLINGS_GAUSSIAN,
                      atp_color_matrix color_matrix = ATP_COLOR_MATRIX_GAUSSIAN, std::int64_t seed = 1) {
    atp_model *handle = nullptr;
    check(atp_model_create_random(context.get(), sites, colors, couplings, color_matrix, seed, &handle));
    return Model(handle);
  }
  static Model read(const Context &context, const std::string &path) {
    atp_model *handle = nullptr;
    check(atp_model_read(context.get(), path.c_str(), &handle));
    return Model(handle);
  }
  Model copy(const Context &context) const {
    atp_model *handle = nullptr;
    check(atp_model_copy(context.get(), get(), &handle));
    return Model(handle);
  }
  Model gauge(const Context &context, atp_gauge gauge) const {
    atp_model *handle = nullptr;
    check(atp_model_gauge(context.get(), get(), gauge, &handle));
    return Model(handle);
  }
  void write(const Context &context, const std::string &path) const { check(atp_model_write(context.get(), get(), path.c_str())); }

  std::int64_t sites() const { return atp_model_sites(get()); }
  std::int64_t colors() const { return atp_model_colors(get()); }
  std::int64_t heads() const { return atp_model_heads(get()); }
  bool has_fields() const { return atp_model_has_fields(get()) != 0; }
  bool is_symmetric() const { return atp_model_is_symmetric(get()) != 0; }
  double beta() const { return atp_model_beta(get()); }
  Model &set_beta(double beta) { return check(atp_model_set_beta(get(), beta)), *this; }
  std::string alphabet() const { return atp_model_alphabet(get()); }
  Model &set_alphabet(const std::string &symbols) { return check(atp_model_set_alphabet(get(), symbols.c_str())), *this; }

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
    return check(atp_model_energies(get(), sequences.data(), detail::size(out.size()), out.data())), out;
  }
  /** Shape [n]. */
  std::vector<double> log_pseudolikelihoods(Sequences sequences) const {
    std::vector<double> out(static_cast<std::size_t>(rows(sequences)));
    return check(atp_model_log_pseudolikelihoods(get(), sequences.data(), detail::size(out.size()), out.data())), out;
  }
  double loss(const Context &context, const Alignment &alignment) const {
    double loss = 0;
    return check(atp_model_loss(context.get(), get(), alignment.get(), &loss)), loss;
  }
  double coupling_error(const Context &context, const Model &truth) const {
    double distance = 0;
    return check(atp_model_coupling_error(context.get(), get(), truth.get(), &distance)), distance;
  }
  /** Sums over all q^L states; pairs and probabilities are left empty unless asked for. */
  Enumeration enumerate(bool pairs = false, bool probabilities = false) const {
    Enumeration out{};
    const std::size_t n = static_cast<std::size_t>(sites() * colors());
    // Whether the sum is possible at all is known before the arrays are made.
    double states = 1;
    for (std::int64_t i = 0; i < sites(); ++i) states *= static_cast<double>(colors());
    if (states <= 0x1p26) {
      out.marginals.resize(n);
      if (pairs) out.pairs.resize(n * n);
      if (probabilities) out.probabilities.resize(static_cast<std::size_t>(states));
    }
    check(atp_model_enumerate(get(), &out.log_z, &out.energy, data(out.marginals), data(out.pairs), data(out.probabilities)));
    return out;
  }
  atp_model *get() const noexcept { return handle_.get(); }

 private:
  static void require(std::size_t size, std::int64_t expected, const char *name) {
    if (detail::size(size) != expected)
      throw error(ATP_E_SHAPE, std::string(name) + " has " + std::to_string(size) + " elements, must have " + std::to_string(expected));
  }
  static double *data(std::vector<double> &vector) { return vector.empty() ? nullptr : vector.data(); }
  std::int64_t rows(Sequences sequences) const {
    const std::int64_t n = sites() > 0 ? detail::size(sequences.size()) / sites() : 0;
    require(sequences.size(), n * sites(), "sequences");
    return n;
  }
  template <class Real>
  std::vector<Real> array(std::int64_t size, atp_status (*function)(const atp_model *, Real *, std::int64_t)) const {
    // One element at least: the C function tells dense models from those with heads.
    std::vector<Real> out(static_cast<std::size_t>(size > 0 ? size : 1));
    check(function(get(), out.data(), size));
    return out;
  }
  detail::Owner<atp_model, atp_model_destroy> handle_;
};

/** Gibbs sampling and replica exchange; see sampler.h. */
class Sampler {
 public:
  Sampler(const Context &context, const Model &model, const Options *options = nullptr) {
    atp_sampler *handle = nullptr;
    check(atp_sampler_create(context.get(), model.get(), options == nullptr ? nullptr : options->get(), &handle));
    handle_.reset(handle);
  }
  Sampler(const Context &context, const Model &model, const Options &options) : Sampler(context, model, &options) {}
  static std::int64_t bytes(const Context &context, const Model &model, const Options *options = nullptr) {
    std::int64_t bytes = 0;
    return check(atp_sampler_bytes(context.get(), model.get(), options == nullptr ? nullptr : options->get(), &bytes)), bytes;
  }

  std::int64_t chains() const { return atp_sampler_chains(get()); }
  std::int64_t sites() const { return atp_sampler_sites(get()); }
  std::int64_t temperatures() const { return atp_sampler_temperatures(get()); }
  std::int64_t sweeps() const { return atp_sampler_sweeps(get()); }
  std::vector<double> betas() const {
    std::vector<double> out(static_cast<std::size_t>(temperatures()));
    return check(atp_sampler_betas(get(), out.data(), detail::size(out.size()))), out;
  }
  Sampler &set_betas(Reals betas) { return check(atp_sampler_set_betas(get(), betas.data(), detail::size(betas.size()))), *this; }
  std::vector<double> swap_rates() const {
    std::vector<double> out(static_cast<std::size_t>(temperatures()));  // one more than is read: never a NULL array
    check(atp_sampler_swap_rates(get(), out.data(), detail::size(out.size()) - 1));
    return out.pop_back(), out;
  }
  Sampler &start_random() { return check(atp_sampler_start_random(get())), *this; }
  Sampler &start_from(Sequences sequences) {
    const std::int64_t n = sites() > 0 ? detail::size(sequences.size()) / sites() : 0;
    if (n * sites() != detail::size(sequences.size())) throw error(ATP_E_SHAPE, "sequences is not a whole number of sequences");
    return check(atp_sampler_start_from(get(), sequences.data(), n, sites())), *this;
  }
  atp_outcome sweep(std::int64_t sweeps, const ProgressFunction &progress = {}) {
    detail::Relay relay{progress, {}};
    atp_outcome outcome = ATP_OUTCOME_NONE;
    relay.finish(atp_sampler_sweep(get(), sweeps, relay.callback(), &relay, &outcome));
    return outcome;
  }
  /** Sequences, shape [n][L]; fewer than n where the run was stopped. energies (optional) receives one energy for each. */
  std::vector<std::uint8_t> sample(std::int64_t n, std::int64_t thin = 1, std::vector<double> *energies = nullptr,
                                   const ProgressFunction &progress = {}, atp_outcome *outcome = nullptr) {
    if (n < 1) throw error(ATP_E_VALUE, "n is " + std::to_string(n) + ", must be >= 1");
    detail::Relay relay{progress, {}};
    std::vector<std::uint8_t> out(static_cast<std::size_t>(n * sites()));
    if (energies != nullptr) energies->resize(static_cast<std::size_t>(n));
    std::int64_t done = 0;
    relay.finish(atp_sampler_sample(get(), n, thin, out.data(), detail::size(out.size()), energies == nullptr ? nullptr : energies->data(),
                                    &done, relay.callback(), &relay, outcome));
    out.resize(static_cast<std::size_t>(done * sites()));
    if (energies != nullptr) energies->resize(static_cast<std::size_t>(done));
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
  Sampler &load_state(View<const char> state) {
    return check(atp_sampler_load_state(get(), state.data(), detail::size(state.size()))), *this;
  }
  atp_sampler *get() const noexcept { return handle_.get(); }

 private:
  detail::Owner<atp_sampler, atp_sampler_destroy> handle_;
};

/** What tune_beta() found. */
struct Tuning {
  double beta, beta_error, hamming, hamming_error;
  atp_outcome outcome;
};

/** atp_tune_beta(). */
inline Tuning tune_beta(const Context &context, const Model &model, double target, const Options *options = nullptr,
                        const ProgressFunction &progress = {}) {
  detail::Relay relay{progress, {}};
  Tuning out{};
  relay.finish(atp_tune_beta(context.get(), model.get(), options == nullptr ? nullptr : options->get(), target, relay.callback(), &relay,
                             &out.beta, &out.beta_error, &out.hamming, &out.hamming_error, &out.outcome));
  return out;
}

/** Factored attention on masked tokens; see trainer.h. */
class Trainer {
 public:
  struct Gradient {
    double loss, objective;
    std::vector<double> gradient;
  };

  Trainer(const Context &context, const Alignment &train, const Options *options = nullptr) {
    atp_trainer *handle = nullptr;
    check(atp_trainer_create(context.get(), train.get(), options == nullptr ? nullptr : options->get(), &handle));
    handle_.reset(handle);
  }
  Trainer(const Context &context, const Alignment &train, const Options &options) : Trainer(context, train, &options) {}
  static std::int64_t bytes(const Context &context, std::int64_t n, std::int64_t sites, std::int64_t colors,
                            const Options *options = nullptr) {
    std::int64_t bytes = 0;
    return check(atp_trainer_bytes(context.get(), n, sites, colors, options == nullptr ? nullptr : options->get(), &bytes)), bytes;
  }

  Trainer &set_values(Reals values) { return check(atp_trainer_set_values(get(), values.data(), detail::size(values.size()))), *this; }
  Trainer &set_test(const Alignment &test) { return check(atp_trainer_set_test(get(), test.get())), *this; }
  Trainer &set_truth(const Model &truth) { return check(atp_trainer_set_truth(get(), truth.get())), *this; }
  std::vector<double> parameters() const {
    std::vector<double> out(static_cast<std::size_t>(atp_trainer_parameter_count(get())));
    return check(atp_trainer_parameters(get(), out.data(), detail::size(out.size()))), out;
  }
  Trainer &set_parameters(Reals parameters) {
    return check(atp_trainer_set_parameters(get(), parameters.data(), detail::size(parameters.size()))), *this;
  }
  Gradient gradient() {
    Gradient out{0, 0, std::vector<double>(static_cast<std::size_t>(atp_trainer_parameter_count(get())))};
    check(atp_trainer_gradient(get(), &out.loss, &out.objective, out.gradient.data(), detail::size(out.gradient.size())));
    return out;
  }
  Gradient masked_gradient(View<const std::int64_t> sites) {
    Gradient out{0, 0, std::vector<double>(static_cast<std::size_t>(atp_trainer_parameter_count(get())))};
    check(atp_trainer_masked_gradient(get(), sites.data(), detail::size(sites.size()), &out.loss, &out.objective, out.gradient.data(),
                                      detail::size(out.gradient.size())));
    return out;
  }
  double loss(const Alignment &alignment) const {
    double loss = 0;
    return check(atp_trainer_loss(get(), alignment.get(), &loss)), loss;
  }
  atp_outcome start_wide(std::int64_t heads, std::int64_t iterations, const ProgressFunction &progress = {}) {
    detail::Relay relay{progress, {}};
    atp_outcome outcome = ATP_OUTCOME_NONE;
    relay.finish(atp_trainer_start_wide(get(), heads, iterations, relay.callback(), &relay, &outcome));
    return outcome;
  }
  atp_outcome run(std::int64_t epochs, const ProgressFunction &progress = {}) {
    detail::Relay relay{progress, {}};
    atp_outcome outcome = ATP_OUTCOME_NONE;
    relay.finish(atp_trainer_run(get(), epochs, relay.callback(), &relay, &outcome));
    return outcome;
  }
  std::int64_t epochs() const { return atp_trainer_epochs(get()); }
  void request_stop() noexcept { atp_trainer_request_stop(get()); }
  Model model() const {
    atp_model *handle = nullptr;
    check(atp_trainer_model(get(), &handle));
    return Model(handle);
  }
  std::vector<char> save_state() const {
    std::vector<char> out(static_cast<std::size_t>(atp_trainer_state_bytes(get())));
    return check(atp_trainer_save_state(get(), out.data(), detail::size(out.size()))), out;
  }
  Trainer &load_state(View<const char> state) {
    return check(atp_trainer_load_state(get(), state.data(), detail::size(state.size()))), *this;
  }
  atp_trainer *get() const noexcept { return handle_.get(); }

 private:
  detail::Owner<atp_trainer, atp_trainer_destroy> handle_;
};

/** An estimate and its standard error. */
struct Estimate {
  double value, standard_error;
};

/** atp_autocorrelation_time() of a series of shape [chains][n]. */
inline Estimate autocorrelation_time(Reals series, std::int64_t chains = 1) {
  if (chains < 1) throw error(ATP_E_VALUE, "chains is " + std::to_string(chains) + ", must be >= 1");
  Estimate out{};
  return check(atp_autocorrelation_time(series.data(), chains, detail::size(series.size()) / chains, &out.value, &out.standard_error)), out;
}

/** atp_split_rhat() of a series of shape [chains][n]. */
inline double split_rhat(Reals series, std::int64_t chains) {
  if (chains < 1) throw error(ATP_E_VALUE, "chains is " + std::to_string(chains) + ", must be >= 1");
  double rhat = 0;
  return check(atp_split_rhat(series.data(), chains, detail::size(series.size()) / chains, &rhat)), rhat;
}

/** atp_hamming_histogram() of sequences of shape [n][sites]: pairs at each distance, shape [sites + 1], and the mean fraction. */
inline std::vector<std::int64_t> hamming_histogram(Sequences sequences, std::int64_t sites, double *mean = nullptr) {
  if (sites < 1) throw error(ATP_E_VALUE, "sites is " + std::to_string(sites) + ", must be >= 1");
  std::vector<std::int64_t> out(static_cast<std::size_t>(sites + 1));
  return check(atp_hamming_histogram(sequences.data(), detail::size(sequences.size()) / sites, sites, out.data(), sites + 1, mean)), out;
}

/** atp_file_kind(): "model", "alignment", "fasta", "integers", "state" or "unknown". */
inline std::string file_kind(const Context &context, const std::string &path) {
  const char *kind = "";
  return check(atp_file_kind(context.get(), path.c_str(), &kind)), kind;
}

/** Write bytes, a saved state say, to a file; the old file stays whole until the new one is. */
inline void write_file(const Context &context, const std::string &path, View<const char> bytes) {
  check(atp_file_write(context.get(), path.c_str(), bytes.data(), detail::size(bytes.size())));
}

/** Read a whole file. */
inline std::vector<char> read_file(const Context &context, const std::string &path) {
  std::int64_t size = 0;
  check(atp_file_size(context.get(), path.c_str(), &size));
  std::vector<char> out(static_cast<std::size_t>(size > 0 ? size : 1));
  check(atp_file_read(context.get(), path.c_str(), out.data(), size));
  return out.resize(static_cast<std::size_t>(size)), out;
}

}  // namespace attopotts

#endif
