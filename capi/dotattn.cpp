// SPDX-License-Identifier: MIT
#include "handles.hpp"

#include "theory/dotattn/two_tokens/problem.hpp"

#include <attopotts/dotattn.h>

#include <cstring>

using namespace atp;
using namespace atp::dotattn;

atp_status atp_dotattn_linear(const double *teacher, int64_t teacher_size, double omega, double sigma, double *map, int64_t map_size,
                              double *loss) noexcept {
  return guarded(nullptr, [&] {
    require(teacher, "teacher");
    require_size(teacher_size, 4, "teacher_size");
    require_reals(teacher, 4, -1e3, 1e3, "teacher", {2});
    require_real(omega, 0, 1, "omega");
    require_sigma(sigma);
    if (map != nullptr) require_size(map_size, 4, "map_size");
    Problem problem;
    problem.omega = omega;
    problem.sigma = sigma;
    std::memcpy(problem.map, teacher, sizeof problem.map);
    double best[4];
    const double smallest = linear_baseline(problem, best);
    if (map != nullptr) std::memcpy(map, best, sizeof best);
    if (loss != nullptr) *loss = smallest;
  });
}
