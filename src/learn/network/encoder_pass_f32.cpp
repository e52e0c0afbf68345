// SPDX-License-Identifier: MIT
#include "learn/network/encoder_f32.hpp"

#include <array>

namespace atp {

namespace {

// Forward and backward pass of sixteen pairs through an encoder of any number of blocks. Matrices are [sites][elements][16]. The steps
// that follow each other at a site are done for a few sites at a time, while their arrays are in the first-level cache.
class EncoderGroup {
 public:
  static constexpr int64_t kPairs = kEncoderLanes;

  explicit EncoderGroup(const EncoderShape &s) : shape_(s) {}
  // Takes its work space from `base`. Returns the number of floats taken.
  int64_t take(float *base);
  void start() { std::fill_n(output_.data + shape_.width * kEncoderLanes, kEncoderLanes, 1.0f); }
  void run(const EncoderTools &tools, const EncoderJob &job, int64_t first, int64_t count, const EncoderSums &sums);

 private:
  static constexpr int64_t kMostBlocks = 16;
  static constexpr int64_t kSites = 10;  // at a time
  // Results of a block's forward pass. All sites are queries, except in the last block: there only the masked one is.
  struct Block {
    int64_t queries;
    EncoderArray x;       // [L][d]
    EncoderArray own;     // x of the queries, [queries][d]
    EncoderArray pairs;   // [2 queries][d]: slopes of the sum over j, then the query, of each
    EncoderArray scores;  // [2 queries][L]: attention, then slopes of the scores, of each
    EncoderArray mean;    // sum_j A_ij x_j, [queries][d]
    EncoderTail tail;
  };

  // Calls work(first, last) for a few queries at a time.
  template <class Work>
  static void for_sites(int64_t queries, Work &&work) {
    const int64_t pieces = (queries + kSites - 1) / kSites;
    for (int64_t k = 0; k < pieces; ++k) work(queries * k / pieces, queries * (k + 1) / pieces);
  }
  void forward(const EncoderTools &tools, int64_t b);
  void backward(const EncoderTools &tools, int64_t b, const EncoderSums &sums);
  void attend(const EncoderTools &tools, const Block &k, int64_t first, int64_t last);
  void attend_back(const EncoderTools &tools, const Block &k, int64_t first, int64_t last);
  void add_maps(const EncoderJob &job, int64_t first, double *maps) const;
  void add_tokens(const EncoderTools &tools, float *sums) const;
  // Every second row of an array, from row `at`.
  static LaneMatrix halves(const EncoderArray &x, int64_t at) { return {x.data + at * x.row, 2 * x.row, x.step}; }

  EncoderShape shape_;
  std::array<Block, kMostBlocks> blocks_{};
  EncoderColumns columns_;
  EncoderArray output_;      // of the last block, [d + 1]
  float *logits_ = nullptr;  // [q][16]
  EncoderTailSlopes slopes_{};
  EncoderArray dquery_;  // [L][d]
  EncoderOuter outer_;
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
  void set_columns(int64_t columns);
  void forward(const EncoderTools &tools);
  void backward(const EncoderTools &tools, const EncoderSums &sums);

  EncoderShape shape_;
  const EncoderTables &tables_;
  EncoderColumns columns_;
  EncoderTail tail_{};
  float *x_ = nullptr;      // [d][columns], at the masked sites
  float *mixed_ = nullptr;  // [rows of the tables][columns]: acc, then A
  EncoderArray output_;
  float *logits_ = nullptr;
  EncoderTailSlopes slopes_{};
  float *dmixed_ = nullptr;  // [columns of the tables][columns]
};

int64_t EncoderGroup::take(float *base) {
  const int64_t L = shape_.sites, d = shape_.width, h = shape_.hidden;
  FloatPieces pieces(base);
  for (int64_t b = 0; b < shape_.blocks; ++b) {
    Block &k = blocks_[static_cast<std::size_t>(b)];
    const int64_t n = k.queries = b + 1 == shape_.blocks ? 1 : L;
    k.x = pieces.take_sites(L, d);
    k.own = n == L ? k.x : pieces.take_sites(1, d);
    k.pairs = pieces.take_sites(2 * n, d);
    k.scores = pieces.take_sites(2 * n, L);
    k.mean = pieces.take_sites(n, d);
    k.tail.hat1 = pieces.take_sites(n, d);
    k.tail.y = pieces.take_sites(n, d);
    k.tail.hidden = pieces.take_sites(n, h);
    k.tail.hat2 = pieces.take_sites(n, d);
    k.tail.deviation1 = pieces.take(n * kEncoderLanes);
    k.tail.deviation2 = pieces.take(n * kEncoderLanes);
  }
  columns_.take(pieces, shape_, kEncoderLanes);
  output_ = pieces.take_sites(1, d + 1);
  logits_ = pieces.take(shape_.colors * kEncoderLanes);
  slopes_.out = pieces.take_sites(L, d);
  slopes_.hidden = pieces.take_sites(L, h);
  slopes_.sum = pieces.take_sites(L, d);
  dquery_ = pieces.take_sites(L, d);
  outer_.take(pieces, std::max(d, h), std::max(d, h));
  return pieces.used();
}

void EncoderGroup::run(const EncoderTools &tools, const EncoderJob &job, int64_t first, int64_t count, const EncoderSums &sums) {
  const EncoderWeights &weights = tools.weights;
  columns_.load(shape_, job, first, count);
  tools.kernels.embed(shape_.sites, shape_.width, weights.table(), weights.token_stride(), columns_.tokens, weights.positions(),
                      blocks_[0].x.all());
  for (int64_t b = 0; b < shape_.blocks; ++b) forward(tools, b);
  if (job.out.maps != nullptr) add_maps(job, first, sums.maps);
  output_forward(tools, kEncoderLanes, output_.data, logits_);
  if (job.out.conditionals != nullptr)
    output_conditionals(shape_, kEncoderLanes, count, logits_, job.out.conditionals + first * shape_.colors);
  const bool gradient = job.out.gradient != nullptr;
  output_backward(tools, columns_.masks(), output_.data, logits_, slopes_.out.data,
                  gradient ? weights.output(sums.vectors, kEncoderLanes) : nullptr, sums.loss);
  if (!gradient) return;
  for (int64_t b = shape_.blocks - 1; b >= 0; --b) backward(tools, b, sums);
  add_tokens(tools, sums.plain);
}

// Queries, attention and the block's input plus what the attention adds to it.
void EncoderGroup::attend(const EncoderTools &tools, const Block &k, int64_t first, int64_t last) {
  const EncoderMatrices<const float> m = tools.weights.block(&k - blocks_.data());
  const int64_t L = shape_.sites, d = shape_.width, n = last - first;
  const LaneMatrix query = halves(k.pairs, 2 * first + 1), a = halves(k.scores, 2 * first);
  float *scores = k.scores.data + 2 * first * k.scores.row;
  tools.kernels.product(n, {d,
                            d,
                            m.query,
                            m.query + d * d,
                            k.own.from(first),
                            {},
                            {k.pairs.data + (2 * first + 1) * k.pairs.row, 2 * k.pairs.row, k.pairs.step},
                            ProductEnd::plain,
                            {}});
  tools.kernels.lane_product({n, L, d, query, k.x.all(), scores, 2 * k.scores.row, false});
  for (int64_t s = 0; s < n; ++s) tools.columns.softmax(L, kEncoderLanes, scores + 2 * s * k.scores.row);
  tools.kernels.lane_product({n, d, L, a, k.x.turned(), k.mean.from(first).data, k.mean.row, false});
  tools.kernels.product(
      n, {d, d, m.value, m.value + d * d, k.mean.from(first), k.own.from(first), k.tail.hat1.from(first), ProductEnd::plain, {}});
}

void EncoderGroup::forward(const EncoderTools &tools, int64_t b) {
  const Block &k = blocks_[static_cast<std::size_t>(b)];
  const bool last_block = b + 1 == shape_.blocks;
  for (int64_t r = 0; last_block && r < shape_.width; ++r)
    for (int64_t lane = 0; lane < kEncoderLanes; ++lane)
      k.own.data[r * k.own.step + lane] = k.x.data[columns_.sites[lane] * k.x.row + r * k.x.step + lane];
  const EncoderArray &out = last_block ? output_ : blocks_[static_cast<std::size_t>(b + 1)].x;
  for_sites(k.queries, [&](int64_t first, int64_t last) {
    attend(tools, k, first, last);
    tail_forward(tools, b, k.tail, first, last, out);
  });
}

// From slopes_.sum to those of the mean, of the scores and of the queries.
void EncoderGroup::attend_back(const EncoderTools &tools, const Block &k, int64_t first, int64_t last) {
  const EncoderTransposed back = tools.weights.transposed(&k - blocks_.data());
  const int64_t L = shape_.sites, d = shape_.width, n = last - first;
  const LaneMatrix dmean = halves(k.pairs, 2 * first), dscores = halves(k.scores, 2 * first + 1);
  float *scores = k.scores.data + 2 * first * k.scores.row;
  tools.kernels.product(n, {d,
                            d,
                            back.value,
                            nullptr,
                            slopes_.sum.from(first),
                            {},
                            {k.pairs.data + 2 * first * k.pairs.row, 2 * k.pairs.row, k.pairs.step},
                            ProductEnd::plain,
                            {}});
  tools.kernels.lane_product({n, L, d, dmean, k.x.all(), scores + k.scores.row, 2 * k.scores.row, false});
  for (int64_t s = 0; s < n; ++s, scores += 2 * k.scores.row) tools.columns.softmax_back(L, kEncoderLanes, scores, scores + k.scores.row);
  tools.kernels.lane_product({n, d, L, dscores, k.x.turned(), dquery_.from(first).data, dquery_.row, false});
}

// Turns the slopes with respect to the block's output, in slopes_.out, into those with respect to its input x.
void EncoderGroup::backward(const EncoderTools &tools, int64_t b, const EncoderSums &to) {
  const Block &k = blocks_[static_cast<std::size_t>(b)];
  const EncoderMatrices<float> sums = tools.weights.matrices(to.vectors, b, kEncoderLanes);
  const float *query_back = tools.weights.transposed(b).query;
  const int64_t L = shape_.sites, d = shape_.width, n = k.queries;
  for_sites(n, [&](int64_t first, int64_t last) {
    tail_backward(tools, b, k.tail, first, last, sums, slopes_);
    attend_back(tools, k, first, last);
  });
  tail_weights(tools, outer_, k.tail, n, to, sums, slopes_);
  add_outer(tools, outer_, n, {d, k.mean}, {d, slopes_.sum}, to, sums.value);
  add_outer(tools, outer_, n, {d, k.own}, {d, dquery_}, to, sums.query);
  // x_j is a value and a key: sum_i A_ij dmean_i + dscore_ij query_i.
  const bool last_block = b + 1 == shape_.blocks;
  const EncoderArray &x = last_block ? slopes_.out : slopes_.sum;
  tools.kernels.lane_product({L, d, 2 * n, k.scores.turned(), k.pairs.turned(), x.data, x.row, !last_block});
  if (!last_block)
    return tools.kernels.product(L, {d, d, query_back, nullptr, dquery_.all(), x.all(), slopes_.out.all(), ProductEnd::plain, {}});
  // The masked site is a query, too, and its x is added to the attention.
  tools.kernels.product(1, {d, d, query_back, nullptr, dquery_.all(), slopes_.sum.all(), k.own.all(), ProductEnd::plain, {}});
  for (int64_t r = 0; r < d; ++r)
    for (int64_t lane = 0; lane < kEncoderLanes; ++lane)
      x.data[columns_.sites[lane] * x.row + r * x.step + lane] += k.own.data[r * k.own.step + lane];
}

void EncoderGroup::add_tokens(const EncoderTools &tools, float *sums) const {
  const EncoderArray &slopes = slopes_.out;
  for (int64_t j = 0; j < shape_.sites; ++j)
    for (int64_t r = 0; r < shape_.width; ++r) {
      const float *from = slopes.data + j * slopes.row + r * slopes.step;
      float *to = sums + r * tools.weights.token_stride();
      for (int64_t lane = 0; lane < kEncoderLanes; ++lane) to[columns_.tokens[j * kEncoderLanes + lane]] += from[lane];
    }
}

void EncoderGroup::add_maps(const EncoderJob &job, int64_t first, double *maps) const {
  const int64_t L = shape_.sites;
  for (int64_t b = 0; b < shape_.blocks; ++b) {
    const Block &k = blocks_[static_cast<std::size_t>(b)];
    for (int64_t lane = 0; lane < columns_.count; ++lane) {
      const int64_t site = columns_.sites[lane];
      const float *a = k.scores.data + (k.queries == 1 ? 0 : 2 * site * k.scores.row) + lane;
      const double weight = job.pairs.weight_of(first + lane);
      for (int64_t j = 0; j < L; ++j) maps[(b * L + site) * L + j] += weight * static_cast<double>(a[j * kEncoderLanes]);
    }
  }
}

int64_t EncoderSingle::take(float *base) {
  const int64_t d = shape_.width, h = shape_.hidden;
  FloatPieces pieces(base);
  columns_.take(pieces, shape_, kPairs);
  tail_.hat1 = pieces.take_columns(kPairs, d);
  tail_.y = pieces.take_columns(kPairs, d);
  tail_.hidden = pieces.take_columns(kPairs, h);
  tail_.hat2 = pieces.take_columns(kPairs, d);
  tail_.deviation1 = pieces.take(kPairs);
  tail_.deviation2 = pieces.take(kPairs);
  slopes_.out = pieces.take_columns(kPairs, d);
  slopes_.hidden = pieces.take_columns(kPairs, h);
  slopes_.sum = pieces.take_columns(kPairs, d);
  output_ = pieces.take_columns(kPairs, d + 1);
  x_ = pieces.take(d * kPairs);
  mixed_ = pieces.take(tables_.rows() * kPairs);
  logits_ = pieces.take(shape_.colors * kPairs);
  dmixed_ = pieces.take(tables_.columns() * kPairs);
  return pieces.used();
}

// Matrices are [elements][columns] with the columns in use.
void EncoderSingle::set_columns(int64_t columns) {
  for (EncoderArray *array : {&tail_.hat1, &tail_.y, &tail_.hidden, &tail_.hat2, &slopes_.out, &slopes_.hidden, &slopes_.sum, &output_})
    array->step = columns;
  std::fill_n(output_.data + shape_.width * columns, columns, 1.0f);
}

void EncoderSingle::run(const EncoderTools &tools, const EncoderJob &job, int64_t first, int64_t count, const EncoderSums &sums) {
  columns_.load(shape_, job, first, count);
  const int64_t n = columns_.columns, L = shape_.sites;
  set_columns(n);
  forward(tools);
  if (job.out.maps != nullptr)
    for (int64_t x = 0; x < count; ++x) {
      const double weight = job.pairs.weight_of(first + x);
      const float *a = mixed_ + (shape_.colors + 1) * n + x;
      for (int64_t j = 0; j < L; ++j) sums.maps[columns_.sites[x] * L + j] += weight * static_cast<double>(a[j * n]);
    }
  output_forward(tools, n, output_.data, logits_);
  if (job.out.conditionals != nullptr) output_conditionals(shape_, n, count, logits_, job.out.conditionals + first * shape_.colors);
  const bool gradient = job.out.gradient != nullptr;
  output_backward(tools, columns_.masks(), output_.data, logits_, slopes_.out.data,
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
  for (int64_t r = 0; r < d; ++r)
    for (int64_t x = 0; x < n; ++x) x_[r * n + x] = masked[r * tables_.padded_sites() + sites[x]];
  tools.products.product(d, tables_.rows(), tables_.values_turned(), n, mixed_, x_, tail_.hat1.data);
  tail_forward(tools, 0, tail_, 0, n / kEncoderLanes, output_);
}

void EncoderSingle::backward(const EncoderTools &tools, const EncoderSums &sums) {
  const int64_t n = columns_.columns, L = shape_.sites, d = shape_.width, q = shape_.colors, width = tables_.columns();
  const float *a = mixed_ + (q + 1) * n;
  const EncoderMatrices<float> matrices = tools.weights.matrices(sums.vectors, 0, kEncoderLanes);
  tail_backward(tools, 0, tail_, 0, n / kEncoderLanes, matrices, slopes_);
  tail_weights(tools, {}, tail_, n / kEncoderLanes, sums, matrices, slopes_);
  // Values, and the sum of x at the masked sites.
  const EncoderArray mixed{mixed_, kEncoderLanes, n};
  add_outer(tools, {}, n / kEncoderLanes, {tables_.rows(), mixed}, {d, slopes_.sum}, sums,
            sums.vectors + tools.weights.elements() * kEncoderLanes);
  tools.products.product(width, d, tables_.values(), n, slopes_.sum.data, nullptr, dmixed_);
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
void EncoderPassF32::run_task(Worker worker, const EncoderTools &tools, const EncoderJob &job, const EncoderTask &at) {
  const int64_t task = at.task, tasks = at.tasks;
  EncoderSums sums;
  sums.vectors = sums_.data() + at.thread * (sums_.size() / areas());
  sums.plain = sums.vectors + vector_sums() * kEncoderLanes;
  sums.maps = maps_.data() + task * (maps_.size() / areas());
  sums.loss = losses_.data() + task * kEncoderLanes;
  double *totals = totals_.data() + task * (totals_.size() / areas());
  sums.totals = totals;
  const bool gradient = job.out.gradient != nullptr;
  std::fill_n(sums.loss, kEncoderLanes, 0.0);
  if (job.out.maps != nullptr) std::fill_n(sums.maps, maps_.size() / areas(), 0.0);
  if (gradient) std::fill_n(totals, totals_.size() / areas(), 0.0);
  worker.take(floats_.data() + at.thread * (floats_.size() / areas()));
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
    if (single()) {
      const int64_t idle = tables_.idle_elements();
      tools.kernels.reduce(vector_sums() - idle, sums.vectors + idle * kEncoderLanes, totals + idle);
    } else {
      weights_.reduce(tools.kernels, sums.vectors, totals);
    }
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
  weights_.pack(tools.products, parameters.data());
  if (single()) tables_.make(tools);
  Ranks *ranks = sharing(tasks, job);
  shared_for(ranks, threads, tasks, [&](int64_t task, int thread) {
    if (single())
      run_task(EncoderSingle(shape_, tables_), tools, job, {task, tasks, thread});
    else
      run_task(EncoderGroup(shape_), tools, job, {task, tasks, thread});
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
  weights_.unpack(tools.products, gradient_.data(), out.gradient);
  return loss;
}

}  // namespace atp
