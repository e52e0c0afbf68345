// SPDX-License-Identifier: MIT
// [R24 fig. 3 left]: masked Gaussian modelling, theory and simulation.
#include "figures/curve_picture.hpp"
#include "figures/figures.hpp"
#include "figures/plots.hpp"

namespace cli {

int reproduce_fig3_left(const Session &session, const FigureJob &job) {
  GaussianCurve curve;
  if (job.quick) {
    curve.sites = 150;
    curve.reduced = quick_note(job, "L = 150 instead of 400");
  }
  curve.shift = job.shift.value_or(curve.shift);
  curve.penalty = job.lambda.value_or(curve.penalty);
  curve.realisations = job.realisations.value_or(curve.realisations);
  if (job.sites) {
    curve.sites = *job.sites;
    curve.reduced.clear();
  }
  const GaussianCurveResult r = draw_gaussian_curve(session, job.directory, job.name, curve);
  print_line(
      session,
      fmt::format(
          "L = {}, {} realisations: {} of {} simulated losses within 3 standard errors of theory, root mean square {:.2f} standard errors",
          curve.sites, curve.realisations, r.agreeing, r.points, r.root_mean_square));
  print_line(session, fmt::format("test loss {:.4f} without data, {:.2f} at alpha = {:g}, {:.4f} at alpha = 4, {:.4f} at best",
                                  r.without_data, r.peak, r.peak_alpha, r.end, r.best));
  say_written(session, job, r.drawn);
  return r.outcome == ATP_OUTCOME_CONVERGED ? kDone : kNotConverged;
}

}  // namespace cli
