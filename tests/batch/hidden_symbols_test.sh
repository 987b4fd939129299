#!/usr/bin/env bash
# The objects compiled for one instruction set show a single function to the linker, so that nothing in them can
# stand in for code that any processor may run.  hidden_symbols_test.sh NM OBJECT...
set -euo pipefail
nm=$1
shift
for object; do
  name=$(basename "$object" .o)
  expected=sestina_make_${name/batch/batch_kernel}
  found=$("$nm" --defined-only --extern-only --format=posix "$object" | cut -d ' ' -f 1)
  if [[ $found != "$expected" ]]; then
    printf '%s shows more or less than %s:\n%s\n' "$object" "$expected" "$found" >&2
    exit 1
  fi
done
