// SPDX-License-Identifier: MIT
// Which numbers of samples are faults. The limits are with atp_samples_quality().
#pragma once

namespace atp {

// What a number of the samples is judged by: the same of the data, mean and standard deviation of random parts.
struct Scale {
  double data, parts, deviation;
};

struct Limits {
  double low, high;    // NaN: none
  bool blunt = false;  // samples without any relation to the data are within
  // -1: the number is below low; 1: above high; 0: neither; NaN: there is no number, or no limit, or a blunt one.
  double verdict(double number) const;
};

// Of an atp_quality. Without random parts there are none.
Limits limits_of(int measure, const Scale &scale);

}  // namespace atp
