// SPDX-License-Identifier: MIT
// Orders of the sites of autoregressive models: order[k] is the site at place k.
#pragma once

#include "alignment/alignment.hpp"

#include <attopotts/trainer.h>

namespace atp {

// The name of the field of saved states that has the hash of an order.
inline constexpr char kPlacesField[] = "places of the sites in the order";

// Writes the order of a rule. A site without any colour (gaps_ignored: colour 0 is none) has the entropy 0, and sites of the same entropy
// are in the order of their numbers. conserved [L] is work space.
void order_sites(atp_order rule, const Alignment &train, bool gaps_ignored, Span<double> conserved, Span<int64_t> order);

// places[i] = the place of site i.
void write_places(Span<const int64_t> order, Span<int64_t> places);

}  // namespace atp
