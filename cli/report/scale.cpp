// SPDX-License-Identifier: MIT
#include "report/scale.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace cli {

namespace {

// 1, 2 or 5 times a power of ten, at least `least`.
double round_step(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

void set_linear_ticks(Scale &scale, int about) {
  const double step = round_step((scale.high - scale.low) / about);
  const double first = std::floor(scale.low / step + 1e-9), last = std::ceil(scale.high / step - 1e-9);
  scale.low = first * step;
  scale.high = last * step;
  for (double k = first; k <= last; ++k) scale.ticks.push_back(k * step);
}

// Powers of ten, or 1, 2 and 5 times them where there are few.
void set_log_ticks(Scale &scale, int about) {
  const double low = std::floor(std::log10(scale.low)), high = std::ceil(std::log10(scale.high));
  const double every = std::max(1.0, std::ceil((high - low) / about));
  const bool few = high - low < about / 2.0;
  for (double k = low; k <= high; k += every)
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor > 1 && !few) break;
      const double tick = factor * std::pow(10, k);
      if (tick >= scale.low * (1 - 1e-9) && tick <= scale.high * (1 + 1e-9)) scale.ticks.push_back(tick);
    }
}

}  // namespace

double Scale::at(double value) const {
  const double part = logarithmic ? (std::log(value) - std::log(low)) / (std::log(high) - std::log(low)) : (value - low) / (high - low);
  return from + part * (to - from);
}

bool Scale::has(double value) const { return std::isfinite(value) && (!logarithmic || value > 0); }

Scale scale_over(double low, double high, bool logarithmic, int about) {
  Scale scale;
  scale.logarithmic = logarithmic;
  if (logarithmic) {
    scale.low = low > 0 ? low : 1;
    scale.high = high > scale.low * 1.01 ? high : scale.low * 10;
    set_log_ticks(scale, about);
    return scale;
  }
  const double largest = std::fmax(std::fabs(low), std::fabs(high));
  const double spread = high - low > 1e-9 * largest ? 0 : largest > 0 ? largest / 2 : 0.5;
  scale.low = low - spread;
  scale.high = high + spread;
  set_linear_ticks(scale, about);
  return scale;
}

std::vector<double> ticks_between(double low, double high, int about) {
  const double step = std::fmax(1, round_step((high - low) / about));
  std::vector<double> ticks;
  for (double tick = std::ceil(low / step) * step; tick <= high; tick += step) ticks.push_back(tick);
  return ticks;
}

std::string short_text(double value) { return fmt::format("{:.5g}", std::fabs(value) < 1e-12 ? 0 : value); }

}  // namespace cli
