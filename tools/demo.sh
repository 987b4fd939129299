#!/usr/bin/env bash
# demo.sh SESTINA: simulates an example with the given program, tabulates its key figures, and draws
# it; everything it writes is in out/demo.
set -euo pipefail
sestina=$(readlink -f -- "$1")
cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.."

model=examples/01_double_pendulum.yaml
out=out/demo
result=$out/double_pendulum.csv
[[ -f $model ]] || { echo "demo: $model is missing" >&2; exit 1; }
mkdir -p "$out"

heading() {
  if [[ -t 1 ]]; then printf '\n\033[1m%s\033[0m\n' "$*"; else printf '\n%s\n' "$*"; fi
}

heading "Double pendulum: sestina run $model"
"$sestina" run "$model" --out "$result"

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
    printf "%-22s %13s %13s %13s %13s\n", "quantity", "at the start", "at the end", "least", "greatest"
    for (i = 1; i <= named; ++i)
      printf "%-22s %13.6g %13.6g %13.6g %13.6g\n", name[i], first[i], last[i], low[i], high[i]
    for (i = 1; i <= named; ++i)
      if (name[i] == "energy.total")
        printf "\nThe total energy, which the motion should conserve, drifts by %.1e J over %d rows.\n",
          high[i] - low[i], rows
  }' "$result"

heading "The same equations of motion by every formulation: sestina compare $model"
"$sestina" compare "$model"

"$sestina" plot "$result" hip.q knee.q -o "$out/double_pendulum.png"

heading "Written"
ls -1 "$out"/double_pendulum.*
