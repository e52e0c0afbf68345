# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034,SC2154  # read and set by scripts/platforms.sh
title='s390x, glibc (big endian, scalar)'
how='under qemu-s390x, optimisation 1'
architecture=s390x triplet=s390x-linux-gnu prefix=s390x-linux-gnu cpu_family=s390x endian=big emulator=qemu-s390x
# shellcheck disable=SC1091  # checked without it
. scripts/platforms/debian.inc
tools="$prefix-g++ $emulator"
compiler="$prefix-g++ --version"
options='-Dcli=disabled -Dopenmp=enabled -Dhdf5=enabled -Dfortran=disabled -Doptimization=1'
# What reads and writes bytes; and what draws numbers, whose bits these files hold.
suites=''
tests='unit-formats unit-hdf5 unit-hdf5_files unit-readers unit-philox unit-model unit-trainer_resume api-alignment api-borrow api-columns
  api-damage api-family api-files api-formats api-inputs api-logs api-model api-model_state api-mutations api-outputs api-parts api-plmc
  api-saved_states api-score_files api-text api-table kernel-gibbs-scalar kernel-attention-scalar kernel-exp-scalar'
slow_suites='unit api'
extra_targets='libattopotts.a examples/quickstart_c examples/quickstart_cpp'
emulated=yes
patience=20

prepare() { debian_prepare; }
check_more() { check_quickstarts; }
