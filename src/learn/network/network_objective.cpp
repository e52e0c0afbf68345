// SPDX-License-Identifier: MIT
#include "learn/network/network_objective.hpp"

namespace atp {

namespace {

constexpr int64_t kMostSites = 1 << 16;  // attention maps have its square

}  // namespace

NetworkObjective::NetworkObjective(const ObjectiveRow &own_row, const ObjectiveInput &input) : Objective(own_row, input) {
  if (sites() > kMostSites)
    fail(ATP_E_TOO_LARGE, "the sequences have %lld sites, family %s takes at most %lld", static_cast<long long>(sites()), row.name,
         static_cast<long long>(kMostSites));
}

double NetworkObjective::operations(int64_t sequences) const {
  const double pairs = static_cast<double>(settings.masked ? sequences : sequences * sites());
  return pairs * network().operations() + 10 * static_cast<double>(parameter_count());
}

Evaluation NetworkObjective::evaluate(Reals x, const MaskedData &part, Reals gradient) {
  const double loss = network().evaluate(x.of<double>(), part, gradient.empty() ? Span<double>() : gradient.of<double>(), context->threads);
  return {loss, loss, part.total_weight()};
}

double NetworkObjective::loss(Reals x, const Alignment &alignment) {
  return network().evaluate(x.of<double>(), MaskedData(alignment), {}, context->threads);
}

void NetworkObjective::maps(Reals x, const Alignment &alignment, double *out) {
  network().maps(x.of<double>(), MaskedData(alignment), out, context->threads);
}

void NetworkObjective::conditionals(Reals x, const uint8_t *sequences, int64_t n, double *out) {
  MaskedData p;
  p.sequences = sequences;
  p.sites = sites();
  p.count = n;
  network().conditionals(x.of<double>(), p, out, context->threads);
}

}  // namespace atp
