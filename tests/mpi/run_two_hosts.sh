#!/bin/sh
# SPDX-License-Identifier: MIT
# The tests of ranks on two hosts, of which the messages cross a network. usage: run_two_hosts.sh PROGRAM...
# Status: 0 passed, 77 this machine gives no network namespaces.
set -eu
script=$(dirname "$0")/../../scripts/two-hosts.sh
skip() {
  echo "skipped: $1"
  exit 77
}
[ "$(id -u)" = 0 ] || skip 'network namespaces need root'
command -v ip > /dev/null || skip 'ip is not installed (iproute2)'
unshare --net --uts true 2> /dev/null || skip 'this machine gives no network namespaces'
# Both hosts have ranks.
# shellcheck disable=SC2016  # MPIRUN is for the shell on the first host
hosts=$("$script" run sh -c '$MPIRUN -n 4 hostname' | sort -u | wc -l)
[ "$hosts" = 2 ] || { echo "the ranks were on $hosts hosts"; exit 1; }
for ranks in 2 3 4; do
  for program in "$@"; do
    # shellcheck disable=SC2016
    "$script" run sh -c '$MPIRUN -x LD_LIBRARY_PATH -n "$0" "$1"' "$ranks" "$program"
  done
done
