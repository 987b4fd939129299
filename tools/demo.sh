#!/usr/bin/env bash
# demo.sh SESTINA: simulates an example with the given program, tabulates its key figures, draws it, and
# compares its formulations; everything it writes is in out/demo.
set -euo pipefail
sestina=$(readlink -f -- "$1")
cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.."

model=examples/01_double_pendulum.yaml
# Released nearly upside down under the gravity of the Earth, where its motion is chaotic.
changes=(--set 'gravity=[0, -9.81, 0]' --set joints.hip.q=2.8 --set analysis.duration=12
  --set output.every=0.005)
out=out/demo
result=$out/double_pendulum.csv
mkdir -p "$out"

heading() {
  if [[ -t 1 ]]; then printf '\n\033[1m%s\033[0m\n' "$*"; else printf '\n%s\n' "$*"; fi
}

# as_typed WORD...: the words as one would type them.
as_typed() {
  local word words=()
  for word in "$@"; do
    if [[ $word == *' '* ]]; then words+=("'$word'"); else words+=("$word"); fi
  done
  printf '%s' "${words[*]}"
}

heading "A double pendulum, released nearly upside down: sestina run $model $(as_typed "${changes[@]}")"
"$sestina" run "$model" "${changes[@]}" --out "$result"

heading "Key figures"
# The file: lines that begin with # hold units and provenance, then a line of names, then numbers.
awk -F, '
  /^#/ { next }
  !named { for (i = 1; i <= NF; ++i) name[i] = $i; named = NF; next }
  {
    ++rows
    for (i = 1; i <= NF; ++i) {
      if (rows == 1) { first[i] = low[i] = high[i] = $i }
      if ($i + 0 < low[i] + 0) low[i] = $i
      if ($i + 0 > high[i] + 0) high[i] = $i
      last[i] = $i
    }
  }
  END {
    printf "%-18s %12s %12s %12s %12s\n", "quantity", "at the start", "at the end", "least", "greatest"
    for (i = 1; i <= named; ++i)
      if (name[i] ~ /^(t|hip|knee|pen\.origin\.[xy]|energy\.(kinetic|potential|total))(\.[qu])?$/)
        printf "%-18s %12.5g %12.5g %12.5g %12.5g\n", name[i], first[i], last[i], low[i], high[i]
    for (i = 1; i <= named; ++i)
      if (name[i] == "energy.total")
        printf "\nThe total energy, which the motion should conserve, varies by %.1e J over %d rows.\n",
          high[i] - low[i], rows
  }' "$result"

heading "The same equations of motion by every formulation: sestina compare $model"
"$sestina" compare "$model" "${changes[@]}"

for suffix in png svg; do
  "$sestina" plot "$result" pen.origin.y --x pen.origin.x --width 110 \
    --title "Path of the tip of a double pendulum in 12 s" -o "$out/double_pendulum_path.$suffix"
  "$sestina" plot "$result" hip.q knee.q energy.kinetic energy.potential energy.total \
    --title "Double pendulum: angles and energies" -o "$out/double_pendulum_time.$suffix"
done

page=$out/double_pendulum.html
"$sestina" view "$result" --model "$model" -o "$page" || page=

heading "Written"
ls -1 "$out"/double_pendulum*
echo "Open $out/double_pendulum_path.png first. More to run: examples/README.md"
if [[ -n $page ]]; then
  echo "See it move: $page in a browser. Edit it and run it again: $sestina studio $model"
fi
