// SPDX-License-Identifier: MIT
// What the objectives of networks share: the loss of masked tokens, attention maps and conditionals. [R24 sec. II]
#pragma once

#include "learn/network/network.hpp"
#include "learn/objective.hpp"

namespace atp {

class NetworkObjective : public Objective {
 public:
  int64_t parameter_count() const override { return network().parameter_count(); }
  int64_t part_count() const override { return network().part_count(); }
  Part part(int64_t index) const override { return network().part(index); }
  double operations(int64_t sequences) const override;
  void lay_out(Arena &arena) override { network().lay_out(arena); }
  void start(Reals x) override { network().init(settings.seed, settings.init_scale, x.of<double>()); }
  Evaluation evaluate(Reals x, const MaskedData &part, Reals gradient) override;
  double loss(Reals x, const Alignment &alignment) override;
  int64_t map_count() const override { return network().map_count(); }
  void maps(Reals x, const Alignment &alignment, double *out) override;
  void conditionals(Reals x, const uint8_t *sequences, int64_t n, double *out) override;

 protected:
  NetworkObjective(const ObjectiveRow &own_row, const ObjectiveInput &input);
  ~NetworkObjective() = default;
  virtual Network &network() = 0;
  const Network &network() const { return const_cast<NetworkObjective *>(this)->network(); }
};

}  // namespace atp
