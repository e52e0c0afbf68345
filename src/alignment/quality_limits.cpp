// SPDX-License-Identifier: MIT
#include "alignment/quality_limits.hpp"

#include <attopotts/scores.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace atp {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kDeviations = 3;  // of the mean over the splits
constexpr int kSites = ATP_QUALITY_SITES, kCovariances = ATP_QUALITY_COVARIANCES, kTriples = ATP_QUALITY_TRIPLES;  // first numbers

// A correlation may be as far from 1 as `times` what noise alone explains; one of `enough` is good whatever the noise.
Limits of_correlation(double least, double times, double enough) { return {std::min(enough, 1 - times * (1 - least)), kNone}; }

}  // namespace

double Limits::verdict(double number) const {
  if (std::isnan(number) || (std::isnan(low) && std::isnan(high))) return kNone;
  return number < low ? -1 : number > high ? 1 : blunt ? kNone : 0;
}

namespace {

Limits ends_of(int measure, const Scale &scale) {
  const double margin = kDeviations * scale.deviation, least = scale.parts - margin, most = scale.parts + margin;
  if (std::isnan(margin)) return {kNone, kNone};
  switch (measure) {
    case kSites + ATP_COMPARISON_RMS: return {kNone, std::max(0.02, 2 * most)};
    case kCovariances + ATP_COMPARISON_PEARSON: return of_correlation(least, 1.5, 0.95);
    case kCovariances + ATP_COMPARISON_SLOPE: return {std::min(0.8, 0.9 * least), 1.25 + margin};
    case kTriples + ATP_COMPARISON_PEARSON: return of_correlation(least, 2, 0.9);
    case kTriples + ATP_COMPARISON_SLOPE: return {std::min(0.7, 0.6 * least), 1.5 + margin};
    case ATP_QUALITY_VARIANCE_1:
    case ATP_QUALITY_VARIANCE_2: return {0.5 * least, 2 * std::max(1.0, most)};
    case ATP_QUALITY_PLANE: return {kNone, std::max(0.05, 4 * most)};
    case ATP_QUALITY_NEAREST: return {0.5 * least, kNone};
    case ATP_QUALITY_COPIES: return {kNone, 0.05 + most};
    case ATP_QUALITY_SPREAD: return {0.8 * scale.data - margin, kNone};
    default: return {kNone, kNone};
  }
}

}  // namespace

// Correlations, slopes, variances and distances are 0 where there is nothing of the data, coefficients and shares are 1 at most.
Limits limits_of(int measure, const Scale &scale) {
  Limits limits = ends_of(measure, scale);
  const bool share = measure == ATP_QUALITY_PLANE || measure == ATP_QUALITY_COPIES;
  limits.blunt = limits.low <= 0 || (share && limits.high >= 1);
  return limits;
}

}  // namespace atp
