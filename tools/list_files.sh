#!/usr/bin/env bash
# list_files.sh [PATTERN]...: the files of the checkout that match, new ones included, ignored and
# deleted ones not; separated by NUL.
set -euo pipefail
root=$(dirname -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")")
cd -- "$root"
# The checkout may belong to another user than the one who runs this (containers).
git -c safe.directory="$root" ls-files -z --cached --others --exclude-standard --deduplicate -- "$@" |
  while IFS= read -r -d '' file; do
    if [[ -f $file ]]; then printf '%s\0' "$file"; fi
  done
