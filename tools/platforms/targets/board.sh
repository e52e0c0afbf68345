# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034,SC2154  # read and set by tools/platforms/platforms.sh
title='a board: 64 MB, one core, profile tiny'
how='natively, with a limit of the address space'
compiler='c++ --version'
options='-Dprofile=tiny'
suites=''
extra_targets='examples/quickstart_c examples/board_c'

# The quickstart, and drawing and learning as examples/c/board.c says.
check_more() {
  for program in quickstart_c board_c; do
    if tools/platforms/targets/on_board.py 64 "$build/examples/$program" > "$build/$program.txt" 2>&1; then
      checked "$program" passed "$(tail -n 1 "$build/$program.txt")"
    else
      tail -n 3 "$build/$program.txt" >&2
      checked "$program" failed "$(tail -n 1 "$build/$program.txt")"
    fi
  done
}
