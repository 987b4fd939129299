#!/usr/bin/env bash
# check.sh [--full|--aarch64]: what a commit has to pass (`./dev check`). Stages run in turn, each announced and timed;
# the first that fails ends the run.
#
# By default one compiler does most of the work: clang++ builds and tests everything. g++ compiles the library, with little
# optimisation, and runs the tests in which compilers differ most (numbers, lanes, order of evaluation); the sanitizers,
# clang-tidy and the tutorials that add a part check what changed (tools/changed_files.sh); fuzz targets run on the
# inputs that are kept. --full is for a person: every test by clang++, by g++ with full optimisation and under the
# sanitizers, clang-tidy on every source, random inputs for each fuzz target, and the core tests compiled for AArch64 and
# run by an emulator, which --aarch64 does alone.
set -euo pipefail
cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.."
export CI=true  # ./dev then treats warnings as errors

full=
[[ ${1:-} == --full ]] && full=yes
fuzz_seconds=60
names=()
results=()
finished=

summary() {
  printf '\n%-52s %8s\n' "stage" "seconds"
  local i
  for i in "${!names[@]}"; do printf '%-52s %8s\n' "${names[i]}" "${results[i]}"; done
  if [[ -n $finished ]]; then echo "all stages passed in $SECONDS s"; else echo "FAILED after $SECONDS s"; fi
}
trap summary EXIT

# stage NAME COMMAND...
stage() {
  local begin=$SECONDS
  names+=("$1")
  results+=("failed")
  printf '\n==== %s\n' "$1"
  shift
  "$@" </dev/null
  results[-1]=$((SECONDS - begin))
  printf '==== %s s\n' "${results[-1]}"
}

# Folders of tests/ that test the library's sources that changed. A folder of src/sestina bears the name of its tests, but
# for two; what the equations of motion consist of is also tested by whole runs, and descriptions as they are read.
changed_folders() {
  tools/changed_files.sh | sed -nE '
    s#^src/sestina/ensemble/.*#workspace#p; t
    \#^src/sestina/(model|io)/#i io
    s#^(src/sestina/mpi|apps/cli)/.*#cli#p; t
    s#^apps/studio/.*\.(h|cpp)$#studio#p; t
    \#^src/sestina/(model|joints|forces|constraints|contact|flexible|dynamics|integrate|run)/#i workspace
    s#^src/sestina/([a-z_]+)/.*\.(h|cpp)$#\1#p' | sort -u | tr '\n' ' '
}

# Whether files have changed that the tutorials on adding a part show or edit: their titles are names of files.
added_parts_changed() {
  tools/changed_files.sh | grep -xF \
    -f <(sed -nE 's#^```diff title="(.*)"$#\1#p' docs/tutorials/adding_*.md) \
    -f <(ls docs/tutorials/adding_*.md tests/docs/adding_parts_test.py) >/dev/null
}

gcc_folders="base numerics spatial joints forces expression dynamics batch particles integrate"
sanitize_folders="$(changed_folders) fuzz"
# Tests that count allocations or kill the program look for other faults than the sanitizers, which slow them down most;
# long runs go through what short ones go through too.
not_sanitized='DoesNotAllocate|DoNotAllocate|kill_and_resume|Flying(Beam|Cable)KeepsEnergy|EnergyErrorOfFreeBodies'
not_sanitized+='|HoweverLongTheChain|ChangeNoBit/kane|SaggingRopeKeepsEnergy|KeepsBothMomentaOfAFreeBeam|ATightBelt'
not_sanitized+='|SlidingFrictionMultiplies|ADriveKeepsTheBalance|FixmanOfBodies|RigidBonds.HaveTheAngles|Barostat'
not_sanitized+='|KeepTheEnergyByMultipoles|ParticleRunTest.RunsTheExamples'
# HDF5 asks for too much memory, and leaks some, when a file is damaged: faults of its own.
damaged_hdf5='ReducedFile.RefusesDamagedFiles'
not_sanitized+="|$damaged_hdf5"
aarch64_folders="base numerics parallel spatial joints forces contact flexible expression symbolic model derivation dynamics"
aarch64_folders+=" batch integrate particles"
# Averages over long molecular motions take hours under an emulator, and do not depend on the processor.
aarch64_too_long='Barostat.(FillsTheVolume|HasTheDensity)|FixmanOfBodies|RigidBonds.HaveTheAngles'

check_aarch64() {
  stage "AArch64 by g++, under qemu: core tests" env SESTINA_PRESET=aarch64 ./dev test --folders "$aarch64_folders" \
    --exclude-regex "$aarch64_too_long"
}

if [[ ${1:-} == --aarch64 ]]; then
  check_aarch64
  finished=yes
  exit
fi

stage "packages" ./dev setup --all
stage "format and rules of the tree" ./dev lint --quick
long_tests=()
[[ -z $full ]] || export SESTINA_PIP_ISOLATED=1
[[ -n $full ]] || added_parts_changed || long_tests=(--label-exclude build)
stage "clang++ release, warnings as errors: all tests" ./dev test --all "${long_tests[@]}"
stage "demonstration" ./dev demo
stage "the benchmarks are configured, not built" ./dev build bench -- -n --quiet
stage "documentation, every tutorial run" ./dev docs
if [[ -z $full ]]; then
  stage "g++, warnings as errors: the library, chosen tests" env SESTINA_PRESET=gcc-light ./dev test --folders "$gcc_folders"
  stage "address and undefined behaviour: what changed" \
    env SESTINA_PRESET=sanitize ./dev test --folders "$sanitize_folders" --exclude-regex "$not_sanitized"
  stage "clang-tidy: what changed" ./dev lint --changed
else
  stage "every example" tools/run_examples.sh
  stage "100 runs killed and resumed" python3 tests/cli/kill_and_resume.py build/release/apps/cli/sestina 100
  stage "the benchmarks compile" ./dev build bench
  stage "g++ release, warnings as errors: tests" env SESTINA_PRESET=gcc ./dev test
  stage "address and undefined behaviour: tests" \
    env SESTINA_PRESET=sanitize ./dev test --exclude-regex "$damaged_hdf5"
  stage "clang-tidy" ./dev build lint -- -k 0
  check_aarch64
  stage "fuzzing, $fuzz_seconds s each target" ./dev fuzz "$fuzz_seconds"
fi
finished=yes
