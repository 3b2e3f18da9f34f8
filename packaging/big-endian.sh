#!/bin/sh
# In an emulated machine whose numbers begin with their high bytes: builds what reads files and tries it on files of other machines.
set -eu
apt-get update -qq
apt-get install -y -qq --no-install-recommends gcc libc6-dev meson ninja-build pkg-config libopenblas-dev liblapacke-dev zlib1g-dev libpng-dev \
    libjpeg-dev libjansson-dev libcmocka-dev python3 >/dev/null
work=$(mktemp -d)
cp -r /src "$work/scdc"
cd "$work/scdc"
rm -rf build
meson setup build -Dbench=false -Dcollect=disabled -Dmetis=disabled
ninja -C build scdc
meson test -C build --timeout-multiplier 20 --suite unit data/test_arrays data/test_labels io/test_npy io/test_safetensors
tests/cli/run.sh old-files
