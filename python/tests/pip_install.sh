#!/usr/bin/env bash
# pip_install.sh PYTHON FOLDER SOURCE: installs the package of SOURCE into a fresh virtual environment in FOLDER, as a
# user would, and runs its tests there.
set -euo pipefail
python=$1 folder=$2 source=$3

rm -rf "$folder"
"$python" -m venv "$folder"
unset PYTHONPATH
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check "${source}[test]"
cd "$folder"
"$folder/bin/python" -m pytest -q -p no:cacheprovider "$source/python/tests"
