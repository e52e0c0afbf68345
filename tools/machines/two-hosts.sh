#!/bin/sh
# SPDX-License-Identifier: MIT
# Two hosts on one machine: network namespaces with a name and an address each, joined by a virtual cable (veth), so that messages between
# them cross a network. usage: tools/machines/two-hosts.sh run COMMAND [ARGUMENT...]
#
# Runs the command on the first host, with the environment variable MPIRUN: the start of an mpirun command line that places ranks on both
# hosts in turn. Example: tools/machines/two-hosts.sh run sh -c '$MPIRUN -n 4 build/tests/mpi/mpi_ranks'. At the end, on errors and signals too, everything is
# taken down. Prints how many bytes crossed the cable. Needs root, iproute2 and Open MPI.
set -eu

die() {
  echo "two-hosts.sh: $*" >&2
  exit 2
}

if [ "${1-}" != run ] || [ $# -lt 2 ]; then
  die "usage: two-hosts.sh run COMMAND [ARGUMENT...]"
fi
shift
[ "$(id -u)" = 0 ] || die "needs root, to make network namespaces"
for tool in ip unshare mpirun; do
  command -v "$tool" > /dev/null || die "$tool is missing: apt-get install iproute2 util-linux openmpi-bin"
done

one=atp-one-$$ two=atp-two-$$
folder=$(mktemp -d)
# shellcheck disable=SC2317  # called by the trap
take_down() {
  for host in "$one" "$two"; do
    ip netns pids "$host" 2> /dev/null | xargs -r kill 2> /dev/null || true
    ip netns delete "$host" 2> /dev/null || true
  done
  rm -rf "$folder"
}
trap take_down EXIT
trap 'exit 130' INT TERM HUP

ip netns add "$one" || die "this machine gives no network namespaces"
ip netns add "$two"
ip link add name cable netns "$one" type veth peer name cable netns "$two"
ip -n "$one" address add 10.87.0.1/24 dev cable
ip -n "$two" address add 10.87.0.2/24 dev cable
for host in "$one" "$two"; do
  ip -n "$host" link set lo up
  ip -n "$host" link set cable up
done

# Run a command on a host: its network, and a host name of its own.
cat > "$folder/on" << 'END'
#!/bin/sh
host=$1
shift
exec ip netns exec "$host" unshare --uts sh -c 'hostname "$0"; exec "$@"' "$host" "$@"
END
# What mpirun calls in place of ssh: AGENT ADDRESS COMMAND...
cat > "$folder/agent" << END
#!/bin/sh
shift
exec "$folder/on" "$two" sh -c "\$*"
END
chmod +x "$folder/on" "$folder/agent"

# Each host has its own folder for sockets and shared memory: ranks on different hosts reach each other by the network alone.
MPIRUN="mpirun --mca plm_rsh_agent $folder/agent --mca btl tcp,self --mca btl_tcp_if_include cable --mca oob_tcp_if_include cable"
MPIRUN="$MPIRUN --mca orte_keep_fqdn_hostnames 1 --host 10.87.0.1:16,10.87.0.2:16 --map-by node --bind-to none"
export MPIRUN OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
status=0
"$folder/on" "$one" "$@" || status=$?
bytes=$(ip netns exec "$one" cat /sys/class/net/cable/statistics/tx_bytes)
echo "two-hosts.sh: $bytes bytes left the first host" >&2
exit "$status"
