#!/bin/sh
# SPDX-License-Identifier: MIT
# All families of families.txt with GNU parallel, one per core. Run it again to continue: families that are done are left out.
set -eu
parallel --joblog families.log --resume-failed --results 'logs/{/.}' sh family.sh {} :::: families.txt > /dev/null
