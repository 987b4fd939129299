#!/usr/bin/env bash
# pip_install.sh PYTHON FOLDER SOURCE BUILD: installs the package of SOURCE, built in BUILD, into a fresh virtual
# environment in FOLDER and runs its tests there, without the slow ones, which check sources.
#
# A user's pip builds with packages of its own, whose path is new each time, so that the compiler cache has no objects of
# the bindings for it: 280 s of processor time. SESTINA_PIP_ISOLATED=1 does this. By default the packages that PYTHON has
# serve, and pip checks that they are those that pyproject.toml requires.
set -euo pipefail
python=$1 folder=$2 source=$3 build=$4
unset PYTHONPATH
isolation=(--no-build-isolation --check-build-dependencies)
[[ -z ${SESTINA_PIP_ISOLATED:-} ]] || isolation=()

rm -rf "$folder" "$build"
"$python" -m venv "$folder"
"$python" -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$folder" \
  --config-settings=build-dir="$build" "${isolation[@]}" "$source"
rm -rf "$build"
cd "$folder"
wheel=(sestina-*.whl)
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check "./${wheel[0]}[test]"
"$folder/bin/python" -m pytest -q -p no:cacheprovider --ignore-glob="*_slow.py" "$source/python/tests"
