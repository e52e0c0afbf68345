// SPDX-License-Identifier: MIT
#include "potts/listed.hpp"

#include "base/arena.hpp"

namespace atp {

Model *make_listed(Context &context, int64_t sites, int64_t colors, bool fields, const PairCouplings &list, int64_t count) {
  check_pair_count(count, sites, "pairs");
  ModelShape shape;
  shape.sites = sites;
  shape.colors = colors;
  shape.fields = fields;
  shape.pairs = count;
  Owner<Model> model(make_model(context, shape));
  sort_pairs(list.pairs, sites, "pairs", model->pairs);
  model->set_pairs(model->pairs);
  const int64_t q = colors;
  for (int64_t k = 0; k < count; ++k) {
    const int64_t i = list.pairs[2 * k], j = list.pairs[2 * k + 1];
    double *own = model->room(i, j), *other = model->room(j, i);
    for (int64_t x = 0; x < q * q; ++x)
      own[x] = other[x % q * q + x / q] =
          list.color_matrix == nullptr ? list.couplings[k * q * q + x] : list.couplings[k] * list.color_matrix[x];
  }
  require_numbers(*model);
  model->find_scaled();
  return model.release();
}

}  // namespace atp
