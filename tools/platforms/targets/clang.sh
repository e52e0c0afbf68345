# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034,SC2154  # read and set by tools/platforms/platforms.sh
title='x86-64, glibc, clang with libstdc++'
how='natively'
tools='clang++-14'
compiler='clang++-14 --version'
options='--native-file=config/clang.ini -Dcli=enabled -Dfortran=disabled -Dmpi=disabled'
slow_suites='cli slow-emulated statistics theory slow'
extra_targets='cli/attopotts examples/quickstart_c examples/quickstart_cpp'
patience=4
