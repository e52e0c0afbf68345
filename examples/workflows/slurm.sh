#!/bin/sh
# SPDX-License-Identifier: MIT
# All families of families.txt as an array of Slurm jobs: `mkdir -p logs && sbatch slurm.sh`. Task N has line N of the list.
#SBATCH --array=1-40
#SBATCH --cpus-per-task=4
#SBATCH --time=04:00:00
#SBATCH --signal=B:TERM@120
#SBATCH --output=logs/%a.out
#SBATCH --error=logs/%a.err
set -eu
file=$(sed -n "${SLURM_ARRAY_TASK_ID}p" families.txt)
[ -n "$file" ] || { echo "slurm.sh: families.txt has no line $SLURM_ARRAY_TASK_ID" >&2 && exit 2; }
exec sh family.sh "$file" "${SLURM_CPUS_PER_TASK:-1}"
