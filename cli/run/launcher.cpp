// SPDX-License-Identifier: MIT
#include "run/launcher.hpp"

#include "run/system.hpp"

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

}  // namespace cli
