// SPDX-License-Identifier: MIT
// The objectives of dense couplings share penalties, training data, the losses of other sequences, and the model of the parameters.
// Their pseudo-likelihood is a function of a vector, over the training data:
//     sum_n w_n sum_i -log p(s_ni | rest) + A_h sum_i |h_i|^2 + A_J sum_{i<j} |J_ij|^2.
// The likelihood of an autoregressive model is the same function with directed lists of pairs: the rest of site i are the sites before it.
// L-BFGS has centred fields as unknowns, h'_i(a) = h_i(a) + c_i(a) sum_k J_ik(a, b) f_k(b) over the neighbours k of i and their colours b,
// f the frequencies: inputs without a mean, for which the Hessian of independent sites is nearly diagonal, so that it takes far fewer
// iterations. Objective and minimum stay what they are. With G and g the derivatives by J and h, those by J and h' are
// G_ik(a, b) - c_i(a) g_i(a) f_k(b), with both sites' terms where a pair has one coupling, and g. Losses hold h + m, m the mean input, the
// penalty holds h: with c = V / (V + 2 A_h), V = N_eff f (1 - f), neither mixes h' and m. Autoregressive models have c = 1.
#pragma once

#include "learn/dense/dense_pass.hpp"
#include "learn/objective.hpp"
#include "learn/site_order.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

struct DensePenalties {
  double fields = 0, couplings = 0;
};

template <class Real>
double sum_of_squares(const Real *x, int64_t n) {
  double sums[4] = {};
  int64_t k = 0;
  for (; k + 4 <= n; k += 4)
    for (int64_t s = 0; s < 4; ++s) sums[s] += static_cast<double>(x[k + s]) * static_cast<double>(x[k + s]);
  for (int64_t s = 0; k + s < n; ++s) sums[s] += static_cast<double>(x[k + s]) * static_cast<double>(x[k + s]);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

template <class Real>
void add_penalty(double strength, const Real *x, int64_t n, Real *gradient) {
  const Real factor = static_cast<Real>(2 * strength);
  for (int64_t k = 0; k < n; ++k) gradient[k] += factor * x[k];
}

// counts[L][q] += the weights of the sequences with each colour.
void count_colors(const DenseShape &shape, const uint8_t *sequences, const double *weights, double *counts);
// Computes the start: turns counts [L][q] into frequencies, with a pseudocount of one sequence, 1 / q per colour, and sets the fields to
// log f_i(a) minus its mean over a. totals [L]: the sum of the counts of each site.
void initial_fields(const DenseShape &shape, double *counts, double *totals, double *fields);

template <class Pass>
class DenseCouplings : public Objective {
 public:
  using Real = typename Pass::Real;

  int64_t model_colors() const override { return shape_.colors; }
  Threads threads() const override { return Threads(context->threads).at_most(team_); }
  double resolution() const override { return settings.precision == 32 ? 0x1p-27 : 0x1p-46; }
  void init(const Alignment &train) override;
  double loss(Reals x, const Alignment &alignment) override;
  double loss_of(const Model &truth, const Alignment &alignment) override;
  double coupling_error(Reals x, const Model &truth) override;
  Model *make_model(Reals x) override;
  void describe(StateFields &fields) const override;
  Span<const int64_t> order() const override { return shape_.directed() ? shape_.lists->order() : Span<const int64_t>(); }
  void set_order(Span<const int64_t> order) override { lists_->set_order(order); }
  // The fields of states of the first version are not centred, but for autoregressive models.
  bool has_former_unknowns() const override { return !settings.stochastic() && !shape_.directed(); }
  bool former_unknowns() const override { return former_; }
  const Norms *norms(int thread) const override { return first_unknowns() ? nullptr : &norms_[thread]; }
  void set_former_unknowns(bool former) override {
    former_ = former;
    set_means();
  }

 protected:
  DenseCouplings(const ObjectiveRow &own_row, const ObjectiveInput &input);
  ~DenseCouplings() = default;
  void lay_out_shared(Arena &arena);
  double largest() const override { return static_cast<double>(std::numeric_limits<Real>::max()); }
  void take_own_data();  // the numbers of all data are those of the alignment
  void set_means();      // after a change of the frequencies, or of the unknowns
  // The tolerance of a problem of so many sites. The automatic one is above the noise of float32, which grows in this way.
  double tolerance_of(int64_t predicted_sites) const;

  // Whether the unknowns are those of autoregressive models, or of states of the first version.
  bool first_unknowns() const { return former_ || shape_.directed(); }
  // Otherwise the second derivative by J_ij(a, b), at independent sites, of the prediction of site i and the penalty of its fields.
  double curvature(int64_t i, int64_t a, int64_t j, int64_t b) const;

  // Where the block J_ik of neighbour k lies in a vector of parameters: J_ik(a, b) at offset + a * stride_a + b * stride_b.
  struct BlockPlace {
    int64_t offset, stride_a, stride_b;
  };
  bool centred() const { return !settings.stochastic() && !(former_ && !shape_.directed()); }
  // fields[a] += sign * c_i(a) sum_k J_ik(a, b) f_k(b): from fields to centred ones (1) or back (-1). place(k) is a BlockPlace in x.
  template <class Number, class Field, class Place>
  void shift_fields(int64_t i, double sign, const Number *x, Place &&place, Field *fields) const;
  // The same with the sums.
  template <class Field>
  void shift_by(int64_t i, double sign, const double *sums, Field *fields) const;
  // Centred fields of site i for parameters of the C API. Throws ATP_E_NOT_FINITE where one leaves the range of the precision.
  template <class Place>
  void center(int64_t i, const double *given, const double *values, Place &&place, double *fields) const;
  // block(a, b) += sign * c_i(a) slope(a) f_k(b), neighbour k: from derivatives at fixed centred fields to those at fixed fields (1) or
  // back (-1).
  template <class Slope, class Number>
  void shift_block(int64_t i, int64_t k, double sign, const Slope *slope, const BlockPlace &place, Number *block) const;

  // Copies fields and couplings of a site into a pass.
  virtual void put(Reals x, Pass &pass, int64_t i) const = 0;
  virtual void add(Reals x, int64_t i, int64_t k, double factor, double *block) const = 0;  // block(a, b) += factor J_ij(a, b), neighbour k
  virtual void write_fields(Reals x, double *fields) const = 0;                             // [L][q]

  const DenseShape shape_;
  const DenseKernels &kernels_;
  const int team_;  // threads when the trainer was made: each has a pass
  DenseData data_;
  // Of all training data: of the alignment, or of those of several processes.
  double effective_count_ = 0, predicted_weight_ = 0;
  DensePenalties penalties_;
  DensePenalties penalties_for(double effective_count) const;

  Span<Pass> passes_;         // [team]
  Span<double> frequencies_;  // [L][q]: of the training data, with a pseudocount
  Span<double> means_;        // [L][q]: f of the centred fields, mean inputs
  Span<double> shares_;       // [L][q]: of the mean inputs that centred fields have
  Span<double> totals_;       // [L]: weight of the sequences that have no ignored gap, with the pseudocount
  Span<double> start_;        // [L][q]: initial fields
  Span<double> losses_;       // [L]
  Span<Norms> norms_;         // [team]

 private:
  template <class Prepare, class SiteLoss>
  double mean_loss(const Alignment &alignment, Prepare &&prepare, SiteLoss &&site_loss);
  template <class Put>
  double loss_under(const Alignment &alignment, Put &&put_couplings);
  double restricted_loss_of(const Model &truth, const Alignment &alignment);

  bool former_ = false;
  double l2_fields_, l2_couplings_;  // below 0: automatic
  atp_l2_scale scale_;
  PairLists *const lists_;
  const atp_order order_rule_;
  Span<double> conserved_;  // [L], and
  Span<int64_t> order_;     // [L]: to choose an order
  Span<double> blocks_;     // [team][q][q]: couplings of a true model
  Span<double> scratch_;    // for the coupling error
  Span<uint16_t> codes_;    // of a piece of other sequences
};

template <class Pass>
template <class Number, class Field, class Place>
void DenseCouplings<Pass>::shift_fields(int64_t i, double sign, const Number *x, Place &&place, Field *fields) const {
  const int64_t q = shape_.colors;
  double sums[kMaxColors] = {};
  for (int64_t k = 0; k < shape_.degree(i); ++k) {
    const double *f = means_.data() + shape_.neighbor(i, k) * q;
    const BlockPlace at = place(k);
    const Number *block = x + at.offset;
    if (at.stride_a == 1) {
      for (int64_t b = 0; b < q; ++b)
        for (int64_t a = 0; a < q; ++a) sums[a] += f[b] * static_cast<double>(block[a + b * at.stride_b]);
      continue;
    }
    for (int64_t a = 0; a < q; ++a) {
      double sum = sums[a];
      for (int64_t b = 0; b < q; ++b) sum += f[b] * static_cast<double>(block[a * at.stride_a + b * at.stride_b]);
      sums[a] = sum;
    }
  }
  shift_by(i, sign, sums, fields);
}

template <class Pass>
template <class Field>
void DenseCouplings<Pass>::shift_by(int64_t i, double sign, const double *sums, Field *fields) const {
  const int64_t q = shape_.colors;
  for (int64_t a = 0; a < q; ++a) fields[a] = static_cast<Field>(static_cast<double>(fields[a]) + sign * shares_[i * q + a] * sums[a]);
}

template <class Pass>
template <class Place>
void DenseCouplings<Pass>::center(int64_t i, const double *given, const double *values, Place &&place, double *fields) const {
  const int64_t q = shape_.colors;
  std::copy_n(given, q, fields);
  shift_fields(i, 1, values, place, fields);
  for (int64_t a = 0; a < q; ++a)
    if (!(std::fabs(fields[a]) <= largest()))
      fail(ATP_E_NOT_FINITE, "the fields of site" ATP_AT " and the means of its couplings add up to %g, must be within %g",
           static_cast<long long>(i), fields[a], largest());
}

template <class Pass>
template <class Slope, class Number>
void DenseCouplings<Pass>::shift_block(int64_t i, int64_t k, double sign, const Slope *slope, const BlockPlace &place,
                                       Number *block) const {
  const int64_t q = shape_.colors;
  const double *f = means_.data() + shape_.neighbor(i, k) * q;
  for (int64_t b = 0; b < q; ++b)
    for (int64_t a = 0; a < q; ++a)
      block[place.offset + a * place.stride_a + b * place.stride_b] +=
          static_cast<Number>(sign * f[b] * (shares_[i * q + a] * static_cast<double>(slope[a])));
}

extern template class DenseCouplings<DensePassF32>;
extern template class DenseCouplings<DensePassF64>;

}  // namespace atp
