// SPDX-License-Identifier: MIT
#include "support/launcher.hpp"

#include "support/system.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>

namespace cli {

namespace {

int64_t number_of(const char *name, int64_t otherwise) {
  const char *text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoll(text, nullptr, 10);
}

// Open MPI; MPICH and Intel MPI; srun, whose variables a batch script has, too, except those of a step.
constexpr const char *kRankVariables[][3] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"},
                                             {"PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS"},
                                             {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_TASKS_PER_NODE"}};

constexpr const char *kLauncherVariables[] = {"OMPI_",      "PMI",          "PRTE_",         "ORTE_",        "MPI_LOCAL",
                                              "MPIR_",      "HYDRA_",       "HYDI_",         "I_MPI_",       "MV2_COMM_",
                                              "MVP_COMM_",  "SLURM_PROCID", "SLURM_LOCALID", "SLURM_NODEID", "SLURM_GTIDS",
                                              "SLURM_STEP", "PALS_",        "ALPS_",         "FLUX_TASK_",   "JSM_NAMESPACE_"};

}  // namespace

Launched launched() {
  for (const auto &[rank, size, local_size] : kRankVariables)
    if (std::getenv(rank) != nullptr && std::getenv(size) != nullptr) {
      Launched found;
      found.size = std::max<int64_t>(1, number_of(size, 1));
      found.rank = std::clamp<int64_t>(number_of(rank, 0), 0, found.size - 1);
      found.local_size = std::clamp<int64_t>(number_of(local_size, 1), 1, found.size);
      return found;
    }
  return {};
}

int64_t cores_of_rank(int64_t own, int64_t processes) {
  const bool bound = own < machine_cores();
  return bound ? own : std::max<int64_t>(1, own / processes);
}

std::vector<std::string> environment_without_launcher() {
  std::vector<std::string> kept;
  for (const std::string &text : environment()) {
    const bool of_launcher = std::any_of(std::begin(kLauncherVariables), std::end(kLauncherVariables),
                                         [&](const std::string &prefix) { return text.compare(0, prefix.size(), prefix) == 0; });
    if (!of_launcher) kept.push_back(text);
  }
  return kept;
}

}  // namespace cli
