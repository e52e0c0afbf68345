// SPDX-License-Identifier: MIT
// The standard transformer encoder on masked tokens. It is no Potts model.
#include "learn/network/encoder.hpp"
#include "learn/network/network_objective.hpp"

namespace atp {

namespace {

class EncoderObjective final : public NetworkObjective {
 public:
  EncoderObjective(const ObjectiveRow &own_row, const ObjectiveInput &input)
      : NetworkObjective(own_row, input),
        shape_(encoder_shape(input.options, sites(), colors())),
        encoder_(shape_, settings.precision, context->target, &context->ranks) {}
  Model *make_model(Reals) override {
    fail(ATP_E_UNSUPPORTED, "family is encoder: a network is no Potts model, but factored attention (family dial at dial 0) is");
  }
  void describe(StateFields &fields) const override {
    fields.add("blocks", shape_.blocks);
    fields.add("width", shape_.width);
    fields.add("hidden", shape_.hidden);
    fields.add("positions", int64_t{shape_.positions});
  }

 private:
  Network &network() override { return encoder_; }

  EncoderShape shape_;
  Encoder encoder_;
};

}  // namespace

Objective *make_encoder(void *place, const ObjectiveRow &row, const ObjectiveInput &input) {
  return put_objective<EncoderObjective>(place, row, input);
}

}  // namespace atp
