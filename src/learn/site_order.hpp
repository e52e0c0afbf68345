// SPDX-License-Identifier: MIT
// Orders of the sites of autoregressive models: order[k] is the site at place k.
#pragma once

#include "base/span.hpp"

#include <attopotts/trainer.h>

namespace atp {

// The name of the field of saved states that has the hash of an order.
inline constexpr char kPlacesField[] = "places of the sites in the order";

// Writes the order of a rule. counts [L][q] are the summed weights of the sequences with each colour; a site without any has the entropy 0.
// Sites of the same entropy are in the order of their numbers. entropies [L] is work space.
void order_sites(atp_order rule, const double *counts, int64_t colors, Span<double> entropies, Span<int64_t> order);

// places[i] = the place of site i.
void write_places(Span<const int64_t> order, Span<int64_t> places);

}  // namespace atp
