// SPDX-License-Identifier: MIT
/** @file weights.hpp
 *  Weights of sequences against the threshold of similarity, and splits without similar sequences; see weights.h.
 *  Part of attopotts.hpp, which describes the conventions. */
#ifndef ATTOPOTTS_WEIGHTS_HPP
#define ATTOPOTTS_WEIGHTS_HPP

#include <attopotts/weights.h>
#include <attopotts/alignment.hpp>
#include <attopotts/table.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace attopotts {

/** atp_alignment_scan_weights(): a row for each theta, with columns by atp_weights_column. */
inline Table scan_weights(const Context &context, const Alignment &alignment, Reals thetas, atp_weight_rule rule = ATP_WEIGHTS_INCLUSIVE) {
  const std::int64_t n = detail::size(thetas.size());
  Table out(context, ATP_TABLE_WEIGHTS, n);
  check(atp_alignment_scan_weights(alignment.get(), thetas.data(), n, rule, out.get()));
  return out;
}

/** Result of split(). */
struct Split {
  std::vector<std::int64_t> parts; /**< an atp_part of each sequence */
  Alignment training, test;
};
/** atp_alignment_split(), with the alignments of both parts. */
inline Split split(Borrowed<Context> context, const Alignment &alignment, const Options *options = nullptr) {
  Split made;
  made.parts.resize(static_cast<std::size_t>(alignment.count()));
  check(atp_alignment_split(alignment.get(), detail::handle_of(options), made.parts.data(), detail::size(made.parts.size())));
  const auto take = [&](atp_part part) {
    std::vector<std::int64_t> rows;
    for (std::size_t n = 0; n < made.parts.size(); ++n)
      if (made.parts[n] == part) rows.push_back(static_cast<std::int64_t>(n));
    return alignment.take(context, rows);
  };
  made.training = take(ATP_PART_TRAINING);
  made.test = take(ATP_PART_TEST);
  return made;
}

}  // namespace attopotts

#endif
