// SPDX-License-Identifier: MIT
// Fresh chains of Boltzmann learning where plain sweeps do not mix, the samples of replica exchange against the exact distribution, and a
// stretch of the couplings at fixed centred fields.
#include "small_potts.hpp"

#include "learn/likelihood/centered.hpp"
#include "learn/likelihood/model_chains.hpp"

#include "support.h"  // last: cmocka has a macro fail()

using namespace atp;

namespace {

constexpr int64_t kSites = 6, kColors = 3, kPairs = kSites * (kSites - 1) / 2, kFields = kSites * kColors;
using Point = std::vector<double>;

Span<const double> span_of(const Point &point) { return {point.data(), static_cast<int64_t>(point.size())}; }

DenseShape shape_of(int64_t count) {
  DenseShape pairs;
  pairs.count = count;
  pairs.sites = kSites;
  pairs.colors = kColors;
  return pairs;
}

struct World {
  World(Context *context, const DenseShape &pairs, const BoltzmannSettings &settings)
      : statistics(pairs, 1), chains(context, pairs, settings, 5) {}
  void lay_out(Arena &arena) {
    statistics.lay_out(arena);
    chains.lay_out(arena);
  }
  Statistics statistics;
  ModelChains chains;
  std::size_t block_bytes = 0;
};

World *make_world(SmallPotts &potts, int64_t rungs) {
  const Alignment *family = potts.sample(400, 7);
  BoltzmannSettings settings;
  settings.chains = 32;
  settings.rungs = rungs;
  World *world = create_in_block<World>(potts.context.allocator, &potts.context, shape_of(family->count()), settings);
  world->statistics.init(*family, 0.01, potts.context.threads);
  world->chains.init(*family, world->statistics, settings.chains);
  return world;
}

// Sites that like to be equal, 1.4 for every pair: to leave a phase takes some 12 units. Colour 0 has a field that makes its phase e^2.2
// times as heavy as the others.
Point three_phases() {
  Point point(static_cast<size_t>(kFields + kPairs * kColors * kColors), 0.0);
  for (int64_t i = 0; i < kSites; ++i) point[static_cast<size_t>(i * kColors)] = 2.2 / static_cast<double>(kSites);
  for (int64_t p = 0; p < kPairs; ++p)
    for (int64_t a = 0; a < kColors; ++a) point[static_cast<size_t>(kFields + (p * kColors + a) * kColors + a)] = 1.4;
  return point;
}

// p(s_i = 0), the same for all sites, by listing all states.
double exact_frequency(const Point &point) {
  double z = 0, first = 0;
  for (int64_t n = 0; n < 729; ++n) {
    int colors[kSites];
    for (int64_t i = kSites - 1, rest = n; i >= 0; --i, rest /= kColors) colors[i] = static_cast<int>(rest % kColors);
    double sum = 0;
    int64_t pair = 0;
    for (int64_t i = 0; i < kSites; ++i) {
      sum += point[static_cast<size_t>(i * kColors + colors[i])];
      for (int64_t j = i + 1; j < kSites; ++j, ++pair)
        sum += point[static_cast<size_t>(kFields + (pair * kColors + colors[i]) * kColors + colors[j])];
    }
    z += std::exp(sum);
    if (colors[0] == 0) first += std::exp(sum);
  }
  return first / z;
}

// Of the fresh chains from random colours.
double frequency_of(const ModelChains &chains) {
  double count = 0;
  const int64_t size = ModelChains::kFreshGroups * kSites * kGibbsLanes;
  for (int64_t k = 0; k < size; ++k) count += chains.random()[k] == 0 ? 1 : 0;
  return count / static_cast<double>(size);
}

// 256 ladders are independent, and the phase decides all sites: the standard error of a frequency is sqrt(p (1 - p) / 256) = 0.025. Bounds
// are 4 of them: false alarms below 1e-4. Plain sweeps stay in the phase that random colours fall into.
void exchange_finds_the_weights_of_phases(void **) {
  SmallPotts potts(kSites, kColors, 0.6, 3);
  World *world = make_world(potts, 5);
  const Point point = three_phases();
  const double exact = exact_frequency(point), error = std::sqrt(exact * (1 - exact) / 256);
  ModelChains &chains = world->chains;
  assert_true(chains.fill(span_of(point)));
  chains.start_fresh();
  chains.sweep_fresh(400);
  const double plain = frequency_of(chains);
  chains.start_exchange();
  chains.sweep_fresh(400);
  const double exchanged = frequency_of(chains);
  print_message("exact %.3f, plain %.3f, exchanged %.3f, acceptance %.2f\n", exact, plain, exchanged, chains.acceptance());
  assert_true(std::fabs(plain - exact) > 6 * error);
  assert_close(exchanged, exact, 0, 4 * error);
  assert_true(chains.acceptance() > 0.1 && chains.acceptance() < 0.95);
  destroy_block(potts.context.allocator, world);
}

// Same states for other threads.
void exchange_does_not_depend_on_threads(void **) {
  std::vector<uint8_t> states[2];
  for (int k = 0; k < 2; ++k) {
    SmallPotts potts(kSites, kColors, 0.6, 3);
    potts.context.threads = k == 0 ? 1 : 3;
    World *world = make_world(potts, 4);
    const Point point = three_phases();
    world->chains.fill(span_of(point));
    world->chains.start_fresh();
    world->chains.start_exchange();
    world->chains.sweep_fresh(7);
    const int64_t size = 2 * ModelChains::kFreshGroups * kSites * kGibbsLanes;
    states[k].assign(world->chains.random(), world->chains.random() + size);
    destroy_block(potts.context.allocator, world);
  }
  assert_true(states[0] == states[1]);
}

// J becomes factor J, and h_i(a) + sum_j sum_b J_ij(a, b) f_j(b) stays, by plain loops.
void a_stretch_keeps_centred_fields(void **) {
  SmallPotts potts(kSites, kColors, 0.6, 3);
  World *world = make_world(potts, 1);
  Point before(static_cast<size_t>(kFields + kPairs * kColors * kColors));
  for (size_t k = 0; k < before.size(); ++k) before[k] = std::sin(1.7 * static_cast<double>(k + 1));
  Point after = before;
  const double factor = 1.25;
  stretch(shape_of(1), world->statistics, factor, {after.data(), static_cast<int64_t>(after.size())}, potts.context.threads);
  const auto centred = [&](const Point &point, int64_t i, int64_t a) {
    double sum = point[static_cast<size_t>(i * kColors + a)];
    int64_t pair = 0;
    for (int64_t j = 0; j < kSites; ++j)
      for (int64_t k = j + 1; k < kSites; ++k, ++pair)
        for (int64_t b = 0; b < kColors; ++b) {
          if (j == i) sum += point[static_cast<size_t>(kFields + (pair * kColors + a) * kColors + b)] * world->statistics.family(k)[b];
          if (k == i) sum += point[static_cast<size_t>(kFields + (pair * kColors + b) * kColors + a)] * world->statistics.family(j)[b];
        }
    return sum;
  };
  for (size_t k = static_cast<size_t>(kFields); k < before.size(); ++k) assert_close(after[k], factor * before[k], 1e-14, 0);
  for (int64_t i = 0; i < kSites; ++i)
    for (int64_t a = 0; a < kColors; ++a) assert_close(centred(after, i, a), centred(before, i, a), 0, 1e-13);
  destroy_block(potts.context.allocator, world);
}

}  // namespace

static const struct CMUnitTest kTests[] = {
    cmocka_unit_test(exchange_finds_the_weights_of_phases),
    cmocka_unit_test(exchange_does_not_depend_on_threads),
    cmocka_unit_test(a_stretch_keeps_centred_fields),
};

ATP_TEST_MAIN(kTests)
