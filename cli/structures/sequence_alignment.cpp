// SPDX-License-Identifier: MIT
#include "structures/sequence_alignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace cli {

namespace {

constexpr int kOpen = 10, kExtend = 1, kInterruption = 1, kNever = -(1 << 28);

// How an alignment of the first i and j letters ends.
enum State : uint8_t { kPair, kFirstAlone, kSecondAlone, kStates };
using Cell = std::array<int, kStates>;

struct Step {
  int score = kNever;
  State from = kPair;
};

struct GapCost {
  int open = kOpen + kExtend, extend = kExtend;
};

// The cost of a gap in a sequence of `size` letters after its first `place` letters.
GapCost gap_cost(const AlignedSequence &sequence, std::size_t place) {
  if (place == 0 || place == sequence.letters.size()) return {0, 0};
  if (!sequence.interrupted.empty() && sequence.interrupted[place - 1]) return {kInterruption, 0};
  return {};
}

// The best way to a gap: after a pair or the other gap it is opened, after the same it is extended.
Step step_to_gap(const Cell &before, State gap, const GapCost &cost) {
  Step best{before[gap] - cost.extend, gap};
  for (const State from : {kPair, gap == kFirstAlone ? kSecondAlone : kFirstAlone})
    if (before[from] - cost.open > best.score) best = {before[from] - cost.open, from};
  return best;
}

State best_state(const Cell &cell) { return static_cast<State>(std::max_element(cell.begin(), cell.end()) - cell.begin()); }

// Where each state of each cell comes from: two bits for each state.
class Trace {
 public:
  Trace(std::size_t rows, std::size_t columns) : columns_(columns), steps_(rows * columns) {}
  void set(std::size_t i, std::size_t j, State to, State from) {
    steps_[i * columns_ + j] = static_cast<uint8_t>(steps_[i * columns_ + j] | from << (2 * to));
  }
  State from(std::size_t i, std::size_t j, State to) const { return static_cast<State>(steps_[i * columns_ + j] >> (2 * to) & 3); }

 private:
  std::size_t columns_;
  std::vector<uint8_t> steps_;
};

// Fills the trace; returns the state in which the best alignment of the whole sequences ends.
State fill(const AlignedSequence &first, const AlignedSequence &second, bool protein, Trace &trace) {
  const Substitutions substitutions(protein);
  const std::size_t n = first.letters.size(), m = second.letters.size();
  std::vector<Cell> above(m + 1, Cell{kNever, kNever, kNever}), row = above;
  for (std::size_t i = 0; i <= n; ++i) {
    for (std::size_t j = 0; j <= m; ++j) {
      Cell &cell = row[j] = {i == 0 && j == 0 ? 0 : kNever, kNever, kNever};
      if (i > 0 && j > 0) {
        const State from = best_state(above[j - 1]);
        cell[kPair] = above[j - 1][from] + substitutions.score(first.letters[i - 1], second.letters[j - 1]);
        trace.set(i, j, kPair, from);
      }
      if (i > 0) {
        const Step step = step_to_gap(above[j], kFirstAlone, gap_cost(second, j));
        cell[kFirstAlone] = step.score;
        trace.set(i, j, kFirstAlone, step.from);
      }
      if (j > 0) {
        const Step step = step_to_gap(row[j - 1], kSecondAlone, gap_cost(first, i));
        cell[kSecondAlone] = step.score;
        trace.set(i, j, kSecondAlone, step.from);
      }
    }
    above.swap(row);
  }
  return best_state(above[m]);
}

}  // namespace

SequenceAlignment align_sequences(const AlignedSequence &first, const AlignedSequence &second, bool protein) {
  std::size_t i = first.letters.size(), j = second.letters.size();
  Trace trace(i + 1, j + 1);
  State state = fill(first, second, protein, trace);
  SequenceAlignment made;
  made.partner.assign(i, -1);
  made.shorter = static_cast<int64_t>(std::min(i, j));
  while (i > 0 || j > 0) {
    const State from = trace.from(i, j, state);
    if (state != kSecondAlone) --i;
    if (state != kFirstAlone) --j;
    if (state == kPair) {
      made.partner[i] = static_cast<int64_t>(j);
      ++made.aligned;
      made.identical += same_residue(first.letters[i], second.letters[j]);
    }
    state = from;
  }
  return made;
}

std::vector<std::string> alignment_lines(const std::string &first_name, const std::string &first, const std::string &second_name,
                                         const std::string &second, const SequenceAlignment &alignment) {
  std::string upper, middle, lower;
  std::size_t j = 0;
  const auto column = [&](char a, char b) {
    upper += a;
    lower += b;
    middle += a == '-' || b == '-' ? ' ' : same_residue(a, static_cast<char>(std::toupper(b))) ? '|' : '.';
  };
  for (std::size_t i = 0; i < first.size(); ++i) {
    const int64_t partner = alignment.partner[i];
    for (; partner >= 0 && j < static_cast<std::size_t>(partner); ++j) column('-', second[j]);
    column(first[i], partner >= 0 ? second[j++] : '-');
  }
  for (; j < second.size(); ++j) column('-', second[j]);
  constexpr std::size_t kWidth = 60;
  const std::size_t names = std::max(first_name.size(), second_name.size());
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < upper.size(); at += kWidth)
    for (const auto &[name, letters] : {std::pair(first_name, upper), std::pair(std::string(), middle), std::pair(second_name, lower)})
      lines.push_back(fmt::format("{:<{}}  {}", name, names, letters.substr(at, kWidth)));
  return lines;
}

}  // namespace cli
