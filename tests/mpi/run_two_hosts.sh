#!/bin/sh
# SPDX-License-Identifier: MIT
# The tests of ranks, and the program, on two hosts, of which the messages cross a network.
# usage: run_two_hosts.sh [--program ATTOPOTTS] TEST...
# Status: 0 passed, 77 this machine gives no network namespaces.
set -eu
script=$(cd "$(dirname "$0")/../../tools/machines" && pwd)/two-hosts.sh
skip() {
  echo "skipped: $1"
  exit 77
}
[ "$(id -u)" = 0 ] || skip 'network namespaces need root'
command -v ip > /dev/null || skip 'ip is not installed (iproute2)'
unshare --net --uts true 2> /dev/null || skip 'this machine gives no network namespaces'
program=
if [ "$1" = --program ]; then
  program=$2
  shift 2
fi
# Both hosts have ranks.
# shellcheck disable=SC2016  # MPIRUN is for the shell on the first host
hosts=$("$script" run sh -c '$MPIRUN -n 4 hostname' | sort -u | wc -l)
[ "$hosts" = 2 ] || { echo "the ranks were on $hosts hosts"; exit 1; }
for ranks in 2 3 4; do
  for test in "$@"; do
    # shellcheck disable=SC2016
    "$script" run sh -c '$MPIRUN -x LD_LIBRARY_PATH -n "$0" "$1"' "$ranks" "$test"
  done
done
[ -n "$program" ] || exit 0

# The program writes the files of one process. Each command names its output FILE.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$program" sample --sites 9 --colors 5 --couplings gaussian --beta 0.8 --protocol chain --chains 20 --samples 400 --thin 9 -o data.txt --quiet
for flags in 'sample --sites 9 --colors 5 --beta 0.8 --chains 6 --samples 90 --burn-in 200 --thin 20 --seed 3 -o' \
  'learn data.txt --epochs 30 -o' 'learn data.txt --epochs 30 --family dense -o' 'learn data.txt --epochs 5 --optimizer sgd --batch 50 -o' \
  'learn data.txt --epochs 30 --family dense --asymmetric -o' 'learn data.txt --theta 0.4 --epochs 3 -o model.h5 --save-weights'; do
  # shellcheck disable=SC2086  # words
  "$program" $flags alone.h5 --quiet || [ $? = 3 ]
  for ranks in 2 4; do
    # shellcheck disable=SC2016,SC2086
    "$script" run sh -c '$MPIRUN -x LD_LIBRARY_PATH -n "$0" "$@" together.h5 --quiet || [ $? = 3 ]' "$ranks" "$program" $flags
    cmp alone.h5 together.h5 || { echo "attopotts $flags: other files on $ranks ranks of two hosts"; exit 1; }
  done
done
echo "the program: 6 commands on 2 and 4 ranks of two hosts write the files of one process"
