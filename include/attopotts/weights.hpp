// SPDX-License-Identifier: MIT
/** @file weights.hpp
 *  Weights of sequences against the threshold of similarity; see weights.h.
 *  Part of attopotts.hpp, which describes the conventions. */
#ifndef ATTOPOTTS_WEIGHTS_HPP
#define ATTOPOTTS_WEIGHTS_HPP

#include <attopotts/weights.h>
#include <attopotts/alignment.hpp>
#include <attopotts/table.hpp>

namespace attopotts {

/** atp_alignment_scan_weights(): a row for each theta, with columns by atp_weights_column. */
inline Table scan_weights(const Context &context, const Alignment &alignment, Reals thetas, atp_weight_rule rule = ATP_WEIGHTS_INCLUSIVE) {
  const std::int64_t n = detail::size(thetas.size());
  Table out(context, ATP_TABLE_WEIGHTS, n);
  check(atp_alignment_scan_weights(alignment.get(), thetas.data(), n, rule, out.get()));
  return out;
}

}  // namespace attopotts

#endif
