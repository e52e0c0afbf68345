// SPDX-License-Identifier: MIT
// Areas by gemmi's search of neighbours.
#include "structures/accessibility.hpp"

#include <gemmi/neighbor.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace cli {

namespace {

constexpr int kPoints = 960;
constexpr double kProbe = 1.4;

// Points on the unit sphere, on a spiral that gives each the same area.
std::vector<gemmi::Position> points_on_sphere() {
  constexpr double kPi = 3.14159265358979323846;
  const double turn = kPi * (1 + std::sqrt(5.0));
  std::vector<gemmi::Position> points;
  for (int k = 0; k < kPoints; ++k) {
    const double z = 1 - (2 * k + 1) / static_cast<double>(kPoints), around = std::sqrt(1 - z * z);
    points.emplace_back(around * std::cos(turn * k), around * std::sin(turn * k), z);
  }
  return points;
}

struct Sphere {
  gemmi::Position centre;
  double radius;
};

// The share of the points that are in none of the spheres. Neighbours of a point mostly have the same cover.
double free_share(const Sphere &own, const std::vector<Sphere> &others, const std::vector<gemmi::Position> &points) {
  std::size_t cover = 0;
  int free = 0;
  for (const gemmi::Position &point : points) {
    const gemmi::Position at = own.centre + gemmi::Position(point * own.radius);
    const auto covers = [&](const Sphere &other) { return at.dist_sq(other.centre) < other.radius * other.radius; };
    if (cover < others.size() && covers(others[cover])) continue;
    cover = static_cast<std::size_t>(std::find_if(others.begin(), others.end(), covers) - others.begin());
    free += cover == others.size() ? 1 : 0;
  }
  return free / static_cast<double>(kPoints);
}

// Areas of the residues of some chains, which cover each other.
void add_areas(const std::vector<const StructureChain *> &chains, std::vector<std::vector<double>> &areas) {
  constexpr double kPi = 3.14159265358979323846;
  gemmi::Model model("1");
  model.chains.emplace_back("A");
  model.chains[0].residues.emplace_back();
  std::vector<gemmi::Atom> &atoms = model.chains[0].residues[0].atoms;
  std::vector<Sphere> spheres;
  double largest = 0;
  for (const StructureChain *chain : chains)
    for (const StructureResidue &residue : chain->residues)
      for (const AtomPosition &atom : residue.atoms) {
        spheres.push_back({gemmi::Position(atom.x, atom.y, atom.z), atom.radius + kProbe});
        largest = std::max(largest, spheres.back().radius);
        atoms.emplace_back();
        atoms.back().pos = spheres.back().centre;
      }
  if (spheres.empty()) {
    for (const StructureChain *chain : chains) areas.emplace_back(chain->residues.size(), std::nan(""));
    return;
  }
  gemmi::NeighborSearch search(model, gemmi::UnitCell(), 2 * largest);
  search.populate();
  const std::vector<gemmi::Position> points = points_on_sphere();
  std::vector<Sphere> others;
  std::size_t k = 0;
  for (const StructureChain *chain : chains) {
    areas.emplace_back();
    for (const StructureResidue &residue : chain->residues) {
      double area = residue.atoms.empty() ? std::nan("") : 0;
      for (std::size_t atom = 0; atom < residue.atoms.size(); ++atom, ++k) {
        others.clear();
        search.for_each(spheres[k].centre, '\0', static_cast<float>(2 * largest), [&](const gemmi::NeighborSearch::Mark &mark, float) {
          const auto other = static_cast<std::size_t>(mark.atom_idx);
          const double reach = spheres[k].radius + spheres[other].radius;
          if (other != k && spheres[k].centre.dist_sq(spheres[other].centre) < reach * reach) others.push_back(spheres[other]);
        });
        area += 4 * kPi * spheres[k].radius * spheres[k].radius * free_share(spheres[k], others, points);
      }
      areas.back().push_back(area);
    }
  }
}

}  // namespace

std::vector<std::vector<double>> accessible_areas(const Structure &structure, Surface surface) {
  std::vector<std::vector<double>> areas;
  std::vector<const StructureChain *> all;
  for (const StructureChain &chain : structure.chains) {
    all.push_back(&chain);
    if (surface == Surface::chain) add_areas({&chain}, areas);
  }
  if (surface == Surface::complex) add_areas(all, areas);
  return areas;
}

}  // namespace cli
