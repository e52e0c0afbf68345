// SPDX-License-Identifier: MIT
#include "theory/replica/potts_fields.hpp"

#include "base/error.hpp"
#include "math/small_linear.hpp"

#include <algorithm>
#include <cmath>

namespace atp::replica {

namespace {

constexpr double kNoPart = 1e-12;    // eigenvalues below this part of the largest are 0
constexpr double kNegative = 1e-9;   // of the largest element: what R R^T may miss of the covariance
constexpr double kRounding = 1e-14;  // of an element of the Hessian, what must be left of it
constexpr double kSmallTrace = 1e-2;
constexpr int kSteps = 300;

// The covariance without its part along (1, ..., 1), on both sides.
void center(const double *covariance, int64_t q, double *out) {
  const double n = static_cast<double>(q);
  double mean = 0;
  for (int64_t k = 0; k < q * q; ++k) mean += covariance[k] / (n * n);
  for (int64_t a = 0; a < q; ++a) {
    double row = 0;
    for (int64_t b = 0; b < q; ++b) row += covariance[a * q + b] / n;
    for (int64_t b = 0; b < q; ++b) out[a * q + b] = covariance[a * q + b] - row;
  }
  for (int64_t b = 0; b < q; ++b) {
    double column = -mean;
    for (int64_t a = 0; a < q; ++a) column += covariance[a * q + b] / n;
    for (int64_t a = 0; a < q; ++a) out[a * q + b] -= column;
  }
}

void add_multiple(int64_t n, double factor, const double *x, double *y) {
  for (int64_t k = 0; k < n; ++k) y[k] += factor * x[k];
}

}  // namespace

int64_t basis_workspace(int64_t colors) { return 4 * colors * colors + colors; }

FieldBasis field_basis(const double *covariance, int64_t colors, Span<double> work) {
  const int64_t q = colors, square = q * q;
  double *directions = work.data(), *centered = directions + square, *rotated = centered + square, *vectors = rotated + square,
         *values = vectors + square;
  center(covariance, q, centered);
  std::copy(centered, centered + square, rotated);
  jacobi_svd(q, q, rotated, values, vectors);
  FieldBasis basis;
  basis.colors = q;
  while (basis.rank < q - 1 && values[basis.rank] > kNoPart * values[0]) ++basis.rank;
  double size = 0;
  for (int64_t k = 0; k < square; ++k) size = std::max(size, std::fabs(covariance[k]));
  if (basis.rank == 0 || !(values[0] > kNoPart * size))
    fail(ATP_E_VALUE, "the covariance of the fields is the same for all pairs of colours, must differ");
  const int64_t d = basis.rank;
  for (int64_t a = 0; a < q; ++a)
    for (int64_t c = 0; c < d; ++c) directions[a * d + c] = std::sqrt(values[c]) * vectors[c * q + a];
  double largest = 0, missed = 0;
  for (int64_t a = 0; a < q; ++a)
    for (int64_t b = 0; b < q; ++b) {
      double sum = 0;
      for (int64_t c = 0; c < d; ++c) sum += directions[a * d + c] * directions[b * d + c];
      largest = std::max(largest, std::fabs(centered[a * q + b]));
      missed = std::max(missed, std::fabs(centered[a * q + b] - sum));
    }
  if (!(missed <= kNegative * largest)) fail(ATP_E_VALUE, "the covariance of the fields has a negative eigenvalue, must have none");
  if (d == q - 1 && values[0] - values[d - 1] <= kNoPart * values[0]) basis.common = values[0];
  basis.directions = Span<const double>(directions, q * d);
  return basis;
}

void FieldBasis::fields(const double *u, double *z) const {
  for (int64_t a = 0; a < colors; ++a) {
    double sum = 0;
    for (int64_t c = 0; c < rank; ++c) sum += directions[a * rank + c] * u[c];
    z[a] = sum;
  }
}

void FieldBasis::project(const double *g, double *u) const {
  std::fill(u, u + rank, 0.0);
  for (int64_t a = 0; a < colors; ++a)
    for (int64_t c = 0; c < rank; ++c) u[c] += directions[a * rank + c] * g[a];
}

double FieldBasis::square(int64_t a) const {
  double sum = 0;
  for (int64_t c = 0; c < rank; ++c) sum += directions[a * rank + c] * directions[a * rank + c];
  return sum;
}

Softmax::Softmax(const double *z, int64_t colors, double *p) {
  top = std::max_element(z, z + colors) - z;
  double others = 0;
  for (int64_t a = 0; a < colors; ++a) {
    p[a] = std::exp(z[a] - z[top]);
    if (a != top) others += p[a];
  }
  log_sum = std::log1p(others);
  for (int64_t a = 0; a < colors; ++a) p[a] /= 1 + others;
}

int64_t PottsSample::workspace(const FieldBasis &basis) { return 4 * basis.colors + 3 * basis.rank + 2 * basis.rank * basis.rank; }

PottsSample::PottsSample(const FieldBasis &basis, Span<double> work) : basis_(basis) {
  const int64_t q = basis.colors, d = basis.rank;
  p_ = work.sub(0, q);
  residual_ = work.sub(q, q);
  center_ = work.sub(2 * q, q);
  z_ = work.sub(3 * q, q);
  force_ = work.sub(4 * q, d);
  right_ = work.sub(4 * q + d, d);
  step_ = work.sub(4 * q + 2 * d, d);
  matrix_ = work.sub(4 * q + 3 * d, d * d);
  factor_ = work.sub(4 * q + 3 * d + d * d, d * d);
}

void PottsSample::residual(int64_t label) {
  double others = 0;
  for (int64_t a = 0; a < basis_.colors; ++a) {
    residual_[a] = -p_[a];
    if (a != label) others += p_[a];
  }
  residual_[label] = others;
}

// Newton's step of z - center - c (e_label - p) = 0; (1 + c diag p - c p p^T) is inverted by the Sherman-Morrison formula.
// Returns the range of the step.
double PottsSample::common_step(double c, int64_t label, double *z) {
  const int64_t q = basis_.colors;
  const Softmax softmax(z, q, p_.data());
  residual(label);
  double along = 0, sum = 0;
  for (int64_t a = 0; a < q; ++a) {
    const double b = 1 + c * p_[a], g = (center_[a] - z[a] + c * residual_[a]) / b;
    z_[a] = g;
    along += p_[a] * g;
    sum += p_[a] / b;
  }
  const double part = c * along / sum;
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (int64_t a = 0; a < q; ++a) {
    z_[a] += part * p_[a] / (1 + c * p_[a]);
    low = std::min(low, z_[a]);
    high = std::max(high, z_[a]);
  }
  const double range = high - low;
  const double share = share_of_step(range, [&](double part_of_step) {
    double distance = 0;
    for (int64_t a = 0; a < q; ++a) {
      p_[a] = z[a] + part_of_step * z_[a];
      distance += (p_[a] - center_[a]) * (p_[a] - center_[a]);
    }
    return Softmax(p_.data(), q, residual_.data()).loss(p_.data(), label) + distance / (2 * c);
  });
  for (int64_t a = 0; a < q; ++a) z[a] += share * z_[a];
  return range;
}

// v R^T (diag p - p p^T) R, as a sum of positive terms; the lower triangle, column by column.
void PottsSample::curvature(double v) {
  const int64_t q = basis_.colors, d = basis_.rank;
  std::fill(matrix_.begin(), matrix_.end(), 0.0);
  basis_.project(p_.data(), right_.data());  // the mean of the rows of R
  double *row = step_.data();
  for (int64_t a = 0; a < q; ++a) {
    for (int64_t c = 0; c < d; ++c) row[c] = basis_.directions[a * d + c] - right_[c];
    for (int64_t c = 0; c < d; ++c) add_multiple(d - c, v * p_[a] * row[c], row + c, matrix_.data() + c * d + c);
  }
}

// Cholesky's factor of 1 + matrix_, column by column; false where rounding hides the 1.
bool PottsSample::factorise() {
  const int64_t d = basis_.rank;
  double *factor = factor_.data();
  std::copy(matrix_.begin(), matrix_.end(), factor);
  for (int64_t c = 0; c < d; ++c) factor[c * d + c] += 1;
  for (int64_t c = 0; c < d; ++c) {
    double *column = factor + c * d;
    if (!(column[c] > kRounding * matrix_[c * d + c])) return false;
    const double root = std::sqrt(column[c]);
    for (int64_t r = c; r < d; ++r) column[r] /= root;
    for (int64_t k = c + 1; k < d; ++k) add_multiple(d - k, -column[k], column + k, factor + k * d + k);
  }
  return true;
}

// x = L^-1 x, of which the first elements, below `first`, are 0.
void PottsSample::forward(int64_t first, double *x) const {
  const int64_t d = basis_.rank;
  for (int64_t c = first; c < d; ++c) {
    const double *column = factor_.data() + c * d;
    x[c] /= column[c];
    add_multiple(d - c - 1, -x[c], column + c + 1, x + c + 1);
  }
}

void PottsSample::backward(double *x) const {
  const int64_t d = basis_.rank;
  for (int64_t c = d - 1; c >= 0; --c) {
    const double *column = factor_.data() + c * d;
    for (int64_t r = c + 1; r < d; ++r) x[c] -= column[r] * x[r];
    x[c] /= column[c];
  }
}

// The same in u. NaN where rounding hides the 1 of the matrix.
double PottsSample::general_step(double v, const double *omega, int64_t label, double *u) {
  const int64_t q = basis_.colors, d = basis_.rank;
  basis_.fields(u, z_.data());
  const Softmax softmax(z_.data(), q, p_.data());
  residual(label);
  curvature(v);
  basis_.project(residual_.data(), force_.data());
  if (!factorise()) return std::nan("");
  for (int64_t c = 0; c < d; ++c) step_[c] = omega[c] - u[c] + v * force_[c];
  forward(0, step_.data());
  backward(step_.data());
  basis_.fields(u, center_.data());
  basis_.fields(step_.data(), z_.data());
  const auto ends = std::minmax_element(z_.begin(), z_.end());
  const double range = *ends.second - *ends.first;
  const double share = share_of_step(range, [&](double part) {
    double distance = 0;
    for (int64_t c = 0; c < d; ++c) {
      const double x = u[c] + part * step_[c] - omega[c];
      distance += x * x;
    }
    for (int64_t a = 0; a < q; ++a) p_[a] = center_[a] + part * z_[a];
    return Softmax(p_.data(), q, residual_.data()).loss(p_.data(), label) + distance / (2 * v);
  });
  for (int64_t c = 0; c < d; ++c) u[c] += share * step_[c];
  return range;
}

// tr W (1 + c W)^-1, W = diag p - p p^T: sum x - (sum x^2) / sum x with x = p / (1 + c p), as a sum of positive terms.
double PottsSample::common_stiffness(double c, const Softmax &softmax) const {
  double others = 0, squares = 0;
  for (int64_t a = 0; a < basis_.colors; ++a) {
    if (a == softmax.top) continue;
    const double x = p_[a] / (1 + c * p_[a]);
    others += x;
    squares += x * x;
  }
  const double first = p_[softmax.top] / (1 + c * p_[softmax.top]);
  return (2 * first * others + std::max(0.0, others * others - squares)) / (first + others);
}

// (1 / v) tr A (1 + A)^-1 with A = matrix_: d - |L^-1|^2; for small A, where this loses digits, column by column.
double PottsSample::general_stiffness(double v) {
  const int64_t d = basis_.rank;
  curvature(v);
  if (!factorise()) return std::nan("");
  double size = 0, inverse = 0, trace = 0;
  for (int64_t c = 0; c < d; ++c) size += matrix_[c * d + c];
  for (int64_t c = 0; c < d; ++c) {
    std::fill(step_.begin(), step_.end(), 0.0);
    if (size > kSmallTrace) {
      step_[c] = 1;
      forward(c, step_.data());
      for (int64_t r = c; r < d; ++r) inverse += step_[r] * step_[r];
    } else {
      for (int64_t r = 0; r < d; ++r) step_[r] = matrix_[std::min(r, c) * d + std::max(r, c)];
      forward(0, step_.data());
      backward(step_.data());
      trace += step_[c];
    }
  }
  return (size > kSmallTrace ? static_cast<double>(d) - inverse : trace) / v;
}

PottsSample::Response PottsSample::respond(const double *omega, int64_t label, double v, double *start) {
  const bool common = basis_.common > 0;
  const double c = basis_.common * v;
  if (common) basis_.fields(omega, center_.data());
  double range = HUGE_VAL;
  for (int step = 0; step < kSteps && range > kLastRange; ++step)
    range = common ? common_step(c, label, start) : general_step(v, omega, label, start);
  Response response;
  if (!(range <= kLastRange)) {
    response.loss = response.stiffness = std::nan("");
    return response;
  }
  const double *z = start;
  if (!common) {
    basis_.fields(start, z_.data());
    z = z_.data();
  }
  const Softmax softmax(z, basis_.colors, p_.data());
  residual(label);
  basis_.project(residual_.data(), force_.data());
  response.loss = softmax.loss(z, label);
  response.stiffness = common ? basis_.common * common_stiffness(c, softmax) : general_stiffness(v);
  return response;
}

}  // namespace atp::replica
