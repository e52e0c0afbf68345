// SPDX-License-Identifier: MIT
// The pieces of the encoder one by one: derivatives of random functions of what they give, against central differences.
#include "base/philox.hpp"
#include "learn/network/layers.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include "support.h"  // last: cmocka has a macro fail()

using namespace atp;

namespace {

using Vector = std::vector<double>;

Vector random_vector(int64_t n, uint64_t seed, double scale = 1) {
  const RandomView random(seed, Stream::parameters, 0, 0);
  Vector x(static_cast<size_t>(n));
  for (size_t k = 0; k < x.size(); ++k) x[k] = scale * random.normal(k);
  return x;
}

double dot(const Vector &x, const Vector &y) {
  double sum = 0;
  for (size_t k = 0; k < x.size(); ++k) sum += x[k] * y[k];
  return sum;
}

// d function / dx against `slopes`, relative to the largest of them. A planted error of a thousandth is seen.
void compare(const char *name, Vector &x, const Vector &slopes, const std::function<double()> &function) {
  Vector numeric(x.size());
  double largest = 0, worst = 0;
  for (size_t k = 0; k < x.size(); ++k) {
    const double middle = x[k], step = 1e-3;
    double values[4];
    const double moves[4] = {-2, -1, 1, 2};
    for (int m = 0; m < 4; ++m) {
      x[k] = middle + moves[m] * step;
      values[m] = function();
    }
    x[k] = middle;
    numeric[k] = (values[0] - 8 * values[1] + 8 * values[2] - values[3]) / (12 * step);
    largest = std::max(largest, fabs(numeric[k]));
  }
  for (size_t k = 0; k < x.size(); ++k) {
    worst = std::max(worst, fabs(slopes[k] - numeric[k]) / largest);
    if (!(fabs(slopes[k] - numeric[k]) <= 1e-6 * largest)) fail_msg("%s[%zu]: %.12g against %.12g", name, k, slopes[k], numeric[k]);
  }
  const auto biggest = std::max_element(numeric.begin(), numeric.end(), [](double a, double b) { return fabs(a) < fabs(b); });
  const size_t place = static_cast<size_t>(biggest - numeric.begin());
  assert_true(fabs(1.001 * slopes[place] - numeric[place]) > 1e-6 * largest);
  print_message("%s: %.1g\n", name, worst);
}

void linear(void **) {
  const int64_t rows = 3, in = 4, out = 5;
  Vector w = random_vector(out * in, 1), b = random_vector(out, 2), x = random_vector(rows * in, 3), y(rows * out);
  const Vector c = random_vector(rows * out, 4);
  const auto function = [&] {
    layers::linear(rows, in, out, w.data(), b.data(), x.data(), y.data());
    return dot(c, y);
  };
  Vector dw(w.size()), db(b.size()), dx(x.size());
  layers::linear_back(rows, in, out, w.data(), x.data(), c.data(), dw.data(), db.data(), dx.data());
  compare("linear w", w, dw, function);
  compare("linear b", b, db, function);
  compare("linear x", x, dx, function);
}

void norm(void **) {
  const int64_t rows = 3, width = 7;
  Vector scale = random_vector(width, 1), shift = random_vector(width, 2), x = random_vector(rows * width, 3), y(rows * width);
  Vector hat(rows * width), deviation(rows);
  const Vector c = random_vector(rows * width, 4);
  const auto function = [&] {
    layers::norm(rows, width, scale.data(), shift.data(), x.data(), hat.data(), deviation.data(), y.data());
    return dot(c, y);
  };
  function();
  for (int64_t r = 0; r < rows; ++r) {
    double mean = 0, square = 0;
    for (int64_t k = 0; k < width; ++k) {
      mean += hat[static_cast<size_t>(r * width + k)] / static_cast<double>(width);
      square += hat[static_cast<size_t>(r * width + k)] * hat[static_cast<size_t>(r * width + k)] / static_cast<double>(width);
    }
    assert_close(mean, 0, 0, 1e-14);
    assert_close(square, 1, 1e-3, 0);
  }
  Vector dscale(scale.size()), dshift(shift.size()), dx(x.size());
  layers::norm_back(rows, width, scale.data(), hat.data(), deviation.data(), c.data(), dscale.data(), dshift.data(), dx.data());
  compare("norm scale", scale, dscale, function);
  compare("norm shift", shift, dshift, function);
  compare("norm x", x, dx, function);
}

// The two-layer network.
void feed_forward(void **) {
  const int64_t rows = 3, d = 4, h = 9;
  Vector w1 = random_vector(h * d, 1), b1 = random_vector(h, 2), w2 = random_vector(d * h, 3), b2 = random_vector(d, 4),
         x = random_vector(rows * d, 5), hidden(rows * h), y(rows * d);
  const Vector c = random_vector(rows * d, 6);
  const auto function = [&] {
    layers::linear(rows, d, h, w1.data(), b1.data(), x.data(), hidden.data());
    layers::relu(rows * h, hidden.data());
    layers::linear(rows, h, d, w2.data(), b2.data(), hidden.data(), y.data());
    return dot(c, y);
  };
  function();
  const auto zeros = std::count(hidden.begin(), hidden.end(), 0.0);
  assert_true(zeros > 0 && zeros < rows * h);
  Vector dw1(w1.size()), db1(b1.size()), dw2(w2.size()), db2(b2.size()), dx(x.size()), dhidden(hidden.size());
  layers::linear_back(rows, h, d, w2.data(), hidden.data(), c.data(), dw2.data(), db2.data(), dhidden.data());
  layers::relu_back(rows * h, hidden.data(), dhidden.data());
  layers::linear_back(rows, d, h, w1.data(), x.data(), dhidden.data(), dw1.data(), db1.data(), dx.data());
  compare("feed-forward w1", w1, dw1, function);
  compare("feed-forward b1", b1, db1, function);
  compare("feed-forward w2", w2, dw2, function);
  compare("feed-forward b2", b2, db2, function);
  compare("feed-forward x", x, dx, function);
}

void attention(void **) {
  const int64_t sites = 5, width = 4;
  for (int64_t first : {0, 2}) {
    const int64_t last = first == 0 ? sites : first + 1;
    Vector qkv = random_vector(sites * 3 * width, 1), a(sites * sites), c(sites * width), work(sites);
    Vector slopes = random_vector(sites * width, 2);
    for (int64_t k = 0; k < sites * width; ++k)
      if (k / width < first || k / width >= last) slopes[static_cast<size_t>(k)] = 0;
    const auto function = [&] {
      layers::attention(sites, width, first, last, qkv.data(), a.data(), c.data());
      return dot(slopes, c);
    };
    function();
    for (int64_t k = first; k < last; ++k) {
      double sum = 0;
      for (int64_t j = 0; j < sites; ++j) sum += a[static_cast<size_t>(k * sites + j)];
      assert_close(sum, 1, 1e-14, 0);
    }
    Vector dqkv(qkv.size(), NAN);
    layers::attention_back(sites, width, first, last, qkv.data(), a.data(), slopes.data(), dqkv.data(), work.data());
    compare(first == 0 ? "attention, all queries" : "attention, one query", qkv, dqkv, function);
  }
}

// Embedding: x_j = t_{s_j} is a sum over sites; output layer and loss.
void output(void **) {
  const int64_t d = 4, colors = 5, own = 2;
  Vector w = random_vector(colors * d, 1), b = random_vector(colors, 2), x = random_vector(d, 3), logits(colors), slopes(colors);
  const auto function = [&] {
    layers::linear(1, d, colors, w.data(), b.data(), x.data(), logits.data());
    return 1.5 * layers::cross_entropy(colors, logits.data(), own, 0, nullptr);
  };
  function();
  double total = 0;
  for (double z : logits) total += exp(z);
  assert_close(layers::cross_entropy(colors, logits.data(), own, 1.5, slopes.data()), log(total) - logits[own], 1e-13, 0);
  Vector dw(w.size()), db(b.size()), dx(x.size());
  layers::linear_back(1, d, colors, w.data(), x.data(), slopes.data(), dw.data(), db.data(), dx.data());
  compare("output w", w, dw, function);
  compare("output b", b, db, function);
  compare("output x", x, dx, function);
  // In place, and logits that are far apart.
  Vector far = {800, -800, 0, 1, 2};
  assert_close(layers::cross_entropy(colors, far.data(), 1, 1, far.data()), 1600, 1e-15, 0);
  assert_true(far[0] == 1 && far[1] == -1);
}

const struct CMUnitTest tests[] = {
    cmocka_unit_test(linear), cmocka_unit_test(norm), cmocka_unit_test(feed_forward), cmocka_unit_test(attention), cmocka_unit_test(output),
};

}  // namespace

ATP_TEST_MAIN(tests)
