#!/bin/sh
# SPDX-License-Identifier: MIT
# Julia for the tests of its binding, on a Debian release that has none. usage: tools/machines/install-julia.sh [--path | --entry FILE...]
# Does nothing where a julia (1.5 or later) in PATH works. Otherwise Julia 1.5.3 of Debian 11 (bullseye) is unpacked, with those of its
# libraries that the machine lacks, into a private folder: ATP_JULIA_FOLDER, else ~/.cache/attopotts/julia (XDG_CACHE_HOME). Nobody has to
# be root, and nothing else on the machine changes: apt runs with a configuration of its own, on the machine's source entry with the suite's
# name replaced. The folder is kept and used again. Status 1 where the suite cannot be reached.
# libunwind of Debian 12 has another layout of what Julia registers with it, and exceptions would be segmentation faults: the one that Julia
# was built for lies beside it.
# Versions before 0.2 installed that Julia through a source and a pin in /etc/apt: both are removed, the packages stay.
# --path prints the julia to use, the one in PATH or the private one; status 1 where there is none.
# --entry prints the source entry that would be used for the machine's source files, or for the files given.
set -eu

suite=bullseye
private=${ATP_JULIA_FOLDER:-${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/attopotts/julia}

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

# Julia is new enough, and an exception is one.
works() {
  "$1" --startup-file=no -e 'VERSION >= v"1.5" || exit(1); try ENV["not set"] catch; exit(0) end' > /dev/null 2>&1
}

path() {
  for candidate in "$(command -v julia || true)" "$private/julia"; do
    if [ -n "$candidate" ] && works "$candidate"; then
      echo "$candidate"
      return 0
    fi
  done
  return 1
}

# shellcheck disable=SC1091
release=$([ ! -r /etc/os-release ] || (. /etc/os-release && echo "${VERSION_CODENAME:-}"))
action=install
case ${1-} in
  '') ;;
  --path)
    path
    exit
    ;;
  --entry)
    shift
    action=entry
    ;;
  --help | -h)
    sed -n '3,/^[^#]/s/^# //p' "$0"
    exit 0
    ;;
  *) die "unknown argument '$1', expected --path, --entry or nothing" ;;
esac
if [ $action = entry ] || [ $# -eq 0 ]; then
  [ $# -gt 0 ] || set -- /etc/apt/sources.list.d/*.sources /etc/apt/sources.list /etc/apt/sources.list.d/*.list
fi
if [ $action = entry ]; then
  find_entry "$@" || die "no entry of suite '$release' in: $*"
  echo "$entry"
  exit 0
fi

# What versions before 0.2 wrote. ATP_ROOT: below this folder instead of /, for tests.
take_back() {
  found=
  for file in "${ATP_ROOT-}"/etc/apt/sources.list.d/attopotts-julia.* "${ATP_ROOT-}/etc/apt/preferences.d/attopotts-julia"; do
    [ ! -f "$file" ] || found="$found $file"
  done
  [ -n "$found" ] || return 0
  root=
  [ -w "${ATP_ROOT-}/etc/apt" ] || root='sudo -n'
  # shellcheck disable=SC2086  # words on purpose
  if ! $root rm -f $found 2> /dev/null; then
    echo "install-julia.sh: an older version of this script added these files to apt; please ask an administrator to remove them:$found" >&2
    return 0
  fi
  echo "install-julia.sh: removed files that an older version of this script added to apt:$found"
  if dpkg-query -W -f='${Version}' julia 2> /dev/null | grep -q '^1\.5\.'; then
    echo 'install-julia.sh: the packages installed from there remain; to remove them, run: apt-get purge julia julia-common libjulia1 && apt-get autoremove'
  fi
  # Lists of that source go with it.
  [ -n "${ATP_ROOT-}" ] || $root apt-get -q update > /dev/null 2>&1 || true
}
take_back

! path > /dev/null || exit 0
for tool in apt-get dpkg-deb; do
  command -v $tool > /dev/null || die "$tool is missing; this script supports Debian. Please install Julia 1.5 or later by hand"
done
find_entry "$@" || die "/etc/apt has no source entry of suite '$release' to copy; please install Julia 1.5 or later by hand"

mkdir -p "$(dirname "$private")" || die "cannot create a folder for Julia; set ATP_JULIA_FOLDER to another one"
work=$(mktemp -d "$(dirname "$private")/julia.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
mkdir -p "$work/state/lists/partial" "$work/archives/partial" "$work/tree"
echo "$entry" > "$work/source.$ending"
# Installed packages count, but for a Julia that does not work.
awk 'BEGIN { RS = ""; ORS = "\n\n" } !/^Package: (lib)?julia[^\n]*\n/' /var/lib/dpkg/status > "$work/state/status"
# Sources, pins, lists and archives are private; hooks of the machine's apt are not run. How it reaches sources stays (proxies, say).
cat > "$work/apt.conf" << END
#clear APT::Update;
#clear DPkg::Post-Invoke;
#clear APT::Default-Release;
Dir::Etc::SourceList "$work/source.$ending";
Dir::Etc::SourceParts "/dev/null";
Dir::Etc::Preferences "/dev/null";
Dir::Etc::PreferencesParts "/dev/null";
Dir::State "$work/state";
Dir::State::lists "$work/state/lists";
Dir::State::status "$work/state/status";
Dir::State::extended_states "$work/state/extended";
Dir::Cache "$work";
Dir::Cache::archives "$work/archives";
Dir::Log "$work";
Debug::NoLocking "true";
APT::Sandbox::User "$(id -un)";
APT::Architectures { "$(dpkg --print-architecture)"; };
Acquire::Languages "none";
Acquire::Retries "3";
Acquire::Check-Valid-Until "false";
END
apt() {
  LC_ALL=C apt-get -q -c "$work/apt.conf" "$@"
}

echo "install-julia.sh: unpacking Julia 1.5 of Debian 11 into $private"
apt update > "$work/log" 2>&1 || true
if ! apt install -s --no-install-recommends julia > "$work/plan" 2>> "$work/log"; then
  grep '^[EW]:' "$work/log" >&2 || true
  die "Julia not installed: suite $suite cannot be reached through the machine's source entry, or its julia does not fit this machine"
fi
# "Inst name (version ...)" is new, "Inst name [old] (new ...)" a newer one of what is there.
packages=$(sed -n 's/^Inst \([^ ]*\) \(\[[^]]*\] \)\{0,1\}(\([^ ]*\) .*/\1=\3/p' "$work/plan")
# shellcheck disable=SC2086  # one word per package
if ! (cd "$work/archives" && apt download $packages libunwind8/$suite) > "$work/log" 2>&1; then
  tail -n 5 "$work/log" >&2
  die "packages of $suite cannot be downloaded: $packages libunwind8"
fi
for archive in "$work"/archives/*.deb; do
  dpkg-deb -x "$archive" "$work/tree"
done
# Links to libraries that the machine has itself.
find "$work/tree" -xtype l | while read -r link; do
  target=$(readlink "$link")
  case $target in
    /*) ;;
    *) target=$(dirname "${link#"$work/tree"}")/$target ;;
  esac
  target=$(realpath -ms "$target")
  [ ! -e "$target" ] || ln -sfn "$target" "$link"
done
# Julia's own folder is in front: libjulia looks there first.
folders=$(cd "$work/tree" && find . -name '*.so*' -printf '%h\n' | sort -u | sed "s,^\.,$private/tree," | paste -s -d :)
cat > "$work/julia" << END
#!/bin/sh
# Written by tools/machines/install-julia.sh of attopotts: Julia of Debian 11 with its libraries.
LD_LIBRARY_PATH=$folders\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
exec $private/tree/usr/bin/julia "\$@"
END
chmod +x "$work/julia"
mkdir "$work/new"
mv "$work/tree" "$work/julia" "$work/new"
rm -rf "$private"
mv "$work/new" "$private"
works "$private/julia" || die "Julia was unpacked into $private, but does not run"
