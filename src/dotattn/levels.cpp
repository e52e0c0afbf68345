// SPDX-License-Identifier: MIT
#include "dotattn/levels.hpp"

#include "numerics/quadrature.hpp"

namespace atp::dotattn {

void Rules::lay_out(Arena &arena) {
  const auto lay = [&](Rule &rule, int64_t n) {
    rule.nodes = arena.take<double>(n);
    rule.weights = arena.take<double>(n);
  };
  lay(radial, kLargestLevel.radial);
  lay(lines, kLargestLevel.lines);
  lay(along, kLargestLevel.along);
}

void Rules::use(const Level &next) {
  if (next.angles == level.angles && next.radial == level.radial && next.lines == level.lines && next.along == level.along) return;
  level = next;
  gauss_legendre(radial.nodes.sub(0, level.radial), radial.weights.sub(0, level.radial));
  gauss_hermite(lines.nodes.sub(0, level.lines), lines.weights.sub(0, level.lines));
  gauss_legendre(along.nodes.sub(0, level.along), along.weights.sub(0, level.along));
}

}  // namespace atp::dotattn
