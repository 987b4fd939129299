#!/usr/bin/env bash
# Times Sestina against Pinocchio, MuJoCo and Simbody. The first two are installed from the Python package index
# into build/peers/venv, Simbody comes from the distribution (libsimbody-dev); what cannot be had is left out.
# Arguments go to bench_peers (peers_benchmark.cpp tells which), or, after --loops, to bench_peer_loops, which
# times closed loops by Sestina and Pinocchio (loops_benchmark.cpp).
#
# CXX: the compiler of our library and of Pinocchio (default clang++, with which Pinocchio is fastest).
set -euo pipefail
cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/../.."

program=bench_peers
table=out/peers.csv
packages=(pin mujoco)
if [[ ${1:-} == --loops ]]; then
  shift
  program=bench_peer_loops
  table=out/peers_loops.csv
  packages=(pin)
fi

say() { printf -- '-- %s\n' "$*" >&2; }
compiler=${CXX:-clang++}
folder=$PWD/build/peers
venv=$folder/venv

python=/usr/bin/python3
[[ -x $python ]] || python=python3
if [[ -x $venv/bin/python ]] || "$python" -m venv "$venv"; then
  for package in "${packages[@]}"; do
    requirement=$(grep -E "^$package\b" tools/python-requirements.txt)
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "$requirement" ||
      say "the Python package $package could not be installed: continuing without it"
  done
  site=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
else
  say "no virtual environment could be made (python3-venv missing?): continuing without Pinocchio and MuJoCo"
  site=$folder/nothing
fi

options=(-DSESTINA_NATIVE=ON "-DSESTINA_PEERS=$site" "-DCMAKE_CXX_COMPILER=$compiler")
case $compiler in
  *clang++*) options+=("-DCMAKE_C_COMPILER=${compiler/clang++/clang}") ;;
  *g++*) options+=("-DCMAKE_C_COMPILER=${compiler/g++/gcc}") ;;
esac
say "building; Pinocchio's templates take some minutes the first time"
cmake --preset bench -B "$folder/bench" "${options[@]}" >"$folder/configure.log" 2>&1 || {
  cat "$folder/configure.log" >&2
  exit 1
}
grep -A 1 'left out' "$folder/configure.log" >&2 || true
cmake --build "$folder/bench" --target "$program" --parallel "${CMAKE_BUILD_PARALLEL_LEVEL:-2}" >&2

commit=$(git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
[[ -z $(git status --porcelain --untracked-files=no 2>/dev/null) ]] || commit+=" with changes"
mkdir -p out
# One processor, if there is a way to say so.
pin=()
if command -v taskset >/dev/null; then pin=(taskset --cpu-list "$(($(nproc) - 1))"); fi
"${pin[@]}" "$folder/bench/benchmarks/peers/$program" --commit "$commit" --csv "$table" "$@"
say "$table"
