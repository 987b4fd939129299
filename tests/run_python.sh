#!/bin/sh
# run_python.sh PACKAGES SCRIPT [ARG]...: run a test written in Python, by the interpreter $PYTHON, that of .venv
# or python3. PACKAGES are separated by commas, or `-` for none. Where one is missing the test is skipped (77).
set -eu

packages=$1
shift
root=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
python=python3
for candidate in "${PYTHON:-}" "$root/.venv/bin/python"; do
  if [ -n "$candidate" ] && command -v "$candidate" >/dev/null; then
    python=$candidate
    break
  fi
done
if [ "$packages" != - ]; then
  for package in $(echo "$packages" | tr , ' '); do
    if ! "$python" -c "import $package" 2>/dev/null; then
      echo "skipped: $python has no package $package (./dev test --all installs it)"
      exit 77
    fi
  done
fi
exec "$python" "$@"
