#!/usr/bin/env bash
# clang_tidy.sh OPTION... FILE -- COMPILER ARGUMENT...: clang-tidy, unless it has found nothing in the same text before.
# The text is the file as the preprocessor leaves it, with comments and macros; that it passed is remembered in
# SESTINA_TIDY_CACHE (default ~/.cache/sestina-tidy) for any checkout, whatever its folder.
set -euo pipefail
root=$(dirname -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")")
cache=${SESTINA_TIDY_CACHE:-${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/sestina-tidy}

options=()
preprocess=()
to_compiler=
skip=
for argument in "$@"; do
  if [[ -z $to_compiler ]]; then
    if [[ $argument == -- ]]; then to_compiler=yes; else options+=("$argument"); fi
  elif [[ -n $skip ]]; then
    skip=
  else
    case $argument in
      -o | -MF | -MT | -MQ) skip=yes ;;
      -c | -MD | -MMD) ;;
      *) preprocess+=("$argument") ;;
    esac
  fi
done

# A file that cannot be preprocessed is clang-tidy's to explain.
if mkdir -p "$cache" 2>/dev/null && text=$("${preprocess[@]}" -E -C -dD 2>/dev/null | sed "s#$root##g" | sha256sum); then
  key=$({
    printf '%s\n' "$text" "${options[@]}" "${preprocess[@]}" | sed "s#$root##g"
    clang-tidy --version
    cat -- "$root/.clang-tidy"
  } | sha256sum)
  mark=$cache/${key%% *}
  if [[ -e $mark ]]; then
    touch "$mark"
    exit 0
  fi
fi

clang-tidy "$@"
if [[ -n ${mark:-} ]]; then : >"$mark"; fi
