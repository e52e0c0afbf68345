#!/bin/sh
# SPDX-License-Identifier: MIT
# Install Julia with apt on a Debian release that has none. usage: scripts/install-julia.sh [--entry FILE...]
# Debian 12 left Julia out; the package of Debian 11 (bullseye, Julia 1.5.3) runs beside everything that Debian 12 has.
# The machine's own source entry is copied with the suite's name replaced (main alone, without its updates), under a
# pin so low that nothing else comes from there; then julia is installed, if apt would neither remove nor change any
# other package for it. libunwind of Debian 12 has another layout of what Julia registers with it: exceptions would be
# segmentation faults. Where that is so, Julia's own folder, where libjulia looks first, gets the libunwind that it was
# built for; nothing else sees that one. Does nothing where a julia (1.5 or later) works. Status 1 where the suite
# cannot be reached; what was written is then taken back.
# --entry prints the entry that would be written for the machine's source files, or for the files given, and changes
# nothing.
set -eu

suite=bullseye
source_name=attopotts-julia
folder=/etc/apt/sources.list.d
pin=/etc/apt/preferences.d/$source_name

die() {
  echo "install-julia.sh: $*" >&2
  exit 1
}

# The first entry of type deb, in files of either form, whose suite is the first argument; with $suite and main instead.
# In deb822 form: every field but these two, Types and Enabled as it was, signing key included.
deb822_entry() {
  wanted=$1
  shift
  for file in "$@"; do
    [ -f "$file" ] || continue
    awk -v wanted="$wanted" -v suite="$suite" '
      function flush() {
        if (deb && found && !off) { printf "Types: deb\nSuites: %s\nComponents: main\n%s", suite, kept; done = 1; exit }
        deb = found = off = 0; kept = ""; field = ""
      }
      function look(text,  n, k, words) {
        n = split(text, words, /[ \t]+/)
        for (k = 1; k <= n; k++) if (words[k] == wanted) found = 1
      }
      /^#/ { next }
      /^[ \t]*$/ { flush(); next }
      /^[ \t]/ { if (field == "suites") look($0); else if (field == "kept") kept = kept $0 "\n"; next }
      {
        name = tolower(substr($0, 1, index($0, ":") - 1)); value = substr($0, index($0, ":") + 1)
        if (name == "types") { deb = value ~ /(^|[ \t])deb([ \t]|$)/; field = "" }
        else if (name == "suites") { field = "suites"; look(value) }
        else if (name == "enabled") { off = value ~ /no|false|off|0/; field = "" }
        else if (name == "components") field = ""
        else { field = "kept"; kept = kept $0 "\n" }
      }
      END { if (!done) flush() }' "$file"
  done | awk '/^Types:/ { if (n++) exit } { print }'
}

# In one-line form: options and address as they were.
line_entry() {
  wanted=$1
  shift
  for file in "$@"; do
    [ -f "$file" ] || continue
    awk -v wanted="$wanted" -v suite="$suite" '
      $1 == "deb" {
        place = 2
        if ($2 ~ /^\[/) { while (place <= NF && $place !~ /\]$/) place++; place++ }
        if ($(place + 1) != wanted) next
        line = "deb"
        for (k = 2; k <= place; k++) line = line " " $k
        print line " " suite " main"
        exit
      }' "$file"
  done | head -n 1
}

[ -r /etc/os-release ] || die "no /etc/os-release here; install Julia 1.5 or later by hand"
# shellcheck disable=SC1091
release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")

# Sets entry (text) and ending (of the name of its file).
find_entry() {
  for name in "$release" stable; do
    ending=sources
    entry=$(deb822_entry "$name" "$@")
    [ -z "$entry" ] || return 0
    ending=list
    entry=$(line_entry "$name" "$@")
    [ -z "$entry" ] || return 0
  done
  return 1
}

case ${1-} in
  '') ;;
  --entry)
    shift
    [ $# -gt 0 ] || set -- "$folder"/*.sources /etc/apt/sources.list "$folder"/*.list
    find_entry "$@" || die "no entry of suite '$release' in: $*"
    echo "$entry"
    exit 0
    ;;
  --help | -h)
    sed -n '3,12s/^# //p' "$0"
    exit 0
    ;;
  *) die "unknown argument '$1', expected --entry or nothing" ;;
esac

# Julia is new enough, and an exception is one.
works() {
  julia --startup-file=no -e 'VERSION >= v"1.5" || exit(1); try ENV["not set"] catch; exit(0) end' > /dev/null 2>&1
}

! works || exit 0
julia=$(command -v julia || true)
if [ -n "$julia" ] && ! dpkg -S "$julia" > /dev/null 2>&1; then
  die "$julia is older than Julia 1.5 or does not work; remove it or put a newer one first in PATH"
fi
command -v apt-get > /dev/null || die "no apt-get here (this script knows Debian); install Julia 1.5 or later by hand"

if [ "$(id -u)" = 0 ]; then
  root=
elif ! command -v sudo > /dev/null; then
  die "not root and no sudo; have somebody run it who is"
elif [ -t 0 ]; then
  root=sudo
else
  root='sudo -n'
  $root true 2> /dev/null || die "not root, and sudo asks for a password that nobody can type"
fi

as_root() {
  # shellcheck disable=SC2086  # $root is one or two words, or none
  $root "$@"
}
apt() {
  as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -q -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@"
}
# The version that apt would install; nothing where there is none.
candidate() {
  LC_ALL=C apt-cache policy julia 2> /dev/null | sed -n 's/^ *Candidate: //p' | grep -v '^(none)$' || true
}

work=$(mktemp -d)
written=
# What a run wrote that did not come to its end is taken back, lists and all.
finish() {
  status=$?
  trap - EXIT
  if [ -n "$written" ]; then
    # shellcheck disable=SC2086  # one word per file
    as_root rm -f $written
    apt update > /dev/null 2>&1 || true
  fi
  rm -rf "$work"
  exit "$status"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM

if [ -z "$(candidate)" ]; then
  [ -n "$release" ] || die "/etc/os-release names no release; install Julia 1.5 or later by hand"
  find_entry "$folder"/*.sources /etc/apt/sources.list "$folder"/*.list ||
    die "no source entry of suite '$release' to copy in /etc/apt; install Julia 1.5 or later by hand"
  written="$folder/$source_name.$ending $pin"
  echo "install-julia.sh: adding suite $suite to the sources of apt, pinned low"
  printf 'Package: *\nPin: release n=%s\nPin-Priority: 50\n' "$suite" | as_root tee "$pin" > /dev/null
  printf '# Written by scripts/install-julia.sh of attopotts; pinned low in %s.\n%s\n' "$pin" "$entry" |
    as_root tee "$folder/$source_name.$ending" > /dev/null
fi

# Sources of others that cannot be reached do not matter; where this one cannot, there is no candidate.
apt update > "$work/log" 2>&1 || true
if [ -z "$(candidate)" ]; then
  grep '^[EW]:' "$work/log" >&2 || true
  die "suite $suite cannot be reached through the machine's source entry: no julia"
fi

if [ -z "$julia" ]; then
  if ! apt install -s --no-install-recommends julia > "$work/plan" 2>&1; then
    tail -n 20 "$work/plan" >&2
    die "apt finds no way to install julia beside what is here"
  fi
  # "Inst name [old] (new ...)" is a change of a package that is there, "Remv name" a removal.
  if grep -E '^(Remv |Inst [^ ]+ \[)' "$work/plan" >&2; then
    die "apt would change the packages above for julia; nothing was installed"
  fi
  echo "install-julia.sh: installing $(sed -n 's/^Inst \([^ ]*\) .*/\1/p' "$work/plan" | tr '\n' ' ')"
  if ! apt install -y --no-install-recommends --no-remove julia > "$work/log" 2>&1; then
    tail -n 20 "$work/log" >&2
    die "apt-get install failed"
  fi
fi
if ! works; then
  folder=$(dpkg -L libjulia1 2> /dev/null | sed -n 's,/libjulia\.so\.1$,/julia,p')
  [ -d "$folder" ] || die "julia was installed, but does not work"
  echo "install-julia.sh: giving Julia the libunwind of $suite, in $folder"
  (cd "$work" && apt download "libunwind8/$suite" > log 2>&1 && dpkg-deb -x libunwind8_*.deb tree) ||
    die "libunwind8 of $suite cannot be had"
  library=$(find "$work/tree" -name libunwind.so.8)
  [ -f "$library" ] || die "libunwind8 of $suite has no libunwind.so.8"
  as_root install -m 644 "$library" "$folder/libunwind.so.8"
  works || die "julia was installed, but does not work"
fi
written=
