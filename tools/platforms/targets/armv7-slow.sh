# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034,SC2154  # read and set by tools/platforms/platforms.sh
# shellcheck disable=SC1091  # checked without it
. tools/platforms/targets/armv7.sh
title='armv7 hard float, glibc (VFPv4, scalar): slow theory and statistics'
suites=''
slow_suites=''
tests=$slow_theory_tests
