// SPDX-License-Identifier: MIT
// What maximum likelihood needs of a parametrisation: fields and couplings of pairs of sites as functions of the parameters, and the chain
// rule. A point is the fields [L][q], then J_ij(a, b) for the pairs i < j of the shape, [q][q] each; a slope is a derivative by a point.
#pragma once

#include "learn/dense/dense_data.hpp"

namespace atp {

// Parameters that are heads: maps [H][L][L], of which the diagonal is idle, then V [H][q][q] unless it is fixed, then fields [L][q].
struct HeadShape {
  int64_t heads = 0, sites = 0, colors = 0;
  bool learned = true;             // V
  const double *values = nullptr;  // V where it is not learned, once it is known

  int64_t map_size() const { return heads * sites * sites; }
  int64_t value_size() const { return heads * colors * colors; }
  int64_t first_field() const { return map_size() + (learned ? value_size() : 0); }
};

class CouplingParameters {
 public:
  virtual DenseShape pairs() const = 0;  // sites, colours and pairs
  // Whether the parameters are the point itself.
  virtual bool plain() const = 0;
  // Not called where the parameters are the point.
  virtual void expand(Span<const double> x, Span<double> point) = 0;
  // The gradient of the objective, penalties included. Where the parameters are the point, slope and gradient may be the same.
  virtual void pull_back(Span<const double> x, Span<const double> slope, Span<double> gradient) = 0;
  // Of parameters that are the point: the strengths of the squared penalties on fields and couplings.
  virtual double field_penalty() const { return 0; }
  virtual double coupling_penalty() const { return 0; }
  // Of parameters that are heads with fields: their shape, and the derivatives of the penalties by the fields, which are added to those of
  // a slope. No heads: they are something else.
  virtual HeadShape heads() const { return {}; }
  virtual void add_field_penalty(Span<const double>, Span<double>) const {}

 protected:
  ~CouplingParameters() = default;
};

inline int64_t point_size(const DenseShape &pairs) { return pairs.sites * pairs.colors + pairs.pairs() * pairs.block(); }

}  // namespace atp
