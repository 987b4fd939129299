#!/usr/bin/env bash
# pip_install.sh PYTHON FOLDER SOURCE BUILD: installs the package of SOURCE, built in BUILD, into a fresh virtual
# environment in FOLDER, as a user would, and runs its tests there, without the slow ones, which check sources.
set -euo pipefail
python=$1 folder=$2 source=$3 build=$4

rm -rf "$folder" "$build"
"$python" -m venv "$folder"
unset PYTHONPATH
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check \
  --config-settings=build-dir="$build" "${source}[test]"
rm -rf "$build"
cd "$folder"
"$folder/bin/python" -m pytest -q -p no:cacheprovider --ignore-glob="*_slow.py" "$source/python/tests"
