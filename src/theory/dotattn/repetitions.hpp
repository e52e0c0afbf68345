// SPDX-License-Identifier: MIT
// Rows whose numbers are means over repetitions, runs of a simulation or shifts of a lattice: how ranks and threads share the repetitions,
// outcomes and cells.
#pragma once

#include "base/checked.hpp"
#include "base/context.hpp"
#include "base/progress.hpp"
#include "base/span.hpp"
#include "base/team.hpp"
#include "math/mean_error.hpp"

#include <attopotts/context.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>

namespace atp::dotattn {

// The first of the worst: cancelled, diverged, not converged, converged.
template <class Result>
atp_outcome worst_of(Span<const Result> results) {
  const auto badness = [](atp_outcome outcome) {
    return outcome == ATP_OUTCOME_CANCELLED ? 3 : outcome == ATP_OUTCOME_DIVERGED ? 2 : outcome == ATP_OUTCOME_CONVERGED ? 0 : 1;
  };
  atp_outcome worst = ATP_OUTCOME_CONVERGED;
  for (const Result &result : results)
    if (badness(result.outcome) > badness(worst)) worst = result.outcome;
  return worst;
}

// Columns first..last of a row get NaN.
template <class Row>
void blank(Row &row, int first, int last) {
  double numbers[sizeof(Row) / sizeof(double)];
  std::memcpy(numbers, &row, sizeof numbers);
  std::fill(numbers + first, numbers + last + 1, std::nan(""));
  std::memcpy(&row, numbers, sizeof numbers);
}

// The mean of a number of results, and its standard error.
template <class Result, class Number>
void set_mean(Span<const Result> results, Number &&number, double &mean, double &error) {
  const MeanError found = mean_error(results, [&](const Result &result) { return std::invoke(number, result); });
  mean = found.mean;
  error = found.error;
}

// Writes row_of(k) to rows [n]. Returns the first outcome that is not CONVERGED, or CANCELLED.
template <class RowOf>
atp_outcome write_rows(int64_t n, double *rows, RowOf &&row_of) {
  atp_outcome table = ATP_OUTCOME_CONVERGED;
  for (int64_t k = 0; k < n; ++k) {
    const auto row = row_of(k);
    std::memcpy(rows + k * static_cast<int64_t>(sizeof row / sizeof(double)), &row, sizeof row);
    const auto mine = static_cast<atp_outcome>(static_cast<int>(row.outcome));
    if (table == ATP_OUTCOME_CONVERGED || mine == ATP_OUTCOME_CANCELLED) table = mine;
  }
  return table;
}

// How long the threads go on between two reports of a computation that is made in slices. A round ends after one slice of each thread where
// reports are wanted. Otherwise it has all slices that are left until a stop is asked for; with several ranks it lasts for about kRound, so
// that all of them see the stop of one. It does not change what is computed.
class Round {
 public:
  explicit Round(const Reporter &reporter) : reporter_(reporter) {}
  // Asked by each thread after a slice.
  bool over() const {
    if (reporter_.wanted() || reporter_.flag().requested()) return true;
    return reporter_.ranks() != nullptr && std::chrono::steady_clock::now() - begin_ > kRound;
  }

 private:
  static constexpr std::chrono::milliseconds kRound{100};

  const Reporter &reporter_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// The steps of a slice of work, and whether its repetition has ended.
struct Slice {
  int64_t steps;
  bool ended;
};

struct Repetitions {
  int64_t n, steps;  // steps of each
};

// Makes repetitions. Ranks have equal parts of them, and the threads of a rank take one after the other; the calling thread reports between
// rounds. workspaces: one for each thread, with the `number` of its repetition, which is -1 for none. begin(workspace) begins a repetition,
// slice(workspace) goes on with it.
template <class Workspace, class Begin, class MakeSlice>
void repeat(Context &context, const Repetitions &all, Span<Workspace> workspaces, Reporter &reporter, Begin &&begin, MakeSlice &&slice) {
  Ranks &ranks = context.ranks;
  const int64_t end = ranks.first(ranks.rank() + 1, all.n);
  std::atomic<int64_t> next{ranks.first(ranks.rank(), all.n)}, steps{0}, ended{0};
  const auto work = [&](Workspace &workspace, const Round &round) {
    do {
      if (workspace.number < 0) {
        const int64_t number = next.fetch_add(1, std::memory_order_relaxed);
        if (number >= end) return;
        workspace.number = number;
        begin(workspace);
      }
      const Slice made = slice(workspace);
      steps.fetch_add(made.steps, std::memory_order_relaxed);
      if (!made.ended) continue;
      ended.fetch_add(1, std::memory_order_relaxed);
      workspace.number = -1;
    } while (!round.over());
  };
  int64_t made[2] = {0, 0};  // steps and repetitions of all ranks
  while (made[1] < all.n && !reporter.stopped()) {
    const Round round(reporter);
    parallel_for(context.threads, workspaces.size(), [&](int64_t thread, int) { work(workspaces[thread], round); });
    made[0] = steps;
    made[1] = ended;
    ranks.sum(made, 2);
    atp_progress progress;
    progress.set(ATP_PROGRESS_STEP, static_cast<double>(made[0]));
    progress.set(ATP_PROGRESS_TOTAL, static_cast<double>(product_of(all.n, all.steps)));
    reporter.report(progress);
  }
}

// Results [parts][n] of repetitions that the ranks made.
template <class Result>
void gather_parts(Ranks &ranks, Span<Result> results, int64_t n) {
  for (int64_t first = 0; first < results.size(); first += n) ranks.gather(results.data() + first, n, sizeof(Result));
}

}  // namespace atp::dotattn
