// SPDX-License-Identifier: MIT
// Models whose law is known exactly, by summing over all states or, where the couplings form a path through the sites, by transfer
// matrices. Arrays and formulas are written down here from the definition; the library only sees them through its C API.
#pragma once

#include "base/philox.hpp"

#include <attopotts.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

inline std::size_t index_of(int64_t k) { return static_cast<std::size_t>(k); }

// Calls of the C API that must succeed.
inline void must(atp_status status, const char *what) {
  if (status == ATP_OK) return;
  char text[512] = "";
  atp_last_error(text, sizeof text);
  std::fprintf(stderr, "%s: %s: %s\n", what, atp_status_name(status), text);
  std::abort();
}
#define MUST(call) must((call), #call)

struct ExactModel {
  int64_t sites, colors, heads;  // heads 0: dense
  double beta = 1;
  std::vector<double> maps;    // [H][L][L], symmetric
  std::vector<double> values;  // [H][q][q], symmetric
  std::vector<double> dense;   // [L][L][q][q]
  std::vector<double> fields;  // [L][q], empty: none
  std::vector<int64_t> path;   // the order of the sites along the path; empty: couplings between all pairs

  double coupling(int64_t i, int64_t j, int64_t a, int64_t b) const {
    if (heads == 0) return dense[index_of(((i * sites + j) * colors + a) * colors + b)];
    double sum = 0;
    for (int64_t h = 0; h < heads; ++h)
      sum += maps[index_of((h * sites + i) * sites + j)] * values[index_of((h * colors + a) * colors + b)];
    return sum;
  }
  double field(int64_t i, int64_t a) const { return fields.empty() ? 0 : fields[index_of(i * colors + a)]; }
  double energy(const uint8_t *s) const {
    double sum = 0;
    for (int64_t i = 0; i < sites; ++i) {
      sum -= field(i, s[i]);
      for (int64_t j = 0; j < i; ++j) sum -= coupling(i, j, s[i], s[j]);
    }
    return sum;
  }
  int64_t states() const {
    int64_t n = 1;
    for (int64_t i = 0; i < sites; ++i) n *= colors;
    return n;
  }

  // P(s) of all q^L states, site 0 the slowest digit, and (optional) their energies.
  std::vector<double> probabilities(std::vector<double> *energies = nullptr) const {
    std::vector<double> p{0};  // energies of the first sites, one site more in each round
    std::vector<int64_t> digits(index_of(sites));
    for (int64_t i = 0; i < sites; ++i) {
      std::vector<double> longer(p.size() * index_of(colors));
      for (std::size_t k = 0; k < p.size(); ++k) {
        std::size_t rest = k;
        for (int64_t j = i - 1; j >= 0; --j, rest /= index_of(colors)) digits[index_of(j)] = static_cast<int64_t>(rest % index_of(colors));
        for (int64_t a = 0; a < colors; ++a) {
          double e = p[k] - field(i, a);
          for (int64_t j = 0; j < i; ++j) e -= coupling(i, j, a, digits[index_of(j)]);
          longer[k * index_of(colors) + index_of(a)] = e;
        }
      }
      p.swap(longer);
    }
    if (energies != nullptr) *energies = p;
    double lowest = p[0], sum = 0;
    for (double e : p) lowest = e < lowest ? e : lowest;
    for (double &e : p) sum += e = std::exp(-beta * (e - lowest));
    for (double &e : p) e /= sum;
    return p;
  }

  // p(s_x = a, s_y = b) of neighbours x = path[k], y = path[k + 1], shape [L - 1][q][q].
  std::vector<double> path_pairs() const {
    const auto weight = [&](int64_t site, int64_t a) { return std::exp(beta * field(site, a)); };
    const auto bond = [&](int64_t k, int64_t a, int64_t b) {
      return std::exp(beta * coupling(path[index_of(k)], path[index_of(k + 1)], a, b));
    };
    const int64_t q = colors, L = sites;
    std::vector<double> before(index_of(L * q)), after(index_of(L * q), 1.0);  // sums over the part before and after a site
    for (int64_t a = 0; a < q; ++a) before[index_of(a)] = 1;
    const auto normalize = [&](std::vector<double> &v, int64_t k) {
      double sum = 0;
      for (int64_t a = 0; a < q; ++a) sum += v[index_of(k * q + a)];
      for (int64_t a = 0; a < q; ++a) v[index_of(k * q + a)] /= sum;
    };
    for (int64_t k = 0; k + 1 < L; ++k) {
      for (int64_t b = 0; b < q; ++b) {
        double sum = 0;
        for (int64_t a = 0; a < q; ++a) sum += before[index_of(k * q + a)] * weight(path[index_of(k)], a) * bond(k, a, b);
        before[index_of((k + 1) * q + b)] = sum;
      }
      normalize(before, k + 1);
    }
    for (int64_t k = L - 2; k >= 0; --k) {
      for (int64_t a = 0; a < q; ++a) {
        double sum = 0;
        for (int64_t b = 0; b < q; ++b) sum += bond(k, a, b) * weight(path[index_of(k + 1)], b) * after[index_of((k + 1) * q + b)];
        after[index_of(k * q + a)] = sum;
      }
      normalize(after, k);
    }
    std::vector<double> pairs(index_of((L - 1) * q * q));
    for (int64_t k = 0; k + 1 < L; ++k) {
      double sum = 0;
      for (int64_t a = 0; a < q; ++a)
        for (int64_t b = 0; b < q; ++b)
          sum += pairs[index_of((k * q + a) * q + b)] = before[index_of(k * q + a)] * weight(path[index_of(k)], a) * bond(k, a, b) *
                                                        weight(path[index_of(k + 1)], b) * after[index_of((k + 1) * q + b)];
      for (int64_t x = k * q * q; x < (k + 1) * q * q; ++x) pairs[index_of(x)] /= sum;
    }
    return pairs;
  }

  atp_model *create(atp_context *context) const {
    atp_model *model = nullptr;
    const double *b = fields.empty() ? nullptr : fields.data();
    const int64_t shape[] = {sites, colors, heads};
    if (heads == 0)
      MUST(atp_model_create_dense_f64(context, sites, colors, dense.data(), b, &model));
    else
      MUST(atp_model_create_heads(context, shape, maps.data(), values.data(), b, &model));
    MUST(atp_model_set_beta(model, beta));
    return model;
  }
};

// Random numbers of a recipe, by position.
class Draws {
 public:
  Draws(uint64_t seed, uint64_t array) : random_(seed, atp::Stream::model, 1, array) {}
  double normal() { return random_.normal(next_++); }
  uint32_t below(uint32_t n) { return random_.below(next_++, n); }

 private:
  atp::RandomView random_;
  uint64_t next_ = 0;
};

struct ExactRecipe {
  int64_t sites, colors, heads;  // heads 0: dense
  bool fields = true;
  double beta = 1;
  uint64_t seed = 1;
  double scale = 0.7;  // of a site's local field from all its couplings
  bool path = false;   // couplings along a random path through all sites only
};

inline ExactModel make_exact(const ExactRecipe &r) {
  ExactModel m;
  m.sites = r.sites, m.colors = r.colors, m.heads = r.heads, m.beta = r.beta;
  const int64_t L = r.sites, q = r.colors, kinds = r.heads == 0 ? 1 : r.heads;
  std::vector<double> bond(index_of(L * L), r.scale / std::sqrt(static_cast<double>(L * kinds)));  // scale of the couplings of a pair
  if (r.path) {
    Draws draw(r.seed, 0);
    for (int64_t i = 0; i < L; ++i) m.path.push_back(i);
    for (int64_t i = L - 1; i > 0; --i) std::swap(m.path[index_of(i)], m.path[draw.below(static_cast<uint32_t>(i + 1))]);
    bond.assign(bond.size(), 0.0);
    for (int64_t k = 0; k + 1 < L; ++k) {
      const int64_t i = m.path[index_of(k)], j = m.path[index_of(k + 1)];
      bond[index_of(i * L + j)] = bond[index_of(j * L + i)] = r.scale / std::sqrt(static_cast<double>(2 * kinds));
    }
  }
  Draws map(r.seed, 1), value(r.seed, 2), block(r.seed, 3), field(r.seed, 4);
  if (r.heads > 0) {
    m.maps.assign(index_of(r.heads * L * L), 0.0);
    m.values.assign(index_of(r.heads * q * q), 0.0);
    for (int64_t h = 0; h < r.heads; ++h) {
      for (int64_t i = 0; i < L; ++i)
        for (int64_t j = 0; j < i; ++j)
          m.maps[index_of((h * L + i) * L + j)] = m.maps[index_of((h * L + j) * L + i)] = bond[index_of(i * L + j)] * map.normal();
      for (int64_t a = 0; a < q; ++a)
        for (int64_t b = 0; b <= a; ++b) m.values[index_of((h * q + a) * q + b)] = m.values[index_of((h * q + b) * q + a)] = value.normal();
    }
  } else {
    m.dense.assign(index_of(L * L * q * q), 0.0);
    for (int64_t i = 0; i < L; ++i)
      for (int64_t j = 0; j < i; ++j)
        for (int64_t a = 0; a < q; ++a)
          for (int64_t b = 0; b < q; ++b)
            m.dense[index_of(((i * L + j) * q + a) * q + b)] = m.dense[index_of(((j * L + i) * q + b) * q + a)] =
                bond[index_of(i * L + j)] * block.normal();
  }
  if (r.fields) {
    // Fields evenly spaced in a random order, and a little noise: a change by 10 per cent can be seen.
    const double reach = q < 10 ? 1.2 : 1.8;
    std::vector<int64_t> order(index_of(q));
    for (int64_t i = 0; i < L; ++i) {
      for (int64_t a = 0; a < q; ++a) order[index_of(a)] = a;
      for (int64_t a = q - 1; a > 0; --a) std::swap(order[index_of(a)], order[field.below(static_cast<uint32_t>(a + 1))]);
      for (int64_t a = 0; a < q; ++a)
        m.fields.push_back(reach * (2.0 * static_cast<double>(order[index_of(a)]) / static_cast<double>(q - 1) - 1) + 0.1 * field.normal());
    }
  }
  return m;
}
