#!/usr/bin/env bash
# aarch64_sysroot.sh FOLDER PACKAGE... [-- PACKAGE...]: unpacks packages of Debian for arm64 into FOLDER, with all that
# they depend on; those after `--` without it. Nothing is installed, and no right of root is needed: Debian's packages of
# two architectures often cannot be installed at the same time.
set -euo pipefail

root=$(mkdir -p "$1" && cd -- "$1" && pwd)
shift
wanted="$*"
# The name of this file is the mark that all is there.
mark=$root/unpacked.txt
if [[ -f $mark && $(cat "$mark") == "$wanted" ]]; then exit 0; fi

rm -rf "$root"
apt=$root/apt
mkdir -p "$apt/lists/partial" "$apt/archives/partial"
: >"$apt/status"  # as if nothing were installed
options=(-q -y -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Acquire::Retries=3 -o Debug::NoLocking=1
  -o Dir::State="$apt" -o Dir::State::status="$apt/status" -o Dir::Cache="$apt" -o APT::Sandbox::User=)
apt-get "${options[@]}" update

complete=()
while (($#)) && [[ $1 != -- ]]; do complete+=("$1") && shift; done
(($#)) && shift
apt-get "${options[@]}" install --download-only --no-install-recommends "${complete[@]}"
if (($#)); then (cd "$apt/archives" && apt-get "${options[@]}" download "$@"); fi
for package in "$apt"/archives/*.deb; do dpkg-deb --extract "$package" "$root"; done
rm -rf "$apt"

# Links to absolute paths would leave the folder.
while IFS= read -r -d '' link; do
  target=$(readlink "$link")
  ln -sfn "$root$target" "$link"
done < <(find "$root" -type l -lname '/*' -print0)

# CMake asks HDF5's compiler for the place of HDF5; Debian's knows only that of the machine itself.
cat >"$root/h5cc" <<TEXT
#!/bin/sh
echo "aarch64-linux-gnu-gcc -I$root/usr/include/hdf5/serial -L$root/usr/lib/aarch64-linux-gnu/hdf5/serial -lhdf5"
TEXT
chmod +x "$root/h5cc"
echo "$wanted" >"$mark"
