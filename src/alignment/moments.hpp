// SPDX-License-Identifier: MIT
// Sums over pairs (x, y) of a statistic of data and samples, and the numbers of atp_comparison_column that follow from them.
#pragma once

#include <attopotts/scores.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace atp {

// x (data) and y (samples) are both minus their means.
struct Moments {
  double count, xx, yy, xy, dd, largest;
  void add(double x, double y) {
    count += 1;
    xx += x * x;
    yy += y * y;
    xy += x * y;
    dd += (x - y) * (x - y);
    largest = std::fmax(largest, std::fabs(x - y));
  }
  void add(const Moments &other) {
    count += other.count;
    xx += other.xx;
    yy += other.yy;
    xy += other.xy;
    dd += other.dd;
    largest = std::fmax(largest, other.largest);
  }
  void write(double *out) const {
    out[ATP_COMPARISON_COUNT] = count;
    out[ATP_COMPARISON_PEARSON] = xy / std::sqrt(xx * yy);
    out[ATP_COMPARISON_SLOPE] = xy / xx;
    out[ATP_COMPARISON_RMS] = std::sqrt(dd / count);
    out[ATP_COMPARISON_LARGEST] = count > 0 ? largest : std::numeric_limits<double>::quiet_NaN();
  }
};
inline constexpr int64_t kMoments = sizeof(Moments) / sizeof(double);

}  // namespace atp
