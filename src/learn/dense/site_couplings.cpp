// SPDX-License-Identifier: MIT
// Asymmetric pseudo-likelihood: a problem for every site, h_i and J_ij for all j != i (dense_objective.hpp); the couplings of a pair are
// the mean of both copies.
#include "base/team.hpp"
#include "learn/dense/couplings.hpp"

#include <algorithm>
#include <cstdio>

namespace atp {

namespace {

template <class Pass>
class SiteCouplings final : public DenseCouplings<Pass>, public Separable {
 public:
  using Real = typename Pass::Real;

  SiteCouplings(const ObjectiveRow &own_row, const ObjectiveInput &input) : Base(own_row, input) {
    if (this->settings.stochastic())
      fail(ATP_E_CONFLICT, "asymmetric is 1 and optimizer is %s: the problems of single sites need lbfgs",
           this->settings.optimizer == ATP_OPTIMIZER_SGD ? "sgd" : "adam");
  }
  void lay_out(Arena &arena) override { this->lay_out_shared(arena); }

  int64_t parameter_count() const override { return first_unknown(shape_.sites); }
  int64_t part_count() const override { return shape_.sites; }
  Part part(int64_t index) const override {
    Part part{"", first_unknown(index), site_unknowns(shape_, index)};
    std::snprintf(part.name, sizeof part.name, "site%lld", static_cast<long long>(index + 1));
    return part;
  }
  bool large() const override { return true; }
  double tolerance() const override { return this->tolerance_of(1); }
  double batch_scale() const override { return this->predicted_weight_ > 0 ? this->predicted_weight_ : 1; }
  void start(Reals x) override;
  void read(Reals x, double *out) const override {
    for (int64_t i = 0; i < shape_.sites; ++i) read_site(i, site(x, i), out + first_unknown(i));
  }
  void write(Span<const double> values, Reals x) const override;
  // The driver evaluates site by site.
  Evaluation evaluate(Reals, const MaskedData &, Reals) override { return {}; }
  Separable *separable() override { return this; }

  int64_t first_unknown(int64_t i) const override { return unknowns_before(shape_, i); }
  int64_t most_unknowns() const override { return most_site_unknowns(shape_); }
  double evaluate_site(int64_t i, int thread, Reals x, Reals gradient, double *penalty) override {
    return site_objective(this->kernels_, this->passes_[thread], this->data_, this->penalties_, i, Span<const Real>(x.of<Real>()),
                          gradient.empty() ? Span<Real>() : gradient.of<Real>(), penalty);
  }
  void site_metric(int64_t i, Reals metric) const override {
    atp::site_metric(shape_, this->penalties_, this->effective_count_, this->frequencies_.data(), i, metric.of<Real>());
  }
  void read_site(int64_t i, Reals x, double *out) const override { transpose_blocks(i, x.of<Real>().data(), out); }
  double site_weight(int64_t i) const override { return this->data_.site_weight(i); }

 private:
  using Base = DenseCouplings<Pass>;
  using Base::shape_;

  Span<Real> site(Reals x, int64_t i) const { return x.of<Real>().sub(first_unknown(i), site_unknowns(shape_, i)); }
  void put(Reals x, Pass &pass, int64_t i) const override { put_site(pass, shape_, site(x, i).data(), i); }
  void add(Reals x, int64_t i, int64_t k, double factor, double *block) const override;
  void write_fields(Reals x, double *fields) const override {
    const int64_t q = shape_.colors;
    for (int64_t i = 0; i < shape_.sites; ++i)
      for (int64_t a = 0; a < q; ++a) fields[i * q + a] = static_cast<double>(site(x, i)[a]);
  }
  template <class From, class To>
  void transpose_blocks(int64_t i, const From *from, To *to) const;
};

// The order of the unknowns of a site in the C API, from or to the internal one: blocks [a][b] there, [b][a] here.
template <class Pass>
template <class From, class To>
void SiteCouplings<Pass>::transpose_blocks(int64_t i, const From *from, To *to) const {
  const int64_t q = shape_.colors;
  for (int64_t a = 0; a < q; ++a) to[a] = static_cast<To>(from[a]);
  for (int64_t k = 0; k < shape_.degree(i); ++k) {
    const From *x = from + q + k * q * q;
    To *y = to + q + k * q * q;
    for (int64_t a = 0; a < q; ++a)
      for (int64_t b = 0; b < q; ++b) y[a * q + b] = static_cast<To>(x[b * q + a]);
  }
}

template <class Pass>
void SiteCouplings<Pass>::start(Reals x) {
  const Span<Real> to = x.of<Real>();
  std::fill(to.begin(), to.end(), Real{0});
  const int64_t q = shape_.colors;
  for (int64_t i = 0; i < shape_.sites; ++i)
    for (int64_t a = 0; a < q; ++a) site(x, i)[a] = static_cast<Real>(this->start_[i * q + a]);
}

template <class Pass>
void SiteCouplings<Pass>::write(Span<const double> values, Reals x) const {
  this->check_range(values);
  for (int64_t i = 0; i < shape_.sites; ++i) transpose_blocks(i, values.data() + first_unknown(i), site(x, i).data());
}

template <class Pass>
void SiteCouplings<Pass>::add(Reals x, int64_t i, int64_t k, double factor, double *block) const {
  const int64_t q = shape_.colors, j = shape_.neighbor(i, k);
  // The copy of site i of the couplings with neighbour k: C_ij(a, b) lies at [b * q + a].
  const auto copy = [&](int64_t of, int64_t neighbor) { return site(x, of).data() + q + neighbor * shape_.block(); };
  const Real *mine = copy(i, k), *other = copy(j, shape_.place(j, i));
  for (int64_t a = 0; a < q; ++a)
    for (int64_t b = 0; b < q; ++b)
      block[a * q + b] += factor * 0.5 * (static_cast<double>(mine[b * q + a]) + static_cast<double>(other[a * q + b]));
}

}  // namespace

Objective *make_dense_sites(void *place, const ObjectiveRow &row, const ObjectiveInput &input) {
  if (input.options.integer(ATP_OPT_PRECISION) == 64) return put_objective<SiteCouplings<DensePassF64>>(place, row, input);
  return put_objective<SiteCouplings<DensePassF32>>(place, row, input);
}

}  // namespace atp
