// SPDX-License-Identifier: MIT
#include "potts/model.hpp"

#include "base/error.hpp"
#include "base/philox.hpp"

#include <algorithm>
#include <bitset>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

namespace atp {

// --- lists of pairs ---

void check_pair_count(int64_t count, int64_t sites, const char *name) {
  if (count < 1 || count > all_pairs(sites))
    fail(ATP_E_VALUE, "%s has %lld pairs, must have 1..%lld with %lld sites", name, static_cast<long long>(count),
         static_cast<long long>(all_pairs(sites)), static_cast<long long>(sites));
}

void sort_pairs(const int64_t *pairs, int64_t sites, const char *name, Span<SitePair> sorted) {
  for (int64_t k = 0; k < sorted.size(); ++k) {
    const int64_t i = pairs[2 * k], j = pairs[2 * k + 1];
    for (int64_t side : {int64_t{0}, int64_t{1}})
      if (const int64_t site = pairs[2 * k + side]; site < 0 || site >= sites)
        fail(ATP_E_VALUE, "%s" ATP_AT2 " is " ATP_INDEX ", must be a site in " ATP_INDEX ".." ATP_INDEX, name, static_cast<long long>(k),
             static_cast<long long>(side), static_cast<long long>(site), 0LL, static_cast<long long>(sites - 1));
    if (i == j)
      fail(ATP_E_VALUE, "%s" ATP_AT " is the pair of site " ATP_INDEX " with itself, must have two sites", name, static_cast<long long>(k),
           static_cast<long long>(i));
    sorted[k] = {std::min(i, j), std::max(i, j)};
  }
  const auto key = [](const SitePair &p) { return std::tie(p.first, p.second); };
  std::sort(sorted.begin(), sorted.end(), [&](const SitePair &x, const SitePair &y) { return key(x) < key(y); });
  for (int64_t k = 1; k < sorted.size(); ++k)
    if (key(sorted[k]) == key(sorted[k - 1]))
      fail(ATP_E_VALUE, "%s has the pair of sites " ATP_INDEX " and " ATP_INDEX " twice, must have it once", name,
           static_cast<long long>(sorted[k].first), static_cast<long long>(sorted[k].second));
}

// --- the model ---

namespace {

void check_size(int64_t value, int64_t lowest, int64_t highest, const char *name) {
  if (value < lowest || value > highest)
    fail(ATP_E_VALUE, "%s is %lld, must be in %lld..%lld", name, static_cast<long long>(value), static_cast<long long>(lowest),
         static_cast<long long>(highest));
}

template <class Real>
void copy_span(Span<Real> from, Span<Real> to) {
  std::copy(from.begin(), from.end(), to.begin());
}

// Adds sum_{j != i} A_ij V(a, s_j) to out[a]. First S(c) = sum of A_ij over the sites j of colour c, then V S
// over the colours that occur.
void add_head(const double *map_row, const double *value, int64_t sites, int64_t colors, int64_t i, const uint8_t *sequence, double *out) {
  double sums[kMaxColors + 1];
  bool seen[kMaxColors + 1] = {};
  uint8_t present[kMaxColors + 1];
  int64_t count = 0;
  for (int64_t j = 0; j < sites; ++j) {
    const uint8_t c = sequence[j];
    if (j == i || c == kMissing) continue;
    if (!seen[c]) {
      seen[c] = true;
      sums[c] = 0;
      present[count++] = c;
    }
    sums[c] += map_row[j];
  }
  for (int64_t a = 0; a < colors; ++a) {
    const double *row = value + a * colors;
    double sum = 0;
    for (int64_t k = 0; k < count; ++k) sum += row[present[k]] * sums[present[k]];
    out[a] += sum;
  }
}

bool transpose_equal(const double *matrix, int64_t n) {
  for (int64_t r = 0; r < n; ++r)
    for (int64_t c = 0; c < r; ++c)
      if (matrix[r * n + c] != matrix[c * n + r]) return false;
  return true;
}

double largest(Span<const double> numbers) {
  double most = 0;
  for (const double x : numbers) most = std::max(most, std::fabs(x));
  return most;
}

bool filled(double x) { return x != 0; }

// Whether a parameter couples site i, which is predicted, to site j.
bool coupled(const Model &model, int64_t i, int64_t j) {
  const double *block = model.shape.dense() ? model.block(i, j) : nullptr;
  if (block != nullptr) return std::any_of(block, block + model.colors() * model.colors(), filled);
  for (int64_t h = 0; h < model.shape.heads; ++h)
    if (filled(model.map(h)[i * model.sites() + j])) return true;
  return false;
}

template <class Real>
void write_all(const Model &model, Real *out) {
  const int64_t sites = model.sites(), colors = model.colors();
  for (int64_t i = 0; i < sites; ++i)
    for (int64_t j = 0; j < sites; ++j)
      for (int64_t a = 0; a < colors; ++a)
        for (int64_t b = 0; b < colors; ++b) *out++ = static_cast<Real>(model.coupling(i, j, a, b));
}

}  // namespace

void check_shape(const ModelShape &shape) {
  check_size(shape.sites, 2, shape.pairs > 0 ? kMaxListSites : kMaxSites, "sites");
  check_size(shape.colors, 2, kMaxColors, "colors");
  check_size(shape.heads, 0, kMaxHeads, "heads");
  check_size(shape.pairs, 0, shape.dense() ? all_pairs(shape.sites) : 0, "pairs");
  if (shape.dense() && shape.pairs == 0) memory_size(product_of(shape.sites, shape.sites, shape.colors, shape.colors), sizeof(double));
}

void check_permutation(Span<const int64_t> order) {
  std::bitset<kMaxSites> seen;
  if (order.size() > kMaxSites)
    fail(ATP_E_TOO_LARGE, "order has %lld sites, at most %lld are allowed", static_cast<long long>(order.size()),
         static_cast<long long>(kMaxSites));
  for (int64_t k = 0; k < order.size(); ++k) {
    const int64_t site = order[k];
    if (site < 0 || site >= order.size())
      fail(ATP_E_VALUE, "order" ATP_AT " is " ATP_INDEX ", must be a site in " ATP_INDEX ".." ATP_INDEX, static_cast<long long>(k),
           static_cast<long long>(site), 0LL, static_cast<long long>(order.size() - 1));
    if (seen[static_cast<std::size_t>(site)])
      fail(ATP_E_VALUE, "order" ATP_AT " is " ATP_INDEX " again, must have every site once", static_cast<long long>(k),
           static_cast<long long>(site));
    seen[static_cast<std::size_t>(site)] = true;
  }
}

void Model::lay_out(Arena &arena) {
  const int64_t map_size = sites() * sites(), value_size = colors() * colors();
  const bool listed = shape.pairs > 0;
  maps = arena.take<double>(shape.heads, map_size);
  values = arena.take<double>(shape.heads, value_size);
  couplings = arena.take<double>(shape.dense() ? product_of(listed ? 2 * shape.pairs : map_size, value_size) : 0);
  fields = arena.take<double>(shape.fields ? product_of(sites(), colors()) : 0);
  pairs = arena.take<SitePair>(shape.pairs);
  begins_ = arena.take<int64_t>(listed ? sites() + 1 : 0);
  neighbors_ = arena.take<int32_t>(2 * shape.pairs);
  zeros_ = arena.take<double>(listed ? value_size : 0);
  order_room_ = arena.take<int64_t>(sites());
  places_ = arena.take<int64_t>(sites());
  labels.lay_out(arena, sites());
}

// The list is sorted, so that each site first gets its smaller neighbours, ascending, then the larger ones.
void Model::set_pairs(Span<const SitePair> sorted) {
  if (shape.pairs == 0) return;
  std::copy(sorted.begin(), sorted.end(), pairs.begin());
  std::fill(begins_.begin(), begins_.end(), 0);
  for (const SitePair &p : pairs) ++begins_[p.first + 1], ++begins_[p.second + 1];
  std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
  for (const SitePair &p : pairs) neighbors_[begins_[p.second]++] = static_cast<int32_t>(p.first);
  for (const SitePair &p : pairs) neighbors_[begins_[p.first]++] = static_cast<int32_t>(p.second);
  std::copy_backward(begins_.begin(), begins_.end() - 1, begins_.end());
  begins_[0] = 0;
}

int64_t Model::listed_place(int64_t i, int64_t j) const {
  const Span<const int32_t> of_site = neighbors(i);
  const int32_t *at = std::lower_bound(of_site.begin(), of_site.end(), static_cast<int32_t>(j));
  return at != of_site.end() && *at == j ? begins_[i] + (at - of_site.begin()) : -1;
}

// The first block that is not 0 gives the signs of U, up to one for all.
void Model::find_scaled() {
  const int64_t size = colors() * colors();
  const double *begin = couplings.begin(), *unit = std::find_if(begin, static_cast<const double *>(couplings.end()), filled);
  shape.scaled = shape.pairs > 0;
  if (unit == couplings.end()) return;
  const double *signs = begin + (unit - begin) / size * size;
  for (int64_t n = 0; shape.scaled && n < 2 * shape.pairs; ++n) {
    const double *block = begin + n * size, strength = block[unit - signs] * (*unit < 0 ? -1 : 1);
    for (int64_t k = 0; k < size; ++k) shape.scaled = shape.scaled && block[k] == (signs[k] == 0 ? 0 : signs[k] < 0 ? -strength : strength);
  }
}

void Model::set_order(Span<const int64_t> sites_in_order) {
  const auto take_places = [&](Span<const int64_t> from) {
    for (int64_t k = 0; k < from.size(); ++k) places_[from[k]] = k;
  };
  if (!sites_in_order.empty()) {
    check_permutation(sites_in_order);
    take_places(sites_in_order);
    for (int64_t k = 0; k < sites(); ++k) {
      const int64_t i = sites_in_order[k];
      int64_t wrong = sites();  // the first place after k with couplings to i
      for_neighbors(i, [&](int64_t j) {
        if (places_[j] > k && places_[j] < wrong && coupled(*this, i, j)) wrong = places_[j];
      });
      if (wrong == sites()) continue;
      take_places(order);
      fail(ATP_E_VALUE,
           "order has site " ATP_INDEX " before site " ATP_INDEX
           ", but the first has couplings to the second: C_ij of a site i must be 0 "
           "for every site j that is after it",
           static_cast<long long>(i), static_cast<long long>(sites_in_order[wrong]));
    }
  }
  take_order(sites_in_order);
}

void Model::set_natural_order() {
  std::iota(order_room_.begin(), order_room_.end(), int64_t{0});
  take_order(order_room_);
}

void Model::take_order(Span<const int64_t> sites_in_order) {
  shape.ordered = !sites_in_order.empty();
  std::copy(sites_in_order.begin(), sites_in_order.end(), order_room_.begin());  // the same array is fine
  for (int64_t k = 0; k < sites_in_order.size(); ++k) places_[sites_in_order[k]] = k;
  order = shape.ordered ? Span<const int64_t>(order_room_) : Span<const int64_t>();
}

double Model::coupling(int64_t i, int64_t j, int64_t a, int64_t b) const {
  if (shape.dense()) return block(i, j)[a * colors() + b];
  double sum = 0;
  for (int64_t h = 0; h < shape.heads; ++h) sum += map(h)[i * sites() + j] * value(h)[a * colors() + b];
  return sum;
}

void Model::local_fields(const uint8_t *sequences, int64_t count, int64_t i, double *out) const {
  const int64_t L = sites(), q = colors();
  for (int64_t n = 0; n < count; ++n)
    for (int64_t a = 0; a < q; ++a) out[n * q + a] = fields.empty() ? 0.0 : fields[i * q + a];
  if (!shape.dense()) {
    for (int64_t n = 0; n < count; ++n)
      for (int64_t h = 0; h < shape.heads; ++h) add_head(map(h) + i * L, value(h), L, q, i, sequences + n * L, out + n * q);
    return;
  }
  const double *c = couplings.data() + (shape.pairs > 0 ? first_block(i) : i * L) * q * q;
  for_neighbors(i, [&](int64_t j) {
    const double *of_pair = shape.pairs > 0 ? c : c + j * q * q;
    if (shape.pairs > 0) c += q * q;
    if (!sees(i, j)) return;
    for (int64_t n = 0; n < count; ++n) {
      const uint8_t seen = sequences[n * L + j];
      if (seen == kMissing) continue;
      const double *column = of_pair + seen;
      for (int64_t a = 0; a < q; ++a) out[n * q + a] += column[a * q];
    }
  });
}

bool Model::symmetric(double tolerance) const {
  const int64_t L = sites(), q = colors();
  bool plain = !shape.dense();
  for (int64_t h = 0; plain && h < shape.heads; ++h) plain = transpose_equal(map(h), L) && transpose_equal(value(h), q);
  if (plain) return true;
  double largest = 0, difference = 0;
  for (int64_t i = 0; i < L; ++i)
    for_neighbors(i, [&](int64_t j) {
      for (int64_t a = 0; j < i && a < q; ++a)
        for (int64_t b = 0; b < q; ++b) {
          const double x = coupling(i, j, a, b), y = coupling(j, i, b, a);
          largest = std::max({largest, std::fabs(x), std::fabs(y)});
          difference = std::max(difference, std::fabs(x - y));
        }
    });
  return difference <= tolerance * largest;
}

Model *make_model(Context &context, const ModelShape &shape) {
  check_shape(shape);
  Model *model = create_in_block<Model>(context.allocator, &context, shape);
  if (shape.ordered) model->set_natural_order();
  return model;
}

namespace {

// All but maps, values, couplings and pairs.
void copy_frame(const Model &source, Model *copy) {
  copy->beta = source.beta;
  std::memcpy(copy->alphabet, source.alphabet, sizeof copy->alphabet);
  copy_span(source.fields, copy->fields);
  copy->labels.copy(source.labels);
  copy->copy_order(source);
  std::memcpy(copy->origin, source.origin, sizeof copy->origin);
}

}  // namespace

Model *copy_model(Context &context, const Model &source) {
  Model *copy = make_model(context, source.shape);
  copy_frame(source, copy);
  copy_span(source.maps, copy->maps);
  copy_span(source.values, copy->values);
  copy->set_pairs(source.pairs);
  copy_span(source.couplings, copy->couplings);
  return copy;
}

Model *keep_pairs(Context &context, const Model &source, const int64_t *pairs, int64_t count) {
  const int64_t L = source.sites(), q = source.colors();
  check_pair_count(count, L, "pairs");
  Model *copy = make_model(context, {L, q, 0, source.shape.fields, count, source.shape.ordered});
  try {
    sort_pairs(pairs, L, "pairs", copy->pairs);
  } catch (...) {
    destroy_block(context.allocator, copy);
    throw;
  }
  copy->set_pairs(copy->pairs);
  copy_frame(source, copy);
  for (const SitePair &pair : copy->pairs)
    for (const auto &[i, j] : {pair, SitePair{pair.second, pair.first}})
      for (int64_t a = 0; a < q; ++a)
        for (int64_t b = 0; b < q; ++b) copy->room(i, j)[a * q + b] = source.coupling(i, j, a, b);
  copy->find_scaled();
  return copy;
}

Model *symmetric_part(Context &context, const Model &source) {
  const int64_t L = source.sites(), q = source.colors(), H = source.shape.heads;
  if (2 * H > kMaxHeads)
    fail(ATP_E_TOO_LARGE, "the symmetric part of %lld heads has twice as many, at most %lld are allowed", static_cast<long long>(H),
         static_cast<long long>(kMaxHeads));
  ModelShape shape = source.shape;
  shape.heads = 2 * H;
  Model *copy = make_model(context, shape);
  copy->set_pairs(source.pairs);
  copy_frame(source, copy);
  for (int64_t h = 0; h < H; ++h) {
    for (int64_t i = 0; i < L; ++i)
      for (int64_t j = 0; j < L; ++j)
        copy->maps[(h * L + i) * L + j] = copy->maps[((H + h) * L + j) * L + i] = source.map(h)[i * L + j] / 2;
    for (int64_t a = 0; a < q; ++a)
      for (int64_t b = 0; b < q; ++b)
        copy->values[(h * q + a) * q + b] = copy->values[((H + h) * q + b) * q + a] = source.value(h)[a * q + b];
  }
  for (int64_t i = 0; H == 0 && i < L; ++i)
    source.for_neighbors(i, [&](int64_t j) {
      double *block = copy->room(i, j);
      for (int64_t a = 0; a < q; ++a)
        for (int64_t b = 0; b < q; ++b) block[a * q + b] = (source.block(i, j)[a * q + b] + source.block(j, i)[b * q + a]) / 2;
    });
  return copy;
}

void write_couplings(const Model &model, double *out) { write_all(model, out); }
void write_couplings(const Model &model, float *out) { write_all(model, out); }

void require_float32(const Model &model) {
  constexpr auto most = static_cast<double>(std::numeric_limits<float>::max());
  const double bound =
      model.shape.dense() ? largest(model.couplings) : static_cast<double>(model.shape.heads) * largest(model.maps) * largest(model.values);
  if (bound <= most) return;
  for (int64_t i = 0; i < model.sites(); ++i)
    model.for_neighbors(i, [&](int64_t j) {
      for (int64_t a = 0; a < model.colors(); ++a)
        for (int64_t b = 0; b < model.colors(); ++b)
          if (const double x = model.coupling(i, j, a, b); !(std::fabs(x) <= most))
            fail(ATP_E_VALUE, "a coupling of sites " ATP_INDEX " and " ATP_INDEX " is %g, which float32 cannot hold",
                 static_cast<long long>(i), static_cast<long long>(j), x);
    });
}

void require_numbers(const Model &model) {
  for (const Span<const double> part : {model.maps, model.values, model.couplings, model.fields})
    for (const double x : part)
      if (!(std::fabs(x) <= kLargestModelNumber)) fail(ATP_E_VALUE, "the model has the number %g, must be at most 1e100 in magnitude", x);
}

// --- random models: every number is a function of the seed and of its place in the matrix. Gaussian laws: [R24] sec. III ---

namespace {

// Arrays of Stream::model. Reproducibility depends on the values.
enum Array : uint64_t { kSiteCouplings = 0, kColorMatrix = 1, kHairpins = 2 };

void set_pair(double *matrix, int64_t n, int64_t i, int64_t j, double x) { matrix[i * n + j] = matrix[j * n + i] = x; }

// Symmetric Gaussian matrix of standard deviation `scale`. The diagonal is drawn only if requested.
void gaussian(const RandomView &random, double *matrix, int64_t n, double scale, bool diagonal) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = diagonal ? i : i + 1; j < n; ++j) set_pair(matrix, n, i, j, scale * random.normal(static_cast<uint64_t>(i * n + j)));
}

// Chain neighbours and hairpins: a hairpin of length m with its turn after site t pairs t - k with t + 4 + k, k = 0..m-1.
void contacts(uint64_t seed, double *matrix, int64_t sites) {
  constexpr int64_t kLoop = 4, kShortest = 2, kLongest = 8, kSitesPerHairpin = 20;
  const RandomView strengths(seed, Stream::model, 0, kSiteCouplings), places(seed, Stream::model, 0, kHairpins);
  const auto join = [&](int64_t i, int64_t j) {
    set_pair(matrix, sites, i, j, 0.5 + strengths.uniform(static_cast<uint64_t>(i * sites + j)));
  };
  for (int64_t i = 0; i + 1 < sites; ++i) join(i, i + 1);
  const int64_t longest = std::min(kLongest, (sites - kLoop + 1) / 2);
  if (longest < kShortest) return;
  const int64_t hairpins = std::max<int64_t>(1, sites / kSitesPerHairpin);
  for (int64_t h = 0; h < hairpins; ++h) {
    const uint64_t k = static_cast<uint64_t>(h);
    const int64_t length = kShortest + places.below(2 * k, static_cast<uint32_t>(longest - kShortest + 1));
    const int64_t turns = sites - kLoop - 2 * (length - 1);  // places that leave room for the whole hairpin
    const int64_t turn = length - 1 + places.below(2 * k + 1, static_cast<uint32_t>(turns));
    for (int64_t m = 0; m < length; ++m) join(turn - m, turn + kLoop + m);
  }
}

}  // namespace

void fill_color_matrix(Span<double> values, int64_t colors, atp_color_matrix color_matrix, uint64_t seed) {
  if (color_matrix == ATP_COLOR_MATRIX_GAUSSIAN)
    return gaussian(RandomView(seed, Stream::model, 0, kColorMatrix), values.data(), colors, 1, true);
  for (int64_t a = 0; a < colors; ++a)
    for (int64_t b = 0; b < colors; ++b) values[a * colors + b] = a == b ? 1 : color_matrix == ATP_COLOR_MATRIX_ISING ? -1 : 0;
}

void fill_random(Model &model, atp_couplings couplings, atp_color_matrix color_matrix, uint64_t seed) {
  const int64_t L = model.sites();
  if (couplings == ATP_COUPLINGS_GAUSSIAN)
    gaussian(RandomView(seed, Stream::model, 0, kSiteCouplings), model.maps.data(), L, 1 / std::sqrt(static_cast<double>(L)), false);
  else
    contacts(seed, model.maps.data(), L);
  fill_color_matrix(model.values, model.colors(), color_matrix, seed);
}

}  // namespace atp
