// SPDX-License-Identifier: MIT
#include "run/log_z.hpp"

#include "run/progress_display.hpp"
#include "run/settings.hpp"
#include "run/signals.hpp"

#include <algorithm>
#include <cmath>

namespace cli {

void add_log_likelihood(CLI::App *app, bool &wanted, const std::string &what) {
  app->add_flag("--log-likelihood", wanted, what + "; estimates log Z, and says its error");
}

void needs_log_likelihood(const Session &session, bool wanted, const std::string &command) {
  if (!wanted) session.settings.require_owners({ATP_OWNER_ALIGNMENT}, command + " without --log-likelihood");
}

LogZ estimate_log_z(const Session &session, const Model &model) {
  LogZ out;
  const Options options = options_of(session, ATP_OWNER_PARTITION);
  {
    Progress progress(session, "log Z", "sweeps");
    const ResultTable table(session.context, ATP_TABLE_PARTITION, 1);
    check(atp_estimate_log_z(session.context.get(), model.get(), options.get(), table.get(), Progress::callback, &progress),
          "--log-likelihood");
    out.of_model = attopotts::Partition::of(table);
  }
  stop_if_interrupted();
  const attopotts::Partition &found = out.of_model;
  const double sites = static_cast<double>(model.sites());
  out.text = fmt::format("log Z = {:.8g} +- {:.2g}, entropy {:.6g} +- {:.2g} nats ({:.4g} per site), {}{}", found.log_z, found.log_z_error,
                         found.entropy, found.entropy_error, found.entropy / sites,
                         atp_option_word(ATP_OWNER_PARTITION, ATP_OPT_METHOD, found.method),
                         found.outcome == ATP_OUTCOME_CONVERGED ? "" : ", NOT converged: the errors are too small");
  session.message(out.text);
  return out;
}

std::vector<double> log_probabilities(const LogZ &found, const ModelSequences &data, const std::vector<double> &energies) {
  std::vector<double> values(energies.size());
  const int64_t sites = data.data.sites();
  for (std::size_t n = 0; n < values.size(); ++n) {
    const uint8_t *s = data.row(static_cast<int64_t>(n));
    const bool whole = std::find(s, s + sites, ATP_MISSING) == s + sites;
    values[n] = whole ? found.of_model.log_probability(energies[n]) : std::nan("");
  }
  return values;
}

}  // namespace cli
