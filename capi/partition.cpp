// SPDX-License-Identifier: MIT
#include "handles.hpp"

#include "potts/evaluate.hpp"
#include "sample/partition.hpp"

#include <attopotts/partition.h>

#include <algorithm>
#include <iterator>
#include <limits>

using namespace atp;

atp_status atp_model_mean_log_p(atp_context *context, const atp_model *model, const atp_alignment *alignment, double log_z,
                                double log_z_error, double *log_p, double *error) noexcept {
  return guarded(context, "context", [&] {
    require(model, "model");
    require(alignment, "alignment");
    require_model_fit(*core(model), *core(alignment));
    constexpr double kMost = std::numeric_limits<double>::max();
    const double most = core(model)->shape.ordered ? 0 : kMost;  // Z = 1
    require_real(log_z, 0 - most, most, "log_z");
    require_real(log_z_error, 0, most, "log_z_error");
    const Estimate found = mean_log_p(*core(context), *core(model), *core(alignment), {log_z, log_z_error});
    if (log_p != nullptr) *log_p = found.value;
    if (error != nullptr) *error = found.error;
  });
}

atp_status atp_estimate_log_z(atp_context *context, const atp_model *model, const atp_options *options, atp_table *table,
                              atp_progress_fn progress, void *user) noexcept {
  return guarded_together(context, "context", [&] {
    require(model, "model");
    require(table, "table");
    Table &to = *core(table);
    require_table(to, ATP_TABLE_PARTITION, 1);
    const Running::Call filling(to.filling, "table");
    StopFlag stop(&core(context)->stop);
    Reporter reporter(progress, user, stop, nullptr, &core(context)->ranks);
    const PartitionResult result =
        partition(*core(context), *core(model), PartitionOptions(options_for(kPartitionOptions, options)), reporter);
    const Thermodynamics &at = result.at_beta;
    const double row[] = {static_cast<double>(result.method),
                          core(model)->shape.ordered ? 1.0 : core(model)->beta,
                          at.log_z,
                          at.log_z_error,
                          at.energy,
                          at.energy_error,
                          at.entropy,
                          at.entropy_error,
                          result.effective,
                          result.rhat,
                          static_cast<double>(result.distributions),
                          result.profile ? 1.0 : 0.0,
                          static_cast<double>(result.outcome)};
    static_assert(sizeof row == ATP_PARTITION_COLUMNS * sizeof(double));
    std::copy(std::begin(row), std::end(row), to.room(1).begin());
    to.append(1);
  });
}
