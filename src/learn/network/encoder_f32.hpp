// SPDX-License-Identifier: MIT
// An encoder with float32 kernels and float64 sums.
//
// Pairs are columns of matrices (simd/encoder.hpp). With several blocks, sixteen pairs are processed together, one in each lane of a
// logical vector (EncoderGroup). With one block, all pairs share tables that are made once (EncoderSingle). A task is a range of pieces of
// a fixed number of pairs. Sums of derivatives are float32, by lanes, within kChunk pairs, then float64. The division into tasks depends
// only on the number of pairs.
#pragma once

#include "learn/network/encoder_layout.hpp"
#include "simd/columns.hpp"
#include "simd/encoder.hpp"

#include <algorithm>

namespace atp {

inline constexpr int64_t kEncoderLanes = kAttentionLanes;
constexpr int64_t whole_lanes(int64_t n) { return (n + kEncoderLanes - 1) / kEncoderLanes * kEncoderLanes; }

// The matrices of a block, [inputs + 1][outputs], with the bias as the last row; norms have scale and shift.
// The sums of their derivatives have the same order, with several floats for each element.
//
// Queries and keys enter the scores as W_k^T (W_q x + b_q) . x_j / sqrt(d), up to terms that a softmax over j does not see; `query` is the
// first factor, and keys are x itself. Values enter as W_o (W_v x + b_v) + b_o, averaged over j: `value` is the product of both, and sums
// over j are of x itself.
template <class T>
struct EncoderMatrices {
  T *query, *value, *hidden, *hidden_out, *norm1, *norm2;
};

// The transposed matrices, [outputs][inputs].
struct EncoderTransposed {
  const float *query, *value, *hidden, *hidden_out;
};

// Sums of derivatives of products with weights. Large ones are added over sites and lanes first, small ones by lanes.
struct EncoderOuter {
  static constexpr int64_t kLarge = 48;  // outputs: half of the lanes of their last vector are used, and three quarters of all
  static constexpr int64_t kSites = 5;   // at a time, for large ones

  // For at most so many inputs and outputs.
  template <class Pieces>
  void take(Pieces &pieces, int64_t most_inputs, int64_t most_outputs) {
    if (most_outputs < kLarge) return;
    turned = pieces.take(kSites * kEncoderLanes * whole_lanes(most_outputs));
    bias = pieces.take(kEncoderLanes * whole_lanes(most_outputs));
    sums = pieces.take(most_inputs * whole_lanes(most_outputs));
  }
  float *turned = nullptr, *bias = nullptr, *sums = nullptr;
};

// The parameters of an encoder in the layout of the float32 kernels, and the conversion of derivative sums back
// to the order of the parameters.
class EncoderWeights {
 public:
  explicit EncoderWeights(const EncoderShape &s) : shape(s), layout_(s) {}
  void lay_out(Arena &arena);
  void pack(const AttentionKernels &products, const double *parameters);

  // The number of elements of the matrices of one block, and of all blocks and the output layer, rounded up to
  // a multiple of 16. In sums the tokens follow, [d][q + 1].
  int64_t block_elements() const;
  int64_t elements() const { return whole_lanes(shape.blocks * block_elements() + (shape.width + 1) * (shape.colors - 1)); }
  int64_t token_stride() const { return shape.colors + 1; }
  int64_t tokens() const { return shape.width * token_stride(); }
  template <class T>
  EncoderMatrices<T> matrices(T *base, int64_t block, int64_t stride) const;
  // Adds the lanes of all elements up, sums [elements][16] to totals, without large matrices, which EncoderOuter adds.
  void reduce(const EncoderKernels &kernels, float *sums, double *totals) const;
  // Of the output layer, [d + 1][q - 1]: logits are relative to that of the last colour.
  template <class T>
  T *output(T *base, int64_t stride) const {
    return base + shape.blocks * block_elements() * stride;
  }

  EncoderMatrices<const float> block(int64_t b) const { return matrices<const float>(forward_.data(), b, 1); }
  const float *output() const { return output<const float>(forward_.data(), 1); }
  EncoderTransposed transposed(int64_t b) const;
  const float *output_transposed() const { return transposed_.data() + shape.blocks * transposed_elements(); }  // [q - 1][d]
  const float *table() const { return table_.data(); }                                                          // tokens, [d][q + 1]
  const float *positions() const { return positions_.data(); }                                                  // [L][d]

  void unpack(const AttentionKernels &products, const double *sums, double *gradient);

  EncoderShape shape;

 private:
  double score_scale() const;  // 1 / sqrt(d), a factor of `query`
  int64_t transposed_elements() const { return 2 * shape.width * shape.width + 2 * shape.width * shape.hidden; }
  int64_t padded() const { return whole_lanes(shape.width + 1); }
  void merge(const AttentionKernels &products, const double *p, int64_t b);
  void split(const AttentionKernels &products, const EncoderMatrices<const double> &m, int64_t b, double *g);

  EncoderLayout layout_;
  Span<float> forward_, transposed_, table_, positions_;
  Span<float> factors_;           // [blocks] W_q, W_k, W_o, W_v and transposes, as pack() leaves them for unpack()
  Span<float> slopes_, product_;  // work space of merge() and split(), [d + 1][padded]
};

template <class T>
EncoderMatrices<T> EncoderWeights::matrices(T *base, int64_t block, int64_t stride) const {
  const int64_t d = shape.width, h = shape.hidden;
  EncoderMatrices<T> m;
  m.query = base + block * block_elements() * stride;
  m.value = m.query + (d + 1) * d * stride;
  m.hidden = m.value + (d + 1) * d * stride;
  m.hidden_out = m.hidden + (d + 1) * h * stride;
  m.norm1 = m.hidden_out + (h + 1) * d * stride;
  m.norm2 = m.norm1 + 2 * d * stride;
  return m;
}

// Kernels and parameters that a pass uses.
struct EncoderTools {
  const AttentionKernels &products;
  const EncoderKernels &kernels;
  const ColumnKernels &columns;
  const EncoderWeights &weights;
};

// A matrix of logical vectors, element k of vector s at data[s * row + k * step].
struct EncoderArray {
  float *data = nullptr;
  int64_t row = 0, step = 0;
  LaneOutput from(int64_t s) const { return {data + s * row, row, step}; }
  LaneOutput all() const { return from(0); }
  LaneMatrix turned() const { return {data, step, row}; }  // rows are elements
};

// Arrays of the part of a block after the attention.
struct EncoderTail {
  EncoderArray hat1, y, hidden, hat2;
  float *deviation1, *deviation2;  // [vectors][16]
};

// Work space of the backward pass.
struct EncoderTailSlopes {
  EncoderArray out;  // on entry with respect to the block's output, then to the second sum
  EncoderArray hidden;
  EncoderArray sum;  // with respect to x + attention
};

// The masked columns of one or several groups.
struct EncoderMasks {
  int64_t columns;
  const int32_t *own;    // places of the masked colours among the logits, color * columns + column
  const float *weights;  // [columns]
};

// The part of a block after the attention, forward and backward, for vectors first..last-1. hat1 holds the sum of the block's input and
// of the attention. sums: derivatives of the matrices by lanes.
void tail_forward(const EncoderTools &tools, int64_t block, const EncoderTail &tail, int64_t first, int64_t last, const EncoderArray &out);
void tail_backward(const EncoderTools &tools, int64_t block, const EncoderTail &tail, int64_t first, int64_t last,
                   const EncoderMatrices<float> &sums, const EncoderTailSlopes &slopes);
// Sums of a task; results are added.
struct EncoderSums {
  float *vectors;  // [elements and more][16]
  float *plain;
  double *totals;  // of `vectors`, without lanes
  double *maps;    // [blocks][L][L]
  double *loss;    // [16]
};

// Adds the derivatives of the matrices of hidden units, from slopes that tail_backward() has made for all `vectors`.
void tail_weights(const EncoderTools &tools, const EncoderOuter &outer, const EncoderTail &tail, int64_t vectors, const EncoderSums &to,
                  const EncoderMatrices<float> &sums, const EncoderTailSlopes &slopes);
// sums [elements of x + 1][elements of y][16] += x(s, a) y(s, b), summed over the vectors; the last row is the sum of y. `sums` lies in
// to.vectors. A large matrix, if `outer` has room for it, goes to its place in to.totals.
struct EncoderFactor {
  int64_t elements;
  const EncoderArray &array;
};
void add_outer(const EncoderTools &tools, const EncoderOuter &outer, int64_t vectors, const EncoderFactor &x, const EncoderFactor &y,
               const EncoderSums &to, float *sums);

// out [d + 1][columns] with a row of ones -> logits [q][columns], relative to the last colour, whose row is 0.
void output_forward(const EncoderTools &tools, int64_t columns, const float *out, float *logits);
// The conditionals of columns 0..count-1, [count][q].
void output_conditionals(const EncoderShape &shape, int64_t columns, int64_t count, const float *logits, double *conditionals);
// Adds to loss [16], by lanes. logits become their slopes, slopes [d][columns] those of out. sums: of the
// output layer; NULL: only the loss.
void output_backward(const EncoderTools &tools, const EncoderMasks &masks, const float *out, float *logits, float *slopes, float *sums,
                     double *loss);

// The attention of an encoder of one block, where x_j is the embedding of a colour plus that of a site. Keys and values are then
// sums of a colour term and a site term. The masked token is always the same, so there is one query for each site, and
//
//     score_kj = table[k][s_j] + table[k][q + 1 + j],
//     c = sum_a acc(a) value_a + sum_j A_j value_{q + 1 + j},   acc(a) = sum_{j: s_j = a} A_j.
//
// The tables are computed once for all pairs of an evaluation. A pair then costs L look-ups and (q + 1 + L) d multiply-adds instead of 2 L
// d^2. At the end the sums of the derivatives of tables and values are converted once to derivatives of weights and tokens.
//
// Columns of the tables: tokens 0..q, then sites, then zeros up to a multiple of 16.
class EncoderTables {
 public:
  explicit EncoderTables(const EncoderShape &s) : shape_(s) {}
  void lay_out(Arena &arena, const EncoderWeights &weights);
  void make(const EncoderTools &tools);
  // Computes the derivatives of elements (added) and tokens (overwritten) that follow from the derivatives of the tables. The inputs are
  // the sums of the pieces besides the elements, in the order of vector_sums and plain_sums.
  void pull_back(const EncoderTools &tools, const double *vectors, const double *plain, double *elements, double *tokens);

  int64_t rows() const { return shape_.colors + 1 + shape_.sites; }  // of the sums
  int64_t columns() const { return whole_lanes(rows()); }
  int64_t padded_sites() const { return whole_lanes(shape_.sites); }
  int64_t vector_sums() const {
    return whole_lanes((rows() + 1) * shape_.width);
  }                                                                // of values [rows][d], then of x at the masked sites [d]
  int64_t plain_sums() const { return shape_.sites * columns(); }  // of scores

  // Elements that pieces do not change, a multiple of 16: those of queries and values.
  int64_t idle_elements() const { return (shape_.width + 1) * 2 * shape_.width / kEncoderLanes * kEncoderLanes; }

  const float *scores() const { return scores_.data(); }                // [padded sites][columns]
  const float *values() const { return values_.data(); }                // [d][columns]
  const float *values_turned() const { return values_turned_.data(); }  // [columns][d]
  const float *masked() const { return masked_.data(); }                // [d + 1][padded sites]: E_q + P_i, then ones

 private:
  EncoderShape shape_;
  Span<float> terms_;  // [d + 1][columns]: tokens, sites. The last row is 1 at sites, which carry the biases.
  Span<float> masked_;
  Span<float> values_, values_turned_, terms_turned_;  // [d][columns]; [columns][d] twice
  Span<float> query_, query_turned_;                   // [d][padded sites], [padded sites][d]
  Span<float> scores_;
  // Used by pull_back().
  Span<float> dscores_, dscores_turned_;  // [padded sites][columns], [columns][padded sites]
  Span<float> dvalues_, dquery_, dterms_, dmasked_;
  Span<float> sums_;  // [(d + 1) 2 d][16]
};

// What the passes of one block and of any number of blocks share: the job, and the sums of a piece of it.
struct EncoderJob {
  const MaskedData &pairs;
  const EncoderOutput &out;
  double weight_scale;  // makes the mean weight 1
};

// A task out of `tasks`, and the thread that runs it, whose work space it uses.
struct EncoderTask {
  int64_t task, tasks;
  int thread;
};

// Divides an array of floats into pieces that are aligned to vectors. With NULL it only measures.
class FloatPieces {
 public:
  explicit FloatPieces(float *base) : base_(base) {}
  float *take(int64_t floats) {
    float *piece = base_ == nullptr ? nullptr : base_ + used_;
    used_ += whole_lanes(floats);
    return piece;
  }
  int32_t *take_integers(int64_t n) { return reinterpret_cast<int32_t *>(take(n)); }
  // Vectors by sites: the elements of a vector follow each other. An odd number of vectors between sites keeps them apart in the caches.
  EncoderArray take_sites(int64_t vectors, int64_t elements) {
    const int64_t row = (elements / 2 * 2 + 1) * kEncoderLanes;
    return {take(vectors * row), row, kEncoderLanes};
  }
  // A matrix [elements][columns]; a vector is 16 columns.
  EncoderArray take_columns(int64_t columns, int64_t elements) { return {take(elements * columns), kEncoderLanes, columns}; }

  int64_t used() const { return used_; }

 private:
  float *base_;
  int64_t used_ = 0;
};

// The pairs of a piece, by columns. The remaining columns are copies of the first with weight 0.
struct EncoderColumns {
  int64_t columns = 0, count = 0;
  int32_t *tokens = nullptr, *own = nullptr, *sites = nullptr;  // [L][columns]; places of the masked colours; masked sites
  float *weights = nullptr;                                     // with mean 1

  void take(FloatPieces &pieces, const EncoderShape &s, int64_t most) {
    tokens = pieces.take_integers(s.sites * most);
    own = pieces.take_integers(most);
    sites = pieces.take_integers(most);
    weights = pieces.take(most);
  }
  void load(const EncoderShape &s, const EncoderJob &job, int64_t first, int64_t number) {
    count = number;
    columns = whole_lanes(count);
    for (int64_t x = 0; x < columns; ++x) {
      const int64_t pair = first + (x < count ? x : 0), site = job.pairs.site(pair);
      const uint8_t *colors = job.pairs.sequence_of(pair);
      sites[x] = static_cast<int32_t>(site);
      weights[x] = x < count ? static_cast<float>(job.pairs.weight_of(pair) * job.weight_scale) : 0.0f;
      own[x] = static_cast<int32_t>(colors[site] * columns + x);
      for (int64_t j = 0; j < s.sites; ++j) tokens[j * columns + x] = colors[j];
      tokens[site * columns + x] = static_cast<int32_t>(s.colors);
    }
  }
  EncoderMasks masks() const { return {columns, own, weights}; }
};

class EncoderPassF32 {
 public:
  EncoderPassF32(const EncoderShape &s, Target target, Ranks *ranks) : shape_(s), target_(target), ranks_(ranks), weights_(s), tables_(s) {}
  void lay_out(Arena &arena);
  // As EncoderPassF64::run().
  double run(Threads threads, Span<const double> parameters, const MaskedData &pairs, const EncoderOutput &out);

 private:
  static constexpr int64_t kMostTasks = 8;
  static constexpr int64_t kMostFloats = int64_t{1} << 26;  // limit for the sums of all tasks, if two tasks fit
  static constexpr int64_t kPairs = 64;                     // pairs of a task, if there are several
  static constexpr int64_t kChunk = 1024;                   // pairs per float32 sum

  int64_t sum_floats() const { return vector_sums() * kEncoderLanes + whole_lanes(plain_sums()); }
  // The number of tasks that fit into kMostFloats, but at least 2; depends only on the shape.
  int64_t areas() const { return std::clamp(kMostFloats / sum_floats(), int64_t{2}, kMostTasks); }
  bool single() const { return shape_.blocks == 1; }
  int64_t vector_sums() const { return single() ? weights_.elements() + tables_.vector_sums() : weights_.elements(); }
  int64_t plain_sums() const { return single() ? tables_.plain_sums() : weights_.tokens(); }
  template <class Worker>
  void run_task(Worker worker, const EncoderTools &tools, const EncoderJob &job, const EncoderTask &at);
  // The ranks that share the tasks, or NULL. Each gets totals and losses of all tasks: tasks (vector sums + plain
  // sums + 16) float64 numbers.
  Ranks *sharing(int64_t tasks, const EncoderJob &job) const;
  double add_tasks(int64_t tasks, const EncoderJob &job);

  EncoderShape shape_;
  Target target_;
  Ranks *ranks_;
  EncoderWeights weights_;
  EncoderTables tables_;   // one block
  Span<float> floats_;     // [threads] work space for one piece; one thread's tasks share it, and the caches keep it
  Span<float> sums_;       // [threads][vector sums][16], [plain sums]; zero between tasks
  Span<double> totals_;    // [tasks][vector sums], [plain sums]
  Span<double> gradient_;  // elements and tokens
  Span<double> maps_;      // [tasks][blocks][L][L]
  Span<double> losses_;    // [tasks][16]
};

}  // namespace atp
