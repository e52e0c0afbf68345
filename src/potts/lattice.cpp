// SPDX-License-Identifier: MIT
#include "potts/lattice.hpp"

#include "base/philox.hpp"
#include "potts/listed.hpp"

#include <attopotts/lattice.h>

#include <algorithm>
#include <cmath>

namespace atp {

namespace {

constexpr const char *kLattices[] = {"square", "cubic", "triangular", "bethe", "erdos-renyi"}, *kBoundaries[] = {"periodic", "open"},
                     *kBonds[] = {"ferromagnet", "antiferromagnet", "plus-minus", "gaussian"},
                     *kMatrices[] = {"gaussian", "identity", "ising"};

constexpr auto kRows = rows_of(
    seed_option(ATP_OPT_SEED),
    OptionInfo{ATP_OPT_LATTICE, "lattice", true, ATP_LATTICE_SQUARE, ATP_LATTICE_ERDOS_RENYI, ATP_LATTICE_SQUARE,
               "square, cubic or triangular, or a random graph: bethe (all sites with the same number of neighbours) or erdos-renyi"}
        .naming(ATP_LATTICE_SQUARE, kLattices),
    OptionInfo{ATP_OPT_SIZE_X, "size-x", true, 1, kMaxListSites, 32, "extent along x; sites of a random graph"},
    OptionInfo{ATP_OPT_SIZE_Y, "size-y", true, 0, kMaxListSites, 0, "extent along y; 0: as along x, of a random graph 1"},
    OptionInfo{ATP_OPT_SIZE_Z, "size-z", true, 0, kMaxListSites, 0,
               "extent along z; 0: as along x where the lattice is cubic, otherwise 1"},
    OptionInfo{ATP_OPT_BOUNDARY, "boundary", true, ATP_BOUNDARY_PERIODIC, ATP_BOUNDARY_OPEN, ATP_BOUNDARY_PERIODIC,
               "whether the last row of a lattice has the first one as a neighbour"}
        .naming(ATP_BOUNDARY_PERIODIC, kBoundaries),
    OptionInfo{ATP_OPT_DEGREE, "degree", false, 0, 1 << 16, 3, "neighbours of each site of a Bethe lattice, or on average of erdos-renyi"},
    OptionInfo{ATP_OPT_COLORS, "colors", true, 2, kMaxColors, 2, "number of colours q"},
    OptionInfo{ATP_OPT_BONDS, "bonds", true, ATP_BONDS_FERROMAGNET, ATP_BONDS_GAUSSIAN, ATP_BONDS_FERROMAGNET,
               "couplings J of the bonds: 1, -1, random signs, or normal numbers"}
        .naming(ATP_BONDS_FERROMAGNET, kBonds),
    OptionInfo{ATP_OPT_COLOR_MATRIX, "color-matrix", true, ATP_COLOR_MATRIX_GAUSSIAN, ATP_COLOR_MATRIX_ISING, ATP_COLOR_MATRIX_IDENTITY,
               "U(a, b): random, the identity (standard Potts model), or 1 for a = b and -1 otherwise (with 2 colours the Ising model)"}
        .naming(ATP_COLOR_MATRIX_GAUSSIAN, kMatrices));

// Arrays of Stream::model beside those of random models. Reproducibility depends on the values.
enum Array : uint64_t { kBondStrengths = 3, kGraph = 4 };

struct Extents {
  int64_t x, y, z;
  int64_t sites() const { return x * y * z; }
};

Extents extents_of(const Options &options, atp_lattice lattice) {
  const bool plane = lattice == ATP_LATTICE_SQUARE || lattice == ATP_LATTICE_TRIANGULAR, solid = lattice == ATP_LATTICE_CUBIC;
  const int64_t x = options.integer(ATP_OPT_SIZE_X), y = options.integer(ATP_OPT_SIZE_Y), z = options.integer(ATP_OPT_SIZE_Z);
  const Extents e{x, y > 0 ? y : plane || solid ? x : 1, z > 0 ? z : solid ? x : 1};
  if (plane && e.z > 1) fail(ATP_E_VALUE, "size-z is %lld, must be 1 of a lattice in the plane", static_cast<long long>(e.z));
  const int64_t sites = product_of(e.x, e.y, e.z);
  if (sites < 2 || sites > kMaxListSites)
    fail(ATP_E_VALUE, "a lattice of %lld x %lld x %lld has %lld sites, must have 2..%lld", static_cast<long long>(e.x),
         static_cast<long long>(e.y), static_cast<long long>(e.z), static_cast<long long>(sites), static_cast<long long>(kMaxListSites));
  return e;
}

// Pairs as numbers i L + j, i < j, which sort as the pairs do.
class Bonds {
 public:
  Bonds(Span<int64_t> room, int64_t sites) : room_(room), sites_(sites) {}
  // Not where i = j.
  void add(int64_t i, int64_t j) {
    if (i != j) room_[count_++] = std::min(i, j) * sites_ + std::max(i, j);
  }
  // Each once, ascending. Calls again(i, j) for what was there already.
  template <class Again>
  void sort(Again &&again) {
    std::sort(room_.begin(), room_.begin() + count_);
    int64_t kept = 0;
    for (int64_t k = 0; k < count_; ++k)
      if (kept > 0 && room_[k] == room_[kept - 1])
        again(first(k), second(k));
      else
        room_[kept++] = room_[k];
    count_ = kept;
  }
  void sort() {
    sort([](int64_t, int64_t) {});
  }
  bool has(int64_t i, int64_t j) const {  // after sort()
    return std::binary_search(room_.begin(), room_.begin() + count_, std::min(i, j) * sites_ + std::max(i, j));
  }
  int64_t count() const { return count_; }
  void clear() { count_ = 0; }
  int64_t first(int64_t k) const { return room_[k] / sites_; }
  int64_t second(int64_t k) const { return room_[k] % sites_; }

 private:
  Span<int64_t> room_;
  int64_t sites_, count_ = 0;
};

void add_lattice(const Extents &e, bool periodic, bool diagonals, Bonds &bonds) {
  const auto site = [&](int64_t x, int64_t y, int64_t z) { return x % e.x + e.x * (y % e.y + e.y * (z % e.z)); };
  const auto inside = [&](int64_t x, int64_t y, int64_t z) { return periodic || (x < e.x && y < e.y && z < e.z); };
  constexpr int64_t kSteps[][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}};
  for (int64_t i = 0; i < e.sites(); ++i) {
    const int64_t x = i % e.x, y = i / e.x % e.y, z = i / (e.x * e.y);
    for (const auto &step : kSteps)
      if ((step[0] + step[1] + step[2] == 1 || diagonals) && inside(x + step[0], y + step[1], z + step[2]))
        bonds.add(i, site(x + step[0], y + step[1], z + step[2]));
  }
  bonds.sort();
}

// Draws as many pairs as are missing and drops those that are there, until all are: every set of pairs is as likely as any other.
void add_random_pairs(const RandomView &random, int64_t sites, int64_t wanted, Bonds &bonds) {
  uint64_t draw = 0;
  while (bonds.count() < wanted) {
    for (int64_t missing = wanted - bonds.count(); missing > 0; --missing) {
      const int64_t i = random.below(draw, static_cast<uint32_t>(sites)), j = random.below(draw + 1, static_cast<uint32_t>(sites - 1));
      bonds.add(i, j + (j >= i ? 1 : 0));
      draw += 2;
    }
    bonds.sort();
  }
}

// The ends of bonds are shuffled and matched two by two. Matches that would make a loop or a second bond are shuffled again among
// themselves; where none of them fits, everything begins anew. True: all are matched.
bool match_ends(const RandomView &random, uint64_t &draw, Span<int64_t> ends, Bonds &bonds) {
  constexpr int kMostFailures = 50;  // in succession
  bonds.clear();
  int64_t left = ends.size();
  for (int failures = 0; left > 0 && failures < kMostFailures;) {
    for (int64_t k = left - 1; k > 0; --k) std::swap(ends[k], ends[random.below(draw++, static_cast<uint32_t>(k + 1))]);
    int64_t kept = 0;
    const Bonds before = bonds;  // sorted
    for (int64_t k = 0; k < left; k += 2) {
      const int64_t i = ends[k], j = ends[k + 1];
      if (i != j && !before.has(i, j))
        bonds.add(i, j);
      else
        ends[kept++] = i, ends[kept++] = j;
    }
    bonds.sort([&](int64_t i, int64_t j) { ends[kept++] = i, ends[kept++] = j; });  // two equal matches of one shuffle
    failures = kept == left ? failures + 1 : 0;
    left = kept;
  }
  return left == 0;
}

void add_regular(const RandomView &random, int64_t sites, int64_t degree, Span<int64_t> ends, Bonds &bonds) {
  uint64_t draw = 0;
  for (int attempt = 0; attempt < 1000; ++attempt) {
    for (int64_t k = 0; k < sites * degree; ++k) ends[k] = k / degree;
    if (match_ends(random, draw, ends, bonds)) return;
  }
  fail(ATP_E_CONFLICT, "degree is %lld with %lld sites: no graph was found, give a smaller degree", static_cast<long long>(degree),
       static_cast<long long>(sites));
}

// The number of bonds of a random graph, or an upper bound of that of a lattice.
int64_t bonds_of(const Options &options, atp_lattice lattice, int64_t sites) {
  const double degree = options.real(ATP_OPT_DEGREE);
  if (lattice == ATP_LATTICE_SQUARE) return 2 * sites;
  if (lattice == ATP_LATTICE_CUBIC || lattice == ATP_LATTICE_TRIANGULAR) return 3 * sites;
  const double bonds = std::round(static_cast<double>(sites) * degree / 2);
  if (lattice == ATP_LATTICE_BETHE) {
    const auto whole = static_cast<int64_t>(degree);
    if (static_cast<double>(whole) != degree || whole < 1 || whole >= sites)
      fail(ATP_E_CONFLICT, "degree is %g, must be a whole number in 1..%lld of a Bethe lattice of %lld sites", degree,
           static_cast<long long>(sites - 1), static_cast<long long>(sites));
    if (whole * sites % 2 != 0)
      fail(ATP_E_CONFLICT, "degree is %lld with %lld sites, must give an even number of ends of bonds", static_cast<long long>(whole),
           static_cast<long long>(sites));
  }
  if (bonds > static_cast<double>(all_pairs(sites)))
    fail(ATP_E_CONFLICT, "degree is %g, must be at most %lld with %lld sites", degree, static_cast<long long>(sites - 1),
         static_cast<long long>(sites));
  return static_cast<int64_t>(bonds);
}

double strength(const RandomView &random, atp_bonds bonds, uint64_t k) {
  switch (bonds) {
    case ATP_BONDS_FERROMAGNET: return 1;
    case ATP_BONDS_ANTIFERROMAGNET: return -1;
    case ATP_BONDS_PLUS_MINUS: return random.uniform(k) < 0.5 ? -1 : 1;
    default: return random.normal(k);
  }
}

}  // namespace

constexpr OptionTable kLatticeOptions = table_of(ATP_OWNER_LATTICE, "a lattice", kRows);

Model *make_lattice(Context &context, const Options &options) {
  const auto lattice = static_cast<atp_lattice>(options.integer(ATP_OPT_LATTICE));
  const auto seed = static_cast<uint64_t>(options.integer(ATP_OPT_SEED));
  const Extents extents = extents_of(options, lattice);
  const int64_t sites = extents.sites(), q = options.integer(ATP_OPT_COLORS), most = bonds_of(options, lattice, sites);
  const RandomView graph(seed, Stream::model, 0, kGraph), strengths(seed, Stream::model, 0, kBondStrengths);
  const Scratch memory(context.allocator, 2 * Scratch::piece<int64_t>(2 * most + 1) + Scratch::piece<int64_t>(most + 1) +
                                              Scratch::piece<double>(most + 1) + Scratch::piece<double>(q * q));
  Arena arena = memory.arena();
  const Span<int64_t> pairs = arena.take<int64_t>(2 * most + 1), ends = arena.take<int64_t>(2 * most + 1);
  Bonds bonds(arena.take<int64_t>(most + 1), sites);
  switch (lattice) {
    case ATP_LATTICE_BETHE: add_regular(graph, sites, 2 * most / sites, ends.sub(0, 2 * most), bonds); break;
    case ATP_LATTICE_ERDOS_RENYI: add_random_pairs(graph, sites, most, bonds); break;
    default: add_lattice(extents, options.integer(ATP_OPT_BOUNDARY) == ATP_BOUNDARY_PERIODIC, lattice == ATP_LATTICE_TRIANGULAR, bonds);
  }
  if (bonds.count() == 0) fail(ATP_E_VALUE, "the graph has no bond, must have one; degree is %g", options.real(ATP_OPT_DEGREE));
  const Span<double> J = arena.take<double>(most + 1), U = arena.take<double>(q, q);
  for (int64_t k = 0; k < bonds.count(); ++k) {
    pairs[2 * k] = bonds.first(k);
    pairs[2 * k + 1] = bonds.second(k);
    J[k] = strength(strengths, static_cast<atp_bonds>(options.integer(ATP_OPT_BONDS)), static_cast<uint64_t>(k));
  }
  fill_color_matrix(U, q, static_cast<atp_color_matrix>(options.integer(ATP_OPT_COLOR_MATRIX)), seed);
  return make_listed(context, sites, q, false, {pairs.data(), J.data(), U.data()}, bonds.count());
}

}  // namespace atp
