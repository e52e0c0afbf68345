// SPDX-License-Identifier: MIT
#include "io/distance_files.hpp"

#include "io/npy.hpp"

namespace atp {

DistanceCount read_distances(const Source &source, const int64_t *numbers, int64_t sites, double *out) {
  if (source.content() != Content::npy) return parse_distances(source.loaded("distances"), numbers, sites, out);
  const NpyArray array(source.text(), source.size());
  const bool rows = array.dimensions() == 2 && (array.extent(1) == 3 || array.extent(1) == 4);
  if (!rows && (array.dimensions() != 2 || array.extent(0) != sites || array.extent(1) != sites))
    fail(ATP_E_FORMAT, "%s: an array of %s, expected rows i, j, d (3 columns), or a matrix of the %lld x %lld distances", source.label(),
         array.shape_text().text, static_cast<long long>(sites), static_cast<long long>(sites));
  const Scratch memory(source.context().allocator, Scratch::piece<double>(array.count()));
  const Span<double> values = memory.arena().take<double>(array.count());
  array.read(values.data());
  if (!rows) return distances_of_matrix(values.data(), source.label(), sites, out);
  return distances_of_rows({values.data(), array.extent(0), array.extent(1), source.label()}, numbers, sites, out);
}

}  // namespace atp
