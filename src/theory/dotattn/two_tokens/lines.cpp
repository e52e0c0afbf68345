// SPDX-License-Identifier: MIT
#include "theory/dotattn/two_tokens/lines.hpp"

#include "theory/dotattn/two_tokens/cuts.hpp"

namespace atp::dotattn {

void Vectors::lay_out(Arena &arena, int64_t n) {
  first = arena.take<double>(n);
  second = arena.take<double>(n);
}

void Batch::lay_out(Arena &arena, int64_t n) {
  w.lay_out(arena, n);
  t.lay_out(arena, n);
  x.lay_out(arena, n);
  value = arena.take<double>(n);
}

void Lines::lay_out(Arena &arena, int64_t n) {
  low = arena.take<double>(n);
  high = arena.take<double>(n);
  center = arena.take<double>(n);
  across = arena.take<double>(n);
  trial = arena.take<double>(n);
  jumps = arena.take<double>(n);
  zero = arena.take<double>(n);
  largest = arena.take<double>(n);
  below.lay_out(arena, n);
  above.lay_out(arena, n);
  at_low.lay_out(arena, n);
  at_high.lay_out(arena, n);
  batch.lay_out(arena, kLineStarts * n);
}

void Points::lay_out(Arena &arena, int64_t n) {
  batch.lay_out(arena, n);
  weight = arena.take<double>(n);
  best.lay_out(arena, n);
  lowest = arena.take<double>(n);
  chosen_w.lay_out(arena, n);
  chosen = arena.take<int64_t>(n);
}

void Workspace::lay_out(Arena &arena, const Level &most) {
  lines.lay_out(arena, most.lines);
  points.lay_out(arena, most.points());
}

}  // namespace atp::dotattn
