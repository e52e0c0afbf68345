#!/bin/sh
# SPDX-License-Identifier: MIT
# The commands of README.md and of the bindings' READMEs on a machine that has nothing: a bare Debian 12 root with sudo and one user.
# usage: tools/machines/fresh-machine.sh [--results FOLDER] [--brief] [--keep] [--packages FOLDER] [--wheel FOLDER] [--store] [FOLDER]
#   FOLDER             where the root is made; a temporary folder otherwise
#   --results FOLDER   a log of each command, and one that tools/ci/count_tests.py reads; default build-fresh
#   --brief            without the commands that are marked to be run once (./check.sh); as root also without the bindings
#   --packages FOLDER  instead: the Debian packages in FOLDER (packaging/deb.sh), and the quickstarts of docs/installing.md with them
#   --wheel FOLDER     instead, or with --packages: the Python wheel in FOLDER
#   --store            of these two: the times into docs/results/packages.csv and the page
#   --keep             leave the root where it is (nothing stays mounted)
# A clone of HEAD goes through every command block as an ordinary user, then as root; see tools/machines/fresh_machine.py and, for packages,
# tools/machines/fresh_packages.py. Status 77 where
# debootstrap or the rights of root are missing. Packages are kept in ~/.cache/attopotts/fresh (XDG_CACHE_HOME).
set -eu
cd "$(dirname "$0")/../.."

results=build-fresh
keep='' walk=tools/machines/fresh_machine.py
brief='' store='' packages='' wheel=''
folder=
while [ $# -gt 0 ]; do
  case $1 in
    --results) results=$2; shift ;;
    --brief) brief=--brief ;;
    --packages) packages=$2; shift ;;
    --wheel) wheel=$2; shift ;;
    --store) store=--store ;;
    --keep) keep=yes ;;
    --help | -h) sed -n '3,/^[^#]/s/^# //p' "$0"; exit 0 ;;
    -*) echo "fresh-machine.sh: unknown argument '$1', expected --results, --brief, --keep, --packages, --wheel, --store or a folder" >&2; exit 2 ;;
    *) folder=$1 ;;
  esac
  shift
done
set -- $brief
if [ -n "$packages$wheel$store" ]; then
  walk=tools/machines/fresh_packages.py
  set -- ${packages:+--packages "$packages"} ${wheel:+--wheel "$wheel"} $store
fi
for tool in debootstrap unshare chroot git python3; do
  command -v "$tool" > /dev/null || { echo "skipped: $tool is not installed (run tools/machines/install-deps.sh --all)"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo 'skipped: chroot needs root privileges'; exit 77; }
unshare --mount --pid --fork true 2> /dev/null || { echo 'skipped: this machine does not allow mount namespaces'; exit 77; }
[ -z "$folder" ] || [ ! -e "$folder" ] || { echo "fresh-machine.sh: $folder already exists" >&2; exit 2; }
[ -n "$folder" ] || folder=$(mktemp -u "${TMPDIR:-/tmp}/attopotts-fresh.XXXXXX")

# Mounts are made in a namespace of their own and go with its last process, whatever ends it: nothing is mounted below the folder when it is
# removed.
child=
finish() {
  status=$?
  trap - EXIT HUP INT TERM
  if [ -n "$child" ]; then
    # unshare hears no other signal while it waits; with it ends the first process of the namespace, and with that all others.
    kill -KILL "$child" 2> /dev/null && wait "$child" 2> /dev/null || true
  fi
  if [ -n "$keep" ]; then
    echo "fresh-machine.sh: the file system of the new machine is $folder"
  elif [ -d "$folder" ] && ! grep -q " $folder/" /proc/mounts; then
    rm -rf --one-file-system "$folder"
  fi
  exit $status
}
trap finish EXIT
trap 'exit 130' HUP INT TERM
mkdir -p "$folder"
unshare --mount --pid --fork --kill-child --propagation private python3 "$walk" "$folder" "$results" "$@" &
child=$!
status=0
wait "$child" || status=$?
child=
exit $status
