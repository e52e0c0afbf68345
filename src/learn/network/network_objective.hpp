// SPDX-License-Identifier: MIT
// The objective of networks on masked tokens. [R24 sec. II]
//
// A network Net is a function of a parameter vector and of masked sequences. Each pair of a sequence and one of its masked sites is a
// forward pass of its own. It has
//     make(input)  from options and data
//     lay_out(arena), parameter_count(), part_count(), part(index), operations()  multiply-adds of a pair, its gradient included
//     init(seed, scale, parameters)  initial parameters: Stream::parameters, array = index of the part
//     evaluate(parameters, pairs, gradient, threads)  the weighted mean of -log p(s_i | rest) over the pairs, in nats, and its gradient,
//                                    unless the span is empty
//     conditionals(parameters, pairs, out, threads)  p(s_i = a | rest) of the pairs, [pairs][q]; weights are not used
//     map_count(), maps(parameters, pairs, out, threads)  [map_count][L][L]: row k is the attention of site k while it is masked, as a
//                                    weighted mean over the sequences
// Several ranks share the tasks of an evaluation, if it is worth it (Ranks::worth()): they gather the sums of the tasks and add them in
// order. Conditionals and maps are those of one rank.
#pragma once

#include "learn/objective.hpp"

namespace atp {

template <class Net>
class NetworkObjective : public Objective {
 public:
  int64_t parameter_count() const override { return network_.parameter_count(); }
  int64_t part_count() const override { return network_.part_count(); }
  Part part(int64_t index) const override { return network_.part(index); }
  double operations(int64_t sequences) const override {
    const double pairs = static_cast<double>(settings.masked ? sequences : sequences * sites());
    return pairs * network_.operations() + 10 * static_cast<double>(parameter_count());
  }
  void lay_out(Arena &arena) override { network_.lay_out(arena); }
  void start(Reals x) override { network_.init(settings.seed, settings.init_scale, x.of<double>()); }
  Evaluation evaluate(Reals x, const MaskedData &part, Reals gradient) override {
    const Span<double> to = gradient.empty() ? Span<double>() : gradient.of<double>();
    const double loss = network_.evaluate(x.of<double>(), part, to, context->threads);
    return {loss, loss, part.total_weight()};
  }
  double loss(Reals x, const Alignment &alignment) override {
    return network_.evaluate(x.of<double>(), MaskedData(alignment), {}, context->threads);
  }
  int64_t map_count() const override { return network_.map_count(); }
  void maps(Reals x, const Alignment &alignment, double *out) override {
    network_.maps(x.of<double>(), MaskedData(alignment), out, context->threads);
  }
  void conditionals(Reals x, const uint8_t *sequences, int64_t n, double *out) override {
    MaskedData all;
    all.sequences = sequences;
    all.sites = sites();
    all.count = n;
    network_.conditionals(x.of<double>(), all, out, context->threads);
  }

 protected:
  NetworkObjective(const ObjectiveRow &own_row, const ObjectiveInput &input) : Objective(own_row, input), network_(Net::make(input)) {
    constexpr int64_t kMostSites = 1 << 16;  // attention maps have its square
    if (sites() > kMostSites)
      fail(ATP_E_TOO_LARGE, "the sequences have %lld sites, family %s takes at most %lld", static_cast<long long>(sites()), row.name,
           static_cast<long long>(kMostSites));
  }
  ~NetworkObjective() = default;

  Net network_;
};

}  // namespace atp
