// SPDX-License-Identifier: MIT
#include "learn/network/encoder_f32.hpp"

#include <array>

namespace atp {

namespace {

// Forward and backward pass of sixteen pairs through an encoder of any number of blocks. Matrices are
// [elements][sites][16]; products with weights see them as [elements][columns] with 16 columns per site.
class EncoderGroup {
 public:
  static constexpr int64_t kPairs = kEncoderLanes;

  explicit EncoderGroup(const EncoderShape &s) : shape_(s) {}
  // Takes its work space from `base`. Returns the number of floats taken.
  int64_t take(float *base);
  void start();
  void run(const EncoderTools &tools, const EncoderJob &job, int64_t first, int64_t count, const EncoderSums &sums);

 private:
  static constexpr int64_t kMostBlocks = 16;
  // Results of a block's forward pass. All sites are queries, except in the last block: there only the masked one is.
  struct Block {
    int64_t queries;
    float *x, *query, *key_value, *a;
    EncoderTail tail;
  };

  void forward(const EncoderTools &tools, int64_t b);
  void backward(const EncoderTools &tools, int64_t b, const EncoderSums &sums);
  void add_maps(const EncoderJob &job, int64_t first, double *maps) const;
  int64_t all() const { return shape_.sites * kEncoderLanes; }

  EncoderShape shape_;
  std::array<Block, kMostBlocks> blocks_{};
  EncoderColumns columns_;
  float *masked_ = nullptr;  // x of the last block at the masked sites, [d + 1][16]
  float *output_ = nullptr, *logits_ = nullptr;
  float *slopes_ = nullptr;  // [d][columns]
  EncoderTailSlopes tail_slopes_{};
  float *da_ = nullptr, *dqkv_ = nullptr;  // [L][columns], [3 d][columns]
};

// Forward and backward pass of pairs through an encoder of one block, with its tables. Each pair is a column.
class EncoderSingle {
 public:
  static constexpr int64_t kPairs = 64;

  EncoderSingle(const EncoderShape &s, const EncoderTables &tables) : shape_(s), tables_(tables) {}
  // Takes its work space from `base`. Returns the number of floats taken.
  int64_t take(float *base);
  void start() {}
  void run(const EncoderTools &tools, const EncoderJob &job, int64_t first, int64_t count, const EncoderSums &sums);

 private:
  void forward(const EncoderTools &tools);
  void backward(const EncoderTools &tools, const EncoderSums &sums);

  EncoderShape shape_;
  const EncoderTables &tables_;
  EncoderColumns columns_;
  EncoderTail tail_{};
  float *x_ = nullptr;      // [d][columns], at the masked sites
  float *mixed_ = nullptr;  // [rows of the tables][columns]: acc, then A
  float *output_ = nullptr, *logits_ = nullptr;
  float *slopes_ = nullptr;  // [d][columns]
  EncoderTailSlopes tail_slopes_{};
  float *dmixed_ = nullptr;  // [columns of the tables][columns]
};

int64_t EncoderGroup::take(float *base) {
  const int64_t L = shape_.sites, d = shape_.width;
  FloatPieces pieces(base);
  for (int64_t b = 0; b < shape_.blocks; ++b) {
    Block &k = blocks_[static_cast<std::size_t>(b)];
    k.queries = b + 1 == shape_.blocks ? 1 : L;
    k.x = pieces.take((d + 1) * all());
    k.query = pieces.take(d * k.queries * kEncoderLanes);
    k.key_value = pieces.take(2 * d * all());
    k.a = pieces.take(k.queries * all());
    k.tail = pieces.take_tail(shape_, k.queries * kEncoderLanes);
    k.tail.x = k.x;
  }
  columns_.take(pieces, shape_, kEncoderLanes);
  masked_ = pieces.take((d + 1) * kEncoderLanes);
  blocks_[static_cast<std::size_t>(shape_.blocks - 1)].tail.x = masked_;
  output_ = pieces.take((d + 1) * kEncoderLanes);
  logits_ = pieces.take(shape_.colors * kEncoderLanes);
  slopes_ = pieces.take(d * all());
  const int64_t most = shape_.blocks > 1 ? L : 1;
  tail_slopes_.sum = pieces.take(d * most * kEncoderLanes);
  tail_slopes_.hidden = pieces.take(shape_.hidden * most * kEncoderLanes);
  tail_slopes_.c = pieces.take(d * most * kEncoderLanes);
  da_ = pieces.take(most * all());
  dqkv_ = pieces.take(3 * d * all());
  return pieces.used();
}

void EncoderGroup::start() {
  const int64_t d = shape_.width;
  for (int64_t b = 0; b < shape_.blocks; ++b) {
    const Block &k = blocks_[static_cast<std::size_t>(b)];
    std::fill_n(k.x + d * all(), all(), 1.0f);
    tail_set_ones(shape_, k.tail);
  }
  std::fill_n(masked_ + d * kEncoderLanes, kEncoderLanes, 1.0f);
  std::fill_n(output_ + d * kEncoderLanes, kEncoderLanes, 1.0f);
}

void EncoderGroup::run(const EncoderTools &tools, const EncoderJob &job, int64_t first, int64_t count, const EncoderSums &sums) {
  const EncoderWeights &weights = tools.weights;
  columns_.load(shape_, job, first, count);
  tools.kernels.embed(shape_.width, shape_.sites, weights.table(), weights.token_stride(), columns_.tokens, weights.positions(),
                      blocks_[0].x);
  for (int64_t b = 0; b < shape_.blocks; ++b) forward(tools, b);
  if (job.out.maps != nullptr) add_maps(job, first, sums.maps);
  output_forward(tools, kEncoderLanes, output_, logits_);
  if (job.out.conditionals != nullptr)
    output_conditionals(shape_, kEncoderLanes, count, logits_, job.out.conditionals + first * shape_.colors);
  const bool gradient = job.out.gradient != nullptr;
  output_backward(tools, columns_.masks(), output_, logits_, slopes_, gradient ? weights.output(sums.vectors, kEncoderLanes) : nullptr,
                  sums.loss);
  if (!gradient) return;
  for (int64_t b = shape_.blocks - 1; b >= 0; --b) backward(tools, b, sums);
  for (int64_t r = 0; r < shape_.width; ++r)
    for (int64_t x = 0; x < all(); ++x) sums.plain[r * weights.token_stride() + columns_.tokens[x]] += slopes_[r * all() + x];
}

void EncoderGroup::forward(const EncoderTools &tools, int64_t b) {
  const Block &k = blocks_[static_cast<std::size_t>(b)];
  const EncoderMatrices<const float> m = tools.weights.block(b);
  const int64_t L = shape_.sites, d = shape_.width, n = k.tail.columns;
  const bool last = b + 1 == shape_.blocks;
  const float *keys = k.key_value, *values = keys + d * all();
  for (int64_t r = 0; last && r < d; ++r)
    for (int64_t lane = 0; lane < kEncoderLanes; ++lane)
      masked_[r * kEncoderLanes + lane] = k.x[r * all() + columns_.sites[lane] * kEncoderLanes + lane];
  tools.products.product(d, d + 1, m.query, n, k.tail.x, nullptr, k.query);
  tools.products.product(2 * d, d + 1, m.key_value, all(), k.x, nullptr, k.key_value);
  tools.kernels.lane_product(k.queries, L, d, {k.query, kEncoderLanes, n}, {keys, kEncoderLanes, all()}, k.a, all());
  for (int64_t query = 0; query < k.queries; ++query) tools.columns.softmax(L, kEncoderLanes, k.a + query * all());
  tools.kernels.lane_product(d, k.queries, L, {values, all(), kEncoderLanes}, {k.a, all(), kEncoderLanes}, k.tail.c, n);
  tail_forward(tools, b, k.tail, last ? output_ : blocks_[static_cast<std::size_t>(b + 1)].x);
}

// Turns the slopes with respect to the block's output, in slopes_, into those with respect to its input x.
void EncoderGroup::backward(const EncoderTools &tools, int64_t b, const EncoderSums &to) {
  const Block &k = blocks_[static_cast<std::size_t>(b)];
  const EncoderMatrices<float> sums = tools.weights.matrices(to.vectors, b, kEncoderLanes);
  const float *qkv = tools.weights.transposed(b).qkv, *keys = k.key_value, *values = keys + shape_.width * all();
  const int64_t L = shape_.sites, d = shape_.width, n = k.tail.columns;
  float *dquery = dqkv_, *dkeys = dquery + d * all(), *dvalues = dkeys + d * all();
  tail_backward(tools, b, k.tail, slopes_, sums, tail_slopes_);
  const float *dc = tail_slopes_.c, *dsum = tail_slopes_.sum;
  tools.kernels.lane_product(k.queries, L, d, {dc, kEncoderLanes, n}, {values, kEncoderLanes, all()}, da_, all());
  tools.kernels.lane_product(d, L, k.queries, {dc, n, kEncoderLanes}, {k.a, kEncoderLanes, all()}, dvalues, all());
  for (int64_t query = 0; query < k.queries; ++query)
    tools.columns.softmax_back(L, kEncoderLanes, k.a + query * all(), da_ + query * all());
  tools.kernels.lane_product(d, k.queries, L, {keys, all(), kEncoderLanes}, {da_, all(), kEncoderLanes}, dquery, n);
  tools.kernels.lane_product(d, L, k.queries, {k.query, n, kEncoderLanes}, {da_, kEncoderLanes, all()}, dkeys, all());
  tools.products.outer(d + 1, d, n, k.tail.x, dquery, sums.query);
  tools.products.outer(d + 1, 2 * d, all(), k.x, dkeys, sums.key_value);
  if (b + 1 < shape_.blocks) return tools.products.product(d, 3 * d, qkv, all(), dqkv_, dsum, slopes_);
  tools.products.product(d, 2 * d, qkv + d * d, all(), dkeys, nullptr, slopes_);
  tools.products.product(d, d, qkv, kEncoderLanes, dquery, dsum, tail_slopes_.c);
  for (int64_t r = 0; r < d; ++r)
    for (int64_t lane = 0; lane < kEncoderLanes; ++lane)
      slopes_[r * all() + columns_.sites[lane] * kEncoderLanes + lane] += dc[r * kEncoderLanes + lane];
}

void EncoderGroup::add_maps(const EncoderJob &job, int64_t first, double *maps) const {
  const int64_t L = shape_.sites;
  for (int64_t b = 0; b < shape_.blocks; ++b) {
    const Block &k = blocks_[static_cast<std::size_t>(b)];
    for (int64_t lane = 0; lane < columns_.count; ++lane) {
      const int64_t site = columns_.sites[lane];
      const float *a = k.a + (k.queries == 1 ? 0 : site) * all() + lane;
      const double weight = job.pairs.weight_of(first + lane);
      for (int64_t j = 0; j < L; ++j) maps[(b * L + site) * L + j] += weight * static_cast<double>(a[j * kEncoderLanes]);
    }
  }
}

int64_t EncoderSingle::take(float *base) {
  const int64_t d = shape_.width;
  FloatPieces pieces(base);
  columns_.take(pieces, shape_, kPairs);
  tail_ = pieces.take_tail(shape_, kPairs);
  x_ = pieces.take(d * kPairs);
  tail_.x = x_;
  mixed_ = pieces.take(tables_.rows() * kPairs);
  output_ = pieces.take((d + 1) * kPairs);
  logits_ = pieces.take(shape_.colors * kPairs);
  slopes_ = pieces.take(d * kPairs);
  tail_slopes_.sum = pieces.take(d * kPairs);
  tail_slopes_.hidden = pieces.take(shape_.hidden * kPairs);
  tail_slopes_.c = pieces.take(d * kPairs);
  dmixed_ = pieces.take(tables_.columns() * kPairs);
  return pieces.used();
}

void EncoderSingle::run(const EncoderTools &tools, const EncoderJob &job, int64_t first, int64_t count, const EncoderSums &sums) {
  columns_.load(shape_, job, first, count);
  const int64_t n = columns_.columns, L = shape_.sites;
  tail_.columns = n;
  tail_set_ones(shape_, tail_);
  std::fill_n(output_ + shape_.width * n, n, 1.0f);
  forward(tools);
  if (job.out.maps != nullptr)
    for (int64_t x = 0; x < count; ++x) {
      const double weight = job.pairs.weight_of(first + x);
      const float *a = mixed_ + (shape_.colors + 1) * n + x;
      for (int64_t j = 0; j < L; ++j) sums.maps[columns_.sites[x] * L + j] += weight * static_cast<double>(a[j * n]);
    }
  output_forward(tools, n, output_, logits_);
  if (job.out.conditionals != nullptr) output_conditionals(shape_, n, count, logits_, job.out.conditionals + first * shape_.colors);
  const bool gradient = job.out.gradient != nullptr;
  output_backward(tools, columns_.masks(), output_, logits_, slopes_,
                  gradient ? tools.weights.output(sums.vectors, kEncoderLanes) : nullptr, sums.loss);
  if (gradient) backward(tools, sums);
}

void EncoderSingle::forward(const EncoderTools &tools) {
  const int64_t n = columns_.columns, L = shape_.sites, d = shape_.width, q = shape_.colors, width = tables_.columns();
  float *a = mixed_ + (q + 1) * n;
  const int32_t *sites = columns_.sites;
  const float *scores = tables_.scores(), *masked = tables_.masked();
  for (int64_t j = 0; j < L; ++j) {
    const int32_t *token = columns_.tokens + j * n;
    for (int64_t x = 0; x < n; ++x) {
      const float *row = scores + sites[x] * width;
      a[j * n + x] = row[token[x]] + row[q + 1 + j];
    }
  }
  tools.columns.softmax(L, n, a);
  std::fill_n(mixed_, (q + 1) * n, 0.0f);
  for (int64_t j = 0; j < L; ++j) {
    const int32_t *token = columns_.tokens + j * n;
    for (int64_t x = 0; x < n; ++x) mixed_[token[x] * n + x] += a[j * n + x];
  }
  tools.products.product(d, tables_.rows(), tables_.values_turned(), n, mixed_, nullptr, tail_.c);
  for (int64_t r = 0; r < d; ++r)
    for (int64_t x = 0; x < n; ++x) x_[r * n + x] = masked[r * tables_.padded_sites() + sites[x]];
  tail_forward(tools, 0, tail_, output_);
}

void EncoderSingle::backward(const EncoderTools &tools, const EncoderSums &sums) {
  const int64_t n = columns_.columns, L = shape_.sites, d = shape_.width, q = shape_.colors, width = tables_.columns();
  const float *a = mixed_ + (q + 1) * n;
  tail_backward(tools, 0, tail_, slopes_, tools.weights.matrices(sums.vectors, 0, kEncoderLanes), tail_slopes_);
  // Values, and the sum of x at the masked sites, from a row of ones.
  float *values = sums.vectors + tools.weights.elements() * kEncoderLanes;
  tools.products.outer(tables_.rows(), d, n, mixed_, tail_slopes_.c, values);
  tools.products.outer(1, d, n, tail_.c + d * n, tail_slopes_.sum, values + tables_.rows() * d * kEncoderLanes);
  tools.products.product(width, d, tables_.values(), n, tail_slopes_.c, nullptr, dmixed_);
  float *da = dmixed_ + (q + 1) * n;
  for (int64_t j = 0; j < L; ++j) {
    const int32_t *token = columns_.tokens + j * n;
    for (int64_t x = 0; x < n; ++x) da[j * n + x] += dmixed_[token[x] * n + x];
  }
  tools.columns.softmax_back(L, n, a, da);
  for (int64_t j = 0; j < L; ++j) {
    const int32_t *token = columns_.tokens + j * n;
    for (int64_t x = 0; x < n; ++x) {
      float *row = sums.plain + columns_.sites[x] * width;
      const float slope = da[j * n + x];
      row[token[x]] += slope;
      row[q + 1 + j] += slope;
    }
  }
}

}  // namespace

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

double EncoderPassF32::run(Threads threads, Span<const double> parameters, const MaskedData &pairs, const EncoderOutput &out) {
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
