#include "counting.h"
#include "support.h"
#include "dotattn/curve.hpp"
#include "dotattn/nested_fields.hpp"
#include "simd/targets.hpp"
#include <cstdio>
#include <vector>
#include <chrono>
using namespace atp;
using namespace atp::dotattn;
int main(int argc, char **argv) {
  double alpha = atof(argv[1]); int kind = atoi(argv[2]); double fine = atof(argv[3]); double omega = argc > 4 ? atof(argv[4]) : 0.3;
  Context context{counting_alloc, counting_free, nullptr};
  context.threads = 1; context.target = initial_target();
  Problem problem; problem.omega = omega; problem.sigma = 0.5; problem.lambda = 0.01;
  Row row;
  CurveRequest request{problem, static_cast<Kind>(kind), &alpha, 1, 1e-4, 10000};
  StopFlag flag;
  Reporter reporter(nullptr, nullptr, flag);
  curve(context, request, reporter, reinterpret_cast<double *>(&row), ATP_DOTATTN_COLUMNS);
  printf("RS q %.6f m %.6f theta %.6f v %.5f et %.8f replicon %.5f jumps %.5g\n", row.q, row.m, row.theta, row.v, row.et, row.replicon, row.jumps);
  double ratio = row.jumps / row.replicon / std::sqrt(2.0);
  double r = std::min(ratio, 0.7);
  NestedFields fields(context, problem, 0.03);
  Arena measure; fields.lay_out(measure);
  std::vector<double> memory(measure.bytes() / sizeof(double) + 16);
  const auto begin = (reinterpret_cast<std::uintptr_t>(memory.data()) + 63) / 64 * 64;
  Arena arena(reinterpret_cast<void *>(begin), measure.bytes());
  fields.lay_out(arena); fields.use(nested_grid(0.6 * r, 1));
  BrokenProblem broken{alpha, problem.rho(), problem.lambda, false, kind == 1 ? Overlap::semantic : kind == 2 ? Overlap::positional : Overlap::none};
  double gap = r * r * row.q, y = 0.3;
  BrokenOrder start{row.q - gap, gap, row.v / (1 + y), row.m, row.theta, 0};
  start.mu = y * start.v / gap;
  auto t0 = std::chrono::steady_clock::now();
  for (int hold = 1; hold >= -1; --hold) {
    double rr = std::sqrt(start.gap / start.q1());
    if (hold < 0) fields.use(nested_grid(0.8 * rr, fine));
    BrokenSolution s = solve_broken(fields, broken, start, hold == 1);
    start = s.order;
    printf("hold %d q1 %.6f q0 %.6f gap/q1 %.5f v %.5f m %.6f theta %.6f mu %.5g y %.4f e %.8f res %.2e n %d conv %d\n", hold, s.order.q1(), s.order.q0, s.order.gap / s.order.q1(), s.order.v, s.order.m, s.order.theta,
      s.order.mu, s.order.mu * s.order.gap / s.order.v, s.energy, s.residual, (int)s.applications, s.converged);
    BrokenOrder o{row.q - start.gap, start.gap, row.v, row.m, row.theta, 0};
    const double rs = broken_energy(broken, o, fields.means(o));
    printf("   same grid RS %.8f shift %.4e  (%.4e of e_t)\n", rs, s.energy - rs, (s.energy - rs) / rs);
    fflush(stdout);
    if (!s.converged) break;
  }
  printf("%.2f s\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count());
}
