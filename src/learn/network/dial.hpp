// SPDX-License-Identifier: MIT
// A single attention layer with a parameter a, the dial, between factored (0) and plain (1) attention. [R24 eq. 2]
//
//     u_j = p_j + a t_j,  w_j = t_j + a p_j,  A_kj = softmax over all j of (Q u_k) . (K u_j),  logits of site k = V sum_j A_kj w_j,
//
// Tokens t_j = e_{s_j} are one-hot, and d = q. At the masked site t_k = m: a learned vector for a > 0, zero for
// a = 0. Parameters: positions p [L][q], queries Q, keys K, values V [q][q] ([output][input]), mask m [q].
//
// At a = 0 the attention depends only on positions. The map may then also be `softmax` (scores [L][L] are the parameters) or `free` (the
// map itself is the parameter); then values V. As in the formula, the masked site is in the softmax but contributes nothing: factored
// attention calls this ATP_DIAGONAL_AFTER. A free map has no diagonal. Couplings of the head: A without its diagonal, V.
//
// An evaluation computes tables from the parameters, passes the data through, and propagates the derivatives back.
//
// The query of a masked site k is the same for every sequence, so that scores are looked up. With s_k = q for the masked token,
//     x_j = scores[k][j] + tokens[k][s_j],   A = softmax over all j of x.
// The values are linear in A. The features of a pair (sequence, k) are f = (acc(0), ..., acc(q), A_0, ..., A_{L-1}) with acc(b) = sum of
// A_j over j: s_j = b. The logits are values . f. The columns of `values` [q][q + 1 + L] are V e_b, V m (m the masked token) and a V p_j. A
// pair costs L look-ups, L exponentials and q (q + 1 + L) multiply-adds.
//
// With a = 0 the attention does not depend on the sequence. `scores` is then the map A_kj itself with zeros on its diagonal, there are no
// `tokens`, the features are acc(0), ..., acc(q - 1), and `values` is V: factored attention.
//
// D(c) = w (p(c) - [c = s_k]) for the logits. Sums are divided by the sum of the weights of the pairs.
#pragma once

#include "learn/objective.hpp"
#include "simd/attention.hpp"
#include "simd/columns.hpp"

namespace atp {

// The input tables of a pass.
struct DialTables {
  const double *scores = nullptr;  // [L][L]
  const double *tokens = nullptr;  // [L][q + 1]; NULL for a = 0
  const double *values = nullptr;  // [q][features]
};

// Derivatives with respect to the tables, overwritten. All NULL: not computed.
struct DialSums {
  double *scores = nullptr;  // at a = 0 with zeros on the diagonal
  double *tokens = nullptr;  // NULL at a = 0
  double *values = nullptr;
  bool wanted() const { return scores != nullptr; }
};

struct DialSizes {
  int64_t sites = 0, colors = 0;
  bool content = false;  // a > 0

  int64_t tokens() const { return content ? colors + 1 : colors; }
  int64_t features() const { return content ? colors + 1 + sites : colors; }
  // The multiply-adds of a pair, roughly.
  double operations(bool gradient) const { return (gradient ? 3 : 1) * static_cast<double>(sites + colors * features()); }
  // The ranks that share a pass, or NULL. Each gets the losses, the sums of the values of all tasks, and the rows of
  // scores and tokens: tasks (losses + q features) + L (L + q + 1) float64 numbers.
  Ranks *sharing(Ranks *ranks, int64_t tasks, const MaskedData &pairs, const DialSums &sums) const;
  // Gathers the rows of sums. Task t has those of the sites first(t) .. first(t + 1) - 1.
  template <class First>
  void gather(Ranks &ranks, int64_t tasks, const DialSums &sums, First &&first) const {
    constexpr int64_t kBytes = sizeof(double);
    ranks.gather_rows(sums.scores, tasks, sites * kBytes, first);
    if (sums.tokens != nullptr) ranks.gather_rows(sums.tokens, tasks, tokens() * kBytes, first);
  }
  void scale(const DialSums &sums, double factor) const;
  void clear(const DialSums &sums) const;
};

// float64 throughout: the reference of the fast kernels, also used for maps and conditionals. A task is a block
// of sites with all pairs that mask one of them, so each row of the sums belongs to one task.
class DialPassF64 {
 public:
  // without_gradient: only maps and conditionals will be computed.
  void lay_out(Arena &arena, const DialSizes &sizes, bool without_gradient);
  // Returns the loss. total_weight is the sum of the weights of the pairs and must not be 0.
  double run(Ranks *ranks, Threads threads, const DialTables &tables, const MaskedData &pairs, double total_weight, const DialSums &sums);
  void conditionals(Threads threads, const DialTables &tables, const MaskedData &pairs, double *out);
  // Weighted sums of the rows of attention, divided by total_weight. Needs a > 0.
  void maps(Threads threads, const DialTables &tables, const MaskedData &pairs, double total_weight, double *out);

 private:
  static constexpr int64_t kBlock = 4;  // sites per task

  struct Work {
    double *features, *derivatives;  // [features]
    double *logits;                  // [q]
  };
  Work work(int64_t block) const;
  // Computes features and probabilities of a pair.
  void forward(const DialTables &tables, const uint8_t *sequence, int64_t site, const Work &w) const;
  void backward(const DialTables &tables, const uint8_t *sequence, int64_t site, const Work &w, const DialSums &sums, double *values) const;
  template <class Function>
  void for_blocks(Ranks *ranks, Threads threads, const MaskedData &pairs, Function &&function) const;

  DialSizes sizes_;
  int64_t blocks_ = 0;
  Span<double> losses_;      // [blocks]
  Span<double> value_sums_;  // [blocks][q][features]
  Span<double> work_;        // [blocks][2 features + q]
};

// float32 kernels with float64 sums. A batch has up to 112 pairs, one column each. A task owns a range of sites, and selects the pairs that
// mask one of them from all pairs. Logits are relative to that of the last colour, as in simd/attention.hpp. Sums over columns are float32
// within a chunk of 32 batches, then float64. The division into tasks depends only on the shape and the number of sequences.
class DialPassF32 {
 public:
  void lay_out(Arena &arena, const DialSizes &sizes);
  // As DialPassF64::run().
  double run(Ranks *ranks, Threads threads, Target target, const DialTables &tables, const MaskedData &pairs, double total_weight,
             const DialSums &sums);

 private:
  // The work space of a task: pieces of the arrays below.
  struct Work {
    float *features, *derivatives;  // [features][columns]
    float *slopes;                  // [q][columns]: logits, then D; the last row is 0
    float *weights;                 // [columns]
    float *outer;                   // [q - 1 or fewer][features][16]
    int32_t *own;                   // [columns]: see AttentionKernels::softmax
    int64_t *members;               // [columns]: pairs
    double *loss;                   // [16]
    double *value_sums;             // [q - 1][features]
  };
  struct Call;  // the arguments of one run
  Work work(int64_t task) const;
  void run_task(const Call &call, const Work &w, int64_t first_site, int64_t last_site) const;
  void run_batch(const Call &call, const Work &w, int64_t size) const;
  void fill(const Call &call, const Work &w, int64_t size, int64_t columns) const;
  void values_backward(const Call &call, const Work &w, int64_t columns) const;
  void flush_values(const Work &w) const;

  DialSizes sizes_;
  int64_t tasks_ = 0;                               // at most
  int64_t band_ = 0;                                // rows of `outer`: q - 1, or fewer if that many vectors are too large
  Span<float> scores_, tokens_;                     // the tables
  Span<float> weights_forward_, weights_backward_;  // values relative to those of the last colour, [features][q - 1] and [q - 1][features]
  Span<float> batches_, outer_;
  Span<int32_t> own_;
  Span<int64_t> members_;
  Span<double> losses_, value_sums_;
};

struct DialSettings {
  int64_t sites = 0, colors = 0;
  double dial = 0;
  atp_map map = ATP_MAP_LOWRANK;
  int precision = 32;

  bool content() const { return dial > 0; }
  bool positions() const { return map == ATP_MAP_LOWRANK; }
  DialSizes sizes() const;
};

// Settings for data of this shape. Throws ATP_E_CONFLICT if an option does not fit the dial.
DialSettings dial_settings(const Options &options, int64_t sites, int64_t colors);

class Dial {
 public:
  Dial(const DialSettings &values, Target target, Ranks *ranks = nullptr) : settings(values), target_(target), ranks_(ranks) {}
  static Dial make(const ObjectiveInput &input);
  void lay_out(Arena &arena);

  int64_t parameter_count() const;
  int64_t part_count() const { return settings.positions() ? (settings.content() ? 5 : 4) : 2; }
  Part part(int64_t index) const;
  int64_t map_count() const { return 1; }
  double operations() const { return settings.sizes().operations(true); }
  void init(uint64_t seed, double scale, Span<double> parameters) const;

  double evaluate(Span<const double> parameters, const MaskedData &pairs, Span<double> gradient, Threads threads);
  void conditionals(Span<const double> parameters, const MaskedData &pairs, double *out, Threads threads);
  void maps(Span<const double> parameters, const MaskedData &pairs, double *out, Threads threads);

  // For a = 0: the map [L][L] with zeros on its diagonal, and V [q][q], as in a head of a model.
  void head(Span<const double> parameters, double *map, double *values, Threads threads);

  DialSettings settings;

 private:
  // Pointers to the parameters; NULL for those that do not exist.
  template <class T>
  struct Parts {
    T *positions, *queries, *keys, *values, *mask, *map;  // map: scores or the map itself
  };
  template <class T>
  Parts<T> split(T *parameters) const;
  int64_t part_size(int64_t index) const;
  DialTables make_tables(const double *parameters, Threads threads);
  void make_scores(const Parts<const double> &parts, Threads threads);
  void pull_back(const double *parameters, double *gradient, Threads threads);
  void pull_back_scores(const Parts<const double> &parts, const Parts<double> &to, Threads threads);

  Target target_;
  Ranks *ranks_;
  DialPassF64 pass64_;
  DialPassF32 pass32_;
  DialSums sums_;
  Span<double> scores_, tokens_, values_;              // tables
  Span<double> diagonal_;                              // A_kk of softmax and lowrank at a = 0
  Span<double> score_sums_, token_sums_, value_sums_;  // their derivatives
  // For positions, each [L][q]: u, Q u, K^T Q u, derivatives of the last two and of u; and transposed matrices.
  Span<double> inputs_, queried_, keyed_, keyed_sums_, queried_sums_, input_sums_;
  Span<double> positions_t_, queries_t_, keys_t_;
};

}  // namespace atp
