// SPDX-License-Identifier: MIT
// The attention layer with a dial on masked tokens. At dial 0 it is factored attention, a Potts model of one head without fields.
#include "learn/network/dial.hpp"
#include "learn/network/network_objective.hpp"
#include "potts/coupling_error.hpp"

namespace atp {

namespace {

class DialObjective final : public NetworkObjective {
 public:
  DialObjective(const ObjectiveRow &own_row, const ObjectiveInput &input)
      : NetworkObjective(own_row, input), dial_(dial_settings(input.options, sites(), colors()), context->target, &context->ranks) {}
  void lay_out(Arena &arena) override;
  double coupling_error(Reals x, const Model &truth) override;
  Model *make_model(Reals x) override;
  void describe(StateFields &fields) const override {
    fields.add("map", int64_t{dial_.settings.map});
    fields.add("dial", dial_.settings.dial);
  }

 private:
  Network &network() override { return dial_; }
  bool factored() const { return !dial_.settings.content(); }

  Dial dial_;
  Span<double> map_, values_, scratch_;  // for the coupling error
};

void DialObjective::lay_out(Arena &arena) {
  NetworkObjective::lay_out(arena);
  map_ = arena.take<double>(factored() ? product_of(sites(), sites()) : 0);
  values_ = arena.take<double>(factored() ? product_of(colors(), colors()) : 0);
  scratch_ = arena.take<double>(factored() ? coupling_error_scratch(colors()) : 0);
}

double DialObjective::coupling_error(Reals x, const Model &truth) {
  if (!factored()) return NetworkObjective::coupling_error(x, truth);
  CouplingView learned;
  learned.sites = sites();
  learned.colors = colors();
  learned.heads = 1;
  dial_.head(x.of<double>(), map_.data(), values_.data(), context->threads);
  learned.maps = map_.data();
  learned.values = values_.data();
  return atp::coupling_error(learned, couplings_of(truth), scratch_);
}

Model *DialObjective::make_model(Reals x) {
  if (!factored())
    fail(ATP_E_UNSUPPORTED, "family is dial and the dial is at %g: only factored attention (a dial at 0) is a Potts model",
         dial_.settings.dial);
  ModelShape shape;
  shape.sites = sites();
  shape.colors = colors();
  shape.heads = 1;
  Model *model = new_model(shape);
  dial_.head(x.of<double>(), model->maps.data(), model->values.data(), context->threads);
  return model;
}

}  // namespace

Objective *make_dial(void *place, const ObjectiveRow &row, const ObjectiveInput &input) {
  return put_objective<DialObjective>(place, row, input);
}

}  // namespace atp
