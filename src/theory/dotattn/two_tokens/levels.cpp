// SPDX-License-Identifier: MIT
#include "theory/dotattn/two_tokens/levels.hpp"

#include "math/quadrature.hpp"

#include <cmath>

namespace atp::dotattn {

namespace {
constexpr double kNormal = 0.39894228040143267794;  // 1 / sqrt(2 pi)
}

void Rules::lay_out(Arena &arena, const Level &most) {
  const auto lay = [&](Rule &rule, int64_t n) {
    rule.nodes = arena.take<double>(n);
    rule.weights = arena.take<double>(n);
  };
  lay(radial, most.radial);
  lay(lines, most.lines);
  lay(along, most.along);
}

void Rules::use(const Level &next) {
  if (next.angles == level.angles && next.radial == level.radial && next.lines == level.lines && next.along == level.along) return;
  level = next;
  gauss_legendre(radial.nodes.sub(0, level.radial), radial.weights.sub(0, level.radial));
  gauss_hermite(lines.nodes.sub(0, level.lines), lines.weights.sub(0, level.lines));
  gauss_legendre(along.nodes.sub(0, level.along), along.weights.sub(0, level.along));
}

void Rules::use_equal(const Level &next, int64_t order, double range) {
  level = next;
  gauss_legendre(radial.nodes.sub(0, level.radial), radial.weights.sub(0, level.radial));
  const double step = 2 * range / static_cast<double>(level.lines - 1);
  for (int64_t k = 0; k < level.lines; ++k) {
    const double z = -range + step * static_cast<double>(k);
    lines.nodes[k] = z;
    lines.weights[k] = step * kNormal * std::exp(-0.5 * z * z);
  }
  // The first panel's nodes, then copies of them from the last to the first.
  const int64_t panels = level.along / order;
  const double width = 2 / static_cast<double>(panels);
  gauss_legendre(along.nodes.sub(0, order), along.weights.sub(0, order));
  for (int64_t panel = panels - 1; panel >= 0; --panel)
    for (int64_t k = 0; k < order; ++k) {
      along.nodes[panel * order + k] = -1 + width * (static_cast<double>(panel) + 0.5 + 0.5 * along.nodes[k]);
      along.weights[panel * order + k] = 0.5 * width * along.weights[k];
    }
}

}  // namespace atp::dotattn
