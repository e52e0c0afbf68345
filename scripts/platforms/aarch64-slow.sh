# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034,SC2154  # read and set by scripts/platforms.sh
# Tests of the suite slow from tests/theory and tests/statistics. They take half an hour under the emulator.
# shellcheck disable=SC1091  # checked without it
. scripts/platforms/aarch64.sh
title='aarch64, glibc (NEON): slow theory and statistics'
suites=''
slow_suites=''
tests='theory-dotattn theory-dotattn_breaking theory-dotattn_dynamics theory-dotattn_lists theory-dotattn_tokens theory-ising_curve
  theory-potts_curve theory-replica_simulation statistics-gibbs_exact-scalar statistics-gibbs_paths-scalar'
