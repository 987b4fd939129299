#!/usr/bin/env bash
# An object of kernels for one instruction set shows a single function to the linker, so that nothing in it can
# stand in for code that any processor may run.  hidden_symbols_test.sh NM OBJECT...
set -euo pipefail
nm=$1
shift
for object; do
  found=$("$nm" --defined-only --extern-only --format=posix "$object" | cut -d ' ' -f 1)
  if [[ $(wc -l <<<"$found") != 1 || $found != *_kernels_* ]]; then
    printf '%s shows more or less than its table of kernels:\n%s\n' "$object" "$found" >&2
    exit 1
  fi
done
