// SPDX-License-Identifier: MIT
// An encoder with float32 kernels and float64 sums.
//
// Pairs are columns of matrices (simd/encoder.hpp). With several blocks, sixteen pairs are processed together,
// one in each lane of a logical vector (encoder_group.hpp). With one block, all pairs share tables that are
// made once (encoder_single.hpp). A task is a range of pieces of a fixed number of pairs. Sums of derivatives
// are float32, by lanes, within kChunk pairs, then float64. The division into tasks depends only on the number
// of pairs.
#pragma once

#include "base/context.hpp"
#include "base/team.hpp"
#include "learn/network/encoder_tables.hpp"

namespace atp {

class EncoderPassF32 {
 public:
  EncoderPassF32(const EncoderShape &s, Target target, Ranks *ranks) : shape_(s), target_(target), ranks_(ranks), weights_(s), tables_(s) {}
  void lay_out(Arena &arena);
  // As EncoderPassF64::run().
  double run(Threads threads, Span<const double> parameters, const MaskedPairs &pairs, const EncoderOutput &out);

 private:
  static constexpr int64_t kMostTasks = 8;
  static constexpr int64_t kMostFloats = int64_t{1} << 26;  // limit for the sums of all tasks, if two tasks fit
  static constexpr int64_t kPairs = 64;                     // pairs of a task, if there are several
  static constexpr int64_t kChunk = 1024;                   // pairs per float32 sum

  int64_t sum_floats() const { return vector_sums() * kEncoderLanes + (plain_sums() + 15) / 16 * 16; }
  // The number of tasks that fit into kMostFloats, but at least 2; depends only on the shape.
  int64_t areas() const { return std::clamp(kMostFloats / sum_floats(), int64_t{2}, kMostTasks); }
  bool single() const { return shape_.blocks == 1; }
  int64_t vector_sums() const { return single() ? weights_.elements() + tables_.vector_sums() : weights_.elements(); }
  int64_t plain_sums() const { return single() ? tables_.plain_sums() : weights_.tokens(); }
  template <class Worker>
  void run_task(Worker worker, const EncoderTools &tools, const EncoderJob &job, int64_t task, int64_t tasks);
  // The ranks that share the tasks, or NULL. Each gets totals and losses of all tasks: tasks (vector sums + plain
  // sums + 16) float64 numbers.
  Ranks *sharing(int64_t tasks, const EncoderJob &job) const;
  double add_tasks(int64_t tasks, const EncoderJob &job);

  EncoderShape shape_;
  Target target_;
  Ranks *ranks_;
  EncoderWeights weights_;
  EncoderTables tables_;   // one block
  Span<float> floats_;     // [tasks] work space for one piece
  Span<float> sums_;       // [tasks][vector sums][16], [plain sums]; zero between evaluations
  Span<double> totals_;    // [tasks][vector sums], [plain sums]
  Span<double> gradient_;  // elements and tokens
  Span<double> maps_;      // [tasks][blocks][L][L]
  Span<double> losses_;    // [tasks][16]
};

}  // namespace atp
