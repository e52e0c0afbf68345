// SPDX-License-Identifier: MIT
// One step of replica symmetry breaking from a replica-symmetric solution of dot-product attention.
#pragma once

#include "theory/dotattn/two_tokens/nested_fields.hpp"
#include "theory/dotattn/two_tokens/solution.hpp"

namespace atp::dotattn {

struct BrokenRow {
  BrokenOrder order{};
  double shift = 0;                        // of e_t, against replica symmetry on the same nodes
  double error = 0;                        // of the shift: its change on finer nodes
  atp_outcome outcome = ATP_OUTCOME_NONE;  // NONE: the jumps of x are too rare, and the shift too small, for the nodes that there are
};

BrokenRow break_symmetry(NestedFields &fields, const Problem &problem, Kind kind, const Solution &symmetric, const Spread &spread);

}  // namespace atp::dotattn
