// SPDX-License-Identifier: MIT
/** @file transformer.hpp
 *  Attention networks trained on masked tokens; see transformer.h.
 *  Part of attopotts.hpp, which describes the conventions. */
#ifndef ATTOPOTTS_TRANSFORMER_HPP
#define ATTOPOTTS_TRANSFORMER_HPP

#include <attopotts/transformer.h>
#include <attopotts/model.hpp>
#include <attopotts/options.hpp>
#include <attopotts/table.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace attopotts {

/** A network trained on masked tokens; see transformer.h. */
class Transformer {
 public:
  struct Gradient {
    double loss;
    std::vector<double> gradient;
  };
  struct Part {
    std::string name;
    std::int64_t offset, size;
  };

  Transformer(Borrowed<Context> context, Borrowed<Alignment> train, const Options *options = nullptr) {
    atp_transformer *handle = nullptr;
    check(atp_transformer_create(context.get(), train.get(), detail::handle_of(options), &handle));
    handle_.reset(handle);
  }
  Transformer(Borrowed<Context> context, Borrowed<Alignment> train, const Options &options) : Transformer(context, train, &options) {}
  static std::int64_t bytes(const Context &context, std::int64_t n, std::int64_t sites, std::int64_t colors,
                            const Options *options = nullptr) {
    std::int64_t bytes = 0;
    return check(atp_transformer_bytes(context.get(), n, sites, colors, detail::handle_of(options), &bytes)), bytes;
  }

  /** Reads the alignment until it is unset, replaced, or the transformer is destroyed. */
  Transformer &set_test(Borrowed<Alignment> test) & { return check(atp_transformer_set_test(get(), test.get())), *this; }
  /** Reports have no test loss from now on. */
  Transformer &unset_test() & { return check(atp_transformer_set_test(get(), nullptr)), *this; }
  /** Reads the model until it is unset, replaced, or the transformer is destroyed. */
  Transformer &set_truth(Borrowed<Model> truth) & { return check(atp_transformer_set_truth(get(), truth.get())), *this; }
  /** Reports have neither optimal loss nor coupling error from now on. */
  Transformer &unset_truth() & { return check(atp_transformer_set_truth(get(), nullptr)), *this; }
  /** Sets the table of the training log, which must live as long as it is set; nullptr: no log. */
  Transformer &set_log(Table *table) & { return check(atp_transformer_set_log(get(), table == nullptr ? nullptr : table->get())), *this; }
  /** Copies the options to a bag. */
  void options(Options &out) const { check(atp_transformer_options(get(), out.get())); }
  std::vector<double> parameters() const {
    std::vector<double> out(count());
    return check(atp_transformer_parameters(get(), out.data(), detail::size(out.size()))), out;
  }
  Transformer &set_parameters(Reals parameters) & {
    return check(atp_transformer_set_parameters(get(), parameters.data(), detail::size(parameters.size()))), *this;
  }
  std::vector<Part> parts() const {
    std::vector<Part> out;
    for (std::int64_t k = 0; k < atp_transformer_part_count(get()); ++k) {
      const char *name = nullptr;
      std::int64_t offset = 0, size = 0;
      check(atp_transformer_part(get(), k, &name, &offset, &size));
      out.push_back({name, offset, size});
    }
    return out;
  }
  Gradient gradient() {
    Gradient out{0, std::vector<double>(count())};
    return check(atp_transformer_gradient(get(), &out.loss, out.gradient.data(), detail::size(out.gradient.size()))), out;
  }
  Gradient masked_gradient(View<const std::int64_t> sites) {
    Gradient out{0, std::vector<double>(count())};
    check(atp_transformer_masked_gradient(get(), sites.data(), detail::size(sites.size()), &out.loss, out.gradient.data(),
                                          detail::size(out.gradient.size())));
    return out;
  }
  double loss(const Alignment &alignment) {
    double loss = 0;
    return check(atp_transformer_loss(get(), alignment.get(), &loss)), loss;
  }
  atp_outcome run(std::int64_t epochs, const ProgressFunction &progress = {}) {
    detail::Relay relay{progress, {}};
    atp_outcome outcome = ATP_OUTCOME_NONE;
    relay.finish(atp_transformer_run(get(), epochs, relay.callback(), &relay, &outcome));
    return outcome;
  }
  std::int64_t epochs() const { return atp_transformer_epochs(get()); }
  void request_stop() noexcept { atp_transformer_request_stop(get()); }
  /** Shape [n][L][q]. */
  std::vector<double> conditionals(View<const std::uint8_t> sequences, std::int64_t n, std::int64_t sites, std::int64_t colors) {
    if (detail::size(sequences.size()) != n * sites) throw error(ATP_E_SHAPE, "sequences must have n * sites elements");
    std::vector<double> out(static_cast<std::size_t>(n * sites * colors));
    check(atp_transformer_conditionals(get(), sequences.data(), n, sites, out.data(), detail::size(out.size())));
    return out;
  }
  Model model() {
    atp_model *handle = nullptr;
    check(atp_transformer_model(get(), &handle));
    return Model(handle);
  }
  std::int64_t map_count() const { return atp_transformer_map_count(get()); }
  /** Shape [map count][L][L]. */
  std::vector<double> maps(const Alignment &alignment) {
    const std::int64_t sites = atp_alignment_sites(alignment.get());
    std::vector<double> out(static_cast<std::size_t>(map_count() * sites * sites));
    return check(atp_transformer_maps(get(), alignment.get(), out.data(), detail::size(out.size()))), out;
  }
  std::vector<char> save_state() const {
    std::vector<char> out(static_cast<std::size_t>(atp_transformer_state_bytes(get())));
    return check(atp_transformer_save_state(get(), out.data(), detail::size(out.size()))), out;
  }
  Transformer &load_state(View<const char> state) & {
    return check(atp_transformer_load_state(get(), state.data(), detail::size(state.size()))), *this;
  }
  atp_transformer *get() const noexcept { return handle_.get(); }

 private:
  std::size_t count() const { return static_cast<std::size_t>(atp_transformer_parameter_count(get())); }

  detail::Owner<atp_transformer, atp_transformer_destroy> handle_;
};

}  // namespace attopotts

#endif
