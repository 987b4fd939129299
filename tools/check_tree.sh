#!/usr/bin/env bash
# The rules that hold for every file of the tree and that no compiler checks. Prints each breach as
# FILE:LINE: reason, and fails if there is one.
set -euo pipefail
cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.."

self=tools/check_tree.sh
max_lines=600
max_bytes=$((1024 * 1024))
breaches=0

report() {
  printf '%s\n' "$1"
  breaches=$((breaches + 1))
}

mapfile -d '' -t files < <(tools/list_files.sh)
text=()
for file in "${files[@]}"; do
  if (($(stat -c %s -- "$file") > max_bytes)); then
    report "$file: larger than 1 MiB; large data does not belong into the repository"
  fi
  # grep calls a file binary when it holds a NUL; an empty file is neither.
  if [[ $file != "$self" ]] && grep -Iq . -- "$file"; then text+=("$file"); fi
done

# forbid REASON PATTERN: no text file may hold a line that matches the extended regular expression.
forbid() {
  local line
  while IFS= read -r line; do
    report "$(cut -d: -f1,2 <<<"$line"): $1: $(cut -d: -f3- <<<"$line" | cut -c1-100)"
  done < <(grep -nHE -e "$2" -- "${text[@]}" || true)
}

forbid "unfinished" '\b(TODO|FIXME|XXX|HACK)\b'
forbid "trailing whitespace" '[[:blank:]]+$'
forbid "carriage return" $'\r'
forbid "conflict mark" '^(<<<<<<<|>>>>>>>|=======$)'
forbid "path of one machine" '(^|[^[:alnum:]_.])/(home|root|work|Users|mnt|opt)/'
forbid "host of a package registry" \
  '(pypi\.org|pythonhosted\.org|deb\.debian\.org|registry\.npmjs|crates\.io|ghcr\.io|docker\.io|anaconda\.org)'

for file in "${text[@]}"; do
  case $file in
    src/*.h | src/*.cpp | apps/*.h | apps/*.cpp | python/*.cpp | python/*.py)
      lines=$(wc -l <"$file")
      if ((lines > max_lines)); then
        report "$file:$max_lines: $lines lines; split the file by meaning (at most $max_lines)"
      fi
      ;;
  esac
  case $file in
    src/*.h | apps/*.h | tests/*.h)
      if ! grep -q '^#pragma once$' -- "$file"; then report "$file:1: a header without #pragma once"; fi
      ;;
  esac
  # Seeds are exact bytes.
  if [[ $file != tests/fuzz/seeds/* && -n $(tail -c 1 -- "$file") ]]; then
    report "$file: no newline at the end"
  fi
done

if ((breaches)); then
  printf '%d breach(es) of the rules of the tree\n' "$breaches" >&2
  exit 1
fi
