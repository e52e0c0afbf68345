// SPDX-License-Identifier: MIT
// attopotts enumerate: exact thermodynamics of a small model.
#include "commands/commands.hpp"
#include "commands/sample_rungs.hpp"
#include "flags/validators.hpp"
#include "run/files.hpp"

namespace cli {

namespace {

struct EnumerateFlags {
  std::string model, marginals, reference, csv = "-";
  std::vector<double> betas;
};

// p_i(a) at each beta.
Table marginals_of(const Session &session, Model &model, const std::vector<double> &betas) {
  const int64_t sites = model.sites(), colors = model.colors();
  Table table(session, {"beta", "site", "color", "probability"});
  std::vector<double> p(static_cast<std::size_t>(sites * colors));
  for (const double beta : betas) {
    if (!model.is_ordered()) labelled("--betas", [&] { model.set_beta(beta); });
    check(atp_model_enumerate(model.get(), nullptr, nullptr, p.data(), sites * colors, nullptr, 0));
    for (int64_t i = 0; i < sites; ++i)
      for (int64_t a = 0; a < colors; ++a) table.row({cell(beta), cell(i), cell(a), cell(p[static_cast<std::size_t>(i * colors + a)])});
  }
  return table;
}

int run_enumerate(Session &session, const EnumerateFlags &flags) {
  Model model = read_model(session, "MODEL", flags.model);
  if (!model.is_ordered() && atp_model_is_symmetric(model.get()) == 0)
    session.say("note: the couplings are not symmetric: energies are of their symmetric part, whose conditionals are not the model's");
  std::vector<double> betas = flags.betas;
  if (betas.empty()) betas.push_back(model.is_ordered() ? 1 : atp_model_beta(model.get()));
  const auto n = static_cast<int64_t>(betas.size());
  const ResultTable found(session.context, ATP_TABLE_RUNGS, n);
  const std::vector<uint8_t> reference = read_reference(session, flags.reference, model);
  const uint8_t *first = reference.empty() ? nullptr : reference.data();
  check(atp_model_enumerate_rungs(session.context.get(), model.get(), betas.data(), n, first, model.sites(), found.get()),
        "MODEL " + flags.model);
  table_of_rungs(session, found).write(session, flags.csv);
  if (!flags.marginals.empty()) marginals_of(session, model, betas).write(session, flags.marginals);
  return kDone;
}

void add_enumerate(CLI::App *app, EnumerateFlags *flags) {
  app->add_option("MODEL", flags->model, "a model of at most 2^26 = 67108864 states q^L")->check(input_file())->required();
  add_list(app, "--betas", flags->betas, 0, 1e6,
           "inverse temperatures; default: the model's own, 1 for the energy -log P of an autoregressive one");
  app->add_option("--reference", flags->reference, "magnetisation by the first sequence of a file, too")
      ->check(input_file())
      ->type_name("FILE");
  app->add_option("--marginals", flags->marginals, "table of the probabilities of the colours of each site, sites and colours from 0")
      ->check(output_file())
      ->type_name("FILE");
  add_csv(app, flags->csv);
}

}  // namespace

const Command kEnumerateCommand = {"enumerate",
                                   "exact log Z, entropy, energy and fluctuations of a small model, by the sum over its states",
                                   kOfModels,
                                   "attopotts enumerate model.h5 --betas 0:2:21",
                                   "--betas --reference --marginals --csv",
                                   with_flags<EnumerateFlags, add_enumerate, run_enumerate>,
                                   {}};

}  // namespace cli
