// SPDX-License-Identifier: MIT
#include "learn/network/encoder_pass_f32.hpp"

#include "base/team.hpp"
#include "learn/network/encoder_group.hpp"
#include "learn/network/encoder_single.hpp"

namespace atp {

void EncoderPassF32::lay_out(Arena &arena) {
  weights_.lay_out(arena);
  tables_.lay_out(arena, weights_);
  floats_ = arena.take<float>(areas(), (single() ? EncoderSingle(shape_, tables_).take(nullptr) : EncoderGroup(shape_).take(nullptr)));
  sums_ = arena.take<float>(areas(), sum_floats());
  totals_ = arena.take<double>(areas(), (vector_sums() + plain_sums()));
  gradient_ = arena.take<double>(weights_.elements() + weights_.tokens());
  maps_ = arena.take<double>(areas(), shape_.blocks, shape_.sites, shape_.sites);
  losses_ = arena.take<double>(areas(), kEncoderLanes);
}

template <class Worker>
void EncoderPassF32::run_task(Worker worker, const EncoderTools &tools, const EncoderJob &job, int64_t task, int64_t tasks) {
  EncoderSums sums;
  sums.vectors = sums_.data() + task * (sums_.size() / areas());
  sums.plain = sums.vectors + vector_sums() * kEncoderLanes;
  sums.maps = maps_.data() + task * (maps_.size() / areas());
  sums.loss = losses_.data() + task * kEncoderLanes;
  double *totals = totals_.data() + task * (totals_.size() / areas());
  const bool gradient = job.out.gradient != nullptr;
  std::fill_n(sums.loss, kEncoderLanes, 0.0);
  if (job.out.maps != nullptr) std::fill_n(sums.maps, maps_.size() / areas(), 0.0);
  if (gradient) std::fill_n(totals, totals_.size() / areas(), 0.0);
  worker.take(floats_.data() + task * (floats_.size() / areas()));
  worker.start();
  const int64_t pairs = job.pairs.pairs(), pieces = (pairs + Worker::kPairs - 1) / Worker::kPairs;
  const int64_t last = pieces * (task + 1) / tasks;
  int64_t pending = 0;
  for (int64_t piece = pieces * task / tasks; piece < last; ++piece) {
    const int64_t first = piece * Worker::kPairs;
    worker.run(tools, job, first, std::min(Worker::kPairs, pairs - first), sums);
    pending += Worker::kPairs;
    if (!gradient || (pending < kChunk && piece + 1 < last)) continue;
    pending = 0;
    const int64_t idle = single() ? tables_.idle_elements() : 0;
    tools.kernels.reduce(vector_sums() - idle, sums.vectors + idle * kEncoderLanes, totals + idle);
    for (int64_t k = 0; k < plain_sums(); ++k) {
      totals[vector_sums() + k] += static_cast<double>(sums.plain[k]);
      sums.plain[k] = 0;
    }
  }
}

Ranks *EncoderPassF32::sharing(int64_t tasks, const EncoderJob &job) const {
  if (ranks_ == nullptr || tasks == 1 || !job.out.sums_alone()) return nullptr;
  const bool gradient = job.out.gradient != nullptr;
  const int64_t numbers = tasks * ((gradient ? vector_sums() + plain_sums() : 0) + kEncoderLanes);
  const double pairs = static_cast<double>(job.pairs.pairs());
  return ranks_->worth(pairs * encoder_operations(shape_, true, gradient), static_cast<double>(numbers) * sizeof(double));
}

// Adds the tasks up, in order; totals_ receives the means. Returns the loss.
double EncoderPassF32::add_tasks(int64_t tasks, const EncoderJob &job) {
  const double scale = 1 / static_cast<double>(job.pairs.pairs());
  const auto add = [&](Span<double> pieces, double factor, double *to) {
    const int64_t size = pieces.size() / areas();
    for (int64_t k = 0; k < size; ++k) {
      double sum = pieces[k];
      for (int64_t task = 1; task < tasks; ++task) sum += pieces[task * size + k];
      to[k] = factor * sum;
    }
  };
  if (job.out.gradient != nullptr) add(totals_, scale, totals_.data());
  if (job.out.maps != nullptr) add(maps_, 1 / job.pairs.total_weight(), job.out.maps);
  double loss = 0;
  for (int64_t k = 0; k < tasks * kEncoderLanes; ++k) loss += losses_[k];
  return scale * loss;
}

double EncoderPassF32::run(Threads threads, Span<const double> parameters, const MaskedPairs &pairs, const EncoderOutput &out) {
  const EncoderTools tools{attention_kernels(target_), encoder_kernels(target_), column_kernels(target_), weights_};
  const EncoderJob job{pairs, out, static_cast<double>(pairs.count) / pairs.total_weight()};
  const int64_t tasks = std::min(areas(), (pairs.pairs() + kPairs - 1) / kPairs);
  weights_.pack(parameters.data());
  if (single()) tables_.make(tools);
  Ranks *ranks = sharing(tasks, job);
  shared_for(ranks, threads, tasks, [&](int64_t task, int) {
    if (single())
      run_task(EncoderSingle(shape_, tables_), tools, job, task, tasks);
    else
      run_task(EncoderGroup(shape_), tools, job, task, tasks);
  });
  if (ranks != nullptr) {
    constexpr int64_t kBytes = sizeof(double);
    ranks->gather(losses_.data(), tasks, kEncoderLanes * kBytes);
    if (out.gradient != nullptr) ranks->gather(totals_.data(), tasks, totals_.size() / areas() * kBytes);
  }
  const double loss = add_tasks(tasks, job);
  if (out.gradient == nullptr) return loss;
  const int64_t elements = weights_.elements();
  const double *vectors = totals_.data(), *plain = vectors + vector_sums();
  std::copy_n(vectors, elements, gradient_.data());
  if (single())
    tables_.pull_back(tools, vectors + elements, plain, gradient_.data(), gradient_.data() + elements);
  else
    std::copy_n(plain, weights_.tokens(), gradient_.data() + elements);
  weights_.unpack(gradient_.data(), out.gradient);
  return loss;
}

}  // namespace atp
