// SPDX-License-Identifier: MIT
#include "sample/tables.hpp"

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

double largest(const double *x, int64_t n) {
  double m = 0;
  for (int64_t k = 0; k < n; ++k) m = std::max(m, std::fabs(x[k]));
  return m;
}

void check_range(const Model &model) {
  const int64_t L = model.sites(), q = model.colors();
  double bound = largest(model.fields.data(), model.fields.size());
  if (model.shape.dense()) {
    int64_t most = L;  // neighbours
    if (model.shape.pairs > 0)
      for (int64_t i = most = 0; i < L; ++i) most = std::max(most, model.neighbors(i).size());
    bound += static_cast<double>(most) * largest(model.couplings.data(), model.couplings.size());
  } else {
    for (int64_t h = 0; h < model.shape.heads; ++h)
      bound += static_cast<double>(L) * std::max(1.0, largest(model.map(h), L * L)) * std::max(1.0, largest(model.value(h), q * q));
  }
  if (!(bound <= kLargestField))
    fail(ATP_E_VALUE, "the local fields of the model may reach %g, must stay below %g for sampling", bound, kLargestField);
}

}  // namespace

GibbsModel::GibbsModel(const ModelShape &m, Target target)
    : shape{m.pairs > 0 ? gibbs_list_method(m.sites, m.pairs, m.scaled) : gibbs_method(m.sites, m.colors, m.heads),
            m.sites,
            m.colors,
            m.heads,
            dense_by_lookup(target, m.colors),
            m.pairs} {}

void GibbsModel::lay_out(Arena &arena) {
  fields = arena.take<float>(shape.field_floats());
  maps = arena.take<float>(shape.map_floats());
  values = arena.take<float>(shape.value_floats());
  columns = arena.take<float>(shape.column_floats());
  couplings = arena.take<float>(shape.coupling_floats());
  begins = arena.take<int64_t>(shape.of_list() ? shape.sites + 1 : 0);
  neighbors = arena.take<int32_t>(shape.of_list() ? 2 * shape.pairs : 0);
}

// The places of C_ij(a, b) and C_ij(a, b + 1) lie equally far apart for all b.
void GibbsModel::put_block(int64_t i, int64_t j, const double *block, int64_t stride_a, int64_t stride_b) {
  for (int64_t a = 0; a < shape.colors; ++a) {
    float *to = couplings.data() + shape.coupling_index(i, j, a, 0);
    const int64_t step = shape.coupling_index(i, j, a, 1) - shape.coupling_index(i, j, a, 0);
    const double *from = block + a * stride_a;
    for (int64_t b = 0; b < shape.colors; ++b) to[b * step] = static_cast<float>(from[b * stride_b]);
  }
}

void GibbsModel::put_neighbor(int64_t i, int64_t k, const double *block, int64_t stride_a, int64_t stride_b) {
  const int64_t q = shape.colors;
  float *to = couplings.data() + (begins[i] + k) * q * q;
  for (int64_t a = 0; a < q; ++a)
    for (int64_t b = 0; b < q; ++b) to[a * q + b] = static_cast<float>(block[a * stride_a + b * stride_b]);
}

void GibbsModel::set_neighbors(int64_t i, Span<const int32_t> sites) {
  begins[i + 1] = begins[i] + sites.size();
  std::copy(sites.begin(), sites.end(), neighbors.data() + begins[i]);
}

// Neighbours ascend by their places, so that sums are those of the dense tables.
void GibbsModel::fill_list(const Model &model) {
  const int64_t q = shape.colors, size = q * q;
  const double *unit = nullptr;  // the block that gives U, with the number that is 1 in it
  int64_t one = 0;
  for (int64_t n = 0; shape.method == GibbsMethod::scaled && unit == nullptr && n < model.couplings.size(); ++n)
    if (model.couplings[n] != 0) unit = model.couplings.data() + n / size * size, one = n % size;
  for (int64_t x = 0; unit != nullptr && x < size; ++x) values[x / q * shape.value_row() + x % q] = static_cast<float>(unit[x] / unit[one]);
  for (int64_t i = 0; i < shape.sites; ++i) {
    const Span<const int32_t> sites = model.neighbors(model.site_at(i));
    int32_t *begin = neighbors.data() + begins[i];
    set_neighbors(i, sites);
    std::transform(begin, begin + sites.size(), begin, [&](int32_t site) { return static_cast<int32_t>(model.place_of(site)); });
    std::sort(begin, begin + sites.size());
    for (int64_t k = 0; k < sites.size(); ++k) {
      const double *block = model.block(model.site_at(i), model.site_at(begin[k]));
      if (shape.method == GibbsMethod::scaled)
        couplings[begins[i] + k] = static_cast<float>(block[one]);
      else
        put_neighbor(i, k, block, q, 1);
    }
  }
}

void GibbsModel::fill(const Model &model) {
  check_range(model);
  const int64_t L = shape.sites, q = shape.colors;
  const auto site = [&](int64_t place) { return model.site_at(place); };
  if (!model.fields.empty())
    for (int64_t i = 0; i < L; ++i)
      for (int64_t a = 0; a < q; ++a) put_field(i, a, model.fields[site(i) * q + a]);
  if (shape.of_list()) return fill_list(model);
  if (shape.method == GibbsMethod::dense) {
    for (int64_t i = 0; i < L; ++i)
      for (int64_t j = 0; j < L; ++j)
        for (int64_t b = 0; b < q; ++b)
          for (int64_t a = 0; a < q; ++a)
            couplings[shape.coupling_index(i, j, a, b)] = i == j ? 0.0f : static_cast<float>(model.coupling(site(i), site(j), a, b));
    return;
  }
  for (int64_t h = 0; h < shape.heads; ++h) {
    for (int64_t i = 0; i < L; ++i)
      for (int64_t j = 0; j < L; ++j) {
        const float a = i == j ? 0.0f : static_cast<float>(model.map(h)[site(i) * L + site(j)]);
        if (shape.method == GibbsMethod::cached)
          maps[(h * L + i) * L + j] = a;
        else
          maps[((h * shape.blocks() + i / kGibbsLanes) * L + j) * kGibbsLanes + i % kGibbsLanes] = a;
      }
    for (int64_t a = 0; a < q; ++a)
      for (int64_t b = 0; b < q; ++b) {
        const float v = static_cast<float>(model.value(h)[a * q + b]);
        values[(h * q + a) * shape.value_row() + b] = v;
        if (shape.method == GibbsMethod::blocked) columns[(h * q + b) * shape.value_row() + a] = v;
      }
  }
}

}  // namespace atp
