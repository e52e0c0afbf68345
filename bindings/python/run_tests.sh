#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs the package into a virtual environment and runs its tests against the library that pkg-config finds.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
python=
for candidate in "${PYTHON:-python3}" /usr/bin/python3; do
  "$candidate" -c 'import ensurepip, numpy, pytest, setuptools, sys, wheel; assert sys.version_info >= (3, 9)' 2> /dev/null &&
    python=$candidate && break
done
if [ -z "$python" ]; then
  echo "skipped: no python3 >= 3.9 with venv, pip, numpy, pytest, setuptools and wheel (tools/machines/install-deps.sh --bindings)"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -R "$here" "$work/source"
"$python" "$here/../generate.py" python "$work/source"
"$python" -m venv --system-site-packages "$work/venv"
"$work/venv/bin/python" -m pip install --quiet --no-index --no-build-isolation --no-deps --disable-pip-version-check "$work/source"
cd "$work"
"$work/venv/bin/python" -c 'import attopotts; print("attopotts", attopotts.version(), "from", attopotts.__file__)'
"$work/venv/bin/python" -m pytest -q -rs -p no:cacheprovider "$here/tests"
"$python" "$here/../../tools/ci/readme_commands.py" --session python "$here/../../docs/howto.md" > howto.py
if "$python" -c 'import matplotlib' 2> /dev/null; then
  MPLBACKEND=agg "$work/venv/bin/python" howto.py
  ls contacts.png couplings.svg distances.svg mutants.svg curve.png > /dev/null
else
  echo "[  SKIPPED ] docs/howto.md in Python: matplotlib is not installed (tools/machines/install-deps.sh --bindings)"
fi
if [ -z "${ATP_TEST_QUICK+set}" ]; then
  # Jupyter's kernel is Debian's Python: it finds the package by this path.
  PYTHONPATH=$("$work/venv/bin/python" -c 'import attopotts, os; print(os.path.dirname(os.path.dirname(attopotts.__file__)))') \
    "$here/../../tools/ci/notebooks.py" run "$here"/../../examples/notebooks/potts.ipynb "$here"/../../examples/notebooks/family.ipynb \
    "$here"/../../examples/notebooks/curves.ipynb
else
  echo "[  SKIPPED ] notebooks: left to ./check.sh --all (ATP_TEST_QUICK is set)"
fi
"$work/venv/bin/python" "$here/../../examples/same_numbers.py" "$work/venv/bin/python $here/../../examples/python/quickstart.py"
"$work/venv/bin/python" "$here/../../examples/same_numbers.py" --generate "$work/venv/bin/python $here/../../examples/python/generate.py"
"$work/venv/bin/python" "$here/../../examples/same_numbers.py" --rows "$work/venv/bin/python $here/../../examples/python/rows.py"
"$work/venv/bin/python" "$here/../../examples/same_pairs.py" "$work/venv/bin/python $here/../../examples/python/family.py"
