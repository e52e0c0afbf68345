// SPDX-License-Identifier: MIT
/** @file trainer.hpp
 *  Training; see trainer.h.
 *  Part of attopotts.hpp, which describes the conventions. */
#ifndef ATTOPOTTS_TRAINER_HPP
#define ATTOPOTTS_TRAINER_HPP

#include <attopotts/pairs.h>
#include <attopotts/trainer.h>
#include <attopotts/model.hpp>
#include <attopotts/options.hpp>
#include <attopotts/table.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace attopotts {

/** Factored attention, dense couplings or a network, and its training; see trainer.h. */
class Trainer {
 public:
  struct Part {
    std::string name;
    std::int64_t offset, size;
  };
  struct Gradient {
    double loss, objective;
    std::vector<double> gradient;
  };

  /** Holds nothing. */
  Trainer() = default;
  /** Takes ownership of a handle. What it reads, an alignment or more, must live as long. */
  explicit Trainer(atp_trainer *handle) : handle_(handle) {}
  Trainer(Borrowed<Context> context, Borrowed<Alignment> train, const Options *options = nullptr) {
    atp_trainer *handle = nullptr;
    check(atp_trainer_create(context.get(), train.get(), detail::handle_of(options), &handle));
    handle_.reset(handle);
  }
  Trainer(Borrowed<Context> context, Borrowed<Alignment> train, const Options &options) : Trainer(context, train, &options) {}
  /** Dense couplings of some pairs of sites; see pairs.h. */
  static Trainer of_pairs(Borrowed<Context> context, Borrowed<Alignment> train, View<const Pair> pairs, const Options &options) {
    atp_trainer *handle = nullptr;
    check(atp_trainer_create_pairs(context.get(), train.get(), options.get(), detail::places(pairs), detail::size(pairs.size()), &handle));
    return Trainer(handle);
  }
  static std::int64_t bytes_of_pairs(const Context &context, const Alignment &train, View<const Pair> pairs, const Options &options) {
    std::int64_t bytes = 0;
    check(atp_trainer_pairs_bytes(context.get(), train.get(), options.get(), detail::places(pairs), detail::size(pairs.size()), &bytes));
    return bytes;
  }
  static std::int64_t bytes(const Context &context, std::int64_t n, std::int64_t sites, std::int64_t colors,
                            const Options *options = nullptr) {
    std::int64_t bytes = 0;
    return check(atp_trainer_bytes(context.get(), n, sites, colors, detail::handle_of(options), &bytes)), bytes;
  }

  Trainer &set_values(Reals values) & { return check(atp_trainer_set_values(get(), values.data(), detail::size(values.size()))), *this; }
  /** The sites of an autoregressive model in the order in which they are predicted. */
  Trainer &set_order(View<const std::int64_t> order) & {
    return check(atp_trainer_set_order(get(), order.data(), detail::size(order.size()))), *this;
  }
  /** Reads the alignment until it is unset, replaced, or the trainer is destroyed. */
  Trainer &set_test(Borrowed<Alignment> test) & { return check(atp_trainer_set_test(get(), test.get())), *this; }
  /** Reports have no test loss from now on. */
  Trainer &unset_test() & { return check(atp_trainer_set_test(get(), nullptr)), *this; }
  /** Reads the model until it is unset, replaced, or the trainer is destroyed. */
  Trainer &set_truth(Borrowed<Model> truth) & { return check(atp_trainer_set_truth(get(), truth.get())), *this; }
  /** Reports have neither optimal loss nor coupling error from now on. */
  Trainer &unset_truth() & { return check(atp_trainer_set_truth(get(), nullptr)), *this; }
  /** Sets the table of the training log, which must live as long as it is set; nullptr: no log. */
  Trainer &set_log(Table *table) & { return check(atp_trainer_set_log(get(), table == nullptr ? nullptr : table->get())), *this; }
  /** The training data are parts in several processes; nullptr: they are all here. See trainer.h. */
  Trainer &set_reduction(atp_reduce_fn reduce, void *user = nullptr) & {
    return check(atp_trainer_set_reduction(get(), reduce, user)), *this;
  }
  /** Copies the options to a bag. */
  void options(Options &out) const { check(atp_trainer_options(get(), out.get())); }
  std::vector<double> parameters() const {
    std::vector<double> out(static_cast<std::size_t>(atp_trainer_parameter_count(get())));
    return check(atp_trainer_parameters(get(), out.data(), detail::size(out.size()))), out;
  }
  Trainer &set_parameters(Reals parameters) & {
    return check(atp_trainer_set_parameters(get(), parameters.data(), detail::size(parameters.size()))), *this;
  }
  std::vector<Part> parts() const {
    std::vector<Part> out;
    for (std::int64_t k = 0; k < atp_trainer_part_count(get()); ++k) {
      const char *name = nullptr;
      std::int64_t offset = 0, size = 0;
      check(atp_trainer_part(get(), k, &name, &offset, &size));
      out.push_back({name, offset, size});
    }
    return out;
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
  /** Fields and couplings of a Potts model, for dense couplings. */
  /** Adds tested sequences with adjustments of either sign; strength 0: 1 / max |adjustment|. Training restarts. */
  Trainer &reintegrate(const Alignment &tested, Reals adjustments, double strength = 0) & {
    return check(atp_trainer_reintegrate(get(), tested.get(), adjustments.data(), detail::size(adjustments.size()), strength)), *this;
  }
  Trainer &start_model(const Model &model) & { return check(atp_trainer_start_model(get(), model.get())), *this; }
  /** Chains of the likelihood at these sequences: the last call before the run. */
  Trainer &start_chains(const Alignment &sequences) & { return check(atp_trainer_start_chains(get(), sequences.get())), *this; }
  Alignment chains() const {
    atp_alignment *made = nullptr;
    check(atp_trainer_chains(get(), &made));
    return Alignment(made);
  }
  Trainer &start_from(const Trainer &wide) & { return check(atp_trainer_start_from(get(), wide.get())), *this; }
  atp_outcome run(std::int64_t epochs, const ProgressFunction &progress = {}) {
    detail::Relay relay{progress, {}};
    atp_outcome outcome = ATP_OUTCOME_NONE;
    relay.finish(atp_trainer_run(get(), epochs, relay.callback(), &relay, &outcome));
    return outcome;
  }
  /** The list of pairs; empty: all pairs. */
  std::vector<Pair> pairs() const {
    const std::int64_t n = atp_trainer_pair_count(get());
    std::vector<Pair> out(static_cast<std::size_t>(n + 1));  // at least one element, not NULL
    check(atp_trainer_pairs(get(), out[0].data(), 2 * n));
    return out.pop_back(), out;
  }
  std::int64_t epochs() const { return atp_trainer_epochs(get()); }
  void request_stop() noexcept { atp_trainer_request_stop(get()); }
  Model model() const {
    atp_model *handle = nullptr;
    check(atp_trainer_model(get(), &handle));
    return Model(handle);
  }
  /** Shape [n][L][q]; of networks. */
  std::vector<double> conditionals(View<const std::uint8_t> sequences, std::int64_t n, std::int64_t sites, std::int64_t colors) {
    if (detail::size(sequences.size()) != n * sites) throw error(ATP_E_SHAPE, "sequences must have n * sites elements");
    std::vector<double> out(static_cast<std::size_t>(n * sites * colors));
    check(atp_trainer_conditionals(get(), sequences.data(), n, sites, out.data(), detail::size(out.size())));
    return out;
  }
  std::int64_t map_count() const { return atp_trainer_map_count(get()); }
  /** Shape [map count][L][L]; of networks. */
  std::vector<double> maps(const Alignment &alignment) {
    const std::int64_t sites = atp_alignment_sites(alignment.get());
    std::vector<double> out(static_cast<std::size_t>(map_count() * sites * sites + 1));  // at least one element, not NULL
    check(atp_trainer_maps(get(), alignment.get(), out.data(), detail::size(out.size()) - 1));
    return out.pop_back(), out;
  }
  std::vector<char> save_state() const {
    std::vector<char> out(static_cast<std::size_t>(atp_trainer_state_bytes(get())));
    return check(atp_trainer_save_state(get(), out.data(), detail::size(out.size()))), out;
  }
  Trainer &load_state(View<const char> state) & {
    return check(atp_trainer_load_state(get(), state.data(), detail::size(state.size()))), *this;
  }
  atp_trainer *get() const noexcept { return handle_.get(); }
  explicit operator bool() const noexcept { return handle_ != nullptr; }

 private:
  detail::Owner<atp_trainer, atp_trainer_destroy> handle_;
};

}  // namespace attopotts

#endif
