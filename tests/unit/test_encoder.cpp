// SPDX-License-Identifier: MIT
// The encoder as a whole: its forward pass against one written down again, gradients against central differences, symmetries, initial
// parameters, threads.
#include "encoder_problem.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <string>

#include "support.h"  // last: cmocka has a macro fail()

using namespace atp;

namespace {

using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;

// The formulas of attopotts/trainer.h once more, on vectors of vectors; parameters are taken one after the other in the documented
// order. Shares no code with the library.
class Plain {
 public:
  Plain(const EncoderShape &s, const Vector &p) : s_(s), next_(p.data()) {
    tokens_ = matrix(s.colors + 1, s.width);
    for (int64_t b = 0; b < s.blocks; ++b) {
      Layer l;
      l.qkv = matrix(3 * s.width, s.width);
      l.qkv_bias = vector(3 * s.width);
      l.out = matrix(s.width, s.width);
      l.out_bias = vector(s.width);
      l.scale1 = vector(s.width);
      l.shift1 = vector(s.width);
      l.w1 = matrix(s.hidden, s.width);
      l.b1 = vector(s.hidden);
      l.w2 = matrix(s.width, s.hidden);
      l.b2 = vector(s.width);
      l.scale2 = vector(s.width);
      l.shift2 = vector(s.width);
      layers_.push_back(l);
    }
    output_ = matrix(s.colors, s.width);
    output_bias_ = vector(s.colors);
    assert_true(next_ == p.data() + p.size());
  }

  // p(s_site | rest); attention[block] is the row of the masked site.
  Vector conditional(const uint8_t *sequence, int64_t site, Matrix *attention) const {
    const size_t L = static_cast<size_t>(s_.sites), d = static_cast<size_t>(s_.width);
    Matrix x;
    for (size_t j = 0; j < L; ++j) {
      Vector row = tokens_[j == static_cast<size_t>(site) ? static_cast<size_t>(s_.colors) : sequence[j]];
      for (size_t c = 0; c < d && s_.positions; ++c) {
        const double even = static_cast<double>(c - c % 2), angle = static_cast<double>(j) / pow(10000.0, even / static_cast<double>(d));
        row[c] += c % 2 == 0 ? sin(angle) : cos(angle);
      }
      x.push_back(row);
    }
    for (const Layer &l : layers_) {
      Matrix qkv, next;
      for (const Vector &row : x) qkv.push_back(affine(l.qkv, l.qkv_bias, row));
      for (size_t k = 0; k < L; ++k) {
        Vector weights(L), context(d, 0.0);
        double total = 0;
        for (size_t j = 0; j < L; ++j) {
          double score = 0;
          for (size_t c = 0; c < d; ++c) score += qkv[k][c] * qkv[j][d + c];
          total += weights[j] = exp(score / sqrt(static_cast<double>(d)));
        }
        for (size_t j = 0; j < L; ++j) {
          weights[j] /= total;
          for (size_t c = 0; c < d; ++c) context[c] += weights[j] * qkv[j][2 * d + c];
        }
        if (attention != nullptr && k == static_cast<size_t>(site)) attention->push_back(weights);
        const Vector y = normed(sum(x[k], affine(l.out, l.out_bias, context)), l.scale1, l.shift1);
        Vector hidden = affine(l.w1, l.b1, y);
        for (double &h : hidden) h = std::max(h, 0.0);
        next.push_back(normed(sum(y, affine(l.w2, l.b2, hidden)), l.scale2, l.shift2));
      }
      x = next;
    }
    Vector p = affine(output_, output_bias_, x[static_cast<size_t>(site)]);
    double total = 0;
    for (double &value : p) total += value = exp(value);
    for (double &value : p) value /= total;
    return p;
  }

 private:
  struct Layer {
    Matrix qkv, out, w1, w2;
    Vector qkv_bias, out_bias, scale1, shift1, b1, b2, scale2, shift2;
  };
  Vector vector(int64_t n) {
    next_ += n;
    return Vector(next_ - n, next_);
  }
  Matrix matrix(int64_t rows, int64_t columns) {
    Matrix m;
    for (int64_t r = 0; r < rows; ++r) m.push_back(vector(columns));
    return m;
  }
  static Vector affine(const Matrix &w, const Vector &b, const Vector &x) {
    Vector y = b;
    for (size_t o = 0; o < w.size(); ++o)
      for (size_t i = 0; i < x.size(); ++i) y[o] += w[o][i] * x[i];
    return y;
  }
  static Vector sum(Vector a, const Vector &b) {
    for (size_t k = 0; k < a.size(); ++k) a[k] += b[k];
    return a;
  }
  static Vector normed(Vector x, const Vector &scale, const Vector &shift) {
    const double n = static_cast<double>(x.size());
    double mean = 0, square = 0;
    for (double v : x) mean += v / n;
    for (double v : x) square += v * v / n;
    for (size_t k = 0; k < x.size(); ++k) x[k] = scale[k] * (x[k] - mean) / sqrt(square - mean * mean + 1e-5) + shift[k];
    return x;
  }

  EncoderShape s_;
  const double *next_;
  Matrix tokens_, output_;
  Vector output_bias_;
  std::vector<Layer> layers_;
};

// One block and three, with and without positions, odd and even widths, widths 1 and 2, narrow and wide hidden layers, one with
// large matrices (EncoderOuter).
const EncoderShape kShapes[] = {
    encoder_shape_of(5, 4, 6, 12, 1),       encoder_shape_of(5, 4, 6, 12, 3), encoder_shape_of(6, 3, 5, 4, 1, false),
    encoder_shape_of(4, 5, 7, 3, 3, false), encoder_shape_of(2, 2, 2, 1, 2),  encoder_shape_of(20, 20, 20, 40, 1),
    encoder_shape_of(3, 2, 4, 8, 16),       encoder_shape_of(7, 3, 4, 50, 2),
};

void forward(void **) {
  for (const EncoderShape &shape : kShapes)
    for (int precision : {64, 32}) {
      EncoderProblem problem(shape, 7, precision, best_target());
      const Plain plain(shape, problem.parameters);
      const double tolerance = precision == 64 ? 1e-10 : 2e-4;
      const Vector p = problem.conditionals(), maps = problem.maps();
      Vector expected_maps(maps.size(), 0.0);
      double loss = 0, masked_loss = 0, total = 0;
      for (int64_t n = 0; n < problem.count; ++n) {
        const uint8_t *s = problem.data.data() + n * shape.sites;
        const double weight = problem.weights[static_cast<size_t>(n)];
        total += weight;
        for (int64_t i = 0; i < shape.sites; ++i) {
          Matrix attention;
          const Vector expected = plain.conditional(s, i, &attention);
          for (int64_t a = 0; a < shape.colors; ++a)
            assert_close(p[static_cast<size_t>((n * shape.sites + i) * shape.colors + a)], expected[static_cast<size_t>(a)], tolerance,
                         1e-8);
          const double own = -log(expected[s[i]]);
          loss += weight * own / static_cast<double>(shape.sites);
          if (problem.masked[static_cast<size_t>(n)] == i) masked_loss += weight * own;
          for (int64_t b = 0; b < shape.blocks; ++b)
            for (int64_t j = 0; j < shape.sites; ++j)
              expected_maps[static_cast<size_t>((b * shape.sites + i) * shape.sites + j)] +=
                  weight * attention[static_cast<size_t>(b)][static_cast<size_t>(j)];
        }
      }
      assert_close(problem.loss(problem.parameters, false), loss / total, tolerance, 0);
      assert_close(problem.loss(problem.parameters, true), masked_loss / total, tolerance, 0);
      for (size_t k = 0; k < maps.size(); ++k) assert_close(maps[k], expected_maps[k] / total, tolerance, 1e-8);
    }
}

// Central differences along every parameter, relative to the largest derivative of its part.
void whole_gradient(void **) {
  for (const EncoderShape &shape : kShapes) {
    // Many parameters and nothing new; many hidden units, some of which change sign within a difference.
    if (shape.width == 20 || shape.hidden == 50) continue;
    for (bool one_site : {false, true}) {
      EncoderProblem problem(shape, 5, 64, Target::scalar, 3);
      double loss = 0, worst = 0;
      const Vector g = problem.gradient(problem.parameters, one_site, &loss);
      assert_true(loss == problem.loss(problem.parameters, one_site));
      for (int64_t index = 0; index < problem.encoder().part_count(); ++index) {
        const Part part = problem.encoder().part(index);
        Vector numeric(static_cast<size_t>(part.size));
        double largest = 0;
        for (int64_t k = 0; k < part.size; ++k) {
          Vector at = problem.parameters;
          double &x = at[static_cast<size_t>(part.offset + k)];
          const double middle = x, step = 1e-4;
          double slope = 0;
          // Five points: the error is of fourth order.
          for (const auto &[move, factor] : {std::pair{-2.0, 1.0}, {-1.0, -8.0}, {1.0, 8.0}, {2.0, -1.0}}) {
            x = middle + move * step;
            slope += factor * problem.loss(at, one_site);
          }
          numeric[static_cast<size_t>(k)] = slope / (12 * step);
          largest = std::max(largest, fabs(numeric[static_cast<size_t>(k)]));
        }
        // Adding a number to all keys, or to all logits, changes nothing.
        for (int64_t k = 0; k < part.size; ++k) {
          const double error = fabs(g[static_cast<size_t>(part.offset + k)] - numeric[static_cast<size_t>(k)]);
          if (!(error <= 1e-6 * largest + 1e-10))
            fail_msg("%s[%d] of %d blocks: %.12g against %.12g, largest %.3g", part.name, static_cast<int>(k),
                     static_cast<int>(shape.blocks), g[static_cast<size_t>(part.offset + k)], numeric[static_cast<size_t>(k)], largest);
          worst = std::max(worst, error / (largest + 1e-4));
        }
      }
      print_message("%d blocks, %s: largest error %.2g of the largest derivative of a part\n", static_cast<int>(shape.blocks),
                    one_site ? "one site" : "all sites", worst);
    }
  }
}

void float32_against_float64(void **) {
  for (const EncoderShape &shape : kShapes)
    for (bool one_site : {false, true}) {
      EncoderProblem exact(shape, 37, 64, Target::scalar, 7, 0.4), fast(shape, 37, 32, best_target(), 7, 0.4);
      double loss = 0, fast_loss = 0, distance = 0, norm = 0;
      const Vector g = exact.gradient(exact.parameters, one_site, &loss), f = fast.gradient(fast.parameters, one_site, &fast_loss);
      for (size_t k = 0; k < g.size(); ++k) {
        distance += (g[k] - f[k]) * (g[k] - f[k]);
        norm += g[k] * g[k];
      }
      print_message("%d blocks, width %d: loss %.2g, gradient %.2g relative\n", static_cast<int>(shape.blocks),
                    static_cast<int>(shape.width), fabs(loss - fast_loss) / loss, sqrt(distance / norm));
      assert_close(fast_loss, loss, 1e-5, 0);
      assert_true(sqrt(distance / norm) < 1e-4);
      // A loss without gradient is the same number.
      assert_true(fast.loss(fast.parameters, one_site) == fast_loss);
    }
}

// Large parameters: attention of one site alone, probabilities that underflow.
void sharp(void **) {
  for (const EncoderShape &shape : {kShapes[0], kShapes[1]}) {
    EncoderProblem exact(shape, 60, 64, Target::scalar, 11, 8), fast(shape, 60, 32, best_target(), 11, 8);
    double loss = 0, fast_loss = 0;
    const Vector g = exact.gradient(exact.parameters, false, &loss), f = fast.gradient(fast.parameters, false, &fast_loss);
    const Vector maps = exact.maps();
    assert_true(loss > 20 && *std::max_element(maps.begin(), maps.end()) > 0.99);
    assert_close(fast_loss, loss, 1e-3, 0);
    for (double slope : f) assert_true(std::isfinite(slope));
  }
}

// The sites of a sequence in another order: the same conditionals in that order, without positions, and others with them.
void permutations(void **) {
  for (int precision : {64, 32})
    for (bool positions : {false, true})
      for (int64_t blocks : {1, 3}) {
        const EncoderShape shape = encoder_shape_of(9, 4, 6, 12, blocks, positions);
        EncoderProblem problem(shape, 20, precision, best_target());
        const Vector before = problem.conditionals();
        const size_t L = 9, q = 4, order[L] = {4, 2, 8, 0, 7, 5, 1, 3, 6};
        const std::vector<uint8_t> data = problem.data;
        for (size_t n = 0; n < 20; ++n)
          for (size_t i = 0; i < L; ++i) problem.data[n * L + i] = data[n * L + order[i]];
        const Vector after = problem.conditionals();
        double largest = 0;
        for (size_t n = 0; n < 20; ++n)
          for (size_t i = 0; i < L; ++i)
            for (size_t a = 0; a < q; ++a)
              largest = std::max(largest, fabs(after[(n * L + i) * q + a] - before[(n * L + order[i]) * q + a]));
        print_message("%d blocks, %s positions: %.2g\n", static_cast<int>(blocks), positions ? "with" : "without", largest);
        if (positions)
          assert_true(largest > 0.001);
        else
          assert_true(largest < (precision == 64 ? 1e-12 : 1e-5));
      }
}

void initial_loss(void **) {
  for (int64_t blocks : {1, 3})
    for (int64_t colors : {2, 4, 20, 100})
      for (uint64_t seed = 1; seed <= 3; ++seed) {
        const EncoderShape shape = encoder_shape_of(20, colors, 20, 40, blocks);
        EncoderProblem problem(shape, 200, 32, best_target(), seed);
        Vector p(problem.parameters.size(), NAN);
        problem.encoder().init(seed, 0.1, {p.data(), static_cast<int64_t>(p.size())});
        const double expected = log(static_cast<double>(colors));
        assert_close(problem.loss(p, false), expected, 0.05, 0);
        // The bound sees logits that are too large.
        problem.encoder().init(seed, 4.0, {p.data(), static_cast<int64_t>(p.size())});
        assert_true(problem.loss(p, false) > 1.05 * expected);
      }
}

void initial_parameters(void **) {
  const EncoderShape shape = encoder_shape_of(20, 20, 40, 80, 2);
  EncoderProblem problem(shape, 1, 64, Target::scalar);
  Vector p(problem.parameters.size(), NAN), other = p;
  problem.encoder().init(5, 0.1, {p.data(), static_cast<int64_t>(p.size())});
  problem.encoder().init(6, 0.1, {other.data(), static_cast<int64_t>(p.size())});
  const std::map<std::string, double> deviations = {{"tokens", 1},
                                                    {"qkv", sqrt(2 / 80.0)},
                                                    {"out", sqrt(2 / 80.0)},
                                                    {"hidden", sqrt(2 / 120.0)},
                                                    {"hidden_out", sqrt(2 / 120.0)},
                                                    {"output", 0.1 / sqrt(40.0)}};
  int64_t end = 0;
  for (int64_t k = 0; k < problem.encoder().part_count(); ++k) {
    const Part part = problem.encoder().part(k);
    assert_int_equal(part.offset, end);
    end += part.size;
    const char *dot = strchr(part.name, '.');
    const std::string name = dot == nullptr ? part.name : dot + 1;
    double square = 0, constant = name.find("scale") != std::string::npos ? 1 : 0;
    for (int64_t m = part.offset; m < end; ++m) square += p[static_cast<size_t>(m)] * p[static_cast<size_t>(m)];
    const auto found = deviations.find(name);
    if (found == deviations.end()) {
      for (int64_t m = part.offset; m < end; ++m) assert_true(p[static_cast<size_t>(m)] == constant);
      continue;
    }
    // 420 numbers or more: five standard deviations of the sum of their squares, for 10 parts. A false alarm once in 100 000 choices of
    // seeds.
    assert_close(sqrt(square / static_cast<double>(part.size)), found->second, 5 / sqrt(2.0 * static_cast<double>(part.size)), 0);
    assert_true(p[static_cast<size_t>(part.offset)] != other[static_cast<size_t>(part.offset)]);
  }
  assert_int_equal(end, problem.encoder().parameter_count());
  assert_string_equal(problem.encoder().part(1).name, "block1.qkv");
  assert_string_equal(problem.encoder().part(24).name, "block2.norm2_shift");
}

void threads(void **) {
  for (int precision : {64, 32})
    for (const EncoderShape &shape : {kShapes[0], kShapes[1]})
      for (bool one_site : {false, true}) {
        EncoderProblem problem(shape, 211, precision, best_target(), 9);
        double loss = 0, other = 0;
        const Vector g = problem.gradient(problem.parameters, one_site, &loss), p = problem.conditionals(), m = problem.maps();
        for (int team : {2, 3}) {
          problem.threads = team;
          assert_true(problem.gradient(problem.parameters, one_site, &other) == g);
          assert_true(other == loss);
          assert_true(problem.conditionals() == p);
          assert_true(problem.maps() == m);
        }
      }
}

// A batch whose sequences weigh nothing has no loss and no gradient.
void no_weight(void **) {
  for (int precision : {64, 32}) {
    EncoderProblem problem(kShapes[0], 5, precision, best_target());
    std::fill(problem.weights.begin(), problem.weights.end(), 0.0);
    double loss = NAN;
    for (double slope : problem.gradient(problem.parameters, true, &loss)) assert_true(slope == 0);
    assert_true(loss == 0);
  }
}

const struct CMUnitTest tests[] = {
    cmocka_unit_test(forward),      cmocka_unit_test(whole_gradient), cmocka_unit_test(float32_against_float64), cmocka_unit_test(sharp),
    cmocka_unit_test(permutations), cmocka_unit_test(initial_loss),   cmocka_unit_test(initial_parameters),      cmocka_unit_test(threads),
    cmocka_unit_test(no_weight),
};

}  // namespace

int main() {
  where_races_are_sought("threads");
  return cmocka_run_group_tests(tests, nullptr, nullptr) != 0;
}
