#!/usr/bin/env bash
# changed_files.sh: the files of HEAD and of the working tree that differ from a base, one a line; sources in which
# only comments differ are left out. The base is the commit SESTINA_BASE, or else the last one that is three hours older
# than HEAD; without such a commit every file counts.
set -euo pipefail
cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.."

hours=3
base=${SESTINA_BASE:-$(git rev-list -1 --before="$(($(git log -1 --format=%ct) - hours * 3600))" HEAD 2>/dev/null || true)}
if [[ -z $base ]]; then
  git ls-files
else
  git diff --name-only --diff-filter=d "$base" -- | python3 tools/changed_code.py "$base"
  git ls-files --others --exclude-standard
fi
