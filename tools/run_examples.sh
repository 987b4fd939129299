#!/usr/bin/env bash
# run_examples.sh [--out DIR] [SESTINA [EXAMPLE]...]: runs the examples (default: all) with the given
# program (default: that of the release build), compares their formulations, draws them, and checks their
# results against closed forms and published values. Files go to DIR (default: out/examples).
set -euo pipefail
out=
if [[ ${1:-} == --out ]]; then
  out=$2
  shift 2
fi
given=${1:-}
if (($#)); then shift; fi
[[ -z $given ]] || given=$(readlink -f -- "$given")
[[ -z $out ]] || out=$(readlink -m -- "$out")
cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.."
sestina=${given:-$PWD/build/release/apps/cli/sestina}
out=${out:-$PWD/out/examples}
[[ -x $sestina ]] || {
  echo "run_examples: there is no program $sestina; build it (./dev build) or name one" >&2
  exit 2
}
mkdir -p "$out"

names=("$@")
if ((!$#)); then
  for model in examples/[0-9]*.yaml; do names+=("$(basename "$model" .yaml)"); done
fi

# The columns in the figure of an example; the default is the coordinates and energies.
columns_of() {
  case $1 in
    01_*) echo "pen.origin.y --x pen.origin.x" ;;
    02_*) echo "pen.origin.y --x pen.origin.x" ;;
    03_*) echo "waist.q shoulder.q elbow.q energy.kinetic energy.potential energy.total" ;;
    04_*) echo "axle.origin.y --x axle.origin.x" ;;
    05_*) echo "edge.origin.y throw.u[0] throw.u[1] throw.u[2]" ;;
    06_*) echo "pen.origin.y --x pen.origin.x" ;;
    07_*) echo "energy.kinetic energy.supplied energy.dissipated" ;;
    08_*) echo "rail.q pivot.q energy.total energy.supplied" ;;
    09_*) echo "s1.q s2.q s3.q s4.q s5.q" ;;
    10_*) echo "axis_2.q axis_3.q axis_5.q energy.total energy.dissipated" ;;
    11_*) echo "foot.q energy.supplied energy.dissipated" ;;
    16_*) echo "hip.u heel.q pin.q energy.total" ;;
    17_*) echo "rail.q drive.u energy.total" ;;
    18_*) echo "beta.q gamma.q delta.q epsilon.q" ;;
    21_*) echo "ball.q[2] ball.u[3] lane.slip lane.friction_force energy.dissipated" ;;
    22_*) echo "lag extension blade.section[0].moment.z energy.strain" ;;
    26_*) echo "left_knee.q left_ankle.q left_toe.q right_knee.q right_ankle.q right_toe.q" ;;
    27_*) echo "bend energy.strain energy.total" ;;
    28_*) echo "ahead_of_free_fall tension energy.dissipated" ;;
    29_*) echo "creep on_driven.torque energy.supplied energy.dissipated" ;;
    30_*) echo "ball.u[3] brick.u[3] track.gap blow.gap" ;;
  esac
}

for name in "${names[@]}"; do
  printf '\n==== %s\n' "$name"
  "$sestina" run "examples/$name.yaml" --out "$out/$name.csv"
  "$sestina" compare "examples/$name.yaml"
  # Column names hold no spaces, and options are among them: they are meant to be split.
  read -ra columns <<<"$(columns_of "$name")"
  "$sestina" plot "$out/$name.csv" "${columns[@]}" -o "$out/$name.png"
done
printf '\n==== commands that the examples tell to try, and files that programs wrote\n'
told=("${names[@]/#/examples/}")
python3 -B tests/examples/try_commands.py "$sestina" "${told[@]/%/.yaml}" examples/README.md
tools/generate_n_pendulum.py 8 | diff -u - examples/02_n_pendulum.yaml
tools/generate_spherical_chain.py 16 | diff -u - examples/06_spherical_chain.yaml
printf '\n==== closed forms and published values\n'
python3 -B tests/examples/check_examples.py --out "$out" "$sestina" "${names[@]}"
