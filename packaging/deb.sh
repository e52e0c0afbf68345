#!/bin/sh
# SPDX-License-Identifier: MIT
# Build the Debian packages: library, headers, program, Fortran, Python, R. usage: packaging/deb.sh FOLDER [--check] [OPTION of dpkg-buildpackage...]
# FOLDER gets the packages, their source and their checksums. The tree is copied first and stays as it is; packaging/debian becomes its debian/.
# Changelog and date come from meson.build and from the last commit (SOURCE_DATE_EPOCH takes precedence), the maintainer from DEBFULLNAME and
# DEBEMAIL. Needs tools/machines/install-deps.sh --packages. -b leaves the source package out. TMPDIR: where the build takes place.
# --check: also lintian; status 1 for an error or a warning.
set -eu
case ${1-} in
  -h | --help) sed -n '3,/^[^#]/s/^# //p' "$0"; exit 0 ;;
  '' | -*) echo 'deb.sh: expected the folder of the packages' >&2; exit 2 ;;
esac
target=$1
shift
check=
[ "${1-}" != --check ] || { check=yes; shift; }
root=$(cd "$(dirname "$0")/.." && pwd)
# Names all that is missing before anything is made. -d leaves the question to dpkg-buildpackage.
unmet=
[ -z "$check" ] || command -v lintian > /dev/null || unmet=lintian
case " $* " in
  *' -d '*) ;;
  *) said=$(dpkg-checkbuilddeps "$root/packaging/debian/control" 2>&1) || unmet=${said:-unknown} ;;
esac
if [ -n "$unmet" ]; then
  missing=$("$root/tools/machines/install-deps.sh" --missing --packages)
  echo "deb.sh: packages are missing: ${missing:-$unmet}; install them with tools/machines/install-deps.sh --packages" >&2
  exit 1
fi
mkdir -p "$target"
folder=$(cd "$target" && pwd)
version=$("$root/tools/release/release_version.py" show)
# Packages of R name the folder of their build: it is always the same one.
work=${TMPDIR:-/tmp}/attopotts-$version-deb
mkdir -m 700 "$work" || { echo "deb.sh: a build is running in $work, or one was killed: then remove the folder" >&2; exit 1; }
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

date=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2> /dev/null || stat -c %Y "$root/CHANGELOG.md")}
tree=$work/attopotts-$version
umask 022
"$root/tools/release/export-tree.sh" "$tree"
tar -C "$work" --sort=name --mtime="@$date" --owner=0 --group=0 --numeric-owner -cf - "attopotts-$version" | gzip -n > "$work/attopotts_$version.orig.tar.gz"

cp -R "$root/packaging/debian" "$tree/debian"
maintainer=$(sed -n 's/^Maintainer: //p' "$tree/debian/control")
[ -z "${DEBEMAIL-}" ] || maintainer="${DEBFULLNAME:-The attopotts authors} <$DEBEMAIL>"
sed -i "s|^Maintainer: .*|Maintainer: $maintainer|" "$tree/debian/control"
cat > "$tree/debian/changelog" <<CHANGELOG
attopotts ($version-1) unstable; urgency=medium

  * Version $version. CHANGELOG.md says what is new.

 -- $maintainer  $(LC_ALL=C date --utc --rfc-email --date="@$date")
CHANGELOG

# Debug information is for distributions, which have builds of their own.
export DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS-} noautodbgsym"
(cd "$tree" && LC_ALL=C.UTF-8 dpkg-buildpackage -us -uc "$@") > "$folder/build.log" 2>&1 || { tail -n 40 "$folder/build.log"; exit 1; }
find "$work" -maxdepth 1 -type f -exec mv {} "$folder" \;
cd "$folder"
ls ./*.deb
[ -n "$check" ] || exit 0
# A bug of Debian's that the first upload would close exists for those alone who upload to Debian.
lintian --allow-root --fail-on=error,warning --suppress-tags=initial-upload-closes-no-bugs ./attopotts_"$version"-1_*.changes
