# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034,SC2154  # read and set by tools/platforms/platforms.sh
title='Windows, x86-64'
zig_target=x86_64-windows-gnu
# shellcheck disable=SC1091  # checked without it
. tools/platforms/targets/zig.inc
tools="$tools file"
options='-Dcli=enabled'
suites=''
extra_targets='cli/attopotts.exe examples/quickstart_c.exe examples/quickstart_cpp.exe'
wine=$(command -v wine64 || command -v /usr/lib/wine/wine64 || true)
how='built, not run'
[ -z "$wine" ] || how='quickstarts and program under wine'

prepare() { zig_prepare; }
check_more() {
  check_linked 'PE32+ executable (console) x86-64' .exe
  if [ -z "$wine" ]; then
    checked run skipped 'wine64 is not installed'
    return
  fi
  export WINEDEBUG=-all
  if python3 examples/same_numbers.py "$wine $build/examples/quickstart_c.exe" "$wine $build/examples/quickstart_cpp.exe"; then
    checked quickstarts passed 'the bits of Linux'
  else
    checked quickstarts failed 'other numbers than on Linux'
  fi
  # Twice: the second run replaces the file of the first. Lines end as on Linux.
  for run in first second; do
    if (cd "$build" && "$wine" cli/attopotts.exe sample --quiet --sites 10 --colors 4 --beta 1 --protocol chain --thin 10 --samples 50 \
      --output sampled.txt) && [ "$(grep -vc '#' "$build/sampled.txt")" = 50 ] && ! grep -q "$(printf '\r')" "$build/sampled.txt"; then
      checked "sample, $run run" passed '50 sequences'
    else
      checked "sample, $run run" failed 'see above'
    fi
  done
}
